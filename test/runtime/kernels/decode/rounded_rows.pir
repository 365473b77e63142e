// Rows of whole numbers up to 127 are not changed when they are rounded to 8 bits: --math=int8 then computes the exact products. Others lose a little.
// RUN: pir-run %s --input=1x1xf32=0 --math=int8 --print | FileCheck %s
// RUN: pir-run %s --input=1x1xf32=0 --math=int8 --print --target=x86-64 --threads=2 | FileCheck %s
// RUN: pir-run %s --input=1x1xf32=0 --math=int8 --print --target=x86-64-v3 | FileCheck %s
// RUN: pir-run %s --input=1x1xf32=0.25 --math=int8 --print | FileCheck --check-prefix=ROUNDED %s
// RUN: pir-opt %s --math=int8 --pipeline=compile-int8 --emit=loops --target=x86-64-v3 | FileCheck --check-prefix=WORDS %s
// RUN: pir-opt %s --math=int8 --pipeline=compile-int8 --emit=loops --target=znver4 | FileCheck --check-prefix=DOTS %s
// CHECK:      rows3: float32[]
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: rows20: float32[]
// CHECK-NEXT: {{^}}0{{$}}
// ROUNDED:      rows3: float32[]
// ROUNDED-NEXT: {{^[1-9][0-9]\.}}
// ROUNDED-NEXT: rows20: float32[]
// ROUNDED-NEXT: {{^[1-9][0-9]\.}}
// Few rows keep the bytes of weights, and pairs of a row are words before all tiles.
// WORDS: b{{[0-9]+}}[v{{[0-9]+}}] = i16x16({{b[0-9]+}}.i8x16(v{{[0-9]+}}))
// WORDS: bits:i32x8(i16x16(bits:i8x16(b{{[0-9]+}}.i16x8(v{{[0-9]+}}))))
// WORDS: bits:i32(b{{[0-9]+}}.i16x2(v{{[0-9]+}}))
// DOTS: = dot4(x16(v{{[0-9]+}}), v{{[0-9]+}}, b{{[0-9]+}}.i32x16(
{
  (%given) = "pd_op.data" () {dtype:float32,name:"given",place:Place(undefined:0),shape:[1,1]} : () -> tensor<1x1xf32>
  (%r0xa) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf32>
  (%r0xb) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:381} : () -> tensor<1xf32>
  (%r0xc) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
  (%r0xd) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:127} : () -> tensor<1xf32>
  (%r0xe) = "pd_op.arange" (%r0xa, %r0xb, %r0xc) {dtype:float32} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<381xf32>
  (%r0xf) = "pd_op.sin" (%r0xe) {} : (tensor<381xf32>) -> tensor<381xf32>
  (%r0xg) = "pd_op.scale" (%r0xf, %r0xd) {bias:0.0,bias_after_scale:true} : (tensor<381xf32>, tensor<1xf32>) -> tensor<381xf32>
  (%r0xh) = "pd_op.rint" (%r0xg) {} : (tensor<381xf32>) -> tensor<381xf32>
  (%r0xi) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,127]} : () -> tensor<2xi64>
  (%r0xj) = "pd_op.reshape" (%r0xh, %r0xi) {} : (tensor<381xf32>, tensor<2xi64>) -> tensor<3x127xf32>
  (%r0xk) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[3,1],value:127} : () -> tensor<3x1xf32>
  (%r0xl) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
  (%r0xm) = "builtin.combine" (%r0xk, %r0xj) {} : (tensor<3x1xf32>, tensor<3x127xf32>) -> vec[tensor<3x1xf32>,tensor<3x127xf32>]
  (%r0row) = "pd_op.concat" (%r0xm, %r0xl) {} : (vec[tensor<3x1xf32>,tensor<3x127xf32>], tensor<1xi32>) -> tensor<3x128xf32>
  (%r0) = "pd_op.add" (%r0row, %given) {} : (tensor<3x128xf32>, tensor<1x1xf32>) -> tensor<3x128xf32>
  (%r0wa) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf32>
  (%r0wb) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:9144} : () -> tensor<1xf32>
  (%r0wc) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
  (%r0wd) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:127} : () -> tensor<1xf32>
  (%r0we) = "pd_op.arange" (%r0wa, %r0wb, %r0wc) {dtype:float32} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<9144xf32>
  (%r0wf) = "pd_op.sin" (%r0we) {} : (tensor<9144xf32>) -> tensor<9144xf32>
  (%r0wg) = "pd_op.scale" (%r0wf, %r0wd) {bias:0.0,bias_after_scale:true} : (tensor<9144xf32>, tensor<1xf32>) -> tensor<9144xf32>
  (%r0wh) = "pd_op.rint" (%r0wg) {} : (tensor<9144xf32>) -> tensor<9144xf32>
  (%r0wi) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[127,72]} : () -> tensor<2xi64>
  (%r0wj) = "pd_op.reshape" (%r0wh, %r0wi) {} : (tensor<9144xf32>, tensor<2xi64>) -> tensor<127x72xf32>
  (%r0wk) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,72],value:127} : () -> tensor<1x72xf32>
  (%r0wl) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
  (%r0wm) = "builtin.combine" (%r0wk, %r0wj) {} : (tensor<1x72xf32>, tensor<127x72xf32>) -> vec[tensor<1x72xf32>,tensor<127x72xf32>]
  (%r0m) = "pd_op.concat" (%r0wm, %r0wl) {} : (vec[tensor<1x72xf32>,tensor<127x72xf32>], tensor<1xi32>) -> tensor<128x72xf32>
  (%r0q, %r0s) = "pd_op.weight_quantize" (%r0m) {algo:"weight_only_int8",arch:80,group_size:-1} : (tensor<128x72xf32>) -> tensor<72x128xi8>, tensor<72xf32>
  (%r0y) = "pd_op.weight_only_linear" (%r0, %r0q, <<NULL VALUE>>, %r0s) {arch:80,group_size:-1,weight_dtype:"int8"} : (tensor<3x128xf32>, tensor<72x128xi8>, <<NULL TYPE>>, tensor<72xf32>) -> tensor<3x72xf32>
  (%r0n) = "pd_op.matmul" (%r0, %r0m) {transpose_x:false,transpose_y:false} : (tensor<3x128xf32>, tensor<128x72xf32>) -> tensor<3x72xf32>
  (%r0o) = "pd_op.subtract" (%r0y, %r0n) {} : (tensor<3x72xf32>, tensor<3x72xf32>) -> tensor<3x72xf32>
  (%r0t) = "pd_op.abs" (%r0o) {} : (tensor<3x72xf32>) -> tensor<3x72xf32>
  (%r0u) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
  (%r0v) = "pd_op.max" (%r0t, %r0u) {keepdim:false} : (tensor<3x72xf32>, tensor<0xi64>) -> tensor<f32>
  (%r0z) = "pd_op.fetch" (%r0v) {col:0,name:"rows3"} : (tensor<f32>) -> tensor<f32>
  (%r1xa) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf32>
  (%r1xb) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2540} : () -> tensor<1xf32>
  (%r1xc) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
  (%r1xd) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:127} : () -> tensor<1xf32>
  (%r1xe) = "pd_op.arange" (%r1xa, %r1xb, %r1xc) {dtype:float32} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2540xf32>
  (%r1xf) = "pd_op.sin" (%r1xe) {} : (tensor<2540xf32>) -> tensor<2540xf32>
  (%r1xg) = "pd_op.scale" (%r1xf, %r1xd) {bias:0.0,bias_after_scale:true} : (tensor<2540xf32>, tensor<1xf32>) -> tensor<2540xf32>
  (%r1xh) = "pd_op.rint" (%r1xg) {} : (tensor<2540xf32>) -> tensor<2540xf32>
  (%r1xi) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[20,127]} : () -> tensor<2xi64>
  (%r1xj) = "pd_op.reshape" (%r1xh, %r1xi) {} : (tensor<2540xf32>, tensor<2xi64>) -> tensor<20x127xf32>
  (%r1xk) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[20,1],value:127} : () -> tensor<20x1xf32>
  (%r1xl) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
  (%r1xm) = "builtin.combine" (%r1xk, %r1xj) {} : (tensor<20x1xf32>, tensor<20x127xf32>) -> vec[tensor<20x1xf32>,tensor<20x127xf32>]
  (%r1row) = "pd_op.concat" (%r1xm, %r1xl) {} : (vec[tensor<20x1xf32>,tensor<20x127xf32>], tensor<1xi32>) -> tensor<20x128xf32>
  (%r1) = "pd_op.add" (%r1row, %given) {} : (tensor<20x128xf32>, tensor<1x1xf32>) -> tensor<20x128xf32>
  (%r1wa) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf32>
  (%r1wb) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:9144} : () -> tensor<1xf32>
  (%r1wc) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
  (%r1wd) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:127} : () -> tensor<1xf32>
  (%r1we) = "pd_op.arange" (%r1wa, %r1wb, %r1wc) {dtype:float32} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<9144xf32>
  (%r1wf) = "pd_op.sin" (%r1we) {} : (tensor<9144xf32>) -> tensor<9144xf32>
  (%r1wg) = "pd_op.scale" (%r1wf, %r1wd) {bias:0.0,bias_after_scale:true} : (tensor<9144xf32>, tensor<1xf32>) -> tensor<9144xf32>
  (%r1wh) = "pd_op.rint" (%r1wg) {} : (tensor<9144xf32>) -> tensor<9144xf32>
  (%r1wi) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[127,72]} : () -> tensor<2xi64>
  (%r1wj) = "pd_op.reshape" (%r1wh, %r1wi) {} : (tensor<9144xf32>, tensor<2xi64>) -> tensor<127x72xf32>
  (%r1wk) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,72],value:127} : () -> tensor<1x72xf32>
  (%r1wl) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
  (%r1wm) = "builtin.combine" (%r1wk, %r1wj) {} : (tensor<1x72xf32>, tensor<127x72xf32>) -> vec[tensor<1x72xf32>,tensor<127x72xf32>]
  (%r1m) = "pd_op.concat" (%r1wm, %r1wl) {} : (vec[tensor<1x72xf32>,tensor<127x72xf32>], tensor<1xi32>) -> tensor<128x72xf32>
  (%r1q, %r1s) = "pd_op.weight_quantize" (%r1m) {algo:"weight_only_int8",arch:80,group_size:-1} : (tensor<128x72xf32>) -> tensor<72x128xi8>, tensor<72xf32>
  (%r1y) = "pd_op.weight_only_linear" (%r1, %r1q, <<NULL VALUE>>, %r1s) {arch:80,group_size:-1,weight_dtype:"int8"} : (tensor<20x128xf32>, tensor<72x128xi8>, <<NULL TYPE>>, tensor<72xf32>) -> tensor<20x72xf32>
  (%r1n) = "pd_op.matmul" (%r1, %r1m) {transpose_x:false,transpose_y:false} : (tensor<20x128xf32>, tensor<128x72xf32>) -> tensor<20x72xf32>
  (%r1o) = "pd_op.subtract" (%r1y, %r1n) {} : (tensor<20x72xf32>, tensor<20x72xf32>) -> tensor<20x72xf32>
  (%r1t) = "pd_op.abs" (%r1o) {} : (tensor<20x72xf32>) -> tensor<20x72xf32>
  (%r1u) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
  (%r1v) = "pd_op.max" (%r1t, %r1u) {keepdim:false} : (tensor<20x72xf32>, tensor<0xi64>) -> tensor<f32>
  (%r1z) = "pd_op.fetch" (%r1v) {col:1,name:"rows20"} : (tensor<f32>) -> tensor<f32>
}
