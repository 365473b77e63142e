// What modes permit on a device: f32 rounded to tf32, parameters and results rounded to bf16, both on tensor cores.
// RUN: pir-opt %s --target=sm_80 --emit=cuda | FileCheck %s --check-prefix=STRICT
// RUN: pir-opt %s --target=sm_80 --math=fast --emit=cuda | FileCheck %s --check-prefix=FAST
// RUN: pir-opt %s --target=sm_75 --math=fast --emit=cuda | FileCheck %s --check-prefix=STRICT
// RUN: pir-opt %s --target=sm_90a --math=bf16 --emit=cuda | FileCheck %s --check-prefix=BF16
// RUN: pir-opt %s --target=sm_75 --math=bf16 --emit=cuda | FileCheck %s --check-prefix=STRICT
// RUN: pir-opt %s --target=sm_80 --math=fast --emit=loops | FileCheck %s --check-prefix=LOOPS
// RUN: pir-opt %s --target=sm_80 --math=fast --pipeline=compile --emit=loops -o %t.loops && pir-opt %t.loops --target=sm_80 --emit=cuda | FileCheck %s --check-prefix=FAST
// STRICT: fmaf(
// STRICT-NOT: pir_mma_tf32<
// STRICT-NOT: pir_mma_bf16<
// Of 64 rows, four terms are adjacent; of 16 terms, eight rows.
// FAST: __shared__ __align__(16) f32
// FAST-NOT: fmaf(
// FAST: pir_mma_tf32<4, 32, 1, 256, 1, 128, 8, 32>(&
// FAST-NOT: fmaf(
// FAST: pir_mma_tf32<4, 32, 1, 256, 1, 128, 8, 32>(&
// FAST-NOT: fmaf(
// LOOPS: mma {{.*}} by 4 32 1 256, {{.*}} by 1 128 8 32
// A parameter on the right is packed when the model is made: rounded, with the terms of a column adjacent.
// BF16: __shared__ __align__(16) u16
// BF16-NOT: fmaf(
// BF16: pir_mma_bf16<8, 64, 1, 512, 8, 64, 1, 512>(&
// BF16-NOT: fmaf(
// BF16: pir_mma_bf16<8, 64, 1, 512, 1, 256, 8, 64>(&
// BF16-NOT: fmaf(
// A parameter on the left is rounded as one on the right is.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[64,128]} : () -> tensor<64x128xf32>
    (%1) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<128x64xf32>
    (%2) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32>
    () = "builtin.shadow_output" (%2) {output_name:"o"} : (tensor<64x64xf32>) -> 
    (%3) = "builtin.parameter" () {parameter_name:"v"} : () -> tensor<64x128xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[128,64]} : () -> tensor<128x64xf32>
    (%5) = "pd_op.matmul" (%3, %4) {transpose_x:false,transpose_y:false} : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32>
    () = "builtin.shadow_output" (%5) {output_name:"p"} : (tensor<64x64xf32>) -> 
}
