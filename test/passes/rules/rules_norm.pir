// Fusions around norms: each fires once and is refused once.
// RUN: pir-opt %s --split-input-file --verify-each --passes=fused_dropout_add,matmul_add_act_fuse,fc_elementwise_layernorm_fuse,embedding_eltwise_layernorm_fuse,batch_norm_act_fuse,add_norm_fuse,group_norm_silu_fuse | FileCheck %s

// A root mean square over the last axis, with an addition before it and another behind.
// CHECK: (%3, %4, %5) = "pd_op.fused_rms_norm_quant" (%1, <<NULL VALUE>>, %2, %0, <<NULL VALUE>>)
// CHECK-NEXT: "pd_op.add" (%3, %4)
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,8]} : () -> tensor<2x3x8xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[2,3,8]} : () -> tensor<2x3x8xf32>
    (%3) = "pd_op.add" (%1, %2) {} : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
    (%4) = "pd_op.pow" (%3) {y:2} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%6) = "pd_op.mean" (%4, %5) {keepdim:true} : (tensor<2x3x8xf32>, tensor<1xi64>) -> tensor<2x3x1xf32>
    (%7) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%8) = "pd_op.scale" (%6, %7) {bias:1e-06,bias_after_scale:true} : (tensor<2x3x1xf32>, tensor<1xf32>) -> tensor<2x3x1xf32>
    (%9) = "pd_op.rsqrt" (%8) {} : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
    (%10) = "pd_op.multiply" (%9, %3) {} : (tensor<2x3x1xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
    (%11) = "pd_op.multiply" (%10, %0) {} : (tensor<2x3x8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
    (%12) = "pd_op.add" (%11, %3) {} : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
    (%13) = "pd_op.fetch" (%12) {col:0,name:"fetch0"} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
}

// -----
// The mean is read elsewhere.
// CHECK-NOT: "pd_op.fused_rms_norm_quant"
// CHECK: "pd_op.rsqrt"
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,8]} : () -> tensor<2x3x8xf32>
    (%2) = "pd_op.pow" (%1) {y:2} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%4) = "pd_op.mean" (%2, %3) {keepdim:true} : (tensor<2x3x8xf32>, tensor<1xi64>) -> tensor<2x3x1xf32>
    (%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%6) = "pd_op.scale" (%4, %5) {bias:1e-06,bias_after_scale:true} : (tensor<2x3x1xf32>, tensor<1xf32>) -> tensor<2x3x1xf32>
    (%7) = "pd_op.rsqrt" (%6) {} : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
    (%8) = "pd_op.multiply" (%7, %1) {} : (tensor<2x3x1xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
    (%9) = "pd_op.multiply" (%8, %0) {} : (tensor<2x3x8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
    (%10) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%11) = "pd_op.scale" (%4, %10) {bias:0,bias_after_scale:true} : (tensor<2x3x1xf32>, tensor<1xf32>) -> tensor<2x3x1xf32>
    (%12) = "pd_op.fetch" (%9) {col:0,name:"fetch0"} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
    (%13) = "pd_op.fetch" (%11) {col:1,name:"fetch1"} : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
}

// -----
// A sum, normed over the last axis.
// CHECK: "pd_op.fused_bias_residual_layernorm"
// CHECK-NOT: "pd_op.layer_norm"
// CHECK: "pd_op.fetch"
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<8xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,8]} : () -> tensor<2x3x8xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[2,3,8]} : () -> tensor<2x3x8xf32>
    (%4) = "pd_op.add" (%2, %3) {} : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
    (%5, %6, %7) = "pd_op.layer_norm" (%4, %1, %0) {begin_norm_axis:2,epsilon:1e-05} : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>, tensor<2x3xf32>, tensor<2x3xf32>
    (%8) = "pd_op.add" (%5, %4) {} : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
    (%9) = "pd_op.fetch" (%8) {col:0,name:"fetch0"} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
}

// -----
// A sum that broadcasts.
// CHECK-NOT: "pd_op.fused_bias_residual_layernorm"
// CHECK: "pd_op.layer_norm"
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<8xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,8]} : () -> tensor<2x3x8xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[1,3,8]} : () -> tensor<1x3x8xf32>
    (%4) = "pd_op.add" (%2, %3) {} : (tensor<2x3x8xf32>, tensor<1x3x8xf32>) -> tensor<2x3x8xf32>
    (%5, %6, %7) = "pd_op.layer_norm" (%4, %1, %0) {begin_norm_axis:2,epsilon:1e-05} : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>, tensor<2x3xf32>, tensor<2x3xf32>
    (%8) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
}

// -----
// Groups of a sum, and silu.
// CHECK: "pd_op.add_group_norm_silu" (%2, %3, %1, %0) {activation:"silu"
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<8xf16>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<8xf16>
    (%2) = "pd_op.data" () {dtype:float16,name:"x",place:Place(undefined:0),shape:[2,8,4,4]} : () -> tensor<2x8x4x4xf16>
    (%3) = "pd_op.data" () {dtype:float16,name:"r",place:Place(undefined:0),shape:[2,8,4,4]} : () -> tensor<2x8x4x4xf16>
    (%4) = "pd_op.add" (%2, %3) {} : (tensor<2x8x4x4xf16>, tensor<2x8x4x4xf16>) -> tensor<2x8x4x4xf16>
    (%5, %6, %7) = "pd_op.group_norm" (%4, %1, %0) {data_format:"NCHW",epsilon:1e-05,groups:4} : (tensor<2x8x4x4xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<2x8x4x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>
    (%8) = "pd_op.silu" (%5) {} : (tensor<2x8x4x4xf16>) -> tensor<2x8x4x4xf16>
    (%9) = "pd_op.fetch" (%8) {col:0,name:"fetch0"} : (tensor<2x8x4x4xf16>) -> tensor<2x8x4x4xf16>
}

// -----
// Groups and silu, nothing added.
// CHECK: "pd_op.add_group_norm_silu" (%2, <<NULL VALUE>>, %1, %0) {activation:"silu"
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<8xbf16>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<8xbf16>
    (%2) = "pd_op.data" () {dtype:bfloat16,name:"x",place:Place(undefined:0),shape:[2,8,4,4]} : () -> tensor<2x8x4x4xbf16>
    (%3, %4, %5) = "pd_op.group_norm" (%2, %1, %0) {data_format:"NCHW",epsilon:1e-06,groups:2} : (tensor<2x8x4x4xbf16>, tensor<8xbf16>, tensor<8xbf16>) -> tensor<2x8x4x4xbf16>, tensor<2x2xbf16>, tensor<2x2xbf16>
    (%6) = "pd_op.silu" (%3) {} : (tensor<2x8x4x4xbf16>) -> tensor<2x8x4x4xbf16>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"fetch0"} : (tensor<2x8x4x4xbf16>) -> tensor<2x8x4x4xbf16>
}

// -----
// In single precision there is no such kernel.
// CHECK-NOT: "pd_op.add_group_norm_silu"
// CHECK: "pd_op.group_norm"
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<8xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8,4,4]} : () -> tensor<2x8x4x4xf32>
    (%3, %4, %5) = "pd_op.group_norm" (%2, %1, %0) {data_format:"NCHW",epsilon:1e-05,groups:4} : (tensor<2x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x4x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
    (%6) = "pd_op.silu" (%3) {} : (tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"fetch0"} : (tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
}

// -----
// A fully connected layer, added to something, normed.
// CHECK: "pd_op.fused_fc_elementwise_layernorm"
// CHECK-NOT: "pd_op.fc""
// CHECK: "pd_op.fetch"
{
    (%0) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<5xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<5xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x5xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,3,5]} : () -> tensor<2x3x5xf32>
    (%6) = "pd_op.fc" (%4, %3, %2) {activation_type:"relu",in_num_col_dims:2,padding_weights:false} : (tensor<2x3x4xf32>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
    (%7) = "pd_op.add" (%6, %5) {} : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    (%8, %9, %10) = "pd_op.layer_norm" (%7, %1, %0) {begin_norm_axis:2,epsilon:1e-05} : (tensor<2x3x5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>, tensor<2x3xf32>, tensor<2x3xf32>
    (%11) = "pd_op.fetch" (%8) {col:0,name:"fetch0"} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
}

// -----
// Nothing is added.
// CHECK-NOT: "pd_op.fused_fc_elementwise_layernorm"
// CHECK: "pd_op.layer_norm"
{
    (%0) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<5xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<5xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x5xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%5) = "pd_op.fc" (%4, %3, %2) {activation_type:"",in_num_col_dims:1,padding_weights:false} : (tensor<3x4xf32>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
    (%6, %7, %8) = "pd_op.layer_norm" (%5, %1, %0) {begin_norm_axis:1,epsilon:1e-05} : (tensor<3x5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>
    (%9) = "pd_op.fetch" (%6) {col:0,name:"fetch0"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}

// -----
// Two embeddings.
// CHECK: "pd_op.fused_embedding_eltwise_layernorm"
// CHECK-NOT: "pd_op.layer_norm"
// CHECK: "pd_op.fetch"
{
    (%0) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<8xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<10x8xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<10x8xf32>
    (%4) = "pd_op.data" () {dtype:int64,name:"a",place:Place(undefined:0),shape:[2,5]} : () -> tensor<2x5xi64>
    (%5) = "pd_op.data" () {dtype:int64,name:"b",place:Place(undefined:0),shape:[2,5]} : () -> tensor<2x5xi64>
    (%6) = "pd_op.embedding" (%4, %3) {padding_idx:-1,sparse:false} : (tensor<2x5xi64>, tensor<10x8xf32>) -> tensor<2x5x8xf32>
    (%7) = "pd_op.embedding" (%5, %2) {padding_idx:-1,sparse:false} : (tensor<2x5xi64>, tensor<10x8xf32>) -> tensor<2x5x8xf32>
    (%8) = "pd_op.add" (%6, %7) {} : (tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    (%9, %10, %11) = "pd_op.layer_norm" (%8, %1, %0) {begin_norm_axis:2,epsilon:1e-05} : (tensor<2x5x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x5x8xf32>, tensor<2x5xf32>, tensor<2x5xf32>
    (%12) = "pd_op.fetch" (%9) {col:0,name:"fetch0"} : (tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
}

// -----
// Three.
// CHECK: "builtin.combine" (%5, %6, %7)
// CHECK: "pd_op.fused_embedding_eltwise_layernorm"
// CHECK-NOT: "pd_op.layer_norm"
// CHECK: "pd_op.fetch"
{
    (%0) = "builtin.parameter" () {parameter_name:"p4"} : () -> tensor<8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<8xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<10x8xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<10x8xf32>
    (%4) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<10x8xf32>
    (%5) = "pd_op.data" () {dtype:int64,name:"a",place:Place(undefined:0),shape:[2,5]} : () -> tensor<2x5xi64>
    (%6) = "pd_op.data" () {dtype:int64,name:"b",place:Place(undefined:0),shape:[2,5]} : () -> tensor<2x5xi64>
    (%7) = "pd_op.data" () {dtype:int64,name:"d",place:Place(undefined:0),shape:[2,5]} : () -> tensor<2x5xi64>
    (%8) = "pd_op.embedding" (%5, %4) {padding_idx:-1,sparse:false} : (tensor<2x5xi64>, tensor<10x8xf32>) -> tensor<2x5x8xf32>
    (%9) = "pd_op.embedding" (%6, %3) {padding_idx:-1,sparse:false} : (tensor<2x5xi64>, tensor<10x8xf32>) -> tensor<2x5x8xf32>
    (%10) = "pd_op.add" (%8, %9) {} : (tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    (%11) = "pd_op.embedding" (%7, %2) {padding_idx:-1,sparse:false} : (tensor<2x5xi64>, tensor<10x8xf32>) -> tensor<2x5x8xf32>
    (%12) = "pd_op.add" (%10, %11) {} : (tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    (%13, %14, %15) = "pd_op.layer_norm" (%12, %1, %0) {begin_norm_axis:2,epsilon:1e-12} : (tensor<2x5x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x5x8xf32>, tensor<2x5xf32>, tensor<2x5xf32>
    (%16) = "pd_op.fetch" (%13) {col:0,name:"fetch0"} : (tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
}

// -----
// Ids of unknown shapes may broadcast.
// CHECK-NOT: "pd_op.fused_embedding_eltwise_layernorm"
// CHECK: "pd_op.embedding"
{
    (%0) = "builtin.parameter" () {parameter_name:"p4"} : () -> tensor<8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<8xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<10x8xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<10x8xf32>
    (%4) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<10x8xf32>
    (%5) = "pd_op.data" () {dtype:int64,name:"a",place:Place(undefined:0),shape:[-1,-1]} : () -> tensor<-1x-1xi64>
    (%6) = "pd_op.data" () {dtype:int64,name:"b",place:Place(undefined:0),shape:[-1,-1]} : () -> tensor<-1x-1xi64>
    (%7) = "pd_op.data" () {dtype:int64,name:"d",place:Place(undefined:0),shape:[-1,-1]} : () -> tensor<-1x-1xi64>
    (%8) = "pd_op.embedding" (%5, %4) {padding_idx:-1,sparse:false} : (tensor<-1x-1xi64>, tensor<10x8xf32>) -> tensor<-1x-1x8xf32>
    (%9) = "pd_op.embedding" (%6, %3) {padding_idx:-1,sparse:false} : (tensor<-1x-1xi64>, tensor<10x8xf32>) -> tensor<-1x-1x8xf32>
    (%10) = "pd_op.add" (%8, %9) {} : (tensor<-1x-1x8xf32>, tensor<-1x-1x8xf32>) -> tensor<-1x-1x8xf32>
    (%11) = "pd_op.embedding" (%7, %2) {padding_idx:-1,sparse:false} : (tensor<-1x-1xi64>, tensor<10x8xf32>) -> tensor<-1x-1x8xf32>
    (%12) = "pd_op.add" (%10, %11) {} : (tensor<-1x-1x8xf32>, tensor<-1x-1x8xf32>) -> tensor<-1x-1x8xf32>
    (%13, %14, %15) = "pd_op.layer_norm" (%12, %1, %0) {begin_norm_axis:2,epsilon:1e-12} : (tensor<-1x-1x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<-1x-1x8xf32>, tensor<-1x-1xf32>, tensor<-1x-1xf32>
    (%16) = "pd_op.fetch" (%13) {col:0,name:"fetch0"} : (tensor<-1x-1x8xf32>) -> tensor<-1x-1x8xf32>
}

// -----
// relu behind batch norm.
// CHECK: "onednn_op.batch_norm_" (%4, %3, %2, %1, %0) {data_format:"NCHW",epsilon:1e-05,fuse_with_relu:true
// CHECK-NEXT: "pd_op.fetch"
{
    (%0) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<3xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<3xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<3xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<3xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%5, %6, %7, %8, %9, %10) = "pd_op.batch_norm_" (%4, %3, %2, %1, %0) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:true} : (tensor<2x3x6x6xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x6x6xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<-1xu8>
    (%11) = "pd_op.relu" (%5) {} : (tensor<2x3x6x6xf32>) -> tensor<2x3x6x6xf32>
    (%12) = "pd_op.fetch" (%11) {col:0,name:"fetch0"} : (tensor<2x3x6x6xf32>) -> tensor<2x3x6x6xf32>
}

// -----
// A large epsilon.
// CHECK-NOT: "onednn_op.batch_norm_"
// CHECK: "pd_op.relu"
{
    (%0) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<3xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<3xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<3xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<3xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%5, %6, %7, %8, %9, %10) = "pd_op.batch_norm_" (%4, %3, %2, %1, %0) {data_format:"NCHW",epsilon:0.1,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:true} : (tensor<2x3x6x6xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x6x6xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<-1xu8>
    (%11) = "pd_op.relu" (%5) {} : (tensor<2x3x6x6xf32>) -> tensor<2x3x6x6xf32>
    (%12) = "pd_op.fetch" (%11) {col:0,name:"fetch0"} : (tensor<2x3x6x6xf32>) -> tensor<2x3x6x6xf32>
}

// -----
// Dropout, on the right.
// CHECK: "pd_op.fused_dropout_add" (%0, %1, <<NULL VALUE>>) {fix_seed:false,is_test:false,mode:"upscale_in_train",p:0.5,seed:0}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xf32>
    (%3, %4) = "pd_op.dropout" (%0, <<NULL VALUE>>, %2) {fix_seed:false,is_test:false,mode:"upscale_in_train",seed:0} : (tensor<2x8xf32>, <<NULL TYPE>>, tensor<1xf32>) -> tensor<2x8xf32>, tensor<2x8xu8>
    (%5) = "pd_op.add" (%1, %3) {} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
}

// -----
// What was dropped is read elsewhere.
// CHECK-NOT: "pd_op.fused_dropout_add"
// CHECK: "pd_op.dropout"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xf32>
    (%3, %4) = "pd_op.dropout" (%0, <<NULL VALUE>>, %2) {fix_seed:false,is_test:false,mode:"upscale_in_train",seed:0} : (tensor<2x8xf32>, <<NULL TYPE>>, tensor<1xf32>) -> tensor<2x8xf32>, tensor<2x8xu8>
    (%5) = "pd_op.add" (%3, %1) {} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
    (%6) = "pd_op.exp" (%3) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%7) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%8) = "pd_op.fetch" (%6) {col:1,name:"fetch1"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
}
