parhelion 1
kernel read_after_overwrite(@x: f32[m, n]) {
  @rows = empty f32[m]
  grid i in m {
    %a = load @x[i, :n] : f32[i, :n]
    %s = sum %a dim 1 keep : f32[i, 1]
    %b = mul %a, %s : f32[i, :n]
    store @x[i, :n], %b
    %t = amax %a dim 1 keep : f32[i, 1]
    store @rows[i, new], %t
  }
  return @rows
}
