// A loop inside of a loop has no gradient yet: the steps of all its runs would lie on one stack.

// RUN: not pir-opt %s '--passes=backward{loss=%7,ones,wrt=x|w}' -o %t.none 2>&1 | FileCheck %s
// RUN: not ls %t.none

// CHECK: backward-nested.pir:[[@LINE+12]]:9: error: unsupported: gradients through a loop inside of a loop

{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1],stop_gradient:[false]} : () -> tensor<1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[1],stop_gradient:[false]} : () -> tensor<1xf32>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:2} : () -> tensor<1xi64>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
    (%5) = "pd_op.less_than" (%2, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%6, %7) = "pd_op.while" (cond=%5, inputs=%2, %0) { 
    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:false}
        (%8) = "pd_op.scale" (%arg_0, %4) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%9, %10) = "pd_op.while" (cond=%5, inputs=%2, %arg_1) { 
        ^%arg_2 {stop_gradient:true}, %arg_3 {stop_gradient:false}
            (%11) = "pd_op.scale" (%arg_2, %4) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
            (%12) = "pd_op.multiply" (%arg_3, %1) {stop_gradient:[false]} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
            (%13) = "pd_op.less_than" (%11, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
            () = "cf.yield" (%13, %11, %12) {} : (tensor<1xb>, tensor<1xi64>, tensor<1xf32>) -> 
        }
        (%14) = "pd_op.square" (%10) {stop_gradient:[false]} : (tensor<1xf32>) -> tensor<1xf32>
        (%15) = "pd_op.less_than" (%8, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%15, %8, %14) {} : (tensor<1xb>, tensor<1xi64>, tensor<1xf32>) -> 
    }
}
