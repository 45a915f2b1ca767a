parhelion 1
kernel gather(@x: f32[r, n], @idx: i32[m]) {
  @out = empty f32[m, n]
  grid i in m {
    %k = load @idx[i] : i32[i]
    %v = load @x[%k, :n] {other=7} : f32[i, :n]
    store @out[i, :n], %v
  }
  return @out
}
