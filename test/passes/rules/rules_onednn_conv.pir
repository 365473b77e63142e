// Fusions for oneDNN around convolutions: each rule fires and is refused.
// RUN: pir-opt %s --split-input-file --verify-each --passes=depthwise_conv_onednn,conv2d_bn_onednn_fuse,conv2d_bias_bn_onednn_fuse,conv_elementwise_add_onednn_fuse,conv_activation_onednn_fuse,conv_concat_activation_onednn_fuse | FileCheck %s

// A depthwise convolution is one of as many groups.
// CHECK: "pd_op.conv2d"
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<3x1x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%2) = "pd_op.depthwise_conv2d" (%1, %0) {data_format:"NCHW",dilations:[1,1],groups:3,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<3x1x3x3xf32>) -> tensor<2x3x4x4xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"fetch0"} : (tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
}

// -----
// One without padding that Paddle knows stays.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.depthwise_conv2d"
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<3x1x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%2) = "pd_op.depthwise_conv2d" (%1, %0) {data_format:"NCHW",dilations:[1,1],groups:3,padding_algorithm:"OTHER",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<3x1x3x3xf32>) -> tensor<2x3x4x4xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"fetch0"} : (tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
}

// -----
// Batch norm goes into filter and bias.
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: batch_norm
// CHECK: "onednn_op.fused_conv2d" (%5, %{{[0-9]+}}, %{{[0-9]+}}, <<NULL VALUE>>)
{
    (%0) = "builtin.parameter" () {parameter_name:"p4"} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<4xf32>
    (%4) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%6) = "pd_op.conv2d" (%5, %4) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%7, %8, %9, %10, %11, %12) = "pd_op.batch_norm_" (%6, %3, %2, %1, %0) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:true} : (tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<-1xu8>
    (%13) = "pd_op.fetch" (%7) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// Not where the convolution is read elsewhere.
// CHECK-LABEL: {{^}}// -----
// CHECK: batch_norm_
{
    (%0) = "builtin.parameter" () {parameter_name:"p4"} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<4xf32>
    (%4) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%6) = "pd_op.conv2d" (%5, %4) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%7, %8, %9, %10, %11, %12) = "pd_op.batch_norm_" (%6, %3, %2, %1, %0) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:true} : (tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<-1xu8>
    (%13) = "pd_op.exp" (%6) {} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%14) = "pd_op.fetch" (%7) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%15) = "pd_op.fetch" (%13) {col:1,name:"fetch1"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// So does what is added before it.
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: batch_norm
// CHECK: "onednn_op.fused_conv2d"
{
    (%0) = "builtin.parameter" () {parameter_name:"p5"} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p4"} : () -> tensor<4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<4xf32>
    (%4) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<1x4x1x1xf32>
    (%5) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%6) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%7) = "pd_op.conv2d" (%6, %5) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%8) = "pd_op.add" (%7, %4) {} : (tensor<2x4x4x4xf32>, tensor<1x4x1x1xf32>) -> tensor<2x4x4x4xf32>
    (%9, %10, %11, %12, %13, %14) = "pd_op.batch_norm_" (%8, %3, %2, %1, %0) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:true} : (tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<-1xu8>
    (%15) = "pd_op.fetch" (%9) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// Not a vector, which lies along the last axis.
// CHECK-LABEL: {{^}}// -----
// CHECK: batch_norm_
{
    (%0) = "builtin.parameter" () {parameter_name:"p5"} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p4"} : () -> tensor<4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<4xf32>
    (%4) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<4xf32>
    (%5) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%6) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%7) = "pd_op.conv2d" (%6, %5) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%8) = "pd_op.add" (%7, %4) {} : (tensor<2x4x4x4xf32>, tensor<4xf32>) -> tensor<2x4x4x4xf32>
    (%9, %10, %11, %12, %13, %14) = "pd_op.batch_norm_" (%8, %3, %2, %1, %0) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:true} : (tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<-1xu8>
    (%15) = "pd_op.fetch" (%9) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// A residual, in front.
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: "pd_op.add"
// CHECK: "onednn_op.fused_conv2d" (%2, %0, <<NULL VALUE>>, %1)
// CHECK: fuse_residual_connection:true
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[2,4,4,4]} : () -> tensor<2x4x4x4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%3) = "pd_op.conv2d" (%2, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.add" (%1, %3) {} : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// One that broadcasts stays.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.add"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[1,4,1,1]} : () -> tensor<1x4x1x1xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%3) = "pd_op.conv2d" (%2, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.add" (%3, %0) {} : (tensor<2x4x4x4xf32>, tensor<1x4x1x1xf32>) -> tensor<2x4x4x4xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// A residual behind a bias.
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: "pd_op.add"
// CHECK: "onednn_op.fused_conv2d" (%3, %2, %1, %0)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[2,4,4,4]} : () -> tensor<2x4x4x4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<1x4x1x1xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%4) = "onednn_op.fused_conv2d" (%3, %2, %1, <<NULL VALUE>>) {data_format:"NCHW",dilations:[1,1],force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fuse_residual_connection:false,groups:1,mkldnn_data_type:"float32",onednn_data_type:"",padding_algorithm:"EXPLICIT",paddings:[0,0],scale_in:1,scale_in_eltwise:1,scale_out:1,scale_weights:[1],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>, tensor<1x4x1x1xf32>, <<NULL TYPE>>) -> tensor<2x4x4x4xf32>
    (%5) = "pd_op.add" (%4, %0) {} : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// Not behind an activation.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.add"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[2,4,4,4]} : () -> tensor<2x4x4x4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<1x4x1x1xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%4) = "onednn_op.fused_conv2d" (%3, %2, %1, <<NULL VALUE>>) {data_format:"NCHW",dilations:[1,1],force_fp32_output:false,fuse_activation:"relu",fuse_alpha:0,fuse_beta:0,fuse_residual_connection:false,groups:1,mkldnn_data_type:"float32",onednn_data_type:"",padding_algorithm:"EXPLICIT",paddings:[0,0],scale_in:1,scale_in_eltwise:1,scale_out:1,scale_weights:[1],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>, tensor<1x4x1x1xf32>, <<NULL TYPE>>) -> tensor<2x4x4x4xf32>
    (%5) = "pd_op.add" (%4, %0) {} : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// Activations.
// CHECK-LABEL: {{^}}// -----
// CHECK: fuse_activation:"hard_swish",fuse_alpha:0.166667,fuse_beta:0.5
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%2) = "pd_op.conv2d" (%1, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%3) = "pd_op.hardswish" (%2) {} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: fuse_activation:"hard_sigmoid",fuse_alpha:0.166667,fuse_beta:0.5
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%2) = "pd_op.conv2d" (%1, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%3) = "pd_op.hardsigmoid" (%2) {offset:0.5,slope:0.166667} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: fuse_activation:"relu6",fuse_alpha:0,fuse_beta:6
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%2) = "pd_op.conv2d" (%1, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%3) = "pd_op.relu6" (%2) {} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: fuse_activation:"swish",fuse_alpha:1,fuse_beta:0
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%2) = "pd_op.conv2d" (%1, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%3) = "pd_op.swish" (%2) {} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: fuse_activation:"gelu_tanh"
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%2) = "pd_op.conv2d" (%1, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%3) = "pd_op.gelu" (%2) {approximate:true} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: fuse_activation:"gelu_erf"
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%2) = "pd_op.conv2d" (%1, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%3) = "pd_op.gelu" (%2) {approximate:false} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: fuse_activation:"leaky_relu",fuse_alpha:0.1
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%2) = "pd_op.conv2d" (%1, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%3) = "pd_op.leaky_relu_" (%2) {negative_slope:0.1} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: fuse_activation:"mish"
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%2) = "pd_op.conv2d" (%1, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%3) = "pd_op.mish" (%2) {lambda:20} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// In place, and behind a bias.
// CHECK-LABEL: {{^}}// -----
// CHECK: (%2, %1, %0, <<NULL VALUE>>)
// CHECK: fuse_activation:"clip"
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<1x4x1x1xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%3) = "onednn_op.fused_conv2d" (%2, %1, %0, <<NULL VALUE>>) {data_format:"NCHW",dilations:[1,1],force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fuse_residual_connection:false,groups:1,mkldnn_data_type:"float32",onednn_data_type:"",padding_algorithm:"EXPLICIT",paddings:[0,0],scale_in:1,scale_in_eltwise:1,scale_out:1,scale_weights:[1],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>, tensor<1x4x1x1xf32>, <<NULL TYPE>>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:-0.5} : () -> tensor<1xf32>
    (%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xf32>
    (%6) = "pd_op.clip" (%3, %4, %5) {} : (tensor<2x4x4x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4x4x4xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// A slope below 0, mish with an early threshold, and one behind another stay.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.leaky_relu"
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%2) = "pd_op.conv2d" (%1, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%3) = "pd_op.leaky_relu" (%2) {negative_slope:-0.1} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.mish"
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%2) = "pd_op.conv2d" (%1, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%3) = "pd_op.mish" (%2) {lambda:5} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.tanh"
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%2) = "onednn_op.fused_conv2d" (%1, %0, <<NULL VALUE>>, <<NULL VALUE>>) {data_format:"NCHW",dilations:[1,1],force_fp32_output:false,fuse_activation:"relu",fuse_alpha:0,fuse_beta:0,fuse_residual_connection:false,groups:1,mkldnn_data_type:"float32",onednn_data_type:"",padding_algorithm:"EXPLICIT",paddings:[0,0],scale_in:1,scale_in_eltwise:1,scale_out:1,scale_weights:[1],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x4x4x4xf32>
    (%3) = "pd_op.tanh" (%2) {} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// Into all that are joined.
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: "pd_op.relu"
// CHECK: fuse_activation:"relu"
// CHECK: fuse_activation:"relu"
// CHECK: fuse_activation:"relu"
// CHECK: "pd_op.concat"
// CHECK: "pd_op.fetch"
{
    (%0) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<3x3x3x3xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<2x3x3x3xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%4) = "pd_op.conv2d" (%3, %2) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%5) = "pd_op.conv2d" (%3, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<2x3x3x3xf32>) -> tensor<2x2x4x4xf32>
    (%6) = "pd_op.conv2d" (%3, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<3x3x3x3xf32>) -> tensor<2x3x4x4xf32>
    (%7) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%8) = "builtin.combine" (%4, %5, %6) {} : (tensor<2x4x4x4xf32>, tensor<2x2x4x4xf32>, tensor<2x3x4x4xf32>) -> vec[tensor<2x4x4x4xf32>,tensor<2x2x4x4xf32>,tensor<2x3x4x4xf32>]
    (%9) = "pd_op.concat" (%8, %7) {} : (vec[tensor<2x4x4x4xf32>,tensor<2x2x4x4xf32>,tensor<2x3x4x4xf32>], tensor<1xi32>) -> tensor<2x9x4x4xf32>
    (%10) = "pd_op.relu" (%9) {} : (tensor<2x9x4x4xf32>) -> tensor<2x9x4x4xf32>
    (%11) = "pd_op.fetch" (%10) {col:0,name:"fetch0"} : (tensor<2x9x4x4xf32>) -> tensor<2x9x4x4xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: "pd_op.relu"
// CHECK: "onednn_op.fused_conv2d"
// CHECK: fuse_activation:"relu"
// CHECK: "pd_op.concat"
// CHECK: "pd_op.fetch"
{
    (%0) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<1x2x1x1xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<2x3x3x3xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<1x4x1x1xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%5) = "onednn_op.fused_conv2d" (%4, %3, %2, <<NULL VALUE>>) {data_format:"NCHW",dilations:[1,1],force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fuse_residual_connection:false,groups:1,mkldnn_data_type:"float32",onednn_data_type:"",padding_algorithm:"EXPLICIT",paddings:[0,0],scale_in:1,scale_in_eltwise:1,scale_out:1,scale_weights:[1],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>, tensor<1x4x1x1xf32>, <<NULL TYPE>>) -> tensor<2x4x4x4xf32>
    (%6) = "onednn_op.fused_conv2d" (%4, %1, %0, <<NULL VALUE>>) {data_format:"NCHW",dilations:[1,1],force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fuse_residual_connection:false,groups:1,mkldnn_data_type:"float32",onednn_data_type:"",padding_algorithm:"EXPLICIT",paddings:[0,0],scale_in:1,scale_in_eltwise:1,scale_out:1,scale_weights:[1],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<2x3x3x3xf32>, tensor<1x2x1x1xf32>, <<NULL TYPE>>) -> tensor<2x2x4x4xf32>
    (%7) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%8) = "builtin.combine" (%5, %6) {} : (tensor<2x4x4x4xf32>, tensor<2x2x4x4xf32>) -> vec[tensor<2x4x4x4xf32>,tensor<2x2x4x4xf32>]
    (%9) = "pd_op.concat" (%8, %7) {} : (vec[tensor<2x4x4x4xf32>,tensor<2x2x4x4xf32>], tensor<1xi32>) -> tensor<2x6x4x4xf32>
    (%10) = "pd_op.relu" (%9) {} : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
    (%11) = "pd_op.fetch" (%10) {col:0,name:"fetch0"} : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
}

// -----
// One is no convolution.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.concat"
// CHECK: "pd_op.relu"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,2,4,4]} : () -> tensor<2x2x4x4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%3) = "pd_op.conv2d" (%2, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%4) = "pd_op.exp" (%0) {} : (tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    (%5) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%6) = "builtin.combine" (%3, %4) {} : (tensor<2x4x4x4xf32>, tensor<2x2x4x4xf32>) -> vec[tensor<2x4x4x4xf32>,tensor<2x2x4x4xf32>]
    (%7) = "pd_op.concat" (%6, %5) {} : (vec[tensor<2x4x4x4xf32>,tensor<2x2x4x4xf32>], tensor<1xi32>) -> tensor<2x6x4x4xf32>
    (%8) = "pd_op.relu" (%7) {} : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
    (%9) = "pd_op.fetch" (%8) {col:0,name:"fetch0"} : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
}

// -----
// One has an activation already.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.concat"
// CHECK: "pd_op.relu"
{
    (%0) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<1x2x1x1xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<2x3x3x3xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<1x4x1x1xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%5) = "onednn_op.fused_conv2d" (%4, %3, %2, <<NULL VALUE>>) {data_format:"NCHW",dilations:[1,1],force_fp32_output:false,fuse_activation:"tanh",fuse_alpha:0,fuse_beta:0,fuse_residual_connection:false,groups:1,mkldnn_data_type:"float32",onednn_data_type:"",padding_algorithm:"EXPLICIT",paddings:[0,0],scale_in:1,scale_in_eltwise:1,scale_out:1,scale_weights:[1],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>, tensor<1x4x1x1xf32>, <<NULL TYPE>>) -> tensor<2x4x4x4xf32>
    (%6) = "onednn_op.fused_conv2d" (%4, %1, %0, <<NULL VALUE>>) {data_format:"NCHW",dilations:[1,1],force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fuse_residual_connection:false,groups:1,mkldnn_data_type:"float32",onednn_data_type:"",padding_algorithm:"EXPLICIT",paddings:[0,0],scale_in:1,scale_in_eltwise:1,scale_out:1,scale_weights:[1],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<2x3x3x3xf32>, tensor<1x2x1x1xf32>, <<NULL TYPE>>) -> tensor<2x2x4x4xf32>
    (%7) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%8) = "builtin.combine" (%5, %6) {} : (tensor<2x4x4x4xf32>, tensor<2x2x4x4xf32>) -> vec[tensor<2x4x4x4xf32>,tensor<2x2x4x4xf32>]
    (%9) = "pd_op.concat" (%8, %7) {} : (vec[tensor<2x4x4x4xf32>,tensor<2x2x4x4xf32>], tensor<1xi32>) -> tensor<2x6x4x4xf32>
    (%10) = "pd_op.relu" (%9) {} : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
    (%11) = "pd_op.fetch" (%10) {col:0,name:"fetch0"} : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
}
