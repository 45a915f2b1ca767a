parhelion 1
kernel shifted(@x: f32[n]) {
  @out = empty f32[n]
  grid t in n {
    %a = load @x[t + 1] : f32[t]
    %b = load @x[t + -1] {other=2} : f32[t]
    %c = load @x[t] : f32[t]
    %d = add %a, %b : f32[t]
    %e = mul %d, %c : f32[t]
    store @out[t], %e
  }
  return @out
}
