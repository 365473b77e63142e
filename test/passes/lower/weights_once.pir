// What depends on weights alone runs once: readers see a parameter in its place. It is called; a convolution that reads it is
// compiled as one over a stored filter.
// RUN: pir-opt %s --passes=weights_once | FileCheck %s
// RUN: pir-opt %s --passes=compile-replaceable | FileCheck --check-prefix=COMPILED %s
// A filter that is an output too is copied into it.
// RUN: rm -rf %t && mkdir %t && pir-run %S/inputs/once_output.pir --params=%S/inputs/once_output.params --input=2x8x14x14xf32 --pipeline=kernels --output-dir=%t
// RUN: pir-run %S/inputs/once_output.pir --params=%S/inputs/once_output.params --input=2x8x14x14xf32 --pipeline=writes,dce,check,weights_once,group,dce,bind --expect-dir=%t
// A value whose stated type is wrong has the shape that its operand has.
// RUN: sed 's/\("pd_op.multiply".*\)tensor<16x8x3x3xf32>$/\1tensor<16x8x1x1xf32>/' %S/inputs/once_output.pir > %t/stated.pir && not cmp %t/stated.pir %S/inputs/once_output.pir
// RUN: pir-run %t/stated.pir --params=%S/inputs/once_output.params --input=2x8x14x14xf32 --pipeline=writes,dce,check,weights_once,group,dce,bind --expect-dir=%t
// A list that an input is in, and a value that is much larger than its operand, are computed in every run.
// RUN: pir-opt %S/inputs/not_once.pir --passes=weights_once | FileCheck --check-prefix=NOT --implicit-check-not=cinn_op.once %s
{
    (%0) = "builtin.parameter" () {parameter_name:"filter"} : () -> tensor<16x8x3x3xf32>
    (%1) = "builtin.parameter" () {parameter_name:"scale"} : () -> tensor<16x1x1x1xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[-1,8,14,14]} : () -> tensor<-1x8x14x14xf32>
    (%3) = "pd_op.sqrt" (%1) {} : (tensor<16x1x1x1xf32>) -> tensor<16x1x1x1xf32>
    (%4) = "pd_op.multiply" (%0, %3) {} : (tensor<16x8x3x3xf32>, tensor<16x1x1x1xf32>) -> tensor<16x8x3x3xf32>
    (%5) = "pd_op.conv2d" (%2, %4) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x8x14x14xf32>, tensor<16x8x3x3xf32>) -> tensor<-1x16x14x14xf32>
    (%6) = "pd_op.relu" (%4) {} : (tensor<16x8x3x3xf32>) -> tensor<16x8x3x3xf32>
    (%7) = "pd_op.fetch" (%5) {col:0,name:"y"} : (tensor<-1x16x14x14xf32>) -> tensor<-1x16x14x14xf32>
    (%8) = "pd_op.fetch" (%6) {col:1,name:"relu"} : (tensor<16x8x3x3xf32>) -> tensor<16x8x3x3xf32>
}
// CHECK:      (%[[ROOT:.*]]) = "pd_op.sqrt"
// CHECK-NOT:  cinn_op.once" (%[[ROOT]])
// CHECK:      (%[[SCALED:.*]]) = "pd_op.multiply" (%{{.*}}, %[[ROOT]])
// CHECK-NEXT: (%[[ONCE:.*]]) = "cinn_op.once" (%[[SCALED]]) {} : (tensor<16x8x3x3xf32>) -> tensor<16x8x3x3xf32>
// CHECK:      "pd_op.conv2d" (%{{.*}}, %[[ONCE]])
// CHECK:      (%[[RELU:.*]]) = "pd_op.relu" (%[[SCALED]])
// CHECK-NEXT: (%[[KEPT:.*]]) = "cinn_op.once" (%[[RELU]])
// CHECK:      "pd_op.fetch" (%[[KEPT]])
// COMPILED:   "sqrt(phi_kernel)"
// COMPILED:   "multiply(phi_kernel)"
// COMPILED:   "cinn_op.group" ({{.*}}) {kind:"contraction",layouts:{{\[\[\],\[\],\[0,2,3,1\]\]}}}
// COMPILED:   "relu(phi_kernel)"
// COMPILED-NOT: cinn_op.group
// NOT:        "pd_op.concat"
// NOT:        "pd_op.expand"
