parhelion 1
kernel while_if(@x: f32[m, n]) {
  @out = empty f32[m, n]
  grid i in m {
    %a = load @x[i, :n] : f32[i, :n]
    %0 = const 0 : i64
    %one = const 1 : i64
    %three = const 3 : i64
    %half = const 0.5 : f32
    %r, %steps = while carry (%v = %a, %n = %0) {
      %go = lt %n, %three : bool
      condition %go
    } do {
      %w = mul %v, %half : f32[i, :n]
      %n1 = add %n, %one : i64
      yield %w, %n1
    }
    %t = sum %a dim 1 : f32[i]
    %tt = sum %t dim 0 : f32
    %zero = const 0.0 : f32
    %p = gt %tt, %zero : bool
    %q = if %p {
      %e = exp %r : f32[i, :n]
      yield %e
    } else {
      %g = neg %r : f32[i, :n]
      yield %g
    }
    store @out[i, :n], %q
  }
  return @out
}
