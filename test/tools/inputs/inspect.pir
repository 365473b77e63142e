{
    (%0) = "builtin.parameter" () {parameter_name:"w",persistable:[true],stop_gradient:[false]} : () -> builtin.tensor<4x8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"b \"2\"",persistable:[true],stop_gradient:[false]} : () -> builtin.tensor<8xf16>
    (%2) = "pd_op.data" () {dtype:(pd_op.DataType)float32,name:"x",place:(pd_op.Place)Place(undefined:0),shape:(pd_op.IntArray)[-1,4],stop_gradient:[true]} : () -> builtin.tensor<-1x4xf32>
    (%3) = "pd_op.data" () {dtype:(pd_op.DataType)bool,name:"c",place:(pd_op.Place)Place(undefined:0),shape:(pd_op.IntArray)[],stop_gradient:[true]} : () -> builtin.tensor<b>
    (%4) = "pd_op.matmul" (%2, %0) {stop_gradient:[false],transpose_x:false,transpose_y:false} : (builtin.tensor<-1x4xf32>, builtin.tensor<4x8xf32>) -> builtin.tensor<-1x8xf32>
    (%5) = "pd_op.if" (%3) {stop_gradient:[false]} -> builtin.tensor<-1x8xf32> {
        (%6) = "pd_op.full" () {dtype:(pd_op.DataType)float32,place:(pd_op.Place)Place(cpu),shape:(pd_op.IntArray)[1],stop_gradient:[true],value:(Double)0.5} : () -> builtin.tensor<1xf32>
        (%7) = "pd_op.scale" (%4, %6) {bias:(Float)0,bias_after_scale:true,stop_gradient:[false]} : (builtin.tensor<-1x8xf32>, builtin.tensor<1xf32>) -> builtin.tensor<-1x8xf32>
        () = "cf.yield" (%7) {} : (builtin.tensor<-1x8xf32>) -> 
    } else {
        (%8) = "my_op.secret" (%4, %4) {} : (builtin.tensor<-1x8xf32>, builtin.tensor<-1x8xf32>) -> builtin.tensor<-1x8xf32>
        () = "cf.yield" (%8) {} : (builtin.tensor<-1x8xf32>) -> 
    }
    (%9) = "pd_op.cast" (%1) {dtype:(pd_op.DataType)float32,stop_gradient:[true]} : (builtin.tensor<8xf16>) -> builtin.tensor<8xf32>
    (%10) = "pd_op.fetch" (%5) {col:(Int32)0,name:"\"quoted\"",persistable:[true],stop_gradient:[false]} : (builtin.tensor<-1x8xf32>) -> builtin.tensor<-1x8xf32>
}
