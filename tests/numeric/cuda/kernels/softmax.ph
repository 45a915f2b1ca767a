parhelion 1
kernel softmax(@x: f16[m, n]) {
  @out = empty f16[m, n]
  grid rows in m {
    %0 = load @x[rows, :n] : f16[rows, :n]
    %v = cast %0 : f32[rows, :n]
    %1 = amax %v dim 1 keep : f32[rows, 1]
    %2 = sub %v, %1 : f32[rows, :n]
    %e = exp %2 : f32[rows, :n]
    %3 = sum %e dim 1 keep : f32[rows, 1]
    %4 = div %e, %3 : f32[rows, :n]
    %5 = cast %4 : f16[rows, :n]
    store @out[rows, :n], %5
  }
  return @out
}
