// The gradient of a matrix that all rows of x are multiplied by is one product over all of them, not a sum of products.
// RUN: pir-opt %s --passes=expand | FileCheck %s
// CHECK-COUNT-2: "pd_op.flatten"
// CHECK:     "pd_op.matmul"{{.*}}transpose_x:true{{.*}} (tensor<60x7xf32>, tensor<60x9xf32>) -> tensor<7x9xf32>
// CHECK-COUNT-2: "pd_op.flatten"
// CHECK:     "pd_op.matmul"{{.*}}transpose_x:true{{.*}} (tensor<60x9xf32>, tensor<60x7xf32>) -> tensor<9x7xf32>
// CHECK-NOT: "pd_op.sum"
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[4,5,3,7]} : () -> tensor<4x5x3x7xf32>
    (%w) = "pd_op.data" () {dtype:float32,name:"w",place:Place(cpu),shape:[7,9]} : () -> tensor<7x9xf32>
    (%v) = "pd_op.data" () {dtype:float32,name:"v",place:Place(cpu),shape:[9,7]} : () -> tensor<9x7xf32>
    (%g) = "pd_op.data" () {dtype:float32,name:"g",place:Place(cpu),shape:[4,5,3,9]} : () -> tensor<4x5x3x9xf32>
    (%a, %b) = "pd_op.matmul_grad" (%x, %w, %g) {transpose_x:false,transpose_y:false} : (tensor<4x5x3x7xf32>, tensor<7x9xf32>, tensor<4x5x3x9xf32>) -> tensor<4x5x3x7xf32>, tensor<7x9xf32>
    (%c, %d) = "pd_op.matmul_grad" (%x, %v, %g) {transpose_x:false,transpose_y:true} : (tensor<4x5x3x7xf32>, tensor<9x7xf32>, tensor<4x5x3x9xf32>) -> tensor<4x5x3x7xf32>, tensor<9x7xf32>
    (%1) = "pd_op.fetch" (%a) {col:0,name:"a"} : (tensor<4x5x3x7xf32>) -> tensor<4x5x3x7xf32>
    (%2) = "pd_op.fetch" (%b) {col:1,name:"b"} : (tensor<7x9xf32>) -> tensor<7x9xf32>
    (%3) = "pd_op.fetch" (%c) {col:2,name:"c"} : (tensor<4x5x3x7xf32>) -> tensor<4x5x3x7xf32>
    (%4) = "pd_op.fetch" (%d) {col:3,name:"d"} : (tensor<9x7xf32>) -> tensor<9x7xf32>
}
