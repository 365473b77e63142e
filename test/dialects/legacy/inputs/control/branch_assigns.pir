{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",persistable:[false],place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.full" () {dtype:float32,persistable:[false],place:Place(undefined:0),shape:[2,3],stop_gradient:[true],value:7} : () -> tensor<2x3xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%3) = "pd_op.mean" (%0, %2) {keepdim:false,persistable:[false],stop_gradient:[true]} : (tensor<2x3xf32>, tensor<0xi64>) -> tensor<f32>
    (%4) = "pd_op.full" () {dtype:float32,persistable:[false],place:Place(undefined:0),shape:[],stop_gradient:[true],value:0} : () -> tensor<f32>
    (%5) = "pd_op.greater_than" (%3, %4) {persistable:[false],stop_gradient:[true]} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%6) = "pd_op.if" (%5) {fake_false_branch:true,persistable:[false],stop_gradient:[true]} -> tensor<2x3xf32> {
        (%7) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:2} : () -> tensor<1xf32>
        (%8) = "pd_op.scale" (%0, %7) {bias:0,bias_after_scale:true} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
        (%9) = "pd_op.assign_out_" (%8, %1) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%9) {} : (tensor<2x3xf32>) -> 
    } else {
        () = "cf.yield" (%1) {} : (tensor<2x3xf32>) -> 
    }
    (%10) = "pd_op.fetch" (%6) {col:0,name:"fill_constant_1.tmp_0"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
