{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[],stop_gradient:[true]} : () -> tensor<b>
    (%2) = "pd_op.if" (%1) {} -> tensor<2xf32> {
        (%3) = "pd_op.relu" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%3) {} : (tensor<2xf32>) -> 
    } else {
        () = "cf.yield" (%0) {} : (tensor<2xf32>) -> 
    }
    (%4) = "pd_op.relu" (%3) {} : (tensor<2xf32>) -> tensor<2xf32>
}
