// Loops as they are written by hand, beside differences: a recurrent network that joins its states, an array that an inner loop reads and writes,
// branches of a loop that write places of an array, an index that counts, also between reads of an array filled outside, an inner loop whose runs
// differ in length, an array of complex numbers.
// RUN: rm -rf %t && split-file %s %t
// RUN: for f in rnn nested branch counter outside runs complex; do pir-opt --check-gradients %t/$f.pir; done | FileCheck %s
// RUN: pir-opt %t/rnn.pir --verify-each '--passes=backward{wrt=x|w}' -o %t/both.pir
// RUN: mkdir %t/out && pir-run %t/both.pir --input=x=4x2x3xf32=random --input=w=5x2xf32=random --pipeline=kernels --output-dir=%t/out
// RUN: pir-run %t/both.pir --input=x=4x2x3xf32=random --input=w=5x2xf32=random --expect-dir=%t/out
// RUN: pir-opt %t/begins.pir --verify-each '--passes=backward{ones,wrt=x,no_grad=h}' -o %t/begins.both.pir
// RUN: pir-run %t/begins.both.pir --input=x=2xf32=2 --input=h=2xf32=1 --print | FileCheck --check-prefix=BEGINS %s
// RUN: pir-opt %t/carried.pir --verify-each '--passes=backward{ones,loss=y,wrt=x}' -o %t/carried.both.pir
// RUN: pir-run %t/carried.both.pir --input=x=2xf32=1 --print | FileCheck --check-prefix=CARRIED %s
// CHECK-COUNT-7: 2 inputs and parameters: 2 ok
// No gradient flows to the tensor that the loop begins with: the steps still carry one. y = h x^3.
// BEGINS:      y: float32[2]
// BEGINS-NEXT: [8, 8]
// BEGINS:      fetch1: float32[2]
// BEGINS-NEXT: [12, 12]
// Nor does one flow to a tensor that stops it, but the sums that the loop carries from there depend on x. y = x (1 + 1/2 + 1/4).
// CARRIED:      y: float32[2]
// CARRIED-NEXT: [1.75, 1.75]
// CARRIED:      fetch1: float32[2]
// CARRIED-NEXT: [1.75, 1.75]
//--- rnn.pir
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,2,3],stop_gradient:[false]} : () -> tensor<4x2x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[5,2],stop_gradient:[false]} : () -> tensor<5x2xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(undefined:0),shape:[2,2],stop_gradient:[false],value:0.1} : () -> tensor<2x2xf32>
    (%3) = "pd_op.create_array" () {dtype:float32,stop_gradient:[false]} : () -> pd_op.tensor_array<f32>
    (%4) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:4} : () -> tensor<1xi64>
    (%5) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%6) = "pd_op.less_than" (%5, %4) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%7, %8) = "pd_op.while" (cond=%6, inputs=%5, %2) { 
    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:false}
        (%9) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
        (%10) = "pd_op.scale" (%arg_0, %9) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%11) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
        (%12) = "pd_op.reshape" (%arg_0, %11) {stop_gradient:[true]} : (tensor<1xi64>, tensor<0xi64>) -> tensor<i64>
        (%13) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
        (%14) = "pd_op.reshape" (%10, %13) {stop_gradient:[true]} : (tensor<1xi64>, tensor<0xi64>) -> tensor<i64>
        (%15) = "builtin.combine" (%12) {stop_gradient:[true]} : (tensor<i64>) -> vec[tensor<i64>]
        (%16) = "pd_op.stack" (%15) {axis:0,stop_gradient:[true]} : (vec[tensor<i64>]) -> tensor<1xi64>
        (%17) = "builtin.combine" (%14) {stop_gradient:[true]} : (tensor<i64>) -> vec[tensor<i64>]
        (%18) = "pd_op.stack" (%17) {axis:0,stop_gradient:[true]} : (vec[tensor<i64>]) -> tensor<1xi64>
        (%19) = "pd_op.slice" (%0, %16, %18) {axes:[0],decrease_axis:[],infer_flags:[-1],stop_gradient:[false]} : (tensor<4x2x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<-1x2x3xf32>
        (%20) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0]} : () -> tensor<1xi64>
        (%21) = "pd_op.squeeze" (%19, %20) {stop_gradient:[false]} : (tensor<-1x2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
        (%22) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xi32>
        (%23) = "builtin.combine" (%21, %arg_1) {stop_gradient:[false]} : (tensor<2x3xf32>, tensor<2x2xf32>) -> vec[tensor<2x3xf32>,tensor<2x2xf32>]
        (%24) = "pd_op.concat" (%23, %22) {stop_gradient:[false]} : (vec[tensor<2x3xf32>,tensor<2x2xf32>], tensor<1xi32>) -> tensor<2x5xf32>
        (%25) = "pd_op.matmul" (%24, %1) {stop_gradient:[false],transpose_x:false,transpose_y:false} : (tensor<2x5xf32>, tensor<5x2xf32>) -> tensor<2x2xf32>
        (%26) = "pd_op.tanh" (%25) {stop_gradient:[false]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
        (%27) = "pd_op.cast" (%26) {dtype:float32,stop_gradient:[false]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
        (%28) = "pd_op.array_write_" (%3, %27, %arg_0) {} : (pd_op.tensor_array<f32>, tensor<2x2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
        (%29) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
        (%30) = "pd_op.scale" (%arg_0, %29) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%31) = "pd_op.less_than" (%30, %4) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%31, %30, %26) {} : (tensor<1xb>, tensor<1xi64>, tensor<2x2xf32>) -> 
    }
    (%32, %33) = "pd_op.array_to_tensor" (%3) {axis:0,stop_gradient:[false,false],use_stack:true} : (pd_op.tensor_array<f32>) -> tensor<-1x2x2xf32>, tensor<-1xi32>
    (%34) = "pd_op.multiply" (%32, %32) {stop_gradient:[false]} : (tensor<-1x2x2xf32>, tensor<-1x2x2xf32>) -> tensor<-1x2x2xf32>
    (%35) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%36) = "pd_op.sum" (%34, %35) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<-1x2x2xf32>, tensor<0xi64>) -> tensor<f32>
    (%37) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%38) = "pd_op.sum" (%8, %37) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<2x2xf32>, tensor<0xi64>) -> tensor<f32>
    (%39) = "pd_op.add" (%36, %38) {stop_gradient:[false]} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    (%9000) = "pd_op.fetch" (%39) {col:0,name:"loss",persistable:[true],stop_gradient:[false]} : (tensor<f32>) -> tensor<f32>
}
//--- nested.pir
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:3} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:2} : () -> tensor<1xi64>
    (%4) = "pd_op.create_array" () {dtype:float32,stop_gradient:[false]} : () -> pd_op.tensor_array<f32>
    (%5) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%6) = "pd_op.cast" (%0) {dtype:float32,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%7) = "pd_op.array_write_" (%4, %6, %5) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%8) = "pd_op.multiply" (%0, %1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%9) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xi64>
    (%10) = "pd_op.cast" (%8) {dtype:float32,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%11) = "pd_op.array_write_" (%4, %10, %9) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%12) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%13) = "pd_op.less_than" (%12, %2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%14, %15) = "pd_op.while" (cond=%13, inputs=%12, %0) { 
    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:false}
        (%16) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
        (%17) = "pd_op.less_than" (%16, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        (%18, %19) = "pd_op.while" (cond=%17, inputs=%16, %arg_1) { 
        ^%arg_2 {stop_gradient:true}, %arg_3 {stop_gradient:false}
            (%20) = "pd_op.multiply" (%arg_3, %1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
            (%21) = "pd_op.array_read" (%4, %arg_2) {stop_gradient:[false]} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
            (%22) = "pd_op.add" (%20, %21) {stop_gradient:[false]} : (tensor<2xf32>, tensor<-1xf32>) -> tensor<2xf32>
            (%23) = "pd_op.tanh" (%22) {stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
            (%24) = "pd_op.multiply" (%23, %0) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
            (%25) = "pd_op.cast" (%24) {dtype:float32,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
            (%26) = "pd_op.array_write_" (%4, %25, %arg_2) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
            (%27) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
            (%28) = "pd_op.scale" (%arg_2, %27) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
            (%29) = "pd_op.less_than" (%28, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
            () = "cf.yield" (%29, %28, %23) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>) -> 
        }
        (%30) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
        (%31) = "pd_op.scale" (%arg_0, %30) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%32) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xi64>
        (%33) = "pd_op.array_read" (%4, %32) {stop_gradient:[false]} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
        (%34) = "pd_op.multiply" (%arg_1, %33) {stop_gradient:[false]} : (tensor<2xf32>, tensor<-1xf32>) -> tensor<2xf32>
        (%35) = "pd_op.add" (%19, %34) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%36) = "pd_op.less_than" (%31, %2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%36, %31, %35) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>) -> 
    }
    (%37) = "pd_op.multiply" (%15, %15) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%38) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%39) = "pd_op.sum" (%37, %38) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<2xf32>, tensor<0xi64>) -> tensor<f32>
    (%40) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%41) = "pd_op.array_read" (%4, %40) {stop_gradient:[false]} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
    (%42) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%43) = "pd_op.sum" (%41, %42) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%44) = "pd_op.add" (%39, %43) {stop_gradient:[false]} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    (%9000) = "pd_op.fetch" (%44) {col:0,name:"loss",persistable:[true],stop_gradient:[false]} : (tensor<f32>) -> tensor<f32>
}
//--- branch.pir
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:4} : () -> tensor<1xi64>
    (%3) = "pd_op.create_array" () {dtype:float32,stop_gradient:[false]} : () -> pd_op.tensor_array<f32>
    (%4) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%5) = "pd_op.cast" (%0) {dtype:float32,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.array_write_" (%3, %5, %4) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%7) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xi64>
    (%8) = "pd_op.cast" (%1) {dtype:float32,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%9) = "pd_op.array_write_" (%3, %8, %7) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%10) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%11) = "pd_op.less_than" (%10, %2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%12, %13) = "pd_op.while" (cond=%11, inputs=%10, %0) { 
    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:false}
        (%14) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[],stop_gradient:[true],value:2} : () -> tensor<i64>
        (%15) = "pd_op.remainder" (%arg_0, %14) {stop_gradient:[true]} : (tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
        (%16) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[],stop_gradient:[true],value:0} : () -> tensor<i64>
        (%17) = "pd_op.equal" (%15, %16) {stop_gradient:[true]} : (tensor<1xi64>, tensor<i64>) -> tensor<1xb>
        (%18) = "pd_op.if" (%17) {stop_gradient:[false]} -> tensor<2xf32> {
            (%19) = "pd_op.multiply" (%arg_1, %1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
            (%20) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
            (%21) = "pd_op.cast" (%19) {dtype:float32,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
            (%22) = "pd_op.array_write_" (%3, %21, %20) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
            (%23) = "pd_op.add" (%arg_1, %0) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
            () = "cf.yield" (%23) {} : (tensor<2xf32>) -> 
        } else {
            (%24) = "pd_op.multiply" (%arg_1, %0) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
            (%25) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xi64>
            (%26) = "pd_op.cast" (%24) {dtype:float32,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
            (%27) = "pd_op.array_write_" (%3, %26, %25) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
            (%28) = "pd_op.multiply" (%arg_1, %1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
            () = "cf.yield" (%28) {} : (tensor<2xf32>) -> 
        }
        (%29) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
        (%30) = "pd_op.scale" (%arg_0, %29) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%31) = "pd_op.less_than" (%30, %2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%31, %30, %18) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>) -> 
    }
    (%32) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%33) = "pd_op.array_read" (%3, %32) {stop_gradient:[false]} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
    (%34) = "pd_op.multiply" (%13, %33) {stop_gradient:[false]} : (tensor<2xf32>, tensor<-1xf32>) -> tensor<2xf32>
    (%35) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xi64>
    (%36) = "pd_op.array_read" (%3, %35) {stop_gradient:[false]} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
    (%37) = "pd_op.multiply" (%34, %36) {stop_gradient:[false]} : (tensor<2xf32>, tensor<-1xf32>) -> tensor<2xf32>
    (%38) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%39) = "pd_op.sum" (%37, %38) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<2xf32>, tensor<0xi64>) -> tensor<f32>
    (%9000) = "pd_op.fetch" (%39) {col:0,name:"loss",persistable:[true],stop_gradient:[false]} : (tensor<f32>) -> tensor<f32>
}
//--- counter.pir
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:3} : () -> tensor<1xi64>
    (%3) = "pd_op.create_array" () {dtype:float32,stop_gradient:[false]} : () -> pd_op.tensor_array<f32>
    (%4) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%5) = "pd_op.less_than" (%4, %2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%6) = "pd_op.while" (cond=%5, inputs=%0) { 
    ^%arg_0 {stop_gradient:false}
        (%7) = "pd_op.multiply" (%arg_0, %1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%8) = "pd_op.tanh" (%7) {stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
        (%9) = "pd_op.cast" (%8) {dtype:float32,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
        (%10) = "pd_op.array_write_" (%3, %9, %4) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
        (%11) = "pd_op.increment_" (%4) {stop_gradient:[true],value:1} : (tensor<1xi64>) -> tensor<1xi64>
        (%12) = "pd_op.multiply" (%8, %0) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%13) = "pd_op.cast" (%12) {dtype:float32,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
        (%14) = "pd_op.array_write_" (%3, %13, %4) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
        (%15) = "pd_op.less_than" (%4, %2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%15, %8) {} : (tensor<1xb>, tensor<2xf32>) -> 
    }
    (%16, %17) = "pd_op.array_to_tensor" (%3) {axis:0,stop_gradient:[false,false],use_stack:true} : (pd_op.tensor_array<f32>) -> tensor<-1x2xf32>, tensor<-1xi32>
    (%18) = "pd_op.multiply" (%16, %16) {stop_gradient:[false]} : (tensor<-1x2xf32>, tensor<-1x2xf32>) -> tensor<-1x2xf32>
    (%19) = "pd_op.multiply" (%18, %16) {stop_gradient:[false]} : (tensor<-1x2xf32>, tensor<-1x2xf32>) -> tensor<-1x2xf32>
    (%20) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%21) = "pd_op.sum" (%19, %20) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<-1x2xf32>, tensor<0xi64>) -> tensor<f32>
    (%9000) = "pd_op.fetch" (%21) {col:0,name:"loss",persistable:[true],stop_gradient:[false]} : (tensor<f32>) -> tensor<f32>
}
//--- outside.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%w) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%0) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%1) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xi64>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:2} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:3} : () -> tensor<1xi64>
    (%a) = "pd_op.create_array" () {dtype:float32,stop_gradient:[false]} : () -> pd_op.tensor_array<f32>
    (%p) = "pd_op.multiply" (%x, %w) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%a0) = "pd_op.array_write_" (%a, %x, %0) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%a1) = "pd_op.array_write_" (%a, %w, %1) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%a2) = "pd_op.array_write_" (%a, %p, %2) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%a3) = "pd_op.array_write_" (%a, %p, %3) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%c) = "pd_op.less_than" (%i, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%r) = "pd_op.while" (cond=%c, inputs=%x) {
    ^%arg_0 {stop_gradient:false}
        (%u) = "pd_op.array_read" (%a, %i) {stop_gradient:[false]} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
        (%j) = "pd_op.increment_" (%i) {stop_gradient:[true],value:1} : (tensor<1xi64>) -> tensor<1xi64>
        (%v) = "pd_op.array_read" (%a, %j) {stop_gradient:[false]} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
        (%s) = "pd_op.sin" (%v) {stop_gradient:[false]} : (tensor<-1xf32>) -> tensor<-1xf32>
        (%m) = "pd_op.multiply" (%u, %s) {stop_gradient:[false]} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xf32>
        (%n) = "pd_op.multiply" (%arg_0, %w) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%h) = "pd_op.add" (%n, %m) {stop_gradient:[false]} : (tensor<2xf32>, tensor<-1xf32>) -> tensor<2xf32>
        (%k) = "pd_op.less_than" (%j, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%k, %h) {} : (tensor<1xb>, tensor<2xf32>) ->
    }
    (%e) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%l) = "pd_op.sum" (%r, %e) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<2xf32>, tensor<0xi64>) -> tensor<f32>
    (%z) = "pd_op.fetch" (%l) {col:0,name:"loss",persistable:[true],stop_gradient:[false]} : (tensor<f32>) -> tensor<f32>
}
//--- runs.pir
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:4} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%4) = "pd_op.less_than" (%3, %2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%5, %6) = "pd_op.while" (cond=%4, inputs=%3, %0) { 
    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:false}
        (%7) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
        (%8) = "pd_op.less_than" (%7, %arg_0) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        (%9, %10) = "pd_op.while" (cond=%8, inputs=%7, %arg_1) { 
        ^%arg_2 {stop_gradient:true}, %arg_3 {stop_gradient:false}
            (%11) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
            (%12) = "pd_op.scale" (%arg_2, %11) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
            (%13) = "pd_op.multiply" (%arg_3, %1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
            (%14) = "pd_op.tanh" (%13) {stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
            (%15) = "pd_op.less_than" (%12, %arg_0) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
            () = "cf.yield" (%15, %12, %14) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>) -> 
        }
        (%16) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
        (%17) = "pd_op.scale" (%arg_0, %16) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%18) = "pd_op.multiply" (%10, %10) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%19) = "pd_op.add" (%18, %arg_1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%20) = "pd_op.less_than" (%17, %2) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%20, %17, %19) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>) -> 
    }
    (%21) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%22) = "pd_op.sum" (%6, %21) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<2xf32>, tensor<0xi64>) -> tensor<f32>
    (%9000) = "pd_op.fetch" (%22) {col:0,name:"loss",persistable:[true],stop_gradient:[false]} : (tensor<f32>) -> tensor<f32>
}
//--- begins.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%h) = "pd_op.data" () {dtype:float32,name:"h",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:3} : () -> tensor<1xi64>
    (%c) = "pd_op.less_than" (%i, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%j, %r) = "pd_op.while" (cond=%c, inputs=%i, %h) {
    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:false}
        (%o) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
        (%n) = "pd_op.scale" (%arg_0, %o) {bias:1,bias_after_scale:true,stop_gradient:[true]} : (tensor<1xi64>, tensor<1xf32>) -> tensor<1xi64>
        (%m) = "pd_op.multiply" (%arg_1, %x) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%k) = "pd_op.less_than" (%n, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%k, %n, %m) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>) ->
    }
    (%z) = "pd_op.fetch" (%r) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
}
//--- complex.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%w) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%a) = "pd_op.create_array" () {dtype:complex64,stop_gradient:[false]} : () -> pd_op.tensor_array<c64>
    (%c) = "pd_op.complex" (%x, %w) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xc64>
    (%b) = "pd_op.array_write_" (%a, %c, %i) {} : (pd_op.tensor_array<c64>, tensor<2xc64>, tensor<1xi64>) -> pd_op.tensor_array<c64>
    (%y) = "pd_op.array_read" (%a, %i) {stop_gradient:[false]} : (pd_op.tensor_array<c64>, tensor<1xi64>) -> tensor<-1xc64>
    (%p) = "pd_op.multiply" (%y, %y) {stop_gradient:[false]} : (tensor<-1xc64>, tensor<-1xc64>) -> tensor<-1xc64>
    (%r) = "pd_op.real" (%p) {stop_gradient:[false]} : (tensor<-1xc64>) -> tensor<-1xf32>
    (%e) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%l) = "pd_op.sum" (%r, %e) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%z) = "pd_op.fetch" (%l) {col:0,name:"loss",persistable:[true],stop_gradient:[false]} : (tensor<f32>) -> tensor<f32>
}
//--- carried.pir
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
        (%s) = "pd_op.scale" (%arg_1, %f) {bias:0,bias_after_scale:true,stop_gradient:[true]} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
        (%m) = "pd_op.add" (%s, %x) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%k) = "pd_op.less_than" (%n, %3) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%k, %n, %m) {} : (tensor<1xb>, tensor<1xi64>, tensor<2xf32>) ->
    }
    (%z) = "pd_op.fetch" (%r) {col:0,name:"y",persistable:[true],stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
}
