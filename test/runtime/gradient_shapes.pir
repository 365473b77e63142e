// A column of labels is a row of them, also for the gradient of the negative log likelihood. All axes of a median may be named.
// RUN: for p in kernels "ungrouped,group{few=0},dce,bind"; do pir-run %s --input=x=2x3xf32=-1 --input=l=2x1xi64=1 --input=g=f32=4 \
// RUN:     --pipeline="$p" --print; done | FileCheck %s
// CHECK:      out: float32[2,3]
// CHECK-NEXT: {{\[\[}}0, -2, 0],
// CHECK-NEXT: {{\[}}0, -2, 0]]
// CHECK-NEXT: median: float32[2,3]
// CHECK-NEXT: {{\[\[}}0, 0, 0],
// CHECK-NEXT: {{\[}}2, 2, 0]]
// CHECK:      out: float32[2,3]
// CHECK-NEXT: {{\[\[}}0, -2, 0],
// CHECK-NEXT: {{\[}}0, -2, 0]]
// CHECK-NEXT: median: float32[2,3]
// CHECK-NEXT: {{\[\[}}0, 0, 0],
// CHECK-NEXT: {{\[}}2, 2, 0]]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"l",place:Place(undefined:0),shape:[2,1]} : () -> tensor<2x1xi64>
    (%2) = "pd_op.data" () {dtype:float32,name:"g",place:Place(undefined:0),shape:[]} : () -> tensor<f32>
    (%3, %4) = "pd_op.nll_loss" (%0, %1, <<NULL VALUE>>) {ignore_index:-100,reduction:"mean"} : (tensor<2x3xf32>, tensor<2x1xi64>, <<NULL TYPE>>) -> tensor<f32>, tensor<f32>
    (%5) = "pd_op.nll_loss_grad" (%0, %1, <<NULL VALUE>>, %4, %2) {ignore_index:-100,reduction:"mean"} : (tensor<2x3xf32>, tensor<2x1xi64>, <<NULL TYPE>>, tensor<f32>, tensor<f32>) -> tensor<2x3xf32>
    () = "builtin.shadow_output" (%5) {output_name:"out"} : (tensor<2x3xf32>) -> 
    (%6) = "pd_op.assign_value" () {dtype:float32,place:Place(undefined:0),shape:[2,3],values:[1,5,2,4,3,6]} : () -> tensor<2x3xf32>
    (%7, %8) = "pd_op.nanmedian" (%6) {axis:[0,1],keepdim:false,mode:"avg"} : (tensor<2x3xf32>) -> tensor<f32>, tensor<2xi64>
    (%9) = "pd_op.nanmedian_grad" (%6, %7, %8, %2) {axis:[0,1],keepdim:false,mode:"avg"} : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<f32>) -> tensor<2x3xf32>
    () = "builtin.shadow_output" (%9) {output_name:"median"} : (tensor<2x3xf32>) -> 
}
