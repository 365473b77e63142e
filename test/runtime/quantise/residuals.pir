// What a layer reads in integers is read so by the sum that adds it, too, unless the options ask for f32. A result of the program stays f32.
// RUN: rm -rf %t.data && mkdir %t.data && tar -xJf %S/inputs/data.tar.xz -C %t.data
// RUN: pir-opt %s --passes='fold,quantise{data=%t.data/images}' --verify-each --params-out=%t.params -o %t.pir 2> %t.err
// RUN: FileCheck %s --input-file=%t.pir
// RUN: FileCheck %s --input-file=%t.err --check-prefix=REPORT
// RUN: pir-opt %s --passes='fold,quantise{data=%t.data/images,residuals=f32}' -o %t.floats.pir 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: FileCheck %s --input-file=%t.floats.pir --check-prefix=FLOATS
// Programs that state f32 are changed alike in the mode that rounds to 8 bits, and in no other.
// RUN: pir-opt %t.floats.pir --passes=rounded_residuals --verify-each --stats -o %t.rounded.pir 2>&1 | FileCheck %s --check-prefix=ROUNDED
// RUN: FileCheck %s --input-file=%t.rounded.pir
// RUN: pir-opt %t.floats.pir --passes=compile-int8 --stats -o %t.o.pir 2>&1 | FileCheck %s --check-prefix=ROUNDED
// RUN: pir-opt %t.floats.pir --passes=compile --stats -o %t.o.pir 2>&1 | FileCheck %s --check-prefix=OTHER --implicit-check-not=rounded_residuals
// Other readers that read more than elements keep what they read.
// RUN: sed 's/"pd_op.add" (%\([0-9]*\), %\([0-9]*\)) {}/"pd_op.flip" (%\2) {axis:[1]}/;s/: (tensor<-1x4x6x6xf32>, tensor<-1x4x6x6xf32>) -> tensor<-1x4x6x6xf32>$/: (tensor<-1x4x6x6xf32>) -> tensor<-1x4x6x6xf32>/' %t.floats.pir > %t.flip.pir
// RUN: grep -q pd_op.flip %t.flip.pir && pir-opt %t.flip.pir --passes=rounded_residuals --stats 2>&1 | FileCheck %s --check-prefix=KEPT
// What is not negative has bytes without a sign, unless the options ask for those that others have.
// RUN: pir-opt %s --passes='fold,quantise{data=%t.data/images,inputs=i8}' -o %t.signs.pir 2>&1 | FileCheck %s --check-prefix=SIGNS
// RUN: FileCheck %s --input-file=%t.signs.pir --implicit-check-not=qmax:255
// RUN: not pir-opt %s --passes='fold,quantise{data=%t.data/images,inputs=i4}' 2>&1 | FileCheck %s --check-prefix=INPUTS
// RUN: not pir-opt %s --passes='fold,quantise{data=%t.data/images,residuals=i4}' 2>&1 | FileCheck %s --check-prefix=BAD
// The program runs by the same numbers, called and compiled.
// RUN: rm -rf %t.out && mkdir %t.out
// RUN: pir-run %t.pir --params=%t.params --pipeline=kernels --input=x=@%t.data/images/0.npy --output-dir=%t.out
// RUN: pir-run %t.pir --params=%t.params --input=x=@%t.data/images/0.npy --expect-dir=%t.out --atol=1e-4

// CHECK:      "pd_op.conv2d"
// CHECK:      (%[[Y:[0-9]+]]) = "pd_op.relu"
// CHECK-NEXT: (%[[WHOLE:[0-9]+]], {{.*}}) = "pd_op.quantize_linear" (%[[Y]],
// CHECK-NEXT: (%[[BACK:[0-9]+]], {{.*}}) = "pd_op.dequantize_linear" (%[[WHOLE]],
// CHECK:      (%[[SUMS:[0-9]+]]) = "pd_op.conv2d" (%[[BACK]],
// CHECK-NEXT: (%[[Z:[0-9]+]]) = "pd_op.add" (%[[SUMS]], %[[BACK]])
// CHECK:      (%[[MORE:[0-9]+]]) = "pd_op.conv2d"
// CHECK-NEXT: (%[[OUT:[0-9]+]]) = "pd_op.add" (%[[MORE]], %[[Z]])
// CHECK-NEXT: "pd_op.fetch" (%[[Z]])

// FLOATS:      (%[[Y:[0-9]+]]) = "pd_op.relu"
// FLOATS:      "pd_op.conv2d"
// FLOATS-NEXT: "pd_op.add" (%{{[0-9]+}}, %[[Y]])

// REPORT: 'constant_folding@{{.*}} of i8
// REPORT: 'constant_folding@{{.*}} of u8
// REPORT: 'constant_folding@{{.*}} of i8
// SIGNS-COUNT-3: 'constant_folding@{{.*}} of i8
// INPUTS: inputs
// REPORT: output "z"
// REPORT: output "out"
// ROUNDED: rounded_residuals_pass: 1 values
// KEPT: rounded_residuals_pass: 0 values
// OTHER: statistics
// BAD: residuals
{
    (%0) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:16.0} : () -> tensor<1xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xf32>
    (%3) = "pd_op.arange" (%0, %1, %2) {dtype:float32,place:Place(cpu)} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<16xf32>
    (%4) = "pd_op.sin" (%3) {} : (tensor<16xf32>) -> tensor<16xf32>
    (%5) = "pd_op.cos" (%3) {} : (tensor<16xf32>) -> tensor<16xf32>
    (%6) = "pd_op.abs" (%5) {} : (tensor<16xf32>) -> tensor<16xf32>
    (%7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,4,1,1]} : () -> tensor<4xi64>
    (%8) = "pd_op.reshape" (%4, %7) {} : (tensor<16xf32>, tensor<4xi64>) -> tensor<4x4x1x1xf32>
    (%9) = "pd_op.reshape" (%5, %7) {} : (tensor<16xf32>, tensor<4xi64>) -> tensor<4x4x1x1xf32>
    (%10) = "pd_op.reshape" (%6, %7) {} : (tensor<16xf32>, tensor<4xi64>) -> tensor<4x4x1x1xf32>
    (%11) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4,6,6]} : () -> tensor<-1x4x6x6xf32>
    (%12) = "pd_op.conv2d" (%11, %8) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x4x6x6xf32>, tensor<4x4x1x1xf32>) -> tensor<-1x4x6x6xf32>
    (%13) = "pd_op.relu" (%12) {} : (tensor<-1x4x6x6xf32>) -> tensor<-1x4x6x6xf32>
    (%14) = "pd_op.conv2d" (%13, %9) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x4x6x6xf32>, tensor<4x4x1x1xf32>) -> tensor<-1x4x6x6xf32>
    (%15) = "pd_op.add" (%14, %13) {} : (tensor<-1x4x6x6xf32>, tensor<-1x4x6x6xf32>) -> tensor<-1x4x6x6xf32>
    (%16) = "pd_op.conv2d" (%15, %10) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x4x6x6xf32>, tensor<4x4x1x1xf32>) -> tensor<-1x4x6x6xf32>
    (%17) = "pd_op.add" (%16, %15) {} : (tensor<-1x4x6x6xf32>, tensor<-1x4x6x6xf32>) -> tensor<-1x4x6x6xf32>
    (%18) = "pd_op.fetch" (%15) {col:0,name:"z"} : (tensor<-1x4x6x6xf32>) -> tensor<-1x4x6x6xf32>
    (%19) = "pd_op.fetch" (%17) {col:1,name:"out"} : (tensor<-1x4x6x6xf32>) -> tensor<-1x4x6x6xf32>
}
