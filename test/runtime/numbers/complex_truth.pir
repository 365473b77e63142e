// A complex number is true if one of its parts is: as cast, any and all see it. Constants in an attribute have both parts.
// RUN: rm -rf %t && mkdir %t && sed -n 's,^// MAKE ,,p' %s > %t/make.pir
// RUN: pir-run %t/make.pir --output=x=@%t/x.npy
// RUN: for p in kernels compile; do pir-run %s --pipeline=$p --input=x=@%t/x.npy --print; done | FileCheck %s
// CHECK:      cast: bool[3]
// CHECK-NEXT: [1, 0, 1]
// CHECK-NEXT: any: bool[]
// CHECK-NEXT: 1
// CHECK-NEXT: all: bool[]
// CHECK-NEXT: 0
// CHECK-NEXT: constant: float32[2]
// CHECK-NEXT: [-2, 4]
// CHECK-NEXT: cast: bool[3]
// CHECK-NEXT: [1, 0, 1]
// CHECK-NEXT: any: bool[]
// CHECK-NEXT: 1
// CHECK-NEXT: all: bool[]
// CHECK-NEXT: 0
// CHECK-NEXT: constant: float32[2]
// CHECK-NEXT: [-2, 4]
// MAKE {
// MAKE     (%r) = "pd_op.assign_value" () {dtype:float32,place:Place(undefined:0),shape:[3],values:[0,0,0]} : () -> tensor<3xf32>
// MAKE     (%i) = "pd_op.assign_value" () {dtype:float32,place:Place(undefined:0),shape:[3],values:[1,0,-2]} : () -> tensor<3xf32>
// MAKE     (%x) = "pd_op.complex" (%r, %i) {} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xc64>
// MAKE     (%0) = "pd_op.fetch" (%x) {col:0,name:"x",persistable:[true]} : (tensor<3xc64>) -> tensor<3xc64>
// MAKE }
{
    (%x) = "pd_op.data" () {dtype:complex64,name:"x",place:Place(undefined:0),shape:[3],stop_gradient:[true]} : () -> tensor<3xc64>
    (%c) = "pd_op.cast" (%x) {dtype:bool,stop_gradient:[true]} : (tensor<3xc64>) -> tensor<3xb>
    (%a) = "pd_op.any" (%x) {axis:[],keepdim:false,stop_gradient:[true]} : (tensor<3xc64>) -> tensor<b>
    (%b) = "pd_op.all" (%x) {axis:[],keepdim:false,stop_gradient:[true]} : (tensor<3xc64>) -> tensor<b>
    (%d) = "pd_op.fetch" (%c) {col:0,name:"cast",persistable:[true]} : (tensor<3xb>) -> tensor<3xb>
    (%e) = "pd_op.fetch" (%a) {col:1,name:"any",persistable:[true]} : (tensor<b>) -> tensor<b>
    (%f) = "pd_op.fetch" (%b) {col:2,name:"all",persistable:[true]} : (tensor<b>) -> tensor<b>
    (%g) = "pd_op.assign_value" () {dtype:complex64,place:Place(undefined:0),shape:[2],values:[real:1 imag:-2,real:3 imag:4],stop_gradient:[true]} : () -> tensor<2xc64>
    (%h) = "pd_op.imag" (%g) {stop_gradient:[true]} : (tensor<2xc64>) -> tensor<2xf32>
    (%i) = "pd_op.fetch" (%h) {col:3,name:"constant",persistable:[true]} : (tensor<2xf32>) -> tensor<2xf32>
}
