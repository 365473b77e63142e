// Outputs and assertions.
// RUN: pir-opt %s --split-input-file --verify-each --passes=add_shadow_output_after_dead_parameter,replace_fetch_with_shadow_output,delete_assert_op | FileCheck %s

// A parameter that nobody reads is kept; a value is handed out by name.
// CHECK: "builtin.shadow_output" (%3) {output_name:"fetch0"}
// CHECK-NEXT: "builtin.shadow_output" (%0) {output_name:"p1"}
{
    (%0) = "builtin.parameter" () {parameter_name:"p1"} : () -> tensor<3xf32>
    (%1) = "builtin.parameter" () {parameter_name:"p0"} : () -> tensor<3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%3) = "pd_op.add" (%2, %1) {} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"fetch0"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// An input is copied before it is handed out.
// CHECK: "builtin.shadow_output" (%1) {output_name:"fetch0"}
// CHECK: (%3) = "pd_op.scale" (%0, %2) {bias:0,bias_after_scale:true}
// CHECK-NEXT: "builtin.shadow_output" (%3) {output_name:"fetch1"}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.exp" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"fetch0"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.fetch" (%0) {col:1,name:"fetch1"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// The assertion goes with its list; what it asked stays for others to remove.
// CHECK: "pd_op.all"
// CHECK-NOT: "pd_op.assert"
// CHECK-NOT: "builtin.combine"
// CHECK: "pd_op.tanh"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(undefined:0),shape:[],value:100} : () -> tensor<f32>
    (%2) = "pd_op.less_than" (%0, %1) {} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xb>
    (%3) = "pd_op.all" (%2) {axis:[],keepdim:false} : (tensor<2x3xb>) -> tensor<b>
    (%4) = "builtin.combine" (%0) {} : (tensor<2x3xf32>) -> vec[tensor<2x3xf32>]
    () = "pd_op.assert" (%3, %4) {summarize:20} : (tensor<b>, vec[tensor<2x3xf32>]) ->
    (%5) = "pd_op.tanh" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
