parhelion 1
kernel k(@a: f32[m, k], @b: f32[k, n], @w: f32[n], @s: f16[m]) {
  @out = empty f32[m, n]
  grid i in m, j in n {
    %zero = const 0 : f32
    %acc = full %zero : f32[i, j]
    %r = for p in k carry (%c = %acc) {
      %one = const 1 : f32
      %w = load @w[j] : f32[j]
      %w1 = add %w, %one : f32[j]
      %x = load @a[i, p] : f32[i, p]
      %y = load @b[p, j] : f32[p, j]
      %q = for u in 4 by 1 carry (%d = %c) {
        %two = const 2 : f32
        %w2 = mul %w1, %two : f32[j]
        %id = id p : i64
        %idf = cast %id : f32
        %e = add %d, %w2 : f32[i, j]
        %f = mul %e, %idf : f32[i, j]
        yield %f
      }
      %g = dot %x, %y, %q : f32[i, j]
      yield %g
    }
    store @out[i, j], %r
  }
  return @out
}
