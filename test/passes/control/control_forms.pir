// Forms of branches and loops: lists with an entry for each result, nested branches, a condition that is overwritten.
// RUN: pir-opt %s --split-input-file --verify-each --passes=dae | FileCheck %s --check-prefix=DAE
// RUN: pir-opt %s --split-input-file --verify-each --passes=inline | FileCheck %s --check-prefix=INLINE
// RUN: pir-opt %s --split-input-file --verify-each --passes=licm | FileCheck %s --check-prefix=LICM
// RUN: pir-opt %s --split-input-file --passes=sccp,inline,dae,licm,dce --verify-numerics=5 > /dev/null

// A result that nobody reads goes, with its entry in every list that has one for each result; a list of another length stays.
// DAE:      (%2, %3) = "pd_op.if" (%1) {_note:["one"],stop_gradient:[true,true]} -> tensor<2x3xf32>, tensor<2x3xf32> {
// DAE-NEXT: "pd_op.sin" (%0)
// DAE-NEXT: "cf.yield" (%4, %0)
// DAE-NEXT: } else {
// DAE-NEXT: "pd_op.tan" (%0)
// DAE-NEXT: "cf.yield" (%5, %5)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[]} : () -> tensor<b>
    (%2, %3, %4) = "pd_op.if" (%1) {_note:["one"],stop_gradient:[true,false,true]} -> tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32> {
        (%5) = "pd_op.sin" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        (%6) = "pd_op.cos" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%5, %6, %0) {} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> 
    } else {
        (%7) = "pd_op.tan" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%7, %0, %7) {} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> 
    }
    (%8) = "pd_op.add" (%2, %4) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%9) = "pd_op.fetch" (%8) {col:0,name:"y"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// Arguments keep their attributes. What no round changes moves in front of the loop, save ops with kernels.
// DAE:      (%{{[0-9]+}}, %{{[0-9]+}}) = "pd_op.while" (cond=%{{[0-9]+}}, inputs=%{{[0-9]+}}, %0) {
// DAE-NEXT: ^%arg_0 {stop_gradient:[true]}, %arg_1 {stop_gradient:[false]}{{$}}
// DAE-NOT:  "pd_op.softmax"
// DAE:      "pd_op.fetch"
// LICM:      "pd_op.floor_divide"
// LICM-NEXT: "pd_op.exp" (%0)
// LICM-NEXT: "pd_op.while"
// LICM:      "pd_op.matmul"
// LICM-NEXT: "pd_op.softmax" (%arg_2)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[],value:0} : () -> tensor<i64>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[],value:3} : () -> tensor<i64>
    (%4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[],value:1} : () -> tensor<i64>
    (%5) = "pd_op.less_than" (%1, %2) {} : (tensor<i64>, tensor<i64>) -> tensor<b>
    (%6, %7, %8) = "pd_op.while" (cond=%5, inputs=%1, %0, %0) {
    ^%arg_0 {stop_gradient:[true]}, %arg_1 {stop_gradient:[false]}, %arg_2 {}
        (%10) = "pd_op.add" (%arg_0, %4) {} : (tensor<i64>, tensor<i64>) -> tensor<i64>
        (%11) = "pd_op.floor_divide" (%2, %4) {} : (tensor<i64>, tensor<i64>) -> tensor<i64>
        (%12) = "pd_op.add" (%10, %11) {} : (tensor<i64>, tensor<i64>) -> tensor<i64>
        (%13) = "pd_op.exp" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        (%14) = "pd_op.add" (%arg_1, %13) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
        (%15) = "pd_op.matmul" (%0, %0) {transpose_x:false,transpose_y:true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
        (%16) = "pd_op.softmax" (%arg_2) {axis:-1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        (%17) = "pd_op.less_than" (%12, %2) {} : (tensor<i64>, tensor<i64>) -> tensor<b>
        () = "cf.yield" (%17, %12, %14, %16) {} : (tensor<b>, tensor<i64>, tensor<2x3xf32>, tensor<2x3xf32>) -> 
    }
    (%18) = "pd_op.fetch" (%7) {col:0,name:"y"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// The value of a condition that an op overwrites is not known.
// INLINE:      "pd_op.logical_not_"
// INLINE-NEXT: "pd_op.if"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[],value:1} : () -> tensor<b>
    (%2) = "pd_op.logical_not_" (%1) {} : (tensor<b>) -> tensor<b>
    (%3) = "pd_op.if" (%1) {} -> tensor<2x3xf32> {
        (%4) = "pd_op.cos" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%4) {} : (tensor<2x3xf32>) -> 
    } else {
        () = "cf.yield" (%0) {} : (tensor<2x3xf32>) -> 
    }
    (%5) = "pd_op.fetch" (%3) {col:0,name:"y"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// A branch inside a branch: both go.
// INLINE:     // -----
// INLINE-NOT: "pd_op.if"
// INLINE:     "pd_op.cos" (%0)
// INLINE-NEXT: "pd_op.fetch" (%2)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xb>
    (%2) = "pd_op.if" (%1) {} -> tensor<2x3xf32> {
        (%3) = "pd_op.if" (%1) {} -> tensor<2x3xf32> {
            (%4) = "pd_op.cos" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
            () = "cf.yield" (%4) {} : (tensor<2x3xf32>) -> 
        } else {
            () = "cf.yield" (%0) {} : (tensor<2x3xf32>) -> 
        }
        () = "cf.yield" (%3) {} : (tensor<2x3xf32>) -> 
    } else {
        () = "cf.yield" (%0) {} : (tensor<2x3xf32>) -> 
    }
    (%5) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
