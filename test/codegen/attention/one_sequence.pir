// Attention of one sequence whose length only the run shows: its batch has the extent 1, so no index of it is left in the products.
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{in} = --input=q=1x19x2x16xf32=random:1 --input=k=1x37x2x16xf32=random:2 --input=v=1x37x2x16xf32=random:3
// RUN: pir-run %s --pipeline=kernels %{in} --output-dir=%t && pir-run %s %{in} --expect-dir=%t --threads=2
// RUN: pir-opt %s --pipeline=compile | FileCheck %s
// CHECK: kind:"attention"
{
    (%q) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[1,-1,2,16]} : () -> tensor<1x-1x2x16xf32>
    (%k) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[1,-1,2,16]} : () -> tensor<1x-1x2x16xf32>
    (%v) = "pd_op.data" () {dtype:float32,name:"v",place:Place(undefined:0),shape:[1,-1,2,16]} : () -> tensor<1x-1x2x16xf32>
    (%0) = "pd_op.transpose" (%q) {perm:[0,2,1,3]} : (tensor<1x-1x2x16xf32>) -> tensor<1x2x-1x16xf32>
    (%1) = "pd_op.transpose" (%k) {perm:[0,2,1,3]} : (tensor<1x-1x2x16xf32>) -> tensor<1x2x-1x16xf32>
    (%2) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:true} : (tensor<1x2x-1x16xf32>, tensor<1x2x-1x16xf32>) -> tensor<1x2x-1x-1xf32>
    (%3) = "pd_op.softmax" (%2) {axis:-1} : (tensor<1x2x-1x-1xf32>) -> tensor<1x2x-1x-1xf32>
    (%4) = "pd_op.transpose" (%v) {perm:[0,2,1,3]} : (tensor<1x-1x2x16xf32>) -> tensor<1x2x-1x16xf32>
    (%5) = "pd_op.matmul" (%3, %4) {transpose_x:false,transpose_y:false} : (tensor<1x2x-1x-1xf32>, tensor<1x2x-1x16xf32>) -> tensor<1x2x-1x16xf32>
    (%6) = "pd_op.transpose" (%5) {perm:[0,2,1,3]} : (tensor<1x2x-1x16xf32>) -> tensor<1x-1x2x16xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"y"} : (tensor<1x-1x2x16xf32>) -> tensor<1x-1x2x16xf32>
}
