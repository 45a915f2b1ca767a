parhelion 1
kernel k(@x: f32[n], @y: f32[n], @h: f16[n], @t: i32[1]) {
  @out = empty f32[n]
  grid i in n {
    %z = const 0 : i64
    %one = const 1 : i64
    for j in n by 1 {
      %x = load @x[i] : f32[i]
      %h = load @h[i] : f16[i]
      %f = cast %h : f32[i]
      %v = add %x, %f : f32[i]
      store @y[i], %v
    }
    %w = while carry (%p = %z) {
      %t = load @t[0] : i32
      %u = cast %t : i64
      %go = lt %p, %u : bool
      condition %go
    } do {
      %next = add %p, %one : i64
      yield %next
    }
    %wf = cast %w : f32
    %r = full %wf : f32[i]
    store @out[i], %r
  }
  return @out, @y
}
