// The third gradient of cos at 0.5, for gradients 2, 3, 1.5 and 0.25; called and compiled.
// RUN: pir-run %s --print --pipeline=kernels | FileCheck %s
// RUN: pir-run %s --print | FileCheck %s

// CHECK: x: float32[1]
// CHECK-NEXT: 3.65664
// CHECK: out: float32[1]
// CHECK-NEXT: -3.94912
// CHECK: forward: float32[1]
// CHECK-NEXT: -2.7526
{
    (%0) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0.5} : () -> tensor<1xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:2} : () -> tensor<1xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:3} : () -> tensor<1xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1.5} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0.25} : () -> tensor<1xf32>
    (%5, %6, %7) = "pd_op.cos_triple_grad" (%0, %1, %2, %3, %4) {stop_gradient:[true,true,true]} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%8) = "pd_op.fetch" (%5) {col:0,name:"x",stop_gradient:[true]} : (tensor<1xf32>) -> tensor<1xf32>
    (%9) = "pd_op.fetch" (%6) {col:1,name:"out",stop_gradient:[true]} : (tensor<1xf32>) -> tensor<1xf32>
    (%10) = "pd_op.fetch" (%7) {col:2,name:"forward",stop_gradient:[true]} : (tensor<1xf32>) -> tensor<1xf32>
}
