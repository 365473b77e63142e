// The matrix of a diagonal that is one number, and polygamma of order 0, which is digamma: -0.577216 at 1.
// RUN: pir-run %s --input=x=f32=0 --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=x=f32=0 --pipeline=compile --print | FileCheck %s
// RUN: sed 's/{n:0,/{n:-1,/' %s > %t.pir && not pir-run %t.pir --input=x=f32=0 2>&1 | FileCheck --check-prefix=BELOW %s
// CHECK: below: float32[2,2]
// CHECK-NEXT: {{\[\[}}7, 7],
// CHECK-NEXT: {{\[}}1, 7]]
// CHECK: order: float32[]
// CHECK-NEXT: -0.577215
// BELOW: "pd_op.polygamma" expects $n >= 0, found n -1
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[],stop_gradient:[true]} : () -> tensor<f32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
    (%2) = "pd_op.scale" (%0, %1) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<f32>, tensor<1xf32>) -> tensor<f32>
    (%3) = "pd_op.diag" (%2) {offset:-1,padding_value:7,stop_gradient:[true]} : (tensor<f32>) -> tensor<2x2xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"below",persistable:[true],stop_gradient:[true]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%5) = "pd_op.polygamma" (%2) {n:0,stop_gradient:[true]} : (tensor<f32>) -> tensor<f32>
    (%6) = "pd_op.fetch" (%5) {col:1,name:"order",persistable:[true],stop_gradient:[true]} : (tensor<f32>) -> tensor<f32>
}
