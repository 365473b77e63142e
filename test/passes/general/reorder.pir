// RUN: pir-opt %s --verify-each --passes=reorder | FileCheck %s
// RUN: pir-opt %s --passes=reorder,reorder --stats 2>&1 | FileCheck %s --check-prefix=TWICE
// The second time nothing moves.
// TWICE: reorder_pass: 3 ops moved
// TWICE: reorder_pass: 0 ops moved

// Operands come in front of their reader, in their order; what is overwritten, and its reader, stay.
// CHECK:      (%0) = "pd_op.data"
// CHECK-NEXT: (%1) = "pd_op.exp" (%0)
// CHECK-NEXT: (%2) = "pd_op.relu_" (%1)
// CHECK-NEXT: (%3) = "pd_op.sin" (%0)
// CHECK-NEXT: (%4) = "pd_op.cos" (%0)
// CHECK-NEXT: (%5) = "pd_op.subtract" (%3, %4)
// CHECK-NEXT: "pd_op.fetch" (%5)
// CHECK-NEXT: "pd_op.tanh"
// CHECK-NEXT: "pd_op.fetch"
// CHECK-NEXT: "pd_op.fetch" (%2)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[3]} : () -> tensor<3xf32>
    (%1) = "pd_op.tanh" (%0) {} : (tensor<3xf32>) -> tensor<3xf32>
    (%2) = "pd_op.cos" (%0) {} : (tensor<3xf32>) -> tensor<3xf32>
    (%3) = "pd_op.sin" (%0) {} : (tensor<3xf32>) -> tensor<3xf32>
    (%4) = "pd_op.exp" (%0) {} : (tensor<3xf32>) -> tensor<3xf32>
    (%5) = "pd_op.relu_" (%4) {} : (tensor<3xf32>) -> tensor<3xf32>
    (%6) = "pd_op.subtract" (%3, %2) {} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"a"} : (tensor<3xf32>) -> tensor<3xf32>
    (%8) = "pd_op.fetch" (%1) {col:1,name:"b"} : (tensor<3xf32>) -> tensor<3xf32>
    (%9) = "pd_op.fetch" (%5) {col:2,name:"c"} : (tensor<3xf32>) -> tensor<3xf32>
}
