{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",persistable:[false],place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "builtin.parameter" () {parameter_name:"fc_0.w_0",persistable:[true],stop_gradient:[false]} : () -> tensor<3x3xf32>
    (%2) = "builtin.parameter" () {parameter_name:"fc_0.b_0",persistable:[true],stop_gradient:[false]} : () -> tensor<3xf32>
    (%3) = "builtin.parameter" () {parameter_name:"learning_rate_0",persistable:[true],stop_gradient:[true]} : () -> tensor<f32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,3]} : () -> tensor<2xi64>
    (%5) = "pd_op.reshape" (%0, %4) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    (%6) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[3,3]} : () -> tensor<2xi64>
    (%7) = "pd_op.reshape" (%1, %6) {stop_gradient:[true]} : (tensor<3x3xf32>, tensor<2xi64>) -> tensor<3x3xf32>
    (%8) = "pd_op.matmul" (%5, %7) {persistable:[false],stop_gradient:[false],transpose_x:false,transpose_y:false} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
    (%9) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,3]} : () -> tensor<2xi64>
    (%10) = "pd_op.reshape" (%8, %9) {persistable:[false],stop_gradient:[false]} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    (%11) = "pd_op.add" (%10, %2) {persistable:[false],stop_gradient:[false]} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    (%12) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%13) = "pd_op.mean" (%0, %12) {keepdim:false,persistable:[false],stop_gradient:[true]} : (tensor<2x3xf32>, tensor<0xi64>) -> tensor<f32>
    (%14) = "pd_op.full" () {dtype:float32,persistable:[false],place:Place(undefined:0),shape:[],stop_gradient:[true],value:0} : () -> tensor<f32>
    (%15) = "pd_op.greater_than" (%13, %14) {persistable:[false],stop_gradient:[true]} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%stack_0, %inlet_0, %outlet_0) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    (%16) = "pd_op.if" (%15) {fake_false_branch:true,persistable:[false],stop_gradient:[false]} -> tensor<2x3xf32> {
        (%17) = "pd_op.relu" (%11) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        (%18) = "pd_op.multiply" (%17, %11) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
        (%19) = "pd_op.tanh" (%18) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        (%20) = "pd_op.multiply" (%19, %17) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
        (%21) = "pd_op.multiply" (%20, %11) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
        (%22) = "pd_op.add" (%21, %19) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
        (%23) = "pd_op.assign" (%22) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.tuple_push" (%inlet_0, %21, %19, %20, %19, %17, %19, %17, %17) {} : (cf.inlet, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> 
        () = "cf.yield" (%23) {} : (tensor<2x3xf32>) -> 
    } else {
        (%24) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,3],stop_gradient:[true],value:0} : () -> tensor<2x3xf32>
        () = "cf.yield" (%24) {} : (tensor<2x3xf32>) -> 
    }
    (%25) = "pd_op.logical_not" (%15) {persistable:[false],stop_gradient:[true]} : (tensor<b>) -> tensor<b>
    (%stack_1, %inlet_1, %outlet_1) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    (%26) = "pd_op.if" (%25) {fake_false_branch:true,persistable:[false],stop_gradient:[false]} -> tensor<2x3xf32> {
        (%27) = "pd_op.sigmoid" (%11) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        (%28) = "pd_op.assign" (%27) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.tuple_push" (%inlet_1, %27) {} : (cf.inlet, tensor<2x3xf32>) -> 
        () = "cf.yield" (%28) {} : (tensor<2x3xf32>) -> 
    } else {
        (%29) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,3],stop_gradient:[true],value:0} : () -> tensor<2x3xf32>
        () = "cf.yield" (%29) {} : (tensor<2x3xf32>) -> 
    }
    (%30) = "pd_op.cast" (%15) {dtype:int32,mkldnn_data_type:"float32",onednn_data_type:"",persistable:[false],stop_gradient:[true]} : (tensor<b>) -> tensor<i32>
    (%31) = "pd_op.select_input" (%30, %26, %16) {persistable:[false],stop_gradient:[false]} : (tensor<i32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%32) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%33) = "pd_op.mean" (%31, %32) {keepdim:false,persistable:[false],stop_gradient:[false]} : (tensor<2x3xf32>, tensor<0xi64>) -> tensor<f32>
    (%34) = "pd_op.full" () {dtype:float32,persistable:[false],place:Place(undefined:0),shape:[],stop_gradient:[false],value:1} : () -> tensor<f32>
    (%35) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%36) = "pd_op.mean_grad" (%31, %34, %35) {keepdim:false,persistable:[false],reduce_all:true,stop_gradient:[false]} : (tensor<2x3xf32>, tensor<f32>, tensor<0xi64>) -> tensor<2x3xf32>
    (%37, %38) = "pd_op.select_output" (%30, %36) {persistable:[false,false],stop_gradient:[false,false]} : (tensor<i32>, tensor<2x3xf32>) -> tensor<2x3xf32>, tensor<2x3xf32>
    (%39) = "pd_op.if" (%25) {fake_false_branch:true,persistable:[false],stop_gradient:[false]} -> tensor<2x3xf32> {
        (%40) = "cf.tuple_pop" (%outlet_1) {} : (cf.outlet) -> tensor<2x3xf32>
        (%41) = "pd_op.assign" (%37) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        (%42) = "pd_op.sigmoid_grad" (%40, %41) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%42) {} : (tensor<2x3xf32>) -> 
    } else {
        (%43) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,3],stop_gradient:[true],value:0} : () -> tensor<2x3xf32>
        () = "cf.yield" (%43) {} : (tensor<2x3xf32>) -> 
    }
    (%44) = "pd_op.if" (%15) {fake_false_branch:true,persistable:[false],stop_gradient:[false]} -> tensor<2x3xf32> {
        (%45, %46, %47, %48, %49, %50, %51, %52) = "cf.tuple_pop" (%outlet_0) {} : (cf.outlet) -> tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
        (%53) = "pd_op.assign" (%38) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        (%54, %55) = "pd_op.add_grad" (%45, %50, %53) {axis:-1} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, tensor<2x3xf32>
        (%56, %57) = "pd_op.multiply_grad" (%47, %11, %54) {axis:-1} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, tensor<2x3xf32>
        (%58, %59) = "pd_op.multiply_grad" (%50, %52, %56) {axis:-1} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, tensor<2x3xf32>
        (%60) = "builtin.combine" (%55, %58) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> vec[tensor<2x3xf32>,tensor<2x3xf32>]
        (%61) = "pd_op.add_n" (%60) {} : (vec[tensor<2x3xf32>,tensor<2x3xf32>]) -> tensor<2x3xf32>
        (%62) = "pd_op.tanh_grad" (%50, %61) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
        (%63, %64) = "pd_op.multiply_grad" (%52, %11, %62) {axis:-1} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, tensor<2x3xf32>
        (%65) = "builtin.combine" (%59, %63) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> vec[tensor<2x3xf32>,tensor<2x3xf32>]
        (%66) = "pd_op.add_n" (%65) {} : (vec[tensor<2x3xf32>,tensor<2x3xf32>]) -> tensor<2x3xf32>
        (%67) = "pd_op.relu_grad" (%52, %66) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
        (%68) = "builtin.combine" (%57, %64, %67) {} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> vec[tensor<2x3xf32>,tensor<2x3xf32>,tensor<2x3xf32>]
        (%69) = "pd_op.add_n" (%68) {} : (vec[tensor<2x3xf32>,tensor<2x3xf32>,tensor<2x3xf32>]) -> tensor<2x3xf32>
        () = "cf.yield" (%69) {} : (tensor<2x3xf32>) -> 
    } else {
        (%70) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,3],stop_gradient:[true],value:0} : () -> tensor<2x3xf32>
        () = "cf.yield" (%70) {} : (tensor<2x3xf32>) -> 
    }
    (%71) = "builtin.combine" (%39, %44) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> vec[tensor<2x3xf32>,tensor<2x3xf32>]
    (%72) = "pd_op.add_n" (%71) {persistable:[false],stop_gradient:[false]} : (vec[tensor<2x3xf32>,tensor<2x3xf32>]) -> tensor<2x3xf32>
    (%73, %74) = "pd_op.add_grad" (%10, %2, %72) {axis:1,persistable:[false,false],stop_gradient:[false,false]} : (tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, tensor<3xf32>
    (%75) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,3]} : () -> tensor<2xi64>
    (%76) = "pd_op.reshape" (%0, %75) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    (%77) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[3,3]} : () -> tensor<2xi64>
    (%78) = "pd_op.reshape" (%1, %77) {stop_gradient:[true]} : (tensor<3x3xf32>, tensor<2xi64>) -> tensor<3x3xf32>
    (%79) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,3]} : () -> tensor<2xi64>
    (%80) = "pd_op.reshape" (%73, %79) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
    (%81, %82) = "pd_op.matmul_grad" (%76, %78, %80) {persistable:[false,false],stop_gradient:[false,false],transpose_x:false,transpose_y:false} : (tensor<2x3xf32>, tensor<3x3xf32>, tensor<2x3xf32>) -> <<NULL TYPE>>, tensor<3x3xf32>
    (%83) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[3,3]} : () -> tensor<2xi64>
    (%84) = "pd_op.reshape" (%82, %83) {persistable:[false],stop_gradient:[false]} : (tensor<3x3xf32>, tensor<2xi64>) -> tensor<3x3xf32>
    (%85, %86) = "pd_op.sgd_" (%2, %3, %74, <<NULL VALUE>>) {multi_precision:false,persistable:[true,false],stop_gradient:[false,false]} : (tensor<3xf32>, tensor<f32>, tensor<3xf32>, <<NULL TYPE>>) -> tensor<3xf32>, <<NULL TYPE>>
    (%87, %88) = "pd_op.sgd_" (%1, %3, %84, <<NULL VALUE>>) {multi_precision:false,persistable:[true,false],stop_gradient:[false,false]} : (tensor<3x3xf32>, tensor<f32>, tensor<3x3xf32>, <<NULL TYPE>>) -> tensor<3x3xf32>, <<NULL TYPE>>
    (%89) = "pd_op.fetch" (%33) {col:0,name:"mean_1.tmp_0"} : (tensor<f32>) -> tensor<f32>
}
