// RUN: pir-opt --split-input-file --passes="group{target=cuda}" --emit=cuda %s | FileCheck %s
// RUN: pir-opt --split-input-file --passes="group{target=cuda}" --emit=loops --target=sm_90 %s | FileCheck %s --check-prefix=LOOPS
// RUN: not pir-opt --split-input-file --passes="group{target=cuda}" --emit=cuda --target=native %s 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: the form of code is a device's: name its target

// Elements: a warp takes 512 of them, 16 bytes an access.
// CHECK: void __launch_bounds__(256, 2) g0_stage0(const f32 *__restrict__ [[A:b[0-9]+]], f32 *__restrict__ [[B:b[0-9]+]], const i64 end)
// CHECK: (i64)blockIdx.x * 8 + threadIdx.x / 32
// CHECK: = *(const pir_vec<f32, 4> *)&[[A]][
// CHECK: *(pir_vec<f32, 4> *)&[[B]][
// LOOPS: by 32 threads
// LOOPS: threads v
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[64,128]} : () -> tensor<64x128xf32>
    (%1) = "pd_op.tanh" (%0) {} : (tensor<64x128xf32>) -> tensor<64x128xf32>
    () = "builtin.shadow_output" (%1) {output_name:"o"} : (tensor<64x128xf32>) -> 
}
// -----
// Rows: what all threads of a team summed is known to each; the row stays in registers.
// CHECK: f32 [[ROW:l[0-9]+]][16];
// CHECK: [[ROW]][
// CHECK: pir_team<256, pir_op_add>(
// CHECK: [[ROW]][
// LOOPS: by 256 threads
// LOOPS: local 16 f32
// LOOPS: team_add
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[64,4096]} : () -> tensor<64x4096xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%2) = "pd_op.exp" (%0) {} : (tensor<64x4096xf32>) -> tensor<64x4096xf32>
    (%3) = "pd_op.sum" (%2, %1) {dtype:float32,keepdim:true} : (tensor<64x4096xf32>, tensor<1xi64>) -> tensor<64x1xf32>
    (%4) = "pd_op.divide" (%2, %3) {} : (tensor<64x4096xf32>, tensor<64x1xf32>) -> tensor<64x4096xf32>
    () = "builtin.shadow_output" (%4) {output_name:"o"} : (tensor<64x4096xf32>) -> 
}
// -----
// Products: tiles in shared memory, of which four steps are there: three are copied ahead, and one is waited for. Both
// sides are copied by 16 bytes, as they lie in memory. 64 rows are one whole tile, 32 columns are none.
// CHECK: __shared__ __align__(16) f32 [[X:s[0-9]+]][5120];
// CHECK: __shared__ __align__(16) f32 [[Y:s[0-9]+]][4352];
// CHECK-COUNT-3: pir_commit();
// CHECK: pir_wait<2>();
// CHECK-NEXT: __syncthreads();
// CHECK: pir_copy<16>(&[[X]][{{.*}}, true);
// CHECK: pir_copy<16>(&[[Y]][{{.*}} < 32ll));
// CHECK: pir_commit();
// CHECK: = fmaf(
// CHECK-NOT: pir_mma_bf16<
// LOOPS: shared 5120 f32
// LOOPS: wait 2
// LOOPS-NEXT: barrier
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[64,128]} : () -> tensor<64x128xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[128,32]} : () -> tensor<128x32xf32>
    (%2) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
    () = "builtin.shadow_output" (%2) {output_name:"o"} : (tensor<64x32xf32>) -> 
}
// -----
// In 16 bits: fragments of tensor cores, rows and columns as they are in memory.
// CHECK: __shared__ __align__(16) u16
// CHECK: pir_copy<16>(
// CHECK: pir_copy<16>(
// CHECK: pir_mma_bf16<8, 64, 1, 512, 1, 256, 8, 64>(&
// LOOPS: mma b{{.*}} by 8 64 1 512, {{.*}} by 1 256 8 64
{
    (%0) = "pd_op.data" () {dtype:bfloat16,name:"x",place:Place(undefined:0),shape:[64,128]} : () -> tensor<64x128xbf16>
    (%1) = "pd_op.data" () {dtype:bfloat16,name:"y",place:Place(undefined:0),shape:[128,32]} : () -> tensor<128x32xbf16>
    (%2) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<64x128xbf16>, tensor<128x32xbf16>) -> tensor<64x32xbf16>
    () = "builtin.shadow_output" (%2) {output_name:"o"} : (tensor<64x32xbf16>) -> 
}
