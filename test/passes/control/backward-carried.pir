// What a loop carries from tensors that take no gradient, where the gradient reaches a value of the next step only through another one: a value that
// lags behind, a sum of sums, two values that change places, one under two names, outputs in an array; through a branch and an inner loop of the step;
// and what stops gradients by itself. x = 1, h = h / 2 + x, three steps.
// RUN: rm -rf %t && split-file %s %t
// RUN: sed 's/%m, %e)/%m, %arg_1)/' %t/sum.pir > %t/lag.pir
// RUN: sed 's/%m, %e)/%arg_2, %m)/' %t/sum.pir > %t/swap.pir
// RUN: sed 's/%m, %e)/%m, %m)/' %t/sum.pir > %t/alias.pir
// RUN: sed 's/pd_op.assign/pd_op.share_data_/' %t/copy.pir > %t/detach.pir
// RUN: for f in lag sum swap alias branch inner list array detach; do pir-opt %t/$f.pir --verify-each '--passes=backward{ones,loss=y,wrt=x}' -o %t/$f.both.pir; done
// RUN: for f in lag sum swap alias branch inner list array detach; do echo $f; pir-run %t/$f.both.pir --input=x=2xf32=1 --print | tail -1; done | FileCheck %s
// RUN: not pir-opt %t/copy.pir '--passes=backward{ones,loss=y,wrt=x}' 2>&1 | FileCheck --check-prefix=COPY %s
// CHECK:      lag
// CHECK-NEXT: [1.5, 1.5]
// CHECK-NEXT: sum
// CHECK-NEXT: [4.25, 4.25]
// CHECK-NEXT: swap
// CHECK-NEXT: [1.5, 1.5]
// CHECK-NEXT: alias
// CHECK-NEXT: [1.75, 1.75]
// CHECK-NEXT: branch
// CHECK-NEXT: [1.75, 1.75]
// CHECK-NEXT: inner
// CHECK-NEXT: [1.75, 1.75]
// CHECK-NEXT: list
// CHECK-NEXT: [1.75, 1.75]
// CHECK-NEXT: array
// CHECK-NEXT: [4.25, 4.25]
// CHECK-NEXT: detach
// CHECK-NEXT: [1, 1]
// COPY: copy.pir:12:9: error: unsupported: gradients through this copy of what a loop carries: it does not say whether it stops them
//--- sum.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%h) = "pd_op.full" () {dtype:float32,place:Place(undefined:0),shape:[2],stop_gradient:[true],value:0} : () -> tensor<2xf32>
    (%h2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],stop_gradient:[true],value:0} : () -> tensor<2xf32>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:3} : () -> tensor<1xi64>
    (%c) = "pd_op.less_than" (%i, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%j, %r0, %r) = "pd_op.while" (cond=%c, inputs=%i, %h, %h2) {
    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:true}, %arg_2 {stop_gradient:true}
        (%o) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
        (%n) = "pd_op.scale" (%arg_0, %o) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%f) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0.5} : () -> tensor<1xf32>
        (%s) = "pd_op.scale" (%arg_1, %f) {bias:0,bias_after_scale:true,stop_gradient:[true]} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
        (%m) = "pd_op.add" (%s, %x) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%e) = "pd_op.add" (%arg_2, %m) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%k) = "pd_op.less_than" (%n, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%k, %n, %m, %e) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>, tensor<2xf32>) ->
    }
    (%z) = "pd_op.fetch" (%r) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
}
//--- copy.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%h) = "pd_op.full" () {dtype:float32,place:Place(undefined:0),shape:[2],stop_gradient:[true],value:0} : () -> tensor<2xf32>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:3} : () -> tensor<1xi64>
    (%c) = "pd_op.less_than" (%i, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%j, %r) = "pd_op.while" (cond=%c, inputs=%i, %h) {
    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:true}
        (%o) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
        (%n) = "pd_op.scale" (%arg_0, %o) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%f) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0.5} : () -> tensor<1xf32>
        (%d) = "pd_op.assign" (%arg_1) {stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
        (%s) = "pd_op.scale" (%d, %f) {bias:0,bias_after_scale:true,stop_gradient:[true]} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
        (%m) = "pd_op.add" (%s, %x) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%k) = "pd_op.less_than" (%n, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%k, %n, %m) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>) ->
    }
    (%z) = "pd_op.fetch" (%r) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
}
//--- branch.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%h) = "pd_op.full" () {dtype:float32,place:Place(undefined:0),shape:[2],stop_gradient:[true],value:0} : () -> tensor<2xf32>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:3} : () -> tensor<1xi64>
    (%c) = "pd_op.less_than" (%i, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%j, %r) = "pd_op.while" (cond=%c, inputs=%i, %h) {
    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:true}
        (%o) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
        (%n) = "pd_op.scale" (%arg_0, %o) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%f) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0.5} : () -> tensor<1xf32>
        (%q) = "pd_op.less_than" (%arg_0, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        (%s) = "pd_op.if" (%q) {stop_gradient:[true]} -> tensor<2xf32> {
            (%s1) = "pd_op.scale" (%arg_1, %f) {bias:0,bias_after_scale:true,stop_gradient:[true]} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
            () = "cf.yield" (%s1) {} : (tensor<2xf32>) ->
        } else {
            () = "cf.yield" (%arg_1) {} : (tensor<2xf32>) ->
        }
        (%m) = "pd_op.add" (%s, %x) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%k) = "pd_op.less_than" (%n, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%k, %n, %m) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>) ->
    }
    (%z) = "pd_op.fetch" (%r) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
}
//--- inner.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%h) = "pd_op.full" () {dtype:float32,place:Place(undefined:0),shape:[2],stop_gradient:[true],value:0} : () -> tensor<2xf32>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:3} : () -> tensor<1xi64>
    (%c) = "pd_op.less_than" (%i, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%j, %r) = "pd_op.while" (cond=%c, inputs=%i, %h) {
    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:true}
        (%o) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
        (%n) = "pd_op.scale" (%arg_0, %o) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%f) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0.5} : () -> tensor<1xf32>
        (%q) = "pd_op.less_than" (%arg_0, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        (%u, %s) = "pd_op.while" (cond=%q, inputs=%arg_0, %arg_1) {
        ^%arg_2 {stop_gradient:true}, %arg_3 {stop_gradient:true}
            (%v) = "pd_op.scale" (%arg_2, %o) {bias:9,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
            (%t) = "pd_op.scale" (%arg_3, %f) {bias:0,bias_after_scale:true,stop_gradient:[true]} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
            (%w) = "pd_op.less_than" (%v, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
            () = "cf.yield" (%w, %v, %t) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>) ->
        }
        (%m) = "pd_op.add" (%s, %x) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%k) = "pd_op.less_than" (%n, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%k, %n, %m) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>) ->
    }
    (%z) = "pd_op.fetch" (%r) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
}
//--- list.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%h) = "pd_op.full" () {dtype:float32,place:Place(undefined:0),shape:[2],stop_gradient:[true],value:0} : () -> tensor<2xf32>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:3} : () -> tensor<1xi64>
    (%c) = "pd_op.less_than" (%i, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%j, %r) = "pd_op.while" (cond=%c, inputs=%i, %h) {
    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:true}
        (%o) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
        (%n) = "pd_op.scale" (%arg_0, %o) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%f) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0.25} : () -> tensor<1xf32>
        (%l) = "builtin.combine" (%arg_1, %arg_1) {stop_gradient:[true]} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
        (%t) = "pd_op.add_n" (%l) {stop_gradient:[true]} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
        (%s) = "pd_op.scale" (%t, %f) {bias:0,bias_after_scale:true,stop_gradient:[true]} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
        (%m) = "pd_op.add" (%s, %x) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%k) = "pd_op.less_than" (%n, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%k, %n, %m) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>) ->
    }
    (%z) = "pd_op.fetch" (%r) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
}
//--- array.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%h) = "pd_op.full" () {dtype:float32,place:Place(undefined:0),shape:[2],stop_gradient:[true],value:0} : () -> tensor<2xf32>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:3} : () -> tensor<1xi64>
    (%b) = "pd_op.create_array" () {dtype:float32,stop_gradient:[false]} : () -> pd_op.tensor_array<f32>
    (%c) = "pd_op.less_than" (%i, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%j, %r) = "pd_op.while" (cond=%c, inputs=%i, %h) {
    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:true}
        (%o) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
        (%n) = "pd_op.scale" (%arg_0, %o) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%f) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0.5} : () -> tensor<1xf32>
        (%s) = "pd_op.scale" (%arg_1, %f) {bias:0,bias_after_scale:true,stop_gradient:[true]} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
        (%m) = "pd_op.add" (%s, %x) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%w) = "pd_op.array_write_" (%b, %m, %arg_0) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
        (%k) = "pd_op.less_than" (%n, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%k, %n, %m) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>) ->
    }
    (%v, %u) = "pd_op.array_to_tensor" (%b) {axis:0,stop_gradient:[false,false],use_stack:true} : (pd_op.tensor_array<f32>) -> tensor<-1x2xf32>, tensor<-1xi32>
    (%e) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0]} : () -> tensor<1xi64>
    (%y) = "pd_op.sum" (%v, %e) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<-1x2xf32>, tensor<1xi64>) -> tensor<2xf32>
    (%z) = "pd_op.fetch" (%y) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
}
