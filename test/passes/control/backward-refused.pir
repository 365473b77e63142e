// Arrays that have no gradient, and why: an index or a place that is not the same any more when gradients are computed, a branch that hands out
// one of two arrays, tensors that are broadcast with others of the place, another declared type, an op that hands the array on; and
// a variable of a loop, also of an inner one, that begins with a tensor of another rank.
// RUN: rm -rf %t && split-file %s %t
// RUN: for f in count pop choice shapes joined declared yielded placeholder nested; do not pir-opt %t/$f.pir '--passes=backward{ones,wrt=x}' -o %t/none.pir 2>&1 | grep error; done | FileCheck %s
// RUN: not ls %t/none.pir
// CHECK:      count.pir:{{.*}} "pd_op.array_write_" is not differentiable, because its gradient reads i, which an op in place overwrites
// CHECK-NEXT: pop.pir:{{.*}} unsupported: gradients through this array, because tensors are taken out of it
// CHECK-NEXT: choice.pir:{{.*}} unsupported: gradients through this array, because a branch or a loop puts another one in its place
// CHECK-NEXT: shapes.pir:{{.*}} unsupported: gradients through this array, because its tensors have different shapes
// CHECK-NEXT: joined.pir:{{.*}} "pd_op.array_to_tensor" is not differentiable, because its gradient reads x, which an op in place overwrites
// CHECK-NEXT: declared.pir:6:{{.*}} unsupported: gradients through an array that is declared without the type of its tensors
// CHECK-NEXT: yielded.pir:9:{{.*}} unsupported: gradients through this array, because an op hands it on that is not differentiable
// CHECK-NEXT: placeholder.pir:8:{{.*}} unsupported: gradients through result 0 of this loop, which begins with a tensor of another rank
// CHECK-NEXT: nested.pir:11:{{.*}} unsupported: gradients through result 0 of this loop, which begins with a tensor of another rank
//--- count.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%a) = "pd_op.create_array" () {dtype:float32,stop_gradient:[false]} : () -> pd_op.tensor_array<f32>
    (%b) = "pd_op.array_write_" (%a, %x, %i) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%j) = "pd_op.assign" (%i) {stop_gradient:[true]} : (tensor<1xi64>) -> tensor<1xi64>
    (%k) = "pd_op.scale_" (%i, %j) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    (%y) = "pd_op.array_read" (%a, %j) {stop_gradient:[false]} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
    (%z) = "pd_op.fetch" (%y) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<-1xf32>) -> tensor<-1xf32>
}
//--- pop.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%a) = "pd_op.create_array" () {dtype:float32,stop_gradient:[false]} : () -> pd_op.tensor_array<f32>
    (%b) = "pd_op.array_write_" (%a, %x, %i) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%y) = "pd_op.array_read" (%a, %i) {stop_gradient:[false]} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
    (%c, %d) = "pd_op.array_pop" (%a) {index:0,stop_gradient:[true,true]} : (pd_op.tensor_array<f32>) -> pd_op.tensor_array<f32>, tensor<-1xf32>
    (%z) = "pd_op.fetch" (%y) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<-1xf32>) -> tensor<-1xf32>
}
//--- choice.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%a) = "pd_op.create_array" () {dtype:float32,stop_gradient:[false]} : () -> pd_op.tensor_array<f32>
    (%e) = "pd_op.create_array" () {dtype:float32,stop_gradient:[false]} : () -> pd_op.tensor_array<f32>
    (%t) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xb>
    (%b) = "pd_op.array_write_" (%a, %x, %i) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%f) = "pd_op.array_write_" (%e, %x, %i) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%g) = "pd_op.if" (%t) {stop_gradient:[false]} -> pd_op.tensor_array<f32> {
        () = "cf.yield" (%a) {} : (pd_op.tensor_array<f32>) -> 
    } else {
        () = "cf.yield" (%e) {} : (pd_op.tensor_array<f32>) -> 
    }
    (%y) = "pd_op.array_read" (%g, %i) {stop_gradient:[false]} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
    (%z) = "pd_op.fetch" (%y) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<-1xf32>) -> tensor<-1xf32>
}
//--- shapes.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%a) = "pd_op.create_array" () {dtype:float32,stop_gradient:[false]} : () -> pd_op.tensor_array<f32>
    (%b) = "pd_op.array_write_" (%a, %x, %i) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%y) = "pd_op.array_read" (%a, %i) {stop_gradient:[false]} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
    (%h) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[3,2],stop_gradient:[true],value:1} : () -> tensor<3x2xf32>
    (%c) = "pd_op.array_write_" (%a, %h, %i) {} : (pd_op.tensor_array<f32>, tensor<3x2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%z) = "pd_op.fetch" (%y) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<-1xf32>) -> tensor<-1xf32>
}
//--- joined.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%a) = "pd_op.create_array" () {dtype:float32,stop_gradient:[false]} : () -> pd_op.tensor_array<f32>
    (%b) = "pd_op.array_write_" (%a, %x, %i) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%y, %n) = "pd_op.array_to_tensor" (%a) {axis:0,stop_gradient:[false,false],use_stack:true} : (pd_op.tensor_array<f32>) -> tensor<-1x2xf32>, tensor<-1xi32>
    (%j) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xi64>
    (%c) = "pd_op.array_write_" (%a, %x, %j) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%z) = "pd_op.fetch" (%y) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
}
//--- declared.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%a) = "pd_op.create_array" () {dtype:int32,stop_gradient:[false]} : () -> pd_op.tensor_array<i32>
    (%b) = "pd_op.array_write_" (%a, %x, %i) {} : (pd_op.tensor_array<i32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<i32>
    (%y) = "pd_op.array_read" (%a, %i) {stop_gradient:[false]} : (pd_op.tensor_array<i32>, tensor<1xi64>) -> tensor<-1xf32>
    (%z) = "pd_op.fetch" (%y) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<-1xf32>) -> tensor<-1xf32>
}
//--- yielded.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%a) = "pd_op.create_array" () {dtype:float32,stop_gradient:[false]} : () -> pd_op.tensor_array<f32>
    (%p) = "pd_op.pylayer" () {backward_function_id:-1,stop_gradient:[false]} -> pd_op.tensor_array<f32> {
        () = "cf.yield" (%a) {} : (pd_op.tensor_array<f32>) ->
    }
    (%b) = "pd_op.array_write_" (%a, %x, %i) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%y) = "pd_op.array_read" (%a, %i) {stop_gradient:[false]} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
    (%z) = "pd_op.fetch" (%y) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<-1xf32>) -> tensor<-1xf32>
}
//--- placeholder.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%e) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%s) = "pd_op.sum" (%x, %e) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<2xf32>, tensor<0xi64>) -> tensor<f32>
    (%n) = "pd_op.full" () {dtype:float32,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0.5} : () -> tensor<1xf32>
    (%c) = "pd_op.less_than" (%s, %n) {stop_gradient:[true]} : (tensor<f32>, tensor<1xf32>) -> tensor<1xb>
    (%f) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xb>
    (%r) = "pd_op.while" (cond=%c, inputs=%s) {
    ^%arg_0 {stop_gradient:false}
        (%h) = "pd_op.tanh" (%x) {stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
        (%k) = "pd_op.assign" (%f) {stop_gradient:[true]} : (tensor<1xb>) -> tensor<1xb>
        () = "cf.yield" (%k, %h) {} : (tensor<1xb>, tensor<2xf32>) ->
    }
    (%z) = "pd_op.fetch" (%r) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<f32>) -> tensor<f32>
}
//--- nested.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%e) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%n) = "pd_op.full" () {dtype:float32,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0.5} : () -> tensor<1xf32>
    (%t) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xb>
    (%f) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xb>
    (%r) = "pd_op.while" (cond=%t, inputs=%x) {
    ^%arg_0 {stop_gradient:false}
        (%s) = "pd_op.sum" (%x, %e) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<2xf32>, tensor<0xi64>) -> tensor<f32>
        (%c) = "pd_op.less_than" (%s, %n) {stop_gradient:[true]} : (tensor<f32>, tensor<1xf32>) -> tensor<1xb>
        (%q) = "pd_op.while" (cond=%c, inputs=%s) {
        ^%arg_1 {stop_gradient:false}
            (%h) = "pd_op.tanh" (%arg_0) {stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
            (%k) = "pd_op.assign" (%f) {stop_gradient:[true]} : (tensor<1xb>) -> tensor<1xb>
            () = "cf.yield" (%k, %h) {} : (tensor<1xb>, tensor<2xf32>) ->
        }
        (%m) = "pd_op.multiply" (%arg_0, %q) {stop_gradient:[false]} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
        (%o) = "pd_op.assign" (%f) {stop_gradient:[true]} : (tensor<1xb>) -> tensor<1xb>
        () = "cf.yield" (%o, %m) {} : (tensor<1xb>, tensor<2xf32>) ->
    }
    (%z) = "pd_op.fetch" (%r) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
}
