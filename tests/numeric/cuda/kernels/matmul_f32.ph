parhelion 1
kernel matmul_f32(@a: f32[m, k], @b: f32[k2, n]) {
  check k2 == k
  @out = empty f32[m, n]
  grid tm in m, tn in n {
    %0 = const 0 : i64
    %acc = full %0 : f32[tm, tn]
    %acc_2 = for tk in k carry (%acc_3 = %acc) {
      %1 = load @a[tm, tk] : f32[tm, tk]
      %2 = load @b[tk, tn] : f32[tk, tn]
      %acc_1 = dot %1, %2, %acc_3 : f32[tm, tn]
      yield %acc_1
    }
    store @out[tm, tn], %acc_2
  }
  return @out
}
