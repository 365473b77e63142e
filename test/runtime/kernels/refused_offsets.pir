// Offsets of the keys' sequences without those of the queries are refused: their number is that of the other list.
// RUN: not pir-run %s --pipeline=kernels --input=q=2x3x1x4xf32=random:1 --input=k=2x3x1x4xf32=random:2 --input=v=2x3x1x4xf32=random:3 2>&1 | FileCheck %s
// CHECK: cu_seqlens_k stands without cu_seqlens_q
{
    (%0) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[2,3,1,4]} : () -> tensor<2x3x1x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[2,3,1,4]} : () -> tensor<2x3x1x4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"v",place:Place(undefined:0),shape:[2,3,1,4]} : () -> tensor<2x3x1x4xf32>
    (%3) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[0],value:0} : () -> tensor<0xi32>
    (%4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:3} : () -> tensor<1xi64>
    (%5, %6, %7) = "pd_op.memory_efficient_attention" (%0, %1, %2, <<NULL VALUE>>, <<NULL VALUE>>, %3, <<NULL VALUE>>, <<NULL VALUE>>, %4, %4) {causal:false,dropout_p:0,is_test:true,scale:0.5} : (tensor<2x3x1x4xf32>, tensor<2x3x1x4xf32>, tensor<2x3x1x4xf32>, <<NULL TYPE>>, <<NULL TYPE>>, tensor<0xi32>, <<NULL TYPE>>, <<NULL TYPE>>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x3x1x4xf32>, tensor<1x2xf32>, tensor<2xi64>
    () = "builtin.shadow_output" (%5) {output_name:"out"} : (tensor<2x3x1x4xf32>) -> 
}
