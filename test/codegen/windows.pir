// A window that reaches over the border is a shorter loop, not a masked one, where all lanes share its bounds: channels-last
// behind a convolution there is no mask, and no count of points. Along the lanes of a row-major image (strides.pir) it
// stays a mask.
// RUN: pir-opt %s --emit=loops --target=x86-64-v3 | FileCheck %s
// RUN: mkdir -p %t && pir-run %S/contract/strides.pir --pipeline=kernels --input=x=1x8x64x64xf32=random:1 --output-dir=%t
// RUN: pir-run %S/contract/strides.pir --target=x86-64 --input=x=1x8x64x64xf32=random:1 --expect-dir=%t
// RUN: pir-run %S/contract/strides.pir --target=x86-64-v3 --input=x=1x8x64x64xf32=random:1 --expect-dir=%t
// CHECK: group g{{[0-9]+}}: pd_op.full_int_array, pd_op.pool2d
// CHECK-NOT: where
// CHECK: for [[I:v[0-9]+]] {{.*}}= max(0, {{.*}}) to min(3, {{.*}}) by 1
// CHECK-NEXT: for [[J:v[0-9]+]] {{.*}}= max(0, {{.*}}) to min(3, {{.*}}) by 1
// CHECK-NOT: where
// CHECK-NOT: select
// CHECK: group
{
  (%w) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"w",persistable:[true],stop_gradient:[false],trainable:[true]} : () -> tensor<32x16x1x1xf32>
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,16,9,7],stop_gradient:[true]} : () -> tensor<-1x16x9x7xf32>
  (%c) = "pd_op.conv2d" (%x, %w) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],stop_gradient:[false],strides:[1,1]} : (tensor<-1x16x9x7xf32>, tensor<32x16x1x1xf32>) -> tensor<-1x32x9x7xf32>
  (%k) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[3,3]} : () -> tensor<2xi64>
  (%a) = "pd_op.pool2d" (%c, %k) {adaptive:false,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[1,1],pooling_type:"avg",stop_gradient:[true],strides:[2,2]} : (tensor<-1x32x9x7xf32>, tensor<2xi64>) -> tensor<-1x32x5x4xf32>
  (%d) = "pd_op.conv2d" (%a, %w) {data_format:"NCHW",dilations:[1,1],groups:2,padding_algorithm:"EXPLICIT",paddings:[0,0],stop_gradient:[false],strides:[1,1]} : (tensor<-1x32x5x4xf32>, tensor<32x16x1x1xf32>) -> tensor<-1x32x5x4xf32>
  (%f) = "pd_op.fetch" (%d) {col:0,name:"m",stop_gradient:[true]} : (tensor<-1x32x5x4xf32>) -> tensor<-1x32x5x4xf32>
}
