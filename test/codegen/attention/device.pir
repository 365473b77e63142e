// Attention on a device is one kernel, if it has blocks of rows enough: heads of several sizes, any number of rows and keys. The threads that share a row find its maximum and its sum
// by shuffles. Scores and weights are in registers and shared memory: the arguments are queries, keys, values and the result.
// RUN: pir-opt %s --target=sm_80 --emit=loops | FileCheck %s
// RUN: pir-opt %s --target=sm_75 --math=fast --emit=loops | FileCheck %s
// RUN: pir-opt %s --target=sm_80 --math=fast --emit=loops | FileCheck %s --check-prefix=FAST
// RUN: pir-opt %s --target=sm_80 --emit=cuda | FileCheck %s --check-prefix=CUDA
// 16-bit floats are read and written as they are, on a processor, too.
// RUN: pir-opt %s --pipeline=compile | FileCheck %s --check-prefix=NARROW
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{in} = --input=q32=2x70x4x32xf32=random:1 --input=k32=2x90x4x32xf32=random:2 --input=v32=2x90x4x32xf32=random:3 --input=q64=2x70x4x64xf32=random:4 --input=k64=2x90x4x64xf32=random:5 --input=v64=2x90x4x64xf32=random:6 --input=q80=2x70x4x80xf32=random:7 --input=k80=2x90x4x80xf32=random:8 --input=v80=2x90x4x80xf32=random:9 --input=q96=2x70x4x96xf32=random:10 --input=k96=2x90x4x96xf32=random:11 --input=v96=2x90x4x96xf32=random:12 --input=q128=2x70x4x128xf32=random:13 --input=k128=2x90x4x128xf32=random:14 --input=v128=2x90x4x128xf32=random:15 --input=q48=2x70x4x48xf16=random:16 --input=k48=2x90x4x48xf16=random:17 --input=v48=2x90x4x48xf16=random:18 --input=q1=1x1x3x40xf32=random:21 --input=k1=1x700x3x40xf32=random:22 --input=v1=1x700x3x40xf32=random:23
// RUN: pir-run %s --pipeline=kernels %{in} --output-dir=%t
// RUN: pir-run %s %{in} --expect=o32=@%t/out_0.npy --expect=o64=@%t/out_1.npy --expect=o80=@%t/out_2.npy --expect=o96=@%t/out_3.npy --expect=o128=@%t/out_4.npy --expect=o1=@%t/out_6.npy
// One step of an f16 in the largest elements.
// RUN: pir-run %s %{in} --expect=o48=@%t/out_5.npy --atol=2e-4 --rtol=1e-3
// CHECK: {{^}}g0_stage0: stage (v0, v1) by 256 threads
// CHECK-NOT: arg
// CHECK: b10: arg 0 in f32
// CHECK-NEXT: arg 1 in f32
// CHECK-NEXT: arg 2 in f32
// CHECK-NEXT: arg 3 out f32
// CHECK: fused(
// CHECK: = team16_max(
// CHECK: = exp(
// CHECK: fused(
// CHECK: team16_add(
// CHECK-COUNT-5: {{^}}g{{[1-5]}}_stage0: stage
// One query of three heads takes a block a part of the keys, and the parts are combined in their order.
// CHECK: {{^}}g6_stage0: stage
// CHECK: parallel [[UNIT:v[0-9]+]]
// CHECK: index{{.*}} = mod([[UNIT]], [[PARTS:[0-9]+]])
// CHECK: {{^}}g6_stage1: stage (v0, v1) by 1 threads
// CHECK-COUNT-2: = 0 to [[PARTS]] by 1 {
// CHECK-NOT: _stage
// FAST: {{^}}g0_stage0: stage (v0, v1) by 128 threads
// FAST-NOT: fused(
// FAST: mma [[SCORES:b[0-9]+]][
// FAST: = team4_max(
// FAST: mma [[OUT:b[0-9]+]][
// FAST: team4_add(
// FAST-COUNT-5: {{^}}g{{[1-5]}}_stage0: stage
// FAST-COUNT-2: {{^}}g6_stage{{[01]}}: stage
// FAST-NOT: _stage
// CUDA: pir_team<16, pir_op_max>(
// CUDA: pir_team<16, pir_op_add>(
// NARROW: data{{.*}}name:"v48"
// NARROW: kind:"attention"
// NARROW-NEXT: "pd_op.cast"{{.*}}x48xf16
// NARROW: "pd_op.cast"{{.*}}x48xf16
// NARROW: "pd_op.cast"{{.*}}x48xf16
// NARROW: "pd_op.cast"{{.*}} -> tensor<2x-1x4x48xf16>
// NARROW-NEXT: cf.yield
{
    (%q32) = "pd_op.data" () {dtype:float32,name:"q32",place:Place(undefined:0),shape:[2,-1,4,32]} : () -> tensor<2x-1x4x32xf32>
    (%k32) = "pd_op.data" () {dtype:float32,name:"k32",place:Place(undefined:0),shape:[2,-1,4,32]} : () -> tensor<2x-1x4x32xf32>
    (%v32) = "pd_op.data" () {dtype:float32,name:"v32",place:Place(undefined:0),shape:[2,-1,4,32]} : () -> tensor<2x-1x4x32xf32>
    (%o32,%a32,%b32,%c32) = "pd_op.flash_attn" (%q32, %k32, %v32, <<NULL VALUE>>, <<NULL VALUE>>) {causal:false,dropout:0,is_test:true,return_softmax:false,rng_name:""} : (tensor<2x-1x4x32xf32>, tensor<2x-1x4x32xf32>, tensor<2x-1x4x32xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x-1x4x32xf32>, tensor<2x4x-1x-1xf32>, tensor<2x4x-1xf32>, tensor<2xi64>
    (%f32) = "pd_op.fetch" (%o32) {col:0,name:"o32"} : (tensor<2x-1x4x32xf32>) -> tensor<2x-1x4x32xf32>
    (%q64) = "pd_op.data" () {dtype:float32,name:"q64",place:Place(undefined:0),shape:[2,-1,4,64]} : () -> tensor<2x-1x4x64xf32>
    (%k64) = "pd_op.data" () {dtype:float32,name:"k64",place:Place(undefined:0),shape:[2,-1,4,64]} : () -> tensor<2x-1x4x64xf32>
    (%v64) = "pd_op.data" () {dtype:float32,name:"v64",place:Place(undefined:0),shape:[2,-1,4,64]} : () -> tensor<2x-1x4x64xf32>
    (%o64,%a64,%b64,%c64) = "pd_op.flash_attn" (%q64, %k64, %v64, <<NULL VALUE>>, <<NULL VALUE>>) {causal:false,dropout:0,is_test:true,return_softmax:false,rng_name:""} : (tensor<2x-1x4x64xf32>, tensor<2x-1x4x64xf32>, tensor<2x-1x4x64xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x-1x4x64xf32>, tensor<2x4x-1x-1xf32>, tensor<2x4x-1xf32>, tensor<2xi64>
    (%f64) = "pd_op.fetch" (%o64) {col:1,name:"o64"} : (tensor<2x-1x4x64xf32>) -> tensor<2x-1x4x64xf32>
    (%q80) = "pd_op.data" () {dtype:float32,name:"q80",place:Place(undefined:0),shape:[2,-1,4,80]} : () -> tensor<2x-1x4x80xf32>
    (%k80) = "pd_op.data" () {dtype:float32,name:"k80",place:Place(undefined:0),shape:[2,-1,4,80]} : () -> tensor<2x-1x4x80xf32>
    (%v80) = "pd_op.data" () {dtype:float32,name:"v80",place:Place(undefined:0),shape:[2,-1,4,80]} : () -> tensor<2x-1x4x80xf32>
    (%o80,%a80,%b80,%c80) = "pd_op.flash_attn" (%q80, %k80, %v80, <<NULL VALUE>>, <<NULL VALUE>>) {causal:false,dropout:0,is_test:true,return_softmax:false,rng_name:""} : (tensor<2x-1x4x80xf32>, tensor<2x-1x4x80xf32>, tensor<2x-1x4x80xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x-1x4x80xf32>, tensor<2x4x-1x-1xf32>, tensor<2x4x-1xf32>, tensor<2xi64>
    (%f80) = "pd_op.fetch" (%o80) {col:2,name:"o80"} : (tensor<2x-1x4x80xf32>) -> tensor<2x-1x4x80xf32>
    (%q96) = "pd_op.data" () {dtype:float32,name:"q96",place:Place(undefined:0),shape:[2,-1,4,96]} : () -> tensor<2x-1x4x96xf32>
    (%k96) = "pd_op.data" () {dtype:float32,name:"k96",place:Place(undefined:0),shape:[2,-1,4,96]} : () -> tensor<2x-1x4x96xf32>
    (%v96) = "pd_op.data" () {dtype:float32,name:"v96",place:Place(undefined:0),shape:[2,-1,4,96]} : () -> tensor<2x-1x4x96xf32>
    (%o96,%a96,%b96,%c96) = "pd_op.flash_attn" (%q96, %k96, %v96, <<NULL VALUE>>, <<NULL VALUE>>) {causal:false,dropout:0,is_test:true,return_softmax:false,rng_name:""} : (tensor<2x-1x4x96xf32>, tensor<2x-1x4x96xf32>, tensor<2x-1x4x96xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x-1x4x96xf32>, tensor<2x4x-1x-1xf32>, tensor<2x4x-1xf32>, tensor<2xi64>
    (%f96) = "pd_op.fetch" (%o96) {col:3,name:"o96"} : (tensor<2x-1x4x96xf32>) -> tensor<2x-1x4x96xf32>
    (%q128) = "pd_op.data" () {dtype:float32,name:"q128",place:Place(undefined:0),shape:[2,-1,4,128]} : () -> tensor<2x-1x4x128xf32>
    (%k128) = "pd_op.data" () {dtype:float32,name:"k128",place:Place(undefined:0),shape:[2,-1,4,128]} : () -> tensor<2x-1x4x128xf32>
    (%v128) = "pd_op.data" () {dtype:float32,name:"v128",place:Place(undefined:0),shape:[2,-1,4,128]} : () -> tensor<2x-1x4x128xf32>
    (%o128,%a128,%b128,%c128) = "pd_op.flash_attn" (%q128, %k128, %v128, <<NULL VALUE>>, <<NULL VALUE>>) {causal:false,dropout:0,is_test:true,return_softmax:false,rng_name:""} : (tensor<2x-1x4x128xf32>, tensor<2x-1x4x128xf32>, tensor<2x-1x4x128xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x-1x4x128xf32>, tensor<2x4x-1x-1xf32>, tensor<2x4x-1xf32>, tensor<2xi64>
    (%f128) = "pd_op.fetch" (%o128) {col:4,name:"o128"} : (tensor<2x-1x4x128xf32>) -> tensor<2x-1x4x128xf32>
    (%q48) = "pd_op.data" () {dtype:float16,name:"q48",place:Place(undefined:0),shape:[2,-1,4,48]} : () -> tensor<2x-1x4x48xf16>
    (%k48) = "pd_op.data" () {dtype:float16,name:"k48",place:Place(undefined:0),shape:[2,-1,4,48]} : () -> tensor<2x-1x4x48xf16>
    (%v48) = "pd_op.data" () {dtype:float16,name:"v48",place:Place(undefined:0),shape:[2,-1,4,48]} : () -> tensor<2x-1x4x48xf16>
    (%o48,%a48,%b48,%c48) = "pd_op.flash_attn" (%q48, %k48, %v48, <<NULL VALUE>>, <<NULL VALUE>>) {causal:false,dropout:0,is_test:true,return_softmax:false,rng_name:""} : (tensor<2x-1x4x48xf16>, tensor<2x-1x4x48xf16>, tensor<2x-1x4x48xf16>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x-1x4x48xf16>, tensor<2x4x-1x-1xf16>, tensor<2x4x-1xf32>, tensor<2xi64>
    (%f48) = "pd_op.fetch" (%o48) {col:5,name:"o48"} : (tensor<2x-1x4x48xf16>) -> tensor<2x-1x4x48xf16>
    (%q1) = "pd_op.data" () {dtype:float32,name:"q1",place:Place(undefined:0),shape:[1,1,3,40]} : () -> tensor<1x1x3x40xf32>
    (%k1) = "pd_op.data" () {dtype:float32,name:"k1",place:Place(undefined:0),shape:[1,-1,3,40]} : () -> tensor<1x-1x3x40xf32>
    (%v1) = "pd_op.data" () {dtype:float32,name:"v1",place:Place(undefined:0),shape:[1,-1,3,40]} : () -> tensor<1x-1x3x40xf32>
    (%o1,%a1,%b1,%c1) = "pd_op.flash_attn" (%q1, %k1, %v1, <<NULL VALUE>>, <<NULL VALUE>>) {causal:false,dropout:0,is_test:true,return_softmax:false,rng_name:""} : (tensor<1x1x3x40xf32>, tensor<1x-1x3x40xf32>, tensor<1x-1x3x40xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<1x1x3x40xf32>, tensor<1x3x1x-1xf32>, tensor<1x3x1xf32>, tensor<2xi64>
    (%f1) = "pd_op.fetch" (%o1) {col:6,name:"o1"} : (tensor<1x1x3x40xf32>) -> tensor<1x1x3x40xf32>
}
