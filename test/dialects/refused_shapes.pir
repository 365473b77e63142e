// Operands that do not fit are refused, as Paddle refuses them: they broadcast, or were read beyond their ends.
// RUN: not pir-opt %s --split-input-file --passes=check 2>&1 | FileCheck %s
// CHECK: "pd_op.addmm" expects rank(x) == 2 && rank(y) == 2
// CHECK: "pd_op.bce_loss" expects each i < rank(input) : dim(input, i) == dim(label, i)
// CHECK: "pd_op.bilinear" expects !present(bias) || rank(bias) == 2 && dim(bias, 0) == 1
// CHECK: "pd_op.pad" expects each i < 2 * rank(x) : $paddings[i] >= 0
// CHECK: "pd_op.nll_loss" expects rank(input) == 2 || rank(label) == 3
// CHECK: "pd_op.scatter" expects rank(updates) == (rank(index) == 0 ? rank(x) - 1 : rank(x))
// CHECK: "pd_op.scatter_nd_add" expects each i < rank(updates)
// CHECK: "pd_op.layer_norm" expects !present(scale) || normed != 1 || dim(scale, 0) == dim(x, -1)
// CHECK: "pd_op.fused_softmax_mask" expects rank(x) == 4
// CHECK: "pd_op.huber_loss" expects each i < rank(input)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%1) = "pd_op.addmm" (%0, %0, %0) {alpha:1,beta:1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,1]} : () -> tensor<1x1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[3,3]} : () -> tensor<3x3xf32>
    (%2) = "pd_op.bce_loss" (%0, %1) {} : (tensor<1x1xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[5,3,3]} : () -> tensor<5x3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(undefined:0),shape:[2,5]} : () -> tensor<2x5xf32>
    (%3) = "pd_op.bilinear" (%0, %0, %1, %2) {} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<5x3x3xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf32>
    (%2) = "pd_op.pad" (%0, %1) {paddings:[-1,0]} : (tensor<4xf32>, tensor<1xf32>) -> tensor<3xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,2,2]} : () -> tensor<2x3x2x2xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"y",place:Place(undefined:0),shape:[2,2]} : () -> tensor<2x2xi64>
    (%2, %3) = "pd_op.nll_loss" (%0, %1, <<NULL VALUE>>) {ignore_index:-100,reduction:"mean"} : (tensor<2x3x2x2xf32>, tensor<2x2xi64>, <<NULL TYPE>>) -> tensor<f32>, tensor<f32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"i",place:Place(undefined:0),shape:[]} : () -> tensor<i64>
    (%2) = "pd_op.scatter" (%0, %1, %0) {overwrite:true} : (tensor<3x4xf32>, tensor<i64>, tensor<3x4xf32>) -> tensor<3x4xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,3]} : () -> tensor<4x3xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"i",place:Place(undefined:0),shape:[2,1]} : () -> tensor<2x1xi64>
    (%2) = "pd_op.data" () {dtype:float32,name:"u",place:Place(undefined:0),shape:[2,2]} : () -> tensor<2x2xf32>
    (%3) = "pd_op.scatter_nd_add" (%0, %1, %2) {} : (tensor<4x3xf32>, tensor<2x1xi64>, tensor<2x2xf32>) -> tensor<4x3xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,3]} : () -> tensor<4x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"s",place:Place(undefined:0),shape:[1]} : () -> tensor<1xf32>
    (%2, %3, %4) = "pd_op.layer_norm" (%0, %1, <<NULL VALUE>>) {begin_norm_axis:1,epsilon:1e-05} : (tensor<4x3xf32>, tensor<1xf32>, <<NULL TYPE>>) -> tensor<4x3xf32>, tensor<4xf32>, tensor<4xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,3]} : () -> tensor<3x3xf32>
    (%1) = "pd_op.fused_softmax_mask" (%0, %0) {} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,1]} : () -> tensor<2x1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,2]} : () -> tensor<2x2xf32>
    (%2, %3) = "pd_op.huber_loss" (%0, %1) {delta:0.5} : (tensor<2x1xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>, tensor<2x2xf32>
}
