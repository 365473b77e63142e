{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<1x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[4,8]} : () -> tensor<4x8xf32>
    (%2) = "builtin.combine" (%0, %1) {} : (tensor<1x8xf32>, tensor<4x8xf32>) -> vec[tensor<1x8xf32>,tensor<4x8xf32>]
    (%3) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%4) = "pd_op.concat" (%2, %3) {} : (vec[tensor<1x8xf32>,tensor<4x8xf32>], tensor<1xi32>) -> tensor<5x8xf32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[100000,8]} : () -> tensor<2xi64>
    (%6) = "pd_op.expand" (%0, %5) {} : (tensor<1x8xf32>, tensor<2xi64>) -> tensor<100000x8xf32>
    (%7) = "pd_op.fetch" (%4) {col:0,name:"joined"} : (tensor<5x8xf32>) -> tensor<5x8xf32>
    (%8) = "pd_op.fetch" (%6) {col:1,name:"large"} : (tensor<100000x8xf32>) -> tensor<100000x8xf32>
}
