// RUN: pir-opt %s --split-input-file --verify-each --passes=group,dce | FileCheck %s
// RUN: not pir-opt %s --split-input-file --passes="group{few=many}" 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: option few of pass build_cinn_pass expects a number, has 'many'

// A chain of element-wise ops over one shape is one group, with the constants it reads; a value that is read outside
// is handed out beside the last one.
// CHECK:      (%1, %2) = "cinn_op.group" (%0) {kind:"elements"} -> tensor<-1x64xf32>, tensor<-1x64xf32> {
// CHECK-NEXT:   "pd_op.exp" (%0)
// CHECK-NEXT:   "pd_op.full"
// CHECK-NEXT:   "pd_op.scale"
// CHECK-NEXT:   "pd_op.relu"
// CHECK-NEXT:   "cf.yield"
// CHECK:      }
// CHECK-NOT:  "pd_op.full"
// CHECK:      "pd_op.fetch"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,64],stop_gradient:[true]} : () -> tensor<-1x64xf32>
    (%1) = "pd_op.exp" (%0) {stop_gradient:[true]} : (tensor<-1x64xf32>) -> tensor<-1x64xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:2} : () -> tensor<1xf32>
    (%3) = "pd_op.scale" (%1, %2) {bias:0.5,bias_after_scale:true,stop_gradient:[true]} : (tensor<-1x64xf32>, tensor<1xf32>) -> tensor<-1x64xf32>
    (%4) = "pd_op.relu" (%3) {stop_gradient:[true]} : (tensor<-1x64xf32>) -> tensor<-1x64xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0",persistable:[true],stop_gradient:[true]} : (tensor<-1x64xf32>) -> tensor<-1x64xf32>
    (%6) = "pd_op.fetch" (%1) {col:1,name:"fetch1",persistable:[true],stop_gradient:[true]} : (tensor<-1x64xf32>) -> tensor<-1x64xf32>
}

// -----
// Reductions over one space, what they read and what reads them are one group: two passes over a row.
// CHECK:      "cinn_op.group" (%0) {kind:"rows"} -> tensor<-1x64xf32> {
// CHECK:        "pd_op.max"
// CHECK:        "pd_op.subtract"
// CHECK:        "pd_op.exp"
// CHECK:        "pd_op.sum"
// CHECK:        "pd_op.divide"
// CHECK-NEXT:   "cf.yield"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,64],stop_gradient:[true]} : () -> tensor<-1x64xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1]} : () -> tensor<1xi64>
    (%2) = "pd_op.max" (%0, %1) {keepdim:true,stop_gradient:[true]} : (tensor<-1x64xf32>, tensor<1xi64>) -> tensor<-1x1xf32>
    (%3) = "pd_op.subtract" (%0, %2) {stop_gradient:[true]} : (tensor<-1x64xf32>, tensor<-1x1xf32>) -> tensor<-1x64xf32>
    (%4) = "pd_op.exp" (%3) {stop_gradient:[true]} : (tensor<-1x64xf32>) -> tensor<-1x64xf32>
    (%5) = "pd_op.sum" (%4, %1) {dtype:Undefined,keepdim:true,stop_gradient:[true]} : (tensor<-1x64xf32>, tensor<1xi64>) -> tensor<-1x1xf32>
    (%6) = "pd_op.divide" (%4, %5) {stop_gradient:[true]} : (tensor<-1x64xf32>, tensor<-1x1xf32>) -> tensor<-1x64xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"fetch0",persistable:[true],stop_gradient:[true]} : (tensor<-1x64xf32>) -> tensor<-1x64xf32>
}

// -----
// One contraction and what is done to its sums; what feeds a contraction comes from a buffer.
// CHECK:      "cinn_op.group"
// CHECK-NEXT:   "pd_op.relu"
// CHECK-NEXT:   "cf.yield"
// CHECK:      "cinn_op.group"
// CHECK-NEXT:   "pd_op.matmul"
// CHECK-NEXT:   "pd_op.add"
// CHECK-NEXT:   "pd_op.gelu"
// CHECK-NEXT:   "cf.yield"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,64],stop_gradient:[true]} : () -> tensor<-1x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[64,96],stop_gradient:[true]} : () -> tensor<64x96xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(undefined:0),shape:[96],stop_gradient:[true]} : () -> tensor<96xf32>
    (%3) = "pd_op.relu" (%0) {stop_gradient:[true]} : (tensor<-1x64xf32>) -> tensor<-1x64xf32>
    (%4) = "pd_op.matmul" (%3, %1) {stop_gradient:[true],transpose_x:false,transpose_y:false} : (tensor<-1x64xf32>, tensor<64x96xf32>) -> tensor<-1x96xf32>
    (%5) = "pd_op.add" (%4, %2) {stop_gradient:[true]} : (tensor<-1x96xf32>, tensor<96xf32>) -> tensor<-1x96xf32>
    (%6) = "pd_op.gelu" (%5) {approximate:false,stop_gradient:[true]} : (tensor<-1x96xf32>) -> tensor<-1x96xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"fetch0",persistable:[true],stop_gradient:[true]} : (tensor<-1x96xf32>) -> tensor<-1x96xf32>
}

// -----
// A path that leaves the union and comes back keeps two clusters apart: exp and multiply have one shape, but the
// product waits for a running sum of exp's result, which is called.
// CHECK:      "cinn_op.group"
// CHECK-NEXT:   "pd_op.exp"
// CHECK-NEXT:   "cf.yield"
// CHECK:      "pd_op.cumsum"
// CHECK:      "cinn_op.group"
// CHECK-NEXT:   "pd_op.multiply"
// CHECK-NEXT:   "cf.yield"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[16,64],stop_gradient:[true]} : () -> tensor<16x64xf32>
    (%1) = "pd_op.exp" (%0) {stop_gradient:[true]} : (tensor<16x64xf32>) -> tensor<16x64xf32>
    (%2) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xi32>
    (%3) = "pd_op.cumsum" (%1, %2) {exclusive:false,flatten:false,reverse:false,stop_gradient:[true]} : (tensor<16x64xf32>, tensor<1xi32>) -> tensor<16x64xf32>
    (%4) = "pd_op.multiply" (%1, %3) {stop_gradient:[true]} : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0",persistable:[true],stop_gradient:[true]} : (tensor<16x64xf32>) -> tensor<16x64xf32>
}

// -----
// Few elements are not worth compiling, and a reshape needs no code.
// CHECK-NOT: "cinn_op.group"
// CHECK:     "pd_op.relu"
// CHECK:     "pd_op.reshape"
// CHECK-NOT: "cinn_op.group"
// CHECK:     "pd_op.fetch"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,4],stop_gradient:[true]} : () -> tensor<4x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[64,64],stop_gradient:[true]} : () -> tensor<64x64xf32>
    (%2) = "pd_op.relu" (%0) {stop_gradient:[true]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[16,256]} : () -> tensor<2xi64>
    (%4) = "pd_op.reshape" (%1, %3) {stop_gradient:[true]} : (tensor<64x64xf32>, tensor<2xi64>) -> tensor<16x256xf32>
    (%5) = "pd_op.fetch" (%2) {col:0,name:"fetch0",persistable:[true],stop_gradient:[true]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%6) = "pd_op.fetch" (%4) {col:1,name:"fetch1",persistable:[true],stop_gradient:[true]} : (tensor<16x256xf32>) -> tensor<16x256xf32>
}
