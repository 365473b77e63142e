// RUN: pir-opt %s --split-input-file --verify-each --passes=delete_quant_dequant_linear_op | FileCheck %s
// RUN: pir-opt %s --split-input-file --verify-each --passes=delete_weight_dequant_linear_op | FileCheck %s --check-prefix=WEIGHT

// To integers and straight back: gone, with the parameters of it. Weights of integers are what the product reads.
// CHECK:      (%0) = "builtin.parameter" () {parameter_name:"w"}
// CHECK-NEXT: (%1) = "builtin.parameter" () {parameter_name:"t"}
// CHECK-NEXT: (%2) = "pd_op.data"
// CHECK-NEXT: (%3, {{.*}} = "pd_op.dequantize_linear" (%0, %1, %1,
// CHECK-NEXT: "pd_op.matmul" (%2, %3)
// WEIGHT:      "pd_op.quantize_linear"
// WEIGHT-NEXT: "pd_op.dequantize_linear"
// WEIGHT-NEXT: "pd_op.matmul" (%{{[0-9]+}}, %0)
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<3x4xi8>
    (%1) = "builtin.parameter" () {parameter_name:"s"} : () -> tensor<1xf32>
    (%2) = "builtin.parameter" () {parameter_name:"t"} : () -> tensor<4xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%4, %5, %6, %7) = "pd_op.quantize_linear" (%3, %1, %1, <<NULL VALUE>>, <<NULL VALUE>>) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x3xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>
    (%8, %9, %10, %11) = "pd_op.dequantize_linear" (%4, %1, %1, <<NULL VALUE>>, <<NULL VALUE>>) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x3xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>
    (%12, %13, %14, %15) = "pd_op.dequantize_linear" (%0, %2, %2, <<NULL VALUE>>, <<NULL VALUE>>) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<3x4xi8>, tensor<4xf32>, tensor<4xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<3x4xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>
    (%16) = "pd_op.matmul" (%8, %12) {transpose_x:false,transpose_y:false} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    (%17) = "pd_op.fetch" (%16) {col:0,name:"y"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
}

// -----
// Not: back by another scale; integers that are an input.
// CHECK:      "pd_op.quantize_linear"
// CHECK-NEXT: "pd_op.dequantize_linear"
// CHECK-NEXT: "pd_op.dequantize_linear"
// WEIGHT:      "pd_op.quantize_linear"
// WEIGHT-NEXT: "pd_op.dequantize_linear"
// WEIGHT-NEXT: "pd_op.dequantize_linear"
{
    (%0) = "builtin.parameter" () {parameter_name:"s"} : () -> tensor<1xf32>
    (%1) = "builtin.parameter" () {parameter_name:"t"} : () -> tensor<1xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%3, %4, %5, %6) = "pd_op.quantize_linear" (%2, %0, %0, <<NULL VALUE>>, <<NULL VALUE>>) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x3xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>
    (%7, %8, %9, %10) = "pd_op.dequantize_linear" (%3, %1, %0, <<NULL VALUE>>, <<NULL VALUE>>) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x3xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>
    (%11, %12, %13, %14) = "pd_op.dequantize_linear" (%2, %1, %0, <<NULL VALUE>>, <<NULL VALUE>>) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x3xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>
    (%15) = "pd_op.fetch" (%7) {col:0,name:"y"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%16) = "pd_op.fetch" (%11) {col:1,name:"z"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
