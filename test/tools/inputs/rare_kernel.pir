{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,2]} : () -> tensor<2x2xf32>
    (%1) = "pd_op.cholesky" (%0) {upper:false} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    () = "builtin.shadow_output" (%1) {output_name:"l"} : (tensor<2x2xf32>) ->
}
