// Gradients of values of a program. Sums of several terms, values that stop gradients, lists, and what is refused: nothing is written then.

// RUN: pir-opt %s '--passes=backward{loss=%5}' | FileCheck --check-prefix=TRAIN %s
// RUN: pir-opt %s '--passes=backward{loss=%5,wrt=x}' | FileCheck --check-prefix=INPUT %s
// RUN: pir-opt %s '--passes=backward{loss=%5,wrt=x|w,no_grad=w}' | FileCheck --check-prefix=STOPPED %s
// RUN: pir-opt %s '--passes=backward{loss=%3,wrt=x,seeds=g,fetch=false}' | FileCheck --check-prefix=SEED %s
// RUN: not pir-opt %s '--passes=backward{loss=%3,wrt=x}' -o %t.none 2>&1 | FileCheck --check-prefix=SCALAR %s
// RUN: not ls %t.none
// RUN: not pir-opt %s '--passes=backward{loss=%5,wrt=nothing}' 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: not pir-opt %s '--passes=backward{loss=%7,wrt=x}' 2>&1 | FileCheck --check-prefix=PATH %s
// RUN: not pir-opt %s '--passes=backward{loss=%5,seeds=x,wrt=w}' 2>&1 | FileCheck --check-prefix=TYPE %s
// RUN: not pir-opt %s '--passes=backward{loss=%3|%5,seeds=g,wrt=x}' 2>&1 | FileCheck --check-prefix=FEWER %s
// RUN: not pir-opt %s '--passes=backward{loss=%3,seeds=g|h,wrt=x}' 2>&1 | FileCheck --check-prefix=MORE %s
// RUN: pir-opt %s '--passes=backward{loss=%3|%3,seeds=g|h,wrt=x}' | FileCheck --check-prefix=TWICE %s
// RUN: sed 's/"pd_op.tanh"/"pd_op.square_"/' %s > %t.square.pir
// RUN: not pir-opt %t.square.pir '--passes=backward{loss=%5,wrt=x}' 2>&1 | FileCheck --check-prefix=SQUARE %s
// RUN: sed 's/"pd_op.tanh"/"pd_op.tanh_"/' %s > %t.tanh.pir
// RUN: pir-opt %t.tanh.pir '--passes=backward{loss=%5,wrt=x}' | FileCheck --check-prefix=INPUT %s

// The parameter that is not to be trained has none.
// TRAIN: (%[[ONE:.*]]) = "pd_op.full_like" (%5
// TRAIN-NEXT: (%[[D:.*]]) = "pd_op.mean_grad" (%{{.*}}, %[[ONE]], %4)
// TRAIN-NEXT: (%{{.*}}, %[[W:.*]]) = "pd_op.multiply_grad" (%2, %1, %[[D]]) {axis:-1,stop_gradient:[false,false]}
// TRAIN: "pd_op.fetch" (%5) {col:0,name:"fetch0"
// TRAIN-NEXT: "pd_op.fetch" (%[[W]]) {col:1,name:"fetch1"
// TRAIN-NOT: "pd_op.fetch"

// x is read twice.
// INPUT: (%[[A:.*]], %{{.*}}) = "pd_op.multiply_grad"
// INPUT-NEXT: (%[[B:.*]]) = "pd_op.tanh_grad" (%2, %[[A]])
// INPUT-NEXT: "pd_op.fetch" (%5)
// INPUT-NEXT: "pd_op.fetch" (%[[B]])

// STOPPED: "pd_op.multiply_grad" {{.*}} -> tensor<2x3xf32>, <<NULL TYPE>>
// STOPPED: "pd_op.fetch"
// STOPPED: "pd_op.fetch"
// STOPPED-NOT: "pd_op.fetch"

// SEED: "pd_op.data" () {{.*}}name:"g",{{.*}}shape:[2,3],stop_gradient:[true]
// SEED-NOT: "pd_op.fetch"

// SCALAR: backward.pir:[[@LINE+20]]:5: error: backward: the loss has one element, or its gradient is given (seeds=..)
// NONE: error: backward: the program has no value "nothing"
// PATH: backward.pir:[[@LINE+21]]:5: error: "pd_op.nextafter" is not differentiable, because its results are neighbours among floating-point numbers
// SQUARE: error: "pd_op.square_" is not differentiable, because its gradient reads x, which an op in place overwrites
// FEWER: error: option seeds of pass backward_pass expects one name for each loss, has 'g'
// MORE: error: option seeds of pass backward_pass expects one name for each loss, has 'g|h'

// A loss that is given twice has the sum of its two gradients.
// TWICE: (%[[H:.*]]) = "pd_op.data" () {{.*}}name:"h"
// TWICE: (%[[G:.*]]) = "pd_op.data" () {{.*}}name:"g"
// TWICE: (%[[BOTH:.*]]) = "builtin.combine" (%[[G]], %[[H]])
// TWICE-NEXT: "pd_op.add_n" (%[[BOTH]])

// TYPE: error: backward: a value and its gradient have the same type, unlike "x"


{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[false]} : () -> tensor<2x3xf32>
    (%1) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"w",persistable:[true],stop_gradient:[false],trainable:[true]} : () -> tensor<3xf32>
    (%2) = "pd_op.tanh" (%0) {stop_gradient:[false]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.multiply" (%2, %1) {stop_gradient:[false]} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%5) = "pd_op.mean" (%3, %4) {keepdim:false,stop_gradient:[false]} : (tensor<2x3xf32>, tensor<0xi64>) -> tensor<f32>
    (%6) = "pd_op.nextafter" (%3, %0) {stop_gradient:[false]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%7) = "pd_op.mean" (%6, %4) {keepdim:false,stop_gradient:[false]} : (tensor<2x3xf32>, tensor<0xi64>) -> tensor<f32>
}
