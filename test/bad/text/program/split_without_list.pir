{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1, %2) = "builtin.split" () {} : () -> tensor<2xf32>, tensor<2xf32>
    (%3) = "builtin.slice" (%0, %0) {index:1} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
}
