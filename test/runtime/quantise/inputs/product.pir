{
    (%0) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:20.0} : () -> tensor<1xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xf32>
    (%3) = "pd_op.arange" (%0, %1, %2) {dtype:float32,place:Place(cpu)} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20xf32>
    (%4) = "pd_op.sin" (%3) {} : (tensor<20xf32>) -> tensor<20xf32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,5]} : () -> tensor<2xi64>
    (%6) = "pd_op.reshape" (%4, %5) {} : (tensor<20xf32>, tensor<2xi64>) -> tensor<4x5xf32>
    (%7) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4]} : () -> tensor<-1x4xf32>
    (%8) = "pd_op.matmul" (%7, %6) {transpose_x:false,transpose_y:false} : (tensor<-1x4xf32>, tensor<4x5xf32>) -> tensor<-1x5xf32>
    (%9) = "pd_op.fetch" (%8) {col:0,name:"out"} : (tensor<-1x5xf32>) -> tensor<-1x5xf32>
}
