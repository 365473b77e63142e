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

// -----
// What may be written over is no parameter: a loop writes its condition and what it carries, a region hands out what the next
// reader may change, an op in place writes its operand. A run would begin with what the one before left. What they are made of is.
// CHECK:      "builtin.parameter" () {parameter_name:"constant_folding@_
// CHECK-NEXT: "builtin.parameter" () {parameter_name:"constant_folding@_
// CHECK-NEXT: "pd_op.data"
// CHECK:      (%[[I:[0-9]+]]) = "pd_op.add" (%{{[0-9]+}}, %{{[0-9]+}}) {{.*}}-> tensor<1xi64>
// CHECK:      (%[[C:[0-9]+]]) = "pd_op.less_than"
// CHECK:      (%[[V:[0-9]+]]) = "pd_op.cast"
// CHECK-NEXT: "pd_op.assign_value_" (%[[V]])
// CHECK:      "pd_op.while" (cond=%[[C]], inputs=%[[I]],
// CHECK:        (%[[Y:[0-9]+]]) = "pd_op.add" (%{{[0-9]+}}, %{{[0-9]+}}) {{.*}}-> tensor<1xi64>
// CHECK:        "cf.yield" (%{{[0-9]+}}, %{{[0-9]+}}, %[[Y]])
{
    (%0) = "pd_op.data" () {dtype:int64,name:"n",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xi64>
    (%1) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xi64>
    (%2) = "pd_op.add" (%1, %1) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    (%3) = "pd_op.add" (%1, %1) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    (%4) = "pd_op.multiply" (%3, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    (%5) = "pd_op.less_than" (%2, %4) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%6) = "pd_op.cast" (%4) {dtype:float32,stop_gradient:[true]} : (tensor<1xi64>) -> tensor<1xf32>
    (%7) = "pd_op.assign_value_" (%6) {dtype:float32,place:Place(undefined:0),shape:[1],stop_gradient:[true],values:[2]} : (tensor<1xf32>) -> tensor<1xf32>
    (%8, %9) = "pd_op.while" (cond=%5, inputs=%2, %0) { 
    ^%arg_0 {}, %arg_1 {}
        (%10) = "pd_op.add" (%arg_0, %1) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        (%11) = "pd_op.less_than" (%10, %0) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        (%12) = "pd_op.add" (%3, %1) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        () = "cf.yield" (%11, %10, %12) {} : (tensor<1xb>, tensor<1xi64>, tensor<1xi64>) -> 
    }
    (%13) = "pd_op.multiply" (%9, %4) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    (%14) = "pd_op.fetch" (%13) {col:0,name:"f",persistable:[true],stop_gradient:[true]} : (tensor<1xi64>) -> tensor<1xi64>
    (%15) = "pd_op.fetch" (%7) {col:1,name:"g",persistable:[true],stop_gradient:[true]} : (tensor<1xf32>) -> tensor<1xf32>
}
