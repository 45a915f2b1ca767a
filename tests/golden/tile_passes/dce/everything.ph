parhelion 1
kernel k(@x: f32[n], @y: f32[n]) {
  @out = empty f32[n]
  grid i in n {
    %dead = load @y[i] : f32[i]
    %dead2 = exp %dead : f32[i]
    %x = load @x[i] : f32[i]
    %zero = const 0 : f32
    %f = full %zero : f32[i]
    %a, %b, %c = for j in n carry (%p = %f, %q = %x, %r = %f) {
      %v = load @x[j] : f32[j]
      %s = sum %v dim 0 : f32
      %0 = add %p, %s : f32[i]
      %1 = mul %q, %q : f32[i]
      %2 = add %r, %0 : f32[i]
      yield %0, %1, %2
    }
    %t = for k in n carry (%u = %f) {
      %3 = neg %u : f32[i]
      yield %3
    }
    %cond = const 1 : bool
    %g, %h = if %cond {
      %4 = neg %a : f32[i]
      %5 = exp %a : f32[i]
      yield %4, %5
    } else {
      yield %a, %a
    }
    if %cond {
      %6 = exp %g : f32[i]
    }
    store @out[i], %g
  }
  return @out
}
