// Gradients through a loop with a branch in it: a stack hands over what the loop computed. The numbers are those of differences.

// RUN: pir-opt %s '--passes=backward{loss=%15,wrt=x}' -o %t.pir
// RUN: FileCheck --input-file=%t.pir %s
// RUN: pir-run %t.pir --input=x=1xf32=0.5 --pipeline=kernels --print 2>&1 | FileCheck --check-prefix=NUMBER %s

// CHECK: "cf.stack_create"
// CHECK: "cf.tuple_push" (%inlet_1, %arg_0, %arg_1
// CHECK: (%[[MORE:.*]]) = "cf.has_elements" (%stack_1)
// CHECK: "pd_op.while" (cond=%[[MORE]], inputs=
// CHECK: "cf.tuple_pop" (%outlet_1)
// CHECK: "pd_op.if"
// CHECK: "cf.tuple_pop" (%outlet_0)
// CHECK: "pd_op.tanh_grad"
// NUMBER: fetch1: float32[1]
// NUMBER-NEXT: 0.6398

{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1],stop_gradient:[false]} : () -> tensor<1xf32>
    (%1) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:2} : () -> tensor<1xi64>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%3) = "pd_op.less_than" (%2, %1) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%4, %5) = "pd_op.while" (cond=%3, inputs=%2, %0) { 
    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:false}
        (%6) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
        (%7) = "pd_op.scale" (%arg_0, %6) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%8) = "pd_op.full" () {dtype:float32,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xf32>
        (%9) = "pd_op.greater_than" (%arg_1, %8) {stop_gradient:[true]} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xb>
        (%10) = "pd_op.if" (%9) {stop_gradient:[false]} -> tensor<1xf32> {
            (%11) = "pd_op.tanh" (%arg_1) {stop_gradient:[false]} : (tensor<1xf32>) -> tensor<1xf32>
            () = "cf.yield" (%11) {} : (tensor<1xf32>) -> 
        } else {
            (%12) = "pd_op.add" (%arg_1, %0) {stop_gradient:[false]} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
            () = "cf.yield" (%12) {} : (tensor<1xf32>) -> 
        }
        (%13) = "pd_op.less_than" (%7, %1) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%13, %7, %10) {} : (tensor<1xb>, tensor<1xi64>, tensor<1xf32>) -> 
    }
    (%14) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%15) = "pd_op.mean" (%5, %14) {keepdim:false,stop_gradient:[false]} : (tensor<1xf32>, tensor<0xi64>) -> tensor<f32>
}
