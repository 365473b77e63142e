// A string in a region is refused by name.
// RUN: not pir-run %s --input=go=1xb=0 --input=x=2xpstring=0 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=go=1xb=0 --input=x=2xpstring=0 --pipeline=kernels 2>&1 | FileCheck %s
// CHECK: region.pir:[[#@LINE+5]]:1: error: unsupported: strings in a region: an operand or result of "pd_op.strings_upper"
{
(%0) = "pd_op.data" () {dtype:bool,name:"go",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
(%1) = "pd_op.data" () {dtype:pstring,name:"x",place:Place(undefined:0),shape:[2]} : () -> tensor<2xpstring>
(%2) = "pd_op.if" (%0) {} -> tensor<1xi64> {
(%3) = "pd_op.strings_upper" (%1) {use_utf8_encoding:true} : (tensor<2xpstring>) -> tensor<2xpstring>
(%4) = "pd_op.shape64" (%3) {} : (tensor<2xpstring>) -> tensor<1xi64>
() = "cf.yield" (%4) {} : (tensor<1xi64>) ->
} else {
(%5) = "pd_op.shape64" (%1) {} : (tensor<2xpstring>) -> tensor<1xi64>
() = "cf.yield" (%5) {} : (tensor<1xi64>) ->
}
() = "builtin.shadow_output" (%2) {output_name:"y"} : (tensor<1xi64>) ->
}
