// A derivative that is no larger than the rounding of the differences is not checked: this gradient is wrong, as wrong.pir shows.
// RUN: pir-opt %s --check-gradients | FileCheck %s
// CHECK: too small input x: not checked: the derivative, {{.*}}e-07, is not measurable beside rounding of {{.*}}e-07
// CHECK: 1 inputs and parameters: 0 ok (largest relative difference 0), 0 beyond, 0 not smooth, 0 constant, 1 too small
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,6,2,2],stop_gradient:[true]} : () -> tensor<1x6x2x2xf32>
    (%2) = "pd_op.shuffle_channel" (%0) {group:2,stop_gradient:[false]} : (tensor<1x6x2x2xf32>) -> tensor<1x6x2x2xf32>
    (%s) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1e-8,stop_gradient:[true]} : () -> tensor<1xf32>
    (%t) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1,stop_gradient:[true]} : () -> tensor<1xf32>
    (%3) = "pd_op.scale" (%2, %s) {bias:1000,bias_after_scale:true,stop_gradient:[false]} : (tensor<1x6x2x2xf32>, tensor<1xf32>) -> tensor<1x6x2x2xf32>
    () = "builtin.shadow_output" (%3) {output_name:"y"} : (tensor<1x6x2x2xf32>) -> 
}
