// RUN: pir-opt %s --split-input-file --verify-each --passes=rounded_rows | FileCheck %s
// RUN: pir-opt %s --split-input-file --passes=rounded_rows,narrow_weights,fold{sources=false} >/dev/null
// RUN: pir-opt %s --split-input-file --passes=rounded_rows,cse,quantised_contractions | FileCheck --check-prefix=APART %s

// Rows are divided by the size of their largest element, rounded and multiplied as integers; the sums are scaled back. With a bias and without.
// CHECK:      (%[[SIZES:[0-9]+]]) = "pd_op.abs" (%[[ROWS:[0-9]+]])
// CHECK:      (%[[LARGEST:[0-9]+]]) = "pd_op.max" (%[[SIZES]], {{.*}}keepdim:true
// CHECK:      (%[[STEP:[0-9]+]]) = "pd_op.maximum"
// CHECK:      (%[[RATIOS:[0-9]+]]) = "pd_op.divide" (%[[ROWS]], %[[STEP]])
// CHECK:      (%[[ROUNDED:[0-9]+]]) = "pd_op.rint" (%[[RATIOS]])
// CHECK-NEXT: (%[[LEVELS:[0-9]+]]) = "pd_op.cast" (%[[ROUNDED]]) {dtype:int8}
// CHECK-NEXT: (%[[LEFT:[0-9]+]]) = "pd_op.cast" (%[[LEVELS]]) {dtype:int32}
// CHECK-NEXT: (%[[BYTES:[0-9]+]]) = "cinn_op.weight_levels" (%0) {algo:"weight_only_int8"}
// CHECK-NEXT: (%[[RIGHT:[0-9]+]]) = "pd_op.cast" (%[[BYTES]]) {dtype:int32}
// CHECK-NEXT: (%[[SUMS:[0-9]+]]) = "pd_op.matmul" (%[[LEFT]], %[[RIGHT]])
// CHECK:      (%[[COLUMNS:[0-9]+]]) = "pd_op.multiply"
// CHECK-NEXT: (%[[ALL:[0-9]+]]) = "pd_op.multiply" (%[[COLUMNS]], %[[STEP]])
// CHECK:      "pd_op.add" (%{{[0-9]+}}, %2)
// CHECK:      "cinn_op.weight_levels" (%0)
// CHECK-NOT:  weight_only_linear
// CHECK:      // -----
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<64x64xi8>
    (%1) = "builtin.parameter" () {parameter_name:"s"} : () -> tensor<64xf32>
    (%2) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<64xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[3,64]} : () -> tensor<3x64xf32>
    (%5) = "pd_op.weight_only_linear" (%4, %0, %2, %1) {arch:(Int32)80,group_size:(Int32)-1,weight_dtype:"int8"} : (tensor<3x64xf32>, tensor<64x64xi8>, tensor<64xf32>, tensor<64xf32>) -> tensor<3x64xf32>
    (%6) = "pd_op.weight_only_linear" (%5, %0, <<NULL VALUE>>, %1) {arch:(Int32)80,group_size:(Int32)-1,weight_dtype:"int8"} : (tensor<3x64xf32>, tensor<64x64xi8>, <<NULL TYPE>>, tensor<64xf32>) -> tensor<3x64xf32>
    (%7) = "pd_op.fetch" (%6) {col:(Int32)0,name:"y"} : (tensor<3x64xf32>) -> tensor<3x64xf32>
}

// -----
// Two products of the same rows: the levels are made once, and each product widens them itself.
// APART:      name:"shared"
// APART:      (%[[LEVELS:[0-9]+]]) = "pd_op.cast" (%{{[0-9]+}}) {dtype:int8}
// APART:      (%[[ONE:[0-9]+]]) = "pd_op.cast" (%[[LEVELS]]) {dtype:int32}
// APART:      (%[[TWO:[0-9]+]]) = "pd_op.cast" (%[[LEVELS]]) {dtype:int32}
// APART:      "pd_op.matmul" (%[[TWO]],
// APART:      "pd_op.matmul" (%[[ONE]],
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<64x64xi8>
    (%1) = "builtin.parameter" () {parameter_name:"s"} : () -> tensor<64xf32>
    (%2) = "builtin.parameter" () {parameter_name:"v"} : () -> tensor<64x64xi8>
    (%3) = "pd_op.data" () {dtype:float32,name:"shared",place:Place(cpu),shape:[3,64]} : () -> tensor<3x64xf32>
    (%4) = "pd_op.weight_only_linear" (%3, %0, <<NULL VALUE>>, %1) {arch:(Int32)80,group_size:(Int32)-1,weight_dtype:"int8"} : (tensor<3x64xf32>, tensor<64x64xi8>, <<NULL TYPE>>, tensor<64xf32>) -> tensor<3x64xf32>
    (%5) = "pd_op.weight_only_linear" (%3, %2, <<NULL VALUE>>, %1) {arch:(Int32)80,group_size:(Int32)-1,weight_dtype:"int8"} : (tensor<3x64xf32>, tensor<64x64xi8>, <<NULL TYPE>>, tensor<64xf32>) -> tensor<3x64xf32>
    (%6) = "pd_op.add" (%4, %5) {} : (tensor<3x64xf32>, tensor<3x64xf32>) -> tensor<3x64xf32>
    (%7) = "pd_op.fetch" (%6) {col:(Int32)0,name:"y"} : (tensor<3x64xf32>) -> tensor<3x64xf32>
}

// -----
// Products whose weights an op dequantizes.
// CHECK:     algo:"llm.int8"
// CHECK:     "pd_op.matmul"
// CHECK:     algo:"weight_only_int8"
// CHECK:     "pd_op.matmul"
// CHECK-NOT: weight_dequantize
// CHECK:     // -----
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<64x64xi8>
    (%1) = "builtin.parameter" () {parameter_name:"s"} : () -> tensor<64xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[3,64]} : () -> tensor<3x64xf32>
    (%3) = "pd_op.weight_dequantize" (%0, %1) {algo:"llm.int8",group_size:(Int32)-1} : (tensor<64x64xi8>, tensor<64xf32>) -> tensor<64x64xf32>
    (%4) = "pd_op.matmul" (%2, %3) {transpose_x:false,transpose_y:false} : (tensor<3x64xf32>, tensor<64x64xf32>) -> tensor<3x64xf32>
    (%5) = "pd_op.weight_dequantize" (%0, %1) {algo:"weight_only_int8",group_size:(Int32)-1} : (tensor<64x64xi8>, tensor<64xf32>) -> tensor<64x64xf32>
    (%6) = "pd_op.matmul" (%4, %5) {transpose_x:false,transpose_y:false} : (tensor<3x64xf32>, tensor<64x64xf32>) -> tensor<3x64xf32>
    (%7) = "pd_op.fetch" (%6) {col:(Int32)0,name:"y"} : (tensor<3x64xf32>) -> tensor<3x64xf32>
}

// -----
// Not: weights that are an input, of 4 bits, groups of scales, rows that are columns of x, sums that could exceed 32 bits.
// CHECK-NOT: "pd_op.rint"
// CHECK-NOT: "cinn_op
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<64x64xi8>
    (%1) = "builtin.parameter" () {parameter_name:"s"} : () -> tensor<64xf32>
    (%2) = "builtin.parameter" () {parameter_name:"g"} : () -> tensor<1x64xf32>
    (%3) = "builtin.parameter" () {parameter_name:"v"} : () -> tensor<32x64xi8>
    (%4) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[64,64]} : () -> tensor<64x64xf32>
    (%5) = "pd_op.data" () {dtype:int8,name:"u",place:Place(cpu),shape:[64,64]} : () -> tensor<64x64xi8>
    (%6) = "pd_op.weight_only_linear" (%4, %5, <<NULL VALUE>>, %1) {arch:(Int32)80,group_size:(Int32)-1,weight_dtype:"int8"} : (tensor<64x64xf32>, tensor<64x64xi8>, <<NULL TYPE>>, tensor<64xf32>) -> tensor<64x64xf32>
    (%7) = "pd_op.weight_only_linear" (%6, %3, <<NULL VALUE>>, %1) {arch:(Int32)80,group_size:(Int32)-1,weight_dtype:"int4"} : (tensor<64x64xf32>, tensor<32x64xi8>, <<NULL TYPE>>, tensor<64xf32>) -> tensor<64x64xf32>
    (%8) = "pd_op.weight_only_linear" (%7, %0, <<NULL VALUE>>, %2) {arch:(Int32)80,group_size:(Int32)64,weight_dtype:"int8"} : (tensor<64x64xf32>, tensor<64x64xi8>, <<NULL TYPE>>, tensor<1x64xf32>) -> tensor<64x64xf32>
    (%9) = "pd_op.weight_dequantize" (%0, %1) {algo:"weight_only_int8",group_size:(Int32)-1} : (tensor<64x64xi8>, tensor<64xf32>) -> tensor<64x64xf32>
    (%10) = "pd_op.matmul" (%8, %9) {transpose_x:true,transpose_y:false} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    (%11) = "pd_op.fetch" (%10) {col:(Int32)0,name:"y"} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    (%12) = "builtin.parameter" () {parameter_name:"long"} : () -> tensor<64x131136xi8>
    (%13) = "pd_op.data" () {dtype:float32,name:"z",place:Place(cpu),shape:[1,131136]} : () -> tensor<1x131136xf32>
    (%14) = "pd_op.weight_only_linear" (%13, %12, <<NULL VALUE>>, %1) {arch:(Int32)80,group_size:(Int32)-1,weight_dtype:"int8"} : (tensor<1x131136xf32>, tensor<64x131136xi8>, <<NULL TYPE>>, tensor<64xf32>) -> tensor<1x64xf32>
    (%15) = "pd_op.fetch" (%14) {col:(Int32)1,name:"w"} : (tensor<1x64xf32>) -> tensor<1x64xf32>
}
