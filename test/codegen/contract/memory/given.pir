// The right side of a product is read in place where few rows read it, and packed where many do: a few of its rows at a time, or, where its
// columns are contiguous, squares that are turned in registers. What the epilogue reads row by row is fetched while the sums are computed, a bias is not.
// RUN: pir-opt %s --emit=loops --target=znver4 > %t.loops
// RUN: FileCheck %s < %t.loops
// RUN: FileCheck %s --check-prefix=TURNED < %t.loops
// RUN: FileCheck %s --check-prefix=FEW < %t.loops
// RUN: pir-opt %s --emit=loops --target=x86-64-v3 | FileCheck %s --check-prefix=LEFT
// RUN: pir-run %s --target=x86-64-v3 --compare=kernels,compile --input=x=300x280xf32=random --input=w=280x768xf32=random --input=t=768x280xf32=random --input=b=768xf32=random --input=r=300x768xf32=random --input=y=20x280xf32=random
// RUN: pir-run %s --compare=kernels,compile --input=x=300x280xf32=random --input=w=280x768xf32=random --input=t=768x280xf32=random --input=b=768xf32=random --input=r=300x768xf32=random --input=y=20x280xf32=random

// CHECK-LABEL: group g0: pd_op.matmul, pd_op.add, pd_op.add
// CHECK:       [[END:v[0-9]+]]: index{{.*}} = min((([[PART:v[0-9]+]] * 16) + 16), 280)
// CHECK-NEXT:  for [[PANEL:v[0-9]+]] = 0 to 24 by 1
// CHECK:       for {{v[0-9]+}} = ([[PART]] * 16) to [[END]] by 1
// CHECK:       [[BIAS:b[0-9]+]]: arg 2 in
// CHECK:       [[RESIDUAL:b[0-9]+]]: arg 3 in
// CHECK-NOT:   prefetch far [[BIAS]]
// CHECK:       for [[ROW:v[0-9]+]] = 0 to 14 by 1 {
// CHECK-NEXT:    prefetch far [[RESIDUAL]][{{.*}}([[ROW]] * 768)
// CHECK-NEXT:    prefetch far [[RESIDUAL]][{{.*}}([[ROW]] * 768){{.*}} + 16)]
// CHECK-NOT:   prefetch far [[BIAS]]

// TURNED-LABEL: group g1: pd_op.matmul
// TURNED:       for {{v[0-9]+}} = 0 to 272 by 16
// TURNED:       zip
// TURNED:       for {{v[0-9]+}} = 272 to 280 by 1

// With vectors of 8 a step of the tile is so short that the left side is turned if its steps lie in lines of their own.
// LEFT-LABEL: group g3: pd_op.matmul
// LEFT:       g3_stage0: stage
// LEFT-NEXT:    arg 0 in f32 align 4
// LEFT-NEXT:    out f32 align 4
// LEFT:         zip

// FEW-LABEL: group g2: pd_op.matmul
// FEW-NOT:   _pack
// FEW:       group g3
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[300,280]} : () -> tensor<300x280xf32>
  (%w) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[280,768]} : () -> tensor<280x768xf32>
  (%t) = "pd_op.data" () {dtype:float32,name:"t",place:Place(undefined:0),shape:[768,280]} : () -> tensor<768x280xf32>
  (%b) = "pd_op.data" () {dtype:float32,name:"b",place:Place(undefined:0),shape:[768]} : () -> tensor<768xf32>
  (%r) = "pd_op.data" () {dtype:float32,name:"r",place:Place(undefined:0),shape:[300,768]} : () -> tensor<300x768xf32>
  (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[20,280]} : () -> tensor<20x280xf32>
  (%0) = "pd_op.matmul" (%x, %w) {transpose_x:false,transpose_y:false} : (tensor<300x280xf32>, tensor<280x768xf32>) -> tensor<300x768xf32>
  (%1) = "pd_op.add" (%0, %b) {} : (tensor<300x768xf32>, tensor<768xf32>) -> tensor<300x768xf32>
  (%2) = "pd_op.add" (%1, %r) {} : (tensor<300x768xf32>, tensor<300x768xf32>) -> tensor<300x768xf32>
  (%3) = "pd_op.matmul" (%x, %t) {transpose_x:false,transpose_y:true} : (tensor<300x280xf32>, tensor<768x280xf32>) -> tensor<300x768xf32>
  (%4) = "pd_op.matmul" (%y, %w) {transpose_x:false,transpose_y:false} : (tensor<20x280xf32>, tensor<280x768xf32>) -> tensor<20x768xf32>
  (%8) = "pd_op.matmul" (%x, %r) {transpose_x:true,transpose_y:false} : (tensor<300x280xf32>, tensor<300x768xf32>) -> tensor<280x768xf32>
  (%9) = "pd_op.fetch" (%8) {col:3,name:"left"} : (tensor<280x768xf32>) -> tensor<280x768xf32>
  (%5) = "pd_op.fetch" (%2) {col:0,name:"many"} : (tensor<300x768xf32>) -> tensor<300x768xf32>
  (%6) = "pd_op.fetch" (%3) {col:1,name:"turned"} : (tensor<300x768xf32>) -> tensor<300x768xf32>
  (%7) = "pd_op.fetch" (%4) {col:2,name:"few"} : (tensor<20x768xf32>) -> tensor<20x768xf32>
}
