// What a concat reads is written where the joined tensor has it, and only what may be. %c grows to %d: they and their three
// parts are one buffer. So are %e and its parts, two of which %h joins. Copied are an input (%x), an output of the program
// (%o), what is joined twice (%k), and what somebody reads who needs it without gaps (%r, reshaped). A joined tensor
// that one op alone reads (%n) is not made: each member is a loop of its own, in which no element asks where it is from.
// The batch shows only in the run.
// RUN: pir-opt %s --pipeline=compile | FileCheck %s
// RUN: pir-opt %s --pipeline=compile --explain 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY
// RUN: pir-opt %s --emit=loops --target=x86-64-v3 | FileCheck %s --check-prefix=LOOPS
// RUN: mkdir -p %t && pir-run %s --pipeline=kernels --input=x=2x4x8x9xf32=random:1 --output-dir=%t
// RUN: pir-run %s --target=x86-64 --input=x=2x4x8x9xf32=random:1 --expect-dir=%t
// RUN: pir-run %s --threads=2 --input=x=2x4x8x9xf32=random:1 --expect-dir=%t
// CHECK: "cinn_op.group" (%0) {kind:"elements",places:[{{\[\],}}[1,0,16,[[D:[0-9]+]]]]}
// CHECK: pd_op.relu
// CHECK: "cinn_op.group" (%0) {kind:"elements",places:[{{\[\],}}[1,4,16,[[D]]]]}
// CHECK: pd_op.sigmoid
// CHECK: "cinn_op.group" ({{.*}}) {kind:"elements",places:[{{.*}}[1,0,16,[[D]]]]} -> tensor<-1x8x8x9xf32>
// CHECK: pd_op.concat
// CHECK: "cinn_op.group" ({{.*}}) {kind:"elements",places:[{{.*}}[1,8,16,[[D]]]]}
// CHECK: pd_op.tanh
// CHECK: "cinn_op.group" ({{.*}}) {kind:"elements",places:[{{.*}}[1,0,16,[[D]]]]} -> tensor<-1x16x8x9xf32>
// CHECK: pd_op.concat
// WHY: joins 2 tensors, 1 of them already in its place
// WHY-NEXT: (%j)
// WHY: joins 3 tensors, 0 of them already in its place
// WHY-NEXT: (%i)
// WHY: joins 3 tensors, 3 of them already in its place
// WHY-NEXT: (%e)
// WHY: joins 2 tensors, 2 of them already in its place
// WHY-NEXT: (%h)
// LOOPS: group {{g[0-9]+}}: builtin.combine, pd_op.full, pd_op.concat, pd_op.ceil
// LOOPS: stage0
// LOOPS-NOT: select
// LOOPS: stage1
// LOOPS-NOT: select
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4,8,9]} : () -> tensor<-1x4x8x9xf32>
    (%axis) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xi32>
    (%a) = "pd_op.relu" (%x) {} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%b) = "pd_op.sigmoid" (%x) {} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%lc) = "builtin.combine" (%a, %b) {} : (tensor<-1x4x8x9xf32>, tensor<-1x4x8x9xf32>) -> vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>]
    (%c) = "pd_op.concat" (%lc, %axis) {} : (vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>], tensor<1xi32>) -> tensor<-1x8x8x9xf32>
    (%s) = "pd_op.tanh" (%c) {} : (tensor<-1x8x8x9xf32>) -> tensor<-1x8x8x9xf32>
    (%ld) = "builtin.combine" (%c, %s) {} : (tensor<-1x8x8x9xf32>, tensor<-1x8x8x9xf32>) -> vec[tensor<-1x8x8x9xf32>,tensor<-1x8x8x9xf32>]
    (%d) = "pd_op.concat" (%ld, %axis) {} : (vec[tensor<-1x8x8x9xf32>,tensor<-1x8x8x9xf32>], tensor<1xi32>) -> tensor<-1x16x8x9xf32>
    (%d1) = "pd_op.square" (%d) {} : (tensor<-1x16x8x9xf32>) -> tensor<-1x16x8x9xf32>
    (%d2) = "pd_op.add" (%d1, %d) {} : (tensor<-1x16x8x9xf32>, tensor<-1x16x8x9xf32>) -> tensor<-1x16x8x9xf32>
    (%p) = "pd_op.exp" (%x) {} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%q) = "pd_op.cos" (%x) {} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%lh) = "builtin.combine" (%p, %q) {} : (tensor<-1x4x8x9xf32>, tensor<-1x4x8x9xf32>) -> vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>]
    (%h) = "pd_op.concat" (%lh, %axis) {} : (vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>], tensor<1xi32>) -> tensor<-1x8x8x9xf32>
    (%h1) = "pd_op.abs" (%h) {} : (tensor<-1x8x8x9xf32>) -> tensor<-1x8x8x9xf32>
    (%h2) = "pd_op.add" (%h1, %h) {} : (tensor<-1x8x8x9xf32>, tensor<-1x8x8x9xf32>) -> tensor<-1x8x8x9xf32>
    (%le) = "builtin.combine" (%p, %q, %h2) {} : (tensor<-1x4x8x9xf32>, tensor<-1x4x8x9xf32>, tensor<-1x8x8x9xf32>) -> vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>,tensor<-1x8x8x9xf32>]
    (%e) = "pd_op.concat" (%le, %axis) {} : (vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>,tensor<-1x8x8x9xf32>], tensor<1xi32>) -> tensor<-1x16x8x9xf32>
    (%e1) = "pd_op.abs" (%e) {} : (tensor<-1x16x8x9xf32>) -> tensor<-1x16x8x9xf32>
    (%e2) = "pd_op.add" (%e1, %e) {} : (tensor<-1x16x8x9xf32>, tensor<-1x16x8x9xf32>) -> tensor<-1x16x8x9xf32>
    (%o) = "pd_op.cosh" (%x) {} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%r) = "pd_op.sin" (%x) {} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%li) = "builtin.combine" (%x, %o, %r) {} : (tensor<-1x4x8x9xf32>, tensor<-1x4x8x9xf32>, tensor<-1x4x8x9xf32>) -> vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>]
    (%i) = "pd_op.concat" (%li, %axis) {} : (vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>], tensor<1xi32>) -> tensor<-1x12x8x9xf32>
    (%i1) = "pd_op.abs" (%i) {} : (tensor<-1x12x8x9xf32>) -> tensor<-1x12x8x9xf32>
    (%i2) = "pd_op.add" (%i1, %i) {} : (tensor<-1x12x8x9xf32>, tensor<-1x12x8x9xf32>) -> tensor<-1x12x8x9xf32>
    (%k) = "pd_op.sinh" (%x) {} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%lj) = "builtin.combine" (%k, %k) {} : (tensor<-1x4x8x9xf32>, tensor<-1x4x8x9xf32>) -> vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>]
    (%j) = "pd_op.concat" (%lj, %axis) {} : (vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>], tensor<1xi32>) -> tensor<-1x8x8x9xf32>
    (%j1) = "pd_op.abs" (%j) {} : (tensor<-1x8x8x9xf32>) -> tensor<-1x8x8x9xf32>
    (%j2) = "pd_op.add" (%j1, %j) {} : (tensor<-1x8x8x9xf32>, tensor<-1x8x8x9xf32>) -> tensor<-1x8x8x9xf32>
    (%ln) = "builtin.combine" (%e2, %d2) {} : (tensor<-1x16x8x9xf32>, tensor<-1x16x8x9xf32>) -> vec[tensor<-1x16x8x9xf32>,tensor<-1x16x8x9xf32>]
    (%n) = "pd_op.concat" (%ln, %axis) {} : (vec[tensor<-1x16x8x9xf32>,tensor<-1x16x8x9xf32>], tensor<1xi32>) -> tensor<-1x32x8x9xf32>
    (%n1) = "pd_op.ceil" (%n) {} : (tensor<-1x32x8x9xf32>) -> tensor<-1x32x8x9xf32>
    (%shape) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1,72]} : () -> tensor<2xi64>
    (%z) = "pd_op.reshape" (%r, %shape) {} : (tensor<-1x4x8x9xf32>, tensor<2xi64>) -> tensor<-1x72xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%f1) = "pd_op.fetch" (%d2) {col:1,name:"d2"} : (tensor<-1x16x8x9xf32>) -> tensor<-1x16x8x9xf32>
    (%f2) = "pd_op.fetch" (%i2) {col:2,name:"i2"} : (tensor<-1x12x8x9xf32>) -> tensor<-1x12x8x9xf32>
    (%f3) = "pd_op.fetch" (%j2) {col:3,name:"j2"} : (tensor<-1x8x8x9xf32>) -> tensor<-1x8x8x9xf32>
    (%f4) = "pd_op.fetch" (%n1) {col:4,name:"n1"} : (tensor<-1x32x8x9xf32>) -> tensor<-1x32x8x9xf32>
    (%f5) = "pd_op.fetch" (%z) {col:5,name:"z"} : (tensor<-1x72xf32>) -> tensor<-1x72xf32>
}
