parhelion 1
kernel k(@x: f32[n], @s: f32[n]) {
  @out = empty f32[n]
  grid i in n {
    %x = load @x[i] : f32[i]
    %e = exp %x : f32[i]
    %c = const 1 : bool
    %r = if %c {
      %0 = exp %x : f32[i]
      %1 = neg %x : f32[i]
      %2 = add %0, %1 : f32[i]
      yield %2
    } else {
      %3 = neg %x : f32[i]
      yield %3
    }
    %4 = neg %x : f32[i]
    %l = for j in n carry (%a = %r) {
      %5 = load @s[i] : f32[i]
      %6 = load @s[i] : f32[i]
      %7 = add %5, %6 : f32[i]
      store @s[i], %7
      %8 = load @s[i] : f32[i]
      %9 = add %a, %8 : f32[i]
      yield %9
    }
    %10 = load @s[i] : f32[i]
    %11 = add %l, %10 : f32[i]
    %12 = add %11, %4 : f32[i]
    %13 = add %12, %e : f32[i]
    store @out[i], %13
  }
  return @out
}
