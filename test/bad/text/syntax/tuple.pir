{
    () = "a.b" () {m:(pd_dist.TensorDist)[(Int32)1,(Int32)2,(Int32)3]} : () -> 
}
