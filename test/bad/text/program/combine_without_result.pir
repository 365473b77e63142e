{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    () = "builtin.combine" (%0) {} : (tensor<2xf32>) -> 
}
