// Equal pieces of a product by slices, and by a split into sections.
// RUN: rm -rf %t && mkdir -p %t/out && python3 %S/parameters.py %s %t/w.pdiparams && pir-run %s --params=%t/w.pdiparams --input=x=2x5x8xf32=-1..1 --output-dir=%t/out
// RUN: pir-opt %s --passes='shard{mesh=2,rank=0}' -o %t/0.pir && FileCheck %s --input-file=%t/0.pir
// CHECK-DAG: parameter_name:"first",part_first:[0,0,0,0],whole_shape:[8,2,2,8]}
// CHECK-DAG: parameter_name:"second",part_first:[0,0,0,0],whole_shape:[8,2,2,8]}
// CHECK-DAG: parameter_name:"second_bias",part_first:[0,0,0],whole_shape:[2,2,8]}
// CHECK:     "pd_op.all_reduce"
// CHECK:     "pd_op.all_reduce"
// CHECK-NOT: "pd_op.all_
// RUN: pir-run --ranks=2 %s --params=%t/w.pdiparams --pipeline='shard{mesh=2,rank=%r},compile' --input=x=2x5x8xf32=-1..1 --expect-dir=%t/out | FileCheck %s --check-prefix=SAME
// RUN: pir-run --ranks=4 %s --params=%t/w.pdiparams --pipeline='shard{mesh=4,rank=%r},kernels' --input=x=2x5x8xf32=-1..1 --expect-dir=%t/out | FileCheck %s --check-prefix=SAME
// A bias of one element is none of the columns: the product keeps their order.
// RUN: sed 's/tensor<32xf32>/tensor<1xf32>/g' %s > %t/one.pir && python3 %S/parameters.py %t/one.pir %t/one.pdiparams && mkdir %t/one && pir-run %t/one.pir --params=%t/one.pdiparams --input=x=2x5x8xf32=-1..1 --output-dir=%t/one
// RUN: pir-run --ranks=2 %t/one.pir --params=%t/one.pdiparams --pipeline='shard{mesh=2,rank=%r},compile' --input=x=2x5x8xf32=-1..1 --expect-dir=%t/one | FileCheck %s --check-prefix=SAME
// Types that a program states wrongly are no equal pieces.
// RUN: for t in f32 16xf32 9223372036854775807xf32; do sed "s/\(%7) = .*-> tensor<\).*/\1$t>/" %s > %t/wrong.pir && not pir-opt %t/wrong.pir --passes='shard{mesh=2}' -o %t/o.pir || exit 1; done 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sed '/(%13)/s/5x16xf32/5x4611686018427387920xf32/g' %s > %t/wrong.pir && pir-opt %t/wrong.pir --passes='shard{mesh=2}' -o %t/o.pir && FileCheck %s --check-prefix=SPLIT --input-file=%t/o.pir
// WRONG-COUNT-3: error: "pd_op.slice": placement: the rule gives a result of rank 3
// SPLIT: file_shape:[8,32],parameter_name:"first"
// SPLIT-NOT: file_shape
// SAME-COUNT-2: max abs {{[0-9.]+e-0[6-9]|0,}}
{
    (%0) = "builtin.parameter" () {parameter_name:"first"} : () -> tensor<8x32xf32>
    (%1) = "builtin.parameter" () {parameter_name:"second"} : () -> tensor<8x32xf32>
    (%2) = "builtin.parameter" () {parameter_name:"second_bias"} : () -> tensor<32xf32>
    (%3) = "builtin.parameter" () {parameter_name:"down"} : () -> tensor<16x8xf32>
    (%4) = "builtin.parameter" () {parameter_name:"last"} : () -> tensor<16x8xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,5,8]} : () -> tensor<-1x5x8xf32>
    (%6) = "pd_op.matmul" (%5, %0) {transpose_x:false,transpose_y:false} : (tensor<-1x5x8xf32>, tensor<8x32xf32>) -> tensor<-1x5x32xf32>
    (%20) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%21) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[16]} : () -> tensor<1xi64>
    (%22) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[32]} : () -> tensor<1xi64>
    (%7) = "pd_op.slice" (%6, %20, %21) {axes:[2],decrease_axis:[],infer_flags:[1]} : (tensor<-1x5x32xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<-1x5x16xf32>
    (%8) = "pd_op.slice" (%6, %21, %22) {axes:[2],decrease_axis:[],infer_flags:[1]} : (tensor<-1x5x32xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<-1x5x16xf32>
    (%9) = "pd_op.multiply" (%7, %8) {} : (tensor<-1x5x16xf32>, tensor<-1x5x16xf32>) -> tensor<-1x5x16xf32>
    (%10) = "pd_op.matmul" (%9, %3) {transpose_x:false,transpose_y:false} : (tensor<-1x5x16xf32>, tensor<16x8xf32>) -> tensor<-1x5x8xf32>
    (%11) = "pd_op.matmul" (%10, %1) {transpose_x:false,transpose_y:false} : (tensor<-1x5x8xf32>, tensor<8x32xf32>) -> tensor<-1x5x32xf32>
    (%12) = "pd_op.add" (%11, %2) {} : (tensor<-1x5x32xf32>, tensor<32xf32>) -> tensor<-1x5x32xf32>
    (%23) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[16,16]} : () -> tensor<2xi64>
    (%24) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi32>
    (%13) = "pd_op.split" (%12, %23, %24) {} : (tensor<-1x5x32xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<-1x5x16xf32>,tensor<-1x5x16xf32>]
    (%14, %15) = "builtin.split" (%13) {} : (vec[tensor<-1x5x16xf32>,tensor<-1x5x16xf32>]) -> tensor<-1x5x16xf32>, tensor<-1x5x16xf32>
    (%16) = "pd_op.tanh" (%14) {} : (tensor<-1x5x16xf32>) -> tensor<-1x5x16xf32>
    (%17) = "pd_op.multiply" (%16, %15) {} : (tensor<-1x5x16xf32>, tensor<-1x5x16xf32>) -> tensor<-1x5x16xf32>
    (%18) = "pd_op.matmul" (%17, %4) {transpose_x:false,transpose_y:false} : (tensor<-1x5x16xf32>, tensor<16x8xf32>) -> tensor<-1x5x8xf32>
    () = "builtin.shadow_output" (%18) {output_name:"y"} : (tensor<-1x5x8xf32>) ->
}
