// Every second element is read in whole runs that are put together, not gathered: windows of stride 2, without a mask
// (avg) and with one (padding).
// RUN: pir-opt --pipeline=compile --emit=llvm --target=x86-64-v4 %s | FileCheck %s
// CHECK: shufflevector <{{[0-9]+}} x float>
// CHECK-NOT: masked.gather
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,8,64,64],stop_gradient:[true]} : () -> tensor<1x8x64x64xf32>
  (%k) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,2]} : () -> tensor<2xi64>
  (%a) = "pd_op.pool2d" (%x, %k) {adaptive:false,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[0,0],pooling_type:"avg",stop_gradient:[true],strides:[2,2]} : (tensor<1x8x64x64xf32>, tensor<2xi64>) -> tensor<1x8x32x32xf32>
  (%l) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[3,3]} : () -> tensor<2xi64>
  (%m) = "pd_op.pool2d" (%x, %l) {adaptive:false,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[1,1],pooling_type:"max",stop_gradient:[true],strides:[2,2]} : (tensor<1x8x64x64xf32>, tensor<2xi64>) -> tensor<1x8x32x32xf32>
  (%f) = "pd_op.fetch" (%a) {col:0,name:"a",stop_gradient:[true]} : (tensor<1x8x32x32xf32>) -> tensor<1x8x32x32xf32>
  (%g) = "pd_op.fetch" (%m) {col:1,name:"m",stop_gradient:[true]} : (tensor<1x8x32x32xf32>) -> tensor<1x8x32x32xf32>
}
