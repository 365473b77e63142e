// Renaming a tensor costs nothing but must keep its number of elements, also when the shape is an input.
// RUN: pir-run %s --input=x=2x6xf32=0 --input=shape=@%S/inputs/shape_2_-1_2.npy --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=x=2x6xf32=0 --input=shape=@%S/inputs/shape_2_-1_2.npy --pipeline="prepare,group{few=0},dce" --print | FileCheck %s
// RUN: not pir-run %s --input=x=2x7xf32=0 --input=shape=@%S/inputs/shape_2_-1_2.npy --pipeline=kernels 2>&1 | FileCheck --check-prefix=FREE %s
// RUN: not pir-run %s --input=x=1x12xf32=0 --input=shape=@%S/inputs/shape_1_2_3.npy --pipeline=kernels 2>&1 | FileCheck --check-prefix=GIVEN %s
// CHECK: a: float32[2,3,2]
// CHECK: b: float32[3,4]
// FREE: error: "pd_op.reshape" would change the number of elements
// GIVEN: error: pd_op.reshape: 12 elements do not fit the shape of 6
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1],stop_gradient:[true]} : () -> tensor<-1x-1xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"shape",place:Place(undefined:0),shape:[3],stop_gradient:[true]} : () -> tensor<3xi64>
    (%2) = "pd_op.reshape" (%0, %1) {stop_gradient:[true]} : (tensor<-1x-1xf32>, tensor<3xi64>) -> tensor<-1x-1x-1xf32>
    (%3) = "pd_op.exp" (%2) {stop_gradient:[true]} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%4) = "pd_op.add" (%3, %3) {stop_gradient:[true]} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"a",persistable:[true],stop_gradient:[true]} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%6) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[3,4]} : () -> tensor<2xi64>
    (%7) = "pd_op.reshape" (%0, %6) {stop_gradient:[true]} : (tensor<-1x-1xf32>, tensor<2xi64>) -> tensor<3x4xf32>
    (%8) = "pd_op.fetch" (%7) {col:1,name:"b",persistable:[true],stop_gradient:[true]} : (tensor<3x4xf32>) -> tensor<3x4xf32>
}
