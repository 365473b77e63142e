// Of boxes that overlap the best stays; classes do not see each other; the background class is left out. No boxes give no rows.
// RUN: pir-run %s --input=x=1x4x4xf32=0 --input=s=1x3x4xf32=0 --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=x=1x4x4xf32=0 --input=s=1x3x4xf32=0 --print | FileCheck %s
// RUN: pir-run %s --input=x=0x4x4xf32=0 --input=s=0x3x4xf32=0 --pipeline=kernels --print | FileCheck --check-prefix=EMPTY %s
// RUN: not pir-run %s --input=x=2x4x4xf32=0 --input=s=1x3x4xf32=0 --pipeline=kernels 2>&1 | FileCheck --check-prefix=MISFIT %s
// CHECK: out: float32[3,6]
// CHECK-NEXT: {{\[\[}}1, 0.89999998, 0, 0, 10, 10],
// CHECK-NEXT: [1, 0.5, 20, 20, 30, 30],
// CHECK-NEXT: [2, 0.69999999, 0, 0, 10, 9]]
// CHECK: index: int32[3,1]
// CHECK-NEXT: {{\[\[}}0],
// CHECK-NEXT: [3],
// CHECK-NEXT: [1]]
// CHECK: count: int32[1]
// CHECK-NEXT: [3]
// EMPTY: out: float32[0,6]
// EMPTY: count: int32[0]
// MISFIT: pd_op.multiclass_nms3: scores: expects 2 by 4 boxes, found 1 by 4
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1,4],stop_gradient:[true]} : () -> tensor<-1x-1x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"s",place:Place(undefined:0),shape:[-1,3,-1],stop_gradient:[true]} : () -> tensor<-1x3x-1xf32>
    (%2) = "pd_op.assign_value" () {dtype:float32,place:Place(cpu),shape:[4,4],stop_gradient:[true],values:[0,0,10,10,0,0,10,9,0,1,10,10,20,20,30,30]} : () -> tensor<4x4xf32>
    (%4) = "pd_op.assign_value" () {dtype:float32,place:Place(cpu),shape:[3,4],stop_gradient:[true],values:[0.99,0.99,0.99,0.99,0.9,0.8,0.2,0.5,0.3,0.7,0.6,0.1]} : () -> tensor<3x4xf32>
    (%5) = "pd_op.add" (%0, %2) {stop_gradient:[true]} : (tensor<-1x-1x4xf32>, tensor<4x4xf32>) -> tensor<-1x-1x4xf32>
    (%6) = "pd_op.add" (%1, %4) {stop_gradient:[true]} : (tensor<-1x3x-1xf32>, tensor<3x4xf32>) -> tensor<-1x3x-1xf32>
    (%7, %8, %9) = "pd_op.multiclass_nms3" (%5, %6, <<NULL VALUE>>) {background_label:0,keep_top_k:10,nms_eta:1,nms_threshold:0.4,nms_top_k:5,normalized:true,score_threshold:0.25,stop_gradient:[true,true,true]} : (tensor<-1x-1x4xf32>, tensor<-1x3x-1xf32>, <<NULL TYPE>>) -> tensor<-1x6xf32>, tensor<-1x1xi32>, tensor<-1xi32>
    (%10) = "pd_op.fetch" (%7) {col:0,name:"out",persistable:[true],stop_gradient:[true]} : (tensor<-1x6xf32>) -> tensor<-1x6xf32>
    (%11) = "pd_op.fetch" (%8) {col:1,name:"index",persistable:[true],stop_gradient:[true]} : (tensor<-1x1xi32>) -> tensor<-1x1xi32>
    (%12) = "pd_op.fetch" (%9) {col:2,name:"count",persistable:[true],stop_gradient:[true]} : (tensor<-1xi32>) -> tensor<-1xi32>
}
