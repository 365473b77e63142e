// What has no answer is refused with its reason: a singular matrix, NaN, one that is not square.
// RUN: not pir-run %s --input=x=3x3xf32=0 2>&1 | FileCheck --check-prefix=SINGULAR %s
// RUN: not pir-run %s --input=x=3x4xf32=random:1 2>&1 | FileCheck --check-prefix=SQUARE %s
// SINGULAR: pd_op.inverse: x: expects an invertible matrix
// SQUARE: pd_op.inverse: x: expects a square matrix with a side of 3, found 4
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1]} : () -> tensor<-1x-1xf32>
    (%1) = "pd_op.inverse" (%0) {} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"y",persistable:[true]} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
}
