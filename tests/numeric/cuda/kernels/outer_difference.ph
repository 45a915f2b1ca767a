parhelion 1
kernel outer_difference(@x: f32[m]) {
  @out = empty f32[m, m]
  grid i in m, j in m {
    %a = load @x[i] : f32[i]
    %b = load @x[j] : f32[j]
    %ii = index i : i64[i]
    %jj = index j : i64[j]
    %u = unsqueeze %a dim 1 : f32[i, 1]
    %d = sub %u, %b : f32[i, j]
    %iu = unsqueeze %ii dim 1 : i64[i, 1]
    %c = ge %iu, %jj : bool[i, j]
    %z = const 0.0 : f32
    %w = where %c, %d, %z : f32[i, j]
    store @out[i, j], %w
  }
  return @out
}
