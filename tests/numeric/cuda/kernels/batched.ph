parhelion 1
kernel batched(@x: f16[b, m, n]) {
  @out = empty f16[b, m, n]
  @s = empty f32[b]
  grid i in b {
    %v = load @x[i, :m, :n] : f16[i, :m, :n]
    %w = cast %v : f32[i, :m, :n]
    %r = sum %w dim 2 : f32[i, :m]
    %t = amax %r dim 1 : f32[i]
    store @s[i], %t
    %tu = unsqueeze %t dim 1 : f32[i, 1]
    %tv = unsqueeze %tu dim 2 : f32[i, 1, 1]
    %q = sub %w, %tv : f32[i, :m, :n]
    %o = cast %q : f16[i, :m, :n]
    store @out[i, :m, :n], %o
  }
  return (@out, @s)
}
