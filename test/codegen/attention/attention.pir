// What is attention to the grouping: the composite with its triangle is one group, turned results and all; scores that are
// handed out are not hidden in one.
// RUN: pir-opt %s --passes=canon,expand,dce,group --split-input-file | FileCheck %s
// RUN: pir-opt %s --pipeline=compile --emit=loops --split-input-file | FileCheck %s --check-prefix=LOOPS
// RUN: pir-opt %s --math=bf16 --target=sapphirerapids --emit=loops --split-input-file | FileCheck %s --check-prefix=TILES

// CHECK: "cinn_op.group" (
// CHECK-NOT: cinn_op.group
// CHECK: "pd_op.transpose"
// CHECK: "pd_op.triu"
// CHECK: "pd_op.divide"
// CHECK: "pd_op.matmul"
// CHECK: "pd_op.transpose"
// CHECK: "cf.yield"
// LOOPS: zip_lower
// LOOPS: zip_upper
{
    (%0) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[2,33,4,32]} : () -> tensor<2x33x4x32xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[2,33,4,32]} : () -> tensor<2x33x4x32xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"v",place:Place(undefined:0),shape:[2,33,4,32]} : () -> tensor<2x33x4x32xf32>
    (%3,%4,%5,%6) = "pd_op.flash_attn" (%0, %1, %2, <<NULL VALUE>>, <<NULL VALUE>>) {causal:true,dropout:0,is_test:true,return_softmax:false,rng_name:""} : (tensor<2x33x4x32xf32>, tensor<2x33x4x32xf32>, tensor<2x33x4x32xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x33x4x32xf32>, tensor<2x4x128x128xf32>, tensor<2x4x33xf32>, tensor<2xi64>
    (%7) = "pd_op.fetch" (%3) {col:0,name:"out"} : (tensor<2x33x4x32xf32>) -> tensor<2x33x4x32xf32>
}
// -----
// CHECK-COUNT-3: "cinn_op.group"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[2,20,32]} : () -> tensor<2x20x32xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[2,37,32]} : () -> tensor<2x37x32xf32>
    (%2) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:true} : (tensor<2x20x32xf32>, tensor<2x37x32xf32>) -> tensor<2x20x37xf32>
    (%3) = "pd_op.softmax" (%2) {axis:-1} : (tensor<2x20x37xf32>) -> tensor<2x20x37xf32>
    (%4) = "pd_op.matmul" (%3, %1) {transpose_x:false,transpose_y:false} : (tensor<2x20x37xf32>, tensor<2x37x32xf32>) -> tensor<2x20x32xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"out"} : (tensor<2x20x32xf32>) -> tensor<2x20x32xf32>
    (%6) = "pd_op.fetch" (%3) {col:1,name:"weights"} : (tensor<2x20x37xf32>) -> tensor<2x20x37xf32>
}
// -----
// An open number of keys: in tile registers both products are of bf16, in f32 else.
// CHECK:     "cinn_op.group"
// CHECK-NOT: "cinn_op.group"
// TILES:     tile_bf16 3, 5, 7
// TILES:     exp
// TILES:     tile_bf16 3, 5, 7
// TILES:     tile_release
{
    (%0) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[2,-1,64]} : () -> tensor<2x-1x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[2,-1,64]} : () -> tensor<2x-1x64xf32>
    (%2) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:true} : (tensor<2x-1x64xf32>, tensor<2x-1x64xf32>) -> tensor<2x-1x-1xf32>
    (%3) = "pd_op.softmax" (%2) {axis:-1} : (tensor<2x-1x-1xf32>) -> tensor<2x-1x-1xf32>
    (%4) = "pd_op.matmul" (%3, %1) {transpose_x:false,transpose_y:false} : (tensor<2x-1x-1xf32>, tensor<2x-1x64xf32>) -> tensor<2x-1x64xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"out"} : (tensor<2x-1x64xf32>) -> tensor<2x-1x64xf32>
}
