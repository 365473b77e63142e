// RUN: rm -rf %t && mkdir %t && pir-run %s --input=x=4x8xf32=random:1 --input=w=8x16xf32=random:2 --input=b=16xf32=random:3 --output-dir=%t
// RUN: pir-run %s --input=x=4x8xf32=random:1 --input=w=8x16xf32=random:2 --input=b=16xf32=random:3 --pipeline=amp,compile --expect-dir=%t --atol=2e-3 --rtol=2e-3
// RUN: pir-run %s --input=x=4x8xf32=random:1 --input=w=8x16xf32=random:2 --input=b=16xf32=random:3 --pipeline='amp{precision=bf16},kernels' --expect-dir=%t --atol=2e-2 --rtol=2e-2
// RUN: not pir-run %s --input=x=4x8xf32=random:1 --input=w=8x16xf32=random:2 --input=b=16xf32=random:3 --pipeline=amp,kernels --expect-dir=%t --atol=1e-7 --rtol=1e-7

// Halves give what f32 gives, to the precision of halves and no better.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[-1,8]} : () -> tensor<-1x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(cpu),shape:[8,16]} : () -> tensor<8x16xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[16]} : () -> tensor<16xf32>
    (%3) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<-1x8xf32>, tensor<8x16xf32>) -> tensor<-1x16xf32>
    (%4) = "pd_op.add" (%3, %2) {} : (tensor<-1x16xf32>, tensor<16xf32>) -> tensor<-1x16xf32>
    (%5, %6, %7) = "pd_op.layer_norm" (%4, %2, %2) {begin_norm_axis:1,epsilon:1e-05} : (tensor<-1x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<-1x16xf32>, tensor<-1xf32>, tensor<-1xf32>
    (%8) = "pd_op.gelu" (%5) {approximate:false} : (tensor<-1x16xf32>) -> tensor<-1x16xf32>
    (%9) = "pd_op.softmax" (%8) {axis:-1} : (tensor<-1x16xf32>) -> tensor<-1x16xf32>
    (%10) = "pd_op.fetch" (%9) {col:0,name:"y"} : (tensor<-1x16xf32>) -> tensor<-1x16xf32>
}
