// What a group makes and splits for groups is not copied: its parts are read where they lie (%a; %c, which is part of a joined
// tensor itself). Copied are parts of an input (%x), a part that leaves the program (%q1) or is reshaped (%r1), and what is
// split along a second axis (%a again). A part that is joined with others (%p1) is copied there.
// RUN: pir-opt %s --pipeline=compile --explain 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY
// RUN: pir-opt %s --pipeline=compile | FileCheck %s
// RUN: mkdir -p %t && pir-run %s --pipeline=kernels --input=x=2x8x8x9xf32=random:1 --output-dir=%t
// RUN: pir-run %s --target=x86-64 --input=x=2x8x8x9xf32=random:1 --expect-dir=%t
// RUN: pir-run %s --threads=2 --input=x=2x8x8x9xf32=random:1 --expect-dir=%t
// CHECK: {kind:"elements",places:{{.*}}[1,0,8,[[A:[0-9]+]]]]}
// CHECK: pd_op.relu
// CHECK: parts:[0,1,2]
// CHECK: {kind:"elements",places:{{\[\[}}1,0,8,[[A]]]
// CHECK: {kind:"elements",places:{{\[\[}}1,4,8,[[A]]]
// WHY-COUNT-2: is no copy: its parts are read where they lie
// WHY-NOT: is no copy
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,8,8,9]} : () -> tensor<-1x8x8x9xf32>
    (%axis) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xi32>
    (%axis2) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:2.0} : () -> tensor<1xi32>
    (%a) = "pd_op.relu" (%x) {} : (tensor<-1x8x8x9xf32>) -> tensor<-1x8x8x9xf32>
    (%sp) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,4]} : () -> tensor<2xi64>
    (%vp) = "pd_op.split" (%a, %sp, %axis) {} : (tensor<-1x8x8x9xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>]
    (%p0, %p1) = "builtin.split" (%vp) {} : (vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>]) -> tensor<-1x4x8x9xf32>, tensor<-1x4x8x9xf32>
    (%p2) = "pd_op.tanh" (%p0) {} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%p3) = "pd_op.exp" (%p1) {} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%st) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,4]} : () -> tensor<2xi64>
    (%vt) = "pd_op.split" (%a, %st, %axis2) {} : (tensor<-1x8x8x9xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<-1x8x4x9xf32>,tensor<-1x8x4x9xf32>]
    (%t0, %t1) = "builtin.split" (%vt) {} : (vec[tensor<-1x8x4x9xf32>,tensor<-1x8x4x9xf32>]) -> tensor<-1x8x4x9xf32>, tensor<-1x8x4x9xf32>
    (%t2) = "pd_op.sin" (%t0) {} : (tensor<-1x8x4x9xf32>) -> tensor<-1x8x4x9xf32>
    (%t3) = "pd_op.cos" (%t1) {} : (tensor<-1x8x4x9xf32>) -> tensor<-1x8x4x9xf32>
    (%c) = "pd_op.sigmoid" (%x) {} : (tensor<-1x8x8x9xf32>) -> tensor<-1x8x8x9xf32>
    (%sd) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,4]} : () -> tensor<2xi64>
    (%vd) = "pd_op.split" (%c, %sd, %axis) {} : (tensor<-1x8x8x9xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>]
    (%d0, %d1) = "builtin.split" (%vd) {} : (vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>]) -> tensor<-1x4x8x9xf32>, tensor<-1x4x8x9xf32>
    (%d2) = "pd_op.tanh" (%d0) {} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%d3) = "pd_op.exp" (%d1) {} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%lj) = "builtin.combine" (%p1, %c) {} : (tensor<-1x4x8x9xf32>, tensor<-1x8x8x9xf32>) -> vec[tensor<-1x4x8x9xf32>,tensor<-1x8x8x9xf32>]
    (%j) = "pd_op.concat" (%lj, %axis) {} : (vec[tensor<-1x4x8x9xf32>,tensor<-1x8x8x9xf32>], tensor<1xi32>) -> tensor<-1x12x8x9xf32>
    (%j2) = "pd_op.abs" (%j) {} : (tensor<-1x12x8x9xf32>) -> tensor<-1x12x8x9xf32>
    (%j3) = "pd_op.add" (%j2, %j) {} : (tensor<-1x12x8x9xf32>, tensor<-1x12x8x9xf32>) -> tensor<-1x12x8x9xf32>
    (%se) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,4]} : () -> tensor<2xi64>
    (%ve) = "pd_op.split" (%x, %se, %axis) {} : (tensor<-1x8x8x9xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>]
    (%e0, %e1) = "builtin.split" (%ve) {} : (vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>]) -> tensor<-1x4x8x9xf32>, tensor<-1x4x8x9xf32>
    (%e2) = "pd_op.tanh" (%e0) {} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%e3) = "pd_op.exp" (%e1) {} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%y) = "pd_op.ceil" (%x) {} : (tensor<-1x8x8x9xf32>) -> tensor<-1x8x8x9xf32>
    (%sq) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,4]} : () -> tensor<2xi64>
    (%vq) = "pd_op.split" (%y, %sq, %axis) {} : (tensor<-1x8x8x9xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>]
    (%q0, %q1) = "builtin.split" (%vq) {} : (vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>]) -> tensor<-1x4x8x9xf32>, tensor<-1x4x8x9xf32>
    (%q2) = "pd_op.tanh" (%q0) {} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%z) = "pd_op.floor" (%x) {} : (tensor<-1x8x8x9xf32>) -> tensor<-1x8x8x9xf32>
    (%sr) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,4]} : () -> tensor<2xi64>
    (%vr) = "pd_op.split" (%z, %sr, %axis) {} : (tensor<-1x8x8x9xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>]
    (%r0, %r1) = "builtin.split" (%vr) {} : (vec[tensor<-1x4x8x9xf32>,tensor<-1x4x8x9xf32>]) -> tensor<-1x4x8x9xf32>, tensor<-1x4x8x9xf32>
    (%r2) = "pd_op.tanh" (%r0) {} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%shape) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1,72]} : () -> tensor<2xi64>
    (%r3) = "pd_op.reshape" (%r1, %shape) {} : (tensor<-1x4x8x9xf32>, tensor<2xi64>) -> tensor<-1x72xf32>
    (%f0) = "pd_op.fetch" (%p2) {col:0,name:"p2"} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%f1) = "pd_op.fetch" (%p3) {col:1,name:"p3"} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%f2) = "pd_op.fetch" (%t2) {col:2,name:"t2"} : (tensor<-1x8x4x9xf32>) -> tensor<-1x8x4x9xf32>
    (%f3) = "pd_op.fetch" (%t3) {col:3,name:"t3"} : (tensor<-1x8x4x9xf32>) -> tensor<-1x8x4x9xf32>
    (%f4) = "pd_op.fetch" (%d2) {col:4,name:"d2"} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%f5) = "pd_op.fetch" (%d3) {col:5,name:"d3"} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%f6) = "pd_op.fetch" (%j3) {col:6,name:"j3"} : (tensor<-1x12x8x9xf32>) -> tensor<-1x12x8x9xf32>
    (%f7) = "pd_op.fetch" (%e2) {col:7,name:"e2"} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%f8) = "pd_op.fetch" (%e3) {col:8,name:"e3"} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%f9) = "pd_op.fetch" (%q1) {col:9,name:"q1"} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%f10) = "pd_op.fetch" (%q2) {col:10,name:"q2"} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%f11) = "pd_op.fetch" (%r2) {col:11,name:"r2"} : (tensor<-1x4x8x9xf32>) -> tensor<-1x4x8x9xf32>
    (%f12) = "pd_op.fetch" (%r3) {col:12,name:"r3"} : (tensor<-1x72xf32>) -> tensor<-1x72xf32>
}
