// Inputs whose shapes do not fit together are refused before anything runs, with the op that asks for the extent, be it called
// or in the middle of a group: sums of other extents, a window that is too large, and more elements than can be.
// RUN: not pir-run %s --input=x=2x3x8x8xf32=0 --input=y=3x3x8x8xf32=0 2>&1 | FileCheck %s --check-prefix=ADD
// RUN: not pir-run %s --input=x=2x3x8x8xf32=0 --input=y=3x3x8x8xf32=0 --pipeline=kernels 2>&1 | FileCheck %s --check-prefix=ADD
// RUN: not pir-run %s --input=x=2x3x2x8xf32=0 --input=y=2x3x2x8xf32=0 2>&1 | FileCheck %s --check-prefix=POOL
// RUN: not pir-run %s --input=x=2x3x2x8xf32=0 --input=y=2x3x2x8xf32=0 --pipeline=kernels 2>&1 | FileCheck %s --check-prefix=POOL
// ADD: "pd_op.add": extents 2 and 3 do not fit together (at misfit.pir:13:5); the inputs are x [2,3,8,8], y [3,3,8,8]
// POOL: "pd_op.pool2d": an extent would be -{{[0-9]+}} (at misfit.pir:{{[0-9]+}}:5); the inputs are x [2,3,2,8], y [2,3,2,8]
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,3,-1,-1]} : () -> tensor<-1x3x-1x-1xf32>
    (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1,3,-1,-1]} : () -> tensor<-1x3x-1x-1xf32>
    (%1) = "pd_op.relu" (%x) {} : (tensor<-1x3x-1x-1xf32>) -> tensor<-1x3x-1x-1xf32>
    (%2) = "pd_op.add" (%1, %y) {} : (tensor<-1x3x-1x-1xf32>, tensor<-1x3x-1x-1xf32>) -> tensor<-1x3x-1x-1xf32>
    (%3) = "pd_op.exp" (%2) {} : (tensor<-1x3x-1x-1xf32>) -> tensor<-1x3x-1x-1xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[5,5]} : () -> tensor<2xi64>
    (%5) = "pd_op.pool2d" (%3, %4) {adaptive:false,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[0,0],pooling_type:"max",strides:[1,1]} : (tensor<-1x3x-1x-1xf32>, tensor<2xi64>) -> tensor<-1x3x-1x-1xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"out"} : (tensor<-1x3x-1x-1xf32>) -> tensor<-1x3x-1x-1xf32>
}
