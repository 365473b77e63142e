// Two levels of sequences: pooling leaves a row of each of the finest, and the rows go on as the sequences above. A convolution
// along rows stays in their finest sequences.
// RUN: pir-run %s --input=x=6x1xf32=1 --lod=x=[[0,2,3],[0,2,5,6]] --print | FileCheck %s
// RUN: pir-run %s --input=x=6x1xf32=1 --lod=x=[[0,2,3],[0,2,5,6]] --print --pipeline=kernels | FileCheck %s

// CHECK:      sums: float32[3,1]
// CHECK-NEXT: 2
// CHECK-NEXT: 3
// CHECK-NEXT: 1
// CHECK:      upper: float32[2,1]
// CHECK-NEXT: 5
// CHECK-NEXT: 1
// CHECK:      along: float32[6,1]
// CHECK-NEXT: 20
// CHECK-NEXT: 10
// CHECK-NEXT: 20
// CHECK-NEXT: 20
// CHECK-NEXT: 10
// CHECK-NEXT: 10
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,1],stop_gradient:[true]} : () -> tensor<-1x1xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,1],stop_gradient:[true],value:10} : () -> tensor<2x1xf32>
    (%2, %3) = "pd_op.sequence_pool" (%0) {is_test:true,pad_value:0,pooltype:"SUM",stop_gradient:[true,true]} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>, tensor<-1x1xi32>
    (%4, %5) = "pd_op.sequence_pool" (%2) {is_test:true,pad_value:0,pooltype:"SUM",stop_gradient:[true,true]} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>, tensor<-1x1xi32>
    (%6) = "pd_op.row_conv" (%0, %1) {stop_gradient:[true]} : (tensor<-1x1xf32>, tensor<2x1xf32>) -> tensor<-1x1xf32>
    (%7) = "pd_op.fetch" (%2) {col:0,name:"sums",stop_gradient:[true]} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>
    (%8) = "pd_op.fetch" (%4) {col:1,name:"upper",stop_gradient:[true]} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>
    (%9) = "pd_op.fetch" (%6) {col:2,name:"along",stop_gradient:[true]} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>
}
