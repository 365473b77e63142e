// The backward function of a pylayer is not part of a program, so gradients through one are an error. The region that Paddle's
// backward program holds (its number is -1) has the gradient of its ops, here 2 exp(x) of 2 exp(x).
// RUN: not pir-opt %s '--passes=backward{loss=%1,ones,wrt=x}' -o %t.none 2>&1 | FileCheck %s
// RUN: not ls %t.none
// RUN: sed 's/backward_function_id:2147/backward_function_id:-1/' %s > %t.own.pir
// RUN: pir-opt %t.own.pir --verify-each '--passes=backward{loss=%1,ones,wrt=x}' -o %t.pir
// RUN: FileCheck --check-prefix=OWN --input-file=%t.pir %s
// RUN: for p in kernels compile; do pir-run %t.pir --input=x=2xf32=0.5 --pipeline=$p --print || exit 1; done | FileCheck --check-prefix=NUMBER %s
// RUN: pir-opt --check-gradients %t.own.pir | FileCheck --check-prefix=SLOPE %s

// CHECK: :[[@LINE+14]]:5: error: unsupported: gradients through a pylayer, whose backward function (backward_function_id 2147) is not part of the program
// OWN:      "pd_op.pylayer" (%[[SEED:[0-9]+]]) {backward_function_id:-1,stop_gradient:[false]} -> tensor<2xf32> {
// OWN:      "cf.tuple_pop"
// OWN:      "pd_op.exp_grad"
// OWN-NEXT: "cf.yield"
// NUMBER:      y: float32[2]
// NUMBER-NEXT: [3.29744{{[0-9]*}}, 3.29744
// NUMBER:      fetch1: float32[2]
// NUMBER-NEXT: [3.29744{{[0-9]*}}, 3.29744
// NUMBER:      fetch1: float32[2]
// NUMBER-NEXT: [3.29744{{[0-9]*}}, 3.29744
// SLOPE: 1 inputs and parameters: 1 ok
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%1) = "pd_op.pylayer" (%0) {backward_function_id:2147,stop_gradient:[false]} -> tensor<2xf32> {
        (%2) = "pd_op.exp" (%0) {stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
        (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:2} : () -> tensor<1xf32>
        (%4) = "pd_op.scale" (%2, %3) {bias:0,bias_after_scale:true,stop_gradient:[false]} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
        () = "cf.yield" (%4) {} : (tensor<2xf32>) -> 
    }
    (%5) = "pd_op.fetch" (%1) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
}
