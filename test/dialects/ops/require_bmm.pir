// A product of stacks takes stacks of matrices alone, of one length, whose extents fit.
// RUN: not pir-run --input=x=2x4x5xf32 --input=y=3x5x4xf32 --pipeline=kernels %s 2>&1 | FileCheck %s
// RUN: not pir-run --input=x=2x4x5xf32 --input=y=2x4x5xf32 --pipeline=kernels %s 2>&1 | FileCheck %s
// RUN: pir-run --input=x=2x4x5xf32=1 --input=y=2x5x3xf32=1 --pipeline=compile %s
// RUN: sed "s/-1x-1x-1xf32/2x3x4x4xf32/g; s/shape:.-1,-1,-1./shape:[2,3,4,4]/" %s >%t.pir
// RUN: not pir-run --input=x=2x3x4x4xf32 --input=y=2x3x4x4xf32 --pipeline=kernels %t.pir 2>&1 | FileCheck %s
// CHECK: pd_op.bmm{{"?:?}} expects rank(x) == 3 && rank(y) == 3 && dim(x, 0) == dim(y, 0) && dim(x, 2) == dim(y, 1), found x [{{.*}}], y [{{.*}}]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1,-1]} : () -> tensor<-1x-1x-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1,-1,-1]} : () -> tensor<-1x-1x-1xf32>
    (%2) = "pd_op.bmm" (%0, %1) {} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"out"} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
}
