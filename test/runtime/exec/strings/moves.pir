// Ops that only move elements have strings: as instructions, as views of memory, and with extents that only the run shows.
// RUN: pir-run %s --input=@%{root}/test/tools/pir-run/strings/u.npy --print | FileCheck %s
// RUN: pir-run %s --input=@%{root}/test/tools/pir-run/strings/u.npy --print --pipeline=kernels | FileCheck %s
// CHECK: turned: pstring[2,2]
// CHECK-NEXT: {{^}}[{{\[}}"HÄllo", "A\"\u000a"],
// CHECK-NEXT: ["", "😀"]]
// CHECK-NEXT: joined: pstring[4,2]
// CHECK-NEXT: {{^}}[{{\[}}"hÄllo", "a\"\u000a"],
// CHECK-NEXT: ["", "😀"],
// CHECK-NEXT: ["HÄllo", "A\"\u000a"],
// CHECK-NEXT: ["", "😀"]]
// CHECK-NEXT: flat: pstring[8]
// CHECK-NEXT: {{^}}["hÄllo", "a\"\u000a", "", "😀", "HÄllo", "A\"\u000a", "", "😀"]
// CHECK-NEXT: row: pstring[2]
// CHECK-NEXT: {{^}}["", "😀"]
// CHECK-NEXT: empty: pstring[2,2]
// CHECK-NEXT: {{^}}[{{\[}}"", ""],
// CHECK-NEXT: ["", ""]]
// CHECK-NEXT: shape: int64[2]
// CHECK-NEXT: [4, 2]
{
    (%0) = "pd_op.data" () {dtype:pstring,name:"x",place:Place(undefined:0),shape:[-1,2]} : () -> tensor<-1x2xpstring>
    (%1) = "pd_op.transpose" (%0) {perm:[1,0]} : (tensor<-1x2xpstring>) -> tensor<2x-1xpstring>
    (%2) = "pd_op.strings_lower" (%1) {use_utf8_encoding:false} : (tensor<2x-1xpstring>) -> tensor<2x-1xpstring>
    (%3) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%4) = "builtin.combine" (%2, %1) {} : (tensor<2x-1xpstring>, tensor<2x-1xpstring>) -> vec[tensor<2x-1xpstring>,tensor<2x-1xpstring>]
    (%5) = "pd_op.concat" (%4, %3) {} : (vec[tensor<2x-1xpstring>,tensor<2x-1xpstring>], tensor<1xi32>) -> tensor<4x-1xpstring>
    (%6) = "pd_op.flatten" (%5) {start_axis:0,stop_axis:1} : (tensor<4x-1xpstring>) -> tensor<-1xpstring>
    (%7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%8) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%9) = "pd_op.slice" (%5, %7, %8) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<4x-1xpstring>, tensor<1xi64>, tensor<1xi64>) -> tensor<-1xpstring>
    (%10) = "pd_op.strings_empty_like" (%1) {place:Place(undefined:0)} : (tensor<2x-1xpstring>) -> tensor<2x-1xpstring>
    (%11) = "pd_op.shape64" (%5) {} : (tensor<4x-1xpstring>) -> tensor<2xi64>
    () = "builtin.shadow_output" (%1) {output_name:"turned"} : (tensor<2x-1xpstring>) ->
    () = "builtin.shadow_output" (%5) {output_name:"joined"} : (tensor<4x-1xpstring>) ->
    () = "builtin.shadow_output" (%6) {output_name:"flat"} : (tensor<-1xpstring>) ->
    () = "builtin.shadow_output" (%9) {output_name:"row"} : (tensor<-1xpstring>) ->
    () = "builtin.shadow_output" (%10) {output_name:"empty"} : (tensor<2x-1xpstring>) ->
    () = "builtin.shadow_output" (%11) {output_name:"shape"} : (tensor<2xi64>) ->
}
