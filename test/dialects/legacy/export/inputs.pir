// An input is found by its name, so one that would not be is refused: no name, that of the variable feeds come from, one
// name for two types. An input that stands twice is one variable.
// RUN: pir-opt %s --split-input-file --emit=pdmodel -o %t.pdmodel 2> %t.err || test $? -eq 3
// RUN: FileCheck %s < %t.err
// RUN: sed -n '/^\/\/ TWICE: (/,$p' %s > %t.pir && pir-opt %t.pir --emit=pdmodel -o %t.pdmodel && pir-opt %t.pdmodel | FileCheck --check-prefix=TWICE %s
// CHECK: [[# @LINE + 2]]:{{.*}}'pd_op.data' unsupported: '' is no name of an input
{
    (%0) = "pd_op.data" () {dtype:float32,name:"",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
}
// -----
// CHECK: [[# @LINE + 2]]:{{.*}}'pd_op.data' unsupported: 'feed' is no name of an input
{
    (%0) = "pd_op.data" () {dtype:float32,name:"feed",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
}
// -----
// CHECK: [[# @LINE + 3]]:{{.*}}'pd_op.data' unsupported: 'x' is the name of an input of another type
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3],stop_gradient:[true]} : () -> tensor<3xf32>
}
// -----
// Programs are verified first, by pir-translate as well, which looks at any.
// RUN: sed -n '/^\/\/ Programs/,/^}/p' %s > %t.bad && not pir-translate %t.bad --to=pdmodel 2>&1 | FileCheck --check-prefix=BAD %s
// BAD: error: "pd_op.fetch" expects 1 operand, has 0
{
    (%0) = "pd_op.fetch" () {col:0,name:"y"} : () -> tensor<2xf32>
}
// -----
// TWICE: ([[X:%[0-9]+]]) = "pd_op.feed"
// TWICE-NOT: pd_op.feed
// TWICE: "pd_op.add" ([[X]], [[X]])
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%2) = "pd_op.add" (%0, %1) {stop_gradient:[true]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
}
