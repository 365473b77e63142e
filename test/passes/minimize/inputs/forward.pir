{
    (%0) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"linear_1.b_0",persistable:[true],stop_gradient:[false],trainable:[true]} : () -> tensor<3xf32>
    (%1) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"linear_1.w_0",persistable:[true],stop_gradient:[false],trainable:[true]} : () -> tensor<5x3xf32>
    (%2) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"linear_0.b_0",persistable:[true],stop_gradient:[false],trainable:[true]} : () -> tensor<5xf32>
    (%3) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"linear_0.w_0",persistable:[true],stop_gradient:[false],trainable:[true]} : () -> tensor<6x5xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,6],stop_gradient:[true]} : () -> tensor<-1x6xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1,3],stop_gradient:[true]} : () -> tensor<-1x3xf32>
    (%6) = "pd_op.matmul" (%4, %3) {stop_gradient:[false],struct_name:"/Linear/",transpose_x:false,transpose_y:false} : (tensor<-1x6xf32>, tensor<6x5xf32>) -> tensor<-1x5xf32>
    (%7) = "pd_op.add" (%6, %2) {stop_gradient:[false],struct_name:"/Linear/"} : (tensor<-1x5xf32>, tensor<5xf32>) -> tensor<-1x5xf32>
    (%8) = "pd_op.tanh" (%7) {stop_gradient:[false]} : (tensor<-1x5xf32>) -> tensor<-1x5xf32>
    (%9) = "pd_op.matmul" (%8, %1) {stop_gradient:[false],struct_name:"/Linear_1/",transpose_x:false,transpose_y:false} : (tensor<-1x5xf32>, tensor<5x3xf32>) -> tensor<-1x3xf32>
    (%10) = "pd_op.add" (%9, %0) {stop_gradient:[false],struct_name:"/Linear_1/"} : (tensor<-1x3xf32>, tensor<3xf32>) -> tensor<-1x3xf32>
    (%11) = "pd_op.subtract" (%10, %5) {stop_gradient:[false]} : (tensor<-1x3xf32>, tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%12) = "pd_op.square" (%11) {stop_gradient:[false]} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%13) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%14) = "pd_op.mean" (%12, %13) {keepdim:false,stop_gradient:[false]} : (tensor<-1x3xf32>, tensor<0xi64>) -> tensor<f32>
}
