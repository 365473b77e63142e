// Rows of a table that it does not have.
// RUN: not pir-run %s --input=x=@%S/inputs/ids_11.npy 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=@%S/inputs/ids_big.npy 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=@%S/inputs/ids_neg.npy 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=@%S/inputs/ids_neg_big.npy 2>&1 | FileCheck %s
// CHECK: error: pd_op.embedding: index outside of the table
// RUN: pir-run %s --input=x=2x8xi64=0
{
    (%0) = "pd_op.data" () {dtype:int64,name:"x",place:Place(undefined:0),shape:[-1,8]} : () -> tensor<-1x8xi64>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[100,16],value:0.5} : () -> tensor<100x16xf32>
    (%2) = "pd_op.embedding" (%0, %1) {padding_idx:-1,sparse:false} : (tensor<-1x8xi64>, tensor<100x16xf32>) -> tensor<-1x8x16xf32>
    (%3) = "pd_op.relu" (%2) {} : (tensor<-1x8x16xf32>) -> tensor<-1x8x16xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"o"} : (tensor<-1x8x16xf32>) -> tensor<-1x8x16xf32>
}
