parhelion 1
kernel k(@x: f32[m, n]) {
  @out = empty f32[m, n]
  grid i in m, j in n {
    %x = load @x[i, j] : f32[i, j]
    %0 = permute %x 1, 0 : f32[j, i]
    %1 = permute %0 1, 0 : f32[i, j]
    %s = sum %1 dim 1 : f32[i]
    %2 = unsqueeze %s dim 1 : f32[i, 1]
    %3 = squeeze %2 dim 1 : f32[i]
    %4 = unsqueeze %3 dim 1 : f32[i, 1]
    %5 = expand %4 : f32[i, j]
    %6 = expand %5 : f32[i, j]
    %c = const 2 : f32
    %7 = expand %c : f32[i, 1]
    %8 = expand %7 : f32[i, j]
    %9 = mul %6, %8 : f32[i, j]
    store @out[i, j], %9
  }
  return @out
}
