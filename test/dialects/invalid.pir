// Operands that an op cannot take, found by inference: located, with what was expected and what was found.
// RUN: pir-opt --passes=infer_types --split-input-file --verify-diagnostics %s
{
  (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
  (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[4,3],stop_gradient:[true]} : () -> tensor<4x3xf32>
  // expected-error@+1 {{the shapes of the operands do not broadcast together; given x [2,3], y [4,3]}}
  (%2) = "pd_op.add" (%0, %1) {} : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
}
// -----
{
  (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
  // expected-error@+1 {{axis}}
  (%1) = "pd_op.unstack" (%0) {axis:5,num:2} : (tensor<2x3xf32>) -> vec[tensor<3xf32>,tensor<3xf32>]
}
// -----
{
  (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,1,2,2],stop_gradient:[true]} : () -> tensor<1x1x2x2xf32>
  (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[1,1,9,9],stop_gradient:[true]} : () -> tensor<1x1x9x9xf32>
  // expected-error@+1 {{extent}}
  (%2) = "pd_op.conv2d" (%0, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<1x1x2x2xf32>, tensor<1x1x9x9xf32>) -> tensor<1x1x1x1xf32>
}
// -----
{
  (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,2,8,8],stop_gradient:[true]} : () -> tensor<1x2x8x8xf32>
  // expected-error@+1 {{the operands do not fit: extent of p would be -3}}
  (%1, %2) = "pd_op.max_pool2d_v2" (%0) {adaptive:true,data_format:"NCHW",global_pooling:false,kernel_size:[-3,2],paddings:[0,0],strides:[1,1]} : (tensor<1x2x8x8xf32>) -> tensor<1x2x2x2xf32>, tensor<1x2x2x2xi32>
}
