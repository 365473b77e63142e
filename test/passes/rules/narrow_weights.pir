// RUN: pir-opt %s --split-input-file --verify-each --passes=narrow_weights | FileCheck %s
// RUN: pir-opt %s --split-input-file --passes=narrow_weights,fold{sources=false} >/dev/null

// The integers are put in order, multiplied, and the sums are scaled; with a bias and without, of 8 and 4 bits.
// CHECK:      (%[[BYTES:[0-9]+]]) = "cinn_op.weight_levels" (%0) {algo:"weight_only_int8"}
// CHECK-NEXT: (%[[FACTORS:[0-9]+]]) = "pd_op.cast" (%[[BYTES]]) {dtype:float32}
// CHECK:      (%[[SUMS:[0-9]+]]) = "pd_op.matmul" ({{.*}}, %[[FACTORS]])
// CHECK:      (%[[SCALED:[0-9]+]]) = "pd_op.multiply" (%[[SUMS]],
// CHECK:      "pd_op.add" (%{{[0-9]+}}, %2)
// CHECK:      algo:"weight_only_int4"
// CHECK-NOT:  weight_only_linear
// CHECK:      // -----
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<64x64xi8>
    (%1) = "builtin.parameter" () {parameter_name:"s"} : () -> tensor<64xf32>
    (%2) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<64xf32>
    (%3) = "builtin.parameter" () {parameter_name:"v"} : () -> tensor<32x64xi8>
    (%4) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[3,64]} : () -> tensor<3x64xf32>
    (%5) = "pd_op.weight_only_linear" (%4, %0, %2, %1) {arch:(Int32)80,group_size:(Int32)-1,weight_dtype:"int8"} : (tensor<3x64xf32>, tensor<64x64xi8>, tensor<64xf32>, tensor<64xf32>) -> tensor<3x64xf32>
    (%6) = "pd_op.weight_only_linear" (%5, %3, <<NULL VALUE>>, %1) {arch:(Int32)80,group_size:(Int32)-1,weight_dtype:"int4"} : (tensor<3x64xf32>, tensor<32x64xi8>, <<NULL TYPE>>, tensor<64xf32>) -> tensor<3x64xf32>
    (%7) = "pd_op.fetch" (%6) {col:(Int32)0,name:"y"} : (tensor<3x64xf32>) -> tensor<3x64xf32>
}

// -----
// Products whose weights are dequantized by ops: bytes times scales of columns, and as weight_dequantize does it.
// CHECK:     "pd_op.cast" (%0) {dtype:float32}
// CHECK:     "pd_op.matmul"
// CHECK:     "pd_op.multiply" (%{{[0-9]+}}, %1)
// CHECK:     algo:"llm.int8"
// CHECK:     "pd_op.matmul"
// CHECK:     "pd_op.multiply"
// CHECK:     // -----
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<64x48xi8>
    (%1) = "builtin.parameter" () {parameter_name:"s"} : () -> tensor<48xf32>
    (%2) = "builtin.parameter" () {parameter_name:"v"} : () -> tensor<64x48xi8>
    (%3) = "builtin.parameter" () {parameter_name:"t"} : () -> tensor<64xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[3,64]} : () -> tensor<3x64xf32>
    (%5) = "pd_op.cast" (%0) {dtype:float32} : (tensor<64x48xi8>) -> tensor<64x48xf32>
    (%6) = "pd_op.multiply" (%5, %1) {} : (tensor<64x48xf32>, tensor<48xf32>) -> tensor<64x48xf32>
    (%7) = "pd_op.matmul" (%4, %6) {transpose_x:false,transpose_y:false} : (tensor<3x64xf32>, tensor<64x48xf32>) -> tensor<3x48xf32>
    (%8) = "pd_op.weight_dequantize" (%2, %3) {algo:"llm.int8",group_size:(Int32)-1} : (tensor<64x48xi8>, tensor<64xf32>) -> tensor<48x64xf32>
    (%9) = "pd_op.matmul" (%7, %8) {transpose_x:false,transpose_y:false} : (tensor<3x48xf32>, tensor<48x64xf32>) -> tensor<3x64xf32>
    (%10) = "pd_op.fetch" (%9) {col:(Int32)0,name:"y"} : (tensor<3x64xf32>) -> tensor<3x64xf32>
}

// -----
// Not: weights that are an input, groups of scales, scales of rows, a turned right side.
// CHECK-NOT: dtype:int8}
// CHECK-NOT: "cinn_op
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<64x64xi8>
    (%1) = "builtin.parameter" () {parameter_name:"s"} : () -> tensor<64xf32>
    (%2) = "builtin.parameter" () {parameter_name:"g"} : () -> tensor<1x64xf32>
    (%3) = "builtin.parameter" () {parameter_name:"r"} : () -> tensor<64x1xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[3,64]} : () -> tensor<3x64xf32>
    (%5) = "pd_op.data" () {dtype:int8,name:"v",place:Place(cpu),shape:[64,64]} : () -> tensor<64x64xi8>
    (%6) = "pd_op.weight_only_linear" (%4, %5, <<NULL VALUE>>, %1) {arch:(Int32)80,group_size:(Int32)-1,weight_dtype:"int8"} : (tensor<3x64xf32>, tensor<64x64xi8>, <<NULL TYPE>>, tensor<64xf32>) -> tensor<3x64xf32>
    (%7) = "pd_op.weight_only_linear" (%6, %5, %1, %1) {arch:(Int32)80,group_size:(Int32)-1,weight_dtype:"int8"} : (tensor<3x64xf32>, tensor<64x64xi8>, tensor<64xf32>, tensor<64xf32>) -> tensor<3x64xf32>
    (%8) = "pd_op.weight_only_linear" (%7, %0, <<NULL VALUE>>, %2) {arch:(Int32)80,group_size:(Int32)64,weight_dtype:"int8"} : (tensor<3x64xf32>, tensor<64x64xi8>, <<NULL TYPE>>, tensor<1x64xf32>) -> tensor<3x64xf32>
    (%9) = "pd_op.cast" (%0) {dtype:float32} : (tensor<64x64xi8>) -> tensor<64x64xf32>
    (%10) = "pd_op.multiply" (%9, %3) {} : (tensor<64x64xf32>, tensor<64x1xf32>) -> tensor<64x64xf32>
    (%11) = "pd_op.matmul" (%8, %10) {transpose_x:false,transpose_y:false} : (tensor<3x64xf32>, tensor<64x64xf32>) -> tensor<3x64xf32>
    (%12) = "pd_op.weight_dequantize" (%5, %1) {algo:"llm.int8",group_size:(Int32)-1} : (tensor<64x64xi8>, tensor<64xf32>) -> tensor<64x64xf32>
    (%13) = "pd_op.matmul" (%11, %12) {transpose_x:false,transpose_y:false} : (tensor<3x64xf32>, tensor<64x64xf32>) -> tensor<3x64xf32>
    (%14) = "pd_op.fetch" (%13) {col:(Int32)0,name:"y"} : (tensor<3x64xf32>) -> tensor<3x64xf32>
}
