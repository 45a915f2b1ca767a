parhelion 1 file "k.cpp"
kernel k(@x: f32[n], @y: f32[n]) {
  @out = empty f32[n]
  grid i in n {  #3:1
    %b = load @y[i] : f32[i]  #4:30
    %a = load @x[i] : f32[i]  #4:10
    %e = exp %a : f32[i]  #4:5
    %s = add %e, %b : f32[i]  #4:20
    %n = neg %s : f32[i]  #5:9
    %m = abs %s : f32[i]  #5:3
    %q = add %n, %m : f32[i]  #5:1
    store @out[i], %q  #6:5
  }
  return @out
}
