{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,3,5,5]} : () -> tensor<1x3x5x5xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[4,3,3,3]} : () -> tensor<4x3x3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"mean",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[4],value:2} : () -> tensor<4xf32>
    (%4) = "pd_op.conv2d" (%0, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<1x3x5x5xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x3x3xf32>
    (%5, %6, %7, %8, %9, %10) = "pd_op.batch_norm_" (%4, %2, %3, %3, %2) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:true} : (tensor<1x4x3x3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x3x3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<-1xu8>
    (%11) = "pd_op.relu" (%5) {} : (tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
    (%12) = "pd_op.fetch" (%11) {col:0,name:"y"} : (tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
}
