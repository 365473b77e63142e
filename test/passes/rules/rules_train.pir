// Fusions of positions and gradients: each fires once and is refused once.
// RUN: pir-opt %s --split-input-file --verify-each --passes=fused_rotary_position_embedding,fused_linear_param_grad_add,fused_gemm_epilogue | FileCheck %s
// RUN: pir-opt %s --split-input-file --passes=fused_rotary_position_embedding,fused_linear_param_grad_add,fused_gemm_epilogue --verify-numerics

// Query and key, turned.
// CHECK: (%5, %6, %7) = "pd_op.fused_rotary_position_embedding" (%0, %1, <<NULL VALUE>>, %3, %2, %4) {rotary_emb_base:10000,time_major:false,use_neox_rotary_style:false}
// CHECK-NEXT: "pd_op.fetch" (%5)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[2,8,4,16]} : () -> tensor<2x8x4x16xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[2,8,4,16]} : () -> tensor<2x8x4x16xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"cos",place:Place(undefined:0),shape:[1,8,1,16]} : () -> tensor<1x8x1x16xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"sin",place:Place(undefined:0),shape:[1,8,1,16]} : () -> tensor<1x8x1x16xf32>
    (%4) = "pd_op.data" () {dtype:int64,name:"pos",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xi64>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,2]} : () -> tensor<2xi64>
    (%6) = "pd_op.squeeze" (%2, %5) {} : (tensor<1x8x1x16xf32>, tensor<2xi64>) -> tensor<8x16xf32>
    (%7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%8) = "pd_op.unsqueeze" (%4, %7) {} : (tensor<2x8xi64>, tensor<1xi64>) -> tensor<2x8x1xi64>
    (%9) = "pd_op.gather_nd" (%6, %8) {} : (tensor<8x16xf32>, tensor<2x8x1xi64>) -> tensor<2x8x16xf32>
    (%10) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%11) = "pd_op.unsqueeze" (%9, %10) {} : (tensor<2x8x16xf32>, tensor<1xi64>) -> tensor<2x8x1x16xf32>
    (%12) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,2]} : () -> tensor<2xi64>
    (%13) = "pd_op.squeeze" (%3, %12) {} : (tensor<1x8x1x16xf32>, tensor<2xi64>) -> tensor<8x16xf32>
    (%14) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%15) = "pd_op.unsqueeze" (%4, %14) {} : (tensor<2x8xi64>, tensor<1xi64>) -> tensor<2x8x1xi64>
    (%16) = "pd_op.gather_nd" (%13, %15) {} : (tensor<8x16xf32>, tensor<2x8x1xi64>) -> tensor<2x8x16xf32>
    (%17) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%18) = "pd_op.unsqueeze" (%16, %17) {} : (tensor<2x8x16xf32>, tensor<1xi64>) -> tensor<2x8x1x16xf32>
    (%19) = "pd_op.multiply" (%0, %11) {} : (tensor<2x8x4x16xf32>, tensor<2x8x1x16xf32>) -> tensor<2x8x4x16xf32>
    (%20) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%21) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[8]} : () -> tensor<1xi64>
    (%22) = "pd_op.slice" (%0, %20, %21) {axes:[3],decrease_axis:[],infer_flags:[1]} : (tensor<2x8x4x16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x8x4x8xf32>
    (%23) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[8]} : () -> tensor<1xi64>
    (%24) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2147483647]} : () -> tensor<1xi64>
    (%25) = "pd_op.slice" (%0, %23, %24) {axes:[3],decrease_axis:[],infer_flags:[1]} : (tensor<2x8x4x16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x8x4x8xf32>
    (%26) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xf32>
    (%27) = "pd_op.scale" (%25, %26) {bias:0,bias_after_scale:true} : (tensor<2x8x4x8xf32>, tensor<1xf32>) -> tensor<2x8x4x8xf32>
    (%28) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xi32>
    (%29) = "builtin.combine" (%27, %22) {} : (tensor<2x8x4x8xf32>, tensor<2x8x4x8xf32>) -> vec[tensor<2x8x4x8xf32>,tensor<2x8x4x8xf32>]
    (%30) = "pd_op.concat" (%29, %28) {} : (vec[tensor<2x8x4x8xf32>,tensor<2x8x4x8xf32>], tensor<1xi32>) -> tensor<2x8x4x16xf32>
    (%31) = "pd_op.multiply" (%30, %18) {} : (tensor<2x8x4x16xf32>, tensor<2x8x1x16xf32>) -> tensor<2x8x4x16xf32>
    (%32) = "pd_op.add" (%19, %31) {} : (tensor<2x8x4x16xf32>, tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32>
    (%33) = "pd_op.multiply" (%1, %11) {} : (tensor<2x8x4x16xf32>, tensor<2x8x1x16xf32>) -> tensor<2x8x4x16xf32>
    (%34) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%35) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[8]} : () -> tensor<1xi64>
    (%36) = "pd_op.slice" (%1, %34, %35) {axes:[3],decrease_axis:[],infer_flags:[1]} : (tensor<2x8x4x16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x8x4x8xf32>
    (%37) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[8]} : () -> tensor<1xi64>
    (%38) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2147483647]} : () -> tensor<1xi64>
    (%39) = "pd_op.slice" (%1, %37, %38) {axes:[3],decrease_axis:[],infer_flags:[1]} : (tensor<2x8x4x16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x8x4x8xf32>
    (%40) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xf32>
    (%41) = "pd_op.scale" (%39, %40) {bias:0,bias_after_scale:true} : (tensor<2x8x4x8xf32>, tensor<1xf32>) -> tensor<2x8x4x8xf32>
    (%42) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xi32>
    (%43) = "builtin.combine" (%41, %36) {} : (tensor<2x8x4x8xf32>, tensor<2x8x4x8xf32>) -> vec[tensor<2x8x4x8xf32>,tensor<2x8x4x8xf32>]
    (%44) = "pd_op.concat" (%43, %42) {} : (vec[tensor<2x8x4x8xf32>,tensor<2x8x4x8xf32>], tensor<1xi32>) -> tensor<2x8x4x16xf32>
    (%45) = "pd_op.multiply" (%44, %18) {} : (tensor<2x8x4x16xf32>, tensor<2x8x1x16xf32>) -> tensor<2x8x4x16xf32>
    (%46) = "pd_op.add" (%33, %45) {} : (tensor<2x8x4x16xf32>, tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32>
    (%47) = "pd_op.fetch" (%32) {col:0,name:"fetch0"} : (tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32>
}

// -----
// The sum is read by its old name, which the fused op would not change.
// CHECK-NOT: "pd_op.fused_linear_param_grad_add"
// CHECK: "pd_op.add_"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"dy",place:Place(undefined:0),shape:[3,5]} : () -> tensor<3x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"dw",place:Place(undefined:0),shape:[4,5]} : () -> tensor<4x5xf32>
    (%3) = "pd_op.matmul" (%0, %1) {transpose_x:true,transpose_y:false} : (tensor<3x4xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
    (%4) = "pd_op.add_" (%2, %3) {} : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    (%5) = "pd_op.fetch" (%2) {col:0,name:"fetch0"} : (tensor<4x5xf32>) -> tensor<4x5xf32>
}

// -----
// Product and bias.
// CHECK: "pd_op.fused_gemm_epilogue" (%2, %1, %0) {activation:"none",trans_x:false,trans_y:false}
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%3) = "pd_op.matmul" (%2, %1) {transpose_x:false,transpose_y:false} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    (%4) = "pd_op.add" (%3, %0) {} : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}

// -----
// The product is read elsewhere.
// CHECK-NOT: "pd_op.fused_gemm_epilogue"
// CHECK: "pd_op.matmul"
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%3) = "pd_op.matmul" (%2, %1) {transpose_x:false,transpose_y:false} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    (%4) = "pd_op.add" (%3, %0) {} : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
    (%5) = "pd_op.exp" (%3) {} : (tensor<3x5xf32>) -> tensor<3x5xf32>
    (%6) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
    (%7) = "pd_op.fetch" (%5) {col:1,name:"fetch1"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}

// -----
// A sum that is a new value.
// CHECK: (%3, %4) = "pd_op.fused_linear_param_grad_add" (%0, %1, %2, <<NULL VALUE>>) {has_bias:false,multi_precision:false}
// CHECK-NEXT: "pd_op.fetch" (%3)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"g",place:Place(undefined:0),shape:[3,5]} : () -> tensor<3x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"s",place:Place(undefined:0),shape:[4,5]} : () -> tensor<4x5xf32>
    (%3) = "pd_op.matmul" (%0, %1) {transpose_x:true,transpose_y:false} : (tensor<3x4xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
    (%4) = "pd_op.add" (%2, %3) {} : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"y"} : (tensor<4x5xf32>) -> tensor<4x5xf32>
}

// -----
// Halves that are not halves.
// CHECK-NOT: "pd_op.fused_rotary_position_embedding"
// CHECK: "pd_op.gather_nd"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[2,8,4,16]} : () -> tensor<2x8x4x16xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[2,8,4,16]} : () -> tensor<2x8x4x16xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"cos",place:Place(undefined:0),shape:[1,8,1,16]} : () -> tensor<1x8x1x16xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"sin",place:Place(undefined:0),shape:[1,8,1,16]} : () -> tensor<1x8x1x16xf32>
    (%4) = "pd_op.data" () {dtype:int64,name:"pos",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xi64>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,2]} : () -> tensor<2xi64>
    (%6) = "pd_op.squeeze" (%2, %5) {} : (tensor<1x8x1x16xf32>, tensor<2xi64>) -> tensor<8x16xf32>
    (%7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%8) = "pd_op.unsqueeze" (%4, %7) {} : (tensor<2x8xi64>, tensor<1xi64>) -> tensor<2x8x1xi64>
    (%9) = "pd_op.gather_nd" (%6, %8) {} : (tensor<8x16xf32>, tensor<2x8x1xi64>) -> tensor<2x8x16xf32>
    (%10) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%11) = "pd_op.unsqueeze" (%9, %10) {} : (tensor<2x8x16xf32>, tensor<1xi64>) -> tensor<2x8x1x16xf32>
    (%12) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,2]} : () -> tensor<2xi64>
    (%13) = "pd_op.squeeze" (%3, %12) {} : (tensor<1x8x1x16xf32>, tensor<2xi64>) -> tensor<8x16xf32>
    (%14) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%15) = "pd_op.unsqueeze" (%4, %14) {} : (tensor<2x8xi64>, tensor<1xi64>) -> tensor<2x8x1xi64>
    (%16) = "pd_op.gather_nd" (%13, %15) {} : (tensor<8x16xf32>, tensor<2x8x1xi64>) -> tensor<2x8x16xf32>
    (%17) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%18) = "pd_op.unsqueeze" (%16, %17) {} : (tensor<2x8x16xf32>, tensor<1xi64>) -> tensor<2x8x1x16xf32>
    (%19) = "pd_op.multiply" (%0, %11) {} : (tensor<2x8x4x16xf32>, tensor<2x8x1x16xf32>) -> tensor<2x8x4x16xf32>
    (%20) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%21) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4]} : () -> tensor<1xi64>
    (%22) = "pd_op.slice" (%0, %20, %21) {axes:[3],decrease_axis:[],infer_flags:[1]} : (tensor<2x8x4x16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x8x4x8xf32>
    (%23) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4]} : () -> tensor<1xi64>
    (%24) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2147483647]} : () -> tensor<1xi64>
    (%25) = "pd_op.slice" (%0, %23, %24) {axes:[3],decrease_axis:[],infer_flags:[1]} : (tensor<2x8x4x16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x8x4x8xf32>
    (%26) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xf32>
    (%27) = "pd_op.scale" (%25, %26) {bias:0,bias_after_scale:true} : (tensor<2x8x4x8xf32>, tensor<1xf32>) -> tensor<2x8x4x8xf32>
    (%28) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xi32>
    (%29) = "builtin.combine" (%27, %22) {} : (tensor<2x8x4x8xf32>, tensor<2x8x4x8xf32>) -> vec[tensor<2x8x4x8xf32>,tensor<2x8x4x8xf32>]
    (%30) = "pd_op.concat" (%29, %28) {} : (vec[tensor<2x8x4x8xf32>,tensor<2x8x4x8xf32>], tensor<1xi32>) -> tensor<2x8x4x16xf32>
    (%31) = "pd_op.multiply" (%30, %18) {} : (tensor<2x8x4x16xf32>, tensor<2x8x1x16xf32>) -> tensor<2x8x4x16xf32>
    (%32) = "pd_op.add" (%19, %31) {} : (tensor<2x8x4x16xf32>, tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32>
    (%33) = "pd_op.multiply" (%1, %11) {} : (tensor<2x8x4x16xf32>, tensor<2x8x1x16xf32>) -> tensor<2x8x4x16xf32>
    (%34) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%35) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4]} : () -> tensor<1xi64>
    (%36) = "pd_op.slice" (%1, %34, %35) {axes:[3],decrease_axis:[],infer_flags:[1]} : (tensor<2x8x4x16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x8x4x8xf32>
    (%37) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4]} : () -> tensor<1xi64>
    (%38) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2147483647]} : () -> tensor<1xi64>
    (%39) = "pd_op.slice" (%1, %37, %38) {axes:[3],decrease_axis:[],infer_flags:[1]} : (tensor<2x8x4x16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x8x4x8xf32>
    (%40) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xf32>
    (%41) = "pd_op.scale" (%39, %40) {bias:0,bias_after_scale:true} : (tensor<2x8x4x8xf32>, tensor<1xf32>) -> tensor<2x8x4x8xf32>
    (%42) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xi32>
    (%43) = "builtin.combine" (%41, %36) {} : (tensor<2x8x4x8xf32>, tensor<2x8x4x8xf32>) -> vec[tensor<2x8x4x8xf32>,tensor<2x8x4x8xf32>]
    (%44) = "pd_op.concat" (%43, %42) {} : (vec[tensor<2x8x4x8xf32>,tensor<2x8x4x8xf32>], tensor<1xi32>) -> tensor<2x8x4x16xf32>
    (%45) = "pd_op.multiply" (%44, %18) {} : (tensor<2x8x4x16xf32>, tensor<2x8x1x16xf32>) -> tensor<2x8x4x16xf32>
    (%46) = "pd_op.add" (%33, %45) {} : (tensor<2x8x4x16xf32>, tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32>
    (%47) = "pd_op.fetch" (%32) {col:0,name:"fetch0"} : (tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32>
}

// -----
// The gradients of product and bias, and then product and bias, which nothing else reads any more. Rows of any rank.
// CHECK:      "pd_op.fused_gemm_epilogue" (%0, %1, %2) {activation:"none",trans_x:false,trans_y:false}
// CHECK-NEXT: "pd_op.fetch"
// CHECK-NEXT: (%[[X:[0-9]+]], %[[W:[0-9]+]], %[[B:[0-9]+]]) = "pd_op.fused_gemm_epilogue_grad" (%0, %1, <<NULL VALUE>>, %3) {activation_grad:"none",trans_x:false,trans_y:false}
// CHECK-NEXT: "pd_op.fetch" (%[[X]])
// CHECK-NEXT: "pd_op.fetch" (%[[W]])
// CHECK-NEXT: "pd_op.fetch" (%[[B]])
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(cpu),shape:[4,5]} : () -> tensor<4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[5]} : () -> tensor<5xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"d",place:Place(cpu),shape:[2,3,5]} : () -> tensor<2x3x5xf32>
    (%4) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
    (%5) = "pd_op.add" (%4, %2) {} : (tensor<2x3x5xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"y"} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    (%7, %8) = "pd_op.add_grad" (%4, %2, %3) {axis:-1} : (tensor<2x3x5xf32>, tensor<5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>, tensor<5xf32>
    (%9, %10) = "pd_op.matmul_grad" (%0, %1, %7) {transpose_x:false,transpose_y:false} : (tensor<2x3x4xf32>, tensor<4x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x4xf32>, tensor<4x5xf32>
    (%11) = "pd_op.fetch" (%9) {col:1,name:"dx"} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    (%12) = "pd_op.fetch" (%10) {col:2,name:"dw"} : (tensor<4x5xf32>) -> tensor<4x5xf32>
    (%13) = "pd_op.fetch" (%8) {col:3,name:"db"} : (tensor<5xf32>) -> tensor<5xf32>
}

// -----
// The gradient of the product alone is read elsewhere too.
// CHECK-NOT: fused_gemm_epilogue_grad
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[3,4]} : () -> tensor<3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(cpu),shape:[4,5]} : () -> tensor<4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[5]} : () -> tensor<5xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"d",place:Place(cpu),shape:[3,5]} : () -> tensor<3x5xf32>
    (%4) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    (%5, %6) = "pd_op.add_grad" (%4, %2, %3) {axis:-1} : (tensor<3x5xf32>, tensor<5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>, tensor<5xf32>
    (%7, %8) = "pd_op.matmul_grad" (%0, %1, %5) {transpose_x:false,transpose_y:false} : (tensor<3x4xf32>, tensor<4x5xf32>, tensor<3x5xf32>) -> tensor<3x4xf32>, tensor<4x5xf32>
    (%9) = "pd_op.fetch" (%7) {col:0,name:"dx"} : (tensor<3x4xf32>) -> tensor<3x4xf32>
    (%10) = "pd_op.fetch" (%8) {col:1,name:"dw"} : (tensor<4x5xf32>) -> tensor<4x5xf32>
    (%11) = "pd_op.fetch" (%6) {col:2,name:"db"} : (tensor<5xf32>) -> tensor<5xf32>
    (%12) = "pd_op.fetch" (%5) {col:3,name:"dm"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}
