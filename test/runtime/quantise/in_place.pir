// The input of two products is overwritten between them: each reads its own elements, has its own range, and is quantised where it is read.
// RUN: rm -rf %t.data && mkdir %t.data && tar -xJf %S/inputs/data.tar.xz -C %t.data
// RUN: pir-opt %s --passes='fold,quantise{data=%t.data/rows,method=absmax}' --verify-each --params-out=%t.params -o %t.pir 2> %t.err
// RUN: FileCheck %s --input-file=%t.err --check-prefix=REPORT
// RUN: FileCheck %s --input-file=%t.pir
// RUN: pir-run %s --pipeline=kernels --input=x=@%t.data/rows/a/in_x.npy --output=a=@%t.a.npy --output=b=@%t.b.npy
// RUN: pir-run %t.pir --params=%t.params --pipeline=kernels --input=x=@%t.data/rows/a/in_x.npy --expect=a=@%t.a.npy --expect=b=@%t.b.npy --atol=0.03
// RUN: pir-run %t.pir --params=%t.params --input=x=@%t.data/rows/a/in_x.npy --expect=a=@%t.a.npy --expect=b=@%t.b.npy --atol=0.03
// REPORT:      note: "pd_op.matmul" {{.*}}, range 1.2{{.*}}, scale 1.2
// REPORT-NEXT: note: "pd_op.matmul" {{.*}}, range 0.49{{.*}}, scale 0.49
// CHECK:      (%[[H:[0-9]+]]) = "pd_op.scale"
// CHECK:      (%[[A:[0-9]+]], {{.*}}) = "pd_op.quantize_linear" (%[[H]],
// CHECK:      "pd_op.matmul"
// CHECK:      "pd_op.relu_" (%[[H]])
// CHECK:      "pd_op.quantize_linear" (%[[H]],
// CHECK:      "pd_op.matmul"
{
    (%0) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:20.0} : () -> tensor<1xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xf32>
    (%3) = "pd_op.arange" (%0, %1, %2) {dtype:float32,place:Place(cpu)} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<20xf32>
    (%4) = "pd_op.sin" (%3) {} : (tensor<20xf32>) -> tensor<20xf32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,5]} : () -> tensor<2xi64>
    (%6) = "pd_op.reshape" (%4, %5) {} : (tensor<20xf32>, tensor<2xi64>) -> tensor<4x5xf32>
    (%7) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4]} : () -> tensor<-1x4xf32>
    (%8) = "pd_op.scale" (%7, %2) {bias:-0.3,bias_after_scale:true} : (tensor<-1x4xf32>, tensor<1xf32>) -> tensor<-1x4xf32>
    (%9) = "pd_op.matmul" (%8, %6) {transpose_x:false,transpose_y:false} : (tensor<-1x4xf32>, tensor<4x5xf32>) -> tensor<-1x5xf32>
    (%10) = "pd_op.relu_" (%8) {} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%11) = "pd_op.matmul" (%8, %6) {transpose_x:false,transpose_y:false} : (tensor<-1x4xf32>, tensor<4x5xf32>) -> tensor<-1x5xf32>
    (%12) = "pd_op.fetch" (%9) {col:0,name:"a"} : (tensor<-1x5xf32>) -> tensor<-1x5xf32>
    (%13) = "pd_op.fetch" (%11) {col:1,name:"b"} : (tensor<-1x5xf32>) -> tensor<-1x5xf32>
}
