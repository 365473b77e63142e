// Slopes of prelu belong to a channel or to an element; both parts of swiglu have one shape.
// RUN: not pir-opt --passes=check --split-input-file %s 2>&1 | FileCheck %s
// CHECK: "pd_op.prelu" expects $mode != "channel" || numel(alpha) == dim(x, $data_format == "NHWC" ? rank(x) - 1 : 1), found x [2,3,4], alpha [4]
// CHECK: "pd_op.prelu" expects $mode != "element" || rank(alpha) == rank(x) && numel(alpha) * dim(x, 0) == numel(x) * dim(alpha, 0), found x [2,3,4], alpha [1,4,4]
// CHECK: "pd_op.swiglu" expects !present(y) || rank(y) == rank(x), found x [6], y []
// CHECK: "pd_op.swiglu" expects each d < rank(x) : !present(y) || dim(y, d) == dim(x, d), found x [6], y [3]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"alpha",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%2) = "pd_op.prelu" (%0, %1) {data_format:"NHWC",mode:"channel"} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
    (%3) = "pd_op.prelu" (%0, %1) {data_format:"NCHW",mode:"channel"} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
    () = "builtin.shadow_output" (%3) {output_name:"out"} : (tensor<2x3x4xf32>) -> 
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"alpha",place:Place(undefined:0),shape:[1,4,4]} : () -> tensor<1x4x4xf32>
    (%2) = "pd_op.prelu" (%0, %1) {data_format:"NCHW",mode:"element"} : (tensor<2x3x4xf32>, tensor<1x4x4xf32>) -> tensor<2x3x4xf32>
    () = "builtin.shadow_output" (%2) {output_name:"out"} : (tensor<2x3x4xf32>) -> 
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6]} : () -> tensor<6xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[]} : () -> tensor<f32>
    (%2) = "pd_op.swiglu" (%0, %1) {} : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
    () = "builtin.shadow_output" (%2) {output_name:"out"} : (tensor<6xf32>) -> 
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6]} : () -> tensor<6xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[3]} : () -> tensor<3xf32>
    (%2) = "pd_op.swiglu" (%0, %1) {} : (tensor<6xf32>, tensor<3xf32>) -> tensor<6xf32>
    () = "builtin.shadow_output" (%2) {output_name:"out"} : (tensor<6xf32>) -> 
}
