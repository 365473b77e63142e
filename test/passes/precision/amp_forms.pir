// Mixed precision: what stays in f32 and why, and which casts are saved.
// RUN: pir-opt %s --split-input-file --passes=amp | FileCheck %s

// Ops with regions or effects stay, and so do complex results, truth values written in place, lists that are empty or unknown. What a hook
// expands (einsum) does not.
// CHECK-LABEL: name:"first"
// CHECK: (%1) = "pd_op.cast" (%0) {dtype:float16}
// CHECK: (%3) = "pd_op.cast" (%2) {dtype:float16}
// CHECK: (%6) = "pd_op.cast" (%5) {dtype:float16}
// CHECK-NEXT: (%7) = "pd_op.exp" (%0)
// CHECK-NEXT: (%8) = "pd_op.cast" (%7) {dtype:float16}
// CHECK-NEXT: (%9) = "pd_op.pylayer" (%7) {backward_function_id:3}
// CHECK: (%10) = "pd_op.sin" (%1)
// CHECK-NEXT: (%11) = "pd_op.cast" (%10) {dtype:float32}
// CHECK-NEXT: () = "cf.yield" (%11)
// CHECK: (%12) = "builtin.combine" (%7)
// CHECK-NEXT: () = "pd_op.assert" (%4, %12) {summarize:1}
// CHECK-NEXT: (%13) = "pd_op.complex" (%7, %2)
// CHECK-NEXT: (%14) = "pd_op.sin" (%3)
// CHECK-NEXT: (%15) = "pd_op.cast" (%14) {dtype:float32}
// CHECK-NEXT: (%16) = "pd_op.less_than_" (%15, %2)
// CHECK-NEXT: (%17) = "builtin.combine" ()
// CHECK-NEXT: (%18) = "my.op" (%0)
// CHECK-NEXT: (%19) = "builtin.combine" (%7, %18)
// CHECK-NEXT: (%20) = "pd_op.add_n" (%19)
// CHECK-NEXT: (%21) = "builtin.combine" (%8, %6)
// CHECK-NEXT: (%22, %23, %24) = "pd_op.einsum" (%21) {equation:"ij,jk->ik"}
// CHECK-NEXT: (%25) = "pd_op.cast" (%22) {dtype:float32}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"first",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%2) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%3) = "pd_op.data" () {dtype:float32,name:"t",place:Place(cpu),shape:[3,4]} : () -> tensor<3x4xf32>
    (%4) = "pd_op.exp" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%5) = "pd_op.pylayer" (%4) {backward_function_id:3} -> tensor<2x3xf32> {
        (%6) = "pd_op.sin" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%6) {} : (tensor<2x3xf32>) -> 
    }
    (%7) = "builtin.combine" (%4) {} : (tensor<2x3xf32>) -> vec[tensor<2x3xf32>]
    () = "pd_op.assert" (%2, %7) {summarize:1} : (tensor<1xb>, vec[tensor<2x3xf32>]) -> 
    (%8) = "pd_op.complex" (%4, %1) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xc64>
    (%9) = "pd_op.sin" (%1) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%10) = "pd_op.less_than_" (%9, %1) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xb>
    (%11) = "builtin.combine" () {} : () -> vec[]
    (%12) = "my.op" (%0) {} : (tensor<2x3xf32>) -> <<NULL TYPE>>
    (%13) = "builtin.combine" (%4, %12) {} : (tensor<2x3xf32>, <<NULL TYPE>>) -> vec[tensor<2x3xf32>,<<NULL TYPE>>]
    (%14) = "pd_op.add_n" (%13) {} : (vec[tensor<2x3xf32>,<<NULL TYPE>>]) -> tensor<2x3xf32>
    (%15) = "builtin.combine" (%4, %3) {} : (tensor<2x3xf32>, tensor<3x4xf32>) -> vec[tensor<2x3xf32>,tensor<3x4xf32>]
    (%16, %17, %18) = "pd_op.einsum" (%15) {equation:"ij,jk->ik"} : (vec[tensor<2x3xf32>,tensor<3x4xf32>]) -> tensor<2x4xf32>, <<NULL TYPE>>, <<NULL TYPE>>
    (%19) = "pd_op.fetch" (%5) {col:0,name:"b"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%20) = "pd_op.fetch" (%8) {col:1,name:"e"} : (tensor<2x3xc64>) -> tensor<2x3xc64>
    (%21) = "pd_op.fetch" (%10) {col:2,name:"f"} : (tensor<2x3xb>) -> tensor<2x3xb>
    (%22) = "pd_op.fetch" (%14) {col:3,name:"j"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%23) = "pd_op.fetch" (%16) {col:4,name:"n"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
}

// -----
// Numbers out of the range of f16 keep an op in f32. A constant that both precisions read is there twice, also one that states no type.
// CHECK-LABEL: name:"second"
// CHECK: (%1) = "pd_op.cast" (%0) {dtype:float16}
// CHECK: (%3) = "pd_op.add" (%0, %2)
// CHECK: (%6) = "pd_op.multiply" (%1, %4)
// CHECK: (%8) = "pd_op.cast" (%7) {dtype:float16}
// CHECK-NEXT: (%9) = "pd_op.multiply" (%6, %8)
// CHECK-NEXT: (%10) = "pd_op.leaky_relu" (%9)
// CHECK-NEXT: (%11) = "pd_op.cast" (%10) {dtype:float32}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"second",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {dtype:(pd_op.DataType)float32,place:(pd_op.Place)Place(cpu),shape:(pd_op.IntArray)[2],value:(pd_op.Scalar)[float32,(Float)100000]} : () -> tensor<2xf32>
    (%2) = "pd_op.add" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:2} : () -> tensor<2xf32>
    (%4) = "pd_op.multiply" (%0, %3) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.full" () {shape:[2],value:3} : () -> tensor<2xf32>
    (%6) = "pd_op.multiply" (%4, %5) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%7) = "pd_op.leaky_relu" (%6) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%8) = "pd_op.fetch" (%2) {col:0,name:"a"} : (tensor<2xf32>) -> tensor<2xf32>
    (%9) = "pd_op.fetch" (%3) {col:1,name:"b"} : (tensor<2xf32>) -> tensor<2xf32>
    (%10) = "pd_op.fetch" (%7) {col:2,name:"c"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// What was cast from f16 is read as it was, unless that is overwritten. An op that states its type states the other one. An operand that
// stays f32 is cast back.
// CHECK-LABEL: name:"third"
// CHECK: (%3) = "pd_op.cast" (%0) {dtype:float32}
// CHECK-NEXT: (%4) = "pd_op.cos" (%0)
// CHECK-NEXT: (%5) = "pd_op.cast" (%4) {dtype:float32}
// CHECK-NEXT: (%6) = "pd_op.cast" (%0) {dtype:float64}
// CHECK-NEXT: (%7) = "pd_op.cast" (%6) {dtype:float32}
// CHECK-NEXT: (%8) = "pd_op.cast" (%7) {dtype:float16}
// CHECK-NEXT: (%9) = "pd_op.cos" (%8)
// CHECK-NEXT: (%10) = "pd_op.cast" (%9) {dtype:float32}
// CHECK-NEXT: (%11) = "pd_op.cos" (%0)
// CHECK-NEXT: (%12) = "pd_op.cast" (%11) {dtype:float32}
// CHECK-NEXT: (%13) = "pd_op.cast" (%12) {dtype:float16}
// CHECK-NEXT: (%14) = "pd_op.relu_" (%11)
// CHECK-NEXT: (%15) = "pd_op.sin" (%13)
// CHECK-NEXT: (%16) = "pd_op.cast" (%15) {dtype:float32}
// CHECK-NEXT: (%17) = "pd_op.sum" (%5, %2) {dtype:float32,keepdim:false}
// CHECK-NEXT: (%18) = "pd_op.sum" (%5, %2) {keepdim:false}
// CHECK-NEXT: (%19) = "pd_op.cast" (%1) {dtype:float32}
// CHECK-NEXT: (%20) = "pd_op.cos" (%1)
// CHECK-NEXT: (%21) = "pd_op.cast" (%20) {dtype:float32}
// CHECK: (%23) = "pd_op.full_like" (%4, %22) {dtype:float16,place:Place(cpu)}
// CHECK-NEXT: (%24) = "pd_op.add" (%23, %4)
// CHECK-NEXT: (%25) = "pd_op.cast" (%24) {dtype:float32}
// CHECK-NEXT: (%26, %27, %28) = "pd_op.layer_norm" (%4, %21, %21) {begin_norm_axis:1,epsilon:1e-05}
// CHECK-NEXT: (%29) = "pd_op.cast" (%26) {dtype:float32}
{
    (%0) = "pd_op.data" () {dtype:float16,name:"third",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf16>
    (%1) = "pd_op.data" () {dtype:float16,name:"y",place:Place(cpu),shape:[3]} : () -> tensor<3xf16>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%3) = "pd_op.cast" (%0) {dtype:float32} : (tensor<2x3xf16>) -> tensor<2x3xf32>
    (%4) = "pd_op.cos" (%3) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%5) = "pd_op.cast" (%0) {dtype:float64} : (tensor<2x3xf16>) -> tensor<2x3xf64>
    (%6) = "pd_op.cast" (%5) {dtype:float32} : (tensor<2x3xf64>) -> tensor<2x3xf32>
    (%7) = "pd_op.cos" (%6) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%8) = "pd_op.cos" (%0) {} : (tensor<2x3xf16>) -> tensor<2x3xf16>
    (%9) = "pd_op.cast" (%8) {dtype:float32} : (tensor<2x3xf16>) -> tensor<2x3xf32>
    (%10) = "pd_op.relu_" (%8) {} : (tensor<2x3xf16>) -> tensor<2x3xf16>
    (%11) = "pd_op.sin" (%9) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%12) = "pd_op.sum" (%4, %2) {dtype:float32,keepdim:false} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2xf32>
    (%13) = "pd_op.sum" (%4, %2) {keepdim:false} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2xf32>
    (%14) = "pd_op.cast" (%1) {dtype:float32} : (tensor<3xf16>) -> tensor<3xf32>
    (%15) = "pd_op.cos" (%14) {} : (tensor<3xf32>) -> tensor<3xf32>
    (%16) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%17) = "pd_op.full_like" (%4, %16) {dtype:float32,place:Place(cpu)} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
    (%18) = "pd_op.add" (%17, %4) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%19, %20, %21) = "pd_op.layer_norm" (%4, %15, %15) {begin_norm_axis:1,epsilon:1e-05} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>
    (%22) = "pd_op.fetch" (%10) {col:0,name:"d"} : (tensor<2x3xf16>) -> tensor<2x3xf16>
    (%23) = "pd_op.fetch" (%11) {col:1,name:"e"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%24) = "pd_op.fetch" (%12) {col:2,name:"f"} : (tensor<2xf32>) -> tensor<2xf32>
    (%25) = "pd_op.fetch" (%13) {col:3,name:"g"} : (tensor<2xf32>) -> tensor<2xf32>
    (%26) = "pd_op.fetch" (%19) {col:4,name:"l"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%27) = "pd_op.fetch" (%7) {col:5,name:"p1"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%28) = "pd_op.fetch" (%18) {col:6,name:"v2"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// An argument of a region is cast in the region, and pinned where it is overwritten; a value that only the op in place reads is not.
// CHECK-LABEL: name:"fourth"
// CHECK: (%1) = "pd_op.cast" (%0) {dtype:float16}
// CHECK: (%3, %4, %5) = "pd_op.while" (cond=%2, inputs=%2, %0, %0) {
// CHECK: (%6) = "pd_op.cast" (%arg_1) {dtype:float16}
// CHECK-NEXT: (%7) = "pd_op.cos" (%6)
// CHECK-NEXT: (%8) = "pd_op.relu_" (%arg_2)
// CHECK-NEXT: (%9) = "pd_op.cast" (%8) {dtype:float16}
// CHECK-NEXT: (%10) = "pd_op.cos" (%9)
// CHECK-NEXT: (%11) = "pd_op.sin" (%1)
// CHECK-NEXT: (%12) = "pd_op.relu_" (%11)
// CHECK-NEXT: (%13) = "pd_op.cos" (%12)
// CHECK-NEXT: (%14) = "pd_op.add" (%7, %10)
// CHECK-NEXT: (%15) = "pd_op.add" (%14, %13)
// CHECK-NEXT: (%16) = "pd_op.cast" (%15) {dtype:float32}
// CHECK-NEXT: () = "cf.yield" (%2, %2, %16, %arg_2)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"fourth",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%2, %3, %4) = "pd_op.while" (cond=%1, inputs=%1, %0, %0) {
    ^%arg_0 {}, %arg_1 {}, %arg_2 {}
        (%5) = "pd_op.cos" (%arg_1) {} : (tensor<2xf32>) -> tensor<2xf32>
        (%6) = "pd_op.relu_" (%arg_2) {} : (tensor<2xf32>) -> tensor<2xf32>
        (%7) = "pd_op.cos" (%6) {} : (tensor<2xf32>) -> tensor<2xf32>
        (%8) = "pd_op.sin" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
        (%9) = "pd_op.relu_" (%8) {} : (tensor<2xf32>) -> tensor<2xf32>
        (%10) = "pd_op.cos" (%9) {} : (tensor<2xf32>) -> tensor<2xf32>
        (%11) = "pd_op.add" (%5, %7) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%12) = "pd_op.add" (%11, %10) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%1, %1, %12, %arg_2) {} : (tensor<1xb>, tensor<1xb>, tensor<2xf32>, tensor<2xf32>) -> 
    }
    (%13) = "pd_op.fetch" (%3) {col:0,name:"r1"} : (tensor<2xf32>) -> tensor<2xf32>
    (%14) = "pd_op.fetch" (%4) {col:1,name:"r2"} : (tensor<2xf32>) -> tensor<2xf32>
}

