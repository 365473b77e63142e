// RUN: pir-opt %s --split-input-file --verify-each --passes=fused_weight_only_linear | FileCheck %s
// RUN: pir-opt %s --split-input-file --verify-each --passes='fused_weight_only_linear{weight_only_algo=weight_only_int4,arch=86}' | FileCheck %s --check-prefix=FOUR
// RUN: pir-opt %s --split-input-file --verify-each --passes='fused_weight_only_linear{arch=60}' | FileCheck %s --check-prefix=OLD
// RUN: not pir-opt %s --split-input-file --passes='fused_weight_only_linear{arch=new}' 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: option arch of pass fused_weight_only_linear_pass expects a number, has 'new'
// OLD-NOT: weight_only

// With a bias, in front or behind, and without.
// CHECK:      (%[[W:[0-9]+]], %[[S:[0-9]+]]) = "pd_op.weight_quantize" (%0) {algo:"weight_only_int8",arch:80,group_size:-1}
// CHECK-NEXT: (%[[Y:[0-9]+]]) = "pd_op.weight_only_linear" (%{{[0-9]+}}, %[[W]], %1, %[[S]]) {arch:80,group_size:-1,weight_dtype:"int8"}
// CHECK:      "pd_op.weight_only_linear" (%[[Y]], {{.*}}, <<NULL VALUE>>, {{.*}} -> tensor<3x64xf16>
// FOUR:      "pd_op.weight_quantize" (%0) {algo:"weight_only_int4",arch:86,group_size:-1}
// FOUR-NEXT: "pd_op.weight_only_linear" ({{.*}} %1, {{.*}} {arch:86,group_size:-1,weight_dtype:"int4"}
// FOUR:      "pd_op.weight_only_linear"
// FOUR:      // -----
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<64x64xf16>
    (%1) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<64xf16>
    (%2) = "pd_op.data" () {dtype:float16,name:"x",place:Place(cpu),shape:[3,64]} : () -> tensor<3x64xf16>
    (%3) = "pd_op.matmul" (%2, %0) {transpose_x:false,transpose_y:false} : (tensor<3x64xf16>, tensor<64x64xf16>) -> tensor<3x64xf16>
    (%4) = "pd_op.add" (%1, %3) {} : (tensor<64xf16>, tensor<3x64xf16>) -> tensor<3x64xf16>
    (%5) = "pd_op.matmul" (%4, %0) {transpose_x:false,transpose_y:false} : (tensor<3x64xf16>, tensor<64x64xf16>) -> tensor<3x64xf16>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"y"} : (tensor<3x64xf16>) -> tensor<3x64xf16>
}

// -----
// Not: weights that are an input, turned weights, rows that are no multiple of 64, f32.
// CHECK-NOT: weight_only
// FOUR-NOT:  weight_only
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<64x64xf16>
    (%1) = "builtin.parameter" () {parameter_name:"v"} : () -> tensor<64x64xf32>
    (%2) = "builtin.parameter" () {parameter_name:"u"} : () -> tensor<32x64xf16>
    (%3) = "pd_op.data" () {dtype:float16,name:"x",place:Place(cpu),shape:[64,64]} : () -> tensor<64x64xf16>
    (%4) = "pd_op.data" () {dtype:float32,name:"z",place:Place(cpu),shape:[3,64]} : () -> tensor<3x64xf32>
    (%5) = "pd_op.data" () {dtype:float16,name:"r",place:Place(cpu),shape:[3,32]} : () -> tensor<3x32xf16>
    (%6) = "pd_op.matmul" (%3, %3) {transpose_x:false,transpose_y:false} : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    (%7) = "pd_op.matmul" (%6, %0) {transpose_x:false,transpose_y:true} : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    (%8) = "pd_op.matmul" (%4, %1) {transpose_x:false,transpose_y:false} : (tensor<3x64xf32>, tensor<64x64xf32>) -> tensor<3x64xf32>
    (%9) = "pd_op.matmul" (%5, %2) {transpose_x:false,transpose_y:false} : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    (%10) = "pd_op.fetch" (%7) {col:0,name:"p"} : (tensor<64x64xf16>) -> tensor<64x64xf16>
    (%11) = "pd_op.fetch" (%8) {col:1,name:"q"} : (tensor<3x64xf32>) -> tensor<3x64xf32>
    (%12) = "pd_op.fetch" (%9) {col:2,name:"s"} : (tensor<3x64xf16>) -> tensor<3x64xf16>
}
