// --explain says which ops were put together, which were not and why, and how each group is computed.
// RUN: pir-opt %s --pipeline=compile --explain 2>&1 >/dev/null | FileCheck %s --check-prefix=FUSED
// RUN: pir-opt %s --emit=loops --target=x86-64-v3 --explain 2>&1 >/dev/null | FileCheck %s
// RUN: pir-opt %s --pipeline=compile 2>&1 >/dev/null | FileCheck %s --check-prefix=QUIET --allow-empty
// FUSED: remark: "pd_op.max" is not fused with "pd_op.relu": a contraction is not computed row by row
// FUSED: remark: "pd_op.nonzero" is not compiled
// FUSED: remark: "pd_op.cast" is not compiled: few elements
// CHECK: remark: group of pd_op.matmul, pd_op.relu: {{.*}}tile of {{[0-9]+}} rows x {{[0-9]+}} vectors of 8 float32
// CHECK: remark: group of {{.*}}pd_op.exp{{.*}}: 1 stage{{$}}
// QUIET-NOT: remark
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[64,64]} : () -> tensor<64x64xf32>
    (%1) = "pd_op.matmul" (%0, %0) {transpose_x:false,transpose_y:false} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    (%2) = "pd_op.relu" (%1) {} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    (%3) = "pd_op.softmax" (%2) {axis:-1} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    (%4) = "pd_op.nonzero" (%3) {} : (tensor<64x64xf32>) -> tensor<-1x2xi64>
    (%6) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%7) = "pd_op.cast" (%6) {dtype:float64} : (tensor<4xf32>) -> tensor<4xf64>
    (%8) = "pd_op.fetch" (%4) {col:0,name:"out"} : (tensor<-1x2xi64>) -> tensor<-1x2xi64>
    (%9) = "pd_op.fetch" (%7) {col:1,name:"c"} : (tensor<4xf64>) -> tensor<4xf64>
}
