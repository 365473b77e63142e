// A long sum is added in chunks. Totals of the chunks stay in memory, since all registers hold sums, and the sums of the last chunk stay in
// registers. Before the first chunk nothing is stored.
// RUN: pir-opt %s --emit=loops --target=znver4 | FileCheck %s
// RUN: pir-opt %s --emit=asm --target=znver4 | FileCheck %s --check-prefix=ASM
// Each tile reads its panel from the L2 cache again, so on Zen 3 a tile has two vectors: four would want more than that cache gives.
// RUN: pir-opt %s --emit=loops --target=znver3 | FileCheck %s --check-prefix=NARROW
// A chunk has four steps in an iteration where a processor's record says so.
// RUN: pir-opt %s --emit=loops --target=sapphirerapids | FileCheck %s --check-prefix=FOUR
// FOUR: for [[CHUNK:v[0-9]+]] = 0 to 768 by 256
// FOUR: for {{.*}} = [[CHUNK]] to ([[CHUNK]] + 256) by 4
// FOUR-COUNT-4: prefetch far b1
// FOUR-NOT: prefetch
// FOUR: for {{.*}} = {{v[0-9]+}} to ({{v[0-9]+}} + 256) by 4
// NARROW: g0_stage0: stage
// NARROW-COUNT-2: registers 4 f32x8
// NARROW-NOT: f32x8
// NARROW: parallel
// ASM: vfmadd231ps
// ASM-NOT: {{vmovu?a?ps.*rsp}}
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[128,768]} : () -> tensor<128x768xf32>
  (%w) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<768x768xf32>
  (%0) = "pd_op.matmul" (%x, %w) {transpose_x:false,transpose_y:false} : (tensor<128x768xf32>, tensor<768x768xf32>) -> tensor<128x768xf32>
  (%1) = "pd_op.fetch" (%0) {col:0,name:"out"} : (tensor<128x768xf32>) -> tensor<128x768xf32>
}
// CHECK: [[TOTALS:b[0-9]+]]: scratch 416 f32 stays
// CHECK: [[CHUNKS:b[0-9]+]]: registers 1 index
// CHECK: [[CHUNKS]][0] = 0
// CHECK-NEXT: for {{.*}} = 0 to 768 by 256
// CHECK-NEXT: [[SO_FAR:v[0-9]+]]: index {{.*}}= [[CHUNKS]].index(0)
// CHECK-NEXT: if (0 < [[SO_FAR]])
// CHECK-NEXT: if (1 < [[SO_FAR]])
// CHECK-COUNT-26: [[TOTALS]][{{[0-9]+}}] = ([[TOTALS]]
// CHECK-COUNT-26: [[TOTALS]][{{[0-9]+}}] = {{b[0-9]+}}.f32
// CHECK: [[CHUNKS]][0] = ([[SO_FAR]] + 1)
// CHECK: if (1 < [[CHUNKS]].index(0))
