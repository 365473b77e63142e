// An operand that is written in place and read by a later op: a run would show the reader the elements from before the write. Both pipelines refuse it.
// RUN: not pir-opt %s --split-input-file --passes=check 2>&1 | FileCheck %s
// RUN: sed -n '/^\/\/ first$/,/^}$/p' %s | not pir-run - --input=x=1xf32=0 --pipeline=kernels 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: sed -n '/^\/\/ first$/,/^}$/p' %s | not pir-run - --input=x=1xf32=0 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: sed -n '/^\/\/ good$/,/^}$/p' %s | pir-run - --input=x=1xf32=0 --print | FileCheck %s --check-prefix=GOOD
// RUN: sed -n '/^\/\/ good$/,/^}$/p' %s | pir-run - --input=x=1xf32=0 --print --pipeline=kernels | FileCheck %s --check-prefix=GOOD
// RUN: for p in kernels compile; do sed -n '/^\/\/ first$/,/^}$/p' %s | pir-run - --input=x=1xf32=0 --pipeline=$p; test $? = 3 || exit 1; done
// RUN: sed -n '/^\/\/ good$/,/^}$/p' %s | pir-opt - --passes=check | FileCheck %s --check-prefix=KEPT
//
// CHECK: error: unsupported: operand x is written in place, and read later by "pd_op.add"
// CHECK: error: unsupported: operand x is written in place, and read later by "pd_op.less_than"
// CHECK: error: unsupported: operand output is written in place, and read later by "cf.yield"
// CHECK-NOT: error
// REFUSED: error: unsupported: operand x is written in place, and read later by "pd_op.add"
// KEPT-COUNT-3: "pd_op.increment_"
// GOOD: a: float32[1]
// GOOD-NEXT: [1]
// GOOD: b: float32[1]
// GOOD-NEXT: [1]

// first
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1]} : () -> tensor<1xf32>
    (%1) = "pd_op.assign" (%0) {} : (tensor<1xf32>) -> tensor<1xf32>
    (%2) = "pd_op.increment_" (%1) {value:1} : (tensor<1xf32>) -> tensor<1xf32>
    (%3) = "pd_op.add" (%1, %0) {} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"a"} : (tensor<1xf32>) -> tensor<1xf32>
}

// -----

// A loop over a counter and a condition from outside of it.
{
    (%n) = "pd_op.data" () {dtype:int64,name:"n",place:Place(undefined:0),shape:[]} : () -> tensor<i64>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[],value:0} : () -> tensor<i64>
    (%c) = "pd_op.less_than" (%i, %n) {} : (tensor<i64>, tensor<i64>) -> tensor<b>
    () = "pd_op.while" (cond=%c, inputs=) {
        (%j) = "pd_op.increment_" (%i) {value:1} : (tensor<i64>) -> tensor<i64>
        (%d) = "pd_op.less_than" (%i, %n) {} : (tensor<i64>, tensor<i64>) -> tensor<b>
        (%e) = "pd_op.assign_out_" (%d, %c) {} : (tensor<b>, tensor<b>) -> tensor<b>
        () = "cf.yield" (%c) {} : (tensor<b>) -> 
    }
    (%f) = "pd_op.fetch" (%n) {col:0,name:"n"} : (tensor<i64>) -> tensor<i64>
}

// -----

// Reads before the write, the read of the written result, and a write in a branch that the reader's branch excludes.
// good
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1]} : () -> tensor<1xf32>
    (%1) = "pd_op.assign" (%0) {} : (tensor<1xf32>) -> tensor<1xf32>
    (%2) = "pd_op.add" (%1, %0) {} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    (%3) = "pd_op.increment_" (%1) {value:1} : (tensor<1xf32>) -> tensor<1xf32>
    (%4) = "pd_op.increment_" (%3) {value:0} : (tensor<1xf32>) -> tensor<1xf32>
    (%5) = "pd_op.add" (%4, %2) {} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"a"} : (tensor<1xf32>) -> tensor<1xf32>
    (%7) = "pd_op.assign" (%0) {} : (tensor<1xf32>) -> tensor<1xf32>
    (%8) = "pd_op.equal" (%0, %7) {} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xb>
    (%9) = "pd_op.if" (%8) {} -> tensor<1xf32> {
        (%10) = "pd_op.increment_" (%7) {value:1} : (tensor<1xf32>) -> tensor<1xf32>
        () = "cf.yield" (%10) {} : (tensor<1xf32>) -> 
    } else {
        (%11) = "pd_op.relu" (%7) {} : (tensor<1xf32>) -> tensor<1xf32>
        () = "cf.yield" (%11) {} : (tensor<1xf32>) -> 
    }
    (%12) = "pd_op.fetch" (%9) {col:1,name:"b"} : (tensor<1xf32>) -> tensor<1xf32>
}
