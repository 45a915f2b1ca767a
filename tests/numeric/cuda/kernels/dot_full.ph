parhelion 1
kernel dot_full(@a: f16[m, k], @b: f16[k2, n]) {
  check k2 == k
  @out = empty f32[m, n]
  grid tm in m, tn in n {
    %1 = load @a[tm, :k] : f16[tm, :k]
    %2 = load @b[:k, tn] : f16[:k, tn]
    %acc = dot %1, %2 : f32[tm, tn]
    store @out[tm, tn], %acc
  }
  return @out
}
