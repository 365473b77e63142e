// RUN: pir-opt %s --split-input-file --verify-each --passes=sccp,inline,dae,dce | FileCheck %s
// RUN: pir-opt %s --split-input-file --verify-each --passes=licm | FileCheck %s --check-prefix=LICM
// RUN: pir-opt %s --split-input-file --verify-each --passes=dae | FileCheck %s --check-prefix=DAE
// RUN: pir-opt %s --split-input-file --verify-each --passes=sccp,inline,dae,licm,dce --verify-numerics=5 > /dev/null

// A loop that hands its factor on as it came, and a choice by it: the choice is known only as long as the loop does not
// change it. The dead counter goes, the sum that every round makes anew goes in front.
// CHECK:      "pd_op.while" (cond=%{{[0-9]+}}, inputs=%{{[0-9]+}}, %{{[0-9]+}}) {
// CHECK-NOT:  "pd_op.if"
// CHECK:      "pd_op.multiply"
// CHECK:      "cf.yield"
// CHECK-NEXT: {{^ *}}}
// LICM:      "pd_op.add" (%0, %0)
// LICM:      "pd_op.while"
// LICM-NOT:  "pd_op.add" (%0, %0)
// LICM:      "cf.yield"
// DAE:       "pd_op.while" (cond=%{{[0-9]+}}, inputs=%{{[0-9]+}}, %{{[0-9]+}}) {
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[],value:0} : () -> tensor<i64>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[],value:3} : () -> tensor<i64>
    (%3) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[],value:1} : () -> tensor<b>
    (%4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[],value:1} : () -> tensor<i64>
    (%5) = "pd_op.less_than" (%1, %2) {} : (tensor<i64>, tensor<i64>) -> tensor<b>
    (%6, %7, %8, %9) = "pd_op.while" (cond=%5, inputs=%1, %0, %3, %1) {
    ^%arg_0 {}, %arg_1 {}, %arg_2 {}, %arg_3 {}
        (%10) = "pd_op.add" (%arg_0, %4) {} : (tensor<i64>, tensor<i64>) -> tensor<i64>
        (%11) = "pd_op.add" (%0, %0) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
        (%12) = "pd_op.if" (%arg_2) {} -> tensor<2x3xf32> {
            (%13) = "pd_op.multiply" (%arg_1, %11) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
            () = "cf.yield" (%13) {} : (tensor<2x3xf32>) -> 
        } else {
            () = "cf.yield" (%arg_1) {} : (tensor<2x3xf32>) -> 
        }
        (%14) = "pd_op.less_than" (%10, %2) {} : (tensor<i64>, tensor<i64>) -> tensor<b>
        (%15) = "pd_op.add" (%arg_3, %4) {} : (tensor<i64>, tensor<i64>) -> tensor<i64>
        () = "cf.yield" (%14, %10, %12, %arg_2, %15) {} : (tensor<b>, tensor<i64>, tensor<2x3xf32>, tensor<b>, tensor<i64>) -> 
    }
    (%16) = "pd_op.fetch" (%7) {col:0,name:"y"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// A choice that is known: the other region goes where it stands. A loop that has no round gives what it was given. A result
// of a choice that nobody reads goes, with what led to it; both regions give the same number, which is known.
// CHECK-NOT: pd_op.while
// CHECK:     "pd_op.tanh" (%[[X:[0-9]+]])
// CHECK:     (%[[IF:[0-9]+]]) = "pd_op.if" (%{{[0-9]+}}) {} -> tensor<2x3xf32> {
// CHECK-NOT: pd_op.sin
// CHECK:     "cf.yield" (%{{[0-9]+}}) {}
// CHECK:     "pd_op.fetch" (%[[X]])
// CHECK:     "pd_op.fetch" (%[[IF]])
// CHECK-NOT: pd_op.scale
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[]} : () -> tensor<b>
    (%2) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[],value:0} : () -> tensor<b>
    (%3) = "pd_op.if" (%2) {} -> tensor<2x3xf32> {
        (%4) = "pd_op.cos" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%4) {} : (tensor<2x3xf32>) -> 
    } else {
        (%5) = "pd_op.tanh" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%5) {} : (tensor<2x3xf32>) -> 
    }
    (%6) = "pd_op.while" (cond=%2, inputs=%0) {
    ^%arg_0 {}
        () = "cf.yield" (%2, %arg_0) {} : (tensor<b>, tensor<2x3xf32>) -> 
    }
    (%7, %8, %9) = "pd_op.if" (%1) {} -> tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32> {
        (%10) = "pd_op.sin" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        (%11) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
        () = "cf.yield" (%10, %3, %11) {} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> 
    } else {
        (%12) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
        () = "cf.yield" (%3, %0, %12) {} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> 
    }
    (%13) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:3} : () -> tensor<1xf32>
    (%14) = "pd_op.scale" (%9, %13) {bias:1,bias_after_scale:true} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    (%15) = "pd_op.fetch" (%6) {col:0,name:"p"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%16) = "pd_op.fetch" (%8) {col:1,name:"q"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%17) = "pd_op.fetch" (%14) {col:2,name:"r"} : (tensor<1xf32>) -> tensor<1xf32>
}

// -----
// In a loop stay: what is overwritten there (%7), what reads what is (%9), what may stop the run (%10), what is handed on
// (%11), and what has an effect. A loop with other numbers in every round is not known.
// CHECK:     "pd_op.while"
// LICM:      // -----
// LICM:      // -----
// LICM:      "pd_op.while"
// LICM:      "pd_op.full"
// LICM-NEXT: "pd_op.increment_"
// LICM-NEXT: "pd_op.relu" (%0)
// LICM-NEXT: "pd_op.relu_" (%0)
// LICM-NEXT: "pd_op.gather"
// LICM-NEXT: "pd_op.full"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[3]} : () -> tensor<3xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"i",place:Place(cpu),shape:[1]} : () -> tensor<1xi64>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%3) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%4) = "pd_op.less_than" (%2, %1) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%5, %6) = "pd_op.while" (cond=%4, inputs=%2, %0) {
    ^%arg_0 {}, %arg_1 {}
        (%7) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
        (%8) = "pd_op.increment_" (%7) {value:1} : (tensor<1xi64>) -> tensor<1xi64>
        (%9) = "pd_op.relu" (%0) {} : (tensor<3xf32>) -> tensor<3xf32>
        (%13) = "pd_op.relu_" (%0) {} : (tensor<3xf32>) -> tensor<3xf32>
        (%10) = "pd_op.gather" (%9, %1, %3) {} : (tensor<3xf32>, tensor<1xi64>, tensor<1xi32>) -> tensor<1xf32>
        (%11) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xb>
        (%12) = "pd_op.add" (%arg_1, %10) {} : (tensor<3xf32>, tensor<1xf32>) -> tensor<3xf32>
        () = "cf.yield" (%11, %8, %12) {} : (tensor<1xb>, tensor<1xi64>, tensor<3xf32>) -> 
    }
    (%14) = "pd_op.fetch" (%6) {col:0,name:"y"} : (tensor<3xf32>) -> tensor<3xf32>
    (%15) = "pd_op.fetch" (%5) {col:1,name:"n"} : (tensor<1xi64>) -> tensor<1xi64>
}
