// Numbers that the run alone knows, for an operator without a slot for them: the attribute names the variable, or those of a list.
// RUN: pir-opt %s --emit=pdmodel -o %t.pdmodel
// RUN: pir-translate %t.pdmodel | FileCheck %s
// RUN: pir-translate %t.pdmodel --to=pdmodel -o %t.again && pir-translate %t.again --to=pdmodel | cmp - %t.again
// CHECK:      (%[[X:.*]]) = "pd_op.feed" () {col:0,name:"x"
// CHECK-NEXT: (%[[A:.*]]) = "pd_op.feed" () {col:1,name:"axis"
// CHECK-NEXT: (%[[B:.*]]) = "pd_op.feed" () {col:2,name:"last"
// CHECK-NEXT: (%[[N:.*]]) = "pd_op.feed" () {col:3,name:"least"
// CHECK-NEXT: (%[[S:.*]]) = "pd_op.sum" (%[[X]], %[[A]])
// CHECK-NEXT: (%[[L:.*]]) = "builtin.combine" (%[[A]], %[[B]])
// CHECK-NEXT: (%[[T:.*]]) = "pd_op.sum" (%[[X]], %[[L]])
// CHECK-NEXT: (%[[C:.*]]) = "pd_op.bincount" (%[[A]], <<NULL VALUE>>, %[[N]])
// CHECK-NEXT: "pd_op.fetch" (%[[S]])
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,4],stop_gradient:[true]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"axis",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xi64>
    (%2) = "pd_op.data" () {dtype:int64,name:"last",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xi64>
    (%3) = "pd_op.data" () {dtype:int32,name:"least",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xi32>
    (%4) = "pd_op.sum" (%0, %1) {dtype:Undefined,keepdim:false,stop_gradient:[true]} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<-1x-1xf32>
    (%5) = "builtin.combine" (%1, %2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> vec[tensor<1xi64>,tensor<1xi64>]
    (%6) = "pd_op.sum" (%0, %5) {dtype:Undefined,keepdim:false,stop_gradient:[true]} : (tensor<2x3x4xf32>, vec[tensor<1xi64>,tensor<1xi64>]) -> tensor<-1xf32>
    (%7) = "pd_op.bincount" (%1, <<NULL VALUE>>, %3) {stop_gradient:[true]} : (tensor<1xi64>, <<NULL TYPE>>, tensor<1xi32>) -> tensor<-1xi64>
    (%8) = "pd_op.fetch" (%4) {col:0,name:"s",persistable:[true],stop_gradient:[true]} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%9) = "pd_op.fetch" (%6) {col:1,name:"t",persistable:[true],stop_gradient:[true]} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%10) = "pd_op.fetch" (%7) {col:2,name:"c",persistable:[true],stop_gradient:[true]} : (tensor<-1xi64>) -> tensor<-1xi64>
}
