{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[77,26]} : () -> tensor<77x26xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<77x26xf32>) -> tensor<77x26xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[7,11,13,2]} : () -> tensor<4xi64>
    (%3) = "pd_op.reshape" (%1, %2) {} : (tensor<77x26xf32>, tensor<4xi64>) -> tensor<7x11x13x2xf32>
    (%4) = "pd_op.sigmoid" (%3) {} : (tensor<7x11x13x2xf32>) -> tensor<7x11x13x2xf32>
    (%5) = "pd_op.tanh" (%4) {} : (tensor<7x11x13x2xf32>) -> tensor<7x11x13x2xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"y"} : (tensor<7x11x13x2xf32>) -> tensor<7x11x13x2xf32>
}
