// What fuzzing found: each was read or printed wrongly once.
// RUN: pir-opt %s --emit=typed -o %t.typed
// RUN: FileCheck %s --input-file=%t.typed
// RUN: pir-opt %t.typed --emit=typed | FileCheck %s
// RUN: not pir-translate %s --to=json 2>&1 | FileCheck %s --check-prefix=JSON
{
    // CHECK: {big:(Float)1e+30,bytes:"{{.*}}",none:(Float)nan}
    // JSON: error: unsupported: "my_op.text": PIR JSON cannot hold text that is not UTF-8
    () = "my_op.text" () {big:1e30,bytes:"ÿş",none:nan} : () -> 
    // An unknown type with brackets inside; a device whose name has a backslash.
    // CHECK: place:(pd_op.Place)[9,0,(str)"undef\\x41"]
    // CHECK-SAME: -> !"strange<[tensor<2xf32>, 1]>"
    (%0) = "my_op.a" () {place:Place(undef\x41)} : () -> strange<[tensor<2xf32>, 1]>
}
