parhelion 1
kernel loop_sum(@x: f32[m, n]) {
  @out = empty f32[m]
  grid i in m {
    %0 = const 0 : i64
    %acc = full %0 : f32[i]
    %r = for j in n carry (%c = %acc) {
      %a = load @x[i, j] : f32[i, j]
      %s = sum %a dim 1 : f32[i]
      %d = add %c, %s : f32[i]
      yield %d
    }
    store @out[i], %r
  }
  return @out
}
