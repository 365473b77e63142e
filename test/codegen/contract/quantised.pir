// Contractions of dequantised values multiply the integers: one scale for all of an image, one a filter.
// RUN: pir-opt %s --passes=quantised,dce --verify-each | FileCheck %s
// RUN: pir-opt %s --passes=quantised,dce,group | FileCheck %s --check-prefix=GROUPS
// The numbers are those of the floats, on every level.
// RUN: pir-run %s --pipeline=kernels --input=x=2x16x9x7xf32=random:1 --input=w=24x16x3x3xf32=random:2 --input=t=24xf32=random:3 --output=@%t.npy
// RUN: pir-run %s --input=x=2x16x9x7xf32=random:1 --input=w=24x16x3x3xf32=random:2 --input=t=24xf32=random:3 --expect=@%t.npy
// RUN: pir-run %s --target=x86-64 --input=x=2x16x9x7xf32=random:1 --input=w=24x16x3x3xf32=random:2 --input=t=24xf32=random:3 --expect=@%t.npy

// CHECK:      (%[[X:[0-9]+]], {{.*}}) = "pd_op.quantize_linear"
// CHECK-NEXT: (%[[X8:[0-9]+]]) = "pd_op.cast" (%[[X]]) {dtype:int8
// CHECK:      (%[[W8:[0-9]+]]) = "pd_op.cast" {{.*}}{dtype:int8
// CHECK-NOT:  dequantize_linear
// CHECK:      (%[[X32:[0-9]+]]) = "pd_op.cast" (%[[X8]]) {dtype:int32
// CHECK-NEXT: (%[[W32:[0-9]+]]) = "pd_op.cast" (%[[W8]]) {dtype:int32
// CHECK-NEXT: (%[[SUMS:[0-9]+]]) = "pd_op.conv2d" (%[[X32]], %[[W32]]) {{.*}} -> tensor<2x24x9x7xi32>
// CHECK-NEXT: (%[[FLOATS:[0-9]+]]) = "pd_op.cast" (%[[SUMS]]) {dtype:float32
// CHECK:      "pd_op.reshape" {{.*}} -> tensor<24x1x1xf32>
// CHECK:      (%[[SCALED:[0-9]+]]) = "pd_op.multiply" (%[[FLOATS]],
// CHECK-NEXT: "pd_op.relu" (%[[SCALED]])

// GROUPS:      "cinn_op.group"
// GROUPS:        "pd_op.conv2d"
// GROUPS-NEXT:   "pd_op.cast"
// GROUPS-NEXT:   "pd_op.multiply"
// GROUPS-NEXT:   "pd_op.relu"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,16,9,7]} : () -> tensor<2x16x9x7xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[24,16,3,3]} : () -> tensor<24x16x3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"t",place:Place(undefined:0),shape:[24]} : () -> tensor<24xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.75} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%5, %6, %7, %8) = "pd_op.quantize_linear" (%0, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<2x16x9x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x16x9x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%9, %10, %11, %12) = "pd_op.dequantize_linear" (%5, %3, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<2x16x9x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x16x9x7xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%13, %14, %15, %16) = "pd_op.quantize_linear" (%1, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:0,round_type:0} : (tensor<24x16x3x3xf32>, tensor<24xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<24x16x3x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<24xf32>
    (%17, %18, %19, %20) = "pd_op.dequantize_linear" (%13, %2, %4, %4, %4) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:0,round_type:0} : (tensor<24x16x3x3xf32>, tensor<24xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<24x16x3x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<24xf32>
    (%21) = "pd_op.conv2d" (%9, %17) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<2x16x9x7xf32>, tensor<24x16x3x3xf32>) -> tensor<2x24x9x7xf32>
    (%22) = "pd_op.relu" (%21) {} : (tensor<2x24x9x7xf32>) -> tensor<2x24x9x7xf32>
    (%23) = "pd_op.fetch" (%22) {col:0,name:"out"} : (tensor<2x24x9x7xf32>) -> tensor<2x24x9x7xf32>
}
