parhelion 1
kernel store_then_load(@x: f32[m, n]) {
  @t = empty f32[m]
  @out = empty f32[m, n]
  grid i in m {
    %a = load @x[i, :n] : f32[i, :n]
    %s = sum %a dim 1 : f32[i]
    store @t[i], %s
    %b = load @t[i] : f32[i]
    %u = unsqueeze %b dim 1 : f32[i, 1]
    %c = sub %a, %u : f32[i, :n]
    store @out[i, :n], %c
  }
  return @out
}
