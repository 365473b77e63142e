// Margins that mirror more than there is.
// RUN: pir-run %s --input=x=1x2x5x5x30xf32=random:1 --guard-pages=end
// RUN: pir-run %s --input=x=1x2x3x3x3xf32=random:1 --guard-pages=begin
// RUN: not pir-run %s --input=x=1x2x5x5x2xf32=random:1 --guard-pages=end 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=1x2x1x5x9xf32=random:1 --guard-pages=begin 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=1x2x5x5x2xf32=random:1 --pipeline=kernels 2>&1 | FileCheck %s
// CHECK: error: pd_op.pad3d: index out of range of operand 0
// RUN: pir-opt %s --pipeline=compile --emit=loops | FileCheck %s --check-prefix=LOOPS
// LOOPS: trap 1 where
// RUN: sed 's/-1,-1,-1,-1,-1/1,2,5,5,30/;s/-1x-1x-1x-1x-1/1x2x5x5x30/' %s | pir-opt - --pipeline=compile --emit=loops | FileCheck %s --check-prefix=KNOWN --implicit-check-not=trap
// KNOWN: pd_op.pad3d
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1,-1,-1,-1]} : () -> tensor<-1x-1x-1x-1x-1xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,2,1,1,2,0]} : () -> tensor<6xi64>
    (%2) = "pd_op.pad3d" (%0, %1) {data_format:"NCDHW",mode:"reflect",pad_value:0} : (tensor<-1x-1x-1x-1x-1xf32>, tensor<6xi64>) -> tensor<-1x-1x-1x-1x-1xf32>
    (%3) = "pd_op.exp" (%2) {} : (tensor<-1x-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1x-1xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out"} : (tensor<-1x-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1x-1xf32>
}
