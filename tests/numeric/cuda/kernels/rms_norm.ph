parhelion 1
kernel rms_norm(@x: bf16[m, n], @w: bf16[n2], $eps: float) {
  check n2 == n
  @out = empty bf16[m, n]
  grid rows in m {
    %0 = load @x[rows, :n] : bf16[rows, :n]
    %v = cast %0 : f32[rows, :n]
    %sq = mul %v, %v : f32[rows, :n]
    %ms = mean %sq dim 1 keep : f32[rows, 1]
    %eps64 = scalar $eps : f64
    %eps = cast %eps64 : f32
    %a = add %ms, %eps : f32[rows, 1]
    %r = rsqrt %a : f32[rows, 1]
    %y = mul %v, %r : f32[rows, :n]
    %w = load @w[:n] : bf16[:n]
    %w32 = cast %w : f32[:n]
    %z = mul %y, %w32 : f32[rows, :n]
    %o = cast %z : bf16[rows, :n]
    store @out[rows, :n], %o
  }
  return @out
}
