// Arrays: parts, one member, sums with another array, the members joined and stacked, a member taken out. The extents
// of the inputs give the place i (extent - 1), so that a run meets what cannot be done, too. The extents of the stacked
// members are stated without an axis, as programs translated from .pdmodel state them.
// DEFINE: %{x} = --input=x=2xf32=0 --input=y=2xf32=0
// RUN: pir-run %s %{x} --input=i=2xf32=0 --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s %{x} --input=i=2xf32=0 --print | FileCheck %s
// CHECK: read: float32[2]
// CHECK-NEXT: [2, 2]
// CHECK-NEXT: one: float32[2]
// CHECK-NEXT: [2, 2]
// CHECK-NEXT: part: int64[1]
// CHECK-NEXT: [2]
// CHECK-NEXT: sum: float32[2]
// CHECK-NEXT: [4, 4]
// CHECK-NEXT: joined: float32[6]
// CHECK-NEXT: [1, 1, 2, 2, 1, 1]
// CHECK-NEXT: extents: int32[3]
// CHECK-NEXT: [2, 2, 2]
// CHECK-NEXT: stacked: float32[2,3]
// CHECK: popped: float32[2]
// CHECK-NEXT: [1, 1]
// CHECK-NEXT: rest: int64[1]
// CHECK-NEXT: [2]
// RUN: not pir-run %s %{x} --input=i=8xf32=0 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: error: "pd_op.array_read": the array has nothing at 7
// RUN: not pir-run %s %{x} --input=i=0xf32=0 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: error: "pd_op.array_read": the index must be one integer, and not negative
// RUN: not pir-run %s --input=x=2xf32=0 --input=y=3xf32=0 --input=i=2xf32=0 2>&1 | FileCheck %s --check-prefix=SHAPES
// SHAPES: error: "pd_op.array_to_tensor": the tensors of the array cannot be joined along axis 1
// RUN: sed 's/index:-3/index:-4/' %s >%t.pir && not pir-run %t.pir %{x} --input=i=2xf32=0 2>&1 | FileCheck %s --check-prefix=POP
// POP: error: "pd_op.array_pop": the array has nothing at -4
// RUN: sed 's/axis:-1/axis:2/' %s >%t.pir && not pir-run %t.pir %{x} --input=i=2xf32=0 2>&1 | FileCheck %s --check-prefix=AXIS
// AXIS: error: "pd_op.array_to_tensor": the tensors of the array cannot be joined along axis 2
{
    (%dx) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1]} : () -> tensor<-1xf32>
    (%dy) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1]} : () -> tensor<-1xf32>
    (%di) = "pd_op.data" () {dtype:float32,name:"i",place:Place(undefined:0),shape:[-1]} : () -> tensor<-1xf32>
    (%u) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xf32>
    (%x) = "pd_op.scale" (%dx, %u) {bias:1.0,bias_after_scale:true} : (tensor<-1xf32>, tensor<1xf32>) -> tensor<-1xf32>
    (%y) = "pd_op.scale" (%dy, %u) {bias:2.0,bias_after_scale:true} : (tensor<-1xf32>, tensor<1xf32>) -> tensor<-1xf32>
    (%n0) = "pd_op.shape64" (%di) {} : (tensor<-1xf32>) -> tensor<1xi64>
    (%i) = "pd_op.scale" (%n0, %u) {bias:-1.0,bias_after_scale:true} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
    (%0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%a) = "pd_op.create_array" () {dtype:float32} : () -> pd_op.tensor_array<f32>
    (%b) = "pd_op.array_write_" (%a, %x, %0) {} : (pd_op.tensor_array<f32>, tensor<-1xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%c) = "pd_op.array_write_" (%b, %y, %1) {} : (pd_op.tensor_array<f32>, tensor<-1xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%d) = "pd_op.array_write_" (%c, %x, %2) {} : (pd_op.tensor_array<f32>, tensor<-1xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%r) = "pd_op.array_read" (%d, %i) {} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
    (%o) = "pd_op.slice_array_dense" (%d, %i) {} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
    (%7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[7]} : () -> tensor<1xi64>
    (%p) = "pd_op.slice_array" (%d, %i, %7) {} : (pd_op.tensor_array<f32>, tensor<1xi64>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%n) = "pd_op.array_length" (%p) {} : (pd_op.tensor_array<f32>) -> tensor<1xi64>
    (%l) = "builtin.combine" (%d, %d) {} : (pd_op.tensor_array<f32>, pd_op.tensor_array<f32>) -> vec[pd_op.tensor_array<f32>,pd_op.tensor_array<f32>]
    (%s) = "pd_op.add_n_array" (%l) {} : (vec[pd_op.tensor_array<f32>,pd_op.tensor_array<f32>]) -> pd_op.tensor_array<f32>
    (%sum) = "pd_op.array_read" (%s, %1) {} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
    (%j, %e) = "pd_op.array_to_tensor" (%d) {axis:-1,use_stack:false} : (pd_op.tensor_array<f32>) -> tensor<-1xf32>, tensor<-1xi32>
    (%k, %f) = "pd_op.array_to_tensor" (%d) {axis:1,use_stack:true} : (pd_op.tensor_array<f32>) -> tensor<-1x-1xf32>, tensor<i32>
    (%q, %pop) = "pd_op.array_pop" (%d) {index:-3} : (pd_op.tensor_array<f32>) -> pd_op.tensor_array<f32>, tensor<-1xf32>
    (%m) = "pd_op.array_length" (%q) {} : (pd_op.tensor_array<f32>) -> tensor<1xi64>
    (%f0) = "pd_op.fetch" (%r) {col:0,name:"read"} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%f1) = "pd_op.fetch" (%o) {col:1,name:"one"} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%f2) = "pd_op.fetch" (%n) {col:2,name:"part"} : (tensor<1xi64>) -> tensor<1xi64>
    (%f3) = "pd_op.fetch" (%sum) {col:3,name:"sum"} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%f4) = "pd_op.fetch" (%j) {col:4,name:"joined"} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%f5) = "pd_op.fetch" (%e) {col:5,name:"extents"} : (tensor<-1xi32>) -> tensor<-1xi32>
    (%f6) = "pd_op.fetch" (%k) {col:6,name:"stacked"} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%f7) = "pd_op.fetch" (%pop) {col:7,name:"popped"} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%f8) = "pd_op.fetch" (%m) {col:8,name:"rest"} : (tensor<1xi64>) -> tensor<1xi64>
}
