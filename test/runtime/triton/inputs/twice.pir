{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4],stop_gradient:[true]} : () -> tensor<-1x4xf32>
    (%1) = "builtin.combine" (%0, %0) {} : (tensor<-1x4xf32>, tensor<-1x4xf32>) -> vec[tensor<-1x4xf32>,tensor<-1x4xf32>]
    (%2) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%3) = "pd_op.concat" (%1, %2) {} : (vec[tensor<-1x4xf32>,tensor<-1x4xf32>], tensor<1xi32>) -> tensor<-1x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"y"} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
}
