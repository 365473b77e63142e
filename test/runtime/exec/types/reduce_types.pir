// argmax without an element type gives int64, as Paddle translates legacy programs; the mean of
// booleans is whether one is true, and true over no elements (0 / 0 is no number, hence true).
// RUN: pir-run %s --input=x=3x2xf32=0 --input=none=0x2xb --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=x=3x2xf32=0 --input=none=0x2xb --print | FileCheck %s
// CHECK: position: int64[3]
// CHECK-NEXT: [0, 0, 0]
// CHECK: some: bool[3]
// CHECK-NEXT: [0, 1, 1]
// CHECK: empty: bool[2]
// CHECK-NEXT: [1, 1]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,2]} : () -> tensor<-1x2xf32>
    (%1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%2) = "pd_op.argmax" (%0, %1) {dtype:Undefined,flatten:false,keepdims:false} : (tensor<-1x2xf32>, tensor<1xi64>) -> tensor<-1xi64>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"position"} : (tensor<-1xi64>) -> tensor<-1xi64>
    (%4) = "pd_op.assign_value" () {dtype:bool,place:Place(undefined:0),shape:[3,2],values:[0,0,0,1,1,1]} : () -> tensor<3x2xb>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%6) = "pd_op.mean" (%4, %5) {keepdim:false} : (tensor<3x2xb>, tensor<1xi64>) -> tensor<3xb>
    (%7) = "pd_op.fetch" (%6) {col:1,name:"some"} : (tensor<3xb>) -> tensor<3xb>
    (%8) = "pd_op.data" () {dtype:bool,name:"none",place:Place(undefined:0),shape:[-1,2]} : () -> tensor<-1x2xb>
    (%9) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%10) = "pd_op.mean" (%8, %9) {keepdim:false} : (tensor<-1x2xb>, tensor<1xi64>) -> tensor<2xb>
    (%11) = "pd_op.fetch" (%10) {col:2,name:"empty"} : (tensor<2xb>) -> tensor<2xb>
}
