// Constants through control flow: what is known inside a region, and what is not.
// RUN: pir-opt %s --split-input-file --passes=sccp | FileCheck %s

// The region of an op that is no branch and no loop runs, with arguments that are not known; so do regions of an op of no
// dialect. The constants inside are folded.
// CHECK-LABEL: "first"
// CHECK:       "pd_op.pylayer"
// CHECK:       "pd_op.add" (%arg_0{{.*}}, %0)
// CHECK:       "my.op"
// CHECK:       "pd_op.add" (%arg_1{{.*}}, %1)
{
    () = "first" () {} : () -> 
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:2} : () -> tensor<2xf32>
    (%2) = "pd_op.pylayer" (%0) {backward_function_id:3} : (tensor<2xf32>) -> tensor<2xf32> ({
    ^(%arg_0: tensor<2xf32> {}):
        (%3) = "pd_op.exp" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
        (%4) = "pd_op.add" (%arg_0, %3) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%4) {} : (tensor<2xf32>) -> 
    })
    (%5) = "my.op" (%0) {} : (tensor<2xf32>) -> tensor<2xf32> ({
    ^(%arg_1: tensor<2xf32> {}):
        (%6) = "pd_op.exp" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
        (%7) = "pd_op.add" (%arg_1, %6) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        () = "my.yield" (%7) {} : (tensor<2xf32>) -> 
    })
    (%8) = "pd_op.fetch" (%2) {col:0,name:"f"} : (tensor<2xf32>) -> tensor<2xf32>
    (%9) = "pd_op.fetch" (%5) {col:1,name:"g"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// Two constants that a branch may give are one value if element type, extents and elements are equal; only then the reader
// gets a constant. A list of one tensor is no tensor.
// CHECK-LABEL: "second"
// CHECK:       (%[[F:[0-9]+]], %[[G:[0-9]+]], %[[H:[0-9]+]], %[[I:[0-9]+]], %[[J:[0-9]+]], %[[K:[0-9]+]]) = "pd_op.if"
// CHECK:       "pd_op.fetch" (%0) {col:0
// CHECK-NEXT:  "pd_op.fetch" (%[[G]])
// CHECK-NEXT:  "pd_op.fetch" (%[[H]])
// CHECK-NEXT:  "pd_op.fetch" (%[[I]])
// CHECK-NEXT:  "pd_op.fetch" (%[[J]])
// CHECK-NEXT:  "builtin.split" (%[[K]])
{
    () = "second" () {} : () -> 
    (%0) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%1, %2, %3, %4, %5, %6) = "pd_op.if" (%0) {} -> tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, vec[tensor<2xf32>] {
        (%7) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:3} : () -> tensor<2xf32>
        (%8) = "builtin.combine" (%7) {} : (tensor<2xf32>) -> vec[tensor<2xf32>]
        () = "cf.yield" (%7, %7, %7, %7, %7, %8) {} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, vec[tensor<2xf32>]) -> 
    } else {
        (%9) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:3} : () -> tensor<2xf32>
        (%10) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:4} : () -> tensor<2xf32>
        (%11) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[2],value:3} : () -> tensor<2xi32>
        (%12) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[3],value:3} : () -> tensor<3xf32>
        (%13) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,1],value:3} : () -> tensor<2x1xf32>
        (%14) = "builtin.combine" (%9) {} : (tensor<2xf32>) -> vec[tensor<2xf32>]
        () = "cf.yield" (%9, %10, %11, %12, %13, %14) {} : (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<3xf32>, tensor<2x1xf32>, vec[tensor<2xf32>]) -> 
    }
    (%15) = "pd_op.fetch" (%1) {col:0,name:"f"} : (tensor<2xf32>) -> tensor<2xf32>
    (%16) = "pd_op.fetch" (%2) {col:1,name:"g"} : (tensor<2xf32>) -> tensor<2xf32>
    (%17) = "pd_op.fetch" (%3) {col:2,name:"h"} : (tensor<2xf32>) -> tensor<2xf32>
    (%18) = "pd_op.fetch" (%4) {col:3,name:"i"} : (tensor<2xf32>) -> tensor<2xf32>
    (%19) = "pd_op.fetch" (%5) {col:4,name:"j"} : (tensor<2xf32>) -> tensor<2xf32>
    (%20) = "builtin.split" (%6) {} : (vec[tensor<2xf32>]) -> tensor<2xf32>
    (%21) = "pd_op.fetch" (%20) {col:5,name:"k"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// Lists of different lengths differ. A condition that another branch gives is known when that branch has been followed; one
// of two elements is not. What no region yields, or only an absent value, is not known.
// CHECK-LABEL: "third"
// CHECK:       (%[[L:[0-9]+]], %[[C:[0-9]+]], %{{[0-9]+}}, %[[N:[0-9]+]]) = "pd_op.if" (%1)
// CHECK:       "pd_op.if" (%[[C]])
// CHECK:       "pd_op.while" (cond=%[[C]],
// CHECK:       (%[[T:[0-9]+]]) = "pd_op.if" (%3)
// CHECK:       (%[[M:[0-9]+]]) = "builtin.split" (%[[L]])
// CHECK-NEXT:  "pd_op.add" (%2, %0)
// CHECK-NEXT:  "pd_op.add" (%[[N]], %[[M]])
// CHECK:       "pd_op.fetch" (%[[T]])
{
    () = "third" () {} : () -> 
    (%0) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[2],value:1} : () -> tensor<2xb>
    (%3, %4, %5, %6) = "pd_op.if" (%0) {} -> vec[tensor<2xf32>], tensor<1xb>, <<NULL TYPE>>, tensor<2xf32> {
        (%7) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:3} : () -> tensor<2xf32>
        (%8) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xb>
        (%9) = "builtin.combine" (%7) {} : (tensor<2xf32>) -> vec[tensor<2xf32>]
        () = "cf.yield" (%9, %8, <<NULL VALUE>>) {} : (vec[tensor<2xf32>], tensor<1xb>, <<NULL TYPE>>) -> 
    } else {
        (%10) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:3} : () -> tensor<2xf32>
        (%11) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xb>
        (%12) = "builtin.combine" (%10, %10) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
        () = "cf.yield" (%12, %11, <<NULL VALUE>>) {} : (vec[tensor<2xf32>,tensor<2xf32>], tensor<1xb>, <<NULL TYPE>>) -> 
    }
    (%13) = "pd_op.if" (%4) {} -> tensor<2xf32> {
        (%14) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:5} : () -> tensor<2xf32>
        () = "cf.yield" (%14) {} : (tensor<2xf32>) -> 
    } else {
        () = "cf.yield" (%1) {} : (tensor<2xf32>) -> 
    }
    (%15) = "pd_op.while" (cond=%4, inputs=%1) {
    ^%arg_0 {}
        (%16) = "pd_op.exp" (%arg_0) {} : (tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%0, %16) {} : (tensor<1xb>, tensor<2xf32>) -> 
    }
    (%17) = "pd_op.if" (%2) {} -> tensor<2xf32> {
        (%25) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:6} : () -> tensor<2xf32>
        () = "cf.yield" (%25) {} : (tensor<2xf32>) -> 
    } else {
        () = "cf.yield" (%1) {} : (tensor<2xf32>) -> 
    }
    (%18) = "builtin.split" (%3) {} : (vec[tensor<2xf32>]) -> tensor<2xf32>
    (%19) = "pd_op.add" (%1, %13) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%20) = "pd_op.add" (%6, %18) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%21) = "pd_op.fetch" (%15) {col:0,name:"f"} : (tensor<2xf32>) -> tensor<2xf32>
    (%22) = "pd_op.fetch" (%17) {col:1,name:"g"} : (tensor<2xf32>) -> tensor<2xf32>
    (%23) = "pd_op.fetch" (%19) {col:2,name:"h"} : (tensor<2xf32>) -> tensor<2xf32>
    (%24) = "pd_op.fetch" (%20) {col:3,name:"i"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// A loop's argument that keeps its initial value is that constant, the stated one where the reader sees it, a new one if it was
// computed. One that the loop overwrites, or hands to another loop that may, stays; so does what an overwritten condition
// decides.
// CHECK-LABEL: "fourth"
// CHECK:       (%[[S:[0-9]+]]) = "pd_op.full" () {{.*}}value:2}
// CHECK:       (%{{[0-9]+}}, %{{[0-9]+}}, %[[R:[0-9]+]], %[[O:[0-9]+]]) = "pd_op.while"
// CHECK-NEXT:  ^%arg_0 {}, %arg_1 {}, %arg_2 {}, %arg_3 {}
// CHECK-NEXT:  "pd_op.add" (%arg_0, %[[S]])
// CHECK-NEXT:  "pd_op.add" (%{{[0-9]+}}, %0)
// CHECK-NEXT:  "pd_op.relu_" (%arg_3)
// CHECK:       "pd_op.while" (cond={{.*}}, inputs=%[[R]])
// CHECK:       (%[[D:[0-9]+]]) = "pd_op.if"
// CHECK:       "pd_op.fetch" (%[[O]]) {col:2
// CHECK-NEXT:  "pd_op.fetch" (%[[D]]) {col:3
{
    () = "fourth" () {} : () -> 
    (%0) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:2} : () -> tensor<2xf32>
    (%3) = "pd_op.exp" (%2) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%4, %5, %6, %7) = "pd_op.while" (cond=%0, inputs=%1, %2, %3, %3) {
    ^%arg_0 {}, %arg_1 {}, %arg_2 {}, %arg_3 {}
        (%8) = "pd_op.add" (%arg_0, %arg_1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%9) = "pd_op.add" (%8, %arg_2) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%10) = "pd_op.relu_" (%arg_3) {} : (tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%0, %9, %arg_1, %3, %arg_3) {} : (tensor<1xb>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> 
    }
    (%11) = "pd_op.while" (cond=%0, inputs=%6) {
    ^%arg_4 {}
        (%12) = "pd_op.add" (%1, %arg_4) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%0, %12) {} : (tensor<1xb>, tensor<2xf32>) -> 
    }
    (%13) = "pd_op.fetch" (%4) {col:0,name:"f"} : (tensor<2xf32>) -> tensor<2xf32>
    (%14) = "pd_op.fetch" (%11) {col:1,name:"g"} : (tensor<2xf32>) -> tensor<2xf32>
    (%15) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xb>
    (%16) = "pd_op.logical_not_" (%15) {} : (tensor<1xb>) -> tensor<1xb>
    (%17) = "pd_op.if" (%15) {} -> tensor<2xf32> {
        (%18) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:1} : () -> tensor<2xf32>
        () = "cf.yield" (%18) {} : (tensor<2xf32>) -> 
    } else {
        (%19) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:2} : () -> tensor<2xf32>
        () = "cf.yield" (%19) {} : (tensor<2xf32>) -> 
    }
    (%20) = "pd_op.fetch" (%7) {col:2,name:"h"} : (tensor<2xf32>) -> tensor<2xf32>
    (%21) = "pd_op.fetch" (%17) {col:3,name:"i"} : (tensor<2xf32>) -> tensor<2xf32>
}
