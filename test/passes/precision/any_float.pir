// A half where Paddle has kernels for GPUs alone is refused unless the caller asks for it. What is checked besides stays.
// RUN: not pir-run %s --input=x=2x3xf16 2>&1 | FileCheck %s
// RUN: pir-run %s --input=x=2x3xf16=0 --any-float --print | FileCheck %s --check-prefix=ANY
// RUN: pir-run %s --input=x=2x3xf16=0 --any-float --print --pipeline=kernels | FileCheck %s --check-prefix=ANY
// RUN: sed -e 's/float16,name:"x"/int8,name:"x"/' -e s/cos/celu/ -e 's/{}/{alpha:1.0}/' %s >%t
// RUN: not pir-run %t --input=x=2x3xi8 --any-float 2>&1 | FileCheck %s --check-prefix=INT
// CHECK: any_float.pir:[[@LINE+5]]:5: error: "pd_op.cos" operand x: expects {{.*}}float32 or float64{{.*}}, found float16, which has no CPU kernel in Paddle (any_float computes it)
// ANY: float16
// INT: error: "pd_op.celu" operand x: expects float32 or float64, found int8
{
    (%0) = "pd_op.data" () {dtype:float16,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf16>
    (%1) = "pd_op.cos" (%0) {} : (tensor<2x3xf16>) -> tensor<2x3xf16>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"y",persistable:[true]} : (tensor<2x3xf16>) -> tensor<2x3xf16>
}
