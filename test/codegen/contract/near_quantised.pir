// What keeps a product of dequantised values from multiplying bytes: each program differs in one thing from
// quantised_product.pir, and keeps its floats.
// RUN: pir-opt %s --split-input-file --passes=quantised,dce | FileCheck %s
// Scales that training still moves.
// CHECK: pd_op.data
// CHECK-NOT: xi32
// CHECK: "pd_op.matmul" {{.*}} -> tensor<20x48xf32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[20,64]} : () -> tensor<20x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"t",place:Place(undefined:0),shape:[48]} : () -> tensor<48xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.75} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%5, %6, %7, %8) = "pd_op.quantize_linear" (%0, %3, %4, %4, %4) {bit_length:8,is_test:false,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%9, %10, %11, %12) = "pd_op.dequantize_linear" (%5, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%13, %14, %15, %16) = "pd_op.quantize_linear" (%1, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%17, %18, %19, %20) = "pd_op.dequantize_linear" (%13, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%21) = "pd_op.matmul" (%9, %17) {transpose_x:false,transpose_y:false} : (tensor<20x64xf32>, tensor<64x48xf32>) -> tensor<20x48xf32>
    (%22) = "pd_op.fetch" (%21) {col:0,name:"out"} : (tensor<20x48xf32>) -> tensor<20x48xf32>
}
// -----
// Only looked at: the numbers stay what they were.
// CHECK: pd_op.data
// CHECK-NOT: xi32
// CHECK: "pd_op.matmul" {{.*}} -> tensor<20x48xf32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[20,64]} : () -> tensor<20x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"t",place:Place(undefined:0),shape:[48]} : () -> tensor<48xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.75} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%5, %6, %7, %8) = "pd_op.quantize_linear" (%0, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:true,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%9, %10, %11, %12) = "pd_op.dequantize_linear" (%5, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%13, %14, %15, %16) = "pd_op.quantize_linear" (%1, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%17, %18, %19, %20) = "pd_op.dequantize_linear" (%13, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%21) = "pd_op.matmul" (%9, %17) {transpose_x:false,transpose_y:false} : (tensor<20x64xf32>, tensor<64x48xf32>) -> tensor<20x48xf32>
    (%22) = "pd_op.fetch" (%21) {col:0,name:"out"} : (tensor<20x48xf32>) -> tensor<20x48xf32>
}
// -----
// No numbers.
// CHECK: pd_op.data
// CHECK-NOT: xi32
// CHECK: "pd_op.matmul" {{.*}} -> tensor<20x48xf32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[20,64]} : () -> tensor<20x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"t",place:Place(undefined:0),shape:[48]} : () -> tensor<48xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.75} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%5, %6, %7, %8) = "pd_op.quantize_linear" (%0, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:0,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%9, %10, %11, %12) = "pd_op.dequantize_linear" (%5, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%13, %14, %15, %16) = "pd_op.quantize_linear" (%1, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%17, %18, %19, %20) = "pd_op.dequantize_linear" (%13, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%21) = "pd_op.matmul" (%9, %17) {transpose_x:false,transpose_y:false} : (tensor<20x64xf32>, tensor<64x48xf32>) -> tensor<20x48xf32>
    (%22) = "pd_op.fetch" (%21) {col:0,name:"out"} : (tensor<20x48xf32>) -> tensor<20x48xf32>
}
// -----
// Numbers of more than 8 bits.
// CHECK: pd_op.data
// CHECK-NOT: xi32
// CHECK: "pd_op.matmul" {{.*}} -> tensor<20x48xf32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[20,64]} : () -> tensor<20x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"t",place:Place(undefined:0),shape:[48]} : () -> tensor<48xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.75} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%5, %6, %7, %8) = "pd_op.quantize_linear" (%0, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:255,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%9, %10, %11, %12) = "pd_op.dequantize_linear" (%5, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%13, %14, %15, %16) = "pd_op.quantize_linear" (%1, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%17, %18, %19, %20) = "pd_op.dequantize_linear" (%13, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%21) = "pd_op.matmul" (%9, %17) {transpose_x:false,transpose_y:false} : (tensor<20x64xf32>, tensor<64x48xf32>) -> tensor<20x48xf32>
    (%22) = "pd_op.fetch" (%21) {col:0,name:"out"} : (tensor<20x48xf32>) -> tensor<20x48xf32>
}
// -----
// Scales that training still moves, on the way back.
// CHECK: pd_op.data
// CHECK-NOT: xi32
// CHECK: "pd_op.matmul" {{.*}} -> tensor<20x48xf32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[20,64]} : () -> tensor<20x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"t",place:Place(undefined:0),shape:[48]} : () -> tensor<48xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.75} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%5, %6, %7, %8) = "pd_op.quantize_linear" (%0, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%9, %10, %11, %12) = "pd_op.dequantize_linear" (%5, %3, %4, %4, %4) {bit_length:8,is_test:false,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%13, %14, %15, %16) = "pd_op.quantize_linear" (%1, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%17, %18, %19, %20) = "pd_op.dequantize_linear" (%13, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%21) = "pd_op.matmul" (%9, %17) {transpose_x:false,transpose_y:false} : (tensor<20x64xf32>, tensor<64x48xf32>) -> tensor<20x48xf32>
    (%22) = "pd_op.fetch" (%21) {col:0,name:"out"} : (tensor<20x48xf32>) -> tensor<20x48xf32>
}
// -----
// Only looked at, on the way back.
// CHECK: pd_op.data
// CHECK-NOT: xi32
// CHECK: "pd_op.matmul" {{.*}} -> tensor<20x48xf32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[20,64]} : () -> tensor<20x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"t",place:Place(undefined:0),shape:[48]} : () -> tensor<48xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.75} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%5, %6, %7, %8) = "pd_op.quantize_linear" (%0, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%9, %10, %11, %12) = "pd_op.dequantize_linear" (%5, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:true,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%13, %14, %15, %16) = "pd_op.quantize_linear" (%1, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%17, %18, %19, %20) = "pd_op.dequantize_linear" (%13, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%21) = "pd_op.matmul" (%9, %17) {transpose_x:false,transpose_y:false} : (tensor<20x64xf32>, tensor<64x48xf32>) -> tensor<20x48xf32>
    (%22) = "pd_op.fetch" (%21) {col:0,name:"out"} : (tensor<20x48xf32>) -> tensor<20x48xf32>
}
// -----
// One bit has no scale.
// CHECK: pd_op.data
// CHECK-NOT: xi32
// CHECK: "pd_op.matmul" {{.*}} -> tensor<20x48xf32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[20,64]} : () -> tensor<20x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"t",place:Place(undefined:0),shape:[48]} : () -> tensor<48xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.75} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%5, %6, %7, %8) = "pd_op.quantize_linear" (%0, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%9, %10, %11, %12) = "pd_op.dequantize_linear" (%5, %3, %4, %4, %4) {bit_length:1,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%13, %14, %15, %16) = "pd_op.quantize_linear" (%1, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%17, %18, %19, %20) = "pd_op.dequantize_linear" (%13, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%21) = "pd_op.matmul" (%9, %17) {transpose_x:false,transpose_y:false} : (tensor<20x64xf32>, tensor<64x48xf32>) -> tensor<20x48xf32>
    (%22) = "pd_op.fetch" (%21) {col:0,name:"out"} : (tensor<20x48xf32>) -> tensor<20x48xf32>
}
// -----
// Scales of more bits than a float has.
// CHECK: pd_op.data
// CHECK-NOT: xi32
// CHECK: "pd_op.matmul" {{.*}} -> tensor<20x48xf32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[20,64]} : () -> tensor<20x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"t",place:Place(undefined:0),shape:[48]} : () -> tensor<48xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.75} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%5, %6, %7, %8) = "pd_op.quantize_linear" (%0, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%9, %10, %11, %12) = "pd_op.dequantize_linear" (%5, %3, %4, %4, %4) {bit_length:17,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%13, %14, %15, %16) = "pd_op.quantize_linear" (%1, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%17, %18, %19, %20) = "pd_op.dequantize_linear" (%13, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%21) = "pd_op.matmul" (%9, %17) {transpose_x:false,transpose_y:false} : (tensor<20x64xf32>, tensor<64x48xf32>) -> tensor<20x48xf32>
    (%22) = "pd_op.fetch" (%21) {col:0,name:"out"} : (tensor<20x48xf32>) -> tensor<20x48xf32>
}
// -----
// Numbers that nothing made whole.
// CHECK: pd_op.data
// CHECK-NOT: xi32
// CHECK: "pd_op.matmul" {{.*}} -> tensor<20x48xf32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[20,64]} : () -> tensor<20x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"t",place:Place(undefined:0),shape:[48]} : () -> tensor<48xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.75} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%5, %6, %7, %8) = "pd_op.quantize_linear" (%0, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%9, %10, %11, %12) = "pd_op.dequantize_linear" (%0, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%13, %14, %15, %16) = "pd_op.quantize_linear" (%1, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%17, %18, %19, %20) = "pd_op.dequantize_linear" (%13, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%21) = "pd_op.matmul" (%9, %17) {transpose_x:false,transpose_y:false} : (tensor<20x64xf32>, tensor<64x48xf32>) -> tensor<20x48xf32>
    (%22) = "pd_op.fetch" (%21) {col:0,name:"out"} : (tensor<20x48xf32>) -> tensor<20x48xf32>
}
// -----
// As many scales as the run shows.
// CHECK: pd_op.data
// CHECK-NOT: xi32
// CHECK: "pd_op.matmul" {{.*}} -> tensor<20x48xf32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[20,64]} : () -> tensor<20x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"t",place:Place(undefined:0),shape:[-1]} : () -> tensor<-1xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.75} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%5, %6, %7, %8) = "pd_op.quantize_linear" (%0, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%9, %10, %11, %12) = "pd_op.dequantize_linear" (%5, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%13, %14, %15, %16) = "pd_op.quantize_linear" (%1, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<-1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<-1xf32>
    (%17, %18, %19, %20) = "pd_op.dequantize_linear" (%13, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<-1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<-1xf32>
    (%21) = "pd_op.matmul" (%9, %17) {transpose_x:false,transpose_y:false} : (tensor<20x64xf32>, tensor<64x48xf32>) -> tensor<20x48xf32>
    (%22) = "pd_op.fetch" (%21) {col:0,name:"out"} : (tensor<20x48xf32>) -> tensor<20x48xf32>
}
// -----
// A scale for each of the summed rows.
// CHECK: pd_op.data
// CHECK-NOT: xi32
// CHECK: "pd_op.matmul" {{.*}} -> tensor<20x48xf32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[20,64]} : () -> tensor<20x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"t",place:Place(undefined:0),shape:[64]} : () -> tensor<64xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.75} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%5, %6, %7, %8) = "pd_op.quantize_linear" (%0, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%9, %10, %11, %12) = "pd_op.dequantize_linear" (%5, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%13, %14, %15, %16) = "pd_op.quantize_linear" (%1, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:0,round_type:0} : (tensor<64x48xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<64xf32>
    (%17, %18, %19, %20) = "pd_op.dequantize_linear" (%13, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:0,round_type:0} : (tensor<64x48xf32>, tensor<64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<64xf32>
    (%21) = "pd_op.matmul" (%9, %17) {transpose_x:false,transpose_y:false} : (tensor<20x64xf32>, tensor<64x48xf32>) -> tensor<20x48xf32>
    (%22) = "pd_op.fetch" (%21) {col:0,name:"out"} : (tensor<20x48xf32>) -> tensor<20x48xf32>
}
// -----
// Scales along no axis.
// CHECK: pd_op.data
// CHECK-NOT: xi32
// CHECK: "pd_op.matmul" {{.*}} -> tensor<20x48xf32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[20,64]} : () -> tensor<20x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[64,48]} : () -> tensor<64x48xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"t",place:Place(undefined:0),shape:[48]} : () -> tensor<48xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.75} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%5, %6, %7, %8) = "pd_op.quantize_linear" (%0, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%9, %10, %11, %12) = "pd_op.dequantize_linear" (%5, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20x64xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%13, %14, %15, %16) = "pd_op.quantize_linear" (%1, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%17, %18, %19, %20) = "pd_op.dequantize_linear" (%13, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<64x48xf32>, tensor<48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<64x48xf32>, tensor<1xf32>, tensor<1xf32>, tensor<48xf32>
    (%21) = "pd_op.matmul" (%9, %17) {transpose_x:false,transpose_y:false} : (tensor<20x64xf32>, tensor<64x48xf32>) -> tensor<20x48xf32>
    (%22) = "pd_op.fetch" (%21) {col:0,name:"out"} : (tensor<20x48xf32>) -> tensor<20x48xf32>
}
// -----
// One value is quantised, the other is not.
// CHECK: pd_op.data
// CHECK-NOT: xi32
// CHECK: "pd_op.matmul" {{.*}} -> tensor<20x48xf32>
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
    (%21) = "pd_op.matmul" (%0, %17) {transpose_x:false,transpose_y:false} : (tensor<20x64xf32>, tensor<64x48xf32>) -> tensor<20x48xf32>
    (%22) = "pd_op.fetch" (%21) {col:0,name:"out"} : (tensor<20x48xf32>) -> tensor<20x48xf32>
}
