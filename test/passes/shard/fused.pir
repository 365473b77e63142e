// One product that makes queries, keys and values, and one that makes gate and inner layer: each rank has its columns of every one of them,
// as a box of the file's weight, and needs no gathers. Outputs are those of one rank.
// RUN: rm -rf %t && mkdir -p %t/out && python3 %S/parameters.py %s %t/w.pdiparams
// RUN: pir-run %s --params=%t/w.pdiparams --input=ids=2x5xi64=0..11 --output-dir=%t/out
// RUN: for n in 2 4; do for r in 0 1 2 3; do [ $r -ge $n ] || pir-opt %s --passes="shard{mesh=$n,rank=$r}" -o %t/$n.$r.json || exit 1; done; done
// RUN: pir-opt %t/2.1.json -o %t/1.pir && FileCheck %s --input-file=%t/1.pir
// CHECK-DAG: file_shape:[8,24],parameter_name:"qkv",part_first:[0,0,1,0],{{.*}}whole_shape:[8,3,2,4]} : () -> tensor<8x3x1x4xf32>
// CHECK-DAG: file_shape:[24],parameter_name:"qkv_bias",part_first:[0,1,0],{{.*}}whole_shape:[3,2,4]} : () -> tensor<3x1x4xf32>
// CHECK-DAG: file_shape:[8,32],parameter_name:"gate_up",part_first:[0,0,1,0],{{.*}}whole_shape:[8,2,2,8]} : () -> tensor<8x2x1x8xf32>
// CHECK-DAG: parameter_name:"out",part_first:[4,0],{{.*}}whole_shape:[8,8]}
// CHECK-DAG: parameter_name:"down",part_first:[8,0],{{.*}}whole_shape:[16,8]}
// CHECK:     "pd_op.all_reduce"
// CHECK:     "pd_op.all_reduce"
// CHECK-NOT: "pd_op.all_
// The ranks' programs read their parts of one file, cut values that they have, and write files of their own.
// RUN: for n in 2 4; do pir-run --ranks=$n %t/$n.%r.json --params=%t/w.pdiparams --input=ids=2x5xi64=0..11 --expect-dir=%t/out || exit 1; done | FileCheck %s --check-prefix=SAME
// RUN: for n in 2 4; do pir-run --ranks=$n %s --params=%t/w.pdiparams --pipeline="shard{mesh=$n,rank=%r},compile" --input=ids=2x5xi64=0..11 --expect-dir=%t/out || exit 1; done | FileCheck %s --check-prefix=SAME
// RUN: pir-opt %s --passes='shard{mesh=2}' -o %t/mesh.pir
// RUN: for r in 0 1; do pir-opt %t/mesh.pir --params=%t/w.pdiparams --passes="dist{rank=$r}" --params-out=%t/own.$r.pdiparams -o %t/own.$r.json || exit 1; done
// RUN: for p in compile kernels kernels; do pir-run --ranks=2 %t/own.%r.json --pipeline=$p --input=ids=2x5xi64=0..11 --expect-dir=%t/out || exit 1; done | FileCheck %s --check-prefix=SAME
// SAME-COUNT-6: max abs {{[0-9.]+e-0[6-9]|0,}}

// Heads that the ranks cannot share: the product keeps its columns.
// RUN: pir-opt %s --passes='shard{mesh=8,rank=0}' -o %t/8.pir && FileCheck %s --check-prefix=EIGHT --input-file=%t/8.pir
// EIGHT-NOT: file_shape:[8,24]
// RUN: pir-run --ranks=8 %s --params=%t/w.pdiparams --pipeline='shard{mesh=8,rank=%r},kernels' --input=ids=2x5xi64=0..11 --expect-dir=%t/out | FileCheck %s --check-prefix=SAME
// A file of other extents than the program states.
// RUN: sed 's/file_shape:.8,24./file_shape:[12,16]/' %t/1.pir > %t/wrong.pir && not pir-run %t/wrong.pir --params=%t/w.pdiparams --input=ids=2x5xi64 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: {{.*}}qkv
// RUN: sed 's/file_shape:.8,24./file_shape:[8,23]/' %t/1.pir > %t/wrong.pir && not pir-run %t/wrong.pir --params=%t/w.pdiparams --input=ids=2x5xi64 2>&1 | FileCheck %s --check-prefix=WRONG
// Extents of the whole that make another number of elements than the file's.
// RUN: sed 's/whole_shape:.8,3,2,4./whole_shape:[8,3,2,5]/' %t/1.pir > %t/wrong.pir && not pir-run %t/wrong.pir --params=%t/w.pdiparams --input=ids=2x5xi64 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: "builtin.parameter" the record of the parameter has other extents than whole_shape
{
    (%0) = "builtin.parameter" () {parameter_name:"down"} : () -> tensor<16x8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"gate_up"} : () -> tensor<8x32xf32>
    (%2) = "builtin.parameter" () {parameter_name:"out"} : () -> tensor<8x8xf32>
    (%3) = "builtin.parameter" () {parameter_name:"qkv_bias"} : () -> tensor<24xf32>
    (%4) = "builtin.parameter" () {parameter_name:"qkv"} : () -> tensor<8x24xf32>
    (%5) = "builtin.parameter" () {parameter_name:"embedding"} : () -> tensor<12x8xf32>
    (%6) = "pd_op.data" () {dtype:int64,name:"ids",place:Place(undefined:0),shape:[-1,-1]} : () -> tensor<-1x-1xi64>
    (%7) = "pd_op.embedding" (%6, %5) {padding_idx:-1,sparse:false} : (tensor<-1x-1xi64>, tensor<12x8xf32>) -> tensor<-1x-1x8xf32>
    (%8) = "pd_op.matmul" (%7, %4) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x8xf32>, tensor<8x24xf32>) -> tensor<-1x-1x24xf32>
    (%9) = "pd_op.add" (%8, %3) {} : (tensor<-1x-1x24xf32>, tensor<24xf32>) -> tensor<-1x-1x24xf32>
    (%10) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,0,3,4,2]} : () -> tensor<5xi64>
    (%11) = "pd_op.reshape" (%9, %10) {} : (tensor<-1x-1x24xf32>, tensor<5xi64>) -> tensor<-1x-1x3x4x2xf32>
    (%12) = "pd_op.transpose" (%11) {perm:[2,0,3,1,4]} : (tensor<-1x-1x3x4x2xf32>) -> tensor<3x-1x4x-1x2xf32>
    (%13) = "pd_op.unbind" (%12) {axis:0} : (tensor<3x-1x4x-1x2xf32>) -> vec[tensor<-1x4x-1x2xf32>,tensor<-1x4x-1x2xf32>,tensor<-1x4x-1x2xf32>]
    (%14, %15, %16) = "builtin.split" (%13) {} : (vec[tensor<-1x4x-1x2xf32>,tensor<-1x4x-1x2xf32>,tensor<-1x4x-1x2xf32>]) -> tensor<-1x4x-1x2xf32>, tensor<-1x4x-1x2xf32>, tensor<-1x4x-1x2xf32>
    (%17) = "pd_op.matmul" (%14, %15) {transpose_x:false,transpose_y:true} : (tensor<-1x4x-1x2xf32>, tensor<-1x4x-1x2xf32>) -> tensor<-1x4x-1x-1xf32>
    (%18) = "pd_op.softmax" (%17) {axis:-1} : (tensor<-1x4x-1x-1xf32>) -> tensor<-1x4x-1x-1xf32>
    (%19) = "pd_op.matmul" (%18, %16) {transpose_x:false,transpose_y:false} : (tensor<-1x4x-1x-1xf32>, tensor<-1x4x-1x2xf32>) -> tensor<-1x4x-1x2xf32>
    (%20) = "pd_op.transpose" (%19) {perm:[0,2,1,3]} : (tensor<-1x4x-1x2xf32>) -> tensor<-1x-1x4x2xf32>
    (%21) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,0,8]} : () -> tensor<3xi64>
    (%22) = "pd_op.reshape" (%20, %21) {} : (tensor<-1x-1x4x2xf32>, tensor<3xi64>) -> tensor<-1x-1x8xf32>
    (%23) = "pd_op.matmul" (%22, %2) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x8xf32>, tensor<8x8xf32>) -> tensor<-1x-1x8xf32>
    (%24) = "pd_op.add" (%7, %23) {} : (tensor<-1x-1x8xf32>, tensor<-1x-1x8xf32>) -> tensor<-1x-1x8xf32>
    (%52) = "pd_op.matmul" (%24, %1) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x8xf32>, tensor<8x32xf32>) -> tensor<-1x-1x32xf32>
    (%53) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xi32>
    (%54) = "pd_op.split_with_num" (%52, %53) {num:2} : (tensor<-1x-1x32xf32>, tensor<1xi32>) -> vec[tensor<-1x-1x16xf32>,tensor<-1x-1x16xf32>]
    (%55, %56) = "builtin.split" (%54) {} : (vec[tensor<-1x-1x16xf32>,tensor<-1x-1x16xf32>]) -> tensor<-1x-1x16xf32>, tensor<-1x-1x16xf32>
    (%57) = "pd_op.silu" (%55) {} : (tensor<-1x-1x16xf32>) -> tensor<-1x-1x16xf32>
    (%58) = "pd_op.multiply" (%57, %56) {} : (tensor<-1x-1x16xf32>, tensor<-1x-1x16xf32>) -> tensor<-1x-1x16xf32>
    (%59) = "pd_op.matmul" (%58, %0) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x16xf32>, tensor<16x8xf32>) -> tensor<-1x-1x8xf32>
    (%60) = "pd_op.add" (%24, %59) {} : (tensor<-1x-1x8xf32>, tensor<-1x-1x8xf32>) -> tensor<-1x-1x8xf32>
    (%61) = "pd_op.fetch" (%60) {col:0,name:"fetch_name_0"} : (tensor<-1x-1x8xf32>) -> tensor<-1x-1x8xf32>
}
