// Soft labels have a number for each class, as Paddle demands; one number for all would be read for each of them.
// RUN: for p in kernels 'ungrouped,group{few=0},dce,bind'; do not pir-run --input=x=2x5xf32 --input=l=2x1xf32 --pipeline="$p" %s 2>&1 | FileCheck %s || exit 1; done
// RUN: pir-run --input=x=2x5xf32=0 --input=l=2x5xf32=0 --print %s | FileCheck %s --check-prefix=WHOLE
// CHECK: error: pd_op.cross_entropy_with_softmax: expects {{.*}}found input [2,5], label [2,1]
// WHOLE: loss: float32[2,1]
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,5]} : () -> tensor<-1x5xf32>
    (%l) = "pd_op.data" () {dtype:float32,name:"l",place:Place(undefined:0),shape:[-1,-1]} : () -> tensor<-1x-1xf32>
    (%s, %loss) = "pd_op.cross_entropy_with_softmax" (%x, %l) {axis:-1,ignore_index:-100,numeric_stable_mode:true,soft_label:true,use_softmax:true} : (tensor<-1x5xf32>, tensor<-1x-1xf32>) -> tensor<-1x5xf32>, tensor<-1x1xf32>
    (%f) = "pd_op.fetch" (%loss) {col:0,name:"loss"} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>
}
