// A constant that is written over a new tensor is a constant, and what is computed of it is folded. A tensor that another op reads stays written.
// RUN: pir-opt %s --verify-each --passes=writes,constant_writes,dce | FileCheck %s
// RUN: pir-opt %s --pipeline=compile 2>/dev/null | FileCheck %s --check-prefix=FOLDED
// RUN: for p in kernels compile; do pir-run %s --pipeline=$p --print | FileCheck %s --check-prefix=NUMBERS; done
// CHECK-NOT: pd_op.full"
// CHECK: "pd_op.assign_value" () {{.*}}shape:[3]
// CHECK: "pd_op.full" {{.*}}shape:[2]
// CHECK: "pd_op.assign_value_"
// FOLDED-NOT: exp
// NUMBERS: y: float32[3]
// NUMBERS-NEXT: [1, 2.7182{{[0-9]*}}, 7.389{{[0-9]*}}]
// NUMBERS: z: float32[2]
// NUMBERS-NEXT: [0, 0]
// NUMBERS: w: float32[2]
// NUMBERS-NEXT: [5, 6]
{
    (%0) = "pd_op.full" () {dtype:float32,place:Place(undefined:0),shape:[3],stop_gradient:[true],value:0} : () -> tensor<3xf32>
    (%1) = "pd_op.assign_value_" (%0) {dtype:float32,place:Place(undefined:0),shape:[3],stop_gradient:[true],values:[(Float)0,(Float)1,(Float)2]} : (tensor<3xf32>) -> tensor<3xf32>
    (%2) = "pd_op.exp" (%1) {stop_gradient:[true]} : (tensor<3xf32>) -> tensor<3xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<3xf32>) -> tensor<3xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(undefined:0),shape:[2],stop_gradient:[true],value:0} : () -> tensor<2xf32>
    (%5) = "pd_op.fetch" (%4) {col:1,name:"z",persistable:[true],stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.assign_value_" (%4) {dtype:float32,place:Place(undefined:0),shape:[2],stop_gradient:[true],values:[(Float)5,(Float)6]} : (tensor<2xf32>) -> tensor<2xf32>
    (%7) = "pd_op.fetch" (%6) {col:2,name:"w",persistable:[true],stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
}
