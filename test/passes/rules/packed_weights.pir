// RUN: pir-opt %s --split-input-file --verify-each --passes=packed_weights | FileCheck %s
// RUN: pir-opt %s --split-input-file --verify-each --passes=packed_weights,rounded_rows | FileCheck --check-prefix=ROUNDED %s

// Scales for groups of rows, of bytes with a bias, and of 4 bits; both as linear ops.
// CHECK:      (%[[BYTES:[0-9]+]]) = "cinn_op.weight_levels" (%0) {algo:"weight_only_int8"}
// CHECK:      (%[[SUMS:[0-9]+]]) = "cinn_op.scaled_level_product" (%{{[0-9]+}}, %[[BYTES]], %{{[0-9]+}}) {bits:8,group_size:64}
// CHECK:      "pd_op.add" (%{{[0-9]+}}, %4)
// CHECK:      (%[[SMALL:[0-9]+]]) = "cinn_op.weight_levels" (%2) {algo:"weight_only_int4"}
// CHECK:      "cinn_op.scaled_level_product" (%{{[0-9]+}}, %[[SMALL]], %{{[0-9]+}}) {bits:4,group_size:128}
// CHECK-NOT:  weight_only_linear
// CHECK:      // -----
// Rows of bytes multiply what is left (--math=int8), once: their products are not rounded again.
// ROUNDED:      (%[[STEP:[0-9]+]]) = "pd_op.maximum"
// ROUNDED:      (%[[ROWS:[0-9]+]]) = "pd_op.cast" (%{{[0-9]+}}) {dtype:int8}
// ROUNDED:      (%[[SUMS:[0-9]+]]) = "cinn_op.scaled_level_product" (%[[ROWS]], %{{[0-9]+}}, %{{[0-9]+}}) {bits:8,group_size:64} : (tensor<3x256xi8>, tensor<256x256xi8>, tensor<4x256xf32>) -> tensor<3x256xf32>
// ROUNDED-NEXT: "pd_op.multiply" (%[[SUMS]], %[[STEP]])
// ROUNDED:      (%[[ROWS:[0-9]+]]) = "pd_op.cast" (%{{[0-9]+}}) {dtype:int8}
// ROUNDED:      "cinn_op.scaled_level_product" (%[[ROWS]],
// ROUNDED-NOT:  "pd_op.rint"
// ROUNDED:      // -----
// ROUNDED:      (%[[ROWS:[0-9]+]]) = "pd_op.cast" (%{{[0-9]+}}) {dtype:int8}
// ROUNDED:      (%[[SUMS:[0-9]+]]) = "cinn_op.level_product" (%[[ROWS]], %{{[0-9]+}}) {bits:4}
// ROUNDED-NEXT: "pd_op.multiply" (%[[SUMS]],
// ROUNDED:      // -----
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<256x256xi8>
    (%1) = "builtin.parameter" () {parameter_name:"s"} : () -> tensor<4x256xf32>
    (%2) = "builtin.parameter" () {parameter_name:"v"} : () -> tensor<32x256xi8>
    (%3) = "builtin.parameter" () {parameter_name:"t"} : () -> tensor<2x64xf32>
    (%4) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<256xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[3,256]} : () -> tensor<3x256xf32>
    (%6) = "pd_op.weight_only_linear" (%5, %0, %4, %1) {arch:(Int32)80,group_size:(Int32)64,weight_dtype:"int8"} : (tensor<3x256xf32>, tensor<256x256xi8>, tensor<256xf32>, tensor<4x256xf32>) -> tensor<3x256xf32>
    (%7) = "pd_op.weight_only_linear" (%6, %2, <<NULL VALUE>>, %3) {arch:(Int32)80,group_size:(Int32)128,weight_dtype:"int4"} : (tensor<3x256xf32>, tensor<32x256xi8>, <<NULL TYPE>>, tensor<2x64xf32>) -> tensor<3x64xf32>
    (%8) = "pd_op.fetch" (%7) {col:(Int32)0,name:"y"} : (tensor<3x64xf32>) -> tensor<3x64xf32>
}

// -----
// 4 bits with scales of columns; a group that is as long as the column; a last group of half the length, in f16.
// CHECK:      (%[[FOUR:[0-9]+]]) = "cinn_op.weight_levels" (%0) {algo:"weight_only_int4"}
// CHECK:      (%[[SUMS:[0-9]+]]) = "cinn_op.level_product" (%{{[0-9]+}}, %[[FOUR]]) {bits:4}
// CHECK:      "pd_op.multiply" (%[[SUMS]],
// CHECK:      (%[[FLAT:[0-9]+]]) = "pd_op.reshape" (%3,
// CHECK-NEXT: (%[[WIDE:[0-9]+]]) = "pd_op.weight_dequantize" (%2, %[[FLAT]]) {algo:"weight_only_int8",group_size:-1}
// CHECK-NEXT: "pd_op.matmul" (%{{[0-9]+}}, %[[WIDE]])
// CHECK:      // -----
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<32x192xi8>
    (%1) = "builtin.parameter" () {parameter_name:"s"} : () -> tensor<64xf32>
    (%2) = "builtin.parameter" () {parameter_name:"v"} : () -> tensor<192x64xi8>
    (%3) = "builtin.parameter" () {parameter_name:"t"} : () -> tensor<1x192xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[3,192]} : () -> tensor<3x192xf32>
    (%5) = "pd_op.weight_dequantize" (%0, %1) {algo:"weight_only_int4",group_size:(Int32)-1} : (tensor<32x192xi8>, tensor<64xf32>) -> tensor<192x64xf32>
    (%6) = "pd_op.matmul" (%4, %5) {transpose_x:false,transpose_y:false} : (tensor<3x192xf32>, tensor<192x64xf32>) -> tensor<3x64xf32>
    (%7) = "pd_op.weight_dequantize" (%2, %3) {algo:"weight_only_int8",group_size:(Int32)64} : (tensor<192x64xi8>, tensor<1x192xf32>) -> tensor<64x192xf32>
    (%8) = "pd_op.matmul" (%6, %7) {transpose_x:false,transpose_y:false} : (tensor<3x64xf32>, tensor<64x192xf32>) -> tensor<3x192xf32>
    (%9) = "pd_op.fetch" (%8) {col:(Int32)0,name:"y"} : (tensor<3x192xf32>) -> tensor<3x192xf32>
}

// -----
// CHECK:      (%[[TWICE:[0-9]+]]) = "pd_op.repeat_interleave" (%{{[0-9]+}}) {axis:0,{{.*}}repeats:2}
// CHECK:      (%[[PARTS:[0-9]+]]) = "pd_op.slice" (%[[TWICE]],
// CHECK:      "cinn_op.scaled_level_product" {{.*}} {bits:8,group_size:64} : (tensor<3x192xf32>, tensor<192x64xi8>, tensor<3x64xf32>)
// CHECK-NEXT: "pd_op.cast" ({{.*}} {dtype:float16}
// CHECK:      // -----
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<64x192xi8>
    (%1) = "builtin.parameter" () {parameter_name:"s"} : () -> tensor<2x64xf16>
    (%4) = "pd_op.data" () {dtype:float16,name:"x",place:Place(cpu),shape:[3,192]} : () -> tensor<3x192xf16>
    (%5) = "pd_op.weight_only_linear" (%4, %0, <<NULL VALUE>>, %1) {arch:(Int32)80,group_size:(Int32)128,weight_dtype:"int8"} : (tensor<3x192xf16>, tensor<64x192xi8>, <<NULL TYPE>>, tensor<2x64xf16>) -> tensor<3x64xf16>
    (%9) = "pd_op.fetch" (%5) {col:(Int32)0,name:"y"} : (tensor<3x64xf16>) -> tensor<3x64xf16>
}

// -----
// Not: weights or scales that are an input, turned rows, bytes with scales of columns, the order of architecture 70.
// CHECK-NOT: cinn_op
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<64x64xi8>
    (%1) = "builtin.parameter" () {parameter_name:"s"} : () -> tensor<1x64xf32>
    (%2) = "builtin.parameter" () {parameter_name:"t"} : () -> tensor<64xf32>
    (%3) = "pd_op.data" () {dtype:int8,name:"v",place:Place(cpu),shape:[64,64]} : () -> tensor<64x64xi8>
    (%4) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[64,64]} : () -> tensor<64x64xf32>
    (%5) = "pd_op.weight_only_linear" (%4, %3, <<NULL VALUE>>, %1) {arch:(Int32)80,group_size:(Int32)64,weight_dtype:"int8"} : (tensor<64x64xf32>, tensor<64x64xi8>, <<NULL TYPE>>, tensor<1x64xf32>) -> tensor<64x64xf32>
    (%6) = "pd_op.weight_only_linear" (%5, %0, <<NULL VALUE>>, %2) {arch:(Int32)80,group_size:(Int32)-1,weight_dtype:"int8"} : (tensor<64x64xf32>, tensor<64x64xi8>, <<NULL TYPE>>, tensor<64xf32>) -> tensor<64x64xf32>
    (%7) = "pd_op.weight_only_linear" (%6, %0, <<NULL VALUE>>, %1) {arch:(Int32)70,group_size:(Int32)64,weight_dtype:"int8"} : (tensor<64x64xf32>, tensor<64x64xi8>, <<NULL TYPE>>, tensor<1x64xf32>) -> tensor<64x64xf32>
    (%8) = "pd_op.weight_dequantize" (%0, %1) {algo:"weight_only_int8",group_size:(Int32)64} : (tensor<64x64xi8>, tensor<1x64xf32>) -> tensor<64x64xf32>
    (%9) = "pd_op.matmul" (%7, %8) {transpose_x:true,transpose_y:false} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    (%10) = "pd_op.fetch" (%9) {col:(Int32)0,name:"y"} : (tensor<64x64xf32>) -> tensor<64x64xf32>
}
