// A convolution without channels, in groups: every element is 0. The strides of a tensor without elements tell no axes apart.
// RUN: mkdir -p %t && pir-run %s --input=input=8x0x1x8x1xf32=0 --input=filter=8x0x1x8x1xf32=0 --pipeline=kernels --output-dir=%t
// RUN: pir-run %s --input=input=8x0x1x8x1xf32=0 --input=filter=8x0x1x8x1xf32=0 --pipeline='ungrouped,group{few=0},dce,bind' --expect-dir=%t
// RUN: pir-run %s --input=input=8x0x1x8x1xf32=0 --input=filter=8x0x1x8x1xf32=0 --print | FileCheck %s
// CHECK: out: float32[8,8,1,8,1]
// CHECK-NOT: {{[1-9]|nan}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"input",place:Place(undefined:0),shape:[8,0,1,8,1]} : () -> tensor<8x0x1x8x1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"filter",place:Place(undefined:0),shape:[8,0,1,8,1]} : () -> tensor<8x0x1x8x1xf32>
    (%2) = "pd_op.conv3d" (%0, %1) {data_format:"NCDHW",dilations:[3,3,2],groups:4,padding_algorithm:"SAME",paddings:[0,0,0],strides:[1,1,1]} : (tensor<8x0x1x8x1xf32>, tensor<8x0x1x8x1xf32>) -> tensor<8x8x1x8x1xf32>
    () = "builtin.shadow_output" (%2) {output_name:"out"} : (tensor<8x8x1x8x1xf32>) ->
}
