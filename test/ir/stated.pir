// A program that says what it is stays that, whatever names stand in it.
// RUN: sed 1,5d %s | pir-opt - --emit=typed | FileCheck %s
// CHECK: program {format:"json",trainable:false,version:2}
// CHECK: "pd.of.mine" () {} : () -> tensor<2xf32>
// CHECK: "my.op"
program {format:"json",trainable:false,version:2}
{
    (%0) = "pd.of.mine" () {} : () -> tensor<2xf32>
    () = "my.op" (%0) {} : (pd_op.tensor<2xf32>) -> 
}
