// Forward values that the gradients read are computed again in front of them. Each op that is computed again reads kept values through
// `depend`, which stands behind the gradient that comes in, so that no pass merges it with the forward op.

// RUN: pir-opt %s '--passes=backward{loss=%11,wrt=w0|w1,checkpoints=%3|%6}' | FileCheck %s
// RUN: pir-opt %s '--passes=backward{loss=%11,wrt=w0|w1,checkpoints=%3|%6},canon,cse,dce' | FileCheck %s
// RUN: pir-opt %s '--passes=backward{loss=%11,wrt=w0|w1,checkpoints=auto,memory=60%}' | FileCheck %s
// RUN: pir-opt %s '--passes=backward{loss=%11,wrt=w0|w1,checkpoints=auto,memory=200000}' | FileCheck %s
// RUN: pir-opt %s '--passes=backward{loss=%11,wrt=w0|w1,checkpoints=x}' | FileCheck --check-prefix=ALL %s
// RUN: pir-opt %s '--passes=backward{loss=%11,wrt=w0|w1}' -o %t.kept.pir
// RUN: pir-opt %s '--passes=backward{loss=%11,wrt=w0|w1,checkpoints=all}' | cmp - %t.kept.pir
// RUN: pir-opt %s '--passes=backward{loss=%11,wrt=w0|w1,checkpoints=auto,memory=100%}' | cmp - %t.kept.pir
// RUN: pir-opt %s '--passes=backward{loss=%11,wrt=w0|w1,checkpoints=auto,memory=1000000000}' | cmp - %t.kept.pir
// RUN: pir-opt %s '--passes=backward{loss=%11,wrt=w0|w1,checkpoints=auto,memory=60%}' --stats -o %t.again.pir 2>&1 | FileCheck --check-prefix=STATS %s

// Values that are computed again have the same bits. They take less memory.
// RUN: mkdir -p %t.dir
// RUN: pir-run %t.kept.pir --input=x=256x64xf32=random --input=w0=64x64xf32=random --input=w1=64x64xf32=random --pipeline=kernels --output-dir=%t.dir > /dev/null
// RUN: pir-run %t.again.pir --input=x=256x64xf32=random --input=w0=64x64xf32=random --input=w1=64x64xf32=random --pipeline=kernels --expect-dir=%t.dir --atol=0 --rtol=0 > /dev/null
// RUN: pir-run %t.again.pir --input=x=256x64xf32=random --input=w0=64x64xf32=random --input=w1=64x64xf32=random --pipeline=compile --expect-dir=%t.dir --atol=1e-6 --rtol=1e-6 > /dev/null
// RUN: pir-run %t.kept.pir --input=x=256x64xf32=random --input=w0=64x64xf32=random --input=w1=64x64xf32=random --pipeline=kernels --benchmark=0 2>&1 | FileCheck --check-prefix=KEPT %s
// RUN: pir-run %t.again.pir --input=x=256x64xf32=random --input=w0=64x64xf32=random --input=w1=64x64xf32=random --pipeline=kernels --benchmark=0 2>&1 | FileCheck --check-prefix=AGAIN %s

// They can be differentiated again.
// RUN: pir-opt %t.again.pir '--passes=backward{loss=fetch1,ones,wrt=w0}' | FileCheck --check-prefix=SECOND %s
// SECOND: "pd_op.matmul_double_grad"
// SECOND: (%[[S:.*]]) = "pd_op.sin_grad" (%{{[0-9]+}}, %{{[0-9]+}}) {{.*}}
// SECOND-NEXT: "pd_op.assign" (%[[S]])

// RUN: not pir-opt %s '--passes=backward{loss=%11,wrt=w0|w1,checkpoints=auto,memory=0}' 2>&1 | FileCheck --check-prefix=MEMORY %s
// RUN: not pir-opt %s '--passes=backward{loss=%11,wrt=w0|w1,checkpoints=auto,memory=101%}' 2>&1 | FileCheck --check-prefix=MEMORY %s
// RUN: not pir-opt %s '--passes=backward{loss=%11,wrt=w0|w1,checkpoints=auto,memory=%}' 2>&1 | FileCheck --check-prefix=MEMORY %s
// RUN: not pir-opt %s '--passes=backward{loss=%11,wrt=w0|w1,checkpoints=nothing}' 2>&1 | FileCheck --check-prefix=NONE %s
// MEMORY: error: option memory of pass backward_pass expects a number of bytes, or a share such as 50%, has
// NONE: error: backward: the program has no value "nothing"

// CHECK: (%[[G:.*]]) = "pd_op.mean_grad"
// CHECK-NEXT: (%[[L:.*]]) = "builtin.combine" (%[[G]])
// CHECK-NEXT: (%[[K:.*]]) = "pd_op.depend" (%6, %[[L]])
// CHECK-NEXT: (%[[A:.*]]) = "pd_op.sin" (%[[K]])
// CHECK-NEXT: (%[[T:.*]]) = "pd_op.tanh" (%[[A]])
// CHECK-NEXT: (%[[S:.*]]) = "pd_op.square_grad" (%[[T]], %[[G]])
// CHECK-NEXT: (%[[S2:.*]]) = "pd_op.tanh_grad" (%[[T]], %[[S]])
// CHECK-NEXT: (%[[D:.*]]) = "pd_op.sin_grad" (%6, %[[S2]])
// CHECK-NEXT: (%[[L2:.*]]) = "builtin.combine" (%[[D]])
// CHECK-NEXT: (%[[K2:.*]]) = "pd_op.depend" (%3, %[[L2]])
// CHECK-NEXT: (%[[A2:.*]]) = "pd_op.sin" (%[[K2]])
// CHECK-NEXT: (%[[T2:.*]]) = "pd_op.tanh" (%[[A2]])
// CHECK-NEXT: (%[[M:.*]], %{{.*}}) = "pd_op.matmul_grad" (%[[T2]], %1, %[[D]])
// CHECK-NEXT: "pd_op.tanh_grad" (%[[T2]], %[[M]])
// CHECK-NOT: "pd_op.depend"

// KEPT: arena_bytes {{ *}}393280
// AGAIN: arena_bytes {{ *}}262208

// Nothing is kept but the inputs.
// ALL: "pd_op.mean_grad"
// ALL: (%[[X:.*]]) = "pd_op.depend" (%2,
// ALL: (%[[W:.*]]) = "pd_op.depend" (%0,
// ALL-NEXT: (%[[P:.*]]) = "pd_op.matmul" (%[[X]], %[[W]])
// ALL-NEXT: "pd_op.sin" (%[[P]])
// ALL-NEXT: "pd_op.tanh"
// ALL: (%[[Q:.*]]) = "pd_op.matmul"
// ALL-NEXT: (%[[H:.*]]) = "pd_op.sin" (%[[Q]])
// ALL-NEXT: (%[[T:.*]]) = "pd_op.tanh" (%[[H]])
// ALL-NEXT: "pd_op.square_grad" (%[[T]],
// ALL-NOT: "pd_op.depend"

// STATS: backward_pass: 4 ops computed again
// STATS-NEXT: backward_pass: 65536 flops added
// STATS-NEXT: backward_pass: 131072 bytes kept
// STATS-NEXT: backward_pass: 262144 bytes kept without
// STATS-NEXT: backward_pass: 327680 predicted peak
// STATS-NEXT: backward_pass: 393216 predicted peak without

{
    (%0) = "pd_op.data" () {dtype:float32,name:"w0",place:Place(undefined:0),shape:[64,64],stop_gradient:[false]} : () -> tensor<64x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w1",place:Place(undefined:0),shape:[64,64],stop_gradient:[false]} : () -> tensor<64x64xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[256,64],stop_gradient:[true]} : () -> tensor<256x64xf32>
    (%3) = "pd_op.matmul" (%2, %0) {stop_gradient:[false],transpose_x:false,transpose_y:false} : (tensor<256x64xf32>, tensor<64x64xf32>) -> tensor<256x64xf32>
    (%4) = "pd_op.sin" (%3) {stop_gradient:[false]} : (tensor<256x64xf32>) -> tensor<256x64xf32>
    (%5) = "pd_op.tanh" (%4) {stop_gradient:[false]} : (tensor<256x64xf32>) -> tensor<256x64xf32>
    (%6) = "pd_op.matmul" (%5, %1) {stop_gradient:[false],transpose_x:false,transpose_y:false} : (tensor<256x64xf32>, tensor<64x64xf32>) -> tensor<256x64xf32>
    (%7) = "pd_op.sin" (%6) {stop_gradient:[false]} : (tensor<256x64xf32>) -> tensor<256x64xf32>
    (%8) = "pd_op.tanh" (%7) {stop_gradient:[false]} : (tensor<256x64xf32>) -> tensor<256x64xf32>
    (%9) = "pd_op.square" (%8) {stop_gradient:[false]} : (tensor<256x64xf32>) -> tensor<256x64xf32>
    (%10) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%11) = "pd_op.mean" (%9, %10) {keepdim:false,stop_gradient:[false]} : (tensor<256x64xf32>, tensor<0xi64>) -> tensor<f32>
}
