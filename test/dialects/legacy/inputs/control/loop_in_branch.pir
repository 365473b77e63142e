{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",persistable:[false],place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%2) = "pd_op.mean" (%0, %1) {keepdim:false,persistable:[false],stop_gradient:[true]} : (tensor<2x3xf32>, tensor<0xi64>) -> tensor<f32>
    (%3) = "pd_op.full" () {dtype:float32,persistable:[false],place:Place(undefined:0),shape:[],stop_gradient:[true],value:0} : () -> tensor<f32>
    (%4) = "pd_op.greater_than" (%2, %3) {persistable:[false],stop_gradient:[true]} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%5, %6) = "pd_op.if" (%4) {fake_false_branch:true,persistable:[false,false],stop_gradient:[true,true]} -> tensor<2x3xf32>, tensor<2x3xf32> {
        (%7) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],value:0} : () -> tensor<1xi64>
        (%8) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[],value:3} : () -> tensor<i64>
        (%9) = "pd_op.less_than" (%7, %8) {} : (tensor<1xi64>, tensor<i64>) -> tensor<1xb>
        (%10, %11) = "pd_op.while" (cond=%9, inputs=%0, %7) { 
        ^%arg_0 {}, %arg_1 {}
            (%12) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
            (%13) = "pd_op.scale" (%arg_1, %12) {bias:1,bias_after_scale:true} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
            (%14) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
            (%15) = "pd_op.scale" (%arg_0, %14) {bias:1,bias_after_scale:true} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
            (%16) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[],value:3} : () -> tensor<i64>
            (%17) = "pd_op.less_than" (%13, %16) {} : (tensor<1xi64>, tensor<i64>) -> tensor<1xb>
            (%18) = "pd_op.assign_out_" (%13, %arg_1) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
            (%19) = "pd_op.assign_out_" (%15, %arg_0) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
            (%20) = "pd_op.assign_out_" (%17, %9) {} : (tensor<1xb>, tensor<1xb>) -> tensor<1xb>
            () = "cf.yield" (%20, %19, %18) {} : (tensor<1xb>, tensor<2x3xf32>, tensor<1xi64>) -> 
        }
        (%21) = "pd_op.assign" (%10) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%21, %10) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> 
    } else {
        (%22) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,3],stop_gradient:[true],value:0} : () -> tensor<2x3xf32>
        () = "cf.yield" (%22, %0) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> 
    }
    (%23) = "pd_op.logical_not" (%4) {persistable:[false],stop_gradient:[true]} : (tensor<b>) -> tensor<b>
    (%24) = "pd_op.if" (%23) {fake_false_branch:true,persistable:[false],stop_gradient:[true]} -> tensor<2x3xf32> {
        (%25) = "pd_op.assign" (%6) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%25) {} : (tensor<2x3xf32>) -> 
    } else {
        (%26) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,3],stop_gradient:[true],value:0} : () -> tensor<2x3xf32>
        () = "cf.yield" (%26) {} : (tensor<2x3xf32>) -> 
    }
    (%27) = "pd_op.cast" (%4) {dtype:int32,mkldnn_data_type:"float32",onednn_data_type:"",persistable:[false],stop_gradient:[true]} : (tensor<b>) -> tensor<i32>
    (%28) = "pd_op.select_input" (%27, %24, %5) {persistable:[false],stop_gradient:[true]} : (tensor<i32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%29) = "pd_op.fetch" (%28) {col:0,name:"_generated_var_5"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
