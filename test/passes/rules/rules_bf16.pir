// Conversions to bf16 and back: each rule fires and is refused.
// RUN: pir-opt %s --split-input-file --verify-each --passes=cpu_special_ops_bf16,cpu_bf16_quantize_squash | FileCheck %s

// Conversions that meet.
// CHECK: "onednn_op.add"
// CHECK: "onednn_op.relu" (%4)
// CHECK: "onednn_op.dequantize"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%2) = "onednn_op.quantize" (%1) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x8xf32>) -> tensor<2x8xbf16>
    (%3) = "onednn_op.quantize" (%0) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x8xf32>) -> tensor<2x8xbf16>
    (%4) = "onednn_op.add" (%3, %2) {mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16",scale_out:1,scale_x:1,scale_y:1,use_quantizer:false} : (tensor<2x8xbf16>, tensor<2x8xbf16>) -> tensor<2x8xbf16>
    (%5) = "onednn_op.dequantize" (%4) {scale:1,shift:0} : (tensor<2x8xbf16>) -> tensor<2x8xf32>
    (%6) = "onednn_op.quantize" (%5) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x8xf32>) -> tensor<2x8xbf16>
    (%7) = "onednn_op.relu" (%6) {mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"} : (tensor<2x8xbf16>) -> tensor<2x8xbf16>
    (%8) = "onednn_op.dequantize" (%7) {scale:1,shift:0} : (tensor<2x8xbf16>) -> tensor<2x8xf32>
    (%9) = "pd_op.fetch" (%8) {col:0,name:"fetch0"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
}

// -----
// Not with a scale.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.dequantize"
// CHECK: "onednn_op.quantize"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%2) = "onednn_op.quantize" (%1) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x8xf32>) -> tensor<2x8xbf16>
    (%3) = "onednn_op.quantize" (%0) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x8xf32>) -> tensor<2x8xbf16>
    (%4) = "onednn_op.add" (%3, %2) {mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16",scale_out:1,scale_x:1,scale_y:1,use_quantizer:false} : (tensor<2x8xbf16>, tensor<2x8xbf16>) -> tensor<2x8xbf16>
    (%5) = "onednn_op.dequantize" (%4) {scale:2,shift:0} : (tensor<2x8xbf16>) -> tensor<2x8xf32>
    (%6) = "onednn_op.quantize" (%5) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x8xf32>) -> tensor<2x8xbf16>
    (%7) = "onednn_op.relu" (%6) {mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"} : (tensor<2x8xbf16>) -> tensor<2x8xbf16>
    (%8) = "onednn_op.dequantize" (%7) {scale:1,shift:0} : (tensor<2x8xbf16>) -> tensor<2x8xf32>
    (%9) = "pd_op.fetch" (%8) {col:0,name:"fetch0"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
}

// -----
// A convolution takes f32 and gives it.
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: "onednn_op.quantize"
// CHECK: "onednn_op.fused_conv2d" (%1, %0, <<NULL VALUE>>, <<NULL VALUE>>)
// CHECK: force_fp32_output:true
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%2) = "onednn_op.quantize" (%1) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x3x6x6xf32>) -> tensor<2x3x6x6xbf16>
    (%3) = "onednn_op.conv2d" (%2, %0) {data_format:"NCHW",dilations:[1,1],force_fp32_output:false,groups:1,is_test:true,mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16",padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xbf16>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xbf16>
    (%4) = "onednn_op.dequantize" (%3) {scale:1,shift:0} : (tensor<2x4x4x4xbf16>) -> tensor<2x4x4x4xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// Likewise one that is fused already; not one on f32.
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: "onednn_op.quantize"
// CHECK: "onednn_op.fused_conv2d" (%1, %0, <<NULL VALUE>>, <<NULL VALUE>>)
// CHECK: fuse_activation:"relu"
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%2) = "onednn_op.quantize" (%1) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x3x6x6xf32>) -> tensor<2x3x6x6xbf16>
    (%3) = "onednn_op.fused_conv2d" (%2, %0, <<NULL VALUE>>, <<NULL VALUE>>) {fuse_activation:"relu",mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"} : (tensor<2x3x6x6xbf16>, tensor<4x3x3x3xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x4x4x4xbf16>
    (%4) = "pd_op.relu" (%3) {} : (tensor<2x4x4x4xbf16>) -> tensor<2x4x4x4xbf16>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"y"} : (tensor<2x4x4x4xbf16>) -> tensor<2x4x4x4xbf16>
}

// -----
// Not one on f32.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.conv2d"
// CHECK: force_fp32_output:false
{
    (%0) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6]} : () -> tensor<2x3x6x6xf32>
    (%2) = "onednn_op.quantize" (%1) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x3x6x6xf32>) -> tensor<2x3x6x6xbf16>
    (%3) = "onednn_op.conv2d" (%2, %0) {data_format:"NCHW",dilations:[1,1],force_fp32_output:false,groups:1,is_test:true,mkldnn_data_type:"float32",onednn_data_type:"bfloat16",padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x6x6xbf16>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xbf16>
    (%4) = "onednn_op.dequantize" (%3) {scale:1,shift:0} : (tensor<2x4x4x4xbf16>) -> tensor<2x4x4x4xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// What is made bf16 again is not widened.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.matmul"
// CHECK: force_fp32_output:false
// CHECK: "onednn_op.softmax" (%4)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,4,5]} : () -> tensor<2x4x5xf32>
    (%2) = "onednn_op.quantize" (%1) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x4x5xf32>) -> tensor<2x4x5xbf16>
    (%3) = "onednn_op.quantize" (%0) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x3x4xf32>) -> tensor<2x3x4xbf16>
    (%4) = "onednn_op.matmul" (%3, %2) {force_fp32_output:false,mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16",transpose_x:false,transpose_y:false} : (tensor<2x3x4xbf16>, tensor<2x4x5xbf16>) -> tensor<2x3x5xbf16>
    (%5) = "onednn_op.dequantize" (%4) {scale:1,shift:0} : (tensor<2x3x5xbf16>) -> tensor<2x3x5xf32>
    (%6) = "onednn_op.quantize" (%5) {bfloat16:true,is_negative_input:false,output_format:"AnyLayout",scale:1,shift:0} : (tensor<2x3x5xf32>) -> tensor<2x3x5xbf16>
    (%7) = "onednn_op.softmax" (%6) {axis:-1,data_format:"AnyLayout",is_test:true,mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"} : (tensor<2x3x5xbf16>) -> tensor<2x3x5xbf16>
    (%8) = "onednn_op.dequantize" (%7) {scale:1,shift:0} : (tensor<2x3x5xbf16>) -> tensor<2x3x5xf32>
    (%9) = "pd_op.fetch" (%8) {col:0,name:"fetch0"} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
}

// -----
// A product gives f32.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.matmul"
// CHECK: force_fp32_output:true
// CHECK: "pd_op.fetch"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x6",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y6",place:Place(undefined:0),shape:[2,4,6]} : () -> tensor<2x4x6xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"z",place:Place(undefined:0),shape:[2,3,3]} : () -> tensor<2x3x3xf32>
    (%3) = "onednn_op.quantize" (%1) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x4x6xf32>) -> tensor<2x4x6xbf16>
    (%4) = "onednn_op.quantize" (%0) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x3x4xf32>) -> tensor<2x3x4xbf16>
    (%5) = "onednn_op.matmul" (%4, %3) {force_fp32_output:false,mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16",transpose_x:false,transpose_y:false} : (tensor<2x3x4xbf16>, tensor<2x4x6xbf16>) -> tensor<2x3x6xbf16>
    (%6) = "onednn_op.dequantize" (%5) {scale:1,shift:0} : (tensor<2x3x6xbf16>) -> tensor<2x3x6xf32>
    (%7) = "onednn_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi32>
    (%8) = "onednn_op.split_with_num" (%6, %7) {num:2} : (tensor<2x3x6xf32>, tensor<1xi32>) -> vec[tensor<2x3x3xf32>,tensor<2x3x3xf32>]
    (%9, %10) = "builtin.split" (%8) {} : (vec[tensor<2x3x3xf32>,tensor<2x3x3xf32>]) -> tensor<2x3x3xf32>, tensor<2x3x3xf32>
    (%11) = "onednn_op.quantize" (%2) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x3x3xf32>) -> tensor<2x3x3xbf16>
    (%12) = "onednn_op.quantize" (%10) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x3x3xf32>) -> tensor<2x3x3xbf16>
    (%13) = "onednn_op.matmul" (%12, %11) {force_fp32_output:false,mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16",transpose_x:false,transpose_y:false} : (tensor<2x3x3xbf16>, tensor<2x3x3xbf16>) -> tensor<2x3x3xbf16>
    (%14) = "onednn_op.dequantize" (%13) {scale:1,shift:0} : (tensor<2x3x3xbf16>) -> tensor<2x3x3xf32>
    (%15) = "pd_op.fetch" (%14) {col:0,name:"fetch0"} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
}

// -----
// Lists.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.quantize"
// CHECK: "onednn_op.quantize"
// CHECK: "builtin.combine" (%{{[0-9]+}}, %{{[0-9]+}}) {} : (tensor<2x8xbf16>, tensor<2x8xbf16>)
// CHECK: "onednn_op.concat"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[2,16]} : () -> tensor<2x16xf32>
    (%3) = "onednn_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xf32>
    (%4) = "onednn_op.scale" (%0, %3) {bias:0,bias_after_scale:true,mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>, tensor<1xf32>) -> tensor<2x8xf32>
    (%5) = "onednn_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
    (%6) = "onednn_op.scale" (%1, %5) {bias:0,bias_after_scale:true,mkldnn_data_type:"float32",onednn_data_type:""} : (tensor<2x8xf32>, tensor<1xf32>) -> tensor<2x8xf32>
    (%7) = "onednn_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xi32>
    (%8) = "builtin.combine" (%4, %6) {} : (tensor<2x8xf32>, tensor<2x8xf32>) -> vec[tensor<2x8xf32>,tensor<2x8xf32>]
    (%9) = "onednn_op.concat" (%8, %7) {mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16",use_quantizer:false} : (vec[tensor<2x8xf32>,tensor<2x8xf32>], tensor<1xi32>) -> tensor<2x16xf32>
    (%10) = "onednn_op.quantize" (%2) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x16xf32>) -> tensor<2x16xbf16>
    (%11) = "onednn_op.quantize" (%9) {bfloat16:true,is_negative_input:false,output_format:"NCHW",scale:1,shift:0} : (tensor<2x16xf32>) -> tensor<2x16xbf16>
    (%12) = "onednn_op.multiply" (%11, %10) {mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"} : (tensor<2x16xbf16>, tensor<2x16xbf16>) -> tensor<2x16xbf16>
    (%13) = "onednn_op.dequantize" (%12) {scale:1,shift:0} : (tensor<2x16xbf16>) -> tensor<2x16xf32>
    (%14) = "pd_op.fetch" (%13) {col:0,name:"fetch0"} : (tensor<2x16xf32>) -> tensor<2x16xf32>
}

// -----
// Not where it is not marked.
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: "onednn_op.quantize"
// CHECK: "onednn_op.concat"
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
// Pieces, and a cast.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.split"
// CHECK: tensor<2x2xbf16>
// CHECK: "builtin.split"
// CHECK: "onednn_op.cast" (%{{[0-9]+}}) {dtype:bfloat16
// CHECK: "onednn_op.dequantize"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,6]} : () -> tensor<2x6xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,4]} : () -> tensor<2xi64>
    (%2) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%3) = "onednn_op.split" (%0, %1, %2) {mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"} : (tensor<2x6xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<2x2xf32>,tensor<2x4xf32>]
    (%4, %5) = "builtin.split" (%3) {} : (vec[tensor<2x2xf32>,tensor<2x4xf32>]) -> tensor<2x2xf32>, tensor<2x4xf32>
    (%6) = "onednn_op.cast" (%4) {dtype:float32,mkldnn_data_type:"bfloat16",onednn_data_type:"bfloat16"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%7) = "pd_op.fetch" (%5) {col:0,name:"a"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    (%8) = "pd_op.fetch" (%6) {col:1,name:"b"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
}

// -----
// Other products, with a bias or a residual.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.fc"
// CHECK: force_fp32_output:true
// CHECK: "onednn_op.fused_matmul"
// CHECK: force_fp32_output:true
// CHECK: "onednn_op.conv2d_transpose_bias"
// CHECK: force_fp32_output:true
{
    (%0) = "pd_op.data" () {dtype:bfloat16,name:"x",place:Place(undefined:0),shape:[2,4]} : () -> tensor<2x4xbf16>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[4,3]} : () -> tensor<4x3xf32>
    (%2) = "onednn_op.fc" (%0, %1, <<NULL VALUE>>) {in_num_col_dims:1,mkldnn_data_type:"bfloat16"} : (tensor<2x4xbf16>, tensor<4x3xf32>, <<NULL TYPE>>) -> tensor<2x3xbf16>
    (%3) = "onednn_op.dequantize" (%2) {scale:1,shift:0} : (tensor<2x3xbf16>) -> tensor<2x3xf32>
    (%4) = "pd_op.data" () {dtype:bfloat16,name:"y",place:Place(undefined:0),shape:[4,3]} : () -> tensor<4x3xbf16>
    (%5) = "onednn_op.fused_matmul" (%0, %4, <<NULL VALUE>>) {matmul_alpha:1,mkldnn_data_type:"bfloat16",trans_x:false,trans_y:false} : (tensor<2x4xbf16>, tensor<4x3xbf16>, <<NULL TYPE>>) -> tensor<2x3xbf16>
    (%6) = "onednn_op.dequantize" (%5) {scale:1,shift:0} : (tensor<2x3xbf16>) -> tensor<2x3xf32>
    (%7) = "pd_op.data" () {dtype:bfloat16,name:"i",place:Place(undefined:0),shape:[1,2,3,3]} : () -> tensor<1x2x3x3xbf16>
    (%8) = "pd_op.data" () {dtype:float32,name:"f",place:Place(undefined:0),shape:[2,3,2,2]} : () -> tensor<2x3x2x2xf32>
    (%9) = "pd_op.data" () {dtype:float32,name:"b",place:Place(undefined:0),shape:[3]} : () -> tensor<3xf32>
    (%10) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%11) = "onednn_op.conv2d_transpose_bias" (%7, %8, %9, %10) {mkldnn_data_type:"bfloat16"} : (tensor<1x2x3x3xbf16>, tensor<2x3x2x2xf32>, tensor<3xf32>, tensor<0xi64>) -> tensor<1x3x4x4xbf16>
    (%12) = "onednn_op.dequantize" (%11) {scale:1,shift:0} : (tensor<1x3x4x4xbf16>) -> tensor<1x3x4x4xf32>
    (%13) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%14) = "pd_op.fetch" (%6) {col:1,name:"fetch1"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%15) = "pd_op.fetch" (%12) {col:2,name:"fetch2"} : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
}
