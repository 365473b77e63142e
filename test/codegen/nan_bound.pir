// A bound that is no number makes the result no number, in code as in kernels; a bound that is one costs one instruction.
// RUN: pir-run %s --input=x=4xf32=random:1 --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=x=4xf32=random:1 --pipeline='check,group{few=0},dce,bind' --print | FileCheck %s
// RUN: pir-run %s --input=x=4xf32=random:1 --pipeline='check,group{few=0},dce,bind' --target=x86-64 --print | FileCheck %s
// CHECK: out: float32[4]
// CHECK-NEXT: {{\[-?nan, -?nan, -?nan, -?nan\]}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4],stop_gradient:[true]} : () -> tensor<4xf32>
    (%1) = "pd_op.logit" (%0) {eps:nan,stop_gradient:[true]} : (tensor<4xf32>) -> tensor<4xf32>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"out",stop_gradient:[true]} : (tensor<4xf32>) -> tensor<4xf32>
}
