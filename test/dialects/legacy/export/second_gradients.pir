// Some second gradients kept the name of the new op, with the slots of their time; others have a name of their own.
// RUN: pir-translate %s --to=pdmodel -o %t.pdmodel
// RUN: grep -a -o 'sin_double_grad\|tanh_grad_grad\|clip_double_grad\|elementwise_mul_grad_grad' %t.pdmodel | sort -u | FileCheck %s --check-prefix=NAMES
// RUN: grep -a -o 'grad_x@GRAD\|D\{0,2\}DOut\|DDX' %t.pdmodel | sort -u | FileCheck %s --check-prefix=SLOTS
// RUN: pir-translate %t.pdmodel | FileCheck %s
// NAMES:      clip_double_grad
// NAMES-NEXT: elementwise_mul_grad_grad
// NAMES-NEXT: sin_double_grad
// NAMES-NEXT: tanh_grad_grad
// SLOTS:      DDOut
// SLOTS-NEXT: DDX
// SLOTS-NEXT: DOut
// SLOTS-NEXT: grad_x@GRAD
// CHECK:      "pd_op.sin_double_grad" (%[[X:[0-9]+]], %[[G:[0-9]+]], %[[D:[0-9]+]]) {
// CHECK-NEXT: "pd_op.tanh_double_grad" (%[[X]], %[[G]], %[[D]]) {
// CHECK:      "pd_op.clip_double_grad" (%[[X]], %[[D]], 
// CHECK-NEXT: "pd_op.multiply_double_grad" (%[[X]], %[[X]], %[[G]], %[[D]], <<NULL VALUE>>) {
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"g",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"d",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%3, %4) = "pd_op.sin_double_grad" (%0, %1, %2) {} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
    (%5, %6) = "pd_op.tanh_double_grad" (%0, %1, %2) {} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32>
    (%7) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf32>
    (%8) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%9) = "pd_op.clip_double_grad" (%0, %2, %7, %8) {} : (tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4xf32>
    (%10, %11, %12) = "pd_op.multiply_double_grad" (%0, %0, %1, %2, <<NULL VALUE>>) {axis:-1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, <<NULL TYPE>>) -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    (%13) = "pd_op.fetch" (%3) {col:0,name:"out"} : (tensor<4xf32>) -> tensor<4xf32>
}
