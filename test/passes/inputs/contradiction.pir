{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4]} : () -> tensor<1xi64>
    (%2) = "pd_op.reshape" (%0, %1) {} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<4xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<4xf32>) -> tensor<4xf32>
}
