parhelion 1
kernel norm(@x: f16[m, n], @w: f16[n]) {
  @out = empty f16[m, n]
  grid i in m {
    %x = load @x[i, :n] : f16[i, :n]
    %v = cast %x : f32[i, :n]
    %again = load @x[i, :n] : f16[i, :n]
    %u = cast %again : f32[i, :n]
    %sq = mul %v, %u : f32[i, :n]
    %mean = mean %sq dim 1 keep : f32[i, 1]
    %0 = const 0 : i64
    %eps = const 1e-5 : f32
    %z = full %0 : f32[i, 1]
    %e = sub %eps, %z : f32[i, 1]
    %s = add %mean, %e : f32[i, 1]
    %r = rsqrt %s : f32[i, 1]
    %y = mul %v, %r : f32[i, :n]
    %w = load @w[:n] : f16[:n]
    %wf = cast %w : f32[:n]
    %o = mul %y, %wf : f32[i, :n]
    %h = cast %o : f16[i, :n]
    %unused = exp %o : f32[i, :n]
    store @out[i, :n], %h
  }
  return @out
}
