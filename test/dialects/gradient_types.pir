// The gradient of a result has the element type of that result: no declaration of a gradient says so, the operator's own does.
// RUN: not pir-opt --passes=check %s 2>&1 | FileCheck %s
// RUN: sed 's/float32/int32/;s/f32/i32/g' %s | pir-opt --passes=check | FileCheck %s --check-prefix=RIGHT
// RUN: sed 's/3,3/3,2/' %s | not pir-opt --passes=check 2>&1 | FileCheck %s --check-prefix=SHAPE
// CHECK: "pd_op.repeat_interleave_with_tensor_index_grad" operand out_grad: expects int32 as x, found float32
// SHAPE: "pd_op.repeat_interleave_with_tensor_index_grad" expects each i < rank(x)
// RIGHT: "pd_op.repeat_interleave_with_tensor_index_grad
//
// Its shape likewise, where the gradient is element-wise; extents that are not known before count in the run.
// RUN: not pir-run %S/inputs/sinh_grad.pir --input=x=1xf32 --pipeline=kernels 2>&1 | FileCheck %s --check-prefix=POINTS
// POINTS: pd_op.sinh_grad: the operands do not broadcast to the shape of result 'x_grad'
{
    (%0) = "pd_op.data" () {dtype:int32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xi32>
    (%1) = "pd_op.data" () {dtype:int64,name:"r",place:Place(undefined:0),shape:[2]} : () -> tensor<2xi64>
    (%2) = "pd_op.data" () {dtype:float32,name:"g",place:Place(undefined:0),shape:[3,3]} : () -> tensor<3x3xf32>
    (%3) = "pd_op.repeat_interleave_with_tensor_index_grad" (%0, %1, %2) {axis:0,output_size:-1} : (tensor<2x3xi32>, tensor<2xi64>, tensor<3x3xf32>) -> tensor<2x3xi32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out"} : (tensor<2x3xi32>) -> tensor<2x3xi32>
}
