parhelion 1
kernel matmul_transposed(@at: f16[k, m], @bt: f16[n, k2]) {
  check k2 == k
  @out = empty f32[m, n]
  grid tm in m, tn in n {
    %0 = const 0 : i64
    %acc = full %0 : f32[tm, tn]
    %acc_2 = for tk in k carry (%acc_3 = %acc) {
      %1 = load @at[tk, tm] : f16[tk, tm]
      %a = permute %1 1, 0 : f16[tm, tk]
      %2 = load @bt[tn, tk] : f16[tn, tk]
      %b = permute %2 1, 0 : f16[tk, tn]
      %acc_1 = dot %a, %b, %acc_3 : f32[tm, tn]
      yield %acc_1
    }
    store @out[tm, tn], %acc_2
  }
  return @out
}
