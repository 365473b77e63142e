// Attribute operands: constants become attributes (and are written as ops only for other uses), tensors go to the slot that takes
// one, lists to the slot that takes a list; numbers that no f32 holds are tensors. A bias that was reshaped to the channels is `axis` again.
// RUN: pir-opt %s --emit=pdmodel -o %t.pdmodel
// RUN: pir-translate %t.pdmodel | FileCheck %s
// RUN: pir-translate %t.pdmodel --to=pdmodel -o %t.again && pir-translate %t.again --to=pdmodel | cmp - %t.again
// CHECK:      (%[[B:.*]]) = "builtin.parameter" () {parameter_name:"bias"
// CHECK-NEXT: (%[[X:.*]]) = "pd_op.feed" () {col:0,name:"x"
// CHECK-NEXT: (%[[S:.*]]) = "pd_op.feed" () {col:1,name:"s"
// CHECK-NEXT: (%[[V:.*]]) = "pd_op.full_int_array" () {{.*}}value:[1,3,1,1]
// CHECK-NEXT: (%[[P:.*]]) = "pd_op.reshape" (%[[B]], %[[V]])
// CHECK-NEXT: (%[[A:.*]]) = "pd_op.add" (%[[X]], %[[P]])
// CHECK-NEXT: (%[[L:.*]]) = "builtin.combine" (%[[S]])
// CHECK-NEXT: (%[[R:.*]]) = "pd_op.reshape" (%[[A]], %[[L]])
// CHECK-NEXT: (%[[K:.*]]) = "pd_op.full" () {dtype:int32{{.*}}value:2
// CHECK-NEXT: (%[[Q:.*]]) = "pd_op.full_int_array" () {{.*}}value:[0]
// CHECK-NEXT: (%[[W:.*]]) = "pd_op.full_int_array" () {{.*}}value:[1]
// CHECK-NEXT: (%[[E:.*]]) = "pd_op.slice" (%[[S]], %[[Q]], %[[W]])
// CHECK-NEXT: (%[[M:.*]]) = "builtin.combine" (%[[E]], %[[K]])
// CHECK-NEXT: (%[[T:.*]]) = "pd_op.expand" (%[[R]], %[[M]])
// CHECK-NEXT: (%[[F:.*]]) = "pd_op.full" () {dtype:int64{{.*}}value:9223372036854775807
// CHECK-NEXT: (%[[Z:.*]]) = "pd_op.scale" (%[[T]], %[[F]])
// CHECK-NEXT: "pd_op.fetch" (%[[Z]]) {col:0,name:"y"
{
    (%0) = "builtin.parameter" () {parameter_name:"bias",persistable:[true],stop_gradient:[false]} : () -> tensor<3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,3,2,2],stop_gradient:[true]} : () -> tensor<1x3x2x2xf32>
    (%2) = "pd_op.data" () {dtype:int32,name:"s",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xi32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1,3,1,1]} : () -> tensor<4xi64>
    (%4) = "pd_op.reshape" (%0, %3) {stop_gradient:[false]} : (tensor<3xf32>, tensor<4xi64>) -> tensor<1x3x1x1xf32>
    (%5) = "pd_op.add" (%1, %4) {stop_gradient:[false]} : (tensor<1x3x2x2xf32>, tensor<1x3x1x1xf32>) -> tensor<1x3x2x2xf32>
    (%6) = "pd_op.reshape" (%5, %2) {stop_gradient:[false]} : (tensor<1x3x2x2xf32>, tensor<2xi32>) -> tensor<-1x-1xf32>
    (%7) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[],stop_gradient:[true],value:2} : () -> tensor<i32>
    (%8) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0]} : () -> tensor<1xi64>
    (%9) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1]} : () -> tensor<1xi64>
    (%10) = "pd_op.slice" (%2, %8, %9) {axes:[0],decrease_axis:[0],infer_flags:[1],stop_gradient:[true]} : (tensor<2xi32>, tensor<1xi64>, tensor<1xi64>) -> tensor<i32>
    (%11) = "builtin.combine" (%10, %7) {stop_gradient:[true]} : (tensor<i32>, tensor<i32>) -> vec[tensor<i32>,tensor<i32>]
    (%12) = "pd_op.expand" (%6, %11) {stop_gradient:[false]} : (tensor<-1x-1xf32>, vec[tensor<i32>,tensor<i32>]) -> tensor<-1x2xf32>
    (%14) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],stop_gradient:[true],value:9223372036854775807} : () -> tensor<1xi64>
    (%15) = "pd_op.scale" (%12, %14) {bias:0,bias_after_scale:true,stop_gradient:[false]} : (tensor<-1x2xf32>, tensor<1xi64>) -> tensor<-1x2xf32>
    (%13) = "pd_op.fetch" (%15) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
}
