// The extents that a product shares must agree; said before anything is computed.
// RUN: pir-run %s --input=x=2x3xf32=0 --input=y=3x2xf32=0 --pipeline=kernels --print | FileCheck %s
// RUN: not pir-run %s --input=x=2x3xf32=0 --input=y=4x2xf32=0 --pipeline=kernels 2>&1 | FileCheck --check-prefix=MISFIT %s
// RUN: not pir-run %s --input=x=2x3xf32=0 --input=y=4x2xf32=0 2>&1 | FileCheck --check-prefix=MISFIT %s
// CHECK: a: float32[2,2]
// MISFIT: error: {{.*(expected extent 3, found 4|an extent is 4 and must be 3)}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1],stop_gradient:[true]} : () -> tensor<-1x-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1,-1],stop_gradient:[true]} : () -> tensor<-1x-1xf32>
    (%2) = "pd_op.matmul" (%0, %1) {stop_gradient:[true],transpose_x:false,transpose_y:false} : (tensor<-1x-1xf32>, tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%3) = "pd_op.relu" (%2) {stop_gradient:[true]} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"a",persistable:[true],stop_gradient:[true]} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
}
