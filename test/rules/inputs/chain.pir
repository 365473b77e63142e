{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
    (%3) = "pd_op.scale" (%1, %2) {bias:1,bias_after_scale:true} : (tensor<-1x3xf32>, tensor<1xf32>) -> tensor<-1x3xf32>
    (%4) = "pd_op.sigmoid" (%3) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%5) = "pd_op.tanh" (%4) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"y"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
}
