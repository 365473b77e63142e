// A loop squares x - 1, n times, and puts every value it squares on a stack; a second one takes them off for the gradient,
// while there are any. What is popped from an empty stack is refused.
// RUN: pir-run %s --input=x=1xf32=0 --input=n=@%S/inputs/five.npy --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=x=1xf32=0 --input=n=@%S/inputs/five.npy --print | FileCheck %s
// RUN: not pir-run %s --input=x=1xf32=0 --input=n=1xi64=0 --pipeline=kernels 2>&1 | FileCheck --check-prefix=NONE %s
// CHECK: y: float32[1]
// CHECK-NEXT: [1]
// CHECK: dx: float32[1]
// CHECK-NEXT: [-32]
// NONE: "cf.tuple_pop": expects 2 tensors on the stack, found 0
{
    (%30) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"n",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xi64>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xi64>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:2} : () -> tensor<1xf32>
    (%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
    (%31) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:-1} : () -> tensor<1xf32>
    (%0) = "pd_op.add" (%30, %31) {stop_gradient:[true]} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    (%stack_0, %inlet_0, %outlet_0) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    (%6) = "pd_op.less_than" (%2, %1) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%7, %8) = "pd_op.while" (cond=%6, inputs=%2, %0) {
    ^%arg_0 {}, %arg_1 {}
        (%9) = "pd_op.add" (%arg_0, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        (%10) = "pd_op.multiply" (%arg_1, %arg_1) {stop_gradient:[true]} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
        () = "cf.tuple_push" (%inlet_0, %arg_1, %9) {} : (cf.inlet, tensor<1xf32>, tensor<1xi64>) -> 
        (%11) = "pd_op.less_than" (%9, %1) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%11, %9, %10) {} : (tensor<1xb>, tensor<1xi64>, tensor<1xf32>) -> 
    }
    (%12) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xb>
    (%13) = "pd_op.while" (cond=%12, inputs=%5) {
    ^%arg_2 {}
        (%14, %15) = "cf.tuple_pop" (%outlet_0) {} : (cf.outlet) -> tensor<1xf32>, tensor<1xi64>
        (%16) = "pd_op.multiply" (%14, %4) {stop_gradient:[true]} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
        (%17) = "pd_op.multiply" (%16, %arg_2) {stop_gradient:[true]} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
        (%18) = "cf.has_elements" (%stack_0) {} : (cf.stack) -> tensor<1xb>
        () = "cf.yield" (%18, %17) {} : (tensor<1xb>, tensor<1xf32>) -> 
    }
    (%19) = "pd_op.fetch" (%8) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<1xf32>) -> tensor<1xf32>
    (%20) = "pd_op.fetch" (%13) {col:1,name:"dx",persistable:[true],stop_gradient:[true]} : (tensor<1xf32>) -> tensor<1xf32>
}
