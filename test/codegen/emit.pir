// Code of groups: as loops, as LLVM IR, as assembly of a named target, as an object.
// REQUIRES: llvm
// RUN: pir-opt --emit=loops %s | FileCheck %s --check-prefix=LOOPS
// RUN: pir-opt --emit=llvm %s | FileCheck %s --check-prefix=LLVM
// RUN: pir-opt --emit=asm --target=aarch64 %s | FileCheck %s --check-prefix=NEON
// RUN: pir-opt --emit=asm --target=x86-64 %s | FileCheck %s --check-prefix=SSE
// RUN: pir-opt --emit=obj %s -o %t.o && llvm-nm %t.o | FileCheck %s --check-prefix=OBJ
// RUN: not pir-opt --emit=loops --pipeline=clean %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not pir-opt --emit=obj --target=z80 %s 2>&1 | FileCheck %s --check-prefix=TARGET
// LOOPS:       group g0: pd_op.multiply, pd_op.relu
// LOOPS-NEXT:  g0_stage0: stage (v0, v1)
// LOOPS-NEXT:b{{[012]}}: arg {{[012]}}
// LOOPS-NEXT:b{{[012]}}: arg {{[012]}}
// LOOPS-NEXT:b{{[012]}}: arg {{[012]}}
// LOOPS:         parallel v{{[0-9]+}} {{.*}}= v0 to v1 by 1 apart {
// LOOPS:         [[PRODUCT:v[0-9]+]]: f32x{{[0-9]+}} = (v{{.*}} * v{{.*}})
// LOOPS:       group g1: pd_op.exp
// LOOPS-NEXT:  g1_stage0: stage (v0, v1)
// LLVM:       target triple = "x86_64-unknown-linux-gnu"
// LLVM:       define{{.*}} @g0_stage0(
// LLVM:       fmul <
// LLVM:       define{{.*}} @g1_stage0(
// NEON:       g0_stage0:
// NEON:       fmul v{{[0-9]+}}.4s
// SSE:        g0_stage0:
// SSE:        mulps
// OBJ-DAG:    T g0_stage0
// OBJ-DAG:    T g1_stage0
// NONE:       error: nothing to compile: the program has no group that build_cinn_pass makes
// TARGET:     error: --target: expected native, x86-64{{.*}}aarch64{{.*}}, got 'z80'
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[64,32]} : () -> tensor<64x32xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[64,32]} : () -> tensor<64x32xf32>
    (%2) = "pd_op.multiply" (%0, %1) {} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    (%3) = "pd_op.relu" (%2) {} : (tensor<64x32xf32>) -> tensor<64x32xf32>
    (%5) = "pd_op.fetch" (%3) {col:0,name:"a"} : (tensor<64x32xf32>) -> tensor<64x32xf32>
    (%6) = "pd_op.data" () {dtype:float32,name:"z",place:Place(undefined:0),shape:[100]} : () -> tensor<100xf32>
    (%7) = "pd_op.exp" (%6) {} : (tensor<100xf32>) -> tensor<100xf32>
    (%8) = "pd_op.fetch" (%7) {col:1,name:"b"} : (tensor<100xf32>) -> tensor<100xf32>
}
