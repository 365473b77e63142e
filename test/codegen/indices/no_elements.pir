// An index tensor [4,0] has no element, and neither has a scale [0]: nothing is read from them, by compiled code as by kernels.
// RUN: not pir-run %s --input=x=5x3xf32=0 --input=index=4x0xi64=0 --input=scale=1xf32=0 --pipeline=kernels 2>&1 | FileCheck --check-prefix=INDEX %s
// RUN: not pir-run %s --input=x=5x3xf32=0 --input=index=4x0xi64=0 --input=scale=1xf32=0 --pipeline='check,group{few=0},dce,bind' 2>&1 | FileCheck --check-prefix=INDEX %s
// RUN: not pir-run %s --input=x=5x3xf32=0 --input=index=4x1xi64=0 --input=scale=0xf32=0 --pipeline=kernels 2>&1 | FileCheck --check-prefix=SCALE %s
// RUN: not pir-run %s --input=x=5x3xf32=0 --input=index=4x1xi64=0 --input=scale=0xf32=0 --pipeline='check,group{few=0},dce,bind' 2>&1 | FileCheck --check-prefix=SCALE %s
// RUN: pir-run %s --input=x=5x3xf32=0 --input=index=4x1xi64=0 --input=scale=1xf32=0 --pipeline='check,group{few=0},dce,bind' --print | FileCheck %s
// RUN: pir-run %s --input=x=5x0xf32=0 --input=index=0x0xi64=0 --input=scale=0xf32=0 --pipeline='check,group{few=0},dce,bind' --print | FileCheck --check-prefix=NONE %s
// INDEX: error: pd_op.gather: index tensor read out of its range
// SCALE: error: pd_op.dequantize_abs_max: index out of range of operand 1
// CHECK: picked: float32[4,3]
// NONE: picked: float32[0,0]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1],stop_gradient:[true]} : () -> tensor<-1x-1xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"index",place:Place(undefined:0),shape:[-1,-1],stop_gradient:[true]} : () -> tensor<-1x-1xi64>
    (%2) = "pd_op.data" () {dtype:float32,name:"scale",place:Place(undefined:0),shape:[-1],stop_gradient:[true]} : () -> tensor<-1xf32>
    (%3) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi32>
    (%4) = "pd_op.gather" (%0, %1, %3) {stop_gradient:[true]} : (tensor<-1x-1xf32>, tensor<-1x-1xi64>, tensor<1xi32>) -> tensor<-1x-1xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"picked",stop_gradient:[true]} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%6) = "pd_op.cast" (%0) {dtype:int8,stop_gradient:[true]} : (tensor<-1x-1xf32>) -> tensor<-1x-1xi8>
    (%7) = "pd_op.dequantize_abs_max" (%6, %2) {max_range:127,stop_gradient:[true]} : (tensor<-1x-1xi8>, tensor<-1xf32>) -> tensor<-1x-1xf32>
    (%8) = "pd_op.fetch" (%7) {col:1,name:"scaled",stop_gradient:[true]} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
}
