// An op whose gradient in Paddle is none (docs/deviations.md) is named, with its place.
// RUN: not pir-opt %s --check-gradients > %t.out 2> %t.err
// RUN: FileCheck %s --input-file=%t.out
// RUN: FileCheck %s --check-prefix=ERR --input-file=%t.err
// CHECK: BEYOND input x: relative difference
// CHECK-NEXT: the derivative is {{.*}}, by the gradient
// CHECK: 1 inputs and parameters: 0 ok (largest relative difference 0), 1 beyond
// ERR: wrong.pir:13:{{.*}}: error: the gradient of "pd_op.shuffle_channel" is none: the derivative is
// ERR-NOT: pd_op.tanh
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,6,2,2],stop_gradient:[true]} : () -> tensor<1x6x2x2xf32>
    (%1) = "pd_op.tanh" (%0) {stop_gradient:[false]} : (tensor<1x6x2x2xf32>) -> tensor<1x6x2x2xf32>
    (%2) = "pd_op.shuffle_channel" (%1) {group:2,stop_gradient:[false]} : (tensor<1x6x2x2xf32>) -> tensor<1x6x2x2xf32>
    (%3) = "pd_op.sin" (%2) {stop_gradient:[false]} : (tensor<1x6x2x2xf32>) -> tensor<1x6x2x2xf32>
    () = "builtin.shadow_output" (%3) {output_name:"y"} : (tensor<1x6x2x2xf32>) -> 
}
