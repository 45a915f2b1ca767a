parhelion 1
kernel k(@x: f32[m, n]) {
  @out = empty f32[m, n]
  grid i in m {
    %two = const 2 : i64
    %three = const 3 : i64
    %six = mul %two, %three : i64
    %f = cast %six : f32
    %0 = neg %f : f32
    %big = const 1e10 : f32
    %h = cast %big : f16
    %b = cast %h : f32
    %zero = const 0 : i64
    %full = full %zero : f32[i, :n]
    %1 = add %full, %0 : f32[i, :n]
    %2 = load @x[i, :n] : f32[i, :n]
    %3 = mul %2, %1 : f32[i, :n]
    %4 = min %3, %b : f32[i, :n]
    %ten = size (4 + 6) : i64
    %less = lt %ten, %six : bool
    %5 = where %less, %2, %4 : f32[i, :n]
    store @out[i, :n], %5
  }
  return @out
}
