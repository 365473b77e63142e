// Gradients beside ops in place: an element that is read and lost is an error, whether it was read from a region, from a list or through another
// shape. An op that reads the new elements, and one behind which nothing reads them, have gradients.

// RUN: not pir-opt %s '--passes=backward{loss=%2,ones,wrt=x}' 2>&1 | FileCheck --check-prefix=REGION %s
// RUN: not pir-opt %s '--passes=backward{loss=%8,ones,wrt=x}' 2>&1 | FileCheck --check-prefix=LIST %s
// RUN: not pir-opt %s '--passes=backward{loss=%13,ones,wrt=x}' 2>&1 | FileCheck --check-prefix=SHAPE %s
// RUN: sed 's/"pd_op.square" (%16)/"pd_op.square" (%15)/' %s > %t.stale.pir
// RUN: not pir-opt %t.stale.pir '--passes=backward{loss=%17,ones,wrt=x}' 2>&1 | FileCheck --check-prefix=STALE %s
// RUN: pir-opt %s '--passes=backward{loss=%17,ones,wrt=x}' -o %t.pir
// RUN: pir-run %t.pir --input=x=1x1xf32=0.5 --pipeline=kernels --print 2>&1 | FileCheck --check-prefix=NUMBER %s

// REGION: backward-inplace.pir:[[@LINE+13]]:9: error: "pd_op.tanh" is not differentiable, because its gradient reads out, which an op in place overwrites
// LIST: backward-inplace.pir:[[@LINE+21]]:5: error: "pd_op.multi_dot" is not differentiable, because its gradient reads x, which an op in place overwrites
// STALE: error: "pd_op.square" is not differentiable, because its gradient reads x, which an op in place overwrites
// SHAPE: error: "pd_op.sigmoid" is not differentiable, because its gradient reads out, which an op in place overwrites

// The square of exp(x): 2 exp(1).
// NUMBER: fetch1: float32[1,1]
// NUMBER-NEXT: 5.43656

{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,1],stop_gradient:[false]} : () -> tensor<1x1xf32>
    (%1) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xb>
    (%2) = "pd_op.if" (%1) {stop_gradient:[false]} -> tensor<1x1xf32> {
        (%3) = "pd_op.tanh" (%0) {stop_gradient:[false]} : (tensor<1x1xf32>) -> tensor<1x1xf32>
        (%4) = "pd_op.exp_" (%3) {stop_gradient:[false]} : (tensor<1x1xf32>) -> tensor<1x1xf32>
        () = "cf.yield" (%4) {} : (tensor<1x1xf32>) -> 
    } else {
        (%5) = "pd_op.tanh" (%0) {stop_gradient:[false]} : (tensor<1x1xf32>) -> tensor<1x1xf32>
        () = "cf.yield" (%5) {} : (tensor<1x1xf32>) -> 
    }
    (%6) = "pd_op.sin" (%0) {stop_gradient:[false]} : (tensor<1x1xf32>) -> tensor<1x1xf32>
    (%7) = "builtin.combine" (%6, %0) {stop_gradient:[false]} : (tensor<1x1xf32>, tensor<1x1xf32>) -> vec[tensor<1x1xf32>,tensor<1x1xf32>]
    (%8) = "pd_op.multi_dot" (%7) {stop_gradient:[false]} : (vec[tensor<1x1xf32>,tensor<1x1xf32>]) -> tensor<1x1xf32>
    (%9) = "pd_op.exp_" (%6) {stop_gradient:[false]} : (tensor<1x1xf32>) -> tensor<1x1xf32>
    (%10) = "pd_op.sigmoid" (%0) {stop_gradient:[false]} : (tensor<1x1xf32>) -> tensor<1x1xf32>
    (%11) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1,1]} : () -> tensor<2xi64>
    (%12) = "pd_op.reshape_" (%10, %11) {stop_gradient:[false]} : (tensor<1x1xf32>, tensor<2xi64>) -> tensor<1x1xf32>
    (%13) = "pd_op.exp_" (%12) {stop_gradient:[false]} : (tensor<1x1xf32>) -> tensor<1x1xf32>
    (%14) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
    (%15) = "pd_op.scale" (%0, %14) {bias:0,bias_after_scale:true,stop_gradient:[false]} : (tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32>
    (%16) = "pd_op.exp_" (%15) {stop_gradient:[false]} : (tensor<1x1xf32>) -> tensor<1x1xf32>
    (%17) = "pd_op.square" (%16) {stop_gradient:[false]} : (tensor<1x1xf32>) -> tensor<1x1xf32>
}
