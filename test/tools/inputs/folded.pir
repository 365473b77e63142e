{
    (%0) = "builtin.constant" () {persistable:[true],value:"constant_folding@_0"} : () -> tensor<1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4],stop_gradient:[true]} : () -> tensor<-1x4xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:3} : () -> tensor<1xf32>
    (%3) = "pd_op.scale" (%1, %0) {bias:0,bias_after_scale:true,stop_gradient:[true]} : (tensor<-1x4xf32>, tensor<1xf32>) -> tensor<-1x4xf32>
    (%4) = "pd_op.scale" (%3, %2) {bias:0,bias_after_scale:true,stop_gradient:[true]} : (tensor<-1x4xf32>, tensor<1xf32>) -> tensor<-1x4xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"f",persistable:[true],stop_gradient:[true]} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
}
