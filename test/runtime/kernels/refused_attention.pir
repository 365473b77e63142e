// Attention over operands without an axis is refused: their last extent is not read.
// RUN: not pir-run %s --input=f32 --input=i32 2>&1 | FileCheck %s
// CHECK: pd_op.flashmask_attention_v2_grad: the gradient does not fit the result; given q [], k [], v []
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[],stop_gradient:[true]} : () -> tensor<f32>
    (%1) = "pd_op.data" () {dtype:int32,name:"n",place:Place(cpu),shape:[],stop_gradient:[true]} : () -> tensor<i32>
    (%2, %3, %4) = "pd_op.flashmask_attention_v2_grad" (%0, %0, %0, %0, %0, %1, <<NULL VALUE>>, %0) {is_causal:false,softmax_scale:1} : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>, <<NULL TYPE>>, tensor<f32>) -> tensor<f32>, tensor<f32>, tensor<f32>
    (%5) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<f32>) -> tensor<f32>
}
