// The variable of an array needs no op: who writes it first makes it. Writing is in place.
// RUN: pir-opt %s --emit=pdmodel -o %t.pdmodel
// RUN: pir-translate %t.pdmodel | FileCheck %s
// RUN: pir-translate %t.pdmodel --to=pdmodel -o %t.again && pir-translate %t.again --to=pdmodel | cmp - %t.again
// CHECK:      (%[[X:.*]]) = "pd_op.feed"
// CHECK-NEXT: (%[[I:.*]]) = "pd_op.full"
// CHECK-NEXT: (%[[E:.*]]) = "pd_op.create_array" () {dtype:float32
// CHECK-NEXT: (%[[A:.*]]) = "pd_op.array_write_" (%[[E]], %[[X]], %[[I]])
// CHECK-NEXT: (%[[N:.*]]) = "pd_op.array_length" (%[[A]])
// CHECK-NEXT: (%[[B:.*]]) = "pd_op.array_write_" (%[[A]], %[[X]], %[[N]])
// CHECK-NEXT: (%[[R:.*]]) = "pd_op.array_read" (%[[B]], %[[I]])
// CHECK-NEXT: (%[[T:.*]], %{{.*}}) = "pd_op.array_to_tensor" (%[[B]]) {axis:0,{{.*}}use_stack:false}
// CHECK-NEXT: "pd_op.fetch" (%[[R]]) {col:0,name:"r"
// CHECK-NEXT: "pd_op.fetch" (%[[T]]) {col:1,name:"t"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%2) = "pd_op.create_array" () {dtype:float32,stop_gradient:[true]} : () -> pd_op.tensor_array<f32>
    (%3) = "pd_op.array_write_" (%2, %0, %1) {} : (pd_op.tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%4) = "pd_op.array_length" (%3) {} : (pd_op.tensor_array<f32>) -> tensor<1xi64>
    (%5) = "pd_op.array_write_" (%3, %0, %4) {} : (pd_op.tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%6) = "pd_op.array_read" (%5, %1) {stop_gradient:[true]} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%7, %8) = "pd_op.array_to_tensor" (%5) {axis:0,stop_gradient:[true,true],use_stack:false} : (pd_op.tensor_array<f32>) -> tensor<4x3xf32>, tensor<2xi32>
    (%9) = "pd_op.fetch" (%6) {col:0,name:"r",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%10) = "pd_op.fetch" (%7) {col:1,name:"t",persistable:[true],stop_gradient:[true]} : (tensor<4x3xf32>) -> tensor<4x3xf32>
}
