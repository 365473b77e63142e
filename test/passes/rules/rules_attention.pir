// RUN: pir-opt %s --split-input-file --verify-each --passes=fused_flash_attn | FileCheck %s
// RUN: pir-opt %s --split-input-file --verify-each --passes=fused_dot_product_attention | FileCheck %s --check-prefix=DOT
// RUN: pir-opt %s --split-input-file --verify-each --passes=self_attention_fuse | FileCheck %s --check-prefix=SELF

// A factor of 1 / sqrt(4) behind the product, a mask; queries of another length than keys. Not the op for equal ones.
// CHECK: (%{{[0-9]+}}, {{.*}} = "pd_op.flash_attn" (%0, %1, %2, <<NULL VALUE>>, %3) {causal:false,dropout:0,
// DOT-NOT: fused_dot
// DOT: // -----
{
    (%0) = "pd_op.data" () {dtype:float16,name:"q",place:Place(cpu),shape:[2,6,3,4]} : () -> tensor<2x6x3x4xf16>
    (%1) = "pd_op.data" () {dtype:float16,name:"k",place:Place(cpu),shape:[2,5,3,4]} : () -> tensor<2x5x3x4xf16>
    (%2) = "pd_op.data" () {dtype:float16,name:"v",place:Place(cpu),shape:[2,5,3,4]} : () -> tensor<2x5x3x4xf16>
    (%3) = "pd_op.data" () {dtype:float16,name:"m",place:Place(cpu),shape:[2,1,6,5]} : () -> tensor<2x1x6x5xf16>
    (%4) = "pd_op.transpose" (%0) {perm:[0,2,1,3]} : (tensor<2x6x3x4xf16>) -> tensor<2x3x6x4xf16>
    (%5) = "pd_op.transpose" (%1) {perm:[0,2,1,3]} : (tensor<2x5x3x4xf16>) -> tensor<2x3x5x4xf16>
    (%6) = "pd_op.transpose" (%2) {perm:[0,2,1,3]} : (tensor<2x5x3x4xf16>) -> tensor<2x3x5x4xf16>
    (%7) = "pd_op.matmul" (%4, %5) {transpose_x:false,transpose_y:true} : (tensor<2x3x6x4xf16>, tensor<2x3x5x4xf16>) -> tensor<2x3x6x5xf16>
    (%8) = "pd_op.full" () {dtype:float16,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xf16>
    (%9) = "pd_op.scale" (%7, %8) {bias:0,bias_after_scale:true} : (tensor<2x3x6x5xf16>, tensor<1xf16>) -> tensor<2x3x6x5xf16>
    (%10) = "pd_op.add" (%3, %9) {} : (tensor<2x1x6x5xf16>, tensor<2x3x6x5xf16>) -> tensor<2x3x6x5xf16>
    (%11) = "pd_op.softmax" (%10) {axis:-1} : (tensor<2x3x6x5xf16>) -> tensor<2x3x6x5xf16>
    (%12) = "pd_op.matmul" (%11, %6) {transpose_x:false,transpose_y:false} : (tensor<2x3x6x5xf16>, tensor<2x3x5x4xf16>) -> tensor<2x3x6x4xf16>
    (%13) = "pd_op.transpose" (%12) {perm:[0,2,1,3]} : (tensor<2x3x6x4xf16>) -> tensor<2x6x3x4xf16>
    (%14) = "pd_op.fetch" (%13) {col:0,name:"y"} : (tensor<2x6x3x4xf16>) -> tensor<2x6x3x4xf16>
}

// -----
// Not another factor, which the op could not say; no mask is needed. The op with a factor wants a mask.
// CHECK-NOT: flash_attn
// CHECK: // -----
// DOT-NOT: fused_dot
// DOT: // -----
{
    (%0) = "pd_op.data" () {dtype:float16,name:"q",place:Place(cpu),shape:[2,64,3,4]} : () -> tensor<2x64x3x4xf16>
    (%1) = "pd_op.transpose" (%0) {perm:[0,2,1,3]} : (tensor<2x64x3x4xf16>) -> tensor<2x3x64x4xf16>
    (%2) = "pd_op.full" () {dtype:float16,place:Place(cpu),shape:[1],value:0.25} : () -> tensor<1xf16>
    (%3) = "pd_op.scale" (%1, %2) {bias:0,bias_after_scale:true} : (tensor<2x3x64x4xf16>, tensor<1xf16>) -> tensor<2x3x64x4xf16>
    (%4) = "pd_op.transpose" (%0) {perm:[0,2,1,3]} : (tensor<2x64x3x4xf16>) -> tensor<2x3x64x4xf16>
    (%5) = "pd_op.transpose" (%0) {perm:[0,2,1,3]} : (tensor<2x64x3x4xf16>) -> tensor<2x3x64x4xf16>
    (%6) = "pd_op.matmul" (%3, %4) {transpose_x:false,transpose_y:true} : (tensor<2x3x64x4xf16>, tensor<2x3x64x4xf16>) -> tensor<2x3x64x64xf16>
    (%7) = "pd_op.softmax" (%6) {axis:3} : (tensor<2x3x64x64xf16>) -> tensor<2x3x64x64xf16>
    (%8) = "pd_op.matmul" (%7, %5) {transpose_x:false,transpose_y:false} : (tensor<2x3x64x64xf16>, tensor<2x3x64x4xf16>) -> tensor<2x3x64x4xf16>
    (%9) = "pd_op.transpose" (%8) {perm:[0,2,1,3]} : (tensor<2x3x64x4xf16>) -> tensor<2x64x3x4xf16>
    (%10) = "pd_op.fetch" (%9) {col:0,name:"y"} : (tensor<2x64x3x4xf16>) -> tensor<2x64x3x4xf16>
}

// -----
// No mask, keys turned by an op, softmax in f32; then a product with a mask and any factor.
// CHECK: "pd_op.flash_attn" (%0, %0, %0, <<NULL VALUE>>, <<NULL VALUE>>)
// CHECK: "pd_op.softmax"
// DOT: "pd_op.softmax"
// DOT: "pd_op.fused_dot_product_attention" (%0, %0, %0, %1, <<NULL VALUE>>, <<NULL VALUE>>) {bias_type_str:"post_scale_bias",{{.*}}scaling_factor:0.25
{
    (%0) = "pd_op.data" () {dtype:bfloat16,name:"q",place:Place(cpu),shape:[2,64,3,4]} : () -> tensor<2x64x3x4xbf16>
    (%1) = "pd_op.data" () {dtype:bfloat16,name:"m",place:Place(cpu),shape:[2,1,64,64]} : () -> tensor<2x1x64x64xbf16>
    (%2) = "pd_op.transpose" (%0) {perm:[0,2,1,3]} : (tensor<2x64x3x4xbf16>) -> tensor<2x3x64x4xbf16>
    (%3) = "pd_op.transpose" (%0) {perm:[0,2,1,3]} : (tensor<2x64x3x4xbf16>) -> tensor<2x3x64x4xbf16>
    (%4) = "pd_op.transpose" (%3) {perm:[0,1,3,2]} : (tensor<2x3x64x4xbf16>) -> tensor<2x3x4x64xbf16>
    (%5) = "pd_op.transpose" (%0) {perm:[0,2,1,3]} : (tensor<2x64x3x4xbf16>) -> tensor<2x3x64x4xbf16>
    (%6) = "pd_op.full" () {dtype:bfloat16,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xbf16>
    (%7) = "pd_op.scale" (%2, %6) {bias:0,bias_after_scale:true} : (tensor<2x3x64x4xbf16>, tensor<1xbf16>) -> tensor<2x3x64x4xbf16>
    (%8) = "pd_op.matmul" (%7, %4) {transpose_x:false,transpose_y:false} : (tensor<2x3x64x4xbf16>, tensor<2x3x4x64xbf16>) -> tensor<2x3x64x64xbf16>
    (%9) = "pd_op.cast" (%8) {dtype:float32} : (tensor<2x3x64x64xbf16>) -> tensor<2x3x64x64xf32>
    (%10) = "pd_op.softmax" (%9) {axis:-1} : (tensor<2x3x64x64xf32>) -> tensor<2x3x64x64xf32>
    (%11) = "pd_op.cast" (%10) {dtype:bfloat16} : (tensor<2x3x64x64xf32>) -> tensor<2x3x64x64xbf16>
    (%12) = "pd_op.matmul" (%11, %5) {transpose_x:false,transpose_y:false} : (tensor<2x3x64x64xbf16>, tensor<2x3x64x4xbf16>) -> tensor<2x3x64x4xbf16>
    (%13) = "pd_op.transpose" (%12) {perm:[0,2,1,3]} : (tensor<2x3x64x4xbf16>) -> tensor<2x64x3x4xbf16>
    (%14) = "pd_op.fetch" (%13) {col:0,name:"y"} : (tensor<2x64x3x4xbf16>) -> tensor<2x64x3x4xbf16>
    (%15) = "pd_op.transpose" (%0) {perm:[0,2,1,3]} : (tensor<2x64x3x4xbf16>) -> tensor<2x3x64x4xbf16>
    (%16) = "pd_op.transpose" (%0) {perm:[0,2,1,3]} : (tensor<2x64x3x4xbf16>) -> tensor<2x3x64x4xbf16>
    (%17) = "pd_op.transpose" (%0) {perm:[0,2,1,3]} : (tensor<2x64x3x4xbf16>) -> tensor<2x3x64x4xbf16>
    (%18) = "pd_op.matmul" (%15, %16) {transpose_x:false,transpose_y:true} : (tensor<2x3x64x4xbf16>, tensor<2x3x64x4xbf16>) -> tensor<2x3x64x64xbf16>
    (%19) = "pd_op.full" () {dtype:bfloat16,place:Place(cpu),shape:[1],value:0.25} : () -> tensor<1xbf16>
    (%20) = "pd_op.scale" (%18, %19) {bias:0,bias_after_scale:true} : (tensor<2x3x64x64xbf16>, tensor<1xbf16>) -> tensor<2x3x64x64xbf16>
    (%21) = "pd_op.add" (%20, %1) {} : (tensor<2x3x64x64xbf16>, tensor<2x1x64x64xbf16>) -> tensor<2x3x64x64xbf16>
    (%22) = "pd_op.softmax" (%21) {axis:-1} : (tensor<2x3x64x64xbf16>) -> tensor<2x3x64x64xbf16>
    (%23) = "pd_op.matmul" (%22, %17) {transpose_x:false,transpose_y:false} : (tensor<2x3x64x64xbf16>, tensor<2x3x64x4xbf16>) -> tensor<2x3x64x4xbf16>
    (%24) = "pd_op.transpose" (%23) {perm:[0,2,1,3]} : (tensor<2x3x64x4xbf16>) -> tensor<2x64x3x4xbf16>
    (%25) = "pd_op.fetch" (%24) {col:1,name:"z"} : (tensor<2x64x3x4xbf16>) -> tensor<2x64x3x4xbf16>
}

// -----
// Query, key and value in one tensor: in halves with a mask and a factor; in f32 without either. With a factor not.
// CHECK:      (%[[Q:[0-9]+]]) = "pd_op.slice" (%0, {{.*}} {axes:[2],decrease_axis:[2]
// CHECK:      (%[[K:[0-9]+]]) = "pd_op.slice" (%0,
// CHECK:      (%[[V:[0-9]+]]) = "pd_op.slice" (%0,
// CHECK-NEXT: "pd_op.flash_attn" (%[[Q]], %[[K]], %[[V]], <<NULL VALUE>>, %1)
// SELF:      // -----
// SELF:      // -----
// SELF:      // -----
// SELF-NOT:  "pd_op.self_dp_attention" (%0)
// SELF:      "pd_op.self_dp_attention" (%2) {alpha:1,head_number:2}
// SELF-NOT:  "pd_op.self_dp_attention"
{
    (%0) = "pd_op.data" () {dtype:float16,name:"x",place:Place(cpu),shape:[1,5,3,2,4]} : () -> tensor<1x5x3x2x4xf16>
    (%1) = "pd_op.data" () {dtype:float16,name:"m",place:Place(cpu),shape:[1,1,5,5]} : () -> tensor<1x1x5x5xf16>
    (%2) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[1,5,3,2,4]} : () -> tensor<1x5x3x2x4xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%6) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3]} : () -> tensor<1xi64>
    (%7) = "pd_op.transpose" (%0) {perm:[2,0,3,1,4]} : (tensor<1x5x3x2x4xf16>) -> tensor<3x1x2x5x4xf16>
    (%8) = "pd_op.slice" (%7, %3, %4) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<3x1x2x5x4xf16>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x5x4xf16>
    (%9) = "pd_op.slice" (%7, %4, %5) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<3x1x2x5x4xf16>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x5x4xf16>
    (%10) = "pd_op.slice" (%7, %5, %6) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<3x1x2x5x4xf16>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x5x4xf16>
    (%11) = "pd_op.transpose" (%9) {perm:[0,1,3,2]} : (tensor<1x2x5x4xf16>) -> tensor<1x2x4x5xf16>
    (%12) = "pd_op.matmul" (%8, %11) {transpose_x:false,transpose_y:false} : (tensor<1x2x5x4xf16>, tensor<1x2x4x5xf16>) -> tensor<1x2x5x5xf16>
    (%13) = "pd_op.full" () {dtype:float16,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xf16>
    (%14) = "pd_op.scale" (%12, %13) {bias:0,bias_after_scale:true} : (tensor<1x2x5x5xf16>, tensor<1xf16>) -> tensor<1x2x5x5xf16>
    (%15) = "pd_op.add" (%14, %1) {} : (tensor<1x2x5x5xf16>, tensor<1x1x5x5xf16>) -> tensor<1x2x5x5xf16>
    (%16) = "pd_op.softmax" (%15) {axis:-1} : (tensor<1x2x5x5xf16>) -> tensor<1x2x5x5xf16>
    (%17) = "pd_op.matmul" (%16, %10) {transpose_x:false,transpose_y:false} : (tensor<1x2x5x5xf16>, tensor<1x2x5x4xf16>) -> tensor<1x2x5x4xf16>
    (%18) = "pd_op.transpose" (%17) {perm:[0,2,1,3]} : (tensor<1x2x5x4xf16>) -> tensor<1x5x2x4xf16>
    (%19) = "pd_op.fetch" (%18) {col:0,name:"p"} : (tensor<1x5x2x4xf16>) -> tensor<1x5x2x4xf16>
    (%20) = "pd_op.transpose" (%2) {perm:[2,0,3,1,4]} : (tensor<1x5x3x2x4xf32>) -> tensor<3x1x2x5x4xf32>
    (%21) = "pd_op.slice" (%20, %3, %4) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<3x1x2x5x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x5x4xf32>
    (%22) = "pd_op.slice" (%20, %4, %5) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<3x1x2x5x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x5x4xf32>
    (%23) = "pd_op.slice" (%20, %5, %6) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<3x1x2x5x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x5x4xf32>
    (%24) = "pd_op.transpose" (%22) {perm:[0,1,3,2]} : (tensor<1x2x5x4xf32>) -> tensor<1x2x4x5xf32>
    (%25) = "pd_op.matmul" (%21, %24) {transpose_x:false,transpose_y:false} : (tensor<1x2x5x4xf32>, tensor<1x2x4x5xf32>) -> tensor<1x2x5x5xf32>
    (%26) = "pd_op.softmax" (%25) {axis:-1} : (tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
    (%27) = "pd_op.matmul" (%26, %23) {transpose_x:false,transpose_y:false} : (tensor<1x2x5x5xf32>, tensor<1x2x5x4xf32>) -> tensor<1x2x5x4xf32>
    (%28) = "pd_op.transpose" (%27) {perm:[0,2,1,3]} : (tensor<1x2x5x4xf32>) -> tensor<1x5x2x4xf32>
    (%29) = "pd_op.fetch" (%28) {col:1,name:"q"} : (tensor<1x5x2x4xf32>) -> tensor<1x5x2x4xf32>
}
