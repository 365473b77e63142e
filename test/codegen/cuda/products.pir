// Products whose tiles end within rows, columns and steps, from operands that lie along and across: with one step, with fewer than the ring has
// room for, with an odd number of terms, in large tiles, and in 16 bits. test/cuda/cuda.py runs them on the stand-ins.
// RUN: pir-opt %s --target=sm_80 --emit=cuda | FileCheck %s
// RUN: pir-opt %s --target=sm_75 --emit=cuda | FileCheck %s --check-prefix=FETCHED
// Operands that lie across in the tile are copied element by element, and pairs of bf16 where lines have 50 of them. Lines of 33 or
// 35 bf16 are not aligned: they are fetched. Rows of f32 lie as in memory.
// FETCHED-NOT: pir_copy<{{[0-9]+}}>(&
// CHECK-LABEL: g0_stage0(
// CHECK-COUNT-2: pir_copy<16>(&
// CHECK-LABEL: g1_stage0(
// CHECK: pir_copy<8>(&
// CHECK: pir_copy<4>(&
// CHECK-LABEL: g2_stage0(
// CHECK-COUNT-2: pir_copy<4>(&
// CHECK-LABEL: g3_stage0(
// CHECK: pir_copy<16>(&
// CHECK: pir_copy<4>(&
// CHECK-LABEL: g4_stage0(
// CHECK: pir_copy<16>(&
// CHECK: pir_copy<4>(&
// CHECK: pir_wait<0>();
// CHECK-LABEL: g5_stage0(
// CHECK-COUNT-2: pir_copy<4>(&
// CHECK-LABEL: g6_stage0(
// CHECK: pir_copy<16>(&
// CHECK: pir_mma_bf16<1, 256, 8, 64, 1, 256, 8, 64>(&
// CHECK-LABEL: g7_stage0(
// CHECK-NOT: pir_copy<2>
// CHECK: pir_mma_bf16<8, 64, 1, 512, 1, 256, 8, 64>(&
// Two tiles of 1055 terms are four parts of 272 terms, and the last of 239; another kernel adds the parts in their order.
// CHECK-LABEL: g8_stage0(
// CHECK: const i32 begin_[[BEGIN:[0-9]+]] = {{.*}} * 272ll));
// CHECK: const i32 end_[[END:[0-9]+]] = {{.*}}pir_min{{.*}}begin_[[BEGIN]] + 272ll), 1055ll));
// CHECK: const {{...}} terms_[[TERMS:[0-9]+]] =
// CHECK: for (i64 k_{{[0-9]+}} = 0ll; {{.*}}terms_[[TERMS]];
// CHECK-LABEL: g8_stage0_sum(
// CHECK: for (i64 part_{{[0-9]+}} = 0ll; part_{{[0-9]+}} < 4ll;
// CHECK: fmaxf(
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x0",place:Place(undefined:0),shape:[70,36]} : () -> tensor<70x36xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y0",place:Place(undefined:0),shape:[36,72]} : () -> tensor<36x72xf32>
    (%2) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<70x36xf32>, tensor<36x72xf32>) -> tensor<70x72xf32>
    () = "builtin.shadow_output" (%2) {output_name:"o0"} : (tensor<70x72xf32>) -> 
    (%3) = "pd_op.data" () {dtype:float32,name:"x1",place:Place(undefined:0),shape:[36,70]} : () -> tensor<36x70xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"y1",place:Place(undefined:0),shape:[72,36]} : () -> tensor<72x36xf32>
    (%5) = "pd_op.matmul" (%3, %4) {transpose_x:true,transpose_y:true} : (tensor<36x70xf32>, tensor<72x36xf32>) -> tensor<70x72xf32>
    () = "builtin.shadow_output" (%5) {output_name:"o1"} : (tensor<70x72xf32>) -> 
    (%6) = "pd_op.data" () {dtype:float32,name:"x2",place:Place(undefined:0),shape:[64,129]} : () -> tensor<64x129xf32>
    (%7) = "pd_op.data" () {dtype:float32,name:"y2",place:Place(undefined:0),shape:[129,33]} : () -> tensor<129x33xf32>
    (%8) = "pd_op.matmul" (%6, %7) {transpose_x:false,transpose_y:false} : (tensor<64x129xf32>, tensor<129x33xf32>) -> tensor<64x33xf32>
    () = "builtin.shadow_output" (%8) {output_name:"o2"} : (tensor<64x33xf32>) -> 
    (%9) = "pd_op.data" () {dtype:float32,name:"x3",place:Place(undefined:0),shape:[64,16]} : () -> tensor<64x16xf32>
    (%10) = "pd_op.data" () {dtype:float32,name:"y3",place:Place(undefined:0),shape:[64,16]} : () -> tensor<64x16xf32>
    (%11) = "pd_op.matmul" (%9, %10) {transpose_x:false,transpose_y:true} : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x64xf32>
    () = "builtin.shadow_output" (%11) {output_name:"o3"} : (tensor<64x64xf32>) -> 
    (%12) = "pd_op.data" () {dtype:float32,name:"x4",place:Place(undefined:0),shape:[1024,48]} : () -> tensor<1024x48xf32>
    (%13) = "pd_op.data" () {dtype:float32,name:"y4",place:Place(undefined:0),shape:[1028,48]} : () -> tensor<1028x48xf32>
    (%14) = "pd_op.matmul" (%12, %13) {transpose_x:false,transpose_y:true} : (tensor<1024x48xf32>, tensor<1028x48xf32>) -> tensor<1024x1028xf32>
    () = "builtin.shadow_output" (%14) {output_name:"o4"} : (tensor<1024x1028xf32>) -> 
    (%15) = "pd_op.data" () {dtype:bfloat16,name:"x5",place:Place(undefined:0),shape:[70,50]} : () -> tensor<70x50xbf16>
    (%16) = "pd_op.data" () {dtype:bfloat16,name:"y5",place:Place(undefined:0),shape:[72,50]} : () -> tensor<72x50xbf16>
    (%17) = "pd_op.matmul" (%15, %16) {transpose_x:false,transpose_y:true} : (tensor<70x50xbf16>, tensor<72x50xbf16>) -> tensor<70x72xbf16>
    (%24) = "pd_op.cast" (%17) {dtype:float32} : (tensor<70x72xbf16>) -> tensor<70x72xf32>
    () = "builtin.shadow_output" (%24) {output_name:"o5"} : (tensor<70x72xf32>) -> 
    (%18) = "pd_op.data" () {dtype:bfloat16,name:"x6",place:Place(undefined:0),shape:[50,72]} : () -> tensor<50x72xbf16>
    (%19) = "pd_op.data" () {dtype:bfloat16,name:"y6",place:Place(undefined:0),shape:[50,33]} : () -> tensor<50x33xbf16>
    (%20) = "pd_op.matmul" (%18, %19) {transpose_x:true,transpose_y:false} : (tensor<50x72xbf16>, tensor<50x33xbf16>) -> tensor<72x33xbf16>
    (%25) = "pd_op.cast" (%20) {dtype:float32} : (tensor<72x33xbf16>) -> tensor<72x33xf32>
    () = "builtin.shadow_output" (%25) {output_name:"o6"} : (tensor<72x33xf32>) -> 
    (%21) = "pd_op.data" () {dtype:bfloat16,name:"x7",place:Place(undefined:0),shape:[64,35]} : () -> tensor<64x35xbf16>
    (%22) = "pd_op.data" () {dtype:bfloat16,name:"y7",place:Place(undefined:0),shape:[35,48]} : () -> tensor<35x48xbf16>
    (%23) = "pd_op.matmul" (%21, %22) {transpose_x:false,transpose_y:false} : (tensor<64x35xbf16>, tensor<35x48xbf16>) -> tensor<64x48xbf16>
    (%26) = "pd_op.cast" (%23) {dtype:float32} : (tensor<64x48xbf16>) -> tensor<64x48xf32>
    () = "builtin.shadow_output" (%26) {output_name:"o7"} : (tensor<64x48xf32>) -> 
    (%27) = "pd_op.data" () {dtype:float32,name:"x8",place:Place(undefined:0),shape:[70,1055]} : () -> tensor<70x1055xf32>
    (%28) = "pd_op.data" () {dtype:float32,name:"y8",place:Place(undefined:0),shape:[1055,33]} : () -> tensor<1055x33xf32>
    (%29) = "pd_op.matmul" (%27, %28) {transpose_x:false,transpose_y:false} : (tensor<70x1055xf32>, tensor<1055x33xf32>) -> tensor<70x33xf32>
    (%30) = "pd_op.relu" (%29) {} : (tensor<70x33xf32>) -> tensor<70x33xf32>
    () = "builtin.shadow_output" (%30) {output_name:"o8"} : (tensor<70x33xf32>) -> 
}
