// Sequences of different lengths: offsets come with an input, go with the rows through ops that know nothing of them, in
// called kernels and in compiled code, and are set anew by lod_reset.
// RUN: pir-run %s --input=x=6x1xf32=0 --lod=x=[[0,2,5,6]] --print | FileCheck %s
// RUN: pir-run %s --input=x=6x1xf32=0 --lod=x=[[0,2,5,6]] --print --pipeline=kernels | FileCheck %s
// RUN: not pir-run %s --input=x=6x1xf32=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not pir-run %s --input=x=6x1xf32=0 --lod=x=[[0,2,5,7]] 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not pir-run %s --input=x=6x1xf32=0 --lod=x=[0,2] 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not pir-run %s --input=x=6x1xf32=0 --lod=y=[[0]] 2>&1 | FileCheck %s --check-prefix=NAME

// CHECK:      sums: float32[3,1]
// CHECK-NEXT: 2
// CHECK-NEXT: 3
// CHECK-NEXT: 1
// CHECK:      again: float32[2,1]
// CHECK-NEXT: 1
// CHECK-NEXT: 5
// CHECK:      shares: float32[6,1]
// CHECK-NEXT: 0.5
// CHECK-NEXT: 0.5
// CHECK-NEXT: 0.333
// NONE: pd_op.sequence_pool: operand 0: expects a tensor with the offsets of its sequences
// FAR: error: input 0: offsets of level 0 must rise from 0 to 6, the rows
// FORM: NAME={{\[\[}}0,2,5]], a list of offsets a level
// NAME: the model has no input "y"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,1],stop_gradient:[true]} : () -> tensor<-1x1xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
    (%2) = "pd_op.scale" (%0, %1) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<-1x1xf32>, tensor<1xf32>) -> tensor<-1x1xf32>
    (%3) = "pd_op.relu" (%2) {stop_gradient:[true]} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>
    (%4, %5) = "pd_op.sequence_pool" (%3) {is_test:true,pad_value:0,pooltype:"SUM",stop_gradient:[true,true]} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>, tensor<-1x1xi32>
    (%6) = "pd_op.lod_reset" (%3, <<NULL VALUE>>) {append:false,stop_gradient:[true],target_lod:[0,1,6]} : (tensor<-1x1xf32>, <<NULL TYPE>>) -> tensor<-1x1xf32>
    (%7, %8) = "pd_op.sequence_pool" (%6) {is_test:true,pad_value:0,pooltype:"SUM",stop_gradient:[true,true]} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>, tensor<-1x1xi32>
    (%9) = "pd_op.sequence_softmax" (%3) {stop_gradient:[true]} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>
    (%10) = "pd_op.fetch" (%4) {col:0,name:"sums",stop_gradient:[true]} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>
    (%11) = "pd_op.fetch" (%7) {col:1,name:"again",stop_gradient:[true]} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>
    (%12) = "pd_op.fetch" (%9) {col:2,name:"shares",stop_gradient:[true]} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>
}
