parhelion 1
kernel matmul_epilogue(@a: f16[m, k], @b: f16[k2, n], @bias: f32[n2], @res: f16[m2, n3]) {
  check k2 == k
  check n2 == n
  check n3 == n
  check m2 == m
  @out = empty f16[m, n]
  grid tm in m, tn in n {
    %0 = const 0 : i64
    %acc = full %0 : f32[tm, tn]
    %acc_2 = for tk in k carry (%acc_3 = %acc) {
      %1 = load @a[tm, tk] : f16[tm, tk]
      %2 = load @b[tk, tn] : f16[tk, tn]
      %acc_1 = dot %1, %2, %acc_3 : f32[tm, tn]
      yield %acc_1
    }
    %bias = load @bias[tn] : f32[tn]
    %s = add %acc_2, %bias : f32[tm, tn]
    %r = load @res[tm, tn] : f16[tm, tn]
    %rw = cast %r : f32[tm, tn]
    %sg = sigmoid %s : f32[tm, tn]
    %p = mul %s, %sg : f32[tm, tn]
    %q = add %p, %rw : f32[tm, tn]
    %o = cast %q : f16[tm, tn]
    store @out[tm, tn], %o
  }
  return @out
}
