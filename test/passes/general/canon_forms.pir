// What is the same as its operand, and what only looks like it.
// RUN: pir-opt %s --split-input-file --passes=canon | FileCheck %s
// RUN: sed '/perm:.0,[05-]/d; /c64/d; /add_n/d; /col:2,name:"l"/d' %s | pir-opt - --split-input-file --passes=canon --verify-numerics=3 > /dev/null

// Neutral elements: stated numbers of every kind, one integer of a list, a number that an op before computed.
// CHECK-LABEL: name:"first"
// CHECK-NOT:   pd_op.add
// CHECK-NOT:   pd_op.subtract
// CHECK-NOT:   pd_op.divide
// CHECK-NOT:   pd_op.multiply
// CHECK:       "pd_op.fetch" (%0) {col:0
// CHECK-NEXT:  "pd_op.fetch" (%0) {col:1
// CHECK-NEXT:  "pd_op.fetch" (%0) {col:2
// CHECK-NEXT:  "pd_op.fetch" (%1) {col:3
// CHECK-NEXT:  "pd_op.fetch" (%2) {col:4
{
    (%0) = "pd_op.data" () {dtype:float32,name:"first",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"i",place:Place(cpu),shape:[1]} : () -> tensor<1xi64>
    (%2) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:0} : () -> tensor<2xf32>
    (%4) = "pd_op.full" () {dtype:(pd_op.DataType)float32,place:(pd_op.Place)Place(cpu),shape:(pd_op.IntArray)[2],value:(pd_op.Scalar)[float32,(Float)1]} : () -> tensor<2xf32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%6) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%7) = "pd_op.subtract" (%0, %3) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%8) = "pd_op.multiply" (%4, %0) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%9) = "pd_op.divide" (%0, %4) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%10) = "pd_op.add" (%1, %5) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    (%11) = "pd_op.multiply" (%2, %6) {} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
    (%12) = "pd_op.fetch" (%7) {col:0,name:"f"} : (tensor<2xf32>) -> tensor<2xf32>
    (%13) = "pd_op.fetch" (%8) {col:1,name:"g"} : (tensor<2xf32>) -> tensor<2xf32>
    (%14) = "pd_op.fetch" (%9) {col:2,name:"h"} : (tensor<2xf32>) -> tensor<2xf32>
    (%15) = "pd_op.fetch" (%10) {col:3,name:"k"} : (tensor<1xi64>) -> tensor<1xi64>
    (%16) = "pd_op.fetch" (%11) {col:4,name:"l"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// Not: a one that makes the tensor larger, complex or large numbers, constants of several elements, a scale that a loop changes.
// CHECK-LABEL: name:"second"
// CHECK:       "pd_op.multiply" (%0,
// CHECK-NEXT:  "pd_op.multiply"
// CHECK-NEXT:  "pd_op.add" (%0,
// CHECK-NEXT:  "pd_op.huber_loss"
// CHECK-NEXT:  "pd_op.rrelu"
// CHECK:       "pd_op.scale" (%arg_1, %arg_2)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"second",place:Place(cpu),shape:[3]} : () -> tensor<3xf32>
    (%1) = "pd_op.data" () {dtype:complex64,name:"c",place:Place(cpu),shape:[3]} : () -> tensor<3xc64>
    (%2) = "pd_op.data" () {dtype:bool,name:"b",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,3],value:1} : () -> tensor<2x3xf32>
    (%4) = "pd_op.full" () {dtype:(pd_op.DataType)complex64,place:(pd_op.Place)Place(cpu),shape:(pd_op.IntArray)[3],value:(pd_op.Scalar)[complex64,(Complex64)real:1 imag:1]} : () -> tensor<3xc64>
    (%5) = "pd_op.assign_value" () {dtype:float32,place:Place(cpu),shape:[3],values:[0,0,1]} : () -> tensor<3xf32>
    (%6) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%7) = "pd_op.multiply" (%0, %3) {} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%8) = "pd_op.multiply" (%1, %4) {} : (tensor<3xc64>, tensor<3xc64>) -> tensor<3xc64>
    (%9) = "pd_op.add" (%0, %5) {} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    (%10, %11) = "pd_op.huber_loss" (%0, %9) {delta:2.0} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>, tensor<3xf32>
    (%12, %13) = "pd_op.rrelu" (%0) {is_test:true,lower:0.1,upper:0.3} : (tensor<3xf32>) -> tensor<3xf32>, tensor<3xf32>
    (%14, %15, %16) = "pd_op.while" (cond=%2, inputs=%2, %0, %6) {
    ^%arg_0 {}, %arg_1 {}, %arg_2 {}
        (%17) = "pd_op.scale" (%arg_1, %arg_2) {bias:0.0,bias_after_scale:true} : (tensor<3xf32>, tensor<1xf32>) -> tensor<3xf32>
        (%18) = "pd_op.exp" (%arg_2) {} : (tensor<1xf32>) -> tensor<1xf32>
        (%19) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xb>
        () = "cf.yield" (%19, %19, %17, %18) {} : (tensor<1xb>, tensor<1xb>, tensor<3xf32>, tensor<1xf32>) -> 
    }
    (%20) = "pd_op.fetch" (%7) {col:0,name:"f"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%21) = "pd_op.fetch" (%8) {col:1,name:"g"} : (tensor<3xc64>) -> tensor<3xc64>
    (%22) = "pd_op.fetch" (%9) {col:2,name:"h"} : (tensor<3xf32>) -> tensor<3xf32>
    (%23) = "pd_op.fetch" (%10) {col:3,name:"i"} : (tensor<3xf32>) -> tensor<3xf32>
    (%24) = "pd_op.fetch" (%12) {col:4,name:"j"} : (tensor<3xf32>) -> tensor<3xf32>
    (%25) = "pd_op.fetch" (%15) {col:5,name:"k"} : (tensor<3xf32>) -> tensor<3xf32>
}

// -----
// A composition has the kind of list that the outer transposition states. An op in place keeps its place. Gradients of transpositions state
// the axes the other way round, so they are left; so are those whose axes are none.
// CHECK-LABEL: name:"third"
// CHECK:       "pd_op.transpose" (%0) {perm:[1,2,0]}
// CHECK-NEXT:  "pd_op.exp"
// CHECK-NEXT:  "pd_op.full"
// CHECK-NEXT:  "pd_op.scale_"
// CHECK-NEXT:  "pd_op.transpose_grad" (%{{[0-9]+}}) {perm:[1,0]}
// CHECK-NEXT:  "pd_op.transpose_grad" (%{{[0-9]+}}) {perm:[1,0]}
// CHECK-NEXT:  "pd_op.transpose_grad" (%{{[0-9]+}}) {perm:[0,5]}
// CHECK-NEXT:  "pd_op.transpose_grad" (%{{[0-9]+}}) {perm:[0,-7]}
// CHECK-NEXT:  "pd_op.transpose_grad" (%{{[0-9]+}}) {perm:[0,0]}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"third",place:Place(cpu),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%2) = "pd_op.transpose" (%0) {perm:[1,0,2]} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
    (%3) = "pd_op.transpose" (%2) {perm:(pd_op.IntArray)[0,2,1]} : (tensor<3x2x4xf32>) -> tensor<3x4x2xf32>
    (%4) = "pd_op.exp" (%1) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%6) = "pd_op.scale_" (%4, %5) {bias:0.0,bias_after_scale:true} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
    (%7) = "pd_op.transpose_grad" (%6) {perm:[1,0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    (%8) = "pd_op.transpose_grad" (%7) {perm:[1,0]} : (tensor<3x2xf32>) -> tensor<2x3xf32>
    (%9) = "pd_op.transpose_grad" (%8) {perm:[0,5]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%10) = "pd_op.transpose_grad" (%8) {perm:[0,-7]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%11) = "pd_op.transpose_grad" (%8) {perm:[0,0]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%12) = "pd_op.fetch" (%3) {col:0,name:"f"} : (tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
    (%13) = "pd_op.fetch" (%8) {col:1,name:"g"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%14) = "pd_op.add_n" (%9, %10, %11) {} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%15) = "pd_op.fetch" (%14) {col:2,name:"l"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
