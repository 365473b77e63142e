{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1],stop_gradient:[true]} : () -> tensor<-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"s",place:Place(undefined:0),shape:[],stop_gradient:[true]} : () -> tensor<f32>
    (%2) = "pd_op.multiply" (%0, %1) {stop_gradient:[true]} : (tensor<-1xf32>, tensor<f32>) -> tensor<-1xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%4) = "pd_op.sum" (%2, %3) {dtype:Undefined,keepdim:false,stop_gradient:[true]} : (tensor<-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%5) = "pd_op.fetch" (%2) {col:0,name:"scaled"} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%6) = "pd_op.fetch" (%4) {col:1,name:"total"} : (tensor<f32>) -> tensor<f32>
}
