// RUN: pir-opt %s --split-input-file --verify-each --passes='fold{sources=false},dce' | FileCheck %s
// RUN: pir-opt %s --split-input-file --passes='fold{max-bytes=0,sources=false},dce' | FileCheck %s --check-prefix=LIMIT

// Shape arithmetic on constants becomes one constant, for an operand that is an attribute a builtin.constant.
// CHECK:      (%0) = "builtin.parameter" () {parameter_name:"constant_folding@_{{[0-9]+}}",persistable:[true],stop_gradient:[false]} : () -> tensor<f32>
// CHECK-NEXT: "pd_op.data"
// CHECK-NOT:  "pd_op.cast"
// CHECK:      "pd_op.add" (%{{[0-9]+}}, %0)
// LIMIT:      "pd_op.cast"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,6],stop_gradient:[true]} : () -> tensor<2x6xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(undefined:0),shape:[2,3],stop_gradient:[true],value:1} : () -> tensor<2x3xf32>
    (%2) = "pd_op.shape64" (%1) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2xi64>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%4) = "pd_op.sum" (%2, %3) {dtype:Undefined,keepdim:false,stop_gradient:[true]} : (tensor<2xi64>, tensor<0xi64>) -> tensor<i64>
    (%5) = "pd_op.cast" (%4) {dtype:float32,stop_gradient:[true]} : (tensor<i64>) -> tensor<f32>
    (%6) = "pd_op.add" (%0, %5) {stop_gradient:[true]} : (tensor<2x6xf32>, tensor<f32>) -> tensor<2x6xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"fetch_name_0",persistable:[true],stop_gradient:[true]} : (tensor<2x6xf32>) -> tensor<2x6xf32>
}

// -----
// CHECK:      (%0) = "builtin.constant" () {{.*}} : () -> tensor<2xi64>
// CHECK-NEXT: "pd_op.data"
// CHECK-NEXT: "pd_op.reshape" (%1, %0)
// LIMIT:      "pd_op.stack"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,6],stop_gradient:[true]} : () -> tensor<2x6xf32>
    (%1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[],stop_gradient:[true],value:3} : () -> tensor<i64>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[],stop_gradient:[true],value:4} : () -> tensor<i64>
    (%3) = "builtin.combine" (%1, %2) {stop_gradient:[true]} : (tensor<i64>, tensor<i64>) -> vec[tensor<i64>,tensor<i64>]
    (%4) = "pd_op.stack" (%3) {axis:0,stop_gradient:[true]} : (vec[tensor<i64>,tensor<i64>]) -> tensor<2xi64>
    (%5) = "pd_op.reshape" (%0, %4) {stop_gradient:[true]} : (tensor<2x6xf32>, tensor<2xi64>) -> tensor<3x4xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch_name_0",persistable:[true],stop_gradient:[true]} : (tensor<3x4xf32>) -> tensor<3x4xf32>
}
