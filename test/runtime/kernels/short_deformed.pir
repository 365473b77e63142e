// A deformable convolution whose filter is larger than the row by less than a step has one position, as others have (short_windows.pir).
// RUN: pir-run %s --input=x=1x1x2x4xf32=0 --pipeline=kernels --print | FileCheck %s
// CHECK: deformed: float32[1,1,1,1]
// CHECK-NEXT: {{\[\[\[\[}}6]]]]
{
    (%zx) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,1,-1,-1]} : () -> tensor<-1x1x-1x-1xf32>
    (%one) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1.0} : () -> tensor<1xf32>
    (%x) = "pd_op.add" (%zx, %one) {} : (tensor<-1x1x-1x-1xf32>, tensor<1xf32>) -> tensor<-1x1x-1x-1xf32>
    (%w) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,1,3,3],value:1.0} : () -> tensor<1x1x3x3xf32>
    (%flat) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,18,1,1],value:0.0} : () -> tensor<1x18x1x1xf32>
    (%e) = "pd_op.deformable_conv" (%x, %flat, %w, <<NULL VALUE>>) {deformable_groups:1,dilations:[1,1],groups:1,im2col_step:1,paddings:[0,0],strides:[2,2]} : (tensor<-1x1x-1x-1xf32>, tensor<1x18x1x1xf32>, tensor<1x1x3x3xf32>, <<NULL TYPE>>) -> tensor<-1x1x-1x-1xf32>
    (%o) = "pd_op.fetch" (%e) {col:0,name:"deformed"} : (tensor<-1x1x-1x-1xf32>) -> tensor<-1x1x-1x-1xf32>
}
