// Weights of few bits are widened exactly, and the products are added in the order of the tile. With 1536 rows tiles and chunks are as with
// floats: the product has the bits of the product with the dequantised weights, where the scales are 1. With 1088 rows the chunks of 4 bits
// begin elsewhere, and the products differ by less than the error of sums in f32 (their terms add to at most 140,000).
// RUN: pir-run %s --input=one=1x1536xf32=random:1 --input=more=5x1536xf32=random:2 --print | FileCheck %s
// RUN: pir-run %s --input=one=1x1536xf32=random:1 --input=more=5x1536xf32=random:2 --print --target=x86-64-v3 | FileCheck %s
// RUN: pir-run %s --input=one=1x1536xf32=random:1 --input=more=5x1536xf32=random:2 --print --target=x86-64 | FileCheck %s
// RUN: sed 's/1536/1088/g;s/1535/1087/g;s/307000/217400/g' %s >%t.pir
// RUN: pir-run %t.pir --input=one=1x1088xf32=random:1 --input=more=5x1088xf32=random:2 --print | FileCheck %s --check-prefix=NEAR
// RUN: pir-run %t.pir --input=one=1x1088xf32=random:1 --input=more=5x1088xf32=random:2 --print --target=x86-64-v3 | FileCheck %s --check-prefix=NEAR
// RUN: pir-run %t.pir --input=one=1x1088xf32=random:1 --input=more=5x1088xf32=random:2 --print --target=x86-64 | FileCheck %s --check-prefix=NEAR
// CHECK:      {{^}}int4_one: float32[]{{$}}
// CHECK-NEXT: {{^0$}}
// CHECK-NEXT: {{^}}int4_more: float32[]{{$}}
// CHECK-NEXT: {{^0$}}
// CHECK-NEXT: {{^}}int8_one: float32[]{{$}}
// CHECK-NEXT: {{^0$}}
// CHECK-NEXT: {{^}}int8_more: float32[]{{$}}
// CHECK-NEXT: {{^0$}}
// NEAR:      {{^}}int4_one: float32[]{{$}}
// NEAR-NEXT: {{^(0|0\.000[0-9]+|[0-9.]+e-[0-9]+)$}}
// NEAR-NEXT: {{^}}int4_more: float32[]{{$}}
// NEAR-NEXT: {{^(0|0\.000[0-9]+|[0-9.]+e-[0-9]+)$}}
// NEAR-NEXT: {{^}}int8_one: float32[]{{$}}
// NEAR-NEXT: {{^(0|0\.00[0-9]+|[0-9.]+e-[0-9]+)$}}
// NEAR-NEXT: {{^}}int8_more: float32[]{{$}}
// NEAR-NEXT: {{^(0|0\.00[0-9]+|[0-9.]+e-[0-9]+)$}}
{
  (%one) = "pd_op.data" () {dtype:float32,name:"one",place:Place(undefined:0),shape:[1,1536]} : () -> tensor<1x1536xf32>
  (%more) = "pd_op.data" () {dtype:float32,name:"more",place:Place(undefined:0),shape:[5,1536]} : () -> tensor<5x1536xf32>
  (%from) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf32>
  (%to) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:307000} : () -> tensor<1xf32>
  (%by) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
  (%count) = "pd_op.arange" (%from, %to, %by) {dtype:float32} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<307000xf32>
  (%waves) = "pd_op.sin" (%count) {} : (tensor<307000xf32>) -> tensor<307000xf32>
  (%shape) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1535,200]} : () -> tensor<2xi64>
  (%rows) = "pd_op.reshape" (%waves, %shape) {} : (tensor<307000xf32>, tensor<2xi64>) -> tensor<1535x200xf32>
  (%axis) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
  (%all) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
  (%most4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:7} : () -> tensor<1xf32>
  (%large4) = "pd_op.scale" (%rows, %most4) {bias:0.0,bias_after_scale:true} : (tensor<1535x200xf32>, tensor<1xf32>) -> tensor<1535x200xf32>
  (%whole4) = "pd_op.round" (%large4) {decimals:0} : (tensor<1535x200xf32>) -> tensor<1535x200xf32>
  (%last4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,200],value:7} : () -> tensor<1x200xf32>
  (%list4) = "builtin.combine" (%whole4, %last4) {} : (tensor<1535x200xf32>, tensor<1x200xf32>) -> vec[tensor<1535x200xf32>,tensor<1x200xf32>]
  (%m4) = "pd_op.concat" (%list4, %axis) {} : (vec[tensor<1535x200xf32>,tensor<1x200xf32>], tensor<1xi32>) -> tensor<1536x200xf32>
  (%w4, %s4) = "pd_op.weight_quantize" (%m4) {algo:"weight_only_int4",arch:80,group_size:-1} : (tensor<1536x200xf32>) -> tensor<100x1536xi8>, tensor<200xf32>
  (%y4_one) = "pd_op.weight_only_linear" (%one, %w4, <<NULL VALUE>>, %s4) {arch:80,group_size:-1,weight_dtype:"int4"} : (tensor<1x1536xf32>, tensor<100x1536xi8>, <<NULL TYPE>>, tensor<200xf32>) -> tensor<1x200xf32>
  (%z4_one) = "pd_op.matmul" (%one, %m4) {transpose_x:false,transpose_y:false} : (tensor<1x1536xf32>, tensor<1536x200xf32>) -> tensor<1x200xf32>
  (%d4_one) = "pd_op.subtract" (%y4_one, %z4_one) {} : (tensor<1x200xf32>, tensor<1x200xf32>) -> tensor<1x200xf32>
  (%a4_one) = "pd_op.abs" (%d4_one) {} : (tensor<1x200xf32>) -> tensor<1x200xf32>
  (%t4_one) = "pd_op.max" (%a4_one, %all) {keepdim:false} : (tensor<1x200xf32>, tensor<0xi64>) -> tensor<f32>
  (%f4_one) = "pd_op.fetch" (%t4_one) {col:0,name:"int4_one"} : (tensor<f32>) -> tensor<f32>
  (%y4_more) = "pd_op.weight_only_linear" (%more, %w4, <<NULL VALUE>>, %s4) {arch:80,group_size:-1,weight_dtype:"int4"} : (tensor<5x1536xf32>, tensor<100x1536xi8>, <<NULL TYPE>>, tensor<200xf32>) -> tensor<5x200xf32>
  (%z4_more) = "pd_op.matmul" (%more, %m4) {transpose_x:false,transpose_y:false} : (tensor<5x1536xf32>, tensor<1536x200xf32>) -> tensor<5x200xf32>
  (%d4_more) = "pd_op.subtract" (%y4_more, %z4_more) {} : (tensor<5x200xf32>, tensor<5x200xf32>) -> tensor<5x200xf32>
  (%a4_more) = "pd_op.abs" (%d4_more) {} : (tensor<5x200xf32>) -> tensor<5x200xf32>
  (%t4_more) = "pd_op.max" (%a4_more, %all) {keepdim:false} : (tensor<5x200xf32>, tensor<0xi64>) -> tensor<f32>
  (%f4_more) = "pd_op.fetch" (%t4_more) {col:1,name:"int4_more"} : (tensor<f32>) -> tensor<f32>
  (%most8) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:127} : () -> tensor<1xf32>
  (%large8) = "pd_op.scale" (%rows, %most8) {bias:0.0,bias_after_scale:true} : (tensor<1535x200xf32>, tensor<1xf32>) -> tensor<1535x200xf32>
  (%whole8) = "pd_op.round" (%large8) {decimals:0} : (tensor<1535x200xf32>) -> tensor<1535x200xf32>
  (%last8) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,200],value:127} : () -> tensor<1x200xf32>
  (%list8) = "builtin.combine" (%whole8, %last8) {} : (tensor<1535x200xf32>, tensor<1x200xf32>) -> vec[tensor<1535x200xf32>,tensor<1x200xf32>]
  (%m8) = "pd_op.concat" (%list8, %axis) {} : (vec[tensor<1535x200xf32>,tensor<1x200xf32>], tensor<1xi32>) -> tensor<1536x200xf32>
  (%w8, %s8) = "pd_op.weight_quantize" (%m8) {algo:"weight_only_int8",arch:80,group_size:-1} : (tensor<1536x200xf32>) -> tensor<200x1536xi8>, tensor<200xf32>
  (%y8_one) = "pd_op.weight_only_linear" (%one, %w8, <<NULL VALUE>>, %s8) {arch:80,group_size:-1,weight_dtype:"int8"} : (tensor<1x1536xf32>, tensor<200x1536xi8>, <<NULL TYPE>>, tensor<200xf32>) -> tensor<1x200xf32>
  (%z8_one) = "pd_op.matmul" (%one, %m8) {transpose_x:false,transpose_y:false} : (tensor<1x1536xf32>, tensor<1536x200xf32>) -> tensor<1x200xf32>
  (%d8_one) = "pd_op.subtract" (%y8_one, %z8_one) {} : (tensor<1x200xf32>, tensor<1x200xf32>) -> tensor<1x200xf32>
  (%a8_one) = "pd_op.abs" (%d8_one) {} : (tensor<1x200xf32>) -> tensor<1x200xf32>
  (%t8_one) = "pd_op.max" (%a8_one, %all) {keepdim:false} : (tensor<1x200xf32>, tensor<0xi64>) -> tensor<f32>
  (%f8_one) = "pd_op.fetch" (%t8_one) {col:2,name:"int8_one"} : (tensor<f32>) -> tensor<f32>
  (%y8_more) = "pd_op.weight_only_linear" (%more, %w8, <<NULL VALUE>>, %s8) {arch:80,group_size:-1,weight_dtype:"int8"} : (tensor<5x1536xf32>, tensor<200x1536xi8>, <<NULL TYPE>>, tensor<200xf32>) -> tensor<5x200xf32>
  (%z8_more) = "pd_op.matmul" (%more, %m8) {transpose_x:false,transpose_y:false} : (tensor<5x1536xf32>, tensor<1536x200xf32>) -> tensor<5x200xf32>
  (%d8_more) = "pd_op.subtract" (%y8_more, %z8_more) {} : (tensor<5x200xf32>, tensor<5x200xf32>) -> tensor<5x200xf32>
  (%a8_more) = "pd_op.abs" (%d8_more) {} : (tensor<5x200xf32>) -> tensor<5x200xf32>
  (%t8_more) = "pd_op.max" (%a8_more, %all) {keepdim:false} : (tensor<5x200xf32>, tensor<0xi64>) -> tensor<f32>
  (%f8_more) = "pd_op.fetch" (%t8_more) {col:3,name:"int8_more"} : (tensor<f32>) -> tensor<f32>
}
