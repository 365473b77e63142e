// Fusions around convolutions: each fires once and is refused once.
// RUN: pir-opt %s --split-input-file --verify-each --passes=map_op_to_another,conv2d_add_act_fuse,conv2d_transpose_bn_fuse,conv2d_transpose_bias_bn_fuse,conv2d_transpose_bias_fuse,conv2d_bias_fuse,conv3d_bias_fuse | FileCheck %s

// Bias and relu.
// CHECK: "pd_op.fused_conv2d_add_act" (%2, %1, %0, <<NULL VALUE>>) {__force_backend__:"gpudnn",activation:"relu"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"b",place:Place(undefined:0),shape:[1,4,1,1]} : () -> tensor<1x4x1x1xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%3) = "pd_op.conv2d" (%2, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.add" (%3, %0) {} : (tensor<2x4x4x4xf32>, tensor<1x4x1x1xf32>) -> tensor<2x4x4x4xf32>
    (%5) = "pd_op.relu" (%4) {} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// Bias, residual and relu.
// CHECK: "pd_op.fused_conv2d_add_act" (%2, %1, %0, %3) {activation:"relu"
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<1x4x1x1xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[2,4,4,4]} : () -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.conv2d" (%2, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%5) = "pd_op.add" (%4, %0) {} : (tensor<2x4x4x4xf32>, tensor<1x4x1x1xf32>) -> tensor<2x4x4x4xf32>
    (%6) = "pd_op.add" (%3, %5) {} : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%7) = "pd_op.relu" (%6) {} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%8) = "pd_op.fetch" (%7) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// The sum is read elsewhere: no relu goes in, but the bias does.
// CHECK-NOT: "pd_op.fused_conv2d_add_act"
// CHECK: "pd_op.relu"
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<1x4x1x1xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%3) = "pd_op.conv2d" (%2, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.add" (%3, %0) {} : (tensor<2x4x4x4xf32>, tensor<1x4x1x1xf32>) -> tensor<2x4x4x4xf32>
    (%5) = "pd_op.relu" (%4) {} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%6) = "pd_op.exp" (%4) {} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%7) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%8) = "pd_op.fetch" (%6) {col:1,name:"fetch1"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// A bias.
// CHECK: "onednn_op.fused_conv2d" (%2, %1, %0, <<NULL VALUE>>)
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<1x4x1x1xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%3) = "pd_op.conv2d" (%2, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.add" (%3, %0) {} : (tensor<2x4x4x4xf32>, tensor<1x4x1x1xf32>) -> tensor<2x4x4x4xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// A vector lies along the last axis, not the channels.
// CHECK-NOT: "onednn_op.fused_conv2d"
// CHECK: "pd_op.add"
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%3) = "pd_op.conv2d" (%2, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.add" (%3, %0) {} : (tensor<2x4x4x4xf32>, tensor<4xf32>) -> tensor<2x4x4x4xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// A bias of three dimensions.
// CHECK: "onednn_op.fused_conv3d" (%2, %1, %0, <<NULL VALUE>>)
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<1x3x1x1x1xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<3x2x3x3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,2,5,5,5]} : () -> tensor<1x2x5x5x5xf32>
    (%3) = "pd_op.conv3d" (%2, %1) {data_format:"NCDHW",dilations:[1,1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0,0],strides:[1,1,1]} : (tensor<1x2x5x5x5xf32>, tensor<3x2x3x3x3xf32>) -> tensor<1x3x3x3x3xf32>
    (%4) = "pd_op.add" (%3, %0) {} : (tensor<1x3x3x3x3xf32>, tensor<1x3x1x1x1xf32>) -> tensor<1x3x3x3x3xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<1x3x3x3x3xf32>) -> tensor<1x3x3x3x3xf32>
}

// -----
// Likewise.
// CHECK-NOT: "onednn_op.fused_conv3d"
// CHECK: "pd_op.add"
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<3xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<3x2x3x3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,2,5,5,5]} : () -> tensor<1x2x5x5x5xf32>
    (%3) = "pd_op.conv3d" (%2, %1) {data_format:"NCDHW",dilations:[1,1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0,0],strides:[1,1,1]} : (tensor<1x2x5x5x5xf32>, tensor<3x2x3x3x3xf32>) -> tensor<1x3x3x3x3xf32>
    (%4) = "pd_op.add" (%3, %0) {} : (tensor<1x3x3x3x3xf32>, tensor<3xf32>) -> tensor<1x3x3x3x3xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<1x3x3x3x3xf32>) -> tensor<1x3x3x3x3xf32>
}

// -----
// A vector, once more.
// CHECK-NOT: "onednn_op.conv2d_transpose_bias"
// CHECK: "pd_op.add"
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<3x8x3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%4) = "pd_op.conv2d_transpose" (%2, %1, %3) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<3x8x3x3xf32>, tensor<0xi64>) -> tensor<2x8x8x8xf32>
    (%5) = "pd_op.add" (%4, %0) {} : (tensor<2x8x8x8xf32>, tensor<8xf32>) -> tensor<2x8x8x8xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<2x8x8x8xf32>) -> tensor<2x8x8x8xf32>
}

// -----
// Batch norm behind a transposed convolution.
// CHECK: "onednn_op.conv2d_transpose_bias"
// CHECK-NOT: "pd_op.batch_norm_"
// CHECK: "pd_op.fetch"
{
    (%0) = "builtin.parameter" () {parameter_name:"p4"} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<4xf32>
    (%4) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<3x4x3x3xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%6) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%7) = "pd_op.conv2d_transpose" (%5, %4, %6) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<3x4x3x3xf32>, tensor<0xi64>) -> tensor<2x4x8x8xf32>
    (%8, %9, %10, %11, %12, %13) = "pd_op.batch_norm_" (%7, %3, %2, %1, %0) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:true} : (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<-1xu8>
    (%14) = "pd_op.fetch" (%8) {col:0,name:"fetch0"} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
}

// -----
// In groups.
// CHECK-NOT: "onednn_op.conv2d_transpose_bias"
// CHECK: "pd_op.batch_norm_"
{
    (%0) = "builtin.parameter" () {parameter_name:"p4"} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<4xf32>
    (%4) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x2x3x3xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,4,5,5]} : () -> tensor<2x4x5x5xf32>
    (%6) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%7) = "pd_op.conv2d_transpose" (%5, %4, %6) {data_format:"NCHW",dilations:[1,1],groups:2,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[2,2]} : (tensor<2x4x5x5xf32>, tensor<4x2x3x3xf32>, tensor<0xi64>) -> tensor<2x4x11x11xf32>
    (%8, %9, %10, %11, %12, %13) = "pd_op.batch_norm_" (%7, %3, %2, %1, %0) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:true} : (tensor<2x4x11x11xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x11x11xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<-1xu8>
    (%14) = "pd_op.fetch" (%8) {col:0,name:"fetch0"} : (tensor<2x4x11x11xf32>) -> tensor<2x4x11x11xf32>
}

// -----
// With one number between.
// CHECK: "onednn_op.conv2d_transpose_bias"
// CHECK-NOT: "pd_op.batch_norm_"
// CHECK: "pd_op.fetch"
{
    (%0) = "builtin.parameter" () {parameter_name:"p5"} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p4"} : () -> tensor<4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<4xf32>
    (%4) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<1xf32>
    (%5) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<3x4x3x3xf32>
    (%6) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%8) = "pd_op.conv2d_transpose" (%6, %5, %7) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<3x4x3x3xf32>, tensor<0xi64>) -> tensor<2x4x8x8xf32>
    (%9) = "pd_op.add" (%8, %4) {} : (tensor<2x4x8x8xf32>, tensor<1xf32>) -> tensor<2x4x8x8xf32>
    (%10, %11, %12, %13, %14, %15) = "pd_op.batch_norm_" (%9, %3, %2, %1, %0) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:true} : (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<-1xu8>
    (%16) = "pd_op.fetch" (%10) {col:0,name:"fetch0"} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
}

// -----
// That is no parameter.
// CHECK-NOT: "onednn_op.conv2d_transpose_bias"
// CHECK: "pd_op.batch_norm_"
{
    (%0) = "builtin.parameter" () {parameter_name:"p4"} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<4xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"b",place:Place(undefined:0),shape:[1]} : () -> tensor<1xf32>
    (%5) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<3x4x3x3xf32>
    (%6) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%8) = "pd_op.conv2d_transpose" (%6, %5, %7) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<3x4x3x3xf32>, tensor<0xi64>) -> tensor<2x4x8x8xf32>
    (%9) = "pd_op.add" (%8, %4) {} : (tensor<2x4x8x8xf32>, tensor<1xf32>) -> tensor<2x4x8x8xf32>
    (%10, %11, %12, %13, %14, %15) = "pd_op.batch_norm_" (%9, %3, %2, %1, %0) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:true} : (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<-1xu8>
    (%16) = "pd_op.fetch" (%10) {col:0,name:"fetch0"} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
}

// -----
// A depthwise convolution.
// CHECK: "pd_op.conv2d" (%1, %0) {data_format:"NCHW",dilations:[1,1],groups:4
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x1x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,4,6,6]} : () -> tensor<1x4x6x6xf32>
    (%2) = "pd_op.depthwise_conv2d" (%1, %0) {data_format:"NCHW",dilations:[1,1],groups:4,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<1x4x6x6xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x4x4xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"fetch0"} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
}
