// An extent that only the run shows must fit the operand beside it, or the run is refused.
// RUN: pir-run %s --input=x=5x40xf32=random:1 --input=y=5x40xf32=random:2
// RUN: pir-run %s --input=x=1x40xf32=random:1 --input=y=5x40xf32=random:2
// RUN: not pir-run %s --input=x=3x40xf32=random:1 --input=y=5x40xf32=random:2 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=7x40xf32=random:1 --input=y=5x40xf32=random:2 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=0x40xf32=random:1 --input=y=5x40xf32=random:2 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=3x40xf32=random:1 --input=y=5x40xf32=random:2 --pipeline=kernels 2>&1 | FileCheck %s
// CHECK: error: {{.*}}pd_op.add: the shapes of the operands do not broadcast together
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,40]} : () -> tensor<-1x40xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[5,40]} : () -> tensor<5x40xf32>
    (%2) = "pd_op.add" (%0, %1) {} : (tensor<-1x40xf32>, tensor<5x40xf32>) -> tensor<-1x40xf32>
    (%3) = "pd_op.multiply" (%2, %0) {} : (tensor<-1x40xf32>, tensor<-1x40xf32>) -> tensor<-1x40xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out"} : (tensor<-1x40xf32>) -> tensor<-1x40xf32>
}
