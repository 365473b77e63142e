{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",persistable:[false],place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%2) = "pd_op.mean" (%0, %1) {keepdim:false,persistable:[false],stop_gradient:[true]} : (tensor<2x3xf32>, tensor<0xi64>) -> tensor<f32>
    (%3) = "pd_op.full" () {dtype:float32,persistable:[false],place:Place(undefined:0),shape:[],stop_gradient:[true],value:-1} : () -> tensor<f32>
    (%4) = "pd_op.less_than" (%2, %3) {persistable:[false],stop_gradient:[true]} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%5) = "pd_op.full" () {dtype:float32,persistable:[false],place:Place(undefined:0),shape:[],stop_gradient:[true],value:1} : () -> tensor<f32>
    (%6) = "pd_op.less_than" (%2, %5) {persistable:[false],stop_gradient:[true]} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%7) = "pd_op.if" (%4) {fake_false_branch:true,persistable:[false],stop_gradient:[true]} -> tensor<2x3xf32> {
        (%8) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:2} : () -> tensor<1xf32>
        (%9) = "pd_op.scale" (%0, %8) {bias:0,bias_after_scale:true} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
        (%10) = "pd_op.assign" (%9) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%10) {} : (tensor<2x3xf32>) -> 
    } else {
        (%11) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,3],stop_gradient:[true],value:0} : () -> tensor<2x3xf32>
        () = "cf.yield" (%11) {} : (tensor<2x3xf32>) -> 
    }
    (%12) = "pd_op.logical_not" (%4) {persistable:[false],stop_gradient:[true]} : (tensor<b>) -> tensor<b>
    (%13) = "pd_op.if" (%12) {fake_false_branch:true,persistable:[false],stop_gradient:[true]} -> tensor<2x3xf32> {
        (%14) = "pd_op.if" (%6) {fake_false_branch:true} -> tensor<2x3xf32> {
            (%15) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
            (%16) = "pd_op.scale" (%0, %15) {bias:1,bias_after_scale:true} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
            (%17) = "pd_op.assign" (%16) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
            () = "cf.yield" (%17) {} : (tensor<2x3xf32>) -> 
        } else {
            (%18) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,3],stop_gradient:[true],value:0} : () -> tensor<2x3xf32>
            () = "cf.yield" (%18) {} : (tensor<2x3xf32>) -> 
        }
        (%19) = "pd_op.logical_not" (%6) {} : (tensor<b>) -> tensor<b>
        (%20) = "pd_op.if" (%19) {fake_false_branch:true} -> tensor<2x3xf32> {
            (%21) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
            (%22) = "pd_op.scale" (%0, %21) {bias:-5,bias_after_scale:true} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
            (%23) = "pd_op.assign" (%22) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
            () = "cf.yield" (%23) {} : (tensor<2x3xf32>) -> 
        } else {
            (%24) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,3],stop_gradient:[true],value:0} : () -> tensor<2x3xf32>
            () = "cf.yield" (%24) {} : (tensor<2x3xf32>) -> 
        }
        (%25) = "pd_op.cast" (%6) {dtype:int32,mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<b>) -> tensor<i32>
        (%26) = "pd_op.select_input" (%25, %20, %14) {} : (tensor<i32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
        (%27) = "pd_op.assign" (%26) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%27) {} : (tensor<2x3xf32>) -> 
    } else {
        (%28) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,3],stop_gradient:[true],value:0} : () -> tensor<2x3xf32>
        () = "cf.yield" (%28) {} : (tensor<2x3xf32>) -> 
    }
    (%29) = "pd_op.cast" (%4) {dtype:int32,mkldnn_data_type:"float32",onednn_data_type:"",persistable:[false],stop_gradient:[true]} : (tensor<b>) -> tensor<i32>
    (%30) = "pd_op.select_input" (%29, %13, %7) {persistable:[false],stop_gradient:[true]} : (tensor<i32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%31) = "pd_op.fetch" (%30) {col:0,name:"_generated_var_9"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
