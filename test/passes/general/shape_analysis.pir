// Symbolic shapes: as Paddle prints them, behind every op; what ops demand is an attribute. What is printed reads back.
// RUN: pir-opt --passes=shape_analysis %s -o %t && FileCheck %s <%t
// RUN: pir-opt --passes=shape_analysis %t | FileCheck %s
// RUN: pir-opt --passes=shape_analysis --emit=typed %s | FileCheck --check-prefix=TYPED %s
// TYPED: "pd_op.relu"{{.*}}sym_shape_str:["shape[Add(S0, S4), S1, S2], data[NULL]"]
{
  // CHECK: (%0) = "pd_op.data"{{.*}} -> tensor<-1x-1x-1xf32> { (shape[S0, S1, S2], data[NULL]) }
  (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1,-1],stop_gradient:[true]} : () -> tensor<-1x-1x-1xf32>
  // A weight that is known makes an extent of the input known.
  // CHECK: (%1) = "pd_op.data"{{.*}} { (shape[8, 4], data[NULL]) }
  (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[-1,4],stop_gradient:[true]} : () -> tensor<-1x4xf32>
  // CHECK: (%2) = "pd_op.data"{{.*}} { (shape[S4, S1, S2], data[NULL]) }
  (%2) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1,-1,-1],stop_gradient:[true]} : () -> tensor<-1x-1x-1xf32>
  // Elements of an input are symbols.
  // CHECK: (%3) = "pd_op.data"{{.*}} { (shape[2], data[S7, S8]) }
  (%3) = "pd_op.data" () {dtype:int64,name:"n",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xi64>
  // CHECK: (%4) = "pd_op.full"{{.*}} { (shape[1], data[0]) }
  (%4) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
  // CHECK: "builtin.combine"{{.*}} { (shape[S0, S1, S2], data[NULL], shape[S4, S1, S2], data[NULL]) }
  (%5) = "builtin.combine" (%0, %2) {} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> vec[tensor<-1x-1x-1xf32>,tensor<-1x-1x-1xf32>]
  // CHECK: "pd_op.concat"{{.*}}sym_constraints:["Equal(S1, S5)","Equal(S2, S6)"]{{.*}} { (shape[Add(S0, S4), S1, S2], data[NULL]) }
  (%6) = "pd_op.concat" (%5, %4) {} : (vec[tensor<-1x-1x-1xf32>,tensor<-1x-1x-1xf32>], tensor<1xi32>) -> tensor<-1x-1x-1xf32>
  (%7) = "pd_op.relu" (%6) {} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
  // CHECK: "pd_op.flatten"{{.*}} { (shape[Add(Mul(S0, S1), Mul(S1, S4)), S2], data[NULL]) }
  (%8) = "pd_op.flatten" (%7) {start_axis:0,stop_axis:1} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1xf32>
  // CHECK: "pd_op.shape64"{{.*}} { (shape[3], data[S0, S1, S2]) }
  (%9) = "pd_op.shape64" (%0) {} : (tensor<-1x-1x-1xf32>) -> tensor<3xi64>
  // CHECK: "pd_op.add"{{.*}}sym_constraints:["Broadcastable(S0, S4)"]{{.*}} { (shape[Broadcast(S0, S4), S1, S2], data[NULL]) }
  (%10) = "pd_op.add" (%0, %2) {} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
  // CHECK: "pd_op.reshape"{{.*}} { (shape[S7, S8], data[NULL]) }
  (%11) = "pd_op.reshape" (%8, %3) {} : (tensor<-1x-1xf32>, tensor<2xi64>) -> tensor<-1x-1xf32>
  (%12) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[6,8]} : () -> tensor<2xi64>
  (%13) = "pd_op.reshape" (%10, %12) {} : (tensor<-1x-1x-1xf32>, tensor<2xi64>) -> tensor<6x8xf32>
  // CHECK: "pd_op.matmul"{{.*}}sym_constraints:["Equal(8, S3)"]{{.*}} { (shape[6, 4], data[NULL]) }
  (%14) = "pd_op.matmul" (%13, %1) {transpose_x:false,transpose_y:false} : (tensor<6x8xf32>, tensor<-1x4xf32>) -> tensor<6x4xf32>
  (%15) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:3} : () -> tensor<1xi64>
  (%16) = "pd_op.less_than" (%15, %15) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
  // What a loop leaves alone keeps its symbols, what it changes gets new ones.
  // CHECK: "pd_op.while"
  (%17, %18) = "pd_op.while" (cond=%16, inputs=%15, %0) {
    ^%arg_0, %arg_1
    (%19) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    // CHECK: "pd_op.scale"{{.*}} { (shape[1], data[Add([[I:S[0-9]+]], 1)]) }
    (%20) = "pd_op.scale" (%arg_0, %19) {bias:1,bias_after_scale:true} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
    (%21) = "pd_op.less_than" (%20, %15) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    // CHECK: "pd_op.tanh"{{.*}} { (shape[S0, S1, S2], data[NULL]) }
    (%22) = "pd_op.tanh" (%arg_1) {} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    () = "cf.yield" (%21, %20, %22) {} : (tensor<1xb>, tensor<1xi64>, tensor<-1x-1x-1xf32>) ->
  // CHECK: } { (shape[1], data[{{S[0-9]+}}]), (shape[S0, S1, S2], data[NULL]) }
  }
}
