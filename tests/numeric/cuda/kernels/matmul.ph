parhelion 1
kernel matmul(@a: bf16[m, k], @b: bf16[k2, n]) {
  check k2 == k
  @out = empty bf16[m, n]
  grid tm in m, tn in n {
    %0 = const 0 : i64
    %acc = full %0 : f32[tm, tn]
    %acc_2 = for tk in k carry (%acc_3 = %acc) {
      %1 = load @a[tm, tk] : bf16[tm, tk]
      %2 = load @b[tk, tn] : bf16[tk, tn]
      %acc_1 = dot %1, %2, %acc_3 : f32[tm, tn]
      yield %acc_1
    }
    %3 = cast %acc_2 : bf16[tm, tn]
    store @out[tm, tn], %3
  }
  return @out
}
