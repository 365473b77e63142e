// Matrices and vectors have a diagonal, tensors of more axes have none.
// RUN: not pir-run --input=x=2x3x4xf32 --pipeline=kernels %s 2>&1 | FileCheck %s
// CHECK: "pd_op.diag" expects rank(x) <= 2, found x [2,3,4]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.diag" (%0) {offset:0,padding_value:0} : (tensor<2x3x4xf32>) -> tensor<2xf32>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"out"} : (tensor<2xf32>) -> tensor<2xf32>
}
