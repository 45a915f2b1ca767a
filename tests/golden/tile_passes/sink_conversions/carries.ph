parhelion 1
kernel k(@x: f16[m, n], @g: f8e4m3[n]) {
  @out = empty f32[m]
  @o2 = empty f32[m]
  grid i in m {
    %z = const 0 : f16
    %h = full %z : f16[i]
    %wide = cast %h : f32[i]
    %r, %s = for j in n carry (%a = %wide, %b = %wide) {
      %x = load @x[i, j] : f16[i, j]
      %m = amax %x dim 1 : f16[i]
      %mf = cast %m : f32[i]
      %q = max %a, %mf : f32[i]
      %n = cast %q : f16[i]
      %back = cast %n : f32[i]
      %e = add %b, %mf : f32[i]
      yield %back, %e
    }
    store @out[i], %r
    store @o2[i], %s
  }
  return @out, @o2
}
