// A window that is larger than the padded row by less than a step has one position, and by a step none, as in Paddle. x is 1 everywhere.
// DEFINE: %{rows} = --input=x=1x1x2x4xf32=0 --input=w=1x1x3x3xf32=0
// RUN: pir-run %s %{rows} --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s %{rows} --pipeline='check,group{few=0},dce,bind' --print | FileCheck %s
// RUN: pir-run %s %{rows} --print | FileCheck %s
// CHECK: conv2d: float32[1,1,1,1]
// CHECK-NEXT: {{\[\[\[\[}}6]]]]
// CHECK-NEXT: conv3d: float32[1,1,1,1,2]
// CHECK-NEXT: {{\[\[\[\[\[}}6, 6]]]]]
// CHECK-NEXT: unfold: float32[1,9,1]
// CHECK-COUNT-6: {{\[}}1]
// CHECK-COUNT-3: {{\[}}0]
// CHECK: pool2d: float32[1,1,1,1]
// CHECK-NEXT: {{\[\[\[\[}}1]]]]
// RUN: pir-run %s --input=x=1x1x1x4xf32=0 --input=w=1x1x3x3xf32=0 --print --pipeline=kernels | FileCheck %s --check-prefix=NONE
// NONE: conv2d: float32[1,1,0,1]
// NONE: unfold: float32[1,9,0]
// NONE: pool2d: float32[1,1,0,1]
{
    (%zx) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,1,-1,-1]} : () -> tensor<-1x1x-1x-1xf32>
    (%zw) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[1,1,3,3]} : () -> tensor<1x1x3x3xf32>
    (%one) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xf32>
    (%x) = "pd_op.add" (%zx, %one) {} : (tensor<-1x1x-1x-1xf32>, tensor<1xf32>) -> tensor<-1x1x-1x-1xf32>
    (%w) = "pd_op.add" (%zw, %one) {} : (tensor<1x1x3x3xf32>, tensor<1xf32>) -> tensor<1x1x3x3xf32>
    (%c) = "pd_op.conv2d" (%x, %w) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[2,2]} : (tensor<-1x1x-1x-1xf32>, tensor<1x1x3x3xf32>) -> tensor<-1x1x-1x-1xf32>
    (%axis) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%x3) = "pd_op.unsqueeze" (%x, %axis) {} : (tensor<-1x1x-1x-1xf32>, tensor<1xi64>) -> tensor<-1x1x1x-1x-1xf32>
    (%w3) = "pd_op.unsqueeze" (%w, %axis) {} : (tensor<1x1x3x3xf32>, tensor<1xi64>) -> tensor<1x1x1x3x3xf32>
    (%d) = "pd_op.conv3d" (%x3, %w3) {data_format:"NCDHW",dilations:[1,1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0,0],strides:[1,2,1]} : (tensor<-1x1x1x-1x-1xf32>, tensor<1x1x1x3x3xf32>) -> tensor<-1x1x1x-1x-1xf32>
    (%u) = "pd_op.unfold" (%x) {dilations:[1,1],kernel_sizes:[3,3],paddings:[0,0,0,0],strides:[2,2]} : (tensor<-1x1x-1x-1xf32>) -> tensor<-1x9x-1xf32>
    (%size) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,3]} : () -> tensor<2xi64>
    (%p) = "pd_op.pool2d" (%x, %size) {adaptive:false,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[0,0],pooling_type:"avg",strides:[2,2]} : (tensor<-1x1x-1x-1xf32>, tensor<2xi64>) -> tensor<-1x1x-1x-1xf32>
    (%o0) = "pd_op.fetch" (%c) {col:0,name:"conv2d"} : (tensor<-1x1x-1x-1xf32>) -> tensor<-1x1x-1x-1xf32>
    (%o1) = "pd_op.fetch" (%d) {col:1,name:"conv3d"} : (tensor<-1x1x1x-1x-1xf32>) -> tensor<-1x1x1x-1x-1xf32>
    (%o2) = "pd_op.fetch" (%u) {col:2,name:"unfold"} : (tensor<-1x9x-1xf32>) -> tensor<-1x9x-1xf32>
    (%o3) = "pd_op.fetch" (%p) {col:3,name:"pool2d"} : (tensor<-1x1x-1x-1xf32>) -> tensor<-1x1x-1x-1xf32>
}
