// The older tagged form, and what came before it.
// RUN: pir-opt %s --fragment | FileCheck %s
// RUN: pir-opt %s --fragment --emit=t2 | FileCheck %s --check-prefix=T2
{
 (%0) = "builtin.get_parameter" () {parameter_name:"w",is_persistable:[true],stop_gradient:[false]} : () -> pd_op.tensor<4x4xf32>
    (%1) = "pd_op.full" [id:12] () {dtype:(pd_op.DataType)float32,place:(pd_op.Place)Place(undefined:0),shape:(pd_op.IntArray)[4,4],stop_gradient:[true],value:(Float)1e-05} : () -> builtin.tensor<4x4xf32>
 (%2) = pd_op.if (%9) {} -> pd_op.tensor<4x4xf32>{
  () = "cf.yield" (%1) {} : (builtin.tensor<4x4xf32>) ->
 } else {
  () = "cf.yield" (%0) {} : (pd_op.tensor<4x4xf32>) ->
 }
    (%3) = "pd_op.while"(cond=%9, inputs=%2) {
    ^%arg_0
        () = "cf.yield" (%9, %arg_0) {} : (builtin.tensor<b>, builtin.tensor<4x4xf32>) -> 
    }
(%4) = "my_op.old" (%3) {a:(Int32)3,b:IntArray[1,2],c:[(Float)1,(Float)2.5],d:(cinn_op.GroupInfo)[fn]<#AttrNotImplemented>,e:IntArray<1,2>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
// CHECK: "builtin.get_parameter" () {is_persistable:[true],parameter_name:"w",stop_gradient:[false]} : () -> tensor<4x4xf32>
// CHECK: (%1) = "pd_op.full" () {dtype:float32,place:Place(undefined:0),shape:[4,4],stop_gradient:[true],value:1e-05}
// CHECK: (%2) = "pd_op.if" (%arg_0 {}) {} -> tensor<4x4xf32> {
// CHECK-NEXT: () = "cf.yield" (%1) {} : (tensor<4x4xf32>) -> {{$}}
// CHECK-NEXT: } else {
// CHECK: (%3) = "pd_op.while" (cond=%arg_0, inputs=%2) { {{$}}
// CHECK-NEXT: ^%arg_1 {}
// CHECK: (%4) = "my_op.old" (%3) {a:3,b:[1,2],c:[1,2.5],d:(cinn_op.GroupInfo)[fn]<#AttrNotImplemented>,e:[1,2]}
// T2: (%1) = "pd_op.full" () {dtype:(pd_op.DataType)float32,place:(pd_op.Place)Place(undefined:0),shape:(pd_op.IntArray)[4,4],stop_gradient:[true],value:(Float)1e-05} : () -> builtin.tensor<4x4xf32>
// T2: "pd_op.while" (cond=%arg_0, inputs=%2) { {{$}}
// T2-NEXT: ^%arg_1{{$}}
// T2: {a:(Int32)3,b:(pd_op.IntArray)[1,2],c:[(Float)1,(Float)2.5]
