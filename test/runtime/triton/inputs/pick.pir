{
    (%0) = "pd_op.data" () {dtype:int64,name:"ids",place:Place(undefined:0),shape:[-1,-1],stop_gradient:[true]} : () -> tensor<-1x-1xi64>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[5,4],value:0.5} : () -> tensor<5x4xf32>
    (%2) = "pd_op.embedding" (%0, %1) {padding_idx:-1,sparse:false} : (tensor<-1x-1xi64>, tensor<5x4xf32>) -> tensor<-1x-1x4xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"rows"} : (tensor<-1x-1x4xf32>) -> tensor<-1x-1x4xf32>
}
