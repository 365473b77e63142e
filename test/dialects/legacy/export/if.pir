// An `if` of two real branches becomes two conditional blocks, each with its own results, and a choice for each result. A branch
// that yields what it did not make copies it.
// RUN: pir-opt %s --emit=pdmodel -o %t.pdmodel
// RUN: pir-translate %t.pdmodel | FileCheck %s
// RUN: pir-translate %t.pdmodel --to=pdmodel -o %t.again && pir-translate %t.again --to=pdmodel | cmp - %t.again
// CHECK:      (%[[C:.*]]) = "pd_op.feed" () {col:0,name:"c",
// CHECK-NEXT: (%[[X:.*]]) = "pd_op.feed" () {col:1,name:"x",
// CHECK-NEXT: (%[[Y:.*]], %[[U:.*]]) = "pd_op.if" (%[[C]]) {fake_false_branch:true
// CHECK-NEXT:   (%[[R:.*]]) = "pd_op.relu" (%[[X]])
// CHECK-NEXT:   (%[[A:.*]]) = "pd_op.assign" (%[[X]])
// CHECK-NEXT:   "cf.yield" (%[[R]], %[[A]])
// CHECK:      (%[[N:.*]]) = "pd_op.logical_not" (%[[C]])
// CHECK-NEXT: (%[[Y2:.*]], %[[U2:.*]]) = "pd_op.if" (%[[N]]) {fake_false_branch:true
// CHECK-NEXT:   (%[[T:.*]]) = "pd_op.tanh" (%[[X]])
// CHECK-NEXT:   (%[[B:.*]]) = "pd_op.assign" (%[[T]])
// CHECK-NEXT:   "cf.yield" (%[[T]], %[[B]])
// CHECK:      (%[[M:.*]]) = "pd_op.cast" (%[[C]]) {dtype:int32
// CHECK-NEXT: (%[[S:.*]]) = "pd_op.select_input" (%[[M]], %[[Y2]], %[[Y]])
// CHECK-NEXT: (%[[V:.*]]) = "pd_op.select_input" (%[[M]], %[[U2]], %[[U]])
// CHECK-NEXT: "pd_op.fetch" (%[[S]]) {col:0,name:"first"
// CHECK-NEXT: "pd_op.fetch" (%[[V]]) {col:1,name:"second"
{
    (%0) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xb>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%2, %3) = "pd_op.if" (%0) {} -> tensor<2x3xf32>, tensor<2x3xf32> {
        (%4) = "pd_op.relu" (%1) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%4, %1) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> 
    } else {
        (%5) = "pd_op.tanh" (%1) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%5, %5) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> 
    }
    (%6) = "pd_op.fetch" (%2) {col:0,name:"first",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%7) = "pd_op.fetch" (%3) {col:1,name:"second",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
