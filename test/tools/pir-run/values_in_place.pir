// A value that a later op overwrites is shown as it was, and what the op wrote under its own number.

// RUN: rm -rf %t && pir-run %s --input=4xf32=-1 --dump=%t --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=4xf32=-1 --compare=kernels,compile | FileCheck --check-prefix=SAME %s
// RUN: pir-run %s --input=4xf32=-1 --compare=%t | FileCheck --check-prefix=SAME %s

// CHECK: 1.tanh: float32[4]
// CHECK-NEXT: [-0.7615941{{.*}}]
// CHECK: 2.relu_: float32[4]
// CHECK-NEXT: [0, 0, 0, 0]
// CHECK: 3.abs: float32[4]
// CHECK-NEXT: [0, 0, 0, 0]
// SAME: 3 values agree
{
  (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4]} : () -> builtin.tensor<4xf32>
  (%1) = "pd_op.tanh" (%0) {} : (builtin.tensor<4xf32>) -> builtin.tensor<4xf32>
  (%2) = "pd_op.relu_" (%1) {} : (builtin.tensor<4xf32>) -> builtin.tensor<4xf32>
  (%3) = "pd_op.abs" (%1) {} : (builtin.tensor<4xf32>) -> builtin.tensor<4xf32>
  () = "builtin.shadow_output" (%3) {output_name:"o"} : (builtin.tensor<4xf32>) ->
}
