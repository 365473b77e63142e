// Ops of oneDNN on bf16: marks, conversions, types.
// RUN: pir-opt %s --split-input-file --verify-each --passes=cpu_bfloat16_placement,cpu_bfloat16,cpu_bfloat16_type_placement | FileCheck %s

// Marked, converted around, and typed.
// CHECK: "onednn_op.quantize"
// CHECK: tensor<2x4x4x4xbf16>
// CHECK: "onednn_op.dequantize"
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%2) = "onednn_op.conv2d" (%1, %0) {data_format:"NCHW",dilations:[1,1],force_fp32_output:false,groups:1,is_test:true,mkldnn_data_type:"float32",onednn_data_type:"",padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// Two in a row.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.add" (%{{[0-9]+}}, %{{[0-9]+}}) {mkldnn_data_type:"bfloat16"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%2) = "onednn_op.add" (%0, %1) {mkldnn_data_type:"float32",onednn_data_type:"",scale_out:1,scale_x:1,scale_y:1,use_quantizer:false} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
    (%3) = "onednn_op.relu" (%2) {mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
}

// -----
// One that stands alone is left.
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: bfloat16
// CHECK: "pd_op.fetch"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%2) = "onednn_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%3) = "builtin.combine" (%0, %1) {} : (tensor<2x8xf32>, tensor<2x8xf32>) -> vec[tensor<2x8xf32>,tensor<2x8xf32>]
    (%4) = "onednn_op.concat" (%3, %2) {mkldnn_data_type:"float32",onednn_data_type:"",use_quantizer:false} : (vec[tensor<2x8xf32>,tensor<2x8xf32>], tensor<1xi32>) -> tensor<2x16xf32>
    (%5) = "onednn_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%6) = "onednn_op.scale" (%4, %5) {bias:1,bias_after_scale:true,mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x16xf32>, tensor<1xf32>) -> tensor<2x16xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"fetch0"} : (tensor<2x16xf32>) -> tensor<2x16xf32>
}

// -----
// Quantisation keeps its ops.
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: "onednn_op.quantize"
// CHECK: "onednn_op.relu"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%2) = "onednn_op.add" (%0, %1) {mkldnn_data_type:"float32",onednn_data_type:"",scale_out:1,scale_x:1,scale_y:1,use_quantizer:true} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
    (%3) = "onednn_op.relu" (%2) {mkldnn_data_type:"int8",onednn_data_type:""} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
}

// -----
// bf16 to f32 by a cast is a conversion.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.cast" (%1) {dtype:bfloat16
// CHECK: "onednn_op.dequantize"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "onednn_op.cast" (%0) {dtype:bfloat16,mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"} : (tensor<2x8xf32>) -> tensor<2x8xbf16>
    (%2) = "onednn_op.cast" (%1) {dtype:float32,mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xbf16>) -> tensor<2x8xf32>
    (%3) = "onednn_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%4) = "onednn_op.scale" (%2, %3) {bias:1,bias_after_scale:true,mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>, tensor<1xf32>) -> tensor<2x8xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
}
