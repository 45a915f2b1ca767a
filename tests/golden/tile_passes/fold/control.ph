parhelion 1
kernel k(@x: f32[n]) {
  @out = empty f32[n]
  grid i in n {
    %x = load @x[i] : f32[i]
    %yes = const 1 : bool
    %a = if %yes {
      %0 = neg %x : f32[i]
      %no = not %yes : bool
      %b = if %no {
        yield %x
      } else {
        %1 = abs %0 : f32[i]
        yield %1
      }
      yield %b
    } else {
      store @out[i], %x
      yield %x
    }
    %c = for j in 4..4 carry (%d = %a) {
      %2 = exp %d : f32[i]
      yield %2
    }
    store @out[i], %c
  }
  return @out
}
