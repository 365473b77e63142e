// A value that later phases of a row want and that is a result too is stored twice: in the row's scratch, from which
// those phases read it, and in the result's buffer. Rows end within a vector; the last input has a value that the
// phase after the next wants. What reads a mean along the axis that it was taken over (extents agree by chance) is no
// part of the rows: it would need all other rows.
// RUN: pir-opt %s --emit=loops --target=x86-64-v3 | FileCheck %s
// RUN: mkdir -p %t && pir-run %s --pipeline=kernels --input=x=41x19xf32=random:1 --input=y=3x37x19xf32=random:2 --input=z=19x19xf32=random:3 --output-dir=%t
// RUN: pir-run %s --input=x=41x19xf32=random:1 --input=y=3x37x19xf32=random:2 --input=z=19x19xf32=random:3 --expect-dir=%t
// RUN: pir-run %s --target=x86-64 --input=x=41x19xf32=random:1 --input=y=3x37x19xf32=random:2 --input=z=19x19xf32=random:3 --expect-dir=%t
// RUN: pir-run %s --threads=2 --input=x=41x19xf32=random:1 --input=y=3x37x19xf32=random:2 --input=z=19x19xf32=random:3 --expect-dir=%t
// CHECK: g0_stage0
// CHECK: = (v{{[0-9]+}} * x8(recip(v{{[0-9]+}})))
// CHECK-NEXT: [[Q:v[0-9]+]]: f32x8 = (v{{[0-9]+}} * v{{[0-9]+}})
// CHECK-NEXT: [[ROW:b[0-9]+]][v{{[0-9]+}}] = [[Q]]
// CHECK-NEXT: add= [[Q]]
// CHECK-NEXT: [[OUT:b[0-9]+]][((v2 * 19) + v{{[0-9]+}})] =nt [[Q]]
// CHECK-NOT: = [[OUT]].f32
// CHECK: = [[ROW]].f32x8(
// CHECK-NEXT: [[D:v[0-9]+]]: f32x8 = (v{{[0-9]+}} - x8(
// CHECK-NOT: = [[OUT]].f32
// CHECK: = [[ROW]].f32x8(
// CHECK-NOT: = [[OUT]].f32
// CHECK: g1_stage0
// CHECK: pd_op.exp, pd_op.full_int_array, pd_op.mean{{$}}
// CHECK-NEXT: g2_stage0
// CHECK: group g3: pd_op.subtract{{$}}
// CHECK-NEXT: g3_stage0
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,19]} : () -> tensor<-1x19xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[3,-1,19]} : () -> tensor<3x-1x19xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"z",place:Place(undefined:0),shape:[19,19]} : () -> tensor<19x19xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%4) = "pd_op.softmax" (%0) {axis:-1} : (tensor<-1x19xf32>) -> tensor<-1x19xf32>
    (%5) = "pd_op.multiply" (%0, %4) {} : (tensor<-1x19xf32>, tensor<-1x19xf32>) -> tensor<-1x19xf32>
    (%6) = "pd_op.mean" (%5, %3) {keepdim:true} : (tensor<-1x19xf32>, tensor<1xi64>) -> tensor<-1x1xf32>
    (%7) = "pd_op.subtract" (%5, %6) {} : (tensor<-1x19xf32>, tensor<-1x1xf32>) -> tensor<-1x19xf32>
    (%8) = "pd_op.softmax" (%7) {axis:-1} : (tensor<-1x19xf32>) -> tensor<-1x19xf32>
    (%9) = "pd_op.add" (%8, %5) {} : (tensor<-1x19xf32>, tensor<-1x19xf32>) -> tensor<-1x19xf32>
    (%10, %11, %12) = "pd_op.layer_norm" (%1, <<NULL VALUE>>, <<NULL VALUE>>) {begin_norm_axis:2,epsilon:1e-05} : (tensor<3x-1x19xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<3x-1x19xf32>, tensor<3x-1xf32>, tensor<3x-1xf32>
    (%13) = "pd_op.add" (%1, %10) {} : (tensor<3x-1x19xf32>, tensor<3x-1x19xf32>) -> tensor<3x-1x19xf32>
    (%14, %15, %16) = "pd_op.layer_norm" (%13, <<NULL VALUE>>, <<NULL VALUE>>) {begin_norm_axis:2,epsilon:1e-05} : (tensor<3x-1x19xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<3x-1x19xf32>, tensor<3x-1xf32>, tensor<3x-1xf32>
    (%17) = "pd_op.softmax" (%2) {axis:-1} : (tensor<19x19xf32>) -> tensor<19x19xf32>
    (%18) = "pd_op.exp" (%17) {} : (tensor<19x19xf32>) -> tensor<19x19xf32>
    (%19) = "pd_op.mean" (%18, %3) {keepdim:false} : (tensor<19x19xf32>, tensor<1xi64>) -> tensor<19xf32>
    (%20) = "pd_op.subtract" (%18, %19) {} : (tensor<19x19xf32>, tensor<19xf32>) -> tensor<19x19xf32>
    (%21) = "pd_op.fetch" (%5) {col:0,name:"f0"} : (tensor<-1x19xf32>) -> tensor<-1x19xf32>
    (%22) = "pd_op.fetch" (%7) {col:1,name:"f1"} : (tensor<-1x19xf32>) -> tensor<-1x19xf32>
    (%23) = "pd_op.fetch" (%9) {col:2,name:"f2"} : (tensor<-1x19xf32>) -> tensor<-1x19xf32>
    (%24) = "pd_op.fetch" (%10) {col:3,name:"f3"} : (tensor<3x-1x19xf32>) -> tensor<3x-1x19xf32>
    (%25) = "pd_op.fetch" (%13) {col:4,name:"f4"} : (tensor<3x-1x19xf32>) -> tensor<3x-1x19xf32>
    (%26) = "pd_op.fetch" (%14) {col:5,name:"f5"} : (tensor<3x-1x19xf32>) -> tensor<3x-1x19xf32>
    (%27) = "pd_op.fetch" (%15) {col:6,name:"f6"} : (tensor<3x-1xf32>) -> tensor<3x-1xf32>
    (%28) = "pd_op.fetch" (%18) {col:7,name:"f7"} : (tensor<19x19xf32>) -> tensor<19x19xf32>
    (%29) = "pd_op.fetch" (%20) {col:8,name:"f8"} : (tensor<19x19xf32>) -> tensor<19x19xf32>
}
