// Fused ops mean all that their attributes say, by what they expand to; what has no meaning is refused.
// RUN: pir-opt %s --passes=expand,dce | FileCheck %s
// RUN: sed 's/"hard_swish"/"elu"/' %s > %t.activation.pir
// RUN: not pir-run %t.activation.pir --pipeline=kernels --input=x=2x4xf32 --input=y=4x3xf32 --input=r=3x2xf32 2>&1 | FileCheck %s --check-prefix=ACTIVATION
// RUN: sed 's/scale_x:1/scale_x:2/' %s > %t.scale.pir
// RUN: not pir-run %t.scale.pir --pipeline=kernels --input=x=2x4xf32 --input=y=4x3xf32 --input=r=3x2xf32 2>&1 | FileCheck %s --check-prefix=SCALE

// ACTIVATION: error: unsupported: {{.*}}"onednn_op.post_activation"
// SCALE: error: unsupported: "onednn_op.fused_matmul"

// CHECK: "pd_op.reshape" (%0
// CHECK: "pd_op.transpose"
// CHECK: [[P:%[0-9]+]]) = "pd_op.matmul"
// CHECK: [[M:%[0-9]+]]) = "pd_op.scale" ([[P]]
// CHECK: [[T:%[0-9]+]]) = "pd_op.transpose" ([[M]]
// CHECK: [[R:%[0-9]+]]) = "pd_op.add" ([[T]], %2)
// CHECK: [[A:%[0-9]+]]) = "onednn_op.post_activation" ([[R]]) {activation:"hard_swish",alpha:0.166667,beta:0.5
// CHECK: "pd_op.scale" ([[A]]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,4]} : () -> tensor<2x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[4,3]} : () -> tensor<4x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"r",place:Place(cpu),shape:[3,2]} : () -> tensor<3x2xf32>
    (%3) = "onednn_op.fused_matmul" (%0, %1, %2) {fuse_activation:"hard_swish",fuse_alpha:0.166667,fuse_beta:0.5,fused_output_scale:2,fused_reshape_x:[4,2],fused_transpose_out:[1,0],fused_transpose_x:[1,0],matmul_alpha:0.5,scale_x:1,trans_x:false,trans_y:false} : (tensor<2x4xf32>, tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out"} : (tensor<3x2xf32>) -> tensor<3x2xf32>
}
