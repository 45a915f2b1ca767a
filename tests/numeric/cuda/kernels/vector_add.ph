parhelion 1
kernel vector_add(@x: f32[n], @y: f32[n2]) {
  check n2 == n
  @out = empty f32[n]
  grid t in n {
    %a = load @x[t] : f32[t]
    %b = load @y[t] : f32[t]
    %c = add %a, %b : f32[t]
    store @out[t], %c
  }
  return @out
}
