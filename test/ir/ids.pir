// Operation ids, wherever a print puts them, are read and not kept.
// RUN: pir-opt %s --emit=t2 > %t.with
// RUN: sed -e "s/ *\[id:[0-9]*\]//" %s | pir-opt - --emit=t2 | diff %t.with -
// RUN: not grep "id:" %t.with
// RUN: FileCheck %s --input-file=%t.with
// CHECK: (%6, %7) = "pd_op.while" (cond=%0, inputs=%1, %2) { {{$}}
// CHECK-NEXT: ^%arg_2, %arg_3{{$}}
// CHECK: (%8) = "cinn_op.group" () -> builtin.tensor<64x128xf32> {
{
    (%0) = "pd_op.data" [id:1] () {dtype:(pd_op.DataType)bool,name:"c",place:(pd_op.Place)Place(undefined:0),shape:(pd_op.IntArray)[]} : () -> builtin.tensor<b>
    (%1) = "pd_op.if" [id:2] (%0) {stop_gradient:[true]} -> builtin.tensor<b> {
        () = "cf.yield" [id:3] (%0) {} : (builtin.tensor<b>) -> 
    } else {
        () = "cf.yield" [id:4] (%0) {} : (builtin.tensor<b>) -> 
    }
    (%2) = "pd_op.if" (%0) [id:5] {stop_gradient:[true]} -> builtin.tensor<b> {
        () = "cf.yield" [id:6] (%0) {} : (builtin.tensor<b>) -> 
    } else {
        () = "cf.yield" [id:7] (%0) {} : (builtin.tensor<b>) -> 
    }
    (%3) = "pd_op.if" (%0) {stop_gradient:[true]}[id:8] -> builtin.tensor<b> {
        () = "cf.yield" (%0) {} : (builtin.tensor<b>) -> 
    } else {
        () = "cf.yield" (%0) {} : (builtin.tensor<b>) -> 
    }
    (%4) = "pd_op.while" [id:9] (cond=%0, inputs=%1) { 
    ^%arg_0
        () = "cf.yield" (%0, %arg_0) {} : (builtin.tensor<b>, builtin.tensor<b>) -> 
    }
    (%5) = "pd_op.while" (cond=%0, inputs=%1) [id:10] { 
    ^%arg_1
        () = "cf.yield" (%0, %arg_1) {} : (builtin.tensor<b>, builtin.tensor<b>) -> 
    }
    (%6, %7) = "pd_op.while"(%0) [%1, %2] { 
    ^%arg_2, %arg_3
        () = "cf.yield" (%0, %arg_2, %arg_3) {} : (builtin.tensor<b>, builtin.tensor<b>, builtin.tensor<b>) -> 
    }
    (%8) = cinn_op.group [id:11] () -> pd_op.tensor<64x128xf32> {
     (%9) = "my_op.a" [id:12] () {} : () -> pd_op.tensor<64x128xf32>
     () = "cf.yield" (%9) {} : (pd_op.tensor<64x128xf32>) ->
    }
}
