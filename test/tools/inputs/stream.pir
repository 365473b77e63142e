{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,4],stop_gradient:[true]} : () -> tensor<2x4xf32>
    (%1) = "pd_op.cos" (%0) {stop_gradient:[true]} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"y"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
}
