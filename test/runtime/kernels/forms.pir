// Operands in forms that Paddle's functions give and its kernels take: the numbers of a matrix's diagonal as one row.
// RUN: pir-run %s --input=x=2x3xf32=0 --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=x=2x3xf32=0 --pipeline='check,group{few=0},dce,bind' --print | FileCheck %s
// CHECK: diagonal: float32[2,3]
// CHECK-NEXT: {{\[\[}}0, 5, 0],
// CHECK-NEXT: {{\[}}0, 0, 6]]
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%row) = "pd_op.assign_value" () {dtype:float32,place:Place(cpu),shape:[1,2],values:[5.0,6.0]} : () -> tensor<1x2xf32>
    (%d) = "pd_op.fill_diagonal_tensor" (%x, %row) {dim1:0,dim2:1,offset:1} : (tensor<2x3xf32>, tensor<1x2xf32>) -> tensor<2x3xf32>
    (%o0) = "pd_op.fetch" (%d) {col:0,name:"diagonal"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
