{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1]} : () -> tensor<-1xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[24],value:1.0} : () -> tensor<24xf32>
    (%2) = "pd_op.sinh_grad" (%0, %1) {} : (tensor<-1xf32>, tensor<24xf32>) -> tensor<-1xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"x_grad"} : (tensor<-1xf32>) -> tensor<-1xf32>
}
