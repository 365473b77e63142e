// Fusions for oneDNN around other ops: each rule fires and is refused.
// RUN: pir-opt %s --split-input-file --verify-each --passes=squeeze_transpose_onednn_fuse,self_attention_fuse,softplus_activation_fuse,elementwise_act_onednn_fuse,shuffle_channel_detect,operator_scale_onednn_fuse,operator_unsqueeze_onednn_fuse,operator_reshape_onednn_fuse | FileCheck %s

// Squeeze and transpose.
// CHECK: "onednn_op.fused_transpose" (%0) {axis:[1,0]
// CHECK: fused_squeeze2_axes:[-1]
// CHECK: tensor<3x2xf32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,1]} : () -> tensor<2x3x1xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%2) = "pd_op.squeeze" (%0, %1) {} : (tensor<2x3x1xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%3) = "pd_op.transpose" (%2) {perm:[1,0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<3x2xf32>) -> tensor<3x2xf32>
}

// -----
// The kernel makes f32.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.squeeze"
{
    (%0) = "pd_op.data" () {dtype:int64,name:"x",place:Place(undefined:0),shape:[2,3,1]} : () -> tensor<2x3x1xi64>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%2) = "pd_op.squeeze" (%0, %1) {} : (tensor<2x3x1xi64>, tensor<1xi64>) -> tensor<2x3xi64>
    (%3) = "pd_op.transpose" (%2) {perm:[1,0]} : (tensor<2x3xi64>) -> tensor<3x2xi64>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<3x2xi64>) -> tensor<3x2xi64>
}

// -----
// Attention without a scale.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.self_dp_attention" (%0) {alpha:1,head_number:2
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,4,3,2,16]} : () -> tensor<1x4x3x2x16xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[2,0,3,1,4]} : (tensor<1x4x3x2x16xf32>) -> tensor<3x1x2x4x16xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%4) = "pd_op.slice" (%1, %2, %3) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<3x1x2x4x16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x4x16xf32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%6) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%7) = "pd_op.slice" (%1, %5, %6) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<3x1x2x4x16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x4x16xf32>
    (%8) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%9) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3]} : () -> tensor<1xi64>
    (%10) = "pd_op.slice" (%1, %8, %9) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<3x1x2x4x16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x4x16xf32>
    (%11) = "pd_op.transpose" (%7) {perm:[0,1,3,2]} : (tensor<1x2x4x16xf32>) -> tensor<1x2x16x4xf32>
    (%12) = "pd_op.matmul" (%4, %11) {transpose_x:false,transpose_y:false} : (tensor<1x2x4x16xf32>, tensor<1x2x16x4xf32>) -> tensor<1x2x4x4xf32>
    (%15) = "pd_op.softmax" (%12) {axis:-1} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    (%16) = "pd_op.matmul" (%15, %10) {transpose_x:false,transpose_y:false} : (tensor<1x2x4x4xf32>, tensor<1x2x4x16xf32>) -> tensor<1x2x4x16xf32>
    (%17) = "pd_op.transpose" (%16) {perm:[0,2,1,3]} : (tensor<1x2x4x16xf32>) -> tensor<1x4x2x16xf32>
    (%18) = "pd_op.fetch" (%17) {col:0,name:"fetch0"} : (tensor<1x4x2x16xf32>) -> tensor<1x4x2x16xf32>
}

// -----
// With one.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.softmax"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,4,3,2,16]} : () -> tensor<1x4x3x2x16xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[2,0,3,1,4]} : (tensor<1x4x3x2x16xf32>) -> tensor<3x1x2x4x16xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%4) = "pd_op.slice" (%1, %2, %3) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<3x1x2x4x16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x4x16xf32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%6) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%7) = "pd_op.slice" (%1, %5, %6) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<3x1x2x4x16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x4x16xf32>
    (%8) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%9) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3]} : () -> tensor<1xi64>
    (%10) = "pd_op.slice" (%1, %8, %9) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<3x1x2x4x16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x2x4x16xf32>
    (%11) = "pd_op.transpose" (%7) {perm:[0,1,3,2]} : (tensor<1x2x4x16xf32>) -> tensor<1x2x16x4xf32>
    (%12) = "pd_op.matmul" (%4, %11) {transpose_x:false,transpose_y:false} : (tensor<1x2x4x16xf32>, tensor<1x2x16x4xf32>) -> tensor<1x2x4x4xf32>
    (%13) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.25} : () -> tensor<1xf32>
    (%14) = "pd_op.scale" (%12, %13) {bias:0,bias_after_scale:true} : (tensor<1x2x4x4xf32>, tensor<1xf32>) -> tensor<1x2x4x4xf32>
    (%15) = "pd_op.softmax" (%14) {axis:-1} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    (%16) = "pd_op.matmul" (%15, %10) {transpose_x:false,transpose_y:false} : (tensor<1x2x4x4xf32>, tensor<1x2x4x16xf32>) -> tensor<1x2x4x16xf32>
    (%17) = "pd_op.transpose" (%16) {perm:[0,2,1,3]} : (tensor<1x2x4x16xf32>) -> tensor<1x4x2x16xf32>
    (%18) = "pd_op.fetch" (%17) {col:0,name:"fetch0"} : (tensor<1x4x2x16xf32>) -> tensor<1x4x2x16xf32>
}

// -----
// Activations behind softplus and arithmetic.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.fused_softplus"
// CHECK: fuse_activation:"tanh"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.softplus" (%0) {beta:2,threshold:15} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%2) = "pd_op.tanh" (%1) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"fetch0"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.softplus"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.softplus" (%0) {beta:1,threshold:20} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%2) = "pd_op.relu" (%1) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%3) = "pd_op.exp" (%1) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%4) = "pd_op.fetch" (%2) {col:0,name:"fetch0"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%5) = "pd_op.fetch" (%3) {col:1,name:"fetch1"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.fused_elementwise_sub" (%0, %1)
// CHECK: fuse_activation:"relu"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[8]} : () -> tensor<8xf32>
    (%2) = "pd_op.subtract" (%0, %1) {} : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
    (%3) = "pd_op.relu" (%2) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.divide"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%2) = "pd_op.divide" (%0, %1) {} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
    (%3) = "pd_op.relu" (%2) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
}

// -----
// Channels shuffled.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.shuffle_channel" (%0) {group:2
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,6,4,4]} : () -> tensor<-1x6x4x4xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1,2,3,4,4]} : () -> tensor<5xi64>
    (%2) = "pd_op.reshape" (%0, %1) {} : (tensor<-1x6x4x4xf32>, tensor<5xi64>) -> tensor<-1x2x3x4x4xf32>
    (%3) = "pd_op.transpose" (%2) {perm:[0,2,1,3,4]} : (tensor<-1x2x3x4x4xf32>) -> tensor<-1x3x2x4x4xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1,6,4,4]} : () -> tensor<4xi64>
    (%5) = "pd_op.reshape" (%3, %4) {} : (tensor<-1x3x2x4x4xf32>, tensor<4xi64>) -> tensor<-1x6x4x4xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<-1x6x4x4xf32>) -> tensor<-1x6x4x4xf32>
}

// -----
// The image is turned as well.
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: shuffle_channel
// CHECK: "pd_op.fetch"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,6,4,4]} : () -> tensor<2x6x4x4xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,2,3,4,4]} : () -> tensor<5xi64>
    (%2) = "pd_op.reshape" (%0, %1) {} : (tensor<2x6x4x4xf32>, tensor<5xi64>) -> tensor<2x2x3x4x4xf32>
    (%3) = "pd_op.transpose" (%2) {perm:[0,2,1,4,3]} : (tensor<2x2x3x4x4xf32>) -> tensor<2x3x2x4x4xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,6,4,4]} : () -> tensor<4xi64>
    (%5) = "pd_op.reshape" (%3, %4) {} : (tensor<2x3x2x4x4xf32>, tensor<4xi64>) -> tensor<2x6x4x4xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
}

// -----
// Scales.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.fused_elementwise_div"
// CHECK: fused_output_scale:0.25
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%2) = "pd_op.divide" (%0, %1) {} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.25} : () -> tensor<1xf32>
    (%4) = "pd_op.scale" (%2, %3) {bias:0,bias_after_scale:true} : (tensor<2x8xf32>, tensor<1xf32>) -> tensor<2x8xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.fc"
// CHECK: fused_output_scale:
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%3) = "onednn_op.fc" (%2, %1, %0) {activation_type:"",force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fused_output_scale:1,fused_reshape2_shape:[],in_num_col_dims:1,mkldnn_data_type:"float32",onednn_data_type:"",padding_weights:false,scale_in:1,scale_out:1,scale_weights:[1],use_quantizer:false} : (tensor<3x4xf32>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.25} : () -> tensor<1xf32>
    (%5) = "pd_op.scale" (%3, %4) {bias:0,bias_after_scale:true} : (tensor<3x5xf32>, tensor<1xf32>) -> tensor<3x5xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.fused_matmul" (%0, %1, %2)
// CHECK: fused_output_scale:0.25
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,4,5]} : () -> tensor<2x4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[2,3,5]} : () -> tensor<2x3x5xf32>
    (%3) = "onednn_op.fused_matmul" (%0, %1, %2) {force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fused_output_scale:1,fused_reshape_out:[],fused_reshape_x:[],fused_reshape_y:[],fused_transpose_out:[],fused_transpose_x:[],fused_transpose_y:[],matmul_alpha:1,mkldnn_data_type:"float32",onednn_data_type:"",scale_in_eltwise:0,scale_out:1,scale_x:1,scale_y:1,trans_x:false,trans_y:false} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.25} : () -> tensor<1xf32>
    (%5) = "pd_op.scale" (%3, %4) {bias:0,bias_after_scale:true} : (tensor<2x3x5xf32>, tensor<1xf32>) -> tensor<2x3x5xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.fused_matmul" (%0, %1, <<NULL VALUE>>)
// CHECK: fused_output_scale:
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,4,5]} : () -> tensor<2x4x5xf32>
    (%2) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.25} : () -> tensor<1xf32>
    (%4) = "pd_op.scale" (%2, %3) {bias:0,bias_after_scale:true} : (tensor<2x3x5xf32>, tensor<1xf32>) -> tensor<2x3x5xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: "pd_op.scale"
// CHECK: fuse_activation:"relu"
// CHECK: fused_output_scale:2
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[8]} : () -> tensor<8xf32>
    (%2) = "pd_op.subtract" (%0, %1) {} : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
    (%3) = "pd_op.relu" (%2) {} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
    (%5) = "pd_op.scale" (%3, %4) {bias:0,bias_after_scale:true} : (tensor<2x8xf32>, tensor<1xf32>) -> tensor<2x8xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
}

// -----
// One that only the run shows, and a second one stay.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.scale"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"s",place:Place(undefined:0),shape:[1]} : () -> tensor<1xf32>
    (%3) = "pd_op.add" (%0, %1) {} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
    (%4) = "pd_op.scale" (%3, %2) {bias:0,bias_after_scale:true} : (tensor<2x8xf32>, tensor<1xf32>) -> tensor<2x8xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.scale"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,4,5]} : () -> tensor<2x4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[2,3,5]} : () -> tensor<2x3x5xf32>
    (%3) = "onednn_op.fused_matmul" (%0, %1, %2) {force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fused_output_scale:2,fused_reshape_out:[],fused_reshape_x:[],fused_reshape_y:[],fused_transpose_out:[],fused_transpose_x:[],fused_transpose_y:[],matmul_alpha:1,mkldnn_data_type:"float32",onednn_data_type:"",scale_in_eltwise:0,scale_out:1,scale_x:1,scale_y:1,trans_x:false,trans_y:false} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.25} : () -> tensor<1xf32>
    (%5) = "pd_op.scale" (%3, %4) {bias:0,bias_after_scale:true} : (tensor<2x3x5xf32>, tensor<1xf32>) -> tensor<2x3x5xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
}

// -----
// New axes.
// CHECK-LABEL: {{^}}// -----
// CHECK: fused_unsqueeze2_axes:[0,2]
// CHECK: tensor<1x3x1x2xf32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[1,0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,2]} : () -> tensor<2xi64>
    (%3) = "pd_op.unsqueeze" (%1, %2) {} : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<1x3x1x2xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: fused_squeeze2_axes:[1],fused_unsqueeze2_axes:[0]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,1,3]} : () -> tensor<2x1x3xf32>
    (%1) = "onednn_op.fused_transpose" (%0) {axis:[1,0],data_format:"AnyLayout",fused_reshape2_shape:[],fused_squeeze2_axes:[1],fused_unsqueeze2_axes:[],mkldnn_data_type:"float32",onednn_data_type:"",output_data_type:"fp32",scale:1,shift:0} : (tensor<2x1x3xf32>) -> tensor<1x2x3xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%3) = "pd_op.unsqueeze" (%1, %2) {} : (tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<1x3x2xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.fused_elementwise_mul"
// CHECK: fused_unsqueeze2_axes:[-1]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%2) = "pd_op.multiply" (%0, %1) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%4) = "pd_op.unsqueeze" (%2, %3) {} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2x3x1xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK-NOT: "pd_op.unsqueeze"
// CHECK: fuse_activation:"relu"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%2) = "onednn_op.fused_elementwise_mul" (%0, %1) {axis:-1,fuse_activation:"relu",fuse_alpha:0,fuse_beta:0,fused_output_scale:1,fused_unsqueeze2_axes:[],scale_out:1,scale_x:1,scale_y:1} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%4) = "pd_op.unsqueeze" (%2, %3) {} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<1x2x3xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
}

// -----
// Not twice.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.unsqueeze"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,1,3]} : () -> tensor<2x1x3xf32>
    (%1) = "onednn_op.fused_transpose" (%0) {axis:[1,0],data_format:"AnyLayout",fused_reshape2_shape:[3,2],fused_squeeze2_axes:[1],fused_unsqueeze2_axes:[],mkldnn_data_type:"float32",onednn_data_type:"",output_data_type:"fp32",scale:1,shift:0} : (tensor<2x1x3xf32>) -> tensor<1x2x3xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%3) = "pd_op.unsqueeze" (%1, %2) {} : (tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<1x3x2xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.unsqueeze"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[1,0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%3) = "pd_op.unsqueeze" (%1, %2) {} : (tensor<3x2xf32>, tensor<1xi64>) -> tensor<1x3x2xf32>
    (%4) = "pd_op.exp" (%1) {} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    (%5) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
    (%6) = "pd_op.fetch" (%4) {col:1,name:"fetch1"} : (tensor<3x2xf32>) -> tensor<3x2xf32>
}

// -----
// Shapes.
// CHECK-LABEL: {{^}}// -----
// CHECK: "onednn_op.fc"
// CHECK: fused_reshape2_shape:[5,3]
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%3) = "onednn_op.fc" (%2, %1, %0) {activation_type:"",force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fused_output_scale:1,fused_reshape2_shape:[],in_num_col_dims:1,mkldnn_data_type:"float32",onednn_data_type:"",padding_weights:false,scale_in:1,scale_out:1,scale_weights:[1],use_quantizer:false} : (tensor<3x4xf32>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[5,3]} : () -> tensor<2xi64>
    (%5) = "pd_op.reshape" (%3, %4) {} : (tensor<3x5xf32>, tensor<2xi64>) -> tensor<5x3xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<5x3xf32>) -> tensor<5x3xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: fused_reshape2_shape:[6]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,1,3]} : () -> tensor<2x1x3xf32>
    (%1) = "onednn_op.fused_transpose" (%0) {axis:[1,0],data_format:"AnyLayout",fused_reshape2_shape:[],fused_squeeze2_axes:[1],fused_unsqueeze2_axes:[],mkldnn_data_type:"float32",onednn_data_type:"",output_data_type:"fp32",scale:1,shift:0} : (tensor<2x1x3xf32>) -> tensor<1x2x3xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[6]} : () -> tensor<1xi64>
    (%3) = "pd_op.reshape" (%1, %2) {} : (tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<6xf32>) -> tensor<6xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: fused_reshape2_shape:[3,8]
// CHECK: output_data_type:""
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[1,0,2]} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,8]} : () -> tensor<2xi64>
    (%3) = "pd_op.reshape" (%1, %2) {} : (tensor<3x2x4xf32>, tensor<2xi64>) -> tensor<3x8xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<3x8xf32>) -> tensor<3x8xf32>
}

// -----
// Not with an extent that stays, and not behind another op.
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.reshape"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[1,0,2]} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,8]} : () -> tensor<2xi64>
    (%3) = "pd_op.reshape" (%1, %2) {} : (tensor<3x2x4xf32>, tensor<2xi64>) -> tensor<3x8xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<3x8xf32>) -> tensor<3x8xf32>
}

// -----
// CHECK-LABEL: {{^}}// -----
// CHECK: "pd_op.reshape"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[6,4]} : () -> tensor<2xi64>
    (%3) = "pd_op.reshape" (%1, %2) {} : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<6x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<6x4xf32>) -> tensor<6x4xf32>
}
