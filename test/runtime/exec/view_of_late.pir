// A view of a tensor that comes from a branch: that its axes can be dropped shows only in the run.
// RUN: pir-run %s --input=x=4x1x1x4xf32 --input=c=1xb=random:1 --pipeline=kernels --print | FileCheck %s --check-prefix=FITS
// RUN: pir-run %s --input=x=4x1x1x4xf32 --input=c=1xb=random:1 --pipeline=compile --print | FileCheck %s --check-prefix=FITS
// RUN: not pir-run %s --input=x=4x3x6x4xf32 --input=c=1xb=random:1 --pipeline=kernels 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=4x3x6x4xf32 --input=c=1xb=random:1 --pipeline=compile 2>&1 | FileCheck %s
// FITS: out: float32[4,4]
// CHECK: "pd_op.squeeze" would change the number of elements: expects 16 in its result, found 288
{
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1,-1,-1]} : () -> tensor<-1x-1x-1x-1xf32>
    (%2) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%13) = "pd_op.if" (%2) {} -> tensor<-1x-1x-1x-1xf32> {
        (%14) = "pd_op.relu" (%1) {} : (tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
        () = "cf.yield" (%14) {} : (tensor<-1x-1x-1x-1xf32>) -> 
    } else {
        () = "cf.yield" (%1) {} : (tensor<-1x-1x-1x-1xf32>) -> 
    }
    (%30) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,1]} : () -> tensor<2xi64>
    (%31) = "pd_op.squeeze" (%13, %30) {} : (tensor<-1x-1x-1x-1xf32>, tensor<2xi64>) -> tensor<-1x-1xf32>
    () = "builtin.shadow_output" (%31) {output_name:"out"} : (tensor<-1x-1xf32>) -> 
}
