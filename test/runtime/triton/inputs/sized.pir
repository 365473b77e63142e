{
    (%0) = "pd_op.data" () {dtype:complex64,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xc64>
    (%1) = "pd_op.abs" (%0) {stop_gradient:[true]} : (tensor<2xc64>) -> tensor<2xf32>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"y"} : (tensor<2xf32>) -> tensor<2xf32>
}
