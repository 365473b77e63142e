// Rows of a table and columns of a product that do not divide among the ranks end in zeros, which the file lacks, and which a slice behind the
// product drops. Outputs are those of one rank.
// RUN: rm -rf %t && mkdir -p %t/out && python3 %S/parameters.py %s %t/w.pdiparams && pir-run %s --params=%t/w.pdiparams --input=ids=2x6xi64=0..10 --output-dir=%t/out
// RUN: for n in 2 3 4; do for r in 0 1 2 3; do [ $r -ge $n ] || pir-opt %s --passes="shard{mesh=$n,rank=$r,unpaired=always}" -o %t/$n.$r.json || exit 1; done; done
// RUN: pir-opt %t/4.2.json -o %t/2.pir && FileCheck %s --input-file=%t/2.pir
// CHECK-DAG: file_shape:[11,6],parameter_name:"table",part_first:[6,0],{{.*}}whole_shape:[12,6]} : () -> tensor<3x6xf32>
// CHECK-DAG: file_shape:[6,5],parameter_name:"head",part_first:[0,4],{{.*}}whole_shape:[6,8]} : () -> tensor<6x2xf32>
// CHECK:     "pd_op.all_gather" {{.*}} -> tensor<{{-1x-1x|2x6x}}2xf32>
// CHECK:     "pd_op.slice" {{.*}} -> tensor<-1x-1x5xf32>
// Parts of one file, of values that the program has, and files of ranks.
// RUN: for n in 2 3 4; do pir-run --ranks=$n %t/$n.%r.json --params=%t/w.pdiparams --input=ids=2x6xi64=0..10 --expect-dir=%t/out || exit 1; done | FileCheck %s --check-prefix=SAME
// RUN: for n in 2 3 4; do pir-run --ranks=$n %s --params=%t/w.pdiparams --pipeline="shard{mesh=$n,rank=%r,unpaired=always},kernels" --input=ids=2x6xi64=0..10 --expect-dir=%t/out || exit 1; done | FileCheck %s --check-prefix=SAME
// RUN: pir-opt %s --passes='shard{mesh=3,unpaired=always}' -o %t/mesh.pir
// RUN: for r in 0 1 2; do pir-opt %t/mesh.pir --params=%t/w.pdiparams --passes="dist{rank=$r}" --params-out=%t/own.$r.pdiparams -o %t/own.$r.json || exit 1; done
// RUN: for p in compile kernels compile; do pir-run --ranks=3 %t/own.%r.json --pipeline=$p --input=ids=2x6xi64=0..10 --expect-dir=%t/out || exit 1; done | FileCheck %s --check-prefix=SAME
// SAME-COUNT-18: max abs {{[0-9.]+e-0[6-9]|0,}}
// Zeros are no bytes of parameters, but of what a rank has.
// RUN: pir-opt %s --passes='shard{mesh=4,rank=0,unpaired=always}' --stats -o %t/o.pir 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: shard_pass: 404 bytes of parameters
// BYTES: shard_pass: 140 bytes of them on a rank
// Extents that could not be counted with zeros stay whole.
// RUN: sed 's/11x6xf32/9223372036854775807x6xf32/g;s/x11xf32/x9223372036854775807xf32/g' %s > %t/large.pir && pir-opt %t/large.pir --passes='shard{mesh=4,unpaired=always}' | FileCheck %s --check-prefix=LARGE
// LARGE: parameter_name:"table"} : () -> pd_dist.tensor<9223372036854775807x6xf32
// Where a collective operator does not pay, nothing is cut, and nothing is left of the zeros.
// RUN: not pir-opt %s --passes='shard{mesh=2,rank=0,unpaired=never}' -o %t/o.pir 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: error: "pd_op.matmul" nothing to shard: no weight is worth a collective operator
// A file that has more than the whole, or less along another dimension, is of another parameter; zeros are fewer than what the file has.
// RUN: for f in 13,6 11,5; do sed "s/file_shape:.11,6./file_shape:[$f]/" %t/2.pir > %t/wrong.pir && not pir-run %t/wrong.pir --params=%t/w.pdiparams --input=ids=2x6xi64 || exit 1; done 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG-COUNT-2: error: parameter 'table' is float32 [11, 6] in the file, the program declares float32
// RUN: sed 's/file_shape:.11,6./file_shape:[12,5]/' %t/2.pir > %t/wrong.pir && not pir-run %t/wrong.pir --params=%t/w.pdiparams --input=ids=2x6xi64 2>&1 | FileCheck %s --check-prefix=PART
// RUN: sed 's/whole_shape:.12,6./whole_shape:[23,6]/' %t/2.pir > %t/wrong.pir && not pir-run %t/wrong.pir --params=%t/w.pdiparams --input=ids=2x6xi64 2>&1 | FileCheck %s --check-prefix=PART
// No rank has the whole in memory, beside what a sanitizer keeps of each byte.
// RUN: %if optimised %{ python3 %S/memory.py %t | FileCheck %s --check-prefix=MEMORY %}
// MEMORY: rank 3 of a parameter 2000x10007: its part
// MEMORY: rank 0 of a parameter 2000x10007: its part
// MEMORY: rank 1 of a parameter 20001x1000: its part
// PART: error: "builtin.parameter" whole_shape and part_first are no part of a tensor that has the extents of the result
{
    (%0) = "builtin.parameter" () {parameter_name:"head"} : () -> tensor<6x5xf32>
    (%1) = "builtin.parameter" () {parameter_name:"shift"} : () -> tensor<5xf32>
    (%2) = "builtin.parameter" () {parameter_name:"table"} : () -> tensor<11x6xf32>
    (%3) = "pd_op.data" () {dtype:int64,name:"ids",place:Place(undefined:0),shape:[-1,-1]} : () -> tensor<-1x-1xi64>
    (%4) = "pd_op.embedding" (%3, %2) {padding_idx:-1,sparse:false} : (tensor<-1x-1xi64>, tensor<11x6xf32>) -> tensor<-1x-1x6xf32>
    (%5) = "pd_op.matmul" (%4, %0) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x6xf32>, tensor<6x5xf32>) -> tensor<-1x-1x5xf32>
    (%6) = "pd_op.add" (%5, %1) {} : (tensor<-1x-1x5xf32>, tensor<5xf32>) -> tensor<-1x-1x5xf32>
    () = "builtin.shadow_output" (%6) {output_name:"y"} : (tensor<-1x-1x5xf32>) ->
    (%7) = "pd_op.matmul" (%4, %2) {transpose_x:false,transpose_y:true} : (tensor<-1x-1x6xf32>, tensor<11x6xf32>) -> tensor<-1x-1x11xf32>
    () = "builtin.shadow_output" (%7) {output_name:"tied"} : (tensor<-1x-1x11xf32>) ->
}
