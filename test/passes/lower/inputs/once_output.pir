{
    (%0) = "builtin.parameter" () {parameter_name:"filter"} : () -> tensor<16x8x3x3xf32>
    (%1) = "builtin.parameter" () {parameter_name:"scale"} : () -> tensor<16x1x1x1xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[-1,8,14,14]} : () -> tensor<-1x8x14x14xf32>
    (%4) = "pd_op.multiply" (%0, %1) {} : (tensor<16x8x3x3xf32>, tensor<16x1x1x1xf32>) -> tensor<16x8x3x3xf32>
    (%5) = "pd_op.conv2d" (%2, %4) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x8x14x14xf32>, tensor<16x8x3x3xf32>) -> tensor<-1x16x14x14xf32>
    (%7) = "pd_op.fetch" (%5) {col:0,name:"y"} : (tensor<-1x16x14x14xf32>) -> tensor<-1x16x14x14xf32>
    (%8) = "pd_op.fetch" (%4) {col:1,name:"w"} : (tensor<16x8x3x3xf32>) -> tensor<16x8x3x3xf32>
}
