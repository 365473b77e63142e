// Gradients of f64: the constants are f32 on the host, as in Paddle, and the numbers f64. Truth values pass no gradient on, so that an op on them
// needs none. An increment of a float passes its gradient on as it is.

// RUN: pir-opt %s '--passes=backward{loss=%11,wrt=x}' -o %t.pir
// RUN: FileCheck --input-file=%t.pir %s
// RUN: pir-run %t.pir --input=x=1xf64=0.1 --pipeline=kernels --print 2>&1 | FileCheck --check-prefix=NUMBER %s

// CHECK: (%[[ONE:.*]]) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
// CHECK-NEXT: "pd_op.full_like" (%11, %[[ONE]]) {dtype:float64,{{.*}} -> tensor<f64>

// 2 (2 x + 1) 2 with x = 0.1: an f32 would show in the last digits.
// NUMBER: fetch1: float64[1]
// NUMBER-NEXT: {{^\[4\.8\]$}}

{
    (%0) = "pd_op.data" () {dtype:float64,name:"x",place:Place(undefined:0),shape:[1],stop_gradient:[false]} : () -> tensor<1xf64>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:2} : () -> tensor<1xf32>
    (%2) = "pd_op.scale" (%0, %1) {bias:0,bias_after_scale:true,stop_gradient:[false]} : (tensor<1xf64>, tensor<1xf32>) -> tensor<1xf64>
    (%3) = "pd_op.increment_" (%2) {stop_gradient:[false],value:1} : (tensor<1xf64>) -> tensor<1xf64>
    (%4) = "pd_op.square" (%3) {stop_gradient:[false]} : (tensor<1xf64>) -> tensor<1xf64>
    (%5) = "pd_op.isnan" (%4) {stop_gradient:[false]} : (tensor<1xf64>) -> tensor<1xb>
    (%6) = "pd_op.bitwise_not" (%5) {stop_gradient:[false]} : (tensor<1xb>) -> tensor<1xb>
    (%7) = "pd_op.cast" (%6) {dtype:float64,stop_gradient:[false]} : (tensor<1xb>) -> tensor<1xf64>
    (%8) = "pd_op.multiply" (%4, %7) {stop_gradient:[false]} : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xf64>
    (%9) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%10) = "pd_op.sum" (%8, %9) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<1xf64>, tensor<0xi64>) -> tensor<f64>
    (%11) = "pd_op.assign" (%10) {stop_gradient:[false]} : (tensor<f64>) -> tensor<f64>
}
