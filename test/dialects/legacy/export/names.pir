// Names that the program states are kept. A value that is handed out twice, and an input that is handed out under another name, are
// copied for the second name; a made name keeps out of the way of stated ones. A parameter that is set is the variable of its
// name, unless its old content is read later.
// RUN: pir-opt %s --emit=pdmodel -o %t.pdmodel
// RUN: pir-translate %t.pdmodel | FileCheck %s
// CHECK:      (%[[W:.*]]) = "builtin.parameter" () {parameter_name:"w"
// CHECK-NEXT: (%[[V:.*]]) = "builtin.parameter" () {parameter_name:"v"
// CHECK:      (%[[X:.*]]) = "pd_op.feed" () {col:0,name:"relu_0.tmp_0"
// CHECK-NEXT: (%[[R:.*]]) = "pd_op.relu" (%[[X]])
// CHECK-NEXT: (%[[T:.*]]) = "pd_op.tanh" (%[[R]])
// CHECK-NEXT: (%[[M:.*]]) = "pd_op.add" (%[[W]], %[[T]])
// CHECK-NEXT: (%[[N:.*]]) = "pd_op.exp" (%[[M]])
// CHECK-NEXT: "builtin.set_parameter" (%[[N]]) {parameter_name:"w"}
// CHECK-NEXT: (%[[O:.*]]) = "pd_op.multiply" (%[[V]], %[[T]])
// CHECK-NEXT: (%[[Q:.*]]) = "pd_op.subtract" (%[[V]], %[[O]])
// CHECK-NEXT: (%[[A:.*]]) = "pd_op.assign_out_" (%[[O]], %[[V]])
// CHECK-NEXT: "builtin.set_parameter" (%[[A]]) {parameter_name:"v"}
// CHECK-NEXT: "pd_op.fetch" (%[[Q]]) {col:0,name:"one"
// CHECK-NEXT: (%[[D:.*]]) = "pd_op.assign" (%[[Q]])
// CHECK-NEXT: "pd_op.fetch" (%[[D]]) {col:1,name:"two"
// CHECK-NEXT: (%[[E:.*]]) = "pd_op.assign" (%[[X]])
// CHECK-NEXT: "pd_op.fetch" (%[[E]]) {col:2,name:"three"
{
    (%0) = "builtin.parameter" () {parameter_name:"w",persistable:[true],stop_gradient:[false]} : () -> tensor<2xf32>
    (%1) = "builtin.parameter" () {parameter_name:"v",persistable:[true],stop_gradient:[false]} : () -> tensor<2xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"relu_0.tmp_0",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%3) = "pd_op.relu" (%2) {stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.tanh" (%3) {stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.add" (%0, %4) {stop_gradient:[true]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%11) = "pd_op.exp" (%5) {stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.set_parameter" (%11) {parameter_name:"w"} : (tensor<2xf32>) -> 
    (%6) = "pd_op.multiply" (%1, %4) {stop_gradient:[true]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%7) = "pd_op.subtract" (%1, %6) {stop_gradient:[true]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.set_parameter" (%6) {parameter_name:"v"} : (tensor<2xf32>) -> 
    (%8) = "pd_op.fetch" (%7) {col:0,name:"one",persistable:[true],stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
    (%9) = "pd_op.fetch" (%7) {col:1,name:"two",persistable:[true],stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
    (%10) = "pd_op.fetch" (%2) {col:2,name:"three",persistable:[true],stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
}
