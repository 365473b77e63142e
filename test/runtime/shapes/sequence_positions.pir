// Positions of rows count from the first row of their sequence. Rows of empty and other sequences may be as many as these are:
// pooled rows have no offsets of theirs.
// RUN: pir-run %s --input=x=3x2xf32=0 --lod=x=[[0,2,3]] --print | FileCheck %s
// RUN: pir-run %s --input=x=3x2xf32=0 --lod=x=[[0,2,3]] --print --pipeline=kernels | FileCheck %s
// RUN: pir-run %s --input=x=2x2xf32=0 --lod=x=[[0,0,2]] --print | FileCheck %s --check-prefix=EMPTY

// CHECK:      out: float32[3,2]
// CHECK-NEXT: 0, 0.5]
// CHECK-NEXT: [{{4.99.*|5}}e-05, 0.5]
// CHECK-NEXT: [0, 0.5]
// EMPTY:      out: float32[2,2]
// EMPTY-NEXT: 0, 0.5]
// EMPTY-NEXT: [{{4.99.*|5}}e-05, 0.5]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,2],stop_gradient:[true]} : () -> tensor<-1x2xf32>
    (%1) = "pd_op.add_position_encoding" (%0) {alpha:1,beta:0.5,stop_gradient:[true]} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"out",stop_gradient:[true]} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
}
