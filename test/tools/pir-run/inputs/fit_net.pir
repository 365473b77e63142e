{
    (%0) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"w",persistable:[true],stop_gradient:[false],trainable:[true]} : () -> tensor<3x2xf32>
    (%1) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"b",persistable:[true],stop_gradient:[false],trainable:[true]} : () -> tensor<2xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,3],stop_gradient:[true]} : () -> tensor<-1x3xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1,2],stop_gradient:[true]} : () -> tensor<-1x2xf32>
    (%4) = "pd_op.matmul" (%2, %0) {stop_gradient:[false],transpose_x:false,transpose_y:false} : (tensor<-1x3xf32>, tensor<3x2xf32>) -> tensor<-1x2xf32>
    (%5) = "pd_op.add" (%4, %1) {stop_gradient:[false]} : (tensor<-1x2xf32>, tensor<2xf32>) -> tensor<-1x2xf32>
    (%6) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0.25} : () -> tensor<1xf32>
    (%7, %8) = "pd_op.dropout" (%5, <<NULL VALUE>>, %6) {fix_seed:false,is_test:false,mode:"upscale_in_train",seed:0,stop_gradient:[false,true]} : (tensor<-1x2xf32>, <<NULL TYPE>>, tensor<1xf32>) -> tensor<-1x2xf32>, tensor<-1x2xu8>
    (%9) = "pd_op.subtract" (%7, %3) {stop_gradient:[false]} : (tensor<-1x2xf32>, tensor<-1x2xf32>) -> tensor<-1x2xf32>
    (%10) = "pd_op.square" (%9) {stop_gradient:[false]} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
    (%11) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%12) = "pd_op.mean" (%10, %11) {keepdim:false,stop_gradient:[false]} : (tensor<-1x2xf32>, tensor<0xi64>) -> tensor<f32>
    (%13) = "pd_op.fetch" (%12) {col:0,name:"fetch0",persistable:[true],stop_gradient:[false]} : (tensor<f32>) -> tensor<f32>
    (%14) = "pd_op.fetch" (%5) {col:1,name:"fetch1",persistable:[true],stop_gradient:[false]} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
}
