// A branch that writes a value from outside in another rank is refused: its result would have two types.
// RUN: not pir-opt %s --passes=writes 2>&1 | FileCheck %s
// RUN: pir-run %s --input=x=2xf32=0 --input=c=b=0 --pipeline=kernels 2> /dev/null || test $? = 3
// CHECK: forward_writes_refused.pir:[[# @LINE + 4]]:{{[0-9]+}}: error: unsupported: a region writes a value from outside of it in another element type or rank
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%c) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[]} : () -> tensor<b>
    () = "pd_op.if" (%c) {} -> {
        (%s) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,1]} : () -> tensor<2xi64>
        (%z) = "pd_op.reshape_" (%x, %s) {} : (tensor<2xf32>, tensor<2xi64>) -> tensor<2x1xf32>
        () = "cf.yield" () {} : () -> 
    } else {
        () = "cf.yield" () {} : () -> 
    }
    (%e) = "pd_op.relu" (%x) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%f) = "pd_op.fetch" (%e) {col:0,name:"e"} : (tensor<2xf32>) -> tensor<2xf32>
}
