parhelion 1
kernel integers(@x: i32[m, n]) {
  @out = empty i64[m]
  @mod = empty i32[m, n]
  grid i in m {
    %a = load @x[i, :n] : i32[i, :n]
    %s = sum %a dim 1 : i64[i]
    store @out[i], %s
    %k = const -3 : i32
    %q = floordiv %a, %k : i32[i, :n]
    %r = mod %a, %k : i32[i, :n]
    %p = mul %q, %r : i32[i, :n]
    store @mod[i, :n], %p
  }
  return (@out, @mod)
}
