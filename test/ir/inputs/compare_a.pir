{
    (%0) = "builtin.parameter" () {parameter_name:"w",persistable:[true],stop_gradient:[false]} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"v",persistable:[true],stop_gradient:[false]} : () -> tensor<4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4],stop_gradient:[true]} : () -> tensor<4xf32>
    (%3) = "pd_op.subtract" (%2, %0) {stop_gradient:[false]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    (%4) = "pd_op.add" (%2, %1) {stop_gradient:[false],struct_name:"/a/"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    (%5) = "pd_op.divide" (%3, %4) {stop_gradient:[false]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"out"} : (tensor<4xf32>) -> tensor<4xf32>
}
