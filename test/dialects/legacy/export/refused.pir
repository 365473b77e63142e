// What the old format never had is refused by name, each kind of op once and located, and nothing is written.
// RUN: rm -f %t.pdmodel && pir-opt %s --emit=pdmodel -o %t.pdmodel 2> %t.err || test $? -eq 3
// RUN: FileCheck %s < %t.err && test ! -e %t.pdmodel
// RUN: pir-translate %s --to=pdmodel 2> %t.err || test $? -eq 3
// RUN: FileCheck %s < %t.err
// CHECK:      refused.pir:[[# @LINE + 6]]:{{.*}}error: 'pd_op.empty_like' unsupported: no op of a .pdmodel does this
// CHECK-NOT:  error: 'pd_op.empty_like'
// CHECK:      refused.pir:[[# @LINE + 6]]:{{.*}}error: 'pd_op.not_an_op' unsupported: no op of a .pdmodel does this
// CHECK-NOT:  error
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.empty_like" (%0) {dtype:float32,place:Place(undefined:0),stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.empty_like" (%1) {dtype:float32,place:Place(undefined:0),stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.not_an_op" (%2) {stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
}
