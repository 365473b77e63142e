// An operand that stands for one number has one element.
// RUN: pir-run %s --input=x=7x40xf32=random:1 --input=low=1xf32=0 --guard-pages=end
// RUN: pir-run %s --input=x=0x40xf32=0 --input=low=0xf32=0 --guard-pages=end
// RUN: not pir-run %s --input=x=7x40xf32=random:1 --input=low=0xf32=0 --guard-pages=end 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=7x40xf32=random:1 --input=low=2xf32=0 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=7x40xf32=random:1 --input=low=2xf32=0 --pipeline=kernels 2>&1 | FileCheck %s
// CHECK: error: pd_op.clip: operand 1 must have one element
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,40]} : () -> tensor<-1x40xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"low",place:Place(undefined:0),shape:[-1]} : () -> tensor<-1xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%3) = "pd_op.clip" (%0, %1, %2) {} : (tensor<-1x40xf32>, tensor<-1xf32>, tensor<1xf32>) -> tensor<-1x40xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out"} : (tensor<-1x40xf32>) -> tensor<-1x40xf32>
}
