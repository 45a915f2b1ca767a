parhelion 1
kernel transpose(@x: f32[m, n]) {
  @out = empty f32[n, m]
  grid i in m, j in n {
    %a = load @x[i, j] : f32[i, j]
    %b = permute %a 1, 0 : f32[j, i]
    store @out[j, i], %b
  }
  return @out
}
