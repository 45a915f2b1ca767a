parhelion 1
kernel column_sum(@x: f32[m, n]) {
  @out = empty f32[n]
  grid j in n {
    %a = load @x[:m, j] : f32[:m, j]
    %s = sum %a dim 0 : f32[j]
    store @out[j], %s
  }
  return @out
}
