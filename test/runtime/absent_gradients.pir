// The second gradient of a product where only one operand has a gradient: the terms of the other are left out, and its result is zero.
// DEFINE: %{with} = --input=x=2x3xf32=1 --input=y=3x4xf32=2 --input=g=2x4xf32=3 --input=h=3x4xf32=4 --input=k=2x3xf32=5 --print
// RUN: pir-run %s %{with} | FileCheck %s
// RUN: pir-run %s %{with} --pipeline=kernels | FileCheck %s
// CHECK: x_of_h: float32[2,3]
// CHECK-COUNT-2: [48, 48, 48]
// CHECK: y_of_h: float32[3,4]
// CHECK-COUNT-3: [0, 0, 0, 0]
// CHECK: g_of_h: float32[2,4]
// CHECK-COUNT-2: [12, 12, 12, 12]
// CHECK: x_of_k: float32[2,3]
// CHECK-COUNT-2: [0, 0, 0]
// CHECK: y_of_k: float32[3,4]
// CHECK-COUNT-3: [30, 30, 30, 30]
// CHECK: g_of_k: float32[2,4]
// CHECK-COUNT-2: [30, 30, 30, 30]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"g",place:Place(undefined:0),shape:[2,4]} : () -> tensor<2x4xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"h",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%5, %6, %7) = "pd_op.matmul_double_grad" (%0, %1, %2, <<NULL VALUE>>, %3) {transpose_x:false,transpose_y:false} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x4xf32>, <<NULL TYPE>>, tensor<3x4xf32>) -> tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x4xf32>
    (%8, %9, %10) = "pd_op.matmul_double_grad" (%0, %1, %2, %4, <<NULL VALUE>>) {transpose_x:false,transpose_y:false} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x4xf32>, tensor<2x3xf32>, <<NULL TYPE>>) -> tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x4xf32>
    () = "builtin.shadow_output" (%5) {output_name:"x_of_h"} : (tensor<2x3xf32>) -> 
    () = "builtin.shadow_output" (%6) {output_name:"y_of_h"} : (tensor<3x4xf32>) -> 
    () = "builtin.shadow_output" (%7) {output_name:"g_of_h"} : (tensor<2x4xf32>) -> 
    () = "builtin.shadow_output" (%8) {output_name:"x_of_k"} : (tensor<2x3xf32>) -> 
    () = "builtin.shadow_output" (%9) {output_name:"y_of_k"} : (tensor<3x4xf32>) -> 
    () = "builtin.shadow_output" (%10) {output_name:"g_of_k"} : (tensor<2x4xf32>) -> 
}
