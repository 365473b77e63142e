{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4],stop_gradient:[true]} : () -> tensor<-1x4xf32>
    (%1) = "pd_op.matmul" (%0, %0) {transpose_x:false,transpose_y:true} : (tensor<-1x4xf32>, tensor<-1x4xf32>) -> tensor<-1x-1xf32>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"pairs"} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
}
