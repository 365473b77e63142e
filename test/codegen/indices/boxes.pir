// Boxes read the size of their image: of fewer images than maps, the sizes behind the last one are not read.
// RUN: pir-run %s --input=x=3x14x2x2xf32=random:1 --input=size=3x2xi32=0 --guard-pages=end
// RUN: not pir-run %s --input=x=400x14x2x2xf32=random:1 --input=size=1x2xi32=0 --guard-pages=end 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=400x14x2x2xf32=random:1 --input=size=0x2xi32=0 --guard-pages=begin 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=400x14x2x2xf32=random:1 --input=size=1x2xi32=0 --pipeline=kernels 2>&1 | FileCheck %s
// CHECK: error: pd_op.yolo_box: index out of range of operand 1
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,14,-1,-1]} : () -> tensor<-1x14x-1x-1xf32>
    (%1) = "pd_op.data" () {dtype:int32,name:"size",place:Place(undefined:0),shape:[-1,2]} : () -> tensor<-1x2xi32>
    (%2, %3) = "pd_op.yolo_box" (%0, %1) {anchors:[10,13,16,30],class_num:2,clip_bbox:false,conf_thresh:0.3,downsample_ratio:32,iou_aware:false,iou_aware_factor:0.5,scale_x_y:1.2} : (tensor<-1x14x-1x-1xf32>, tensor<-1x2xi32>) -> tensor<-1x-1x4xf32>, tensor<-1x-1x2xf32>
    (%4) = "pd_op.fetch" (%2) {col:0,name:"boxes"} : (tensor<-1x-1x4xf32>) -> tensor<-1x-1x4xf32>
    (%5) = "pd_op.fetch" (%3) {col:1,name:"scores"} : (tensor<-1x-1x2xf32>) -> tensor<-1x-1x2xf32>
}
