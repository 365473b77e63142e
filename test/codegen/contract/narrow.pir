// Few rows times a parameter of bytes: packed weights stay bytes, and are widened as they are loaded. Many rows widen them once, when
// they are packed.
// RUN: pir-opt %s --split-input-file --passes=compile --emit=loops --target=x86-64-v4 | FileCheck %s
// CHECK: _pack: stage
// CHECK: b1: arg 1 out i8 align 64
// CHECK: f32x16({{b[0-9]+}}.i8x16(
// CHECK: // -----
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,256]} : () -> tensor<2x256xf32>
  (%w) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<256x96xi8>
  (%c) = "pd_op.cast" (%w) {dtype:float32} : (tensor<256x96xi8>) -> tensor<256x96xf32>
  (%0) = "pd_op.matmul" (%x, %c) {transpose_x:false,transpose_y:false} : (tensor<2x256xf32>, tensor<256x96xf32>) -> tensor<2x96xf32>
  (%1) = "pd_op.fetch" (%0) {col:(Int32)0,name:"out"} : (tensor<2x96xf32>) -> tensor<2x96xf32>
}

// -----
// CHECK: _pack: stage
// CHECK: b1: arg 1 out f32 align 64
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[64,256]} : () -> tensor<64x256xf32>
  (%w) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<256x96xi8>
  (%c) = "pd_op.cast" (%w) {dtype:float32} : (tensor<256x96xi8>) -> tensor<256x96xf32>
  (%0) = "pd_op.matmul" (%x, %c) {transpose_x:false,transpose_y:false} : (tensor<64x256xf32>, tensor<256x96xf32>) -> tensor<64x96xf32>
  (%1) = "pd_op.fetch" (%0) {col:(Int32)0,name:"out"} : (tensor<64x96xf32>) -> tensor<64x96xf32>
}
