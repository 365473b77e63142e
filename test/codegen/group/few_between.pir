// A root and a factor of one element, between the mean of a row and the ops that read the row, are compiled with them: one group. Few
// elements that no reduction makes are called.
// RUN: pir-opt %s --pipeline=compile --explain -o - 2>%t.err | FileCheck %s
// RUN: FileCheck %s --input-file=%t.err --check-prefix=LEFT
// RUN: pir-run %s --input=x=1x768xf32=random:1 --input=w=768xf32=random:2 --input=c=4xf32=0 --pipeline=kernels --output=y=@%t.npy
// RUN: pir-run %s --input=x=1x768xf32=random:1 --input=w=768xf32=random:2 --input=c=4xf32=0 --expect=y=@%t.npy --threads=2
// CHECK-COUNT-1: cinn_op.group
// CHECK-NOT:     {{cinn_op.group|kernel_name:"(scale|rsqrt|mean)"}}
// LEFT:          remark: "pd_op.cast" is not compiled: few elements
// LEFT-NOT:      few elements
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,768]} : () -> tensor<1x768xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[768]} : () -> tensor<768xf32>
    (%2) = "pd_op.square" (%0) {} : (tensor<1x768xf32>) -> tensor<1x768xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%4) = "pd_op.mean" (%2, %3) {keepdim:true} : (tensor<1x768xf32>, tensor<1xi64>) -> tensor<1x1xf32>
    (%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%6) = "pd_op.scale" (%4, %5) {bias:1e-05,bias_after_scale:true} : (tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32>
    (%7) = "pd_op.rsqrt" (%6) {} : (tensor<1x1xf32>) -> tensor<1x1xf32>
    (%8) = "pd_op.multiply" (%0, %7) {} : (tensor<1x768xf32>, tensor<1x1xf32>) -> tensor<1x768xf32>
    (%9) = "pd_op.multiply" (%8, %1) {} : (tensor<1x768xf32>, tensor<768xf32>) -> tensor<1x768xf32>
    (%10) = "pd_op.data" () {dtype:float32,name:"c",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%11) = "pd_op.cast" (%10) {dtype:float64} : (tensor<4xf32>) -> tensor<4xf64>
    (%12) = "pd_op.fetch" (%9) {col:0,name:"y"} : (tensor<1x768xf32>) -> tensor<1x768xf32>
    (%13) = "pd_op.fetch" (%11) {col:1,name:"d"} : (tensor<4xf64>) -> tensor<4xf64>
}
