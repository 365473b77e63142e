// Parts of a file, and what passes print.
// RUN: pir-opt %s --split-input-file --passes=cse,dce --print-after=dce --stats 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR --input-file=%t.err
// RUN: pir-opt %s --split-input-file --verify-diagnostics --verify-each --passes=cse
// RUN: not pir-opt %s --verify-diagnostics 2>&1 | FileCheck %s --check-prefix=WHOLE
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.relu" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.add" (%1, %2) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    () = "builtin.shadow_output" (%3) {output_name:"y"} : (tensor<2xf32>) -> 
}
// CHECK: (%1) = "pd_op.relu" (%0)
// CHECK-NEXT: (%2) = "pd_op.add" (%1, %1)
// CHECK: // -----
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"second",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
}
// CHECK-NEXT: {
// CHECK-NEXT: name:"second"
// ERR: "pd_op.add" (%1, %1)
// WHOLE: opt.pir:17:1: unexpected error: expected the end of the text, found '{'
