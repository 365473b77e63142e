// A sequence without steps adds nothing to the gradients of an rnn's weights, whatever its first state is.
// RUN: pir-run %s --input=x=3x2x2xf32=0.3 --input=wx=2x2xf32=0.2 --input=wh=2x2xf32=0.1 --input=bx=2xf32=0.1 --input=bh=2xf32=0 \
// RUN:   --input=out=3x2x2xf32=0 --input=og=3x2x2xf32=1 --input=sg0=1x2x2xf32=0 --print | FileCheck %s
// CHECK:     wg
// CHECK-NOT: nan
// CHECK:     xg
// CHECK-NOT: nan
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3, 2, 2],stop_gradient:[true]} : () -> tensor<3x2x2xf32>
    (%run) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,1,2],value:0.5} : () -> tensor<1x1x2xf32>
    (%minus) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,1,2],value:-1.0} : () -> tensor<1x1x2xf32>
    (%none) = "pd_op.log" (%minus) {} : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
    (%both) = "builtin.combine" (%run, %none) {} : (tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> vec[tensor<1x1x2xf32>,tensor<1x1x2xf32>]
    (%one) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%h0) = "pd_op.concat" (%both, %one) {} : (vec[tensor<1x1x2xf32>,tensor<1x1x2xf32>], tensor<1xi32>) -> tensor<1x2x2xf32>
    (%wx) = "pd_op.data" () {dtype:float32,name:"wx",place:Place(undefined:0),shape:[2, 2],stop_gradient:[true]} : () -> tensor<2x2xf32>
    (%wh) = "pd_op.data" () {dtype:float32,name:"wh",place:Place(undefined:0),shape:[2, 2],stop_gradient:[true]} : () -> tensor<2x2xf32>
    (%bx) = "pd_op.data" () {dtype:float32,name:"bx",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%bh) = "pd_op.data" () {dtype:float32,name:"bh",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%out) = "pd_op.data" () {dtype:float32,name:"out",place:Place(undefined:0),shape:[3, 2, 2],stop_gradient:[true]} : () -> tensor<3x2x2xf32>
    (%og) = "pd_op.data" () {dtype:float32,name:"og",place:Place(undefined:0),shape:[3, 2, 2],stop_gradient:[true]} : () -> tensor<3x2x2xf32>
    (%sg0) = "pd_op.data" () {dtype:float32,name:"sg0",place:Place(undefined:0),shape:[1, 2, 2],stop_gradient:[true]} : () -> tensor<1x2x2xf32>
    (%ln0) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,0],stop_gradient:[true]} : () -> tensor<2xi64>
    (%ln) = "pd_op.cast" (%ln0) {dtype:int32,stop_gradient:[true]} : (tensor<2xi64>) -> tensor<2xi32>
    (%u) = "pd_op.full" () {dtype:uint8,place:Place(cpu),shape:[0],stop_gradient:[true],value:0} : () -> tensor<0xu8>
    (%st) = "builtin.combine" (%h0) {stop_gradient:[true]} : (tensor<1x2x2xf32>) -> vec[tensor<1x2x2xf32>]
    (%wl) = "builtin.combine" (%wx, %wh, %bx, %bh) {stop_gradient:[true]} : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2x2xf32>,tensor<2x2xf32>,tensor<2xf32>,tensor<2xf32>]
    (%sg) = "builtin.combine" (%sg0) {stop_gradient:[true]} : (tensor<1x2x2xf32>) -> vec[tensor<1x2x2xf32>]
    (%xg, %stg, %wg) = "pd_op.rnn_grad" (%x, %st, %wl, %ln, %out, %u, %out, %og, %sg) {dropout_prob:0,hidden_size:2,input_size:2,is_bidirec:false,is_test:true,mode:"RNN_TANH",num_layers:1,seed:0,stop_gradient:[true,true,true]} : (tensor<3x2x2xf32>, vec[tensor<1x2x2xf32>], vec[tensor<2x2xf32>,tensor<2x2xf32>,tensor<2xf32>,tensor<2xf32>], tensor<2xi32>, tensor<3x2x2xf32>, tensor<0xu8>, tensor<3x2x2xf32>, tensor<3x2x2xf32>, vec[tensor<1x2x2xf32>]) -> tensor<3x2x2xf32>, vec[tensor<1x2x2xf32>], vec[tensor<2x2xf32>,tensor<2x2xf32>,tensor<2xf32>,tensor<2xf32>]
    (%w0, %w1, %w2, %w3) = "builtin.split" (%wg) {} : (vec[tensor<2x2xf32>,tensor<2x2xf32>,tensor<2xf32>,tensor<2xf32>]) -> tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>
    (%o0) = "pd_op.fetch" (%w1) {col:0,name:"wg"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%o1) = "pd_op.fetch" (%xg) {col:1,name:"xg"} : (tensor<3x2x2xf32>) -> tensor<3x2x2xf32>
}
