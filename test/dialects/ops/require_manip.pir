// Attributes and operands that Paddle's inference refuses.
// RUN: not pir-opt --passes=check --split-input-file %s 2>&1 | FileCheck %s
// CHECK: "pd_op.flip" expects each i < count($axis) : find($axis, wrapped($axis[i], rank(x))) == i, found x [6,2], axis 0,-2, at 1
// CHECK: "pd_op.frame" expects $axis == 0 || $axis == -1, found axis 1
// CHECK: "pd_op.full_batch_size_like" expects $output_dim_idx >= 0 && $output_dim_idx < count($shape), found shape 0,1, output_dim_idx -1
// CHECK: "pd_op.full_batch_size_like" expects $input_dim_idx >= 0 && $input_dim_idx < rank(input), found input [6,2], input_dim_idx 2
// CHECK: "pd_op.gather" expects rank(index) < 2 || rank(index) == 2 && dim(index, 1) <= 1, found index [3,2]
// CHECK: "pd_op.linspace" expects numel(start) == 1 && numel(stop) == 1 && numel(number) == 1, found start [6,2], stop [1], number [1]
// CHECK: "pd_op.logspace" expects numel(start) == 1 && numel(stop) == 1 && numel(num) == 1 && numel(base) == 1, found start [1], stop [1], num [1], base [6,2]
// CHECK: "pd_op.roll" expects count($shifts) == (count($axis) == 0 ? 1 : count($axis)), found shifts 1,2, axis
// CHECK: "pd_op.slice" expects count($axes) == count($starts) && count($axes) == count($ends), found starts 1,2, ends 1, axes 0,1
// CHECK: "pd_op.split" section 1 is -2; given x [6,2], sections 0,-2, axis 0
// CHECK: "pd_op.split" section 1 is -1, too; given x [6,2], sections -1,-1, axis 0
// CHECK: "pd_op.strided_slice" expects each i < count($axes) : $axes[i] >= 0 && $axes[i] < rank(x), found x [6,2], axes -1, at 0
// CHECK: "pd_op.max" expects each i < count($axis) : find($axis, wrapped($axis[i], rank(x))) == i, found x [6,2], axis 1,-1, at 1
// CHECK: "pd_op.repeat_interleave" expects $output_size <= 0 || $output_size == dim(x, $axis) * $repeats, found x [6,2], repeats 3, axis 1, output_size 3
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6,2]} : () -> tensor<6x2xf32>
    (%y) = "pd_op.flip" (%x) {axis:[0,-2]} : (tensor<6x2xf32>) -> tensor<6x2xf32>
}
// -----
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6,2]} : () -> tensor<6x2xf32>
    (%y) = "pd_op.frame" (%x) {axis:1,frame_length:1,hop_length:1} : (tensor<6x2xf32>) -> tensor<6x1x2xf32>
}
// -----
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6,2]} : () -> tensor<6x2xf32>
    (%y) = "pd_op.full_batch_size_like" (%x) {dtype:int64,input_dim_idx:1,output_dim_idx:-1,place:Place(cpu),shape:[0,1],value:1} : (tensor<6x2xf32>) -> tensor<0x1xi64>
}
// -----
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6,2]} : () -> tensor<6x2xf32>
    (%y) = "pd_op.full_batch_size_like" (%x) {dtype:int64,input_dim_idx:2,output_dim_idx:0,place:Place(cpu),shape:[0,1],value:1} : (tensor<6x2xf32>) -> tensor<0x1xi64>
}
// -----
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6,2]} : () -> tensor<6x2xf32>
    (%i) = "pd_op.data" () {dtype:int64,name:"i",place:Place(undefined:0),shape:[3,2]} : () -> tensor<3x2xi64>
    (%a) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%y) = "pd_op.gather" (%x, %i, %a) {} : (tensor<6x2xf32>, tensor<3x2xi64>, tensor<1xi32>) -> tensor<3x2xf32>
}
// -----
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6,2]} : () -> tensor<6x2xf32>
    (%a) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%n) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:3} : () -> tensor<1xi32>
    (%y) = "pd_op.linspace" (%x, %a, %n) {dtype:float32,place:Place(cpu)} : (tensor<6x2xf32>, tensor<1xf32>, tensor<1xi32>) -> tensor<3xf32>
}
// -----
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6,2]} : () -> tensor<6x2xf32>
    (%a) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%n) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:3} : () -> tensor<1xi32>
    (%y) = "pd_op.logspace" (%a, %a, %n, %x) {dtype:float32,place:Place(cpu)} : (tensor<1xf32>, tensor<1xf32>, tensor<1xi32>, tensor<6x2xf32>) -> tensor<3xf32>
}
// -----
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6,2]} : () -> tensor<6x2xf32>
    (%s) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,2]} : () -> tensor<2xi64>
    (%y) = "pd_op.roll" (%x, %s) {axis:[]} : (tensor<6x2xf32>, tensor<2xi64>) -> tensor<6x2xf32>
}
// -----
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6,2]} : () -> tensor<6x2xf32>
    (%s) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,2]} : () -> tensor<2xi64>
    (%e) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%y) = "pd_op.slice" (%x, %s, %e) {axes:[0,1],decrease_axis:[],infer_flags:[1,1]} : (tensor<6x2xf32>, tensor<2xi64>, tensor<1xi64>) -> tensor<-1x-1xf32>
}
// -----
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6,2]} : () -> tensor<6x2xf32>
    (%s) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,-2]} : () -> tensor<2xi64>
    (%a) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%y) = "pd_op.split" (%x, %s, %a) {} : (tensor<6x2xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<-1x2xf32>,tensor<-1x2xf32>]
}
// -----
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6,2]} : () -> tensor<6x2xf32>
    (%s) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1,-1]} : () -> tensor<2xi64>
    (%a) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%y) = "pd_op.split" (%x, %s, %a) {} : (tensor<6x2xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<-1x2xf32>,tensor<-1x2xf32>]
}
// -----
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6,2]} : () -> tensor<6x2xf32>
    (%s) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%e) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%t) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%y) = "pd_op.strided_slice" (%x, %s, %e, %t) {axes:[-1]} : (tensor<6x2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6x1xf32>
}
// -----
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6,2]} : () -> tensor<6x2xf32>
    (%s) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,-1]} : () -> tensor<2xi64>
    (%y) = "pd_op.max" (%x, %s) {keepdim:true} : (tensor<6x2xf32>, tensor<2xi64>) -> tensor<6x1xf32>
}
// -----
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[6,2]} : () -> tensor<6x2xf32>
    (%y) = "pd_op.repeat_interleave" (%x) {axis:1,output_size:3,repeats:3} : (tensor<6x2xf32>) -> tensor<6x6xf32>
}
