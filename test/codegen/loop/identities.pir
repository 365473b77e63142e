// What does nothing when a model is only run costs nothing: a dropout goes, or is a factor in its neighbour's loop.
// RUN: pir-opt %s --pipeline=compile | FileCheck %s
// CHECK-NOT: pd_op.dropout
// CHECK: "cinn_op.group" ({{.*}}) {kind:"{{[a-z]+}}",layouts:[{{(\[\],)*}}[0,2,3,1]]}
// CHECK-NEXT: pd_op.conv2d
// CHECK: pd_op.scale
// CHECK-NEXT: pd_op.relu
// CHECK: "cinn_op.group"
// CHECK-NEXT: pd_op.conv2d
// CHECK-NOT: pd_op.dropout
{
  (%w) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"w",persistable:[true],stop_gradient:[false],trainable:[true]} : () -> tensor<16x16x1x1xf32>
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,16,9,7],stop_gradient:[true]} : () -> tensor<2x16x9x7xf32>
  (%p) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.25} : () -> tensor<1xf32>
  (%c) = "pd_op.conv2d" (%x, %w) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x16x9x7xf32>, tensor<16x16x1x1xf32>) -> tensor<2x16x9x7xf32>
  (%d, %m) = "pd_op.dropout" (%c, <<NULL VALUE>>, %p) {fix_seed:false,is_test:true,mode:"downgrade_in_infer",seed:0} : (tensor<2x16x9x7xf32>, <<NULL TYPE>>, tensor<1xf32>) -> tensor<2x16x9x7xf32>, tensor<2x16x9x7xu8>
  (%r) = "pd_op.relu" (%d) {} : (tensor<2x16x9x7xf32>) -> tensor<2x16x9x7xf32>
  (%g) = "pd_op.conv2d" (%r, %w) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x16x9x7xf32>, tensor<16x16x1x1xf32>) -> tensor<2x16x9x7xf32>
  (%h, %n) = "pd_op.dropout" (%g, <<NULL VALUE>>, %p) {fix_seed:false,is_test:true,mode:"upscale_in_train",seed:0} : (tensor<2x16x9x7xf32>, <<NULL TYPE>>, tensor<1xf32>) -> tensor<2x16x9x7xf32>, tensor<2x16x9x7xu8>
  (%s3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,1008]} : () -> tensor<2xi64>
  (%i) = "pd_op.reshape" (%h, %s3) {} : (tensor<2x16x9x7xf32>, tensor<2xi64>) -> tensor<2x1008xf32>
  (%f) = "pd_op.fetch" (%i) {col:0,name:"o"} : (tensor<2x1008xf32>) -> tensor<2x1008xf32>
}
