// Sparse tensors: coordinates to rows and back, arithmetic where entries meet, and entries that stand twice.
// RUN: pir-run %s --print --pipeline=kernels | FileCheck %s
// RUN: pir-run %s --print --pipeline=compile | FileCheck %s
// RUN: sed 's/value:\[0,1,2,2,0,1,0,0\]/value:[0,1,2,3,0,1,0,0]/' %s > %t.pir && not pir-run %t.pir 2>&1 | FileCheck --check-prefix=BOUND %s
// RUN: sed 's/shape:\[3,2\],stop_gradient:\[false\]/shape:[2,2],stop_gradient:[false]/' %s > %t2.pir && not pir-run %t2.pir 2>&1 | FileCheck --check-prefix=SHAPE %s
// CHECK: sum: float32[3,2]
// CHECK-NEXT: {{\[\[}}2, 0],
// CHECK-NEXT: {{\[}}0, 8],
// CHECK-NEXT: {{\[}}50, 0]]
// CHECK-NEXT: places: int64[2,3]
// CHECK-NEXT: {{\[\[}}0, 1, 2],
// CHECK-NEXT: {{\[}}0, 1, 0]]
// CHECK-NEXT: products: float32[3]
// CHECK-NEXT: {{\[}}1, 4, 49]
// CHECK-NEXT: last: float32[3,2]
// CHECK-NEXT: {{\[\[}}1, 0],
// CHECK-NEXT: {{\[}}0, 2],
// CHECK-NEXT: {{\[}}4, 0]]
// BOUND: pd_op.coo_to_csr_sp: indices: 3 along axis 0 of extent 3
// SHAPE: "pd_op.multiply_coo_coo_sp" x and y: expects one shape and type, found others
{
    (%0) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,1,2,2,0,1,0,0]} : () -> tensor<8xi64>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,4]} : () -> tensor<2xi64>
    (%2) = "pd_op.reshape" (%0, %1) {} : (tensor<8xi64>, tensor<2xi64>) -> tensor<2x4xi64>
    (%3) = "pd_op.assign_value" () {dtype:float32,place:Place(cpu),shape:[4],values:[(Float)1,(Float)2,(Float)3,(Float)4]} : () -> tensor<4xf32>
    (%4) = "pd_op.sparse_coo_tensor_sp" (%3, %2) {shape:[3,2]} : (tensor<4xf32>, tensor<2x4xi64>) -> pd_op.sparsecootensor<3x2xf32>
    (%5) = "pd_op.coo_to_csr_sp" (%4) {} : (pd_op.sparsecootensor<3x2xf32>) -> pd_op.sparsecsrtensor<3x2xf32>
    (%6) = "pd_op.square_csr_sp" (%5) {} : (pd_op.sparsecsrtensor<3x2xf32>) -> pd_op.sparsecsrtensor<3x2xf32>
    (%7) = "pd_op.add_csr_csr_sp" (%6, %6) {} : (pd_op.sparsecsrtensor<3x2xf32>, pd_op.sparsecsrtensor<3x2xf32>) -> pd_op.sparsecsrtensor<3x2xf32>
    (%8) = "pd_op.csr_to_dense_sp" (%7) {} : (pd_op.sparsecsrtensor<3x2xf32>) -> tensor<3x2xf32>
    (%9) = "pd_op.fetch" (%8) {col:0,name:"sum"} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    (%10) = "pd_op.sparse_coo_tensor_sp" (%3, %2) {shape:[3,2],stop_gradient:[false]} : (tensor<4xf32>, tensor<2x4xi64>) -> pd_op.sparsecootensor<3x2xf32>
    (%11) = "pd_op.multiply_coo_coo_sp" (%4, %10) {} : (pd_op.sparsecootensor<3x2xf32>, pd_op.sparsecootensor<3x2xf32>) -> pd_op.sparsecootensor<3x2xf32>
    (%12) = "pd_op.indices_sp" (%11) {} : (pd_op.sparsecootensor<3x2xf32>) -> tensor<2x-1xi64>
    (%13) = "pd_op.fetch" (%12) {col:1,name:"places"} : (tensor<2x-1xi64>) -> tensor<2x-1xi64>
    (%14) = "pd_op.values_coo_sp" (%11) {} : (pd_op.sparsecootensor<3x2xf32>) -> tensor<-1xf32>
    (%15) = "pd_op.fetch" (%14) {col:2,name:"products"} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%16) = "pd_op.coo_to_dense_sp" (%4) {} : (pd_op.sparsecootensor<3x2xf32>) -> tensor<3x2xf32>
    (%17) = "pd_op.fetch" (%16) {col:3,name:"last"} : (tensor<3x2xf32>) -> tensor<3x2xf32>
}
