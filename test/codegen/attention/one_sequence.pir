// Attention of one sequence whose length only the run shows: its batch has the extent 1, so no index of it is left in the products. Then
// values of width 1.
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{in} = --input=q=1x19x2x16xf32=random:1 --input=k=1x37x2x16xf32=random:2 --input=v=1x37x2x16xf32=random:3 --input=one=1x19x2x1xf32=random:4
// RUN: pir-run %s --pipeline=kernels %{in} --output-dir=%t && pir-run %s %{in} --expect-dir=%t --threads=2
// RUN: pir-opt %s --pipeline=compile | FileCheck %s
// CHECK-COUNT-2: kind:"attention"
{
    (%q) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[1,-1,2,16]} : () -> tensor<1x-1x2x16xf32>
    (%k) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[1,-1,2,16]} : () -> tensor<1x-1x2x16xf32>
    (%v) = "pd_op.data" () {dtype:float32,name:"v",place:Place(undefined:0),shape:[1,-1,2,16]} : () -> tensor<1x-1x2x16xf32>
    (%two) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
    (%one) = "pd_op.data" () {dtype:float32,name:"one",place:Place(undefined:0),shape:[1,-1,2,1]} : () -> tensor<1x-1x2x1xf32>
    (%0) = "pd_op.transpose" (%q) {perm:[0,2,1,3]} : (tensor<1x-1x2x16xf32>) -> tensor<1x2x-1x16xf32>
    (%1) = "pd_op.transpose" (%k) {perm:[0,2,1,3]} : (tensor<1x-1x2x16xf32>) -> tensor<1x2x-1x16xf32>
    (%2) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:true} : (tensor<1x2x-1x16xf32>, tensor<1x2x-1x16xf32>) -> tensor<1x2x-1x-1xf32>
    (%3) = "pd_op.softmax" (%2) {axis:-1} : (tensor<1x2x-1x-1xf32>) -> tensor<1x2x-1x-1xf32>
    (%4) = "pd_op.transpose" (%v) {perm:[0,2,1,3]} : (tensor<1x-1x2x16xf32>) -> tensor<1x2x-1x16xf32>
    (%5) = "pd_op.matmul" (%3, %4) {transpose_x:false,transpose_y:false} : (tensor<1x2x-1x-1xf32>, tensor<1x2x-1x16xf32>) -> tensor<1x2x-1x16xf32>
    (%6) = "pd_op.transpose" (%5) {perm:[0,2,1,3]} : (tensor<1x2x-1x16xf32>) -> tensor<1x-1x2x16xf32>
    (%8) = "pd_op.matmul" (%1, %0) {transpose_x:false,transpose_y:true} : (tensor<1x2x-1x16xf32>, tensor<1x2x-1x16xf32>) -> tensor<1x2x-1x-1xf32>
    (%9) = "pd_op.scale" (%8, %two) {bias:0.0,bias_after_scale:true} : (tensor<1x2x-1x-1xf32>, tensor<1xf32>) -> tensor<1x2x-1x-1xf32>
    (%10) = "pd_op.softmax" (%9) {axis:-1} : (tensor<1x2x-1x-1xf32>) -> tensor<1x2x-1x-1xf32>
    (%11) = "pd_op.transpose" (%one) {perm:[0,2,1,3]} : (tensor<1x-1x2x1xf32>) -> tensor<1x2x-1x1xf32>
    (%12) = "pd_op.matmul" (%10, %11) {transpose_x:false,transpose_y:false} : (tensor<1x2x-1x-1xf32>, tensor<1x2x-1x1xf32>) -> tensor<1x2x-1x1xf32>
    (%13) = "pd_op.fetch" (%12) {col:1,name:"z"} : (tensor<1x2x-1x1xf32>) -> tensor<1x2x-1x1xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"y"} : (tensor<1x-1x2x16xf32>) -> tensor<1x-1x2x16xf32>
}
