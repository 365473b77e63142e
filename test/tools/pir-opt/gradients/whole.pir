// Gradients of a program beside differences: its parameters are drawn, as are its inputs.
// RUN: pir-opt %s --check-gradients | FileCheck %s
// RUN: pir-opt %s --check-gradients=7 | FileCheck %s
// RUN: pir-opt %s --emit=json -o %t.json && pir-opt %t.json --check-gradients | FileCheck %s
// RUN: pir-opt %s --emit=pdmodel -o %t.pdmodel && pir-opt %t.pdmodel --check-gradients | FileCheck %s
// RUN: not pir-opt %s --check-gradients=x 2>&1 | FileCheck %s --check-prefix=SEED
// CHECK-DAG: ok parameter w: relative difference {{.*}}e-
// CHECK-DAG: ok input x: relative difference {{.*}}e-
// CHECK-DAG: constant input label: no op that reads it declares its gradient
// CHECK: 3 inputs and parameters: 2 ok (largest relative difference {{.*}}), 0 beyond, 0 not smooth, 1 constant
// SEED: --check-gradients: expected a number, got 'x'
{
    (%0) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"w",persistable:[true],stop_gradient:[false],trainable:[true]} : () -> tensor<3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,3],stop_gradient:[true]} : () -> tensor<-1x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"label",place:Place(undefined:0),shape:[-1,4],stop_gradient:[true]} : () -> tensor<-1x4xf32>
    (%3) = "pd_op.matmul" (%1, %0) {stop_gradient:[false],transpose_x:false,transpose_y:false} : (tensor<-1x3xf32>, tensor<3x4xf32>) -> tensor<-1x4xf32>
    (%4) = "pd_op.relu" (%3) {stop_gradient:[false]} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%5) = "pd_op.kldiv_loss" (%4, %2) {log_target:true,reduction:"none",stop_gradient:[false]} : (tensor<-1x4xf32>, tensor<-1x4xf32>) -> tensor<-1x4xf32>
    () = "builtin.shadow_output" (%5) {output_name:"y"} : (tensor<-1x4xf32>) -> 
}
