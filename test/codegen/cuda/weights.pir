// Parameters on the right are packed when the model is made, so that tiles copy them 16 bytes at a time: columns that no access fills, columns
// that lie along the terms, the channels of filters, alone and in groups. test/cuda/cuda.py runs them on the stand-ins.
// RUN: pir-opt %s --target=sm_80 --emit=cuda | FileCheck %s
// RUN: pir-opt %s --target=sm_80 --math=bf16 --emit=cuda | FileCheck %s --check-prefix=BF16
// RUN: pir-opt %s --target=sm_75 --emit=cuda | FileCheck %s --check-prefix=FETCHED
// CHECK-LABEL: g0_stage0(
// CHECK-COUNT-2: pir_copy<16>(&
// CHECK-LABEL: g1_stage0(
// CHECK-COUNT-2: pir_copy<16>(&
// The image is as its maker stores it, in lines of eight channels.
// CHECK-LABEL: g3_stage0(
// CHECK-COUNT-2: pir_copy<16>(&
// CHECK-LABEL: g4_stage0(
// CHECK-COUNT-2: pir_copy<16>(&
// CHECK-NOT: pir_copy<{{[248]}}>(&
// In bf16, parameters are rounded when they are packed. Columns have their terms adjacent, two of which a thread reads at once, if these fill
// accesses: 48 do, 36 do not.
// BF16: pir_mma_bf16<8, 64, 1, 512, 1, 256, 8, 64>(&
// BF16: pir_mma_bf16<8, 64, 1, 512, 8, 64, 1, 512>(&
// BF16: pir_mma_bf16<8, 64, 1, 512, 8, 64, 1, 512>(&
// FETCHED-NOT: pir_copy<{{[0-9]+}}>(&
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[70,36]} : () -> tensor<70x36xf32>
    (%1) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<33x36xf32>
    (%2) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:true} : (tensor<70x36xf32>, tensor<33x36xf32>) -> tensor<70x33xf32>
    () = "builtin.shadow_output" (%2) {output_name:"o0"} : (tensor<70x33xf32>) -> 
    (%3) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%4) = "builtin.parameter" () {parameter_name:"v"} : () -> tensor<48x40xf32>
    (%5) = "pd_op.matmul" (%3, %4) {transpose_x:false,transpose_y:false} : (tensor<64x48xf32>, tensor<48x40xf32>) -> tensor<64x40xf32>
    () = "builtin.shadow_output" (%5) {output_name:"o1"} : (tensor<64x40xf32>) -> 
    (%6) = "pd_op.data" () {dtype:float32,name:"z",place:Place(undefined:0),shape:[2,5,9,9]} : () -> tensor<2x5x9x9xf32>
    (%7) = "builtin.parameter" () {parameter_name:"f"} : () -> tensor<8x5x1x1xf32>
    (%8) = "pd_op.conv2d" (%6, %7) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x5x9x9xf32>, tensor<8x5x1x1xf32>) -> tensor<2x8x9x9xf32>
    (%9) = "builtin.parameter" () {parameter_name:"g"} : () -> tensor<18x8x3x3xf32>
    (%10) = "pd_op.conv2d" (%8, %9) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<2x8x9x9xf32>, tensor<18x8x3x3xf32>) -> tensor<2x18x9x9xf32>
    () = "builtin.shadow_output" (%10) {output_name:"o2"} : (tensor<2x18x9x9xf32>) -> 
    (%11) = "builtin.parameter" () {parameter_name:"h"} : () -> tensor<32x4x3x3xf32>
    (%12) = "pd_op.conv2d" (%8, %11) {data_format:"NCHW",dilations:[1,1],groups:2,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[2,2]} : (tensor<2x8x9x9xf32>, tensor<32x4x3x3xf32>) -> tensor<2x32x5x5xf32>
    () = "builtin.shadow_output" (%12) {output_name:"o3"} : (tensor<2x32x5x5xf32>) -> 
}
