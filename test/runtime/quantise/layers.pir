// Layers become contractions of integers: convolutions (here with groups), products whose matrix is transposed, and two products with one
// matrix, which is quantised once and stays as it is for the op that reads it too. Layers where each channel has its own weights and
// products of two computed matrices stay f32.
// RUN: rm -rf %t.data && mkdir %t.data && tar -xJf %S/inputs/data.tar.xz -C %t.data
// RUN: pir-opt %s --passes='fold,quantise{data=%t.data/images,method=absmax}' --verify-each --stats --params-out=%t.params -o %t.pir 2> %t.err
// RUN: FileCheck %s --input-file=%t.pir
// RUN: FileCheck %s --input-file=%t.err --check-prefix=REPORT
// The written program runs by the same numbers, called and compiled, and its layers multiply bytes, but for the convolution with two
// channels in a group.
// RUN: pir-run %s --pipeline=kernels --input=x=@%t.data/images/0.npy --output=out=@%t.npy
// RUN: pir-run %t.pir --params=%t.params --pipeline=kernels --input=x=@%t.data/images/0.npy --expect=out=@%t.npy --atol=0.65
// RUN: pir-run %t.pir --params=%t.params --explain --input=x=@%t.data/images/0.npy --expect=out=@%t.npy --atol=0.65 2>&1 | FileCheck %s --check-prefix=INTEGERS
// Weights as Paddle stores them, whole numbers in f32, give the same numbers.
// RUN: rm -rf %t.i8 && mkdir %t.i8 && pir-run %t.pir --params=%t.params --pipeline=kernels --input=x=@%t.data/images/0.npy --output-dir=%t.i8
// RUN: pir-opt %s --passes='fold,quantise{data=%t.data/images,method=absmax,weights=f32}' --params-out=%t.floats -o %t.floats.pir
// RUN: pir-run %t.floats.pir --params=%t.floats --pipeline=kernels --input=x=@%t.data/images/0.npy --expect-dir=%t.i8 --atol=0 --rtol=0
// RUN: FileCheck %s --input-file=%t.floats.pir --check-prefix=FLOATS
// Ops that the options deny stay; so do layers with too much noise.
// RUN: pir-opt %s --passes='fold,quantise{data=%t.data/images,deny=matmul|add}' -o %t.denied.pir 2>&1 | FileCheck %s --check-prefix=DENIED
// RUN: FileCheck %s --input-file=%t.denied.pir --check-prefix=DENIEDOPS
// RUN: pir-opt %s --passes='fold,quantise{data=%t.data/images,least-snr=90}' -o %t.kept.pir 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: FileCheck %s --input-file=%t.kept.pir --check-prefix=KEPTOPS --implicit-check-not=quantize_linear
// Fewer samples: the first ones.
// RUN: pir-opt %s --passes='fold,quantise{data=%t.data/images,samples=2}' -o %t.fewer.pir 2>&1 | grep -c 'of 2 samples'

// CHECK-DAG:  (%[[ZERO:[0-9]+]]) = "builtin.parameter" () {parameter_name:"quantise.zero_point",persistable:[true],stop_gradient:[true],trainable:[false]} : () -> tensor<f32>
// CHECK-DAG:  (%[[RANGE:[0-9]+]]) = "builtin.parameter" () {parameter_name:"quantise.scale",{{.*}} -> tensor<f32>
// CHECK-DAG:  (%[[W:[0-9]+]]) = "builtin.parameter" () {parameter_name:"constant_folding@_{{[0-9]+}}.int8",{{.*}} -> tensor<6x2x3x3xi8>
// CHECK-DAG:  (%[[SCALES:[0-9]+]]) = "builtin.parameter" () {parameter_name:"constant_folding@_{{[0-9]+}}.scale",{{.*}} -> tensor<6xf32>
// CHECK-DAG:  (%[[ZEROS:[0-9]+]]) = "builtin.parameter" () {parameter_name:"constant_folding@_{{[0-9]+}}.zero_point",{{.*}} -> tensor<6xf32>
// CHECK:      (%[[READ:[0-9]+]]) = "builtin.parameter" () {{.*}} -> tensor<5x5xf32>
// CHECK:      (%[[X:[0-9]+]]) = "pd_op.data"
// CHECK:      (%[[WHOLE:[0-9]+]], {{.*}}) = "pd_op.quantize_linear" (%[[X]], %[[RANGE]], %[[ZERO]], %[[ZERO]], %[[ZERO]]) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0{{.*}} -> tensor<-1x4x6x6xf32>, tensor<f32>, tensor<f32>, tensor<f32>
// CHECK-NEXT: (%[[BACK:[0-9]+]], {{.*}}) = "pd_op.dequantize_linear" (%[[WHOLE]], %[[RANGE]], %[[ZERO]], %[[ZERO]], %[[ZERO]]) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0
// CHECK-NEXT: (%[[BYTES:[0-9]+]]) = "pd_op.cast" (%[[W]]) {dtype:float32
// CHECK-NEXT: (%[[WEIGHTS:[0-9]+]], {{.*}}) = "pd_op.dequantize_linear" (%[[BYTES]], %[[SCALES]], %[[ZEROS]], %[[ZERO]], %[[ZERO]]) {{.*}}quant_axis:0,
// CHECK-NEXT: "pd_op.conv2d" (%[[BACK]], %[[WEIGHTS]]) {{.*}}groups:2
// CHECK:      "pd_op.depthwise_conv2d" (%{{[0-9]+}}, %{{[0-9]+}})
// CHECK:      (%[[FLAT:[0-9]+]]) = "pd_op.flatten"
// CHECK:      "pd_op.dequantize_linear" {{.*}}quant_axis:-1,
// CHECK:      (%[[TURNED:[0-9]+]], {{.*}}) = "pd_op.dequantize_linear" {{.*}}quant_axis:0,{{.*}} -> tensor<5x216xf32>
// CHECK-NEXT: "pd_op.matmul" (%{{[0-9]+}}, %[[TURNED]]) {{.*}}transpose_y:true
// CHECK:      (%[[SHARED:[0-9]+]], {{.*}}) = "pd_op.dequantize_linear" {{.*}}quant_axis:1,{{.*}} -> tensor<5x5xf32>
// CHECK-NEXT: "pd_op.matmul" (%{{[0-9]+}}, %[[SHARED]])
// CHECK-NOT:  quant_axis:1
// CHECK:      "pd_op.matmul" (%{{[0-9]+}}, %[[SHARED]])
// CHECK-NOT:  quantize_linear
// CHECK:      "pd_op.matmul" (%[[Z:[0-9]+]], %[[Z]]) {{.*}}transpose_y:true
// CHECK:      "pd_op.add" (%{{[0-9]+}}, %[[READ]])

// REPORT:      note: "pd_op.conv2d" weight 'constant_folding@_{{[0-9]+}}', range 0.99{{.*}}, scale 0.99{{.*}}: largest error 0.0{{.*}}, mean relative error 0.{{.*}} %, SNR 4{{.*}} dB
// REPORT-NEXT: note: "pd_op.depthwise_conv2d" stays f32: products of bytes do not pay where each channel has its own weights
// REPORT-NEXT: note: "pd_op.matmul" weight {{.*}}, SNR {{[345].*}} dB
// REPORT-NEXT: note: "pd_op.matmul" weight {{.*}}, SNR {{[345].*}} dB
// REPORT-NEXT: note: "pd_op.matmul" weight {{.*}}, SNR {{[345].*}} dB
// REPORT-NEXT: note: "pd_op.matmul" stays f32: no factor is a parameter with data
// REPORT-NEXT: note: output "out" of 3 samples: largest error {{.*}}, mean relative error {{.*}} %, SNR {{.*}} dB
// REPORT-NEXT: note: output "squares" of 3 samples
// REPORT-NEXT: note: output "sums" of 3 samples
// REPORT-DAG:  4 layers quantised
// REPORT-DAG:  2 layers kept

// INTEGERS-COUNT-3: vectors of {{[0-9]+}} int32
// INTEGERS-NOT: int32

// FLOATS:     parameter_name:"constant_folding@_{{[0-9]+}}.int8",{{.*}} -> tensor<6x2x3x3xf32>
// FLOATS-NOT: "pd_op.cast"

// DENIED:          "pd_op.conv2d" weight
// DENIED-COUNT-3:  "pd_op.matmul" stays f32: the options deny it
// DENIEDOPS-COUNT-1: "pd_op.quantize_linear"
// DENIEDOPS-NOT:     "pd_op.quantize_linear"

// KEPT-COUNT-4: stays f32: SNR {{[345].*}} dB is below 90 dB
// KEPT:         output "out" of 3 samples: largest error 0, mean relative error 0 %, no error
// KEPTOPS:      "pd_op.conv2d"
{
    (%0) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1080.0} : () -> tensor<1xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:108.0} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:54.0} : () -> tensor<1xf32>
    (%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:25.0} : () -> tensor<1xf32>
    (%6) = "pd_op.arange" (%0, %3, %2) {dtype:float32,place:Place(cpu)} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<108xf32>
    (%7) = "pd_op.arange" (%0, %4, %2) {dtype:float32,place:Place(cpu)} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<54xf32>
    (%8) = "pd_op.arange" (%0, %1, %2) {dtype:float32,place:Place(cpu)} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1080xf32>
    (%9) = "pd_op.arange" (%0, %5, %2) {dtype:float32,place:Place(cpu)} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<25xf32>
    (%10) = "pd_op.sin" (%6) {} : (tensor<108xf32>) -> tensor<108xf32>
    (%11) = "pd_op.sin" (%7) {} : (tensor<54xf32>) -> tensor<54xf32>
    (%12) = "pd_op.sin" (%8) {} : (tensor<1080xf32>) -> tensor<1080xf32>
    (%13) = "pd_op.sin" (%9) {} : (tensor<25xf32>) -> tensor<25xf32>
    (%14) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[6,2,3,3]} : () -> tensor<4xi64>
    (%15) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[6,1,3,3]} : () -> tensor<4xi64>
    (%16) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[5,216]} : () -> tensor<2xi64>
    (%17) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[5,5]} : () -> tensor<2xi64>
    (%18) = "pd_op.reshape" (%10, %14) {} : (tensor<108xf32>, tensor<4xi64>) -> tensor<6x2x3x3xf32>
    (%19) = "pd_op.reshape" (%11, %15) {} : (tensor<54xf32>, tensor<4xi64>) -> tensor<6x1x3x3xf32>
    (%20) = "pd_op.reshape" (%12, %16) {} : (tensor<1080xf32>, tensor<2xi64>) -> tensor<5x216xf32>
    (%21) = "pd_op.reshape" (%13, %17) {} : (tensor<25xf32>, tensor<2xi64>) -> tensor<5x5xf32>
    (%22) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4,6,6]} : () -> tensor<-1x4x6x6xf32>
    (%23) = "pd_op.conv2d" (%22, %18) {data_format:"NCHW",dilations:[1,1],groups:2,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x4x6x6xf32>, tensor<6x2x3x3xf32>) -> tensor<-1x6x6x6xf32>
    (%24) = "pd_op.relu" (%23) {} : (tensor<-1x6x6x6xf32>) -> tensor<-1x6x6x6xf32>
    (%25) = "pd_op.depthwise_conv2d" (%24, %19) {data_format:"NCHW",dilations:[1,1],groups:6,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x6x6x6xf32>, tensor<6x1x3x3xf32>) -> tensor<-1x6x6x6xf32>
    (%26) = "pd_op.flatten" (%25) {start_axis:1,stop_axis:3} : (tensor<-1x6x6x6xf32>) -> tensor<-1x216xf32>
    (%27) = "pd_op.matmul" (%26, %20) {transpose_x:false,transpose_y:true} : (tensor<-1x216xf32>, tensor<5x216xf32>) -> tensor<-1x5xf32>
    (%28) = "pd_op.scale" (%27, %2) {bias:0.5,bias_after_scale:true} : (tensor<-1x5xf32>, tensor<1xf32>) -> tensor<-1x5xf32>
    (%29) = "pd_op.matmul" (%28, %21) {transpose_x:false,transpose_y:false} : (tensor<-1x5xf32>, tensor<5x5xf32>) -> tensor<-1x5xf32>
    (%30) = "pd_op.matmul" (%29, %21) {transpose_x:false,transpose_y:false} : (tensor<-1x5xf32>, tensor<5x5xf32>) -> tensor<-1x5xf32>
    (%31) = "pd_op.matmul" (%30, %30) {transpose_x:false,transpose_y:true} : (tensor<-1x5xf32>, tensor<-1x5xf32>) -> tensor<-1x-1xf32>
    (%32) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1,1,5]} : () -> tensor<3xi64>
    (%33) = "pd_op.reshape" (%30, %32) {} : (tensor<-1x5xf32>, tensor<3xi64>) -> tensor<-1x1x5xf32>
    (%34) = "pd_op.add" (%33, %21) {} : (tensor<-1x1x5xf32>, tensor<5x5xf32>) -> tensor<-1x5x5xf32>
    (%35) = "pd_op.fetch" (%30) {col:0,name:"out"} : (tensor<-1x5xf32>) -> tensor<-1x5xf32>
    (%36) = "pd_op.fetch" (%31) {col:1,name:"squares"} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%37) = "pd_op.fetch" (%34) {col:2,name:"sums"} : (tensor<-1x5x5xf32>) -> tensor<-1x5x5xf32>
}
