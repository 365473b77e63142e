// A value handed out twice, an input and a constant handed out; extents that turn out to broadcast; no element at all.
// RUN: pir-run %s --input=x=2x3xf32=random:1 --input=y=2x3xf32=random:2 --pipeline=kernels --output-dir=%T --print | FileCheck %s
// RUN: pir-run %s --input=x=2x3xf32=random:1 --input=y=2x3xf32=random:2 --pipeline="prepare,group{few=0},dce" --expect-dir=%T --print | FileCheck %s
// RUN: pir-run %s --input=x=1x3xf32=0 --input=y=2x1xf32=0 --pipeline=kernels --print | FileCheck --check-prefix=BROADCAST %s
// RUN: pir-run %s --input=x=1x3xf32=0 --input=y=2x1xf32=0 --pipeline="prepare,group{few=0},dce" --print | FileCheck --check-prefix=BROADCAST %s
// RUN: pir-run %s --input=x=0x3xf32=0 --input=y=1x1xf32=0 --pipeline="prepare,group{few=0},dce" --print | FileCheck --check-prefix=EMPTY %s
// RUN: not pir-run %s --input=x=4x3xf32=0 --input=y=2x3xf32=0 --pipeline=kernels 2>&1 | FileCheck --check-prefix=MISFIT %s
// RUN: not pir-run %s --input=x=4x3xf32=0 --input=y=2x3xf32=0 2>&1 | FileCheck --check-prefix=MISFIT %s
// CHECK: a: float32[2,3]
// CHECK: c: float32[2,3]
// CHECK: b: float32[2,3]
// CHECK: d: float32[2]
// CHECK-NEXT: [0.5, 0.5]
// BROADCAST: a: float32[2,3]
// BROADCAST-NEXT: {{\[\[}}1, 1, 1],
// BROADCAST: c: float32[1,3]
// BROADCAST: b: float32[2,3]
// EMPTY: a: float32[0,3]
// EMPTY-NEXT: []
// MISFIT: error: "pd_op.add": extents 4 and 2 do not fit together (at ports.pir:24:5); the inputs are x [4,3], y [2,3]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1],stop_gradient:[true]} : () -> tensor<-1x-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1,-1],stop_gradient:[true]} : () -> tensor<-1x-1xf32>
    (%2) = "pd_op.add" (%0, %1) {stop_gradient:[true]} : (tensor<-1x-1xf32>, tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%3) = "pd_op.multiply" (%2, %0) {stop_gradient:[true]} : (tensor<-1x-1xf32>, tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%4) = "pd_op.exp" (%3) {stop_gradient:[true]} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"a",persistable:[true],stop_gradient:[true]} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%6) = "pd_op.fetch" (%4) {col:2,name:"b",persistable:[true],stop_gradient:[true]} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%7) = "pd_op.fetch" (%0) {col:1,name:"c",persistable:[true],stop_gradient:[true]} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%8) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],stop_gradient:[true],value:0.5} : () -> tensor<2xf32>
    (%9) = "pd_op.fetch" (%8) {col:3,name:"d",persistable:[true],stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
}
