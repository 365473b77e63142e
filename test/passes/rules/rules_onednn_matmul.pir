// Fusions for oneDNN around products: each rule fires and is refused.
// RUN: pir-opt %s --split-input-file --verify-each --passes=scale_matmul_fuse,reshape_transpose_matmul_fuse,matmul_transpose_reshape_fuse,matmul_elementwise_add_fuse,matmul_activation_fuse,fc_onednn_enable,fc_activation_fuse | FileCheck %s

// The scales of both operands.
// CHECK-NOT: "pd_op.scale"
// CHECK: "onednn_op.fused_matmul" (%0, %1, <<NULL VALUE>>)
// CHECK: matmul_alpha:1.5
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,5,4]} : () -> tensor<2x5x4xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xf32>
    (%3) = "pd_op.scale" (%0, %2) {bias:0,bias_after_scale:true} : (tensor<2x3x4xf32>, tensor<1xf32>) -> tensor<2x3x4xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:3} : () -> tensor<1xf32>
    (%5) = "pd_op.scale" (%1, %4) {bias:0,bias_after_scale:true} : (tensor<2x5x4xf32>, tensor<1xf32>) -> tensor<2x5x4xf32>
    (%6) = "pd_op.matmul" (%3, %5) {transpose_x:false,transpose_y:true} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"fetch0"} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
}

// -----
// One of y alone.
// CHECK-LABEL: {{^}}// -----
// CHECK: matmul_alpha:3
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,5,4]} : () -> tensor<2x5x4xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:-0.5} : () -> tensor<1xf32>
    (%3) = "pd_op.scale" (%0, %2) {bias:0,bias_after_scale:true} : (tensor<2x3x4xf32>, tensor<1xf32>) -> tensor<2x3x4xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:3} : () -> tensor<1xf32>
    (%5) = "pd_op.scale" (%1, %4) {bias:0,bias_after_scale:true} : (tensor<2x5x4xf32>, tensor<1xf32>) -> tensor<2x5x4xf32>
    (%6) = "pd_op.matmul" (%0, %5) {transpose_x:false,transpose_y:true} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"fetch0"} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
}

// -----
// Not with a bias, below 0, or unknown.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.scale"
// CHECK: "pd_op.matmul"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[4,5]} : () -> tensor<4x5xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xf32>
    (%3) = "pd_op.scale" (%0, %2) {bias:0.1,bias_after_scale:true} : (tensor<3x4xf32>, tensor<1xf32>) -> tensor<3x4xf32>
    (%4) = "pd_op.matmul" (%3, %1) {transpose_x:false,transpose_y:false} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.scale"
// CHECK: "pd_op.matmul"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[4,5]} : () -> tensor<4x5xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:-0.5} : () -> tensor<1xf32>
    (%3) = "pd_op.scale" (%0, %2) {bias:0,bias_after_scale:true} : (tensor<3x4xf32>, tensor<1xf32>) -> tensor<3x4xf32>
    (%4) = "pd_op.matmul" (%3, %1) {transpose_x:false,transpose_y:false} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.scale"
// CHECK: "pd_op.matmul"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"s",place:Place(undefined:0),shape:[1]} : () -> tensor<1xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[4,5]} : () -> tensor<4x5xf32>
    (%3) = "pd_op.scale" (%0, %1) {bias:0,bias_after_scale:true} : (tensor<3x4xf32>, tensor<1xf32>) -> tensor<3x4xf32>
    (%4) = "pd_op.matmul" (%3, %2) {transpose_x:false,transpose_y:false} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}

// -----
// Operands taken apart.
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: "pd_op.reshape"
// CHECK: fused_reshape_x:[0,0,2,3],fused_reshape_y:[2,-1,2,3]
// CHECK: fused_transpose_x:[0,2,1,3],fused_transpose_y:[0,2,1,3]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,4,6]} : () -> tensor<2x4x6xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,4,6]} : () -> tensor<2x4x6xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,0,2,3]} : () -> tensor<4xi64>
    (%3) = "pd_op.reshape" (%0, %2) {} : (tensor<2x4x6xf32>, tensor<4xi64>) -> tensor<2x4x2x3xf32>
    (%4) = "pd_op.transpose" (%3) {perm:[0,2,1,3]} : (tensor<2x4x2x3xf32>) -> tensor<2x2x4x3xf32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,-1,2,3]} : () -> tensor<4xi64>
    (%6) = "pd_op.reshape" (%1, %5) {} : (tensor<2x4x6xf32>, tensor<4xi64>) -> tensor<2x4x2x3xf32>
    (%7) = "pd_op.transpose" (%6) {perm:[0,2,1,3]} : (tensor<2x4x2x3xf32>) -> tensor<2x2x4x3xf32>
    (%8) = "pd_op.matmul" (%4, %7) {transpose_x:false,transpose_y:true} : (tensor<2x2x4x3xf32>, tensor<2x2x4x3xf32>) -> tensor<2x2x4x4xf32>
    (%9) = "pd_op.fetch" (%8) {col:0,name:"fetch0"} : (tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
}

// -----
// y alone.
// CHECK-LABEL: {{^}}// -----
// CHECK: fused_reshape_x:[],fused_reshape_y:[2,-1,2,3]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,4,6]} : () -> tensor<2x4x6xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,4,6]} : () -> tensor<2x4x6xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,2,4,3]} : () -> tensor<4xi64>
    (%3) = "pd_op.reshape" (%0, %2) {} : (tensor<2x4x6xf32>, tensor<4xi64>) -> tensor<2x2x4x3xf32>
    (%4) = "pd_op.transpose" (%3) {perm:[0,2,1,3]} : (tensor<2x2x4x3xf32>) -> tensor<2x4x2x3xf32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,-1,2,3]} : () -> tensor<4xi64>
    (%6) = "pd_op.reshape" (%1, %5) {} : (tensor<2x4x6xf32>, tensor<4xi64>) -> tensor<2x4x2x3xf32>
    (%7) = "pd_op.transpose" (%6) {perm:[0,2,1,3]} : (tensor<2x4x2x3xf32>) -> tensor<2x2x4x3xf32>
    (%8) = "pd_op.matmul" (%3, %7) {transpose_x:false,transpose_y:true} : (tensor<2x2x4x3xf32>, tensor<2x2x4x3xf32>) -> tensor<2x2x4x4xf32>
    (%9) = "pd_op.fetch" (%8) {col:0,name:"fetch0"} : (tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
}

// -----
// Not of rank 5.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.matmul"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,4,6]} : () -> tensor<2x4x6xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[1,2,2,3,5]} : () -> tensor<1x2x2x3x5xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,2,4,2,3]} : () -> tensor<5xi64>
    (%3) = "pd_op.reshape" (%0, %2) {} : (tensor<2x4x6xf32>, tensor<5xi64>) -> tensor<1x2x4x2x3xf32>
    (%4) = "pd_op.transpose" (%3) {perm:[0,1,3,2,4]} : (tensor<1x2x4x2x3xf32>) -> tensor<1x2x2x4x3xf32>
    (%5) = "pd_op.matmul" (%4, %1) {transpose_x:false,transpose_y:false} : (tensor<1x2x2x4x3xf32>, tensor<1x2x2x3x5xf32>) -> tensor<1x2x2x4x5xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<1x2x2x4x5xf32>) -> tensor<1x2x2x4x5xf32>
}

// -----
// Heads put side by side.
// CHECK-LABEL: {{^}}// -----
// CHECK: fused_reshape_out:[2,4,10]
// CHECK: fused_transpose_out:[0,2,1,3]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,2,4,3]} : () -> tensor<2x2x4x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,2,3,5]} : () -> tensor<2x2x3x5xf32>
    (%2) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<2x2x4x3xf32>, tensor<2x2x3x5xf32>) -> tensor<2x2x4x5xf32>
    (%3) = "pd_op.transpose" (%2) {perm:[0,2,1,3]} : (tensor<2x2x4x5xf32>) -> tensor<2x4x2x5xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,4,10]} : () -> tensor<3xi64>
    (%5) = "pd_op.reshape" (%3, %4) {} : (tensor<2x4x2x5xf32>, tensor<3xi64>) -> tensor<2x4x10xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<2x4x10xf32>) -> tensor<2x4x10xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: "pd_op.reshape"
// CHECK: fused_reshape_out:[{{.+}}]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,2,4,3]} : () -> tensor<2x2x4x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,2,3,5]} : () -> tensor<2x2x3x5xf32>
    (%2) = "onednn_op.fused_matmul" (%0, %1, <<NULL VALUE>>) {force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fused_output_scale:1,fused_reshape_out:[],fused_reshape_x:[],fused_reshape_y:[],fused_transpose_out:[],fused_transpose_x:[],fused_transpose_y:[],matmul_alpha:0.5,mkldnn_data_type:"float32",onednn_data_type:"",scale_in_eltwise:0,scale_out:1,scale_x:1,scale_y:1,trans_x:false,trans_y:false} : (tensor<2x2x4x3xf32>, tensor<2x2x3x5xf32>, <<NULL TYPE>>) -> tensor<2x2x4x5xf32>
    (%3) = "pd_op.transpose" (%2) {perm:[0,2,1,3]} : (tensor<2x2x4x5xf32>) -> tensor<2x4x2x5xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,4,10]} : () -> tensor<3xi64>
    (%5) = "pd_op.reshape" (%3, %4) {} : (tensor<2x4x2x5xf32>, tensor<3xi64>) -> tensor<2x4x10xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<2x4x10xf32>) -> tensor<2x4x10xf32>
}

// -----
// Not as a matrix, and not behind a residual.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.matmul"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,2,4,3]} : () -> tensor<2x2x4x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,2,3,5]} : () -> tensor<2x2x3x5xf32>
    (%2) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<2x2x4x3xf32>, tensor<2x2x3x5xf32>) -> tensor<2x2x4x5xf32>
    (%3) = "pd_op.transpose" (%2) {perm:[0,2,1,3]} : (tensor<2x2x4x5xf32>) -> tensor<2x4x2x5xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[8,10]} : () -> tensor<2xi64>
    (%5) = "pd_op.reshape" (%3, %4) {} : (tensor<2x4x2x5xf32>, tensor<2xi64>) -> tensor<8x10xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<8x10xf32>) -> tensor<8x10xf32>
}

// -----
// A residual.
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: "pd_op.add"
// CHECK: "onednn_op.fused_matmul" (%1, %2, %0)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[2,3,5]} : () -> tensor<2x3x5xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,4,5]} : () -> tensor<2x4x5xf32>
    (%3) = "pd_op.matmul" (%1, %2) {transpose_x:false,transpose_y:false} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    (%4) = "pd_op.add" (%0, %3) {} : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: "pd_op.add"
// CHECK: matmul_alpha:0.5
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[4,5]} : () -> tensor<4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[3,5]} : () -> tensor<3x5xf32>
    (%3) = "onednn_op.fused_matmul" (%0, %1, <<NULL VALUE>>) {force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fused_output_scale:1,fused_reshape_out:[],fused_reshape_x:[],fused_reshape_y:[],fused_transpose_out:[],fused_transpose_x:[],fused_transpose_y:[],matmul_alpha:0.5,mkldnn_data_type:"float32",onednn_data_type:"",scale_in_eltwise:0,scale_out:1,scale_x:1,scale_y:1,trans_x:false,trans_y:false} : (tensor<3x4xf32>, tensor<4x5xf32>, <<NULL TYPE>>) -> tensor<3x5xf32>
    (%4) = "pd_op.add" (%3, %2) {} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}

// -----
// A vector along the last axis.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.fused_matmul" (%1, %2, %0)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[5]} : () -> tensor<5xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,4,5]} : () -> tensor<2x4x5xf32>
    (%3) = "pd_op.matmul" (%1, %2) {transpose_x:false,transpose_y:false} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    (%4) = "pd_op.add" (%0, %3) {} : (tensor<5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
}

// -----
// What makes the sum larger than the product, and what is behind an activation, stays.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.add"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[4,2,3,5]} : () -> tensor<4x2x3x5xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,4,5]} : () -> tensor<2x4x5xf32>
    (%3) = "pd_op.matmul" (%1, %2) {transpose_x:false,transpose_y:false} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    (%4) = "pd_op.add" (%0, %3) {} : (tensor<4x2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<4x2x3x5xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<4x2x3x5xf32>) -> tensor<4x2x3x5xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.add"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[4,5]} : () -> tensor<4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[3,5]} : () -> tensor<3x5xf32>
    (%3) = "onednn_op.fused_matmul" (%0, %1, <<NULL VALUE>>) {force_fp32_output:false,fuse_activation:"relu",fuse_alpha:0,fuse_beta:0,fused_output_scale:1,fused_reshape_out:[],fused_reshape_x:[],fused_reshape_y:[],fused_transpose_out:[],fused_transpose_x:[],fused_transpose_y:[],matmul_alpha:0.5,mkldnn_data_type:"float32",onednn_data_type:"",scale_in_eltwise:0,scale_out:1,scale_x:1,scale_y:1,trans_x:false,trans_y:false} : (tensor<3x4xf32>, tensor<4x5xf32>, <<NULL TYPE>>) -> tensor<3x5xf32>
    (%4) = "pd_op.add" (%3, %2) {} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}

// -----
// Activations.
// CHECK-LABEL: {{^}}// -----
// CHECK: fuse_activation:"gelu",
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,4,5]} : () -> tensor<2x4x5xf32>
    (%2) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    (%3) = "pd_op.gelu" (%2) {approximate:false} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: "pd_op.relu"
// CHECK: fuse_activation:"relu"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,4,5]} : () -> tensor<2x4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[2,3,5]} : () -> tensor<2x3x5xf32>
    (%3) = "onednn_op.fused_matmul" (%0, %1, %2) {force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fused_output_scale:1,fused_reshape_out:[],fused_reshape_x:[],fused_reshape_y:[],fused_transpose_out:[],fused_transpose_x:[],fused_transpose_y:[],matmul_alpha:1,mkldnn_data_type:"float32",onednn_data_type:"",scale_in_eltwise:0,scale_out:1,scale_x:1,scale_y:1,trans_x:false,trans_y:false} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    (%4) = "pd_op.relu" (%3) {} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
}

// -----
// Not behind a scale of the result; not what the kernel does not have.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.relu"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,4,5]} : () -> tensor<2x4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[2,3,5]} : () -> tensor<2x3x5xf32>
    (%3) = "onednn_op.fused_matmul" (%0, %1, %2) {force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fused_output_scale:2,fused_reshape_out:[],fused_reshape_x:[],fused_reshape_y:[],fused_transpose_out:[],fused_transpose_x:[],fused_transpose_y:[],matmul_alpha:1,mkldnn_data_type:"float32",onednn_data_type:"",scale_in_eltwise:0,scale_out:1,scale_x:1,scale_y:1,trans_x:false,trans_y:false} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    (%4) = "pd_op.relu" (%3) {} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.elu"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,4,5]} : () -> tensor<2x4x5xf32>
    (%2) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    (%3) = "pd_op.elu" (%2) {alpha:1} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
}

// -----
// A fully connected layer.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.fc"
// CHECK: activation_type:"relu"
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%3) = "pd_op.fc" (%2, %1, %0) {activation_type:"relu",in_num_col_dims:1,padding_weights:false} : (tensor<3x4xf32>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}

// -----
// Not of an image.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.fc"
{
    (%0) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<8x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,2,2,2]} : () -> tensor<3x2x2x2xf32>
    (%3) = "pd_op.fc" (%2, %1, %0) {activation_type:"",in_num_col_dims:1,padding_weights:false} : (tensor<3x2x2x2xf32>, tensor<8x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: "pd_op.swish"
// CHECK: fuse_activation:"swish",fuse_alpha:1
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%3) = "onednn_op.fc" (%2, %1, %0) {activation_type:"",force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fused_output_scale:1,fused_reshape2_shape:[],in_num_col_dims:1,mkldnn_data_type:"float32",onednn_data_type:"",padding_weights:false,scale_in:1,scale_out:1,scale_weights:[1],use_quantizer:false} : (tensor<3x4xf32>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
    (%4) = "pd_op.swish" (%3) {} : (tensor<3x5xf32>) -> tensor<3x5xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.sigmoid"
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%3) = "onednn_op.fc" (%2, %1, %0) {activation_type:"",force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fused_output_scale:1,fused_reshape2_shape:[],in_num_col_dims:1,mkldnn_data_type:"float32",onednn_data_type:"",padding_weights:false,scale_in:1,scale_out:1,scale_weights:[1],use_quantizer:false} : (tensor<3x4xf32>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
    (%4) = "pd_op.sigmoid" (%3) {} : (tensor<3x5xf32>) -> tensor<3x5xf32>
    (%5) = "pd_op.exp" (%3) {} : (tensor<3x5xf32>) -> tensor<3x5xf32>
    (%6) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
    (%7) = "pd_op.fetch" (%5) {col:1,name:"fetch1"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}
