// Regions of a map of ones average to one wherever they lie inside; no region gives no row; counts must add up.
// RUN: pir-run %s --input=x=1x2x8x8xf32=0 --input=b=2x4xf32=0 --input=n=1xi32=0 --pipeline=kernels --print | FileCheck %s
// RUN: not pir-run %s --input=x=1x2x8x8xf32=0 --input=b=3x4xf32=0 --input=n=1xi32=0 --pipeline=kernels 2>&1 | FileCheck --check-prefix=COUNT %s
// RUN: not pir-run %s --input=x=1x2x8x8xf32=0 --input=b=2x4xf32=0 --input=n=2xi32=0 --pipeline=kernels 2>&1 | FileCheck --check-prefix=IMAGES %s
// RUN: not pir-run %s --input=x=1x2x8x8xf32=0 --input=b=2x5xf32=0 --input=n=1xi32=0 --pipeline=kernels 2>&1 | FileCheck --check-prefix=COLUMNS %s
// CHECK: out: float32[2,2,1,2]
// CHECK-NEXT: {{\[\[\[\[}}1, 1]],
// CHECK: {{\[}}1, 1]]]]
// COUNT: pd_op.roi_align: boxes_num: 2 regions, boxes has 3
// IMAGES: pd_op.roi_align: boxes_num: expects one number for each of 1 images
// COLUMNS: pd_op.roi_align: expects rank(boxes) == 2 && dim(boxes, 1) == 4, found boxes [2,5]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,2,-1,-1],stop_gradient:[true]} : () -> tensor<-1x2x-1x-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(undefined:0),shape:[-1,-1],stop_gradient:[true]} : () -> tensor<-1x-1xf32>
    (%2) = "pd_op.data" () {dtype:int32,name:"n",place:Place(undefined:0),shape:[-1],stop_gradient:[true]} : () -> tensor<-1xi32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],stop_gradient:[true],value:2} : () -> tensor<1xi32>
    (%5) = "pd_op.add" (%0, %3) {stop_gradient:[true]} : (tensor<-1x2x-1x-1xf32>, tensor<1xf32>) -> tensor<-1x2x-1x-1xf32>
    (%6) = "pd_op.add" (%1, %3) {stop_gradient:[true]} : (tensor<-1x-1xf32>, tensor<1xf32>) -> tensor<-1x-1xf32>
    (%7) = "pd_op.add" (%2, %4) {stop_gradient:[true]} : (tensor<-1xi32>, tensor<1xi32>) -> tensor<-1xi32>
    (%8) = "pd_op.roi_align" (%5, %6, %7) {aligned:false,pooled_height:1,pooled_width:2,sampling_ratio:2,spatial_scale:1,stop_gradient:[true]} : (tensor<-1x2x-1x-1xf32>, tensor<-1x-1xf32>, tensor<-1xi32>) -> tensor<-1x2x1x2xf32>
    (%9) = "pd_op.fetch" (%8) {col:0,name:"out",persistable:[true],stop_gradient:[true]} : (tensor<-1x2x1x2xf32>) -> tensor<-1x2x1x2xf32>
}
