{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,32]} : () -> tensor<-1x32xf32>
    (%1) = "pd_op.exp" (%0) {} : (tensor<-1x32xf32>) -> tensor<-1x32xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xf32>
    (%4) = "pd_op.scale" (%1, %2) {bias:0,bias_after_scale:true} : (tensor<-1x32xf32>, tensor<1xf32>) -> tensor<-1x32xf32>
    (%5) = "pd_op.scale" (%4, %3) {bias:0,bias_after_scale:true} : (tensor<-1x32xf32>, tensor<1xf32>) -> tensor<-1x32xf32>
    (%6) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf32>
    (%7) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
    (%8) = "pd_op.clip" (%5, %6, %7) {} : (tensor<-1x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<-1x32xf32>
    (%9) = "pd_op.tanh" (%8) {} : (tensor<-1x32xf32>) -> tensor<-1x32xf32>
    (%10) = "pd_op.fetch" (%9) {col:0,name:"y"} : (tensor<-1x32xf32>) -> tensor<-1x32xf32>
    (%11) = "pd_op.square" (%9) {} : (tensor<-1x32xf32>) -> tensor<-1x32xf32>
    (%20) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%12) = "pd_op.mean" (%11, %20) {keepdim:true} : (tensor<-1x32xf32>, tensor<1xi64>) -> tensor<-1x1xf32>
    (%13) = "pd_op.sqrt" (%12) {} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>
    (%14) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%15) = "pd_op.scale" (%13, %14) {bias:1e-05,bias_after_scale:true} : (tensor<-1x1xf32>, tensor<1xf32>) -> tensor<-1x1xf32>
    (%16) = "pd_op.divide" (%9, %15) {} : (tensor<-1x32xf32>, tensor<-1x1xf32>) -> tensor<-1x32xf32>
    (%17) = "pd_op.scale" (%16, %7) {bias:0,bias_after_scale:true} : (tensor<-1x32xf32>, tensor<1xf32>) -> tensor<-1x32xf32>
    (%18) = "pd_op.flip" (%17) {axis:[0]} : (tensor<-1x32xf32>) -> tensor<-1x32xf32>
    (%19) = "pd_op.fetch" (%18) {col:1,name:"n"} : (tensor<-1x32xf32>) -> tensor<-1x32xf32>
}
