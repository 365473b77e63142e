// What an attribute cannot hold is refused too: an operand that comes as a matrix, and a number that does not fit.
// RUN: pir-opt %s --emit=pdmodel 2> %t.err || test $? -eq 3
// RUN: FileCheck %s < %t.err
// CHECK: values.pir:[[# @LINE + 5]]:{{.*}}error: 'pd_op.sum' unsupported: operand 'axis' must be a constant for 'reduce_sum'
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"axis",place:Place(undefined:0),shape:[1,1],stop_gradient:[true]} : () -> tensor<1x1xi64>
    (%2) = "pd_op.relu" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.sum" (%2, %1) {dtype:Undefined,keepdim:false,stop_gradient:[true]} : (tensor<2x3xf32>, tensor<1x1xi64>) -> tensor<-1xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<-1xf32>) -> tensor<-1xf32>
}
