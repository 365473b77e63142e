// A block of a transformer, with fewer heads of keys and values than of queries, is cut for the ranks of a mesh: the weights of heads and of
// the inner layer, and with unpaired=always the table and the head as well. Outputs are those of one rank.
// RUN: rm -rf %t && mkdir -p %t/out %t/both && python3 %S/parameters.py %s %t/w.pdiparams
// RUN: pir-run %s --params=%t/w.pdiparams --input=ids=2x5xi64=0..11 --output-dir=%t/out && cp %t/out/* %t/both
// RUN: pir-opt %s --passes='shard{mesh=2,rank=0,rings=%t/rings}' --stats -o %t/0.pir 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: 8 parameters split
// BYTES: 2848 bytes of parameters
// BYTES: 1904 bytes of them on a rank
// RUN: pir-opt %s --passes='shard{mesh=2},dist{rank=1}' -o %t/mesh.pir && pir-opt %s --passes='shard{mesh=2,rank=1}' -o %t/1.pir
// RUN: diff %t/mesh.pir %t/1.pir && FileCheck %s --input-file=%t/1.pir
// CHECK-DAG: parameter_name:"down",part_first:[8,0],whole_shape:[16,8]} : () -> tensor<8x8xf32>
// CHECK-DAG: parameter_name:"up",part_first:[0,8],whole_shape:[8,16]} : () -> tensor<8x8xf32>
// CHECK-DAG: parameter_name:"up_bias",part_first:[8],whole_shape:[16]} : () -> tensor<8xf32>
// CHECK-DAG: parameter_name:"k",part_first:[0,2],whole_shape:[8,4]} : () -> tensor<8x2xf32>
// CHECK-DAG: parameter_name:"embedding"} : () -> tensor<12x8xf32>
// CHECK:     "pd_op.full_int_array" () {{.*}}value:[0,0,2,2]}
// CHECK:     "pd_op.full_int_array" () {{.*}}value:[0,0,1,2]}
// CHECK:     "pd_op.all_reduce"
// CHECK:     "pd_op.all_reduce"
// CHECK-NOT: "pd_op.all_
// The ranks' programs read their parts of one file; ranks that cut the program themselves share its bytes.
// RUN: pir-opt %t/0.pir -o %t/0.json && pir-opt %t/1.pir -o %t/1.json
// RUN: pir-run --ranks=2 %t/%r.json --params=%t/w.pdiparams --rings=%t/rings --input=ids=2x5xi64=0..11 --expect-dir=%t/out | FileCheck %s --check-prefix=SAME
// RUN: pir-run --ranks=2 %s --params=%t/w.pdiparams --pipeline='shard{mesh=2,rank=%r},compile' --input=ids=2x5xi64=0..11 --expect-dir=%t/out | FileCheck %s --check-prefix=SAME
// RUN: pir-run --ranks=2 %s --params=%t/w.pdiparams --pipeline='shard{mesh=2,rank=%r,unpaired=always},kernels' --input=ids=2x5xi64=0..11 --expect-dir=%t/out | FileCheck %s --check-prefix=SAME
// RUN: pir-opt %s --params=%t/w.pdiparams --passes='shard{mesh=2,rank=0}' --params-out=%t/0.pdiparams -o %t/0.json && pir-opt %s --params=%t/w.pdiparams --passes='shard{mesh=2,rank=1}' --params-out=%t/1.pdiparams -o %t/1.json
// RUN: pir-run --ranks=2 %t/%r.json --input=ids=2x5xi64=0..11 --expect-dir=%t/out | FileCheck %s --check-prefix=SAME
// SAME-COUNT-2: max abs {{[0-9.]+e-0[6-9]|0,}}

// More ranks than heads of keys and values: every rank computes those.
// RUN: pir-run --ranks=4 %s --params=%t/w.pdiparams --pipeline='shard{mesh=4,rank=%r},compile' --input=ids=2x5xi64=0..11 --expect-dir=%t/out > %t/log 2>&1 && FileCheck %s --check-prefix=SHARED --input-file=%t/log
// SHARED: note: 2 heads do not divide among 4 ranks: each of them computes all
// SHARED-COUNT-4: max abs {{[0-9.]+e-0[6-9]|0,}}
// A batch that is split, too: whole inputs and outputs, and parts.
// RUN: sed 's/shape:.-1,-1./shape:[2,5]/;s/tensor<-1x-1xi64>/tensor<2x5xi64>/g' %s > %t/batch.pir && pir-opt %t/batch.pir --passes='shard{mesh=2x2,rank=0,rings=%t/rings}' -o %t/0.pir && FileCheck %s --check-prefix=BATCH --input-file=%t/0.pir
// BATCH: "pd_op.slice" {{.*}} -> tensor<1x5xi64>
// BATCH: "pd_op.all_gather" {{.*}} -> tensor<-1x-1x12xf32>
// RUN: pir-run --ranks=4 %t/batch.pir --params=%t/w.pdiparams --rings=%t/rings --pipeline='shard{mesh=2x2,rank=%r,rings=%t/rings_%r},compile' --input=ids=2x5xi64=0..11 --expect-dir=%t/out | FileCheck %s --check-prefix=ALL
// RUN: pir-run %s --params=%t/w.pdiparams --input=ids=1x5xi64=3 --output-dir=%t/out && pir-opt %s --passes='shard{mesh=2x2,axes=model|batch,parts=true,rank=0,rings=%t/rings}' -o %t/0.pir
// RUN: pir-run --ranks=4 %s --params=%t/w.pdiparams --rings=%t/rings --pipeline='shard{mesh=2x2,axes=model|batch,parts=true,rank=%r,rings=%t/rings_%r},compile' --input=ids=1x5xi64=3 --expect-dir=%t/out | FileCheck %s --check-prefix=ALL
// RUN: pir-run --ranks=2 %t/batch.pir --params=%t/w.pdiparams --pipeline='shard{mesh=2,axes=batch,rank=%r},compile' --input=ids=2x5xi64=0..11 --expect-dir=%t/both | FileCheck %s --check-prefix=SAME
// RUN: pir-opt %s --passes='shard{mesh=2}' -o %t/mesh.pir && pir-opt %t/mesh.pir --params=%t/w.pdiparams --passes='dist{rank=0}' --params-out=%t/2.pdiparams -o %t/2.pir && cmp %t/0.pdiparams %t/2.pdiparams
// ALL-COUNT-4: max abs {{[0-9.]+e-0[6-9]|0,}}
{
    (%0) = "builtin.parameter" () {parameter_name:"head"} : () -> tensor<8x12xf32>
    (%1) = "builtin.parameter" () {parameter_name:"down_bias"} : () -> tensor<8xf32>
    (%2) = "builtin.parameter" () {parameter_name:"down"} : () -> tensor<16x8xf32>
    (%3) = "builtin.parameter" () {parameter_name:"up_bias"} : () -> tensor<16xf32>
    (%4) = "builtin.parameter" () {parameter_name:"up"} : () -> tensor<8x16xf32>
    (%5) = "builtin.parameter" () {parameter_name:"shift_2"} : () -> tensor<8xf32>
    (%6) = "builtin.parameter" () {parameter_name:"scale_2"} : () -> tensor<8xf32>
    (%7) = "builtin.parameter" () {parameter_name:"out_bias"} : () -> tensor<8xf32>
    (%8) = "builtin.parameter" () {parameter_name:"out"} : () -> tensor<8x8xf32>
    (%9) = "builtin.parameter" () {parameter_name:"v"} : () -> tensor<8x4xf32>
    (%10) = "builtin.parameter" () {parameter_name:"k"} : () -> tensor<8x4xf32>
    (%11) = "builtin.parameter" () {parameter_name:"q_bias"} : () -> tensor<8xf32>
    (%12) = "builtin.parameter" () {parameter_name:"q"} : () -> tensor<8x8xf32>
    (%13) = "builtin.parameter" () {parameter_name:"shift_1"} : () -> tensor<8xf32>
    (%14) = "builtin.parameter" () {parameter_name:"scale_1"} : () -> tensor<8xf32>
    (%15) = "builtin.parameter" () {parameter_name:"embedding"} : () -> tensor<12x8xf32>
    (%16) = "pd_op.data" () {dtype:int64,name:"ids",place:Place(undefined:0),shape:[-1,-1]} : () -> tensor<-1x-1xi64>
    (%17) = "pd_op.embedding" (%16, %15) {padding_idx:-1,sparse:false} : (tensor<-1x-1xi64>, tensor<12x8xf32>) -> tensor<-1x-1x8xf32>
    (%18, %19, %20) = "pd_op.layer_norm" (%17, %14, %13) {begin_norm_axis:2,epsilon:1e-05} : (tensor<-1x-1x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<-1x-1x8xf32>, tensor<-1x-1xf32>, tensor<-1x-1xf32>
    (%21) = "pd_op.matmul" (%18, %12) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x8xf32>, tensor<8x8xf32>) -> tensor<-1x-1x8xf32>
    (%22) = "pd_op.add" (%21, %11) {} : (tensor<-1x-1x8xf32>, tensor<8xf32>) -> tensor<-1x-1x8xf32>
    (%23) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,0,4,2]} : () -> tensor<4xi64>
    (%24) = "pd_op.reshape" (%22, %23) {} : (tensor<-1x-1x8xf32>, tensor<4xi64>) -> tensor<-1x-1x4x2xf32>
    (%25) = "pd_op.transpose" (%24) {perm:[0,2,1,3]} : (tensor<-1x-1x4x2xf32>) -> tensor<-1x4x-1x2xf32>
    (%26) = "pd_op.matmul" (%18, %10) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x8xf32>, tensor<8x4xf32>) -> tensor<-1x-1x4xf32>
    (%27) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,0,2,2]} : () -> tensor<4xi64>
    (%28) = "pd_op.reshape" (%26, %27) {} : (tensor<-1x-1x4xf32>, tensor<4xi64>) -> tensor<-1x-1x2x2xf32>
    (%29) = "pd_op.matmul" (%18, %9) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x8xf32>, tensor<8x4xf32>) -> tensor<-1x-1x4xf32>
    (%30) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,0,2,2]} : () -> tensor<4xi64>
    (%31) = "pd_op.reshape" (%29, %30) {} : (tensor<-1x-1x4xf32>, tensor<4xi64>) -> tensor<-1x-1x2x2xf32>
    (%32) = "pd_op.repeat_interleave" (%28) {axis:2,output_size:-1,repeats:2} : (tensor<-1x-1x2x2xf32>) -> tensor<-1x-1x4x2xf32>
    (%33) = "pd_op.transpose" (%32) {perm:[0,2,1,3]} : (tensor<-1x-1x4x2xf32>) -> tensor<-1x4x-1x2xf32>
    (%34) = "pd_op.repeat_interleave" (%31) {axis:2,output_size:-1,repeats:2} : (tensor<-1x-1x2x2xf32>) -> tensor<-1x-1x4x2xf32>
    (%35) = "pd_op.transpose" (%34) {perm:[0,2,1,3]} : (tensor<-1x-1x4x2xf32>) -> tensor<-1x4x-1x2xf32>
    (%36) = "pd_op.matmul" (%25, %33) {transpose_x:false,transpose_y:true} : (tensor<-1x4x-1x2xf32>, tensor<-1x4x-1x2xf32>) -> tensor<-1x4x-1x-1xf32>
    (%37) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.7} : () -> tensor<1xf32>
    (%38) = "pd_op.scale" (%36, %37) {bias:0,bias_after_scale:true} : (tensor<-1x4x-1x-1xf32>, tensor<1xf32>) -> tensor<-1x4x-1x-1xf32>
    (%39) = "pd_op.softmax" (%38) {axis:-1} : (tensor<-1x4x-1x-1xf32>) -> tensor<-1x4x-1x-1xf32>
    (%40) = "pd_op.matmul" (%39, %35) {transpose_x:false,transpose_y:false} : (tensor<-1x4x-1x-1xf32>, tensor<-1x4x-1x2xf32>) -> tensor<-1x4x-1x2xf32>
    (%41) = "pd_op.transpose" (%40) {perm:[0,2,1,3]} : (tensor<-1x4x-1x2xf32>) -> tensor<-1x-1x4x2xf32>
    (%42) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,0,8]} : () -> tensor<3xi64>
    (%43) = "pd_op.reshape" (%41, %42) {} : (tensor<-1x-1x4x2xf32>, tensor<3xi64>) -> tensor<-1x-1x8xf32>
    (%44) = "pd_op.matmul" (%43, %8) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x8xf32>, tensor<8x8xf32>) -> tensor<-1x-1x8xf32>
    (%45) = "pd_op.add" (%17, %44) {} : (tensor<-1x-1x8xf32>, tensor<-1x-1x8xf32>) -> tensor<-1x-1x8xf32>
    (%46) = "pd_op.add" (%45, %7) {} : (tensor<-1x-1x8xf32>, tensor<8xf32>) -> tensor<-1x-1x8xf32>
    (%47, %48, %49) = "pd_op.layer_norm" (%46, %6, %5) {begin_norm_axis:2,epsilon:1e-05} : (tensor<-1x-1x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<-1x-1x8xf32>, tensor<-1x-1xf32>, tensor<-1x-1xf32>
    (%50) = "pd_op.matmul" (%47, %4) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x8xf32>, tensor<8x16xf32>) -> tensor<-1x-1x16xf32>
    (%51) = "pd_op.add" (%50, %3) {} : (tensor<-1x-1x16xf32>, tensor<16xf32>) -> tensor<-1x-1x16xf32>
    (%52) = "pd_op.gelu" (%51) {approximate:false} : (tensor<-1x-1x16xf32>) -> tensor<-1x-1x16xf32>
    (%53) = "pd_op.matmul" (%52, %2) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x16xf32>, tensor<16x8xf32>) -> tensor<-1x-1x8xf32>
    (%54) = "pd_op.add" (%46, %53) {} : (tensor<-1x-1x8xf32>, tensor<-1x-1x8xf32>) -> tensor<-1x-1x8xf32>
    (%55) = "pd_op.add" (%54, %1) {} : (tensor<-1x-1x8xf32>, tensor<8xf32>) -> tensor<-1x-1x8xf32>
    (%56) = "pd_op.matmul" (%55, %0) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x8xf32>, tensor<8x12xf32>) -> tensor<-1x-1x12xf32>
    (%57) = "pd_op.fetch" (%56) {col:0,name:"fetch_name_0"} : (tensor<-1x-1x12xf32>) -> tensor<-1x-1x12xf32>
}
