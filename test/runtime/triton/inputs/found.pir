{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4],stop_gradient:[true]} : () -> tensor<-1x4xf32>
    (%1) = "pd_op.add" (%0, %0) {stop_gradient:[true]} : (tensor<-1x4xf32>, tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%2) = "pd_op.nonzero" (%0) {stop_gradient:[true]} : (tensor<-1x4xf32>) -> tensor<-1x2xi64>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%5) = "pd_op.sum" (%0, %3) {dtype:Undefined,keepdim:true,stop_gradient:[true]} : (tensor<-1x4xf32>, tensor<1xi64>) -> tensor<-1x1xf32>
    (%6) = "pd_op.sum" (%2, %3) {dtype:Undefined,keepdim:false,stop_gradient:[true]} : (tensor<-1x2xi64>, tensor<1xi64>) -> tensor<-1xi64>
    (%7) = "pd_op.unsqueeze" (%6, %4) {stop_gradient:[true]} : (tensor<-1xi64>, tensor<1xi64>) -> tensor<1x-1xi64>
    (%8) = "pd_op.cast" (%7) {dtype:float32,stop_gradient:[true]} : (tensor<1x-1xi64>) -> tensor<1x-1xf32>
    (%9) = "pd_op.add" (%5, %8) {stop_gradient:[true]} : (tensor<-1x1xf32>, tensor<1x-1xf32>) -> tensor<-1x-1xf32>
    (%10) = "pd_op.fetch" (%1) {col:0,name:"doubled"} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%11) = "pd_op.fetch" (%2) {col:1,name:"places"} : (tensor<-1x2xi64>) -> tensor<-1x2xi64>
    (%12) = "pd_op.fetch" (%9) {col:2,name:"wide"} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
}
