// A variable is written only behind all that read it, also those that read it in a list, and what an op in place left in it: the
// loop's `concat` gets a variable of its own and is copied at the end, and so is the sum. A list that is read behind a loop keeps its
// members from it.
// RUN: rm -rf %t && mkdir -p %t/want
// RUN: pir-opt %s --emit=pdmodel -o %t/m.pdmodel
// RUN: pir-run %s --input=x=2x2xf32=random:3 --input=n=1xi64=0 --pipeline=kernels --output-dir=%t/want
// RUN: pir-run %t/m.pdmodel --input=x=2x2xf32=random:3 --input=n=1xi64=0 --pipeline=kernels --expect-dir=%t/want
// RUN: pir-translate %t/m.pdmodel | FileCheck %s
// CHECK:      (%[[X0:.*]]) = "pd_op.assign" (%[[X:[0-9]+]])
// CHECK:      "pd_op.while" (cond=%{{[0-9]+}}, inputs=%{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}})
// CHECK-NEXT: ^%[[I:.*]] {}, %[[GROWS:.*]] {}, %[[S:.*]] {}, %[[L:.*]] {}
// CHECK:        "builtin.combine" (%[[GROWS]], %[[X]])
// CHECK:        (%[[CAT:[0-9]+]]) = "pd_op.concat"
// CHECK:        (%[[R:[0-9]+]]) = "pd_op.relu_" (%[[S]])
// CHECK:        (%[[E:[0-9]+]]) = "pd_op.exp"
// CHECK:        (%[[SUM:[0-9]+]]) = "pd_op.add" (%[[R]], %[[E]])
// CHECK-DAG:    "pd_op.assign_out_" (%[[CAT]], %[[GROWS]])
// CHECK-DAG:    "pd_op.assign_out_" (%[[E]], %[[R]])
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,2],stop_gradient:[true]} : () -> tensor<-1x2xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"n",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xi64>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:-2} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi32>
    (%4) = "pd_op.less_than" (%2, %1) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%5) = "pd_op.exp" (%0) {stop_gradient:[true]} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
    (%6) = "builtin.combine" (%5, %0) {stop_gradient:[true]} : (tensor<-1x2xf32>, tensor<-1x2xf32>) -> vec[tensor<-1x2xf32>,tensor<-1x2xf32>]
    (%7) = "pd_op.tanh" (%0) {stop_gradient:[true]} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
    (%8, %9, %10, %11) = "pd_op.while" (cond=%4, inputs=%2, %0, %7, %5) { 
    ^%arg_0 {}, %arg_1 {}, %arg_2 {}, %arg_3 {}
        (%12) = "builtin.combine" (%arg_1, %0) {stop_gradient:[true]} : (tensor<-1x2xf32>, tensor<-1x2xf32>) -> vec[tensor<-1x2xf32>,tensor<-1x2xf32>]
        (%13) = "pd_op.concat" (%12, %3) {stop_gradient:[true]} : (vec[tensor<-1x2xf32>,tensor<-1x2xf32>], tensor<1xi32>) -> tensor<-1x2xf32>
        (%14) = "pd_op.relu_" (%arg_2) {stop_gradient:[true]} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
        (%15) = "pd_op.exp" (%0) {stop_gradient:[true]} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
        (%16) = "pd_op.add" (%14, %15) {stop_gradient:[true]} : (tensor<-1x2xf32>, tensor<-1x2xf32>) -> tensor<-1x2xf32>
        (%17) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
        (%18) = "pd_op.scale" (%arg_0, %17) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%19) = "pd_op.less_than" (%18, %1) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%19, %18, %13, %15, %16) {} : (tensor<1xb>, tensor<1xi64>, tensor<-1x2xf32>, tensor<-1x2xf32>, tensor<-1x2xf32>) -> 
    }
    (%20) = "pd_op.concat" (%6, %3) {stop_gradient:[true]} : (vec[tensor<-1x2xf32>,tensor<-1x2xf32>], tensor<1xi32>) -> tensor<-1x2xf32>
    (%21) = "pd_op.fetch" (%9) {col:0,name:"a",persistable:[true],stop_gradient:[true]} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
    (%22) = "pd_op.fetch" (%10) {col:1,name:"b",persistable:[true],stop_gradient:[true]} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
    (%23) = "pd_op.fetch" (%11) {col:2,name:"c",persistable:[true],stop_gradient:[true]} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
    (%24) = "pd_op.fetch" (%20) {col:3,name:"d",persistable:[true],stop_gradient:[true]} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
}
