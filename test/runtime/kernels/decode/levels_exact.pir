// A product with weights of few bits adds nothing for weights of 0, whatever they are multiplied by: the sums are those of the terms.
// RUN: pir-run %s --input=1x1xf32=0 --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=1x1xf32=0 --print | FileCheck %s
// RUN: pir-run %s --input=1x1xf32=0 --print --target=x86-64 | FileCheck %s
// RUN: pir-opt %s --passes=compile --emit=loops --target=x86-64-v4 | FileCheck --check-prefix=TABLE %s
// RUN: pir-opt %s --passes=compile --emit=loops --target=x86-64-v3 | FileCheck --check-prefix=PLACE %s
// CHECK:      y0: float32[1,64]
// CHECK-NEXT: {{\[\[}}1.75, 1.75, 1.75,
// CHECK:      y1: float32[1,64]
// CHECK-NEXT: {{\[\[}}1.75, 1.75, 1.75,
// CHECK:      y2: float32[1,64]
// CHECK-NEXT: {{\[\[}}31.75, 31.75, 31.75,
// CHECK:      y3: float32[1,64]
// CHECK-NEXT: {{\[\[}}31.75, 31.75, 31.75,
// TABLE: lookup(f32x16(ramp16(-8:i32, 1:i32)), shr(v{{[0-9]+}}, x16(24:i32)))
// PLACE: (bits:f32x8(or(and(v{{[0-9]+}}, x8(240:i32)), x8(1224736768:i32))) - x8(524296:f32))
{
  (%given) = "pd_op.data" () {dtype:float32,name:"given",place:Place(undefined:0),shape:[1,1]} : () -> tensor<1x1xf32>
  (%axis0) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
  (%axis1) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
  (%zero) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[255,64],value:0} : () -> tensor<255x64xf32>
  (%first) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,1],value:0.25} : () -> tensor<1x1xf32>
  (%large) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,255],value:12345.678} : () -> tensor<1x255xf32>
  (%list) = "builtin.combine" (%first, %large) {} : (tensor<1x1xf32>, tensor<1x255xf32>) -> vec[tensor<1x1xf32>,tensor<1x255xf32>]
  (%row) = "pd_op.concat" (%list, %axis1) {} : (vec[tensor<1x1xf32>,tensor<1x255xf32>], tensor<1xi32>) -> tensor<1x256xf32>
  (%x) = "pd_op.add" (%row, %given) {} : (tensor<1x256xf32>, tensor<1x1xf32>) -> tensor<1x256xf32>
  (%f0) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,64],value:7} : () -> tensor<1x64xf32>
  (%l0) = "builtin.combine" (%f0, %zero) {} : (tensor<1x64xf32>, tensor<255x64xf32>) -> vec[tensor<1x64xf32>,tensor<255x64xf32>]
  (%m0) = "pd_op.concat" (%l0, %axis0) {} : (vec[tensor<1x64xf32>,tensor<255x64xf32>], tensor<1xi32>) -> tensor<256x64xf32>
  (%w0, %s0) = "pd_op.weight_quantize" (%m0) {algo:"weight_only_int4",arch:80,group_size:-1} : (tensor<256x64xf32>) -> tensor<32x256xi8>, tensor<64xf32>
  (%y0) = "pd_op.weight_only_linear" (%x, %w0, <<NULL VALUE>>, %s0) {arch:80,group_size:-1,weight_dtype:"int4"} : (tensor<1x256xf32>, tensor<32x256xi8>, <<NULL TYPE>>, tensor<64xf32>) -> tensor<1x64xf32>
  (%z0) = "pd_op.fetch" (%y0) {col:0,name:"y0"} : (tensor<1x64xf32>) -> tensor<1x64xf32>
  (%f1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,64],value:7} : () -> tensor<1x64xf32>
  (%l1) = "builtin.combine" (%f1, %zero) {} : (tensor<1x64xf32>, tensor<255x64xf32>) -> vec[tensor<1x64xf32>,tensor<255x64xf32>]
  (%m1) = "pd_op.concat" (%l1, %axis0) {} : (vec[tensor<1x64xf32>,tensor<255x64xf32>], tensor<1xi32>) -> tensor<256x64xf32>
  (%w1, %s1) = "pd_op.weight_quantize" (%m1) {algo:"weight_only_int4",arch:80,group_size:64} : (tensor<256x64xf32>) -> tensor<32x256xi8>, tensor<4x64xf32>
  (%y1) = "pd_op.weight_only_linear" (%x, %w1, <<NULL VALUE>>, %s1) {arch:80,group_size:64,weight_dtype:"int4"} : (tensor<1x256xf32>, tensor<32x256xi8>, <<NULL TYPE>>, tensor<4x64xf32>) -> tensor<1x64xf32>
  (%z1) = "pd_op.fetch" (%y1) {col:1,name:"y1"} : (tensor<1x64xf32>) -> tensor<1x64xf32>
  (%f2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,64],value:127} : () -> tensor<1x64xf32>
  (%l2) = "builtin.combine" (%f2, %zero) {} : (tensor<1x64xf32>, tensor<255x64xf32>) -> vec[tensor<1x64xf32>,tensor<255x64xf32>]
  (%m2) = "pd_op.concat" (%l2, %axis0) {} : (vec[tensor<1x64xf32>,tensor<255x64xf32>], tensor<1xi32>) -> tensor<256x64xf32>
  (%w2, %s2) = "pd_op.weight_quantize" (%m2) {algo:"weight_only_int8",arch:80,group_size:-1} : (tensor<256x64xf32>) -> tensor<64x256xi8>, tensor<64xf32>
  (%y2) = "pd_op.weight_only_linear" (%x, %w2, <<NULL VALUE>>, %s2) {arch:80,group_size:-1,weight_dtype:"int8"} : (tensor<1x256xf32>, tensor<64x256xi8>, <<NULL TYPE>>, tensor<64xf32>) -> tensor<1x64xf32>
  (%z2) = "pd_op.fetch" (%y2) {col:2,name:"y2"} : (tensor<1x64xf32>) -> tensor<1x64xf32>
  (%f3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,64],value:127} : () -> tensor<1x64xf32>
  (%l3) = "builtin.combine" (%f3, %zero) {} : (tensor<1x64xf32>, tensor<255x64xf32>) -> vec[tensor<1x64xf32>,tensor<255x64xf32>]
  (%m3) = "pd_op.concat" (%l3, %axis0) {} : (vec[tensor<1x64xf32>,tensor<255x64xf32>], tensor<1xi32>) -> tensor<256x64xf32>
  (%w3, %s3) = "pd_op.weight_quantize" (%m3) {algo:"weight_only_int8",arch:80,group_size:64} : (tensor<256x64xf32>) -> tensor<64x256xi8>, tensor<4x64xf32>
  (%y3) = "pd_op.weight_only_linear" (%x, %w3, <<NULL VALUE>>, %s3) {arch:80,group_size:64,weight_dtype:"int8"} : (tensor<1x256xf32>, tensor<64x256xi8>, <<NULL TYPE>>, tensor<4x64xf32>) -> tensor<1x64xf32>
  (%z3) = "pd_op.fetch" (%y3) {col:3,name:"y3"} : (tensor<1x64xf32>) -> tensor<1x64xf32>
}
