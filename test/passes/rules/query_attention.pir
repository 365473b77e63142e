// Attention of one query over keys and values in rows, each rule by itself; query_attention.test has the numbers.

// RUN: pir-opt %s --split-input-file --passes=query_attention,dce | FileCheck %s

// CHECK-COUNT-4: "cinn_op.query_attention"
// CHECK-NOT: "pd_op.softmax"

{
    (%0) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[2,1,4,16]} : () -> tensor<2x1x4x16xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[2,-1,4,16]} : () -> tensor<2x-1x4x16xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"v",place:Place(undefined:0),shape:[2,-1,4,16]} : () -> tensor<2x-1x4x16xf32>
    (%3) = "pd_op.transpose" (%0) {perm:[0,2,1,3]} : (tensor<2x1x4x16xf32>) -> tensor<2x4x1x16xf32>
    (%4) = "pd_op.transpose" (%1) {perm:[0,2,1,3]} : (tensor<2x-1x4x16xf32>) -> tensor<2x4x-1x16xf32>
    (%5) = "pd_op.transpose" (%2) {perm:[0,2,1,3]} : (tensor<2x-1x4x16xf32>) -> tensor<2x4x-1x16xf32>
    (%6) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.25} : () -> tensor<1xf32>
    (%7) = "pd_op.matmul" (%3, %4) {transpose_x:false,transpose_y:true} : (tensor<2x4x1x16xf32>, tensor<2x4x-1x16xf32>) -> tensor<2x4x1x-1xf32>
    (%8) = "pd_op.scale" (%7, %6) {bias:0,bias_after_scale:true} : (tensor<2x4x1x-1xf32>, tensor<1xf32>) -> tensor<2x4x1x-1xf32>
    (%9) = "pd_op.softmax" (%8) {axis:-1} : (tensor<2x4x1x-1xf32>) -> tensor<2x4x1x-1xf32>
    (%10) = "pd_op.matmul" (%9, %5) {transpose_x:false,transpose_y:false} : (tensor<2x4x1x-1xf32>, tensor<2x4x-1x16xf32>) -> tensor<2x4x1x16xf32>
    (%11) = "pd_op.transpose" (%10) {perm:[0,2,1,3]} : (tensor<2x4x1x16xf32>) -> tensor<2x1x4x16xf32>
    (%12) = "pd_op.fetch" (%11) {col:0,name:"y"} : (tensor<2x1x4x16xf32>) -> tensor<2x1x4x16xf32>
}

// -----

{
    (%0) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[2,1,4,16]} : () -> tensor<2x1x4x16xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[2,-1,2,16]} : () -> tensor<2x-1x2x16xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"v",place:Place(undefined:0),shape:[2,-1,2,16]} : () -> tensor<2x-1x2x16xf32>
    (%3) = "pd_op.transpose" (%0) {perm:[0,2,1,3]} : (tensor<2x1x4x16xf32>) -> tensor<2x4x1x16xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3]} : () -> tensor<1xi64>
    (%5) = "pd_op.unsqueeze" (%1, %4) {} : (tensor<2x-1x2x16xf32>, tensor<1xi64>) -> tensor<2x-1x2x1x16xf32>
    (%6) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,1,1,2,1]} : () -> tensor<5xi64>
    (%7) = "pd_op.tile" (%5, %6) {} : (tensor<2x-1x2x1x16xf32>, tensor<5xi64>) -> tensor<2x-1x2x2x16xf32>
    (%8) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,-1,4,16]} : () -> tensor<4xi64>
    (%9) = "pd_op.reshape" (%7, %8) {} : (tensor<2x-1x2x2x16xf32>, tensor<4xi64>) -> tensor<2x-1x4x16xf32>
    (%10) = "pd_op.transpose" (%9) {perm:[0,2,1,3]} : (tensor<2x-1x4x16xf32>) -> tensor<2x4x-1x16xf32>
    (%11) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3]} : () -> tensor<1xi64>
    (%12) = "pd_op.unsqueeze" (%2, %11) {} : (tensor<2x-1x2x16xf32>, tensor<1xi64>) -> tensor<2x-1x2x1x16xf32>
    (%13) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,1,1,2,1]} : () -> tensor<5xi64>
    (%14) = "pd_op.tile" (%12, %13) {} : (tensor<2x-1x2x1x16xf32>, tensor<5xi64>) -> tensor<2x-1x2x2x16xf32>
    (%15) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,-1,4,16]} : () -> tensor<4xi64>
    (%16) = "pd_op.reshape" (%14, %15) {} : (tensor<2x-1x2x2x16xf32>, tensor<4xi64>) -> tensor<2x-1x4x16xf32>
    (%17) = "pd_op.transpose" (%16) {perm:[0,2,1,3]} : (tensor<2x-1x4x16xf32>) -> tensor<2x4x-1x16xf32>
    (%18) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.25} : () -> tensor<1xf32>
    (%19) = "pd_op.matmul" (%3, %10) {transpose_x:false,transpose_y:true} : (tensor<2x4x1x16xf32>, tensor<2x4x-1x16xf32>) -> tensor<2x4x1x-1xf32>
    (%20) = "pd_op.scale" (%19, %18) {bias:0,bias_after_scale:true} : (tensor<2x4x1x-1xf32>, tensor<1xf32>) -> tensor<2x4x1x-1xf32>
    (%21) = "pd_op.softmax" (%20) {axis:-1} : (tensor<2x4x1x-1xf32>) -> tensor<2x4x1x-1xf32>
    (%22) = "pd_op.matmul" (%21, %17) {transpose_x:false,transpose_y:false} : (tensor<2x4x1x-1xf32>, tensor<2x4x-1x16xf32>) -> tensor<2x4x1x16xf32>
    (%23) = "pd_op.transpose" (%22) {perm:[0,2,1,3]} : (tensor<2x4x1x16xf32>) -> tensor<2x1x4x16xf32>
    (%24) = "pd_op.fetch" (%23) {col:0,name:"y"} : (tensor<2x1x4x16xf32>) -> tensor<2x1x4x16xf32>
}

// -----

{
    (%0) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[2,1,4,16]} : () -> tensor<2x1x4x16xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[2,-1,2,16]} : () -> tensor<2x-1x2x16xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"v",place:Place(undefined:0),shape:[2,-1,2,16]} : () -> tensor<2x-1x2x16xf32>
    (%3) = "pd_op.transpose" (%0) {perm:[0,2,1,3]} : (tensor<2x1x4x16xf32>) -> tensor<2x4x1x16xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3]} : () -> tensor<1xi64>
    (%5) = "pd_op.unsqueeze" (%1, %4) {} : (tensor<2x-1x2x16xf32>, tensor<1xi64>) -> tensor<2x-1x2x1x16xf32>
    (%6) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,-1,2,2,16]} : () -> tensor<5xi64>
    (%7) = "pd_op.expand" (%5, %6) {} : (tensor<2x-1x2x1x16xf32>, tensor<5xi64>) -> tensor<2x-1x2x2x16xf32>
    (%8) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,-1,4,16]} : () -> tensor<4xi64>
    (%9) = "pd_op.reshape" (%7, %8) {} : (tensor<2x-1x2x2x16xf32>, tensor<4xi64>) -> tensor<2x-1x4x16xf32>
    (%10) = "pd_op.transpose" (%9) {perm:[0,2,1,3]} : (tensor<2x-1x4x16xf32>) -> tensor<2x4x-1x16xf32>
    (%11) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3]} : () -> tensor<1xi64>
    (%12) = "pd_op.unsqueeze" (%2, %11) {} : (tensor<2x-1x2x16xf32>, tensor<1xi64>) -> tensor<2x-1x2x1x16xf32>
    (%13) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,-1,2,2,16]} : () -> tensor<5xi64>
    (%14) = "pd_op.expand" (%12, %13) {} : (tensor<2x-1x2x1x16xf32>, tensor<5xi64>) -> tensor<2x-1x2x2x16xf32>
    (%15) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,-1,4,16]} : () -> tensor<4xi64>
    (%16) = "pd_op.reshape" (%14, %15) {} : (tensor<2x-1x2x2x16xf32>, tensor<4xi64>) -> tensor<2x-1x4x16xf32>
    (%17) = "pd_op.transpose" (%16) {perm:[0,2,1,3]} : (tensor<2x-1x4x16xf32>) -> tensor<2x4x-1x16xf32>
    (%18) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.25} : () -> tensor<1xf32>
    (%19) = "pd_op.matmul" (%3, %10) {transpose_x:false,transpose_y:true} : (tensor<2x4x1x16xf32>, tensor<2x4x-1x16xf32>) -> tensor<2x4x1x-1xf32>
    (%20) = "pd_op.scale" (%19, %18) {bias:0,bias_after_scale:true} : (tensor<2x4x1x-1xf32>, tensor<1xf32>) -> tensor<2x4x1x-1xf32>
    (%21) = "pd_op.softmax" (%20) {axis:-1} : (tensor<2x4x1x-1xf32>) -> tensor<2x4x1x-1xf32>
    (%22) = "pd_op.matmul" (%21, %17) {transpose_x:false,transpose_y:false} : (tensor<2x4x1x-1xf32>, tensor<2x4x-1x16xf32>) -> tensor<2x4x1x16xf32>
    (%23) = "pd_op.transpose" (%22) {perm:[0,2,1,3]} : (tensor<2x4x1x16xf32>) -> tensor<2x1x4x16xf32>
    (%24) = "pd_op.fetch" (%23) {col:0,name:"y"} : (tensor<2x1x4x16xf32>) -> tensor<2x1x4x16xf32>
}

// -----

{
    (%0) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[2,1,4,16]} : () -> tensor<2x1x4x16xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[2,-1,2,16]} : () -> tensor<2x-1x2x16xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"v",place:Place(undefined:0),shape:[2,-1,2,16]} : () -> tensor<2x-1x2x16xf32>
    (%3) = "pd_op.transpose" (%0) {perm:[0,2,1,3]} : (tensor<2x1x4x16xf32>) -> tensor<2x4x1x16xf32>
    (%4) = "pd_op.repeat_interleave" (%1) {axis:2,repeats:2} : (tensor<2x-1x2x16xf32>) -> tensor<2x-1x4x16xf32>
    (%5) = "pd_op.transpose" (%4) {perm:[0,2,1,3]} : (tensor<2x-1x4x16xf32>) -> tensor<2x4x-1x16xf32>
    (%6) = "pd_op.repeat_interleave" (%2) {axis:2,repeats:2} : (tensor<2x-1x2x16xf32>) -> tensor<2x-1x4x16xf32>
    (%7) = "pd_op.transpose" (%6) {perm:[0,2,1,3]} : (tensor<2x-1x4x16xf32>) -> tensor<2x4x-1x16xf32>
    (%8) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.25} : () -> tensor<1xf32>
    (%9) = "pd_op.matmul" (%3, %5) {transpose_x:false,transpose_y:true} : (tensor<2x4x1x16xf32>, tensor<2x4x-1x16xf32>) -> tensor<2x4x1x-1xf32>
    (%10) = "pd_op.scale" (%9, %8) {bias:0,bias_after_scale:true} : (tensor<2x4x1x-1xf32>, tensor<1xf32>) -> tensor<2x4x1x-1xf32>
    (%11) = "pd_op.softmax" (%10) {axis:-1} : (tensor<2x4x1x-1xf32>) -> tensor<2x4x1x-1xf32>
    (%12) = "pd_op.matmul" (%11, %7) {transpose_x:false,transpose_y:false} : (tensor<2x4x1x-1xf32>, tensor<2x4x-1x16xf32>) -> tensor<2x4x1x16xf32>
    (%13) = "pd_op.transpose" (%12) {perm:[0,2,1,3]} : (tensor<2x4x1x16xf32>) -> tensor<2x1x4x16xf32>
    (%14) = "pd_op.fetch" (%13) {col:0,name:"y"} : (tensor<2x1x4x16xf32>) -> tensor<2x1x4x16xf32>
}
