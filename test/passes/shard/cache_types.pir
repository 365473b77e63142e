// Keys are kept in another float type than the one that ops compute with.
// RUN: pir-opt %s --passes='shard{mesh=2,caches=split,rank=1}' -o %t.pir && FileCheck %s --input-file=%t.pir
// CHECK-DAG: name:"keys",place:Place(undefined:0),shape:[1,-1,2,2]} : () -> tensor<1x-1x2x2xf16>
// CHECK-DAG: name:"values",place:Place(undefined:0),shape:[1,2,-1,2]} : () -> tensor<1x2x-1x2xf32>
// CHECK-NOT: "pd_op.all_gather"
// CHECK-DAG: output_name:"next_keys"} : (tensor<1x-1x2x2xf16>)
// CHECK-DAG: output_name:"next_values"} : (tensor<1x2x-1x2xf32>)
{
    (%0) = "builtin.parameter" () {parameter_name:"o"} : () -> tensor<8x8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"v"} : () -> tensor<8x8xf32>
    (%2) = "builtin.parameter" () {parameter_name:"k"} : () -> tensor<8x8xf32>
    (%3) = "builtin.parameter" () {parameter_name:"q"} : () -> tensor<8x8xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,1,8]} : () -> tensor<1x1x8xf32>
    (%5) = "pd_op.data" () {dtype:float16,name:"keys",place:Place(undefined:0),shape:[1,-1,4,2]} : () -> tensor<1x-1x4x2xf16>
    (%40) = "pd_op.cast" (%5) {dtype:float32} : (tensor<1x-1x4x2xf16>) -> tensor<1x-1x4x2xf32>
    (%6) = "pd_op.data" () {dtype:float32,name:"values",place:Place(undefined:0),shape:[1,4,-1,2]} : () -> tensor<1x4x-1x2xf32>
    (%7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,0,4,2]} : () -> tensor<4xi64>
    (%8) = "pd_op.matmul" (%4, %3) {transpose_x:false,transpose_y:false} : (tensor<1x1x8xf32>, tensor<8x8xf32>) -> tensor<1x1x8xf32>
    (%9) = "pd_op.reshape" (%8, %7) {} : (tensor<1x1x8xf32>, tensor<4xi64>) -> tensor<1x1x4x2xf32>
    (%10) = "pd_op.transpose" (%9) {perm:[0,2,1,3]} : (tensor<1x1x4x2xf32>) -> tensor<1x4x1x2xf32>
    (%11) = "pd_op.matmul" (%4, %2) {transpose_x:false,transpose_y:false} : (tensor<1x1x8xf32>, tensor<8x8xf32>) -> tensor<1x1x8xf32>
    (%12) = "pd_op.reshape" (%11, %7) {} : (tensor<1x1x8xf32>, tensor<4xi64>) -> tensor<1x1x4x2xf32>
    (%13) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%14) = "builtin.combine" (%40, %12) {} : (tensor<1x-1x4x2xf32>, tensor<1x1x4x2xf32>) -> vec[tensor<1x-1x4x2xf32>,tensor<1x1x4x2xf32>]
    (%15) = "pd_op.concat" (%14, %13) {} : (vec[tensor<1x-1x4x2xf32>,tensor<1x1x4x2xf32>], tensor<1xi32>) -> tensor<1x-1x4x2xf32>
    (%16) = "pd_op.transpose" (%15) {perm:[0,2,1,3]} : (tensor<1x-1x4x2xf32>) -> tensor<1x4x-1x2xf32>
    (%17) = "pd_op.matmul" (%4, %1) {transpose_x:false,transpose_y:false} : (tensor<1x1x8xf32>, tensor<8x8xf32>) -> tensor<1x1x8xf32>
    (%18) = "pd_op.reshape" (%17, %7) {} : (tensor<1x1x8xf32>, tensor<4xi64>) -> tensor<1x1x4x2xf32>
    (%19) = "pd_op.transpose" (%18) {perm:[0,2,1,3]} : (tensor<1x1x4x2xf32>) -> tensor<1x4x1x2xf32>
    (%20) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi32>
    (%21) = "builtin.combine" (%6, %19) {} : (tensor<1x4x-1x2xf32>, tensor<1x4x1x2xf32>) -> vec[tensor<1x4x-1x2xf32>,tensor<1x4x1x2xf32>]
    (%22) = "pd_op.concat" (%21, %20) {} : (vec[tensor<1x4x-1x2xf32>,tensor<1x4x1x2xf32>], tensor<1xi32>) -> tensor<1x4x-1x2xf32>
    (%23) = "pd_op.matmul" (%10, %16) {transpose_x:false,transpose_y:true} : (tensor<1x4x1x2xf32>, tensor<1x4x-1x2xf32>) -> tensor<1x4x1x-1xf32>
    (%24) = "pd_op.softmax" (%23) {axis:-1} : (tensor<1x4x1x-1xf32>) -> tensor<1x4x1x-1xf32>
    (%25) = "pd_op.matmul" (%24, %22) {transpose_x:false,transpose_y:false} : (tensor<1x4x1x-1xf32>, tensor<1x4x-1x2xf32>) -> tensor<1x4x1x2xf32>
    (%26) = "pd_op.transpose" (%25) {perm:[0,2,1,3]} : (tensor<1x4x1x2xf32>) -> tensor<1x1x4x2xf32>
    (%27) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,0,8]} : () -> tensor<3xi64>
    (%28) = "pd_op.reshape" (%26, %27) {} : (tensor<1x1x4x2xf32>, tensor<3xi64>) -> tensor<1x1x8xf32>
    (%29) = "pd_op.matmul" (%28, %0) {transpose_x:false,transpose_y:false} : (tensor<1x1x8xf32>, tensor<8x8xf32>) -> tensor<1x1x8xf32>
    (%30) = "pd_op.shape64" (%40) {} : (tensor<1x-1x4x2xf32>) -> tensor<4xi64>
    (%31) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%32) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3]} : () -> tensor<1xi64>
    (%33) = "pd_op.slice" (%30, %31, %32) {axes:[0],decrease_axis:[],infer_flags:[1]} : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    (%34) = "pd_op.cast" (%33) {dtype:float32} : (tensor<2xi64>) -> tensor<2xf32>
    (%35) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%36) = "pd_op.sum" (%34, %35) {dtype:float32,keepdim:true} : (tensor<2xf32>, tensor<1xi64>) -> tensor<1xf32>
    (%37) = "pd_op.add" (%29, %36) {} : (tensor<1x1x8xf32>, tensor<1xf32>) -> tensor<1x1x8xf32>
    () = "builtin.shadow_output" (%37) {output_name:"y"} : (tensor<1x1x8xf32>) ->
    (%41) = "pd_op.cast" (%15) {dtype:float16} : (tensor<1x-1x4x2xf32>) -> tensor<1x-1x4x2xf16>
    () = "builtin.shadow_output" (%41) {output_name:"next_keys"} : (tensor<1x-1x4x2xf16>) ->
    () = "builtin.shadow_output" (%22) {output_name:"next_values"} : (tensor<1x4x-1x2xf32>) ->
}
