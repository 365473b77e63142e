// A path may leave a union and lead back by way of ops that stand before the union's first op: exp and add are one group,
// so topk waits for tanh, which add reads. subtract reads topk and must not be computed with tanh.
// RUN: pir-opt %s --passes='group{few=0}' --explain 2>&1 | FileCheck %s
// CHECK: "pd_op.subtract" is not fused with "pd_op.tanh": a path leads out of the group and back
// RUN: rm -rf %t && mkdir %t && pir-run %s --pipeline=kernels --input=x=4x8xf32=random:1 --input=y=4x1xf32=random:2 --output-dir=%t
// RUN: pir-run %s --pipeline='ungrouped,group{few=0},dce,bind' --input=x=4x8xf32=random:1 --input=y=4x1xf32=random:2 --expect-dir=%t
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,8]} : () -> tensor<4x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[4,1]} : () -> tensor<4x1xf32>
    (%2) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%3) = "pd_op.exp" (%0) {} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    (%4, %5) = "pd_op.topk" (%3, %2) {axis:1,largest:true,sorted:true} : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<4x1xf32>, tensor<4x1xi64>
    (%6) = "pd_op.tanh" (%1) {} : (tensor<4x1xf32>) -> tensor<4x1xf32>
    (%7) = "pd_op.add" (%3, %6) {} : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    (%8) = "pd_op.subtract" (%6, %4) {} : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    () = "builtin.shadow_output" (%7) {output_name:"a"} : (tensor<4x8xf32>) -> 
    () = "builtin.shadow_output" (%8) {output_name:"b"} : (tensor<4x1xf32>) -> 
}
