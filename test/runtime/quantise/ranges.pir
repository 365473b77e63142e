// Ranges of 256 numbers from -1 to 1 but one, which is -64. The largest magnitude leaves two steps for the others; 99 % of the magnitudes
// are at most 0.99, and 100 % is the largest one. The least squared error does not clip here, because the error of one clipped number would be greater.
// RUN: rm -rf %t.data && mkdir %t.data && tar -xJf %S/inputs/data.tar.xz -C %t.data
// RUN: pir-opt %s --passes='fold,quantise{data=%t.data/outlier,method=absmax}' -o %t.pir 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: pir-opt %s --passes='fold,quantise{data=%t.data/outlier,method=percentile:100}' -o %t.pir 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: pir-opt %s --passes='fold,quantise{data=%t.data/outlier,method=percentile:99}' -o %t.pir 2>&1 | FileCheck %s --check-prefix=SHARE
// RUN: pir-opt %s --passes='fold,quantise{data=%t.data/outlier}' -o %t.pir 2>&1 | FileCheck %s --check-prefix=LEAST
// MOST:  note: "pd_op.matmul" {{.*}}, range 64, scale 64 of i8:
// SHARE: note: "pd_op.matmul" {{.*}}, range 64, scale 1.03
// LEAST: note: "pd_op.matmul" {{.*}}, range 64, scale {{6[34]}}
{
    (%0) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:192.0} : () -> tensor<1xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xf32>
    (%3) = "pd_op.arange" (%0, %1, %2) {dtype:float32,place:Place(cpu)} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<192xf32>
    (%4) = "pd_op.sin" (%3) {} : (tensor<192xf32>) -> tensor<192xf32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[64,3]} : () -> tensor<2xi64>
    (%6) = "pd_op.reshape" (%4, %5) {} : (tensor<192xf32>, tensor<2xi64>) -> tensor<64x3xf32>
    (%7) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,64]} : () -> tensor<4x64xf32>
    (%8) = "pd_op.matmul" (%7, %6) {transpose_x:false,transpose_y:false} : (tensor<4x64xf32>, tensor<64x3xf32>) -> tensor<4x3xf32>
    (%9) = "pd_op.fetch" (%8) {col:0,name:"out"} : (tensor<4x3xf32>) -> tensor<4x3xf32>
}
