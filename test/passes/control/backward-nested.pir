// A loop inside of a loop, and one in a branch of a loop. The steps of all runs of the inner loop lie on one stack; its new variable, false in
// the first step of a run, ends the loop that takes them off. The numbers are those of differences: Paddle's executor stops at such programs.

// RUN: rm -rf %t && split-file %s %t
// RUN: pir-opt %t/loop.pir --verify-each '--passes=backward{loss=%23,wrt=x|w}' -o %t/both.pir
// RUN: FileCheck --input-file=%t/both.pir %s
// RUN: for p in kernels compile; do pir-run %t/both.pir --input=x=2xf32=0.7 --input=w=2xf32=1.2 --pipeline=$p --print || exit 1; done | FileCheck --check-prefix=NUMBER %s
// RUN: pir-opt --check-gradients %t/loop.pir --outputs=%23 | FileCheck --check-prefix=SLOPE %s
// RUN: sed 's/stop_gradient:\[true\],value:2/stop_gradient:[true],value:0/' %t/loop.pir > %t/none.pir
// RUN: pir-opt --check-gradients %t/none.pir --outputs=%23 | FileCheck --check-prefix=NONE %s
// RUN: pir-opt --check-gradients %t/branch.pir --outputs=%29 | FileCheck --check-prefix=SLOPE %s

// CHECK:      (%[[FIRST:.*]]) = "pd_op.full" () {{.*}}dtype:bool{{.*}}value:0
// CHECK-NEXT: (%{{.*}}, %{{.*}}, %[[RAN:.*]]) = "pd_op.while" (cond=%{{.*}}, inputs=%{{.*}}, %[[FIRST]])
// CHECK-NEXT: ^%{{.*}}, %[[MORE:arg_[0-9]+]] {stop_gradient:true}
// CHECK:      "cf.tuple_push" (%inlet_0, {{.*}}%[[MORE]]
// CHECK:      "cf.tuple_push" (%inlet_1, {{.*}}%[[RAN]]
// CHECK:      "cf.has_elements" (%stack_1)
// CHECK-NOT:  "cf.has_elements" (%stack_0)
// CHECK:      "cf.has_elements" (%stack_1)
// NUMBER:      fetch1: float32[2]
// NUMBER-NEXT: [1.93507{{[0-9]*}}, 1.93507
// NUMBER-NEXT: fetch2: float32[2]
// NUMBER-NEXT: [2.35275{{[0-9]*}}, 2.35275
// NUMBER:      fetch1: float32[2]
// NUMBER-NEXT: [1.93507{{[0-9]*}}, 1.93507
// SLOPE: 2 inputs and parameters: 2 ok
// NONE: 2 inputs and parameters: {{[12]}} ok {{.*}}, 0 beyond
//--- loop.pir
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:3} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:2} : () -> tensor<1xi64>
    (%4) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%5) = "pd_op.less_than" (%4, %2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%6, %7) = "pd_op.while" (cond=%5, inputs=%4, %0) { 
    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:false}
        (%8) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
        (%9) = "pd_op.less_than" (%8, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        (%10, %11) = "pd_op.while" (cond=%9, inputs=%8, %arg_1) { 
        ^%arg_2 {stop_gradient:true}, %arg_3 {stop_gradient:false}
            (%12) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
            (%13) = "pd_op.scale" (%arg_2, %12) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
            (%14) = "pd_op.multiply" (%arg_3, %1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
            (%15) = "pd_op.tanh" (%14) {stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
            (%16) = "pd_op.less_than" (%13, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
            () = "cf.yield" (%16, %13, %15) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>) -> 
        }
        (%17) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
        (%18) = "pd_op.scale" (%arg_0, %17) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%19) = "pd_op.multiply" (%11, %11) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%20) = "pd_op.add" (%19, %arg_1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%21) = "pd_op.less_than" (%18, %2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%21, %18, %20) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>) -> 
    }
    (%22) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%23) = "pd_op.sum" (%7, %22) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<2xf32>, tensor<0xi64>) -> tensor<f32>
}
//--- branch.pir
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:3} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:2} : () -> tensor<1xi64>
    (%4) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%5) = "pd_op.less_than" (%4, %2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%6, %7) = "pd_op.while" (cond=%5, inputs=%4, %0) { 
    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:false}
        (%8) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
        (%9) = "pd_op.sum" (%arg_1, %8) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<2xf32>, tensor<0xi64>) -> tensor<f32>
        (%10) = "pd_op.full" () {dtype:float32,place:Place(undefined:0),shape:[],stop_gradient:[true],value:1} : () -> tensor<f32>
        (%11) = "pd_op.greater_than" (%9, %10) {stop_gradient:[true]} : (tensor<f32>, tensor<f32>) -> tensor<b>
        (%12) = "pd_op.if" (%11) {stop_gradient:[false]} -> tensor<2xf32> {
            (%13) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
            (%14) = "pd_op.less_than" (%13, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
            (%15, %16) = "pd_op.while" (cond=%14, inputs=%13, %arg_1) { 
            ^%arg_2 {stop_gradient:true}, %arg_3 {stop_gradient:false}
                (%17) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
                (%18) = "pd_op.scale" (%arg_2, %17) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
                (%19) = "pd_op.multiply" (%arg_3, %1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
                (%20) = "pd_op.tanh" (%19) {stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
                (%21) = "pd_op.less_than" (%18, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
                () = "cf.yield" (%21, %18, %20) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>) -> 
            }
            () = "cf.yield" (%16) {} : (tensor<2xf32>) -> 
        } else {
            (%22) = "pd_op.add" (%arg_1, %0) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
            () = "cf.yield" (%22) {} : (tensor<2xf32>) -> 
        }
        (%23) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
        (%24) = "pd_op.scale" (%arg_0, %23) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%25) = "pd_op.multiply" (%12, %12) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%26) = "pd_op.add" (%25, %arg_1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%27) = "pd_op.less_than" (%24, %2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%27, %24, %26) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>) -> 
    }
    (%28) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%29) = "pd_op.sum" (%7, %28) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<2xf32>, tensor<0xi64>) -> tensor<f32>
}
