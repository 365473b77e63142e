// Norms that have no kernel for integers refuse them: their inverse deviations would be integers on the way.
// RUN: not pir-opt %s --split-input-file --passes=check 2>&1 | FileCheck %s
// CHECK: error: "pd_op.rms_norm" operand x
// CHECK: error: "pd_op.add_group_norm_silu" operand x
// CHECK: error: "pd_op.skip_layernorm" operand x
{
    (%x) = "pd_op.data" () {dtype:int8,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xi8>
    (%y, %v) = "pd_op.rms_norm" (%x, <<NULL VALUE>>) {epsilon:2,normalized_shape:[3]} : (tensor<2x3xi8>, <<NULL TYPE>>) -> tensor<2x3xi8>, tensor<2xf32>
    (%f) = "pd_op.fetch" (%v) {col:0,name:"v"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----

{
    (%x) = "pd_op.data" () {dtype:int8,name:"x",place:Place(undefined:0),shape:[2,4,3,3]} : () -> tensor<2x4x3x3xi8>
    (%y, %r, %m, %v) = "pd_op.add_group_norm_silu" (%x, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>) {activation:"",data_format:"NCHW",epsilon:1e-05,groups:2} : (tensor<2x4x3x3xi8>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x4x3x3xi8>, tensor<2x4x3x3xi8>, tensor<2x2xf32>, tensor<2x2xf32>
    (%f) = "pd_op.fetch" (%m) {col:0,name:"m"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
}

// -----

{
    (%x) = "pd_op.data" () {dtype:int64,name:"x",place:Place(undefined:0),shape:[2,4]} : () -> tensor<2x4xi64>
    (%w) = "pd_op.data" () {dtype:int64,name:"w",place:Place(undefined:0),shape:[4]} : () -> tensor<4xi64>
    (%y) = "pd_op.skip_layernorm" (%x, %x, %w, %w) {begin_norm_axis:1,epsilon:1e-05} : (tensor<2x4xi64>, tensor<2x4xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<2x4xi64>
    (%f) = "pd_op.fetch" (%y) {col:0,name:"y"} : (tensor<2x4xi64>) -> tensor<2x4xi64>
}
