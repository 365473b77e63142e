// Names of targets, and pipelines on a device: `compile` is the pipeline that compiles models for the target, and any other
// one makes groups that the device can compute.
// RUN: pir-opt %s --target=cuda --pipeline=compile --emit=cuda | FileCheck %s
// RUN: pir-opt %s --target=sm_90a --emit=cuda | FileCheck %s
// RUN: pir-opt %s --target=sm_100 --pipeline=compile-bf16 --emit=cuda | FileCheck %s --check-prefix=BF16
// RUN: pir-opt %s --target=cuda "--passes=ungrouped,group,dce,bind" --emit=cuda | FileCheck %s
// RUN: pir-opt %s --emit=cuda | FileCheck %s
// RUN: pir-opt --target=cuda --pipeline=compile --dump-pipeline | FileCheck %s --check-prefix=NAMED
// RUN: pir-opt --pipeline=compile --dump-pipeline | FileCheck %s --check-prefix=NATIVE
// RUN: pir-opt --target=sm_90a --pipeline=compile-bf16 --dump-pipeline | FileCheck %s --check-prefix=PRINTED
// RUN: pir-opt --target=sm_90a '--passes=group{every=2}' --dump-pipeline | FileCheck %s --check-prefix=PRINTED
// RUN: pir-opt --target=sm_90a '--passes=group{target=sm_80}' --dump-pipeline | FileCheck %s --check-prefix=STATED
// RUN: not pir-opt %s --target=sm_70 --emit=cuda 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not pir-opt %s --target=sm_90b --emit=cuda 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not pir-run %s --target=sm_90a 2>&1 | FileCheck %s --check-prefix=HERE
// RUN: not pir-run %s --target=sm_90a --pipeline=kernels 2>&1 | FileCheck %s --check-prefix=HERE
// RUN: not pir-run %s --target=sm_77 --pipeline=kernels 2>&1 | FileCheck %s --check-prefix=NONE
// CHECK: __global__
// CHECK-NOT: __global__
// BF16: __global__
// NAMED: build_cinn_pass{target=cuda}
// NATIVE-NOT: target=
// PRINTED: build_cinn_pass{{{.*}}target=sm_90a}
// STATED: build_cinn_pass{target=sm_80}
// OLD: sm_75, sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, sm_90a, sm_100
// HERE: target "sm_90a" is an architecture, for which code can only be written; to run on such a device, name its kind: cuda
// NONE: --target: expected native, {{.*}}, got 'sm_77'; did you mean 'sm_75'
{
    (%0) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[2,33,4,32]} : () -> tensor<2x33x4x32xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[2,33,4,32]} : () -> tensor<2x33x4x32xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"v",place:Place(undefined:0),shape:[2,33,4,32]} : () -> tensor<2x33x4x32xf32>
    (%3,%4,%5,%6) = "pd_op.flash_attn" (%0, %1, %2, <<NULL VALUE>>, <<NULL VALUE>>) {causal:true,dropout:0,is_test:true,return_softmax:false,rng_name:""} : (tensor<2x33x4x32xf32>, tensor<2x33x4x32xf32>, tensor<2x33x4x32xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x33x4x32xf32>, tensor<2x4x128x128xf32>, tensor<2x4x33xf32>, tensor<2xi64>
    (%7) = "pd_op.fetch" (%3) {col:0,name:"out"} : (tensor<2x33x4x32xf32>) -> tensor<2x33x4x32xf32>
}
