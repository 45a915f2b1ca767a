parhelion 1
kernel twice_same_axis(@x: f32[m, n]) {
  @out = empty f32[m, m]
  grid i in m {
    %a = load @x[i, :n] : f32[i, :n]
    %s = sum %a dim 1 : f32[i]
    %u = unsqueeze %s dim 1 : f32[i, 1]
    %d = sub %u, %s : f32[i, i]
    store @out[i, i], %d
  }
  return @out
}
