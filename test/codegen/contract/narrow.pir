// Few rows times a parameter of bytes: packed weights stay bytes, and are widened as they are loaded. Many rows widen them once, when
// they are packed; where their number is open, a second stage widens each panel once, in front of its first tile.
// RUN: pir-opt %s --split-input-file --passes=compile --emit=loops --target=x86-64-v4 | FileCheck %s
// RUN: pir-opt %s --split-input-file --passes=compile --emit=loops --explain --target=x86-64-v3 2>&1 | FileCheck --check-prefix=HOW %s
// RUN: pir-opt %s --split-input-file --passes=compile --emit=loops --target=x86-64-v3 | FileCheck --check-prefix=WORDS %s
// RUN: pir-opt %s --split-input-file --passes=compile --emit=loops --target=znver4 | FileCheck --check-prefix=FOURS %s
// RUN: pir-opt %s --split-input-file --passes=compile --emit=loops --target=sapphirerapids | FileCheck --check-prefix=TILES %s
// CHECK: _pack: stage
// CHECK: b1: arg 1 out i8 align 64
// CHECK: f32x16({{b[0-9]+}}.i8x16(
// CHECK: // -----
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,256]} : () -> tensor<2x256xf32>
  (%w) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<256x96xi8>
  (%c) = "pd_op.cast" (%w) {dtype:float32} : (tensor<256x96xi8>) -> tensor<256x96xf32>
  (%0) = "pd_op.matmul" (%x, %c) {transpose_x:false,transpose_y:false} : (tensor<2x256xf32>, tensor<256x96xf32>) -> tensor<2x96xf32>
  (%1) = "pd_op.fetch" (%0) {col:(Int32)0,name:"out"} : (tensor<2x96xf32>) -> tensor<2x96xf32>
}

// -----
// CHECK: _pack: stage
// CHECK: b1: arg 1 out f32 align 64
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[64,256]} : () -> tensor<64x256xf32>
  (%w) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<256x96xi8>
  (%c) = "pd_op.cast" (%w) {dtype:float32} : (tensor<256x96xi8>) -> tensor<256x96xf32>
  (%0) = "pd_op.matmul" (%x, %c) {transpose_x:false,transpose_y:false} : (tensor<64x256xf32>, tensor<256x96xf32>) -> tensor<64x96xf32>
  (%1) = "pd_op.fetch" (%0) {col:(Int32)0,name:"out"} : (tensor<64x96xf32>) -> tensor<64x96xf32>
}

// -----
// CHECK: _pack: stage
// CHECK: b1: arg 1 out i8 align 64
// CHECK: g0_stage0: stage
// CHECK: f32x16({{b[0-9]+}}.i8x16(
// CHECK: g0_stage0_many: stage
// CHECK: [[PACKED:b[0-9]+]]: arg {{.}} in i8 align 64
// CHECK: [[PANEL:b[0-9]+]]: scratch 8192 f32
// CHECK: if (min({{.*}}, ({{v[0-9]+}} + (v0 * -1))) < 1) {
// CHECK-COUNT-2: [[PANEL]][{{.*}}] = f32x16([[PACKED]].i8x16(
// CHECK-NOT: f32x16({{b[0-9]+}}.i8x16(
// HOW: 1 stage; {{.*}} weights packed at load
// HOW-NOT: above
// The tile suits one row, which a token is; its panels hold two of those that are widened.
// HOW: 2 stages; tile of 2 rows x 4 vectors of 8 float32, weights packed at load, {{.*}}; above 9 rows: 6 rows x 2 vectors, each panel widened once
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,256]} : () -> tensor<-1x256xf32>
  (%w) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<256x96xi8>
  (%c) = "pd_op.cast" (%w) {dtype:float32} : (tensor<256x96xi8>) -> tensor<256x96xf32>
  (%0) = "pd_op.matmul" (%x, %c) {transpose_x:false,transpose_y:false} : (tensor<-1x256xf32>, tensor<256x96xf32>) -> tensor<-1x96xf32>
  (%1) = "pd_op.fetch" (%0) {col:(Int32)0,name:"out"} : (tensor<-1x96xf32>) -> tensor<-1x96xf32>
}

// -----
// Numbers of 4 bits with a scale for 64 rows: of eight in a lane each is multiplied by the scales of its group.
// CHECK: g0_stage0_many: stage
// CHECK: [[PACKED:b[0-9]+]]: arg {{.}} in i32 align 64
// CHECK: [[PANEL:b[0-9]+]]: scratch {{[0-9]+}} f32
// CHECK: [[SCALE:v[0-9]+]]: f32x16 = {{b[0-9]+}}.f32x16(
// CHECK: [[LANES:v[0-9]+]]: i32x16 = [[PACKED]].i32x16(
// CHECK-COUNT-4: [[PANEL]][{{.*}}] = ({{.*}}[[LANES]]{{.*}} * [[SCALE]])
// HOW: 2 stages; tile of 3 rows x 2 vectors {{.*}} times numbers of 4 bits, weights packed at load, {{.*}}; above 3 rows: 6 rows x 2 vectors, each panel widened once
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,128]} : () -> tensor<-1x128xf32>
  (%w) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<128x96xi8>
  (%s) = "builtin.parameter" () {parameter_name:"s"} : () -> tensor<2x96xf32>
  (%0) = "cinn_op.scaled_level_product" (%x, %w, %s) {bits:4,group_size:64} : (tensor<-1x128xf32>, tensor<128x96xi8>, tensor<2x96xf32>) -> tensor<-1x96xf32>
  (%1) = "pd_op.fetch" (%0) {col:(Int32)0,name:"out"} : (tensor<-1x96xf32>) -> tensor<-1x96xf32>
}

// -----
// Rows of bytes (--math=int8): their products with whole numbers of a group are summed as integers. Words of numbers, and of rows.
// HOW: for all rows: 6 rows x 2 vectors by pairs of words, each panel widened once
// WORDS: g0_stage0_widen: stage
// WORDS: g0_stage0_many: stage
// WORDS: [[PANEL:b[0-9]+]]: scratch 1024 i32
// WORDS: [[LANES:v[0-9]+]]: i32x8 = {{b[0-9]+}}.i32x8(
// WORDS: [[PANEL]][{{.*}}] = bits:i32x8((bits:i16x16(or(and([[LANES]], x8(15:i32)), and(shl([[LANES]], x8(12:i32)), x8(983040:i32)))) + x16(-8:i16)))
// WORDS: [[LINE:v[0-9]+]]: i32x8 = [[PANEL]].i32x8(
// WORDS: [[SUM:b[0-9]+]][0] = dot2_words(x8({{v[0-9]+}}), [[LINE]], [[SUM]].i32x8(0))
// WORDS: = fused(f32x8([[SUM]].i32x8(0)), {{v[0-9]+}}, {{b[0-9]+}}.f32x8(0))
// Fours of bytes: a line behind each group takes back what the flipped highest bit of rows adds.
// FOURS: b0: arg {{.}} in i8 align 1
// FOURS: [[PANEL:b[0-9]+]]: scratch 1088 i32
// FOURS: [[PANEL]][{{.*}}] = [[GROUP:v[0-9]+]]
// FOURS: = ({{b[0-9]+}}.i32x16(0) - dot4(x16(-2139062144:i32), [[GROUP]], x16(0:i32)))
// FOURS: dot4(x16({{v[0-9]+}}), {{v[0-9]+}}, {{b[0-9]+}}.i32x16(0))
// Tile registers: the sums of each group of rows go to scratch, and are added to totals.
// TILES: [[PANEL:b[0-9]+]]: scratch 1024 i32
// TILES: [[SUMS:b[0-9]+]]: scratch 4096 i32
// TILES: [[TOTALS:b[0-9]+]]: scratch 4096 f32
// TILES: tile_load 6 [[PANEL]]
// TILES: tile_s8s8 3, 5, 7
// TILES: tile_store 3 [[SUMS]]
// TILES: [[TOTALS]][{{.*}}] = fused(f32x16([[SUMS]].i32x16({{.*}})), {{v[0-9]+}}, [[TOTALS]].f32x16(
{
  (%x) = "pd_op.data" () {dtype:int8,name:"bytes",place:Place(undefined:0),shape:[-1,128]} : () -> tensor<-1x128xi8>
  (%w) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<128x96xi8>
  (%s) = "builtin.parameter" () {parameter_name:"s"} : () -> tensor<2x96xf32>
  (%0) = "cinn_op.scaled_level_product" (%x, %w, %s) {bits:4,group_size:64} : (tensor<-1x128xi8>, tensor<128x96xi8>, tensor<2x96xf32>) -> tensor<-1x96xf32>
  (%1) = "pd_op.fetch" (%0) {col:(Int32)0,name:"out"} : (tensor<-1x96xf32>) -> tensor<-1x96xf32>
}
// -----
// One row of bytes times numbers of 4 bits: the row is put in the order in which a lane's numbers become bytes, and the sums of its groups behind it.
// FOURS: g0_stage0_order: stage
// FOURS: [[ROW:b[0-9]+]]: arg {{.}} out i8 align 64
// FOURS: [[ROW]][{{.*}} + 4)] = {{v[0-9]+}}
// FOURS: [[ROW]][{{.*}} + 128)] = bits:i8x4(({{b[0-9]+}}.i32(0) * 8:i32))
// FOURS: g0_stage0: stage
// FOURS: [[BYTES:v[0-9]+]]: i32x16 = and({{v[0-9]+}}, x16(252645135:i32))
// FOURS: = dot4([[BYTES]], x16({{v[0-9]+}}), {{b[0-9]+}}.i32x16(
// FOURS: = fused(f32x16(({{.*}} - x16(bits:i32({{b[0-9]+}}.i8x4({{.*}} + 128)))))
{
  (%x) = "pd_op.data" () {dtype:int8,name:"bytes",place:Place(undefined:0),shape:[1,128]} : () -> tensor<1x128xi8>
  (%w) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<128x96xi8>
  (%s) = "builtin.parameter" () {parameter_name:"s"} : () -> tensor<2x96xf32>
  (%0) = "cinn_op.scaled_level_product" (%x, %w, %s) {bits:4,group_size:64} : (tensor<1x128xi8>, tensor<128x96xi8>, tensor<2x96xf32>) -> tensor<1x96xf32>
  (%1) = "pd_op.fetch" (%0) {col:(Int32)0,name:"out"} : (tensor<1x96xf32>) -> tensor<1x96xf32>
}
