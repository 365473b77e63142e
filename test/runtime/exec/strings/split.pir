// Parts of a tensor of strings share its memory; stacked and reshaped strings keep their order.
// RUN: pir-run %s --input=@%{root}/test/tools/pir-run/strings/u.npy --print | FileCheck %s
// RUN: pir-run %s --input=@%{root}/test/tools/pir-run/strings/u.npy --print --pipeline=kernels | FileCheck %s
// CHECK: first: pstring[2,1]
// CHECK-NEXT: {{^}}[{{\[}}"HÄllo"],
// CHECK-NEXT: ["A\"\u000a"]]
// CHECK-NEXT: rows: pstring[3,2]
// CHECK-NEXT: {{^}}[{{\[}}"", "😀"],
// CHECK-NEXT: ["HÄllo", "A\"\u000a"],
// CHECK-NEXT: ["", "😀"]]
{
    (%0) = "pd_op.data" () {dtype:pstring,name:"x",place:Place(undefined:0),shape:[-1,2]} : () -> tensor<-1x2xpstring>
    (%1) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%2) = "pd_op.split_with_num" (%0, %1) {num:2} : (tensor<-1x2xpstring>, tensor<1xi32>) -> vec[tensor<-1x1xpstring>,tensor<-1x1xpstring>]
    (%3, %4) = "builtin.split" (%2) {} : (vec[tensor<-1x1xpstring>,tensor<-1x1xpstring>]) -> tensor<-1x1xpstring>, tensor<-1x1xpstring>
    (%5) = "pd_op.strings_upper" (%4) {use_utf8_encoding:true} : (tensor<-1x1xpstring>) -> tensor<-1x1xpstring>
    (%6) = "builtin.combine" (%5, %3, %5) {} : (tensor<-1x1xpstring>, tensor<-1x1xpstring>, tensor<-1x1xpstring>) -> vec[tensor<-1x1xpstring>,tensor<-1x1xpstring>,tensor<-1x1xpstring>]
    (%7) = "pd_op.stack" (%6) {axis:0} : (vec[tensor<-1x1xpstring>,tensor<-1x1xpstring>,tensor<-1x1xpstring>]) -> tensor<3x-1x1xpstring>
    (%8) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1,2]} : () -> tensor<2xi64>
    (%9) = "pd_op.reshape" (%7, %8) {} : (tensor<3x-1x1xpstring>, tensor<2xi64>) -> tensor<-1x2xpstring>
    () = "builtin.shadow_output" (%3) {output_name:"first"} : (tensor<-1x1xpstring>) ->
    () = "builtin.shadow_output" (%9) {output_name:"rows"} : (tensor<-1x2xpstring>) ->
}
