// RUN: pir-opt %s --split-input-file --verify-each --passes=dce | FileCheck %s

// A chain that nobody reads goes in one run; an unread input stays.
// CHECK:      "pd_op.data" () {{.*}}name:"x"
// CHECK-NEXT: "pd_op.data" () {{.*}}name:"y"
// CHECK-NEXT: "pd_op.tanh"
// CHECK-NEXT: "pd_op.fetch"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%2) = "pd_op.exp" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.add" (%2, %0) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.relu" (%3) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%5) = "pd_op.tanh" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// In-place ops and ops that no dialect knows stay, with what they read.
// CHECK:      "pd_op.data"
// CHECK-NEXT: "pd_op.exp"
// CHECK-NEXT: "pd_op.relu_"
// CHECK-NEXT: "my_dialect.unknown"
// CHECK-NOT:  "pd_op.sin"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.exp" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%2) = "pd_op.relu_" (%1) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "my_dialect.unknown" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.sin" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// An unread choice goes when neither branch has an effect; inside one that stays, dead ops go.
// CHECK:      "pd_op.data"
// CHECK-NEXT: "pd_op.data"
// CHECK-NEXT: "pd_op.if"
// CHECK-NEXT:   "pd_op.tanh"
// CHECK-NEXT:   "cf.yield"
// CHECK:      else
// CHECK-NEXT:   "pd_op.sin"
// CHECK-NEXT:   "cf.yield"
// CHECK:      "pd_op.fetch"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xb>
    (%2) = "pd_op.if" (%1) {stop_gradient:[true]} -> tensor<2x3xf32> {
        (%3) = "pd_op.exp" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%3) {} : (tensor<2x3xf32>) -> 
    } else {
        (%4) = "pd_op.abs" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%4) {} : (tensor<2x3xf32>) -> 
    }
    (%5) = "pd_op.if" (%1) {stop_gradient:[true]} -> tensor<2x3xf32> {
        (%6) = "pd_op.tanh" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        (%7) = "pd_op.exp" (%6) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%6) {} : (tensor<2x3xf32>) -> 
    } else {
        (%8) = "pd_op.sin" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%8) {} : (tensor<2x3xf32>) -> 
    }
    (%9) = "pd_op.fetch" (%5) {col:0,name:"fetch0",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
