// Every op that is left is bound to a kernel; parameters, lists and groups stay. Twice is once.
// RUN: pir-opt --passes=bind %s | FileCheck %s
// RUN: pir-opt --passes=bind %s >%t && pir-opt --passes=bind %t | diff %t -
// CHECK: (%0) = "data(phi_kernel)" () {dtype:float32,kernel_key:<backend:Undefined|layout:Undefined(AnyLayout)|dtype:float32>,kernel_name:"data",name:"x",op_name:"pd_op.data",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> undefined_tensor<2x3xf32>
// CHECK-NEXT: (%1) = "relu_(phi_kernel)" (%0) {is_inplace:true,kernel_key:<backend:CPU|layout:NCHW|dtype:float32>,kernel_name:"relu",op_name:"pd_op.relu_",stop_gradient:[true]} : (undefined_tensor<2x3xf32>) -> cpu_tensor<2x3xf32>
// CHECK-NEXT: (%2) = "builtin.combine" (%1, %0) {stop_gradient:[true]}
// CHECK: () = "builtin.shadow_output" (%1) {output_name:"out"} : (cpu_tensor<2x3xf32>) ->
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.relu_" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%2) = "builtin.combine" (%1, %0) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> vec[tensor<2x3xf32>,tensor<2x3xf32>]
    () = "builtin.shadow_output" (%1) {output_name:"out"} : (tensor<2x3xf32>) -> 
}
