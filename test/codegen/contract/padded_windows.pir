// Windows that lie in the padding alone add nothing: no step before the first one is taken, and nothing outside of the operand is read.
// RUN: mkdir -p %t && pir-run %s --input=x=2x1x2x1xf32=random:2 --input=w=2x1x2x1xf32=random:3 --pipeline=kernels --output-dir=%t
// RUN: pir-run %s --input=x=2x1x2x1xf32=random:2 --input=w=2x1x2x1xf32=random:3 --pipeline='ungrouped,group{few=0},dce,bind' --expect-dir=%t
// RUN: pir-run %s --input=x=2x1x2x1xf32=random:2 --input=w=2x1x2x1xf32=random:3 --pipeline='ungrouped,group{few=0},dce,bind' --print | FileCheck %s
// CHECK: y: float32[2,6,2,2]
// CHECK-NEXT: {{\[\[\[\[0, 0\],}}
// CHECK-NEXT: [0, 0]],
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,1,2,1]} : () -> tensor<2x1x2x1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[2,1,2,1]} : () -> tensor<2x1x2x1xf32>
    (%2) = "pd_op.depthwise_conv2d" (%0, %1) {data_format:"NHWC",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[3,0],strides:[1,1]} : (tensor<2x1x2x1xf32>, tensor<2x1x2x1xf32>) -> tensor<2x6x2x2xf32>
    () = "builtin.shadow_output" (%2) {output_name:"y"} : (tensor<2x6x2x2xf32>) -> 
}
