// Ops without a gradient, and ops that take no float64, are named.
// RUN: not pir-opt %s --split-input-file --check-gradients 2>&1 | FileCheck %s
// CHECK: unsupported.pir:8:{{.*}}: error: "pd_op.nextafter" is not differentiable
// CHECK: unsupported.pir:14:{{.*}}: error: "pd_op.hinge_loss" operand logits: expects float32, found float64
// CHECK: unsupported: gradients are checked in float64
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3],stop_gradient:[true]} : () -> tensor<3xf32>
    (%1) = "pd_op.nextafter" (%0, %0) {stop_gradient:[false]} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    () = "builtin.shadow_output" (%1) {output_name:"y"} : (tensor<3xf32>) -> 
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,1],stop_gradient:[true]} : () -> tensor<3x1xf32>
    (%1) = "pd_op.hinge_loss" (%0, %0) {stop_gradient:[false]} : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    () = "builtin.shadow_output" (%1) {output_name:"y"} : (tensor<3x1xf32>) -> 
}
