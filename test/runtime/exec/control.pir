// A loop with an `if` in an `if`, which read values of every region around them; loop variables that change places;
// one that grows, so that only running shows its extent; an array that the loop fills.
// RUN: pir-run %s --input=n=@%S/inputs/five.npy --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=n=@%S/inputs/five.npy --pipeline="prepare,group{few=0},dce" --print | FileCheck %s
// RUN: pir-run %s --input=n=@%S/inputs/none.npy --pipeline=compile --print | FileCheck --check-prefix=NONE %s
// CHECK: a: int64[1]
// CHECK-NEXT: [8]
// CHECK-NEXT: b: int64[1]
// CHECK-NEXT: [5]
// CHECK-NEXT: once: int64[1]
// CHECK-NEXT: [100]
// CHECK-NEXT: length: int64[1]
// CHECK-NEXT: [6]
// CHECK-NEXT: last: int64[1]
// CHECK-NEXT: [5]
// CHECK-NEXT: grown: int64[6]
// CHECK-NEXT: [10201, 10201, 10404, 10609, 10816, 11025]
// NONE: a: int64[1]
// NONE-NEXT: [1]
// NONE: length: int64[1]
// NONE-NEXT: [1]
// NONE-NEXT: last: int64[1]
// NONE-NEXT: [0]
// NONE-NEXT: grown: int64[1]
// NONE-NEXT: [10201]
{
    (%0) = "pd_op.data" () {dtype:int64,name:"n",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xi64>
    (%1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],stop_gradient:[true],value:2} : () -> tensor<1xi64>
    (%4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],stop_gradient:[true],value:100} : () -> tensor<1xi64>
    (%5) = "pd_op.create_array" () {dtype:int64,stop_gradient:[true]} : () -> pd_op.tensor_array<i64>
    (%6) = "pd_op.array_write_" (%5, %1, %1) {} : (pd_op.tensor_array<i64>, tensor<1xi64>, tensor<1xi64>) -> pd_op.tensor_array<i64>
    (%7) = "pd_op.less_than" (%1, %0) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%8, %9, %10, %11, %12) = "pd_op.while" (cond=%7, inputs=%1, %2, %1, %1, %2) { 
    ^%arg_0 {}, %arg_1 {}, %arg_2 {}, %arg_3 {}, %arg_4 {}
        (%13) = "pd_op.add" (%arg_0, %2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        (%14) = "pd_op.add" (%arg_1, %arg_2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        (%15) = "pd_op.array_write_" (%5, %13, %13) {} : (pd_op.tensor_array<i64>, tensor<1xi64>, tensor<1xi64>) -> pd_op.tensor_array<i64>
        (%16) = "pd_op.less_than" (%arg_0, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        (%17) = "pd_op.if" (%16) {stop_gradient:[true]} -> tensor<1xi64> {
            (%18) = "pd_op.less_than" (%arg_0, %2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
            (%19) = "pd_op.if" (%18) {stop_gradient:[true]} -> tensor<1xi64> {
                (%20) = "pd_op.add" (%arg_3, %4) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
                () = "cf.yield" (%20) {} : (tensor<1xi64>) -> 
            } else {
                () = "cf.yield" (%arg_3) {} : (tensor<1xi64>) -> 
            }
            () = "cf.yield" (%19) {} : (tensor<1xi64>) -> 
        } else {
            () = "cf.yield" (%arg_3) {} : (tensor<1xi64>) -> 
        }
        (%21) = "builtin.combine" (%arg_4, %13) {stop_gradient:[true]} : (tensor<-1xi64>, tensor<1xi64>) -> vec[tensor<-1xi64>,tensor<1xi64>]
        (%22) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi32>
        (%23) = "pd_op.concat" (%21, %22) {stop_gradient:[true]} : (vec[tensor<-1xi64>,tensor<1xi64>], tensor<1xi32>) -> tensor<-1xi64>
        (%24) = "pd_op.less_than" (%13, %0) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%24, %13, %14, %arg_1, %17, %23) {} : (tensor<1xb>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<-1xi64>) -> 
    }
    (%25) = "pd_op.array_length" (%5) {} : (pd_op.tensor_array<i64>) -> tensor<1xi64>
    (%26) = "pd_op.array_read" (%5, %8) {stop_gradient:[true]} : (pd_op.tensor_array<i64>, tensor<1xi64>) -> tensor<1xi64>
    (%27) = "pd_op.add" (%12, %4) {stop_gradient:[true]} : (tensor<-1xi64>, tensor<1xi64>) -> tensor<-1xi64>
    (%28) = "pd_op.multiply" (%27, %27) {stop_gradient:[true]} : (tensor<-1xi64>, tensor<-1xi64>) -> tensor<-1xi64>
    (%29) = "pd_op.fetch" (%9) {col:0,name:"a",persistable:[true],stop_gradient:[true]} : (tensor<1xi64>) -> tensor<1xi64>
    (%30) = "pd_op.fetch" (%10) {col:1,name:"b",persistable:[true],stop_gradient:[true]} : (tensor<1xi64>) -> tensor<1xi64>
    (%31) = "pd_op.fetch" (%11) {col:2,name:"once",persistable:[true],stop_gradient:[true]} : (tensor<1xi64>) -> tensor<1xi64>
    (%32) = "pd_op.fetch" (%25) {col:3,name:"length",persistable:[true],stop_gradient:[true]} : (tensor<1xi64>) -> tensor<1xi64>
    (%33) = "pd_op.fetch" (%26) {col:4,name:"last",persistable:[true],stop_gradient:[true]} : (tensor<1xi64>) -> tensor<1xi64>
    (%34) = "pd_op.fetch" (%28) {col:5,name:"grown",persistable:[true],stop_gradient:[true]} : (tensor<-1xi64>) -> tensor<-1xi64>
}
