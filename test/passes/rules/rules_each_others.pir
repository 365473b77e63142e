// RUN: pir-opt %s --split-input-file --verify-each --passes=add_norm_fuse_pass --trace-rewrites 2>&1 >/dev/null | FileCheck %s --check-prefix=ADDNORMFUSE --allow-empty
// RUN: pir-opt %s --split-input-file --verify-each --passes=auto_layout_insert_pass --trace-rewrites 2>&1 >/dev/null | FileCheck %s --check-prefix=AUTOLAYOUTINSERT --allow-empty
// RUN: pir-opt %s --split-input-file --verify-each --passes=auto_layout_simplify_pass --trace-rewrites 2>&1 >/dev/null | FileCheck %s --check-prefix=AUTOLAYOUTSIMPLIFY --allow-empty
// RUN: pir-opt %s --split-input-file --verify-each --passes=conv2d_transpose_bias_fuse_pass --trace-rewrites 2>&1 >/dev/null | FileCheck %s --check-prefix=CONVDTRANSPOSEBIASFUSE --allow-empty
// RUN: pir-opt %s --split-input-file --verify-each --passes=fused_gemm_epilogue_pass --trace-rewrites 2>&1 >/dev/null | FileCheck %s --check-prefix=FUSEDGEMMEPILOGUE --allow-empty
// RUN: pir-opt %s --split-input-file --verify-each --passes=fused_linear_param_grad_add_pass --trace-rewrites 2>&1 >/dev/null | FileCheck %s --check-prefix=FUSEDLINEARPARAMGRADADD --allow-empty
// RUN: pir-opt %s --split-input-file --verify-each --passes=onednn_placement_pass --trace-rewrites 2>&1 >/dev/null | FileCheck %s --check-prefix=ONEDNNPLACEMENT --allow-empty
// RUN: pir-opt %s --split-input-file --verify-each --passes=reshape_transpose_matmul_fuse_pass --trace-rewrites 2>&1 >/dev/null | FileCheck %s --check-prefix=RESHAPETRANSPOSEMATMULFUSE --allow-empty
// RUN: pir-opt %s --split-input-file --verify-each --passes=scale_matmul_fuse_pass --trace-rewrites 2>&1 >/dev/null | FileCheck %s --check-prefix=SCALEMATMULFUSE --allow-empty
// RUN: pir-opt %s --split-input-file --verify-each --passes=map_op_to_another_pass --trace-rewrites 2>&1 >/dev/null | FileCheck %s --check-prefix=MAPOPTOANOTHER --allow-empty

// Programs drawn for rules that no other test shows: each fires on one, and leaves one alone. That the numbers stay is
// checked by --check-rules, which draws them alike.
// ADDNORMFUSE: // add_norm_fuse.drr:{{[0-9]+}} rms_half{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:bfloat16,name:"a",place:Place(cpu),shape:[4,4]} : () -> tensor<4x4xbf16>
    (%1) = "pd_op.cast" (%0) {dtype:float32} : (tensor<4x4xbf16>) -> tensor<4x4xf32>
    (%2) = "pd_op.pow" (%1) {y:2} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%4) = "pd_op.mean" (%2, %3) {keepdim:true} : (tensor<4x4xf32>, tensor<1xi64>) -> tensor<4x1xf32>
    (%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%6) = "pd_op.scale" (%4, %5) {bias:0,bias_after_scale:true} : (tensor<4x1xf32>, tensor<1xf32>) -> tensor<4x1xf32>
    (%7) = "pd_op.rsqrt" (%6) {} : (tensor<4x1xf32>) -> tensor<4x1xf32>
    (%8) = "pd_op.multiply" (%7, %1) {} : (tensor<4x1xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    (%9) = "pd_op.cast" (%8) {dtype:bfloat16} : (tensor<4x4xf32>) -> tensor<4x4xbf16>
    (%10) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[4]} : () -> tensor<4xf32>
    (%11) = "pd_op.multiply" (%9, %10) {} : (tensor<4x4xbf16>, tensor<4xf32>) -> tensor<4x4xbf16>
    (%12) = "pd_op.fetch" (%11) {col:0,name:"out0"} : (tensor<4x4xbf16>) -> tensor<4x4xbf16>
}

// -----
// AUTOLAYOUTINSERT: // auto_layout_insert.drr:{{[0-9]+}} conv_transpose{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float64,name:"a",place:Place(cpu),shape:[1,3,7,2]} : () -> tensor<1x3x7x2xf64>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[3,4,4,4]} : () -> tensor<3x4x4x4xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[10,5]} : () -> tensor<2xi64>
    (%3) = "pd_op.conv2d_transpose" (%0, %1, %2) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<1x3x7x2xf64>, tensor<3x4x4x4xf32>, tensor<2xi64>) -> tensor<1x4x10x5xf64>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<1x4x10x5xf64>) -> tensor<1x4x10x5xf64>
}

// -----
// AUTOLAYOUTINSERT-NOT: // auto_layout_insert.drr:{{[0-9]+}} conv_transpose{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float64,name:"a",place:Place(cpu),shape:[1,3,7,2]} : () -> tensor<1x3x7x2xf64>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[2,4,4,4]} : () -> tensor<2x4x4x4xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[6,10]} : () -> tensor<2xi64>
    (%3) = "pd_op.conv2d_transpose" (%0, %1, %2) {data_format:"NHWC",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<1x3x7x2xf64>, tensor<2x4x4x4xf32>, tensor<2xi64>) -> tensor<1x6x10x4xf64>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<1x6x10x4xf64>) -> tensor<1x6x10x4xf64>
}

// -----
// AUTOLAYOUTINSERT: // auto_layout_insert.drr:{{[0-9]+}} fused{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[3,4,4,4]} : () -> tensor<3x4x4x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[4,4,4,5]} : () -> tensor<4x4x4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[1,4,1,1]} : () -> tensor<1x4x1x1xf32>
    (%3, %4) = "pd_op.fused_conv2d_add_act" (%0, %1, %2, <<NULL VALUE>>) {activation:"swish",data_format:"NCHW",dilations:[1,1],exhaustive_search:false,fuse_alpha:0,groups:1,padding_algorithm:"EXPLICIT",paddings:[1,3],split_channels:[],strides:[1,1],workspace_size_MB:3} : (tensor<3x4x4x4xf32>, tensor<4x4x4x5xf32>, tensor<1x4x1x1xf32>, <<NULL TYPE>>) -> tensor<3x4x3x6xf32>, tensor<-1xf32>
    (%5) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<3x4x3x6xf32>) -> tensor<3x4x3x6xf32>
}

// -----
// AUTOLAYOUTINSERT-NOT: // auto_layout_insert.drr:{{[0-9]+}} fused{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[-1,4,4,4]} : () -> tensor<-1x4x4x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[-1,4,4,5]} : () -> tensor<-1x4x4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[-1,4,1,1]} : () -> tensor<-1x4x1x1xf32>
    (%3, %4) = "pd_op.fused_conv2d_add_act" (%0, %1, %2, <<NULL VALUE>>) {activation:"swish",data_format:"NCHW",dilations:[1,1],exhaustive_search:false,fuse_alpha:0,groups:1,padding_algorithm:"EXPLICIT",paddings:[1,3],split_channels:[],strides:[1,1],workspace_size_MB:3} : (tensor<3x4x4x4xf32>, tensor<4x4x4x5xf32>, tensor<1x4x1x1xf32>, <<NULL TYPE>>) -> tensor<3x4x3x6xf32>, tensor<-1xf32>
    (%5) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<3x4x3x6xf32>) -> tensor<3x4x3x6xf32>
}
// -----
// AUTOLAYOUTINSERT: // auto_layout_insert.drr:{{[0-9]+}} fused_residual{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[4,2,4,4]} : () -> tensor<4x2x4x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[4,2,4,4]} : () -> tensor<4x2x4x4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[1,4,1,1]} : () -> tensor<1x4x1x1xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"d",place:Place(cpu),shape:[4,4,2,1]} : () -> tensor<4x4x2x1xf32>
    (%4, %5) = "pd_op.fused_conv2d_add_act" (%0, %1, %2, %3) {activation:"relu",data_format:"NCHW",dilations:[1,1],exhaustive_search:false,fuse_alpha:0,groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],split_channels:[],strides:[1,1],workspace_size_MB:32} : (tensor<4x2x4x4xf32>, tensor<4x2x4x4xf32>, tensor<1x4x1x1xf32>, tensor<4x4x2x1xf32>) -> tensor<4x4x2x1xf32>, tensor<-1xf32>
    (%6) = "pd_op.fetch" (%4) {col:0,name:"out0"} : (tensor<4x4x2x1xf32>) -> tensor<4x4x2x1xf32>
}

// -----
// AUTOLAYOUTINSERT-NOT: // auto_layout_insert.drr:{{[0-9]+}} fused_residual{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[-1,2,4,4]} : () -> tensor<-1x2x4x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[-1,2,4,4]} : () -> tensor<-1x2x4x4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[-1,4,1,1]} : () -> tensor<-1x4x1x1xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"d",place:Place(cpu),shape:[-1,4,2,1]} : () -> tensor<-1x4x2x1xf32>
    (%4, %5) = "pd_op.fused_conv2d_add_act" (%0, %1, %2, %3) {activation:"relu",data_format:"NCHW",dilations:[1,1],exhaustive_search:false,fuse_alpha:0,groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],split_channels:[],strides:[1,1],workspace_size_MB:32} : (tensor<4x2x4x4xf32>, tensor<4x2x4x4xf32>, tensor<1x4x1x1xf32>, tensor<4x4x2x1xf32>) -> tensor<4x4x2x1xf32>, tensor<-1xf32>
    (%6) = "pd_op.fetch" (%4) {col:0,name:"out0"} : (tensor<4x4x2x1xf32>) -> tensor<4x4x2x1xf32>
}
// -----
// AUTOLAYOUTSIMPLIFY: // auto_layout_simplify.drr:{{[0-9]+}} scale{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[7,1,5,7]} : () -> tensor<7x1x5x7xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[0,3,1,2]} : (tensor<7x1x5x7xf32>) -> tensor<7x7x1x5xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xf32>
    (%3) = "pd_op.scale" (%1, %2) {bias:0,bias_after_scale:true} : (tensor<7x7x1x5xf32>, tensor<1xf32>) -> tensor<7x7x1x5xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<7x7x1x5xf32>) -> tensor<7x7x1x5xf32>
}

// -----
// AUTOLAYOUTSIMPLIFY: // auto_layout_simplify.drr:{{[0-9]+}} with_parameter{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[4,4,4,4]} : () -> tensor<4x4x4x4xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[0,3,1,2]} : (tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<4x1x4x4xf32>
    (%3) = "pd_op.add" (%1, %2) {} : (tensor<4x4x4x4xf32>, tensor<4x1x4x4xf32>) -> tensor<4x4x4x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
}

// -----
// AUTOLAYOUTSIMPLIFY: // auto_layout_simplify.drr:{{[0-9]+}} depthwise{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[7,1,7,3]} : () -> tensor<7x1x7x3xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[0,3,1,2]} : (tensor<7x1x7x3xf32>) -> tensor<7x3x1x7xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[4,3,4,4]} : () -> tensor<4x3x4x4xf32>
    (%3) = "pd_op.depthwise_conv2d" (%1, %2) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[2,4],strides:[1,1]} : (tensor<7x3x1x7xf32>, tensor<4x3x4x4xf32>) -> tensor<7x4x2x12xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<7x4x2x12xf32>) -> tensor<7x4x2x12xf32>
}

// -----
// AUTOLAYOUTSIMPLIFY-NOT: // auto_layout_simplify.drr:{{[0-9]+}} depthwise{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[7,1,7,3]} : () -> tensor<7x1x7x3xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[0,3,1,2]} : (tensor<7x1x7x3xf32>) -> tensor<7x3x1x7xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[4,7,4,4]} : () -> tensor<4x7x4x4xf32>
    (%3) = "pd_op.depthwise_conv2d" (%1, %2) {data_format:"NHWC",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[2,4],strides:[1,1]} : (tensor<7x3x1x7xf32>, tensor<4x7x4x4xf32>) -> tensor<7x4x2x12xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<7x4x2x12xf32>) -> tensor<7x4x2x12xf32>
}

// -----
// AUTOLAYOUTSIMPLIFY: // auto_layout_simplify.drr:{{[0-9]+}} resize{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[4,4,4,4]} : () -> tensor<4x4x4x4xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[0,3,1,2]} : (tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
    (%2) = "pd_op.nearest_interp" (%1, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>) {align_corners:true,align_mode:1,data_format:"NCHW",interp_method:"bilinear",out_d:0,out_h:1,out_w:1,scale:[]} : (tensor<4x4x4x4xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<4x4x1x1xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"out0"} : (tensor<4x4x1x1xf32>) -> tensor<4x4x1x1xf32>
}

// -----
// AUTOLAYOUTSIMPLIFY: // auto_layout_simplify.drr:{{[0-9]+}} bias{{[:[]}}
{
    (%0) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<3xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,-1,1,1]} : () -> tensor<4xi64>
    (%2) = "pd_op.reshape" (%0, %1) {} : (tensor<3xf32>, tensor<4xi64>) -> tensor<1x3x1x1xf32>
    (%3) = "pd_op.transpose" (%2) {perm:[0,2,3,1]} : (tensor<1x3x1x1xf32>) -> tensor<1x1x1x3xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"y"} : (tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32>
}

// -----
// AUTOLAYOUTSIMPLIFY-NOT: // auto_layout_simplify.drr:{{[0-9]+}} scale{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[1,2,2,3]} : () -> tensor<1x2x2x3xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
    (%2) = "pd_op.transpose" (%0) {perm:[0,3,1,2]} : (tensor<1x2x2x3xf32>) -> tensor<1x3x2x2xf32>
    (%3) = "pd_op.scale" (%2, %1) {bias:0,bias_after_scale:true} : (tensor<1x3x2x2xf32>, tensor<1xf32>) -> tensor<1x3x2x2xf32>
    (%4) = "pd_op.softmax" (%2) {axis:1} : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
    (%5) = "pd_op.fetch" (%3) {col:0,name:"y"} : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
    (%6) = "pd_op.fetch" (%4) {col:1,name:"z"} : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
}

// -----
// CONVDTRANSPOSEBIASFUSE: // conv2d_transpose_bias_fuse.drr:{{[0-9]+}} bias{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float64,name:"a",place:Place(cpu),shape:[5,2,7,4]} : () -> tensor<5x2x7x4xf64>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[4,4,2,4]} : () -> tensor<4x4x2x4xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,10]} : () -> tensor<2xi64>
    (%3) = "pd_op.conv2d_transpose" (%0, %1, %2) {data_format:"NHWC",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<5x2x7x4xf64>, tensor<4x4x2x4xf32>, tensor<2xi64>) -> tensor<5x3x10x4xf64>
    (%4) = "builtin.parameter" () {parameter_name:"c"} : () -> tensor<4xf32>
    (%5) = "pd_op.add" (%3, %4) {} : (tensor<5x3x10x4xf64>, tensor<4xf32>) -> tensor<5x3x10x4xf64>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"out0"} : (tensor<5x3x10x4xf64>) -> tensor<5x3x10x4xf64>
}

// -----
// CONVDTRANSPOSEBIASFUSE: // conv2d_transpose_bias_fuse.drr:{{[0-9]+}} second_bias{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[4,1,6,2]} : () -> tensor<4x1x6x2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[2,4,2,4]} : () -> tensor<2x4x2x4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[4]} : () -> tensor<4xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,9]} : () -> tensor<2xi64>
    (%4) = "onednn_op.conv2d_transpose_bias" (%0, %1, %2, %3) {data_format:"NHWC",dilations:[1,1],force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fuse_relu:false,groups:1,is_test:false,mkldnn_data_type:"float32",onednn_data_type:"",output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<4x1x6x2xf32>, tensor<2x4x2x4xf32>, tensor<4xf32>, tensor<2xi64>) -> tensor<4x2x9x4xf32>
    (%5) = "builtin.parameter" () {parameter_name:"d"} : () -> tensor<4xf32>
    (%6) = "pd_op.add" (%4, %5) {} : (tensor<4x2x9x4xf32>, tensor<4xf32>) -> tensor<4x2x9x4xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"out0"} : (tensor<4x2x9x4xf32>) -> tensor<4x2x9x4xf32>
}

// -----
// FUSEDGEMMEPILOGUE: // fused_gemm_epilogue.drr:{{[0-9]+}} linear_relu{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[1,4]} : () -> tensor<1x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[4,1]} : () -> tensor<4x1xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[4]} : () -> tensor<4xf32>
    (%3, %4) = "pd_op.fused_gemm_epilogue" (%0, %1, %2) {activation:"none",trans_x:true,trans_y:true} : (tensor<1x4xf32>, tensor<4x1xf32>, tensor<4xf32>) -> tensor<4x4xf32>, tensor<4x4xf32>
    (%5) = "pd_op.relu" (%3) {} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"out0"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}

// -----
// FUSEDGEMMEPILOGUE: // fused_gemm_epilogue.drr:{{[0-9]+}} linear_gelu{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[1,4]} : () -> tensor<1x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[4,1]} : () -> tensor<4x1xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[4]} : () -> tensor<4xf32>
    (%3, %4) = "pd_op.fused_gemm_epilogue" (%0, %1, %2) {activation:"none",trans_x:true,trans_y:true} : (tensor<1x4xf32>, tensor<4x1xf32>, tensor<4xf32>) -> tensor<4x4xf32>, tensor<4x4xf32>
    (%5) = "pd_op.gelu" (%3) {approximate:true} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"out0"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}

// -----
// FUSEDGEMMEPILOGUE-NOT: // fused_gemm_epilogue.drr:{{[0-9]+}} linear_gelu{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[1,4]} : () -> tensor<1x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[4,1]} : () -> tensor<4x1xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[4]} : () -> tensor<4xf32>
    (%3, %4) = "pd_op.fused_gemm_epilogue" (%0, %1, %2) {activation:"none",trans_x:true,trans_y:true} : (tensor<1x4xf32>, tensor<4x1xf32>, tensor<4xf32>) -> tensor<4x4xf32>, tensor<4x4xf32>
    (%5) = "pd_op.gelu" (%3) {approximate:true} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"out0"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%7) = "pd_op.fetch" (%3) {col:1,name:"more"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}

// -----
// FUSEDLINEARPARAMGRADADD: // fused_linear_param_grad_add.drr:{{[0-9]+}} gradient{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[4,4,4,4]} : () -> tensor<4x4x4x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[4,4]} : () -> tensor<4x4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[4,4,4,4]} : () -> tensor<4x4x4x4xf32>
    (%3, %4) = "pd_op.matmul_grad" (%0, %1, %2) {transpose_x:false,transpose_y:false} : (tensor<4x4x4x4xf32>, tensor<4x4xf32>, tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>, tensor<4x4xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"d",place:Place(cpu),shape:[4,4]} : () -> tensor<4x4xf32>
    (%6) = "pd_op.add" (%5, %4) {} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"out0"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%8) = "pd_op.fetch" (%3) {col:1,name:"out1"} : (tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
}

// -----
// ONEDNNPLACEMENT-NOT: // onednn_placement.drr:{{[0-9]+}} sliced{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float16,name:"a",place:Place(cpu),shape:[2]} : () -> tensor<2xf16>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%3) = "pd_op.slice" (%0, %1, %2) {axes:[0],decrease_axis:[0],infer_flags:[-1]} : (tensor<2xf16>, tensor<1xi64>, tensor<1xi64>) -> tensor<f16>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out0"} : (tensor<f16>) -> tensor<f16>
}

// -----
// ONEDNNPLACEMENT: // onednn_placement.drr:{{[0-9]+}} energy{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[3,7,2,4]} : () -> tensor<3x7x2x4xf32>
    (%1, %2) = "pd_op.lrn" (%0) {alpha:0.0001,beta:1e-05,data_format:"AnyLayout",k:2,n:5} : (tensor<3x7x2x4xf32>) -> tensor<3x7x2x4xf32>, tensor<3x7x2x4xf32>
    (%3) = "pd_op.fetch" (%1) {col:0,name:"out0"} : (tensor<3x7x2x4xf32>) -> tensor<3x7x2x4xf32>
    (%4) = "pd_op.fetch" (%2) {col:1,name:"out1"} : (tensor<3x7x2x4xf32>) -> tensor<3x7x2x4xf32>
}

// -----
// RESHAPETRANSPOSEMATMULFUSE: // reshape_transpose_matmul_fuse.drr:{{[0-9]+}} of_fused_x{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float64,name:"a",place:Place(cpu),shape:[3,3,3,3]} : () -> tensor<3x3x3x3xf64>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,3,3,3]} : () -> tensor<4xi64>
    (%2) = "pd_op.reshape" (%0, %1) {} : (tensor<3x3x3x3xf64>, tensor<4xi64>) -> tensor<3x3x3x3xf64>
    (%3) = "pd_op.transpose" (%2) {perm:[3,1,0,2]} : (tensor<3x3x3x3xf64>) -> tensor<3x3x3x3xf64>
    (%4) = "pd_op.data" () {dtype:float64,name:"b",place:Place(cpu),shape:[7]} : () -> tensor<7xf64>
    (%5) = "onednn_op.fused_matmul" (%3, %4, <<NULL VALUE>>) {force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fused_output_scale:1,fused_reshape_out:[],fused_reshape_x:[],fused_reshape_y:[],fused_transpose_out:[],fused_transpose_x:[],fused_transpose_y:[],matmul_alpha:1e-05,mkldnn_data_type:"float32",onednn_data_type:"",scale_in_eltwise:0,scale_out:1,scale_x:1,scale_y:1,trans_x:true,trans_y:true} : (tensor<3x3x3x3xf64>, tensor<7xf64>, <<NULL TYPE>>) -> tensor<3x3x3xf64>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"out0"} : (tensor<3x3x3xf64>) -> tensor<3x3x3xf64>
}

// -----
// SCALEMATMULFUSE: // scale_matmul_fuse.drr:{{[0-9]+}} of_fused_x{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[3,2]} : () -> tensor<3x2xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
    (%2) = "pd_op.scale" (%0, %1) {bias:0,bias_after_scale:true} : (tensor<3x2xf32>, tensor<1xf32>) -> tensor<3x2xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[2,2,4,5]} : () -> tensor<2x2x4x5xf32>
    (%4) = "onednn_op.fused_matmul" (%2, %3, <<NULL VALUE>>) {force_fp32_output:false,fuse_activation:"",fuse_alpha:0,fuse_beta:0,fused_output_scale:0,fused_reshape_out:[],fused_reshape_x:[],fused_reshape_y:[],fused_transpose_out:[],fused_transpose_x:[],fused_transpose_y:[],matmul_alpha:1e-05,mkldnn_data_type:"float32",onednn_data_type:"",scale_in_eltwise:0,scale_out:1,scale_x:1,scale_y:1,trans_x:false,trans_y:true} : (tensor<3x2xf32>, tensor<2x2x4x5xf32>, <<NULL TYPE>>) -> tensor<2x2x3x4xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"out0"} : (tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32>
}

// -----
// MAPOPTOANOTHER-NOT: // map_op_to_another.drr:{{[0-9]+}} depthwise{{[:[]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[1,1,3,3]} : () -> tensor<1x1x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"f",place:Place(cpu),shape:[1,1,1,1]} : () -> tensor<1x1x1x1xf32>
    (%2) = "pd_op.depthwise_conv2d" (%0, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<1x1x3x3xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x3x3xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32>
}
