// A product of dequantised values multiplies bytes, in vectors or in tile registers; the next quantisation is part of it.
// RUN: pir-opt %s --passes=quantised,dce,group | FileCheck %s
// RUN: pir-opt %s --emit=asm --target=znver4 | FileCheck %s --check-prefix=ASM
// RUN: pir-opt %s --emit=asm --target=sapphirerapids | FileCheck %s --check-prefix=TILES
// RUN: pir-run %s --pipeline=kernels --input=x=20x64xf32=random:1 --input=w=64x48xf32=random:2 --input=t=48xf32=random:3 --output=@%t.npy
// RUN: pir-run %s --input=x=20x64xf32=random:1 --input=w=64x48xf32=random:2 --input=t=48xf32=random:3 --expect=@%t.npy
// RUN: pir-run %s --target=x86-64 --input=x=20x64xf32=random:1 --input=w=64x48xf32=random:2 --input=t=48xf32=random:3 --expect=@%t.npy

// CHECK:      "cinn_op.group"
// CHECK:        "pd_op.cast" {{.*}} -> tensor<20x64xi32>
// CHECK-NEXT:   "pd_op.cast" {{.*}} -> tensor<64x48xi32>
// CHECK-NEXT:   "pd_op.matmul" {{.*}} -> tensor<20x48xi32>
// CHECK-NEXT:   "pd_op.cast" {{.*}} -> tensor<20x48xf32>
// CHECK-NEXT:   "pd_op.multiply"
// CHECK-NEXT:   "pd_op.relu"
// CHECK:        "pd_op.quantize_linear"
// CHECK-NEXT:   "cf.yield"

// ASM:   vpdpbusd {{.*}}%zmm
// TILES: tdpbssd %tmm
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[20,64]} : () -> tensor<20x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"t",place:Place(undefined:0),shape:[48]} : () -> tensor<48xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.75} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%5, %6, %7, %8) = "pd_op.quantize_linear" (%0, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%9, %10, %11, %12) = "pd_op.dequantize_linear" (%5, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%13, %14, %15, %16) = "pd_op.quantize_linear" (%1, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%17, %18, %19, %20) = "pd_op.dequantize_linear" (%13, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%21) = "pd_op.matmul" (%9, %17) {transpose_x:false,transpose_y:false} : (tensor<20x64xf32>, tensor<64x48xf32>) -> tensor<20x48xf32>
    (%22) = "pd_op.relu" (%21) {} : (tensor<20x48xf32>) -> tensor<20x48xf32>
    (%23, %24, %25, %26) = "pd_op.quantize_linear" (%22, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%27) = "pd_op.fetch" (%23) {col:0,name:"out"} : (tensor<20x48xf32>) -> tensor<20x48xf32>
}
