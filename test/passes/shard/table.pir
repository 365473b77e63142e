// A table whose indices are split stays whole.
// RUN: pir-opt %s --passes='shard{mesh=2,unpaired=always,rank=0}' -o %t.pir && FileCheck %s --input-file=%t.pir
// CHECK: parameter_name:"t"} : () -> tensor<64x8xf32>
// A table of integers is not cut by rows, which no operator reads.
// RUN: sed 's/tensor<64x8xf32>/tensor<64x8xi8>/g;s/tensor<2x64x8xf32>/tensor<2x64x8xi8>/g' %s > %t.i8.pir && pir-opt %t.i8.pir --passes='shard{mesh=2,unpaired=always,rank=0}' -o %t.i8.out.pir && FileCheck %s --check-prefix=I8 --input-file=%t.i8.out.pir
// I8: parameter_name:"t"} : () -> tensor<64x8xi8>
{
    (%0) = "builtin.parameter" () {parameter_name:"t"} : () -> tensor<64x8xf32>
    (%6) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<8x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,8]} : () -> tensor<2x8xf32>
    (%7) = "pd_op.matmul" (%1, %6) {transpose_x:false,transpose_y:false} : (tensor<2x8xf32>, tensor<8x64xf32>) -> tensor<2x64xf32>
    (%8) = "pd_op.cast" (%7) {dtype:int64} : (tensor<2x64xf32>) -> tensor<2x64xi64>
    (%2) = "pd_op.embedding" (%8, %0) {padding_idx:-1,sparse:false} : (tensor<2x64xi64>, tensor<64x8xf32>) -> tensor<2x64x8xf32>
    () = "builtin.shadow_output" (%2) {output_name:"y"} : (tensor<2x64x8xf32>) ->
}
