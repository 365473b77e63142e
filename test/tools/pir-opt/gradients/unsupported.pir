// Ops without a gradient, and ops that take no float64, are named.
// RUN: not pir-opt %s --split-input-file --check-gradients 2>&1 | FileCheck %s
// CHECK: unsupported.pir:9:{{.*}}: error: "pd_op.nextafter" is not differentiable
// CHECK: unsupported.pir:15:{{.*}}: error: "pd_op.hinge_loss" operand logits: expects float32, found float64
// CHECK: unsupported: gradients are checked in float64
// CHECK: error: "pd_op.memory_efficient_attention" is not differentiable
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
// -----
// The gradient knows no lengths of keys: it was wrong where there are some.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,4,2,4],stop_gradient:[true]} : () -> tensor<2x4x2x4xf32>
    (%1) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[2],stop_gradient:[true],value:2} : () -> tensor<2xi32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:4} : () -> tensor<1xf32>
    (%3, %4, %5) = "pd_op.memory_efficient_attention" (%0, %0, %0, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>, %1, %2, %2) {causal:false,dropout_p:0,is_test:true,scale:0.5,stop_gradient:[false,false,false]} : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>, tensor<2xi32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4x2x4xf32>, tensor<2x2xf32>, tensor<2xi64>
    () = "builtin.shadow_output" (%3) {output_name:"y"} : (tensor<2x4x2x4xf32>) -> 
}
