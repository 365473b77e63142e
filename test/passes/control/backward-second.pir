// Second gradients through a branch: a value that comes from a stack leads back to no op, so a gradient that reaches it is an error. The branch
// that reads none of them has a second gradient.

// RUN: pir-opt %s '--passes=backward{loss=%2,ones,wrt=x}' -o %t.pir
// RUN: not pir-opt %t.pir '--passes=backward{loss=fetch1,ones,wrt=x}' -o %t.none 2>&1 | FileCheck %s
// RUN: not ls %t.none
// RUN: sed '/(%4) = "pd_op.square"/s/%3/%0/;s/"pd_op.tanh"/"pd_op.square"/' %s > %t.plain.pir
// RUN: pir-opt %t.plain.pir '--passes=backward{loss=%2,ones,wrt=x},backward{loss=fetch1,ones,wrt=x}' -o %t.twice.pir
// RUN: pir-run %t.twice.pir --input=x=1xf32=3 --pipeline=kernels --print 2>&1 | FileCheck --check-prefix=NUMBER %s

// CHECK: :9: error: unsupported: gradients of a gradient through values from a stack
// CHECK-NEXT: "cf.tuple_pop"
// NUMBER: fetch2: float32[1]
// NUMBER-NEXT: 2

{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1],stop_gradient:[false]} : () -> tensor<1xf32>
    (%1) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xb>
    (%2) = "pd_op.if" (%1) {stop_gradient:[false]} -> tensor<1xf32> {
        (%3) = "pd_op.square" (%0) {stop_gradient:[false]} : (tensor<1xf32>) -> tensor<1xf32>
        (%4) = "pd_op.square" (%3) {stop_gradient:[false]} : (tensor<1xf32>) -> tensor<1xf32>
        () = "cf.yield" (%4) {} : (tensor<1xf32>) -> 
    } else {
        (%5) = "pd_op.tanh" (%0) {stop_gradient:[false]} : (tensor<1xf32>) -> tensor<1xf32>
        () = "cf.yield" (%5) {} : (tensor<1xf32>) -> 
    }
}
