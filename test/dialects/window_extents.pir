// Where one element with its padding holds the window, the extent of a convolution is a plain quotient: later extents and the memory plan compare such terms.
// RUN: pir-opt %s --passes=shape_analysis 2>&1 | FileCheck %s
// CHECK: "pd_op.conv2d" {{.*}}(shape[S0, 4, Div(Add(S1, 1), 2), Div(Add(S2, 1), 2)], data[NULL])
// CHECK: "pd_op.conv2d" {{.*}}(shape[S0, 4, Add(Max({{.*}}), 1), Add(Max({{.*}}), 1)], data[NULL])
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,3,-1,-1]} : () -> tensor<-1x3x-1x-1xf32>
    (%w) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[4,3,3,3]} : () -> tensor<4x3x3x3xf32>
    (%padded) = "pd_op.conv2d" (%x, %w) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[2,2]} : (tensor<-1x3x-1x-1xf32>, tensor<4x3x3x3xf32>) -> tensor<-1x4x-1x-1xf32>
    (%bare) = "pd_op.conv2d" (%x, %w) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[2,2]} : (tensor<-1x3x-1x-1xf32>, tensor<4x3x3x3xf32>) -> tensor<-1x4x-1x-1xf32>
}
