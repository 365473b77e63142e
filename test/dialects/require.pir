// What an operator requires of shapes, attributes and element types is checked before it runs.
// RUN: not pir-run --input=x=2x3x4xf32 --input=s=3xf32 --input=b=4xf32 --pipeline=kernels %s 2>&1 | FileCheck %s
// CHECK: "pd_op.affine_channel" expects dim(bias, 0) == dim(scale, 0), found scale [3], bias [4]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"s",place:Place(undefined:0),shape:[3]} : () -> tensor<3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%3) = "pd_op.affine_channel" (%0, %1, %2) {data_layout:"NCHW"} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out"} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
}
