parhelion 1
kernel k(@x: f32[m, n], @l: i32[m], @h: f16[m]) {
  @out = empty f32[m, n]
  @ints = empty i32[m]
  @half = empty f16[m]
  grid i in m {
    %x = load @x[i, :n] : f32[i, :n]
    %one = const 1 : f32
    %0 = mul %one, %x : f32[i, :n]
    %1 = div %0, %one : f32[i, :n]
    %zero = const 0 : f32
    %kept = add %1, %zero : f32[i, :n]
    %2 = sub %kept, %zero : f32[i, :n]
    %3 = neg %2 : f32[i, :n]
    %4 = neg %3 : f32[i, :n]
    %5 = max %4, %4 : f32[i, :n]
    %x0 = mul %5, %zero : f32[i, :n]
    %6 = add %5, %x0 : f32[i, :n]
    store @out[i, :n], %6
    %l = load @l[i] : i32[i]
    %i0 = const 0 : i32
    %i5 = const 5 : i32
    %i7 = const 7 : i32
    %7 = add %i5, %l : i32[i]
    %8 = add %7, %i7 : i32[i]
    %9 = mul %l, %i0 : i32[i]
    %10 = add %8, %9 : i32[i]
    %11 = sub %10, %10 : i32[i]
    %12 = add %10, %11 : i32[i]
    store @ints[i], %12
    %h = load @h[i] : f16[i]
    %13 = cast %h : f32[i]
    %14 = cast %13 : f16[i]
    %15 = cast %14 : f64[i]
    %16 = cast %15 : bf16[i]
    %17 = cast %16 : f32[i]
    %18 = cast %17 : f16[i]
    %19 = permute %18 0 : f16[i]
    %20 = unsqueeze %19 dim 0 : f16[1, i]
    %21 = amax %20 dim 0 : f16[i]
    %22 = load @x[i, 0] : f32[i]
    %23 = cast %22 : f16[i]
    %24 = cast %23 : f32[i]
    %25 = cast %24 : f16[i]
    %26 = cast %22 : bf16[i]
    %27 = cast %26 : f16[i]
    %28 = add %21, %25 : f16[i]
    %29 = add %28, %27 : f16[i]
    %30 = cast %24 : i32[i]
    %31 = cast %30 : f16[i]
    %32 = add %29, %31 : f16[i]
    store @half[i], %32
  }
  return @out, @ints, @half
}
