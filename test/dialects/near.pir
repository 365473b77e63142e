// Paddle takes numbers closer than 1e-15 for equal: tiny ones beside 0, but neither 5e-9 nor neighbours of 1 in f32.
// RUN: pir-run %s --pipeline=kernels --input=x=4xf64=0 --print | FileCheck %s
// RUN: pir-run %s --pipeline=compile --input=x=4xf64=0 --print | FileCheck %s
// RUN: pir-run %s --pipeline='check,prepare,group{few=0},dce,bind' --input=x=4xf64=0 --print | FileCheck %s
// CHECK:      equal: bool[4]
// CHECK-NEXT: [0, 1, 1, 0]
// CHECK:      differ: bool[4]
// CHECK-NEXT: [1, 0, 0, 1]
// CHECK:      none: bool[]
// CHECK-NEXT: 0
// CHECK:      all: bool[]
// CHECK-NEXT: 1
{
    (%x) = "pd_op.data" () {dtype:float64,name:"x",place:Place(undefined:0),shape:[4],stop_gradient:[true]} : () -> tensor<4xf64>
    (%y) = "pd_op.assign_value" () {dtype:float64,place:Place(cpu),shape:[4],stop_gradient:[true],values:[5e-09,5e-16,1e-300,1e-15]} : () -> tensor<4xf64>
    (%t) = "pd_op.assign_value" () {dtype:float64,place:Place(cpu),shape:[4],stop_gradient:[true],values:[5e-19,5e-16,1e-300,0]} : () -> tensor<4xf64>
    (%e) = "pd_op.equal" (%x, %y) {stop_gradient:[true]} : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xb>
    (%n) = "pd_op.not_equal" (%x, %y) {stop_gradient:[true]} : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xb>
    (%a) = "pd_op.equal_all" (%x, %y) {stop_gradient:[true]} : (tensor<4xf64>, tensor<4xf64>) -> tensor<b>
    (%b) = "pd_op.equal_all" (%x, %t) {stop_gradient:[true]} : (tensor<4xf64>, tensor<4xf64>) -> tensor<b>
    (%f0) = "pd_op.fetch" (%e) {col:0,name:"equal",persistable:[true],stop_gradient:[true]} : (tensor<4xb>) -> tensor<4xb>
    (%f1) = "pd_op.fetch" (%n) {col:1,name:"differ",persistable:[true],stop_gradient:[true]} : (tensor<4xb>) -> tensor<4xb>
    (%f2) = "pd_op.fetch" (%a) {col:2,name:"none",persistable:[true],stop_gradient:[true]} : (tensor<b>) -> tensor<b>
    (%f3) = "pd_op.fetch" (%b) {col:3,name:"all",persistable:[true],stop_gradient:[true]} : (tensor<b>) -> tensor<b>
}
