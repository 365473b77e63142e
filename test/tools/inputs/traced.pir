{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,-1],stop_gradient:[true]} : () -> tensor<2x-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1,4],stop_gradient:[true]} : () -> tensor<-1x4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(undefined:0),shape:[-1],stop_gradient:[true]} : () -> tensor<-1xf32>
    (%3) = "pd_op.linear_v2" (%0, %1, %2) {transpose_weight:false} : (tensor<2x-1xf32>, tensor<-1x4xf32>, tensor<-1xf32>) -> tensor<2x4xf32>
    () = "builtin.shadow_output" (%3) {output_name:"o"} : (tensor<2x4xf32>) -> 
}
