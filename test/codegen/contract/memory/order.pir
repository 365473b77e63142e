// Weights that fit half of the L2 cache are read again for each tile of rows, or, where they come from memory in every run, the
// rows are read again for each panel if they stay in the L2 cache, or come from the last-level cache in passing. Where neither all
// weights nor all rows stay there, and rows come from memory, blocks of rows do.
// RUN: pir-opt %s --emit=loops --target=sapphirerapids --explain 2>&1 >/dev/null | FileCheck %s
// CHECK: order.pir:12:{{.*}}, rows innermost{{$}}
// CHECK: order.pir:16:{{.*}}, panels innermost{{$}}
// CHECK: order.pir:20:{{.*}}, rows innermost{{$}}
// CHECK: order.pir:24:{{.*}}, rows innermost in blocks of {{[0-9]+}} tiles
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[196,256]} : () -> tensor<196x256xf32>
  (%w) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<256x1024xf32>
  (%0) = "pd_op.matmul" (%x, %w) {transpose_x:false,transpose_y:false} : (tensor<196x256xf32>, tensor<256x1024xf32>) -> tensor<196x1024xf32>
  (%1) = "pd_op.fetch" (%0) {col:0,name:"out"} : (tensor<196x1024xf32>) -> tensor<196x1024xf32>
  (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[3136,256]} : () -> tensor<3136x256xf32>
  (%v) = "builtin.parameter" () {parameter_name:"v"} : () -> tensor<256x512xf32>
  (%2) = "pd_op.matmul" (%y, %v) {transpose_x:false,transpose_y:false} : (tensor<3136x256xf32>, tensor<256x512xf32>) -> tensor<3136x512xf32>
  (%3) = "pd_op.fetch" (%2) {col:0,name:"out"} : (tensor<3136x512xf32>) -> tensor<3136x512xf32>
  (%z) = "pd_op.data" () {dtype:float32,name:"z",place:Place(undefined:0),shape:[1024,1024]} : () -> tensor<1024x1024xf32>
  (%u) = "builtin.parameter" () {parameter_name:"u"} : () -> tensor<1024x1024xf32>
  (%4) = "pd_op.matmul" (%z, %u) {transpose_x:false,transpose_y:false} : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  (%5) = "pd_op.fetch" (%4) {col:0,name:"out"} : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  (%s) = "pd_op.data" () {dtype:float64,name:"s",place:Place(undefined:0),shape:[4096,1024]} : () -> tensor<4096x1024xf64>
  (%t) = "builtin.parameter" () {parameter_name:"t"} : () -> tensor<1024x1024xf64>
  (%6) = "pd_op.matmul" (%s, %t) {transpose_x:false,transpose_y:false} : (tensor<4096x1024xf64>, tensor<1024x1024xf64>) -> tensor<4096x1024xf64>
  (%7) = "pd_op.fetch" (%6) {col:0,name:"out"} : (tensor<4096x1024xf64>) -> tensor<4096x1024xf64>
}
