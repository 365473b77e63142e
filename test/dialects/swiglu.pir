// Without y the operator takes x in two parts, so the last extent is even; integers have no kernel.
// RUN: not pir-opt --passes=check %s 2>&1 | FileCheck %s
// RUN: sed 's/5,4/5,3/' %s | not pir-opt --passes=check 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: sed 's/5,4/5,3/;s/int64/float32/;s/i64/f32/g' %s | not pir-opt --passes=check 2>&1 | FileCheck %s --check-prefix=ODD
// CHECK: "pd_op.swiglu" operand x: expects float32 or float64, found int64
// ODD: "pd_op.swiglu" expects present(y) || dim(x, rank(x) - 1) % 2 == 0, found x [5,3]
{
    (%0) = "pd_op.data" () {dtype:int64,name:"x",place:Place(undefined:0),shape:[5,4]} : () -> tensor<5x4xi64>
    (%1) = "pd_op.swiglu" (%0, <<NULL VALUE>>) {} : (tensor<5x4xi64>, <<NULL TYPE>>) -> tensor<5x2xi64>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"out"} : (tensor<5x2xi64>) -> tensor<5x2xi64>
}
