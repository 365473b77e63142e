// Ops that oneDNN has kernels for. What is made is compared with the real Paddle in test/recorded.
// RUN: pir-opt %s --split-input-file --verify-each --passes=onednn_placement | FileCheck %s

// Unary ops, attributes, results.
// CHECK: "onednn_op.abs"
// CHECK: "onednn_op.full"
// CHECK: "onednn_op.clip"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x_abs",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x_sqrt",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x_mish",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"x_relu",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"x_sigmoid",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"x_tanh",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%6) = "pd_op.data" () {dtype:float32,name:"x_relu6",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%7) = "pd_op.data" () {dtype:float32,name:"x_hardswish",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%8) = "pd_op.data" () {dtype:float32,name:"x_swish",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%9) = "pd_op.data" () {dtype:float32,name:"x_leaky_relu",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%10) = "pd_op.data" () {dtype:float32,name:"x_hardsigmoid",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%11) = "pd_op.data" () {dtype:float32,name:"x_gelu_erf",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%12) = "pd_op.data" () {dtype:float32,name:"x_gelu_tanh",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%13) = "pd_op.data" () {dtype:float32,name:"x_clip",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%14) = "pd_op.abs" (%0) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%15) = "pd_op.sqrt" (%1) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%16) = "pd_op.mish" (%2) {lambda:20} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%17) = "pd_op.relu" (%3) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%18) = "pd_op.sigmoid" (%4) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%19) = "pd_op.tanh" (%5) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%20) = "pd_op.relu6" (%6) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%21) = "pd_op.hardswish" (%7) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%22) = "pd_op.swish" (%8) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%23) = "pd_op.leaky_relu" (%9) {negative_slope:0.1} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%24) = "pd_op.hardsigmoid" (%10) {offset:0.5,slope:0.166667} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%25) = "pd_op.gelu" (%11) {approximate:false} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%26) = "pd_op.gelu" (%12) {approximate:true} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%27) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:-0.5} : () -> tensor<1xf32>
    (%28) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xf32>
    (%29) = "pd_op.clip" (%13, %27, %28) {} : (tensor<2x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x8xf32>
    (%30) = "pd_op.fetch" (%14) {col:0,name:"fetch0"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%31) = "pd_op.fetch" (%15) {col:1,name:"fetch1"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%32) = "pd_op.fetch" (%16) {col:2,name:"fetch2"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%33) = "pd_op.fetch" (%17) {col:3,name:"fetch3"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%34) = "pd_op.fetch" (%18) {col:4,name:"fetch4"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%35) = "pd_op.fetch" (%19) {col:5,name:"fetch5"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%36) = "pd_op.fetch" (%20) {col:6,name:"fetch6"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%37) = "pd_op.fetch" (%21) {col:7,name:"fetch7"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%38) = "pd_op.fetch" (%22) {col:8,name:"fetch8"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%39) = "pd_op.fetch" (%23) {col:9,name:"fetch9"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%40) = "pd_op.fetch" (%24) {col:10,name:"fetch10"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%41) = "pd_op.fetch" (%25) {col:11,name:"fetch11"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%42) = "pd_op.fetch" (%26) {col:12,name:"fetch12"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%43) = "pd_op.fetch" (%29) {col:13,name:"fetch13"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
}

// -----
// Lists.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.concat"
// CHECK: "onednn_op.slice"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,8]} : () -> tensor<2x3x8xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,8,3]} : () -> tensor<3xi64>
    (%2) = "pd_op.reshape" (%0, %1) {} : (tensor<2x3x8xf32>, tensor<3xi64>) -> tensor<2x8x3xf32>
    (%3) = "pd_op.transpose" (%2) {perm:[0,2,1]} : (tensor<2x8x3xf32>) -> tensor<2x3x8xf32>
    (%4) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi32>
    (%5) = "pd_op.split_with_num" (%3, %4) {num:2} : (tensor<2x3x8xf32>, tensor<1xi32>) -> vec[tensor<2x3x4xf32>,tensor<2x3x4xf32>]
    (%6, %7) = "builtin.split" (%5) {} : (vec[tensor<2x3x4xf32>,tensor<2x3x4xf32>]) -> tensor<2x3x4xf32>, tensor<2x3x4xf32>
    (%8) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%9) = "builtin.combine" (%6, %7) {} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> vec[tensor<2x3x4xf32>,tensor<2x3x4xf32>]
    (%10) = "pd_op.concat" (%9, %8) {} : (vec[tensor<2x3x4xf32>,tensor<2x3x4xf32>], tensor<1xi32>) -> tensor<2x6x4xf32>
    (%11) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%12) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%13) = "pd_op.slice" (%10, %11, %12) {axes:[1],decrease_axis:[],infer_flags:[1]} : (tensor<2x6x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x2x4xf32>
    (%14) = "pd_op.fetch" (%13) {col:0,name:"fetch0"} : (tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
}

// -----
// Ops with a flag for tests; several results.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.conv2d"
// CHECK: is_test:true
// CHECK: "onednn_op.batch_norm_"
// CHECK: "onednn_op.pool2d"
{
    (%0) = "builtin.parameter" () {parameter_name:"p4"} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<4xf32>
    (%4) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,8,8]} : () -> tensor<2x3x8x8xf32>
    (%6) = "pd_op.conv2d" (%5, %4) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x6x6xf32>
    (%7, %8, %9, %10, %11, %12) = "pd_op.batch_norm_" (%6, %3, %2, %1, %0) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:true} : (tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<-1xu8>
    (%13) = "pd_op.relu" (%7) {} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
    (%14) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,2]} : () -> tensor<2xi64>
    (%15) = "pd_op.pool2d" (%13, %14) {adaptive:false,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[0,0],pooling_type:"max",strides:[2,2]} : (tensor<2x4x6x6xf32>, tensor<2xi64>) -> tensor<2x4x3x3xf32>
    (%16) = "pd_op.fetch" (%15) {col:0,name:"fetch0"} : (tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.layer_norm"
// CHECK: is_test:true
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<8xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,8]} : () -> tensor<2x3x8xf32>
    (%3, %4, %5) = "pd_op.layer_norm" (%2, %1, %0) {begin_norm_axis:2,epsilon:1e-05} : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>, tensor<2x3xf32>, tensor<2x3xf32>
    (%6) = "pd_op.gelu" (%3) {approximate:false} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"fetch0"} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
}

// -----
// Not in training.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.conv2d"
// CHECK: "pd_op.batch_norm_"
{
    (%0) = "builtin.parameter" () {parameter_name:"p4"} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<4xf32>
    (%4) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,8,8]} : () -> tensor<2x3x8x8xf32>
    (%6) = "pd_op.conv2d" (%5, %4) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x6x6xf32>
    (%7, %8, %9, %10, %11, %12) = "pd_op.batch_norm_" (%6, %3, %2, %1, %0) {data_format:"NCHW",epsilon:1e-05,is_test:false,momentum:0.9,trainable_statistics:false,use_global_stats:true} : (tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<-1xu8>
    (%13) = "pd_op.relu" (%7) {} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
    (%14) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,2]} : () -> tensor<2xi64>
    (%15) = "pd_op.pool2d" (%13, %14) {adaptive:false,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[0,0],pooling_type:"max",strides:[2,2]} : (tensor<2x4x6x6xf32>, tensor<2xi64>) -> tensor<2x4x3x3xf32>
    (%16) = "pd_op.fetch" (%15) {col:0,name:"fetch0"} : (tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
}

// -----
// Types without a kernel.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.scale"
{
    (%0) = "pd_op.data" () {dtype:int64,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xi64>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
    (%2) = "pd_op.scale" (%0, %1) {bias:0,bias_after_scale:true} : (tensor<2x8xi64>, tensor<1xf32>) -> tensor<2x8xi64>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"fetch0"} : (tensor<2x8xi64>) -> tensor<2x8xi64>
}

// -----
// Operands that are not there, lists, margins.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.depthwise_conv2d"
// CHECK: "onednn_op.conv2d_transpose"
// CHECK: "onednn_op.prelu"
// CHECK: "onednn_op.pad3d"
// CHECK: "onednn_op.bilinear_interp"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,2,4,4,4]} : () -> tensor<1x2x4x4x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[3,2,2,2,2]} : () -> tensor<3x2x2x2x2xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"a",place:Place(undefined:0),shape:[1,2,4,4]} : () -> tensor<1x2x4x4xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"b",place:Place(undefined:0),shape:[2,1,2,2]} : () -> tensor<2x1x2x2xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"c",place:Place(undefined:0),shape:[1,2,4,4]} : () -> tensor<1x2x4x4xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"e",place:Place(undefined:0),shape:[2,3,2,2]} : () -> tensor<2x3x2x2xf32>
    (%6) = "pd_op.data" () {dtype:float32,name:"f",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%7) = "pd_op.data" () {dtype:float32,name:"g",place:Place(undefined:0),shape:[1]} : () -> tensor<1xf32>
    (%8) = "pd_op.data" () {dtype:float32,name:"h",place:Place(undefined:0),shape:[1,2,3,3,3]} : () -> tensor<1x2x3x3x3xf32>
    (%9) = "pd_op.data" () {dtype:float32,name:"i",place:Place(undefined:0),shape:[2,2]} : () -> tensor<2x2xf32>
    (%10) = "pd_op.data" () {dtype:float32,name:"j",place:Place(undefined:0),shape:[1,2,4,4]} : () -> tensor<1x2x4x4xf32>
    (%11) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[1,2,4,4]} : () -> tensor<1x2x4x4xf32>
    (%12) = "pd_op.data" () {dtype:float32,name:"l",place:Place(undefined:0),shape:[1,2,4,4]} : () -> tensor<1x2x4x4xf32>
    (%13) = "pd_op.data" () {dtype:float32,name:"m",place:Place(undefined:0),shape:[1,2,4,4]} : () -> tensor<1x2x4x4xf32>
    (%14) = "pd_op.data" () {dtype:float32,name:"n",place:Place(undefined:0),shape:[1,2,4,4]} : () -> tensor<1x2x4x4xf32>
    (%15) = "pd_op.conv3d" (%0, %1) {data_format:"NCDHW",dilations:[1,1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0,0],strides:[1,1,1]} : (tensor<1x2x4x4x4xf32>, tensor<3x2x2x2x2xf32>) -> tensor<1x3x3x3x3xf32>
    (%16) = "pd_op.depthwise_conv2d" (%2, %3) {data_format:"NCHW",dilations:[1,1],groups:2,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<1x2x4x4xf32>, tensor<2x1x2x2xf32>) -> tensor<1x2x3x3xf32>
    (%17) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%18) = "pd_op.conv2d_transpose" (%4, %5, %17) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<1x2x4x4xf32>, tensor<2x3x2x2xf32>, tensor<0xi64>) -> tensor<1x3x5x5xf32>
    (%19) = "pd_op.prelu" (%6, %7) {data_format:"NCHW",mode:"all"} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
    (%20) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,1,1,1,1,1]} : () -> tensor<6xi64>
    (%21) = "pd_op.pad3d" (%8, %20) {data_format:"NCDHW",mode:"constant",pad_value:0} : (tensor<1x2x3x3x3xf32>, tensor<6xi64>) -> tensor<1x2x5x5x5xf32>
    (%22) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf32>
    (%23) = "pd_op.pad" (%9, %22) {paddings:[1,1,1,1]} : (tensor<2x2xf32>, tensor<1xf32>) -> tensor<4x4xf32>
    (%24) = "pd_op.multiply" (%10, %10) {} : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    (%25) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%26) = "pd_op.unsqueeze" (%24, %25) {} : (tensor<1x2x4x4xf32>, tensor<1xi64>) -> tensor<1x1x2x4x4xf32>
    (%27) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,1,2,4,4]} : () -> tensor<5xi64>
    (%28) = "pd_op.reshape" (%26, %27) {} : (tensor<1x1x2x4x4xf32>, tensor<5xi64>) -> tensor<1x1x2x4x4xf32>
    (%29) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,0,0,0,2,2]} : () -> tensor<6xi64>
    (%30) = "pd_op.pad3d" (%28, %29) {data_format:"NCDHW",mode:"constant",pad_value:0} : (tensor<1x1x2x4x4xf32>, tensor<6xi64>) -> tensor<1x1x6x4x4xf32>
    (%31) = "pd_op.pool3d" (%30) {adaptive:false,ceil_mode:false,data_format:"NCDHW",exclusive:true,global_pooling:false,kernel_size:[5,1,1],padding_algorithm:"EXPLICIT",paddings:[0,0,0],pooling_type:"avg",strides:[1,1,1]} : (tensor<1x1x6x4x4xf32>) -> tensor<1x1x2x4x4xf32>
    (%32) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%33) = "pd_op.squeeze" (%31, %32) {} : (tensor<1x1x2x4x4xf32>, tensor<1xi64>) -> tensor<1x2x4x4xf32>
    (%34) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,2,4,4]} : () -> tensor<4xi64>
    (%35) = "pd_op.reshape" (%33, %34) {} : (tensor<1x2x4x4xf32>, tensor<4xi64>) -> tensor<1x2x4x4xf32>
    (%36) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0001} : () -> tensor<1xf32>
    (%37) = "pd_op.scale" (%35, %36) {bias:1,bias_after_scale:true} : (tensor<1x2x4x4xf32>, tensor<1xf32>) -> tensor<1x2x4x4xf32>
    (%38) = "pd_op.pow" (%37) {y:0.75} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    (%39) = "pd_op.divide" (%10, %38) {} : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    (%40) = "pd_op.bilinear_interp" (%11, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>) {align_corners:false,align_mode:0,data_format:"NCHW",interp_method:"bilinear",out_d:-1,out_h:-1,out_w:-1,scale:[2,2]} : (tensor<1x2x4x4xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<1x2x8x8xf32>
    (%41) = "pd_op.nearest_interp" (%12, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>) {align_corners:false,align_mode:0,data_format:"NCHW",interp_method:"nearest",out_d:-1,out_h:-1,out_w:-1,scale:[2,2]} : (tensor<1x2x4x4xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<1x2x8x8xf32>
    (%42) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,2]} : () -> tensor<2xi64>
    (%43) = "pd_op.pool2d" (%13, %42) {adaptive:false,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[0,0],pooling_type:"max",strides:[2,2]} : (tensor<1x2x4x4xf32>, tensor<2xi64>) -> tensor<1x2x2x2xf32>
    (%44) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,2]} : () -> tensor<2xi64>
    (%45) = "pd_op.pool2d" (%14, %44) {adaptive:false,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[0,0],pooling_type:"avg",strides:[2,2]} : (tensor<1x2x4x4xf32>, tensor<2xi64>) -> tensor<1x2x2x2xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.divide"
// CHECK: "onednn_op.add_n"
// CHECK: "onednn_op.min"
// CHECK: "onednn_op.split"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"a",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"b",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"c",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"e",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%6) = "pd_op.data" () {dtype:float32,name:"f",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%7) = "pd_op.data" () {dtype:float32,name:"g",place:Place(undefined:0),shape:[4,3]} : () -> tensor<4x3xf32>
    (%8) = "pd_op.data" () {dtype:float32,name:"h",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%9) = "pd_op.data" () {dtype:float32,name:"i",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%10) = "pd_op.data" () {dtype:float32,name:"j",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%11) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%12) = "pd_op.data" () {dtype:float32,name:"l",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%13) = "pd_op.data" () {dtype:float32,name:"m",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%14) = "pd_op.data" () {dtype:float32,name:"n",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%15) = "pd_op.data" () {dtype:float32,name:"o",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%16) = "pd_op.data" () {dtype:float32,name:"p",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%17) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%18) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%19) = "pd_op.data" () {dtype:float32,name:"s",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%20) = "pd_op.data" () {dtype:float32,name:"t",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%21) = "pd_op.data" () {dtype:float32,name:"u",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%22) = "pd_op.divide" (%0, %1) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%23) = "pd_op.divide_" (%2, %3) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%24) = "builtin.combine" (%4, %5) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%25) = "pd_op.add_n" (%24) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
    (%26) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%27) = "pd_op.min" (%6, %26) {keepdim:false} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2xf32>
    (%28) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,3]} : () -> tensor<2xi64>
    (%29) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%30) = "pd_op.split" (%7, %28, %29) {} : (tensor<4x3xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<1x3xf32>,tensor<3x3xf32>]
    (%31, %32) = "builtin.split" (%30) {} : (vec[tensor<1x3xf32>,tensor<3x3xf32>]) -> tensor<1x3xf32>, tensor<3x3xf32>
    (%33) = "pd_op.maximum" (%8, %9) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%34) = "pd_op.subtract" (%10, %11) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%35) = "pd_op.multiply" (%12, %13) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%36) = "pd_op.add" (%14, %15) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%37) = "pd_op.add_" (%16, %17) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%38) = "pd_op.multiply_" (%18, %19) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%39) = "pd_op.subtract_" (%20, %21) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.matmul_with_flatten"
// CHECK: "onednn_op.stack"
// CHECK: "onednn_op.gaussian"
// CHECK: "pd_op.fc"
// CHECK: "onednn_op.cast_"
// CHECK: "pd_op.cast"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,-1]} : () -> tensor<2x-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"a",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"c",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"e",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"f",place:Place(undefined:0),shape:[1,2]} : () -> tensor<1x2xf32>
    (%6) = "pd_op.data" () {dtype:float32,name:"g",place:Place(undefined:0),shape:[1,4,2,2]} : () -> tensor<1x4x2x2xf32>
    (%7) = "pd_op.data" () {dtype:float32,name:"h",place:Place(undefined:0),shape:[1,4,2,2]} : () -> tensor<1x4x2x2xf32>
    (%8) = "pd_op.data" () {dtype:float32,name:"i",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%9) = "pd_op.data" () {dtype:float32,name:"j",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%10) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%11) = "pd_op.data" () {dtype:float32,name:"l",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%12) = "pd_op.data" () {dtype:float32,name:"m",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%13) = "pd_op.data" () {dtype:float32,name:"n",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%14) = "pd_op.data" () {dtype:float32,name:"o",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%15) = "pd_op.data" () {dtype:float32,name:"p",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%16) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%17) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%18) = "pd_op.data" () {dtype:int32,name:"s",place:Place(undefined:0),shape:[2]} : () -> tensor<2xi32>
    (%19) = "pd_op.data" () {dtype:float32,name:"t",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%20) = "pd_op.data" () {dtype:float32,name:"u",place:Place(undefined:0),shape:[3]} : () -> tensor<3xf32>
    (%21) = "pd_op.data" () {dtype:float32,name:"v",place:Place(undefined:0),shape:[3]} : () -> tensor<3xf32>
    (%22) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[3]} : () -> tensor<3xf32>
    (%23) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[3]} : () -> tensor<3xf32>
    (%24) = "pd_op.shape64" (%0) {} : (tensor<2x-1xf32>) -> tensor<2xi64>
    (%25) = "pd_op.matmul_with_flatten" (%1, %2) {x_num_col_dims:1,y_num_col_dims:1} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    (%26) = "builtin.combine" (%3, %4) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%27) = "pd_op.stack" (%26) {axis:0} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2x2xf32>
    (%28) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,2]} : () -> tensor<2xi64>
    (%29) = "pd_op.expand" (%5, %28) {} : (tensor<1x2xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    (%30) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%31) = "pd_op.gaussian" (%30) {dtype:float32,mean:0,place:Place(undefined:0),seed:0,std:1} : (tensor<1xi64>) -> tensor<2xf32>
    (%32) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,2]} : () -> tensor<2xi64>
    (%33) = "pd_op.gaussian" (%32) {dtype:float32,mean:0,place:Place(undefined:0),seed:0,std:1} : (tensor<2xi64>) -> tensor<2x2xf32>
    (%34) = "pd_op.channel_shuffle" (%6) {data_format:"NCHW",groups:2} : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
    (%35) = "pd_op.shuffle_channel" (%7) {group:2} : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
    (%36) = "pd_op.fc" (%8, %9, %10) {activation_type:"",in_num_col_dims:1,padding_weights:false} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    (%37) = "pd_op.flatten" (%11) {start_axis:1,stop_axis:2} : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
    (%38) = "pd_op.transpose_" (%12) {perm:[1,0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    (%39) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,2]} : () -> tensor<2xi64>
    (%40) = "pd_op.reshape_" (%13, %39) {} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    (%41) = "pd_op.flatten_" (%14) {start_axis:1,stop_axis:2} : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
    (%42) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
    (%43) = "pd_op.scale_" (%15, %42) {bias:0,bias_after_scale:true} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
    (%44) = "pd_op.cast_" (%16) {dtype:float16} : (tensor<2xf32>) -> tensor<2xf16>
    (%45) = "pd_op.cast" (%17) {dtype:int32} : (tensor<2xf32>) -> tensor<2xi32>
    (%46) = "pd_op.cast" (%18) {dtype:float32} : (tensor<2xi32>) -> tensor<2xf32>
    (%47, %48, %49, %50, %51, %52) = "pd_op.batch_norm" (%19, %20, %21, %22, %23) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:false} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<-1xu8>
    (%53) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:1} : () -> tensor<2xf32>
}
// -----
// Boxes of a feature map.
// CHECK: "onednn_op.prior_box"
// CHECK-SAME: min_sizes:[4]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"input",place:Place(undefined:0),shape:[1,8,4,4]} : () -> tensor<1x8x4x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"image",place:Place(undefined:0),shape:[1,3,32,32]} : () -> tensor<1x3x32x32xf32>
    (%2, %3) = "pd_op.prior_box" (%0, %1) {aspect_ratios:[1,2],clip:true,flip:true,max_sizes:[8],min_max_aspect_ratios_order:false,min_sizes:[4],offset:0.5,step_h:0,step_w:0,variances:[0.1,0.1,0.2,0.2]} : (tensor<1x8x4x4xf32>, tensor<1x3x32x32xf32>) -> tensor<4x4x4x4xf32>, tensor<4x4x4x4xf32>
    (%4) = "pd_op.fetch" (%2) {col:0,name:"fetch0"} : (tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
    (%5) = "pd_op.fetch" (%3) {col:1,name:"fetch1"} : (tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
}
