// Arrays with places that hold nothing: copied, filled, added to others. Sums of arrays of doubles and integers, parts of a tensor,
// conditions that a loop hands out as numbers.
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{in} = --input=x=2x3xf32=random:1 --input=big=4x3xf32=random:2 --input=d=2xf64=random:3 --input=k=2xi32=random:4
// RUN: pir-run %s %{in} --pipeline=kernels --print --output-dir=%t | FileCheck %s
// RUN: pir-run %s %{in} --expect-dir=%t && pir-run %s %{in} --threads=2 --expect-dir=%t
// CHECK: l2: float32[2,3]
// CHECK: {{\[\[}}2.5, 2.5, 2.5],
// CHECK:  [2.5, 2.5, 2.5]]
// CHECK: c2: float32[2,3]
// CHECK: {{\[\[}}0.13312304, 0.49156344, 0.9420054],
// CHECK:  [-0.11128163, -0.1114707, 0.52578866]]
// CHECK: n: int64[1]
// CHECK: [3]
// CHECK: m: int64[1]
// CHECK: [3]
// CHECK: s0: float32[2,3]
// CHECK: {{\[\[}}0.13312304, 0.49156344, 0.9420054],
// CHECK:  [-0.11128163, -0.1114707, 0.52578866]]
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%big) = "pd_op.data" () {dtype:float32,name:"big",place:Place(undefined:0),shape:[4,3]} : () -> tensor<4x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%W) = "pd_op.array_write_" (%A, %x, %i2) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%d) = "pd_op.data" () {dtype:float64,name:"d",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf64>
    (%k) = "pd_op.data" () {dtype:int32,name:"k",place:Place(undefined:0),shape:[2]} : () -> tensor<2xi32>
    (%like) = "pd_op.create_array_like" (%W) {val:2.5} : (tensor_array<f32>) -> tensor_array<f32>
    (%copy) = "pd_op.assign_array" (%W) {} : (tensor_array<f32>) -> tensor_array<f32>
    (%l2) = "pd_op.array_read" (%like, %i2) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%c2) = "pd_op.array_read" (%copy, %i2) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%n) = "pd_op.array_length" (%like) {} : (tensor_array<f32>) -> tensor<1xi64>
    (%m) = "pd_op.array_length" (%copy) {} : (tensor_array<f32>) -> tensor<1xi64>
    (%C) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%D) = "pd_op.array_write_" (%C, %x, %i0) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%ls) = "builtin.combine" (%W, %D, %W) {} : (tensor_array<f32>, tensor_array<f32>, tensor_array<f32>) -> vec[tensor_array<f32>,tensor_array<f32>,tensor_array<f32>]
    (%S) = "pd_op.add_n_array" (%ls) {} : (vec[tensor_array<f32>,tensor_array<f32>,tensor_array<f32>]) -> tensor_array<f32>
    (%s0) = "pd_op.array_read" (%S, %i0) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%s2) = "pd_op.array_read" (%S, %i2) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%p) = "pd_op.array_length" (%S) {} : (tensor_array<f32>) -> tensor<1xi64>
    (%Nd) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%Md) = "pd_op.array_write_" (%Nd, %d, %i0) {} : (tensor_array<f32>, tensor<2xf64>, tensor<1xi64>) -> tensor_array<f32>
    (%ld) = "builtin.combine" (%Md, %Md) {} : (tensor_array<f32>, tensor_array<f32>) -> vec[tensor_array<f32>,tensor_array<f32>]
    (%Sd) = "pd_op.add_n_array" (%ld) {} : (vec[tensor_array<f32>,tensor_array<f32>]) -> tensor_array<f32>
    (%sd) = "pd_op.array_read" (%Sd, %i0) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2xf64>
    (%Nk) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%Mk) = "pd_op.array_write_" (%Nk, %k, %i0) {} : (tensor_array<f32>, tensor<2xi32>, tensor<1xi64>) -> tensor_array<f32>
    (%lk) = "builtin.combine" (%Mk, %Mk) {} : (tensor_array<f32>, tensor_array<f32>) -> vec[tensor_array<f32>,tensor_array<f32>]
    (%Sk) = "pd_op.add_n_array" (%lk) {} : (vec[tensor_array<f32>,tensor_array<f32>]) -> tensor_array<f32>
    (%sk) = "pd_op.array_read" (%Sk, %i0) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2xi32>
    (%W2) = "pd_op.array_write_" (%D, %x, %i1) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%pt) = "pd_op.tensor_to_array" (%W2, %big) {axis:0,use_stack:false} : (tensor_array<f32>, tensor<4x3xf32>) -> tensor_array<f32>
    (%p1) = "pd_op.array_read" (%pt, %i1) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%cf32) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xb>
    (%of32) = "pd_op.while" (cond=%cf32, inputs=%x) {
        ^%af32 {}
        (%zf32) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf32>
        (%ef32) = "pd_op.exp" (%af32) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%zf32, %ef32) {} : (tensor<1xf32>, tensor<2x3xf32>) ->
    }
    (%cf64) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xb>
    (%of64) = "pd_op.while" (cond=%cf64, inputs=%x) {
        ^%af64 {}
        (%zf64) = "pd_op.full" () {dtype:float64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf64>
        (%ef64) = "pd_op.exp" (%af64) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%zf64, %ef64) {} : (tensor<1xf64>, tensor<2x3xf32>) ->
    }
    (%ci64) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xb>
    (%oi64) = "pd_op.while" (cond=%ci64, inputs=%x) {
        ^%ai64 {}
        (%zi64) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
        (%ei64) = "pd_op.exp" (%ai64) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%zi64, %ei64) {} : (tensor<1xi64>, tensor<2x3xf32>) ->
    }
    (%f0) = "pd_op.fetch" (%l2) {col:0,name:"l2"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%f1) = "pd_op.fetch" (%c2) {col:1,name:"c2"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%f2) = "pd_op.fetch" (%n) {col:2,name:"n"} : (tensor<1xi64>) -> tensor<1xi64>
    (%f3) = "pd_op.fetch" (%m) {col:3,name:"m"} : (tensor<1xi64>) -> tensor<1xi64>
    (%f4) = "pd_op.fetch" (%s0) {col:4,name:"s0"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%f5) = "pd_op.fetch" (%s2) {col:5,name:"s2"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%f6) = "pd_op.fetch" (%p) {col:6,name:"p"} : (tensor<1xi64>) -> tensor<1xi64>
    (%f7) = "pd_op.fetch" (%sd) {col:7,name:"sd"} : (tensor<2xf64>) -> tensor<2xf64>
    (%f8) = "pd_op.fetch" (%sk) {col:8,name:"sk"} : (tensor<2xi32>) -> tensor<2xi32>
    (%f9) = "pd_op.fetch" (%p1) {col:9,name:"p1"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%f10) = "pd_op.fetch" (%of32) {col:10,name:"of32"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%f11) = "pd_op.fetch" (%of64) {col:11,name:"of64"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%f12) = "pd_op.fetch" (%oi64) {col:12,name:"oi64"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
