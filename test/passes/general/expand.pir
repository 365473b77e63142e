// RUN: pir-opt %s --split-input-file --verify-each --passes=expand,dce | FileCheck %s

// A composite becomes its lower block; the parts say where they come from, and the last one keeps the stated type.
// CHECK-NOT:  "pd_op.softmax" (
// CHECK:      "pd_op.max" ({{.*}}comp_op_name:"pd_op.softmax"
// CHECK:      "pd_op.exp" ({{.*}}comp_op_name:"pd_op.softmax"
// CHECK:      "pd_op.divide" ({{.*}}comp_op_name:"pd_op.softmax"{{.*}}-> tensor<-1x4xf32>
// CHECK-NEXT: "pd_op.fetch"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4],stop_gradient:[true]} : () -> tensor<-1x4xf32>
    (%1) = "pd_op.softmax" (%0) {axis:-1,stop_gradient:[true]} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"fetch0",persistable:[true],stop_gradient:[true]} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
}

// -----
// Inside regions too.
// CHECK:     "pd_op.if"
// CHECK-NOT: "pd_op.softmax" (
// CHECK:     "pd_op.exp"
// CHECK:     "cf.yield"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,4],stop_gradient:[true]} : () -> tensor<2x4xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xb>
    (%2) = "pd_op.if" (%1) {stop_gradient:[true]} -> tensor<2x4xf32> {
        (%3) = "pd_op.softmax" (%0) {axis:0,stop_gradient:[true]} : (tensor<2x4xf32>) -> tensor<2x4xf32>
        () = "cf.yield" (%3) {} : (tensor<2x4xf32>) -> 
    } else {
        () = "cf.yield" (%0) {} : (tensor<2x4xf32>) -> 
    }
    (%4) = "pd_op.fetch" (%2) {col:0,name:"fetch0",persistable:[true],stop_gradient:[true]} : (tensor<2x4xf32>) -> tensor<2x4xf32>
}
