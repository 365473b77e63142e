// An index outside of what it indexes is refused, by compiled code as by kernels.
// RUN: not pir-run %s --input=x=10x64xf32=0 --input=index=@%S/inputs/idx_max.npy 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=10x64xf32=0 --input=index=@%S/inputs/idx_neg.npy 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=10x64xf32=0 --input=index=@%S/inputs/idx_oob.npy 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=10x64xf32=0 --input=index=@%S/inputs/idx_oob2.npy 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=0x64xf32=0 --input=index=3xi64=0 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=10x64xf32=0 --input=index=@%S/inputs/idx_max.npy --pipeline=kernels 2>&1 | FileCheck %s
// CHECK: error: pd_op.gather: index out of range of operand 0
// RUN: rm -rf %t && pir-run %s --input=x=13x64xf32=0 --input=index=@%S/inputs/idx_neg.npy --cache=%t
// RUN: not pir-run %s --input=x=10x64xf32=0 --input=index=@%S/inputs/idx_max.npy --cache=%t 2>&1 | FileCheck %s
// RUN: pir-run %s --input=x=13x64xf32=0 --input=index=@%S/inputs/idx_neg.npy
// RUN: pir-run %s --input=x=0x64xf32=0 --input=index=0xi64=0
// RUN: pir-opt %s --pipeline=compile --emit=loops | FileCheck %s --check-prefix=LOOPS
// LOOPS: trap 1 where not(
// RUN: pir-opt %s --pipeline=compile-cuda --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA: if ((!{{.*}})) pir_trap(report, launch, 1);
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,64],stop_gradient:[true]} : () -> tensor<-1x64xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"index",place:Place(undefined:0),shape:[-1],stop_gradient:[true]} : () -> tensor<-1xi64>
    (%2) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi32>
    (%3) = "pd_op.gather" (%0, %1, %2) {stop_gradient:[true]} : (tensor<-1x64xf32>, tensor<-1xi64>, tensor<1xi32>) -> tensor<-1x64xf32>
    (%4) = "pd_op.relu" (%3) {stop_gradient:[true]} : (tensor<-1x64xf32>) -> tensor<-1x64xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"o",stop_gradient:[true]} : (tensor<-1x64xf32>) -> tensor<-1x64xf32>
}
