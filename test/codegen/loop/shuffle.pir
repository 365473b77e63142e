// A shuffle of channels between channels-last tensors is one group, which permutes the channels of each pixel; of a
// row-major tensor its renamings are free, and what moves is called.
// RUN: pir-opt %s --passes=group --split-input-file | FileCheck %s
// RUN: pir-opt %s --split-input-file --emit=loops --target=x86-64-v3 | FileCheck %s --check-prefix=LOOPS
// CHECK:      "cinn_op.group"
// CHECK-NEXT:   "pd_op.conv2d"
// CHECK:      "cinn_op.group" ({{.*}}) {kind:"{{[a-z]+}}",layouts:{{.}}[0,2,3,1],[0,2,3,1]]}
// CHECK:        "pd_op.reshape"
// CHECK:        "pd_op.transpose"
// CHECK:        "pd_op.reshape"
// CHECK:        cf.yield
// LOOPS: pd_op.transpose
// LOOPS: parallel
// LOOPS: for [[C:v[0-9]+]] = 0 to 16 by 8
// LOOPS: gather8({{.*}}mod(ramp8([[C]], 1), x8(2))
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,8,6,5]} : () -> tensor<-1x8x6x5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"a"} : () -> tensor<16x8x1x1xf32>
    (%2) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<8x16x1x1xf32>
    (%3) = "pd_op.conv2d" (%0, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x8x6x5xf32>, tensor<16x8x1x1xf32>) -> tensor<-1x16x6x5xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1,2,8,6,5]} : () -> tensor<5xi64>
    (%5) = "pd_op.reshape" (%3, %4) {} : (tensor<-1x16x6x5xf32>, tensor<5xi64>) -> tensor<-1x2x8x6x5xf32>
    (%6) = "pd_op.transpose" (%5) {perm:[0,2,1,3,4]} : (tensor<-1x2x8x6x5xf32>) -> tensor<-1x8x2x6x5xf32>
    (%7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1,16,6,5]} : () -> tensor<4xi64>
    (%8) = "pd_op.reshape" (%6, %7) {} : (tensor<-1x8x2x6x5xf32>, tensor<4xi64>) -> tensor<-1x16x6x5xf32>
    (%9) = "pd_op.conv2d" (%8, %2) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x16x6x5xf32>, tensor<8x16x1x1xf32>) -> tensor<-1x8x6x5xf32>
    (%10) = "pd_op.fetch" (%9) {col:0,name:"out"} : (tensor<-1x8x6x5xf32>) -> tensor<-1x8x6x5xf32>
}
// CHECK: "pd_op.fetch"
// -----
// CHECK:     "cinn_op.group"
// CHECK:       "pd_op.relu"
// CHECK-NOT: "cinn_op.group"
// CHECK:     "pd_op.transpose"
// CHECK-NOT: "cinn_op.group"
// CHECK:     "pd_op.fetch"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,16,30]} : () -> tensor<-1x16x30xf32>
    (%9) = "pd_op.relu" (%0) {} : (tensor<-1x16x30xf32>) -> tensor<-1x16x30xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1,2,8,30]} : () -> tensor<4xi64>
    (%2) = "pd_op.reshape" (%9, %1) {} : (tensor<-1x16x30xf32>, tensor<4xi64>) -> tensor<-1x2x8x30xf32>
    (%3) = "pd_op.transpose" (%2) {perm:[0,3,1,2]} : (tensor<-1x2x8x30xf32>) -> tensor<-1x30x2x8xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1,30,16]} : () -> tensor<3xi64>
    (%5) = "pd_op.reshape" (%3, %4) {} : (tensor<-1x30x2x8xf32>, tensor<3xi64>) -> tensor<-1x30x16xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"out"} : (tensor<-1x30x16xf32>) -> tensor<-1x30x16xf32>
}
