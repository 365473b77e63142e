// What fuzzing found: each was read or printed wrongly once.
// RUN: pir-opt %s --emit=typed -o %t.typed
// RUN: FileCheck %s --input-file=%t.typed
// RUN: pir-opt %t.typed --emit=typed | FileCheck %s
// RUN: not pir-translate %s --to=json 2>&1 | FileCheck %s --check-prefix=JSON
{
    // CHECK: {big:(Float)1e+30,bytes:"{{.*}}",none:(Float)nan}
    // JSON: error: unsupported: "my_op.text": PIR JSON cannot hold text that is not UTF-8
    () = "my_op.text" () {big:1e30,bytes:"ÿþ",none:nan} : () -> 
    // An unknown type with brackets inside; a device whose name has a backslash.
    // CHECK: place:(pd_op.Place)[9,0,(str)"undef\\x41"]
    // CHECK-SAME: -> !"strange<[tensor<2xf32>, 1]>"
    (%0) = "my_op.a" () {place:Place(undef\x41)} : () -> strange<[tensor<2xf32>, 1]>
    // An array where the op declares an IntArray stays an array.
    // CHECK: shape:(Array)[]} : () -> tensor<f32>
    // CHECK: shape:(Array)[(Int64)2]} : () -> tensor<2xf32>
    // CHECK: shape:(pd_op.IntArray)[3]} : () -> tensor<3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:(Array)[]} : () -> tensor<f32>
    (%2) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:(Array)[(Int64)2]} : () -> tensor<2xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"z",place:Place(undefined:0),shape:[3]} : () -> tensor<3xf32>
    // A scalar of type bool is true or false, as JSON writes it.
    // CHECK: s:(pd_op.Scalar)[bool,false],t:(pd_op.Scalar)[bool,true]
    () = "my_op.scalars" () {s:(pd_op.Scalar)[bool,0],t:(pd_op.Scalar)[bool,(Int32)7]} : () -> 
}
