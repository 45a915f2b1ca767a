parhelion 1
kernel k(@x: f32[m, n], @y: f32[m, n], @h: f16[m, n]) {
  @out = empty f32[m, n]
  @tmp = empty f32[m, n]
  grid i in m, j in n {
    %0 = load @x[i, j] : f32[i, j]
    %1 = load @x[i, j] : f32[i, j]
    %2 = load @h[i, j] : f16[i, j]
    %3 = add %0, %1 : f32[i, j]
    %4 = add %1, %0 : f32[i, j]
    %5 = mul %3, %4 : f32[i, j]
    store @tmp[i, j], %5
    %6 = load @x[i, j] : f32[i, j]
    %7 = load @tmp[i, j] : f32[i, j]
    %8 = load @tmp[i, j] : f32[i, j]
    store @y[i, j], %6
    %9 = load @x[i, j] : f32[i, j]
    %10 = load @h[i, j] : f16[i, j]
    %11 = cast %2 : f32[i, j]
    %12 = cast %10 : f32[i, j]
    %13 = add %9, %11 : f32[i, j]
    %14 = add %13, %12 : f32[i, j]
    %15 = add %7, %8 : f32[i, j]
    %16 = sub %14, %15 : f32[i, j]
    %17 = sub %15, %14 : f32[i, j]
    %18 = max %16, %17 : f32[i, j]
    store @out[i, j], %18
  }
  return @out
}
