// A cut keeps what writes the memory of its outputs: under another name, in a region, and in arrays that are handed on.

// RUN: pir-opt %s --outputs=%3 | FileCheck --check-prefix=VIEW %s
// RUN: pir-opt %s --outputs=%6 | FileCheck --check-prefix=REGION %s
// RUN: pir-opt %s --outputs=n | FileCheck --check-prefix=ARRAY %s
// RUN: pir-opt %s --inputs=%7 --outputs=o | FileCheck --check-prefix=INPUT %s
// VIEW: (%[[V:.*]]) = "pd_op.reshape_"
// VIEW-NEXT: (%[[W:.*]]) = "pd_op.exp_" (%[[V]])
// Arrays that no output needs go, with what reads them.
// VIEW-NOT: array_
// VIEW: "builtin.shadow_output" (%[[W]]) {output_name:"%3"}
// REGION: (%{{.*}}, %[[W:.*]]) = "pd_op.if"
// REGION: "builtin.shadow_output" (%[[W]]) {output_name:"%6"}
// ARRAY: (%[[A:.*]]) = "pd_op.create_array"
// ARRAY: (%[[B:.*]]) = "pd_op.array_write_" (%[[A]],
// ARRAY-NEXT: "pd_op.array_write_" (%[[B]],
// ARRAY-NEXT: "pd_op.array_length" (%[[A]])
// The branch is made again, because it writes a value that is read behind it; the input stands for its result.
// INPUT: (%[[I:.*]]) = "pd_op.data" () {{.*}}name:"%7"
// INPUT: (%{{.*}}, %[[W:.*]]) = "pd_op.if"
// INPUT: (%[[S:.*]]) = "pd_op.abs" (%[[W]])
// INPUT-NEXT: "pd_op.add" (%[[S]], %[[I]])
{
  (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
  (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
  (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[6]} : () -> tensor<1xi64>
  (%3) = "pd_op.abs" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  (%4) = "pd_op.reshape_" (%3, %2) {} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
  (%5) = "pd_op.exp_" (%4) {} : (tensor<6xf32>) -> tensor<6xf32>
  (%6) = "pd_op.tanh" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  (%7) = "pd_op.if" (%1) {} -> tensor<2x3xf32> {
    (%8) = "pd_op.relu_" (%6) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    () = "cf.yield" (%0) {} : (tensor<2x3xf32>) -> 
  } else {
    () = "cf.yield" (%6) {} : (tensor<2x3xf32>) -> 
  }
  (%9) = "pd_op.abs" (%6) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  (%10) = "pd_op.add" (%9, %7) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  (%11) = "pd_op.create_array" () {dtype:float32} : () -> pd_op.tensor_array<f32>
  (%12) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
  (%13) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
  (%14) = "pd_op.array_write_" (%11, %0, %12) {} : (pd_op.tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
  (%15) = "pd_op.array_write_" (%14, %0, %13) {} : (pd_op.tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
  (%16) = "pd_op.array_length" (%11) {} : (pd_op.tensor_array<f32>) -> tensor<1xi64>
  () = "builtin.shadow_output" (%10) {output_name:"o"} : (tensor<2x3xf32>) -> 
  () = "builtin.shadow_output" (%16) {output_name:"n"} : (tensor<1xi64>) -> 
  () = "builtin.shadow_output" (%3) {output_name:"v"} : (tensor<2x3xf32>) -> 
}
