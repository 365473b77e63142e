// An index with more rows than the tensor it is taken along.
// RUN: pir-run %s --input=x=50x10xf32=random:1 --input=i=50x13xi64=0
// RUN: not pir-run %s --input=x=2x10xf32=random:1 --input=i=50x13xi64=0 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=2x10xf32=random:1 --input=i=50x13xi64=0 --pipeline=kernels 2>&1 | FileCheck %s
// CHECK: error: pd_op.take_along_axis: index out of range of operand 0
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,10]} : () -> tensor<-1x10xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"i",place:Place(undefined:0),shape:[-1,13]} : () -> tensor<-1x13xi64>
    (%2) = "pd_op.take_along_axis" (%0, %1) {axis:1} : (tensor<-1x10xf32>, tensor<-1x13xi64>) -> tensor<-1x13xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"out"} : (tensor<-1x13xf32>) -> tensor<-1x13xf32>
}
