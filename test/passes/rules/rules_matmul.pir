// Fusions around products: each fires once and is refused once.
// RUN: pir-opt %s --split-input-file --verify-each --passes=multihead_matmul_fuse,matmul_reshape_add_fuse,matmul_add_act_fuse | FileCheck %s

// A layer with relu.
// CHECK: "pd_op.fc" (%2, %1, %0) {activation_type:"relu",in_num_col_dims:2,padding_weights:false}
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,3,4]} : () -> tensor<-1x3x4xf32>
    (%3) = "pd_op.matmul" (%2, %1) {transpose_x:false,transpose_y:false} : (tensor<-1x3x4xf32>, tensor<4x5xf32>) -> tensor<-1x3x5xf32>
    (%4) = "pd_op.add" (%3, %0) {} : (tensor<-1x3x5xf32>, tensor<5xf32>) -> tensor<-1x3x5xf32>
    (%5) = "pd_op.relu" (%4) {} : (tensor<-1x3x5xf32>) -> tensor<-1x3x5xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<-1x3x5xf32>) -> tensor<-1x3x5xf32>
}

// -----
// Weights the other way.
// CHECK-NOT: "pd_op.fc"
// CHECK: "pd_op.matmul"
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<5x4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%3) = "pd_op.matmul" (%2, %1) {transpose_x:false,transpose_y:true} : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
    (%4) = "pd_op.add" (%3, %0) {} : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}

// -----
// Reshaped before; the reshape behind it goes, as it changes nothing.
// CHECK: (%[[#Y:]]) = "pd_op.fc"
// CHECK-NEXT: "pd_op.fetch" (%[[#Y]])
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<2x2x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,2,2]} : () -> tensor<3x2x2xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,4]} : () -> tensor<2xi64>
    (%4) = "pd_op.reshape" (%2, %3) {} : (tensor<3x2x2xf32>, tensor<2xi64>) -> tensor<3x4xf32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,5]} : () -> tensor<2xi64>
    (%6) = "pd_op.reshape" (%1, %5) {} : (tensor<2x2x5xf32>, tensor<2xi64>) -> tensor<4x5xf32>
    (%7) = "pd_op.matmul" (%4, %6) {transpose_x:false,transpose_y:false} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    (%8) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,5]} : () -> tensor<2xi64>
    (%9) = "pd_op.reshape" (%7, %8) {} : (tensor<3x5xf32>, tensor<2xi64>) -> tensor<3x5xf32>
    (%10) = "pd_op.add" (%9, %0) {} : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
    (%11) = "pd_op.fetch" (%10) {col:0,name:"fetch0"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}

// -----
// Here it stays.
// CHECK: (%[[#Y:]]) = "pd_op.fc"
// CHECK: "pd_op.reshape" (%[[#Y]]
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<4x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[6,4]} : () -> tensor<2xi64>
    (%4) = "pd_op.reshape" (%2, %3) {} : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<6x4xf32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,5]} : () -> tensor<2xi64>
    (%6) = "pd_op.reshape" (%1, %5) {} : (tensor<4x5xf32>, tensor<2xi64>) -> tensor<4x5xf32>
    (%7) = "pd_op.matmul" (%4, %6) {transpose_x:false,transpose_y:false} : (tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>
    (%8) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,3,5]} : () -> tensor<3xi64>
    (%9) = "pd_op.reshape" (%7, %8) {} : (tensor<6x5xf32>, tensor<3xi64>) -> tensor<2x3x5xf32>
    (%10) = "pd_op.add" (%9, %0) {} : (tensor<2x3x5xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
    (%11) = "pd_op.fetch" (%10) {col:0,name:"fetch0"} : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
}

// -----
// No bias.
// CHECK-NOT: "pd_op.fc"
// CHECK: "pd_op.add"
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<3x5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<2x2x5xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,2,2]} : () -> tensor<3x2x2xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,4]} : () -> tensor<2xi64>
    (%4) = "pd_op.reshape" (%2, %3) {} : (tensor<3x2x2xf32>, tensor<2xi64>) -> tensor<3x4xf32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,5]} : () -> tensor<2xi64>
    (%6) = "pd_op.reshape" (%1, %5) {} : (tensor<2x2x5xf32>, tensor<2xi64>) -> tensor<4x5xf32>
    (%7) = "pd_op.matmul" (%4, %6) {transpose_x:false,transpose_y:false} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    (%8) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,5]} : () -> tensor<2xi64>
    (%9) = "pd_op.reshape" (%7, %8) {} : (tensor<3x5xf32>, tensor<2xi64>) -> tensor<3x5xf32>
    (%10) = "pd_op.add" (%9, %0) {} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
    (%11) = "pd_op.fetch" (%10) {col:0,name:"fetch0"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
}

// -----
// Attention with a mask.
// CHECK: "pd_op.multihead_matmul" (%7, %{{[0-9]+}}, %{{[0-9]+}}, %0) {alpha:0.5,head_number:2,transpose_k:true
{
    (%0) = "pd_op.data" () {dtype:float32,name:"m",place:Place(undefined:0),shape:[2,2,4,4]} : () -> tensor<2x2x4x4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p5"} : () -> tensor<8xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p4"} : () -> tensor<8x8xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<8xf32>
    (%4) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<8x8xf32>
    (%5) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<8xf32>
    (%6) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<8x8xf32>
    (%7) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,4,8]} : () -> tensor<2x4x8xf32>
    (%8) = "pd_op.matmul" (%7, %6) {transpose_x:false,transpose_y:false} : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
    (%9) = "pd_op.add" (%8, %5) {} : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
    (%10) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,4,2,4]} : () -> tensor<4xi64>
    (%11) = "pd_op.reshape" (%9, %10) {} : (tensor<2x4x8xf32>, tensor<4xi64>) -> tensor<2x4x2x4xf32>
    (%12) = "pd_op.transpose" (%11) {perm:[0,2,1,3]} : (tensor<2x4x2x4xf32>) -> tensor<2x2x4x4xf32>
    (%13) = "pd_op.matmul" (%7, %4) {transpose_x:false,transpose_y:false} : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
    (%14) = "pd_op.add" (%13, %3) {} : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
    (%15) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,4,2,4]} : () -> tensor<4xi64>
    (%16) = "pd_op.reshape" (%14, %15) {} : (tensor<2x4x8xf32>, tensor<4xi64>) -> tensor<2x4x2x4xf32>
    (%17) = "pd_op.transpose" (%16) {perm:[0,2,1,3]} : (tensor<2x4x2x4xf32>) -> tensor<2x2x4x4xf32>
    (%18) = "pd_op.matmul" (%7, %2) {transpose_x:false,transpose_y:false} : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
    (%19) = "pd_op.add" (%18, %1) {} : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
    (%20) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,4,2,4]} : () -> tensor<4xi64>
    (%21) = "pd_op.reshape" (%19, %20) {} : (tensor<2x4x8xf32>, tensor<4xi64>) -> tensor<2x4x2x4xf32>
    (%22) = "pd_op.transpose" (%21) {perm:[0,2,1,3]} : (tensor<2x4x2x4xf32>) -> tensor<2x2x4x4xf32>
    (%23) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xf32>
    (%24) = "pd_op.scale" (%12, %23) {bias:0,bias_after_scale:true} : (tensor<2x2x4x4xf32>, tensor<1xf32>) -> tensor<2x2x4x4xf32>
    (%25) = "pd_op.matmul" (%24, %17) {transpose_x:false,transpose_y:true} : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    (%26) = "pd_op.add" (%25, %0) {} : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    (%27) = "pd_op.softmax" (%26) {axis:-1} : (tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    (%28) = "pd_op.matmul" (%27, %22) {transpose_x:false,transpose_y:false} : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    (%29) = "pd_op.transpose" (%28) {perm:[0,2,1,3]} : (tensor<2x2x4x4xf32>) -> tensor<2x4x2x4xf32>
    (%30) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,4,8]} : () -> tensor<3xi64>
    (%31) = "pd_op.reshape" (%29, %30) {} : (tensor<2x4x2x4xf32>, tensor<3xi64>) -> tensor<2x4x8xf32>
    (%32) = "pd_op.fetch" (%31) {col:0,name:"fetch0"} : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
}

// -----
// Attention of one projection.
// CHECK: "pd_op.multihead_matmul" (%2, %{{[0-9]+}}, %{{[0-9]+}}, <<NULL VALUE>>) {alpha:0.5,head_number:2,transpose_k:false
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<24xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<8x24xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,4,8]} : () -> tensor<2x4x8xf32>
    (%3) = "pd_op.matmul" (%2, %1) {transpose_x:false,transpose_y:false} : (tensor<2x4x8xf32>, tensor<8x24xf32>) -> tensor<2x4x24xf32>
    (%4) = "pd_op.add" (%3, %0) {} : (tensor<2x4x24xf32>, tensor<24xf32>) -> tensor<2x4x24xf32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,4,3,2,4]} : () -> tensor<5xi64>
    (%6) = "pd_op.reshape" (%4, %5) {} : (tensor<2x4x24xf32>, tensor<5xi64>) -> tensor<2x4x3x2x4xf32>
    (%7) = "pd_op.transpose" (%6) {perm:[2,0,3,1,4]} : (tensor<2x4x3x2x4xf32>) -> tensor<3x2x2x4x4xf32>
    (%8) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%9) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%10) = "pd_op.slice" (%7, %8, %9) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<3x2x2x4x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x2x4x4xf32>
    (%11) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%12) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%13) = "pd_op.slice" (%7, %11, %12) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<3x2x2x4x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x2x4x4xf32>
    (%14) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%15) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3]} : () -> tensor<1xi64>
    (%16) = "pd_op.slice" (%7, %14, %15) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<3x2x2x4x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x2x4x4xf32>
    (%17) = "pd_op.transpose" (%13) {perm:[0,1,3,2]} : (tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    (%18) = "pd_op.matmul" (%10, %17) {transpose_x:false,transpose_y:false} : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    (%19) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xf32>
    (%20) = "pd_op.scale" (%18, %19) {bias:0,bias_after_scale:true} : (tensor<2x2x4x4xf32>, tensor<1xf32>) -> tensor<2x2x4x4xf32>
    (%21) = "pd_op.softmax" (%20) {axis:-1} : (tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    (%22) = "pd_op.matmul" (%21, %16) {transpose_x:false,transpose_y:false} : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    (%23) = "pd_op.transpose" (%22) {perm:[0,2,1,3]} : (tensor<2x2x4x4xf32>) -> tensor<2x4x2x4xf32>
    (%24) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,4,8]} : () -> tensor<3xi64>
    (%25) = "pd_op.reshape" (%23, %24) {} : (tensor<2x4x2x4xf32>, tensor<3xi64>) -> tensor<2x4x8xf32>
    (%26) = "pd_op.fetch" (%25) {col:0,name:"fetch0"} : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
}

// -----
// The weights are read elsewhere.
// CHECK-NOT: "pd_op.multihead_matmul"
// CHECK: "pd_op.softmax"
{
    (%0) = "builtin.parameter" () {parameter_name:"p5"} : () -> tensor<8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p4"} : () -> tensor<8x8xf32>
    (%2) = "builtin.parameter" () {parameter_name:"p3"} : () -> tensor<8xf32>
    (%3) = "builtin.parameter" () {parameter_name:"p2"} : () -> tensor<8x8xf32>
    (%4) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<8xf32>
    (%5) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<8x8xf32>
    (%6) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,4,8]} : () -> tensor<2x4x8xf32>
    (%7) = "pd_op.matmul" (%6, %5) {transpose_x:false,transpose_y:false} : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
    (%8) = "pd_op.add" (%7, %4) {} : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
    (%9) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,4,2,4]} : () -> tensor<4xi64>
    (%10) = "pd_op.reshape" (%8, %9) {} : (tensor<2x4x8xf32>, tensor<4xi64>) -> tensor<2x4x2x4xf32>
    (%11) = "pd_op.transpose" (%10) {perm:[0,2,1,3]} : (tensor<2x4x2x4xf32>) -> tensor<2x2x4x4xf32>
    (%12) = "pd_op.matmul" (%6, %3) {transpose_x:false,transpose_y:false} : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
    (%13) = "pd_op.add" (%12, %2) {} : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
    (%14) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,4,2,4]} : () -> tensor<4xi64>
    (%15) = "pd_op.reshape" (%13, %14) {} : (tensor<2x4x8xf32>, tensor<4xi64>) -> tensor<2x4x2x4xf32>
    (%16) = "pd_op.transpose" (%15) {perm:[0,2,1,3]} : (tensor<2x4x2x4xf32>) -> tensor<2x2x4x4xf32>
    (%17) = "pd_op.matmul" (%6, %1) {transpose_x:false,transpose_y:false} : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
    (%18) = "pd_op.add" (%17, %0) {} : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
    (%19) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,4,2,4]} : () -> tensor<4xi64>
    (%20) = "pd_op.reshape" (%18, %19) {} : (tensor<2x4x8xf32>, tensor<4xi64>) -> tensor<2x4x2x4xf32>
    (%21) = "pd_op.transpose" (%20) {perm:[0,2,1,3]} : (tensor<2x4x2x4xf32>) -> tensor<2x2x4x4xf32>
    (%22) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xf32>
    (%23) = "pd_op.scale" (%11, %22) {bias:0,bias_after_scale:true} : (tensor<2x2x4x4xf32>, tensor<1xf32>) -> tensor<2x2x4x4xf32>
    (%24) = "pd_op.matmul" (%23, %16) {transpose_x:false,transpose_y:true} : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    (%25) = "pd_op.softmax" (%24) {axis:-1} : (tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    (%26) = "pd_op.matmul" (%25, %21) {transpose_x:false,transpose_y:false} : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    (%27) = "pd_op.transpose" (%26) {perm:[0,2,1,3]} : (tensor<2x2x4x4xf32>) -> tensor<2x4x2x4xf32>
    (%28) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,4,8]} : () -> tensor<3xi64>
    (%29) = "pd_op.reshape" (%27, %28) {} : (tensor<2x4x2x4xf32>, tensor<3xi64>) -> tensor<2x4x8xf32>
    (%30) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%31) = "pd_op.scale" (%25, %30) {bias:0,bias_after_scale:true} : (tensor<2x2x4x4xf32>, tensor<1xf32>) -> tensor<2x2x4x4xf32>
    (%32) = "pd_op.fetch" (%29) {col:0,name:"fetch0"} : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    (%33) = "pd_op.fetch" (%31) {col:1,name:"fetch1"} : (tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
}
