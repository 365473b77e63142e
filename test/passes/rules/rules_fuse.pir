// Small fusions written as rules: each fires once and is refused once.
// RUN: pir-opt %s --split-input-file --verify-each --passes=silu_fuse,matmul_scale_fuse,conv2d_add_fuse | FileCheck %s

// x * sigmoid(x)
// CHECK: (%1) = "pd_op.swish" (%0)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.sigmoid" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%2) = "pd_op.multiply" (%0, %1) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// y * sigmoid(x)
// CHECK-NOT: "pd_op.swish"
// CHECK: "pd_op.fetch"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%2) = "pd_op.sigmoid" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.multiply" (%1, %2) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"y"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// The scale goes to the weight, the product keeps its flags.
// CHECK:      (%3) = "pd_op.scale" (%0, %2) {bias:0,bias_after_scale:true}
// CHECK-NEXT: (%4) = "pd_op.matmul" (%1, %3) {transpose_x:false,transpose_y:true}
// CHECK-NEXT: "pd_op.fetch" (%4)
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<5x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%2) = "pd_op.matmul" (%1, %0) {transpose_x:false,transpose_y:true} : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xf32>
    (%4) = "pd_op.scale" (%2, %3) {bias:0,bias_after_scale:true} : (tensor<3x5xf32>, tensor<1xf32>) -> tensor<3x5xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"y"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}

// -----
// The bias of a scale is no part of a product.
// CHECK: "pd_op.matmul" (%1, %0)
// CHECK: "pd_op.scale" (%2, %3) {bias:0.5
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<5x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%2) = "pd_op.matmul" (%1, %0) {transpose_x:false,transpose_y:true} : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xf32>
    (%4) = "pd_op.scale" (%2, %3) {bias:0.5,bias_after_scale:true} : (tensor<3x5xf32>, tensor<1xf32>) -> tensor<3x5xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"y"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}

// -----
// A bias, in front of what it is added to.
// CHECK: (%3, %4) = "pd_op.fused_conv2d_add_act" (%2, %1, %0, <<NULL VALUE>>) {__force_backend__:"gpudnn",activation:"identity",data_format:"NCHW",dilations:[1,1],exhaustive_search:false,fuse_alpha:0,groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],split_channels:[],strides:[1,1],workspace_size_MB:32}
{
    (%0) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<1x4x1x1xf32>
    (%1) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<4x3x3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%3) = "pd_op.conv2d" (%2, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.add" (%0, %3) {} : (tensor<1x4x1x1xf32>, tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"y"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// A vector is added along the rows, not to the channels.
// CHECK: "pd_op.conv2d"
// CHECK: "pd_op.add"
{
    (%0) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<4x3x3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%3) = "pd_op.conv2d" (%2, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.add" (%3, %0) {} : (tensor<2x4x4x4xf32>, tensor<4xf32>) -> tensor<2x4x4x4xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"y"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}
