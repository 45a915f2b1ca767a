parhelion 1
kernel half_chain(@x: bf16[n], @y: bf16[n2]) {
  check n2 == n
  @out = empty bf16[n]
  grid t in n {
    %a = load @x[t] : bf16[t]
    %b = load @y[t] : bf16[t]
    %c = add %a, %b : bf16[t]
    %d = mul %c, %a : bf16[t]
    %e = max %d, %b : bf16[t]
    %f = abs %e : bf16[t]
    %g = sqrt %f : bf16[t]
    %h = tanh %g : bf16[t]
    store @out[t], %h
  }
  return @out
}
