// Ops of the user from a shared library: a list, an operand left out, extents known by running, and what is refused.
// RUN: cc -std=c11 -shared -fPIC %{root}/examples/custom_op/ops.c -o %t.so -I%{root}/ir/abi -I%{root}/ir/include -I%{root}/runtime/include -I%{root}/runtime/exec/include
// RUN: pir-run %s --custom-ops=%t.so --input=x=2x3x2x4xf32=0 --print --pipeline=kernels | FileCheck %s
// RUN: pir-run %s --custom-ops=%t.so --input=x=2x3x2x4xf32=0 --print --pipeline=compile --threads=2 | FileCheck %s
// RUN: not pir-run %s --input=x=2x3x2x4xf32=0 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: sed 's/weights:.(Float)2,(Float)3./weights:[(Float)2]/' %s > %t.pir && not pir-run %t.pir --custom-ops=%t.so --input=x=2x3x2x4xf32=0 2>&1 | FileCheck --check-prefix=CODE %s
// RUN: sed 's/-1,3,2,4/-1,3,8/;s/-1x3x2x4xf32/-1x3x8xf32/g' %s > %t2.pir && not pir-run %t2.pir --custom-ops=%t.so 2>&1 | FileCheck --check-prefix=INFER %s
// RUN: sed 's/"gap_shape"}/"nowhere"}/' %{root}/examples/custom_op/ops.c > %t.c && cc -std=c11 -shared -fPIC %t.c -o %t2.so -I%{root}/ir/abi -I%{root}/ir/include -I%{root}/runtime/include -I%{root}/runtime/exec/include && not pir-run %s --custom-ops=%t2.so 2>&1 | FileCheck --check-prefix=SYMBOL %s
// RUN: sed 's/i32 = 1/i33/' %{root}/examples/custom_op/ops.c > %t.c && cc -std=c11 -shared -fPIC %t.c -o %t3.so -I%{root}/ir/abi -I%{root}/ir/include -I%{root}/runtime/include -I%{root}/runtime/exec/include && not pir-run %s --custom-ops=%t3.so 2>&1 | FileCheck --check-prefix=KIND %s
// RUN: pir-opt %s --custom-ops=%t.so --emit=pdmodel -o %t.pdmodel && pir-opt %t.pdmodel --custom-ops=%t.so | FileCheck --check-prefix=BACK %s
// RUN: pir-translate %t.pdmodel --custom-ops=%t.so --to=json | pir-opt - --custom-ops=%t.so --emit=pdmodel | cmp - %t.pdmodel
// BACK: "custom_op.gap" (%2) {persistable:[false],stop_gradient:[false],test_attr1:[1,2,3],test_attr2:1}
// BACK: "custom_op.weighted_sum" (%5, <<NULL VALUE>>) {mean:false,
// CHECK: means: float32[2,3,1,1]
// CHECK: {{\[\[\[\[}}1]]
// CHECK: sum: float32[2,3,1,1]
// CHECK: {{\[\[\[\[}}5]]
// NONE: unsupported: "custom_op.gap": no dialect declares it
// CODE: custom_op.weighted_sum: its kernel failed with 1
// INFER: "custom_op.gap" its infer function failed with 1
// SYMBOL: no function 'nowhere'
// KIND: custom op "gap": expects bool, i32, i64, f32, f64 or str before at ""
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,3,2,4],stop_gradient:[true]} : () -> tensor<-1x3x2x4xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%2) = "pd_op.add" (%0, %1) {} : (tensor<-1x3x2x4xf32>, tensor<1xf32>) -> tensor<-1x3x2x4xf32>
    (%3) = "custom_op.gap" (%2) {test_attr1:[1,2,3],test_attr2:1} : (tensor<-1x3x2x4xf32>) -> tensor<-1x3x1x1xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"means"} : (tensor<-1x3x1x1xf32>) -> tensor<-1x3x1x1xf32>
    (%5) = "builtin.combine" (%3, %3) {} : (tensor<-1x3x1x1xf32>, tensor<-1x3x1x1xf32>) -> vec[tensor<-1x3x1x1xf32>,tensor<-1x3x1x1xf32>]
    (%6) = "custom_op.weighted_sum" (%5, <<NULL VALUE>>) {mean:false,weights:[(Float)2,(Float)3]} : (vec[tensor<-1x3x1x1xf32>,tensor<-1x3x1x1xf32>], <<NULL TYPE>>) -> tensor<-1x3x1x1xf32>
    (%7) = "pd_op.fetch" (%6) {col:1,name:"sum"} : (tensor<-1x3x1x1xf32>) -> tensor<-1x3x1x1xf32>
}
