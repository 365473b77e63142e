// RUN: pir-opt %s --split-input-file --verify-each --passes=matmul_transpose_fuse,transpose_flatten_concat_fuse,remove_redundant_transpose | FileCheck %s

// All three at once: both operands and the result.
// CHECK:      (%2) = "pd_op.matmul" (%1, %0) {transpose_x:false,transpose_y:false}
// CHECK-NEXT: "pd_op.fetch" (%2)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,4,3]} : () -> tensor<2x4x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2,5,4]} : () -> tensor<2x5x4xf32>
    (%2) = "pd_op.transpose" (%0) {perm:[0,2,1]} : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
    (%3) = "pd_op.transpose" (%1) {perm:[0,2,1]} : (tensor<2x5x4xf32>) -> tensor<2x4x5xf32>
    (%4) = "pd_op.matmul" (%2, %3) {transpose_x:false,transpose_y:false} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    (%5) = "pd_op.transpose" (%4) {perm:[0,2,1]} : (tensor<2x3x5xf32>) -> tensor<2x5x3xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"z"} : (tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
}

// -----
// A batch axis moves: no flag says that. Two that undo each other go.
// CHECK: "pd_op.transpose" (%0) {perm:[2,0,1]}
// CHECK: "pd_op.transpose" (%1) {perm:[1,0,2]}
// CHECK: (%4) = "pd_op.matmul"
// CHECK: (%5) = "pd_op.transpose" (%4) {perm:[1,0,2]}
// CHECK-NEXT: "pd_op.fetch" (%5)
// CHECK-NEXT: "pd_op.fetch" (%0)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[3,4,2]} : () -> tensor<3x4x2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[4,2,5]} : () -> tensor<4x2x5xf32>
    (%2) = "pd_op.transpose" (%0) {perm:[2,0,1]} : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
    (%3) = "pd_op.transpose" (%1) {perm:[1,0,2]} : (tensor<4x2x5xf32>) -> tensor<2x4x5xf32>
    (%4) = "pd_op.matmul" (%2, %3) {transpose_x:false,transpose_y:false} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    (%5) = "pd_op.transpose" (%4) {perm:[1,0,2]} : (tensor<2x3x5xf32>) -> tensor<3x2x5xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"z"} : (tensor<3x2x5xf32>) -> tensor<3x2x5xf32>
    (%7) = "pd_op.transpose" (%0) {perm:[2,0,1]} : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
    (%8) = "pd_op.transpose" (%7) {perm:[1,2,0]} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
    (%9) = "pd_op.fetch" (%8) {col:1,name:"x2"} : (tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
}

// -----
// CHECK:      (%2) = "builtin.combine" (%0, %1)
// CHECK-NEXT: (%3) = "pd_op.fusion_transpose_flatten_concat" (%2) {concat_axis:1,flatten_axis:1,trans_axis:[0,2,3,1]}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3,4,5]} : () -> tensor<2x3x4x5xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2,3,2,2]} : () -> tensor<2x3x2x2xf32>
    (%2) = "pd_op.transpose" (%0) {perm:[0,2,3,1]} : (tensor<2x3x4x5xf32>) -> tensor<2x4x5x3xf32>
    (%3) = "pd_op.flatten" (%2) {start_axis:1,stop_axis:3} : (tensor<2x4x5x3xf32>) -> tensor<2x60xf32>
    (%4) = "pd_op.transpose" (%1) {perm:[0,2,3,1]} : (tensor<2x3x2x2xf32>) -> tensor<2x2x2x3xf32>
    (%5) = "pd_op.flatten" (%4) {start_axis:1,stop_axis:3} : (tensor<2x2x2x3xf32>) -> tensor<2x12xf32>
    (%6) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%7) = "builtin.combine" (%3, %5) {} : (tensor<2x60xf32>, tensor<2x12xf32>) -> vec[tensor<2x60xf32>,tensor<2x12xf32>]
    (%8) = "pd_op.concat" (%7, %6) {} : (vec[tensor<2x60xf32>,tensor<2x12xf32>], tensor<1xi32>) -> tensor<2x72xf32>
    (%9) = "pd_op.fetch" (%8) {col:0,name:"z"} : (tensor<2x72xf32>) -> tensor<2x72xf32>
}

// -----
// The two are turned differently.
// CHECK: "pd_op.transpose"
// CHECK: "pd_op.transpose"
// CHECK: "pd_op.concat"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3,4,5]} : () -> tensor<2x3x4x5xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2,3,2,2]} : () -> tensor<2x3x2x2xf32>
    (%2) = "pd_op.transpose" (%0) {perm:[0,2,3,1]} : (tensor<2x3x4x5xf32>) -> tensor<2x4x5x3xf32>
    (%3) = "pd_op.flatten" (%2) {start_axis:1,stop_axis:3} : (tensor<2x4x5x3xf32>) -> tensor<2x60xf32>
    (%4) = "pd_op.transpose" (%1) {perm:[0,3,2,1]} : (tensor<2x3x2x2xf32>) -> tensor<2x2x2x3xf32>
    (%5) = "pd_op.flatten" (%4) {start_axis:1,stop_axis:3} : (tensor<2x2x2x3xf32>) -> tensor<2x12xf32>
    (%6) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%7) = "builtin.combine" (%3, %5) {} : (tensor<2x60xf32>, tensor<2x12xf32>) -> vec[tensor<2x60xf32>,tensor<2x12xf32>]
    (%8) = "pd_op.concat" (%7, %6) {} : (vec[tensor<2x60xf32>,tensor<2x12xf32>], tensor<1xi32>) -> tensor<2x72xf32>
    (%9) = "pd_op.fetch" (%8) {col:0,name:"z"} : (tensor<2x72xf32>) -> tensor<2x72xf32>
}
