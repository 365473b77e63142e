// Branches and loops that are left as they are, and why: a region yields too little, ends with an op of no dialect, has several
// blocks or an argument, or something is written over.
// RUN: pir-opt %s --split-input-file --passes=dae | FileCheck %s --check-prefix=DAE
// RUN: pir-opt %s --split-input-file --passes=inline | FileCheck %s --check-prefix=INLINE
// RUN: pir-opt %s --split-input-file --passes=licm | FileCheck %s --check-prefix=LICM
// RUN: pir-opt %s --split-input-file --passes=sccp | FileCheck %s --check-prefix=SCCP

// INLINE-LABEL: "first"
// INLINE-COUNT-4: "pd_op.if"
// INLINE-NOT: "pd_op.if"
// DAE-LABEL: "first"
// DAE: (%{{[0-9]+}}, %{{[0-9]+}}) = "pd_op.if"
// DAE: (%{{[0-9]+}}, %{{[0-9]+}}) = "pd_op.if"
// DAE: (%{{[0-9]+}}, %{{[0-9]+}}) = "pd_op.if"
// DAE: (%{{[0-9]+}}, %{{[0-9]+}}) = "pd_op.if"
// SCCP-LABEL: "first"
// SCCP-COUNT-4: "pd_op.if"
{
    () = "first" () {} : () -> 
    (%0) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xb>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2, %3) = "pd_op.if" (%0) {} -> tensor<2xf32>, tensor<2xf32> {
        () = "cf.yield" (%1) {} : (tensor<2xf32>) -> 
    } else {
        () = "cf.yield" (%1, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> 
    }
    (%4, %5) = "pd_op.if" (%0) {} -> tensor<2xf32>, tensor<2xf32> {
        () = "my.yield" (%1, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> 
    } else {
        () = "cf.yield" (%1, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> 
    }
    (%6, %7) = "pd_op.if" (%0) {} : (tensor<1xb>) -> tensor<2xf32>, tensor<2xf32> ({
    ^(%arg_0: tensor<2xf32> {}):
        () = "cf.yield" (%1, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> 
    }, {
        () = "cf.yield" (%1, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> 
    })
    (%8, %9) = "pd_op.if" (%0) {} : (tensor<1xb>) -> tensor<2xf32>, tensor<2xf32> ({
        () = "cf.yield" (%1, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> 
    ^():
        () = "cf.yield" (%1, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> 
    }, {
        () = "cf.yield" (%1, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> 
    })
    (%10) = "pd_op.fetch" (%2) {col:0,name:"f"} : (tensor<2xf32>) -> tensor<2xf32>
    (%11) = "pd_op.fetch" (%4) {col:1,name:"g"} : (tensor<2xf32>) -> tensor<2xf32>
    (%12) = "pd_op.fetch" (%6) {col:2,name:"h"} : (tensor<2xf32>) -> tensor<2xf32>
    (%13) = "pd_op.fetch" (%8) {col:3,name:"i"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// An absent value may be yielded where nobody reads the result, but not where one does. The same holds for what a loop begins
// with; its condition is a parameter without data, then one element of two.
// INLINE-LABEL: "second"
// INLINE:      "pd_op.if" (%{{[0-9]+}}) {} -> tensor<2xf32>, <<NULL TYPE>> {
// INLINE:      "pd_op.while" (cond=%{{[0-9]+}}, inputs=%1, <<NULL VALUE>>)
// INLINE:      "pd_op.while"
// INLINE:      "pd_op.while"
// INLINE-NOT:  "pd_op.while"
// INLINE:      "pd_op.fetch" (%1) {col:4
// DAE-LABEL:   "second"
// DAE:         (%{{[0-9]+}}) = "pd_op.while" (cond=%{{[0-9]+}}, inputs=<<NULL VALUE>>)
{
    () = "second" () {} : () -> 
    (%0) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xb>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "builtin.parameter" () {parameter_name:"c"} : () -> tensor<1xb>
    (%3) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[2],value:0} : () -> tensor<2xb>
    (%4, %5) = "pd_op.if" (%0) {} -> tensor<2xf32>, <<NULL TYPE>> {
        () = "cf.yield" (%1, <<NULL VALUE>>) {} : (tensor<2xf32>, <<NULL TYPE>>) -> 
    } else {
        () = "cf.yield" (%1, <<NULL VALUE>>) {} : (tensor<2xf32>, <<NULL TYPE>>) -> 
    }
    (%6, %7) = "pd_op.if" (%0) {} -> tensor<2xf32>, <<NULL TYPE>> {
        () = "cf.yield" (<<NULL VALUE>>, <<NULL VALUE>>) {} : (<<NULL TYPE>>, <<NULL TYPE>>) -> 
    } else {
        () = "cf.yield" (<<NULL VALUE>>, <<NULL VALUE>>) {} : (<<NULL TYPE>>, <<NULL TYPE>>) -> 
    }
    (%8, %9) = "pd_op.while" (cond=%0, inputs=%1, <<NULL VALUE>>) {
    ^%arg_0 {}, %arg_1 {}
        () = "cf.yield" (%0, %arg_0, %arg_1) {} : (tensor<1xb>, tensor<2xf32>, tensor<2xf32>) -> 
    }
    (%10) = "pd_op.while" (cond=%2, inputs=%1) {
    ^%arg_2 {}
        (%11) = "pd_op.relu" (%arg_2) {} : (tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%0, %11) {} : (tensor<1xb>, tensor<2xf32>) -> 
    }
    (%12) = "pd_op.while" (cond=%3, inputs=%1) {
    ^%arg_3 {}
        (%13) = "pd_op.relu" (%arg_3) {} : (tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%0, %13) {} : (tensor<1xb>, tensor<2xf32>) -> 
    }
    (%14) = "pd_op.while" (cond=%0, inputs=%1) {
    ^%arg_4 {}
        (%15) = "pd_op.relu" (%arg_4) {} : (tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%0, %15) {} : (tensor<1xb>, tensor<2xf32>) -> 
    }
    (%16) = "pd_op.fetch" (%6) {col:0,name:"g"} : (tensor<2xf32>) -> tensor<2xf32>
    (%17) = "pd_op.fetch" (%9) {col:1,name:"h"} : (tensor<2xf32>) -> tensor<2xf32>
    (%18) = "pd_op.fetch" (%10) {col:2,name:"i"} : (tensor<2xf32>) -> tensor<2xf32>
    (%19) = "pd_op.fetch" (%12) {col:3,name:"j"} : (tensor<2xf32>) -> tensor<2xf32>
    (%20) = "pd_op.fetch" (%14) {col:4,name:"k"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// A loop argument goes if nobody reads it, also when it hands itself on; not one that is written over, nor one whose initial
// value is. Attributes that are no list with an entry for each result are kept, and those of the region's end.
// DAE-LABEL: "third"
// DAE:       (%{{[0-9]+}}, %[[W:[0-9]+]], %[[B:[0-9]+]]) = "pd_op.while" (cond=%{{[0-9]+}}, inputs=%{{[0-9]+}}, %0, %1)
// DAE-NEXT:  ^%arg_0 {}, %arg_1 {}, %arg_2 {}
// DAE:       "pd_op.relu_" (%arg_1)
// DAE:       "cf.yield" (%arg_0, %{{[0-9]+}}, %arg_1, %arg_2) {_role:3} :
// DAE:       "pd_op.relu_" (%1)
{
    () = "third" () {} : () -> 
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%3) = "pd_op.data" () {dtype:bool,name:"d",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%4, %5, %6, %7) = "pd_op.while" (%2, %3, %0, %1, %0) {_note:"n"} : (tensor<1xb>, tensor<1xb>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1xb>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32> ({
    ^(%arg_0: tensor<1xb> {}, %arg_1: tensor<2xf32> {}, %arg_2: tensor<2xf32> {}, %arg_3: tensor<2xf32> {}):
        (%8) = "pd_op.relu_" (%arg_1) {} : (tensor<2xf32>) -> tensor<2xf32>
        (%9) = "pd_op.logical_not" (%arg_0) {} : (tensor<1xb>) -> tensor<1xb>
        () = "cf.yield" (%arg_0, %9, %arg_1, %arg_2, %arg_3) {_role:3} : (tensor<1xb>, tensor<1xb>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> 
    })
    (%10) = "pd_op.relu_" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%11) = "pd_op.fetch" (%4) {col:0,name:"f"} : (tensor<1xb>) -> tensor<1xb>
    (%12) = "pd_op.fetch" (%5) {col:1,name:"g"} : (tensor<2xf32>) -> tensor<2xf32>
    (%13) = "pd_op.fetch" (%6) {col:2,name:"h"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// What a pylayer, an op with an effect and an op of no dialect read is needed; the pylayer's region is not looked into.
// DAE-LABEL: "fourth"
// DAE:       (%{{[0-9]+}}) = "pd_op.if"
// DAE:       "pd_op.sin"
// DAE:       "pd_op.pylayer"
// DAE:       "pd_op.cos"
// DAE-NEXT:  "cf.yield" (%{{[0-9]+}}, %arg_0)
// DAE:       "pd_op.sgd_" ({{.*}}, <<NULL VALUE>>)
{
    () = "fourth" () {} : () -> 
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%2) = "pd_op.data" () {dtype:float32,name:"r",place:Place(cpu),shape:[1]} : () -> tensor<1xf32>
    (%3, %4) = "pd_op.if" (%1) {} -> tensor<2xf32>, tensor<2xf32> {
        (%5) = "pd_op.sin" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
        (%6) = "pd_op.tan" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%5, %6) {} : (tensor<2xf32>, tensor<2xf32>) -> 
    } else {
        () = "cf.yield" (%0, %0) {} : (tensor<2xf32>, tensor<2xf32>) -> 
    }
    (%7, %8) = "pd_op.pylayer" (%0) {backward_function_id:3} : (tensor<2xf32>) -> tensor<2xf32>, tensor<2xf32> ({
    ^(%arg_0: tensor<2xf32> {}):
        (%9) = "pd_op.cos" (%arg_0) {} : (tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%9, %arg_0) {} : (tensor<2xf32>, tensor<2xf32>) -> 
    })
    (%10, %11) = "pd_op.sgd_" (%3, %2, %7, <<NULL VALUE>>) {multi_precision:false} : (tensor<2xf32>, tensor<1xf32>, tensor<2xf32>, <<NULL TYPE>>) -> tensor<2xf32>, <<NULL TYPE>>
}

// -----
// An op of an inner loop that reads an argument of the outer one leaves the inner loop alone. One with an absent operand moves too; one
// that can fail stays, because the loop may have no iteration: an index out of range, a kernel, a composite.
// LICM-LABEL: "fifth"
// LICM:       "pd_op.while"
// LICM-NEXT:  ^%arg_0 {}, %arg_1 {}
// LICM-NEXT:  "pd_op.exp" (%arg_1)
// LICM-NEXT:  "pd_op.while"
// LICM-NEXT:  ^%arg_2 {}, %arg_3 {}
// LICM-NEXT:  "pd_op.embedding"
// LICM-NEXT:  "pd_op.add"
{
    () = "fifth" () {} : () -> 
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,2]} : () -> tensor<2x2xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%2) = "pd_op.data" () {dtype:int64,name:"i",place:Place(cpu),shape:[2]} : () -> tensor<2xi64>
    (%3, %4) = "pd_op.while" (cond=%1, inputs=%1, %0) {
    ^%arg_0 {}, %arg_1 {}
        (%5, %6) = "pd_op.while" (cond=%1, inputs=%1, %0) {
        ^%arg_2 {}, %arg_3 {}
            (%7) = "pd_op.exp" (%arg_1) {} : (tensor<2x2xf32>) -> tensor<2x2xf32>
            (%8) = "pd_op.embedding" (%2, %0) {padding_idx:-1,sparse:false} : (tensor<2xi64>, tensor<2x2xf32>) -> tensor<2x2xf32>
            (%9) = "pd_op.add" (%7, %8) {} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
            (%10) = "pd_op.add" (%arg_3, %9) {} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
            (%11) = "pd_op.logical_not" (%arg_2) {} : (tensor<1xb>) -> tensor<1xb>
            () = "cf.yield" (%11, %11, %10) {} : (tensor<1xb>, tensor<1xb>, tensor<2x2xf32>) -> 
        }
        (%12) = "pd_op.logical_not" (%arg_0) {} : (tensor<1xb>) -> tensor<1xb>
        () = "cf.yield" (%12, %12, %6) {} : (tensor<1xb>, tensor<1xb>, tensor<2x2xf32>) -> 
    }
    (%13) = "pd_op.fetch" (%4) {col:0,name:"f"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
}

// -----
// Constants and lists leave a loop, and so does what reads them.
// LICM-LABEL: "sixth"
// LICM:       "pd_op.less_than"
// LICM-NEXT:  "pd_op.full"
// LICM-NEXT:  "builtin.combine"
// LICM-NEXT:  "pd_op.add_n"
// LICM-NEXT:  "pd_op.while"
{
    () = "sixth" () {} : () -> 
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[],value:0} : () -> tensor<i64>
    (%2) = "pd_op.less_than" (%1, %1) {} : (tensor<i64>, tensor<i64>) -> tensor<b>
    (%3, %4) = "pd_op.while" (cond=%2, inputs=%1, %0) {
    ^%arg_0 {}, %arg_1 {}
        (%5) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[],value:1} : () -> tensor<i64>
        (%6) = "pd_op.add" (%arg_0, %5) {} : (tensor<i64>, tensor<i64>) -> tensor<i64>
        (%7) = "builtin.combine" (%0, %0) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
        (%8) = "pd_op.add_n" (%7) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
        (%9) = "pd_op.add" (%arg_1, %8) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%10) = "pd_op.less_than" (%6, %1) {} : (tensor<i64>, tensor<i64>) -> tensor<b>
        () = "cf.yield" (%10, %6, %9) {} : (tensor<b>, tensor<i64>, tensor<2xf32>) -> 
    }
    (%11) = "pd_op.fetch" (%4) {col:0,name:"f"} : (tensor<2xf32>) -> tensor<2xf32>
}
