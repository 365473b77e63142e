// A second input of unknown first extent could be no batch, so it is refused beside an open batch. An axis of one rank
// splits nothing, and needs no batch.
// RUN: not pir-opt %s --passes='shard{mesh=2x2,parts=true,rank=0}' -o %t 2>&1 | FileCheck %s
// CHECK: inputs.pir:[[#]]:5: error: unsupported: a second input of unknown first extent beside the batch
// RUN: pir-opt %s --passes='shard{mesh=1x2,rank=0}' -o %t.pir && FileCheck %s --check-prefix=ONE --input-file=%t.pir
// ONE: whole_shape:[8,64]
{
    (%0) = "builtin.parameter" () {parameter_name:"t"} : () -> tensor<64x8xf32>
    (%6) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<8x64xf32>
    (%5) = "builtin.parameter" () {parameter_name:"v"} : () -> tensor<64x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1,8]} : () -> tensor<-1x-1x8xf32>
    (%7) = "pd_op.matmul" (%1, %6) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x8xf32>, tensor<8x64xf32>) -> tensor<-1x-1x64xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"pos",place:Place(undefined:0),shape:[-1,64]} : () -> tensor<-1x64xf32>
    (%8) = "pd_op.add" (%7, %2) {} : (tensor<-1x-1x64xf32>, tensor<-1x64xf32>) -> tensor<-1x-1x64xf32>
    (%9) = "pd_op.matmul" (%8, %5) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x64xf32>, tensor<64x8xf32>) -> tensor<-1x-1x8xf32>
    () = "builtin.shadow_output" (%9) {output_name:"y"} : (tensor<-1x-1x8xf32>) ->
}
