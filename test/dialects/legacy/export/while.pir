// A loop keeps its variables: those whose first value nothing else reads are changed where they are, others are copied first.
// The body swaps two of them, so one is saved before it is written over; the counter is a value of the body, defined in place.
// RUN: pir-opt %s --emit=pdmodel -o %t.pdmodel
// RUN: pir-translate %t.pdmodel | FileCheck %s
// RUN: pir-translate %t.pdmodel --to=pdmodel -o %t.again && pir-translate %t.again --to=pdmodel | cmp - %t.again
// CHECK:      (%[[A:.*]]) = "pd_op.feed" () {col:0,name:"a"
// CHECK-NEXT: (%[[B:.*]]) = "pd_op.feed" () {col:1,name:"b"
// CHECK-NEXT: (%[[I:.*]]) = "pd_op.full" () {{.*}}shape:[1]{{.*}}value:0
// CHECK-NEXT: (%[[N:.*]]) = "pd_op.full" () {{.*}}shape:[1]{{.*}}value:3
// CHECK-NEXT: (%[[C:.*]]) = "pd_op.less_than" (%[[I]], %[[N]])
// CHECK-NEXT: (%[[A0:.*]]) = "pd_op.assign" (%[[A]])
// CHECK-NEXT: (%[[B0:.*]]) = "pd_op.assign" (%[[B]])
// CHECK-NEXT: (%[[I9:.*]], %[[A9:.*]], %[[B9:.*]]) = "pd_op.while" (cond=%[[C]], inputs=%[[I]], %[[A0]], %[[B0]])
// CHECK-NEXT: ^%[[ARG_I:.*]] {}, %[[ARG_A:.*]] {}, %[[ARG_B:.*]] {}
// CHECK:        (%[[J:.*]]) = "pd_op.scale" (%[[ARG_I]]
// CHECK:        (%[[D:.*]]) = "pd_op.less_than" (%[[J]], %[[N]])
// CHECK-NEXT:   (%[[SAVED:.*]]) = "pd_op.assign" (%[[ARG_A]])
// CHECK-NEXT:   (%[[J1:.*]]) = "pd_op.assign_out_" (%[[J]], %[[ARG_I]])
// CHECK-NEXT:   (%[[A1:.*]]) = "pd_op.assign_out_" (%[[ARG_B]], %[[ARG_A]])
// CHECK-NEXT:   (%[[B1:.*]]) = "pd_op.assign_out_" (%[[SAVED]], %[[ARG_B]])
// CHECK-NEXT:   "cf.yield" (%[[D]], %[[J1]], %[[A1]], %[[B1]])
// CHECK:      "pd_op.fetch" (%[[A9]]) {col:0,name:"out"
// CHECK-NEXT: "pd_op.fetch" (%[[A]]) {col:1,name:"a"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:3} : () -> tensor<1xi64>
    (%4) = "pd_op.less_than" (%2, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%5, %6, %7) = "pd_op.while" (cond=%4, inputs=%2, %0, %1) { 
    ^%arg_0 {}, %arg_1 {}, %arg_2 {}
        (%8) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
        (%9) = "pd_op.scale" (%arg_0, %8) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%10) = "pd_op.less_than" (%9, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%10, %9, %arg_2, %arg_1) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>, tensor<2xf32>) -> 
    }
    (%11) = "pd_op.fetch" (%6) {col:0,name:"out",persistable:[true],stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
    (%12) = "pd_op.fetch" (%0) {col:1,name:"a",persistable:[true],stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
}
