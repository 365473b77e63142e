// With weights of 0 a GRU halves its state at each step. A sequence that is over keeps its state and gives zeros.
// RUN: pir-run %s --input=x=3x2x4xf32=random:1 --input=h=1x2x1xf32=0 --input=wx=3x4xf32=0 --input=n=2xi32=0 --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=x=3x0x4xf32=0 --input=h=1x0x1xf32=0 --input=wx=3x4xf32=0 --input=n=0xi32=0 --pipeline=kernels --print | FileCheck --check-prefix=EMPTY %s
// RUN: not pir-run %s --input=x=3x2x4xf32=0 --input=h=1x2x1xf32=0 --input=wx=3x5xf32=0 --input=n=2xi32=0 --pipeline=kernels 2>&1 | FileCheck --check-prefix=WEIGHTS %s
// RUN: not pir-run %s --input=x=3x2x4xf32=0 --input=h=1x2x2xf32=0 --input=wx=3x4xf32=0 --input=n=2xi32=0 --pipeline=kernels 2>&1 | FileCheck --check-prefix=STATE %s
// RUN: not pir-run %s --input=x=3x2x4xf32=0 --input=h=1x2x1xf32=0 --input=wx=3x4xf32=0 --input=n=3xi32=0 --pipeline=kernels 2>&1 | FileCheck --check-prefix=LENGTHS %s
// CHECK: out: float32[3,2,1]
// CHECK-NEXT: 0.5
// CHECK-NEXT: 0.5
// CHECK: 0]
// CHECK: last: float32[1,2,1]
// CHECK-NEXT: 0.5
// EMPTY: out: float32[3,0,1]
// WEIGHTS: pd_op.rnn: weight_list: expects 4 along axis 1, found 5
// STATE: pd_op.rnn: pre_state: expects 1 along axis 2, found 2
// LENGTHS: pd_op.rnn: sequence_length: expects 2 along axis 0, found 3
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1,-1],stop_gradient:[true]} : () -> tensor<-1x-1x-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"h",place:Place(undefined:0),shape:[-1,-1,-1],stop_gradient:[true]} : () -> tensor<-1x-1x-1xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"wx",place:Place(undefined:0),shape:[-1,-1],stop_gradient:[true]} : () -> tensor<-1x-1xf32>
    (%3) = "pd_op.data" () {dtype:int32,name:"n",place:Place(undefined:0),shape:[-1],stop_gradient:[true]} : () -> tensor<-1xi32>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[3,1],stop_gradient:[true],value:0} : () -> tensor<3x1xf32>
    (%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[3],stop_gradient:[true],value:0} : () -> tensor<3xf32>
    (%6) = "pd_op.full" () {dtype:uint8,place:Place(cpu),shape:[0],stop_gradient:[true],value:0} : () -> tensor<0xu8>
    (%16) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
    (%17) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xi32>
    (%18) = "pd_op.add" (%1, %16) {stop_gradient:[true]} : (tensor<-1x-1x-1xf32>, tensor<1xf32>) -> tensor<-1x-1x-1xf32>
    (%19) = "pd_op.add" (%3, %17) {stop_gradient:[true]} : (tensor<-1xi32>, tensor<1xi32>) -> tensor<-1xi32>
    (%7) = "builtin.combine" (%18) {stop_gradient:[true]} : (tensor<-1x-1x-1xf32>) -> vec[tensor<-1x-1x-1xf32>]
    (%8) = "builtin.combine" (%2, %4, %5, %5) {stop_gradient:[true]} : (tensor<-1x-1xf32>, tensor<3x1xf32>, tensor<3xf32>, tensor<3xf32>) -> vec[tensor<-1x-1xf32>,tensor<3x1xf32>,tensor<3xf32>,tensor<3xf32>]
    (%9, %10, %11, %12) = "pd_op.rnn" (%0, %7, %8, %19, %6) {dropout_prob:0,hidden_size:1,input_size:4,is_bidirec:false,is_test:true,mode:"GRU",num_layers:1,seed:0,stop_gradient:[true,true,true,true]} : (tensor<-1x-1x-1xf32>, vec[tensor<-1x-1x-1xf32>], vec[tensor<-1x-1xf32>,tensor<3x1xf32>,tensor<3xf32>,tensor<3xf32>], tensor<-1xi32>, tensor<0xu8>) -> tensor<-1x-1x1xf32>, tensor<0xf32>, vec[tensor<-1x-1x-1xf32>], tensor<0xf32>
    (%13) = "builtin.split" (%11) {stop_gradient:[true]} : (vec[tensor<-1x-1x-1xf32>]) -> tensor<-1x-1x-1xf32>
    (%14) = "pd_op.fetch" (%9) {col:0,name:"out",persistable:[true],stop_gradient:[true]} : (tensor<-1x-1x1xf32>) -> tensor<-1x-1x1xf32>
    (%15) = "pd_op.fetch" (%13) {col:1,name:"last",persistable:[true],stop_gradient:[true]} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
}
