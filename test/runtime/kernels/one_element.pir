// Planes and axes of one element, and pooling that is both adaptive and global, as Paddle computes them.
// RUN: pir-run %s --input=x=1x2x1x3xf32=2 --input=c=2x2xf32=1..4 --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=x=1x2x1x3xf32=2 --input=c=2x2xf32=1..4 --print | FileCheck %s
// The mean of one element is the element: nothing is left of it.
// CHECK: normed: float32[2,2]
// CHECK-NEXT: {{\[\[}}0, 0],
// CHECK-NEXT: [0, 0]]
// An axis of one element mirrors nothing.
// CHECK: sampled: float32[1,2,1,1]
// CHECK-NEXT: 2]
// CHECK-NEXT: 2]
// As many windows as x is long.
// CHECK: pooled: float32[1,2,1,3]
// CHECK-NEXT: 2, 2, 2
// CHECK-NEXT: 2, 2, 2
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,2,1,3]} : () -> tensor<1x2x1x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"c",place:Place(undefined:0),shape:[2,2]} : () -> tensor<2x2xf32>
    (%2, %3, %4) = "pd_op.instance_norm" (%1, <<NULL VALUE>>, <<NULL VALUE>>) {epsilon:1e-05} : (tensor<2x2xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>
    (%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,1,1,2],value:0.25} : () -> tensor<1x1x1x2xf32>
    (%6) = "pd_op.grid_sample" (%0, %5) {align_corners:true,mode:"nearest",padding_mode:"reflection"} : (tensor<1x2x1x3xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x1x1xf32>
    (%7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,1]} : () -> tensor<2xi64>
    (%8) = "pd_op.pool2d" (%0, %7) {adaptive:true,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:true,padding_algorithm:"EXPLICIT",paddings:[0,0],pooling_type:"avg",strides:[1,1]} : (tensor<1x2x1x3xf32>, tensor<2xi64>) -> tensor<1x2x1x3xf32>
    () = "builtin.shadow_output" (%2) {output_name:"normed"} : (tensor<2x2xf32>) -> 
    () = "builtin.shadow_output" (%6) {output_name:"sampled"} : (tensor<1x2x1x1xf32>) -> 
    () = "builtin.shadow_output" (%8) {output_name:"pooled"} : (tensor<1x2x1x3xf32>) -> 
}
