// Each member of a join has its loops, and what reads the joined tensor elsewhere (here a gather) may still need any member: it read
// beyond the member of its loops.
// RUN: mkdir -p %t
// RUN: pir-run %s --input=x=16xf32=random:1 --input=y=16xf32=random:2 --input=i=32xi64=random:3 --pipeline=kernels --output-dir=%t
// RUN: pir-run %s --input=x=16xf32=random:1 --input=y=16xf32=random:2 --input=i=32xi64=random:3 --pipeline='check,prepare,group{few=0},dce,bind' --expect-dir=%t --atol=0 --rtol=0 --explain 2>&1 | FileCheck %s
// CHECK: group of builtin.combine, pd_op.full, pd_op.concat, pd_op.full, pd_op.gather, pd_op.multiply: 2 stages
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[16]} : () -> tensor<16xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[16]} : () -> tensor<16xf32>
    (%2) = "pd_op.data" () {dtype:int64,name:"i",place:Place(undefined:0),shape:[32]} : () -> tensor<32xi64>
    (%3) = "builtin.combine" (%0, %1) {} : (tensor<16xf32>, tensor<16xf32>) -> vec[tensor<16xf32>,tensor<16xf32>]
    (%4) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%5) = "pd_op.concat" (%3, %4) {} : (vec[tensor<16xf32>,tensor<16xf32>], tensor<1xi32>) -> tensor<32xf32>
    (%6) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:20} : () -> tensor<1xf32>
    (%7) = "pd_op.scale" (%2, %6) {bias:1,bias_after_scale:true} : (tensor<32xi64>, tensor<1xf32>) -> tensor<32xi64>
    (%8) = "pd_op.gather" (%5, %7, %4) {} : (tensor<32xf32>, tensor<32xi64>, tensor<1xi32>) -> tensor<32xf32>
    (%9) = "pd_op.multiply" (%8, %5) {} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    () = "builtin.shadow_output" (%5) {output_name:"joined"} : (tensor<32xf32>) -> 
    () = "builtin.shadow_output" (%9) {output_name:"product"} : (tensor<32xf32>) -> 
}
