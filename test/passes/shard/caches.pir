// A step of a decoder: keys and values of new tokens are added to caches, which are inputs and outputs. With caches=split a rank has the
// caches of its heads, and nothing but the sum behind attention moves. Extents that the program reads are those of the whole cache.
// RUN: rm -rf %t && mkdir -p %t && python3 %S/parameters.py %s %t/w.pdiparams
// RUN: pir-opt %s --passes='shard{mesh=2,caches=split,rank=1}' --stats -o %t/1.pir 2>&1 | FileCheck %s --check-prefix=STATS && FileCheck %s --input-file=%t/1.pir
// STATS-DAG: shard_pass: 2 inputs that are caches split
// STATS-DAG: shard_pass: 2 outputs that are caches split
// CHECK-DAG: parameter_name:"k",part_first:[0,4],whole_shape:[8,8]} : () -> tensor<8x4xf32>
// CHECK-DAG: parameter_name:"v",part_first:[0,4],whole_shape:[8,8]} : () -> tensor<8x4xf32>
// CHECK-DAG: name:"keys",place:Place(undefined:0),shape:[1,-1,2,2]} : () -> tensor<1x-1x2x2xf32>
// CHECK-DAG: name:"values",place:Place(undefined:0),shape:[1,2,-1,2]} : () -> tensor<1x2x-1x2xf32>
// CHECK:     [[OWN:%[0-9]+]]) = "pd_op.shape64"
// CHECK:     value:[1,1,2,1]}
// CHECK:     "pd_op.multiply" ([[OWN]],
// CHECK-NOT: "pd_op.all_gather"
// CHECK:     "pd_op.all_reduce"
// CHECK-NOT: "pd_op.all_
// CHECK:     output_name:"next_keys"} : (tensor<1x-1x2x2xf32>)
// CHECK:     output_name:"next_values"} : (tensor<1x2x-1x2xf32>)
// RUN: python3 %S/decode.py %s %t/w.pdiparams %t 2 4 | FileCheck %s --check-prefix=STEPS
// STEPS:      2 ranks, 0 tokens and 4: equal
// STEPS-NEXT: 2 ranks, 3 tokens and 4: equal
// STEPS-NEXT: 4 ranks, 0 tokens and 4: equal
// STEPS-NEXT: 4 ranks, 3 tokens and 4: equal
// Without the option all caches are whole, and with names only those.
// RUN: for c in '' ,caches=whole; do pir-opt %s --passes="shard{mesh=2,rank=1$c}" | FileCheck %s --check-prefix=WHOLE || exit 1; done
// WHOLE-DAG: name:"keys",place:Place(undefined:0),shape:[1,-1,4,2]}
// WHOLE-DAG: name:"values",place:Place(undefined:0),shape:[1,4,-1,2]}
// WHOLE-DAG: output_name:"next_keys"} : (tensor<1x-1x4x2xf32>)
// RUN: for c in keys next_keys 'next_keys|keys'; do pir-opt %s --passes="shard{mesh=2,rank=1,caches=$c}" | FileCheck %s --check-prefix=NAMED || exit 1; done
// NAMED-DAG: name:"keys",place:Place(undefined:0),shape:[1,-1,2,2]}
// NAMED-DAG: name:"values",place:Place(undefined:0),shape:[1,4,-1,2]}
// NAMED-DAG: output_name:"next_keys"} : (tensor<1x-1x2x2xf32>)
// NAMED-DAG: output_name:"next_values"} : (tensor<1x4x-1x2xf32>)
// An output that goes on from nothing, as that of a prompt, is named.
// RUN: sed 's/"builtin.combine" (%5, %12)/"builtin.combine" (%12, %12)/;s/(tensor<1x-1x4x2xf32>, tensor<1x1x4x2xf32>) -> vec.*/(tensor<1x1x4x2xf32>, tensor<1x1x4x2xf32>) -> vec[tensor<1x1x4x2xf32>,tensor<1x1x4x2xf32>]/;s/"pd_op.concat" (%14, %13) {} : (vec.tensor<1x-1x4x2xf32>/"pd_op.concat" (%14, %13) {} : (vec[tensor<1x1x4x2xf32>/' %s > %t/prompt.pir
// RUN: pir-opt %t/prompt.pir --passes='shard{mesh=2,rank=1,caches=next_keys|next_values}' | FileCheck %s --check-prefix=PROMPT
// PROMPT-DAG: name:"keys",place:Place(undefined:0),shape:[1,-1,4,2]}
// PROMPT-DAG: name:"values",place:Place(undefined:0),shape:[1,2,-1,2]}
// PROMPT-DAG: output_name:"next_keys"} : (tensor<1x-1x2x2xf32>)
// The batch is split, too: a rank takes and gives the whole batch of its heads, or with parts its part of it.
// RUN: sed -E 's/tensor<1x(1|-1|4)x/tensor<2x\1x/g;s/shape:.1,(1,8|-1,4,2|4,-1,2)./shape:[2,\1]/' %s > %t/batch.pir
// RUN: pir-opt %t/batch.pir --passes='shard{mesh=2x2,rank=1,caches=split}' | FileCheck %s --check-prefix=BATCH
// BATCH-DAG: name:"keys",{{.*}}shape:[2,-1,2,2]}
// BATCH-DAG: output_name:"next_values"} : (tensor<2x2x-1x2xf32>)
// RUN: pir-opt %t/batch.pir --passes='shard{mesh=2x2,rank=1,caches=split,parts=true}' | FileCheck %s --check-prefix=PARTS
// PARTS-DAG: name:"keys",{{.*}}shape:[1,-1,2,2]}
// PARTS-NOT: all_gather
// PARTS-DAG: output_name:"next_values"} : (tensor<1x2x-1x2xf32>)
// Caches that something needs whole, and those of fewer heads than ranks, stay whole; a name is a demand.
// RUN: sed '/^ .*output_name:"y"/a (%%38) = "pd_op.flip" (%%5) {axis:[2]} : (tensor<1x-1x4x2xf32>) -> tensor<1x-1x4x2xf32>\n() = "builtin.shadow_output" (%%38) {output_name:"flipped"} : (tensor<1x-1x4x2xf32>) ->' %s > %t/flip.pir
// RUN: pir-opt %t/flip.pir --passes='shard{mesh=2,rank=1,caches=split}' | FileCheck %s --check-prefix=FLIP
// FLIP-DAG: name:"keys",place:Place(undefined:0),shape:[1,-1,4,2]}
// FLIP-DAG: name:"values",place:Place(undefined:0),shape:[1,2,-1,2]}
// FLIP-DAG: output_name:"next_keys"} : (tensor<1x-1x4x2xf32>)
// RUN: pir-opt %s --passes='shard{mesh=8,rank=1,caches=split,unpaired=always}' -o %t/8.pir 2>&1 | FileCheck %s --check-prefix=FEWER && FileCheck %s --check-prefix=WHOLE --input-file=%t/8.pir
// FEWER: note: 4 heads do not divide among 8 ranks: each of them computes all
// RUN: (pir-opt %t/flip.pir --passes='shard{mesh=2,rank=1,caches=next_keys}' -o %t/o.pir; echo "exit code $?") 2>&1 | FileCheck %s --check-prefix=DEMAND
// DEMAND: error: unsupported: the ranks of axis model cannot have parts of 'next_keys': its heads do not divide, or an op needs all
// DEMAND: exit code 3
// Keys that are repeated for more heads are made of a cache, and are none.
// RUN: sed '/^ .*output_name:"y"/a (%%38) = "pd_op.repeat_interleave" (%%5) {axis:2,repeats:3} : (tensor<1x-1x4x2xf32>) -> tensor<1x-1x12x2xf32>\n() = "builtin.shadow_output" (%%38) {output_name:"repeated"} : (tensor<1x-1x12x2xf32>) ->' %s > %t/repeat.pir
// RUN: pir-opt %t/repeat.pir --passes='shard{mesh=2,rank=1,caches=split}' | FileCheck %s --check-prefix=REPEAT
// REPEAT-DAG: name:"keys",place:Place(undefined:0),shape:[1,-1,2,2]}
// REPEAT-DAG: output_name:"next_keys"} : (tensor<1x-1x2x2xf32>)
// REPEAT-DAG: output_name:"repeated"} : (tensor<1x-1x12x2xf32>)
// RUN: not pir-opt %t/repeat.pir --passes='shard{mesh=2,rank=1,caches=repeated}' -o %t/o.pir 2>&1 | FileCheck %s --check-prefix=REPEATED
// REPEATED: error: unsupported: the ranks of axis model cannot have parts of 'repeated'
// RUN: not pir-opt %s --passes='shard{mesh=2,rank=1,caches=x}' -o %t/o.pir 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: "pd_op.data" is no cache: no output goes on from it
// RUN: for c in key 'keys|' '|'; do not pir-opt %s --passes="shard{mesh=2,caches=$c}" -o %t/o.pir || exit 1; done 2>&1 | FileCheck %s --check-prefix=NAMES
// NAMES-COUNT-3: error: option caches of pass shard_pass expects split, whole, or names of inputs and outputs, with | between
// RUN: not pir-opt %t/batch.pir --passes='shard{mesh=2,axes=batch,caches=split}' -o %t/o.pir 2>&1 | FileCheck %s --check-prefix=AXIS
// AXIS: error: option caches of pass shard_pass expects a mesh of two ranks or more along axis model, has 'split'
{
    (%0) = "builtin.parameter" () {parameter_name:"o"} : () -> tensor<8x8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"v"} : () -> tensor<8x8xf32>
    (%2) = "builtin.parameter" () {parameter_name:"k"} : () -> tensor<8x8xf32>
    (%3) = "builtin.parameter" () {parameter_name:"q"} : () -> tensor<8x8xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,1,8]} : () -> tensor<1x1x8xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"keys",place:Place(undefined:0),shape:[1,-1,4,2]} : () -> tensor<1x-1x4x2xf32>
    (%6) = "pd_op.data" () {dtype:float32,name:"values",place:Place(undefined:0),shape:[1,4,-1,2]} : () -> tensor<1x4x-1x2xf32>
    (%7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,0,4,2]} : () -> tensor<4xi64>
    (%8) = "pd_op.matmul" (%4, %3) {transpose_x:false,transpose_y:false} : (tensor<1x1x8xf32>, tensor<8x8xf32>) -> tensor<1x1x8xf32>
    (%9) = "pd_op.reshape" (%8, %7) {} : (tensor<1x1x8xf32>, tensor<4xi64>) -> tensor<1x1x4x2xf32>
    (%10) = "pd_op.transpose" (%9) {perm:[0,2,1,3]} : (tensor<1x1x4x2xf32>) -> tensor<1x4x1x2xf32>
    (%11) = "pd_op.matmul" (%4, %2) {transpose_x:false,transpose_y:false} : (tensor<1x1x8xf32>, tensor<8x8xf32>) -> tensor<1x1x8xf32>
    (%12) = "pd_op.reshape" (%11, %7) {} : (tensor<1x1x8xf32>, tensor<4xi64>) -> tensor<1x1x4x2xf32>
    (%13) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%14) = "builtin.combine" (%5, %12) {} : (tensor<1x-1x4x2xf32>, tensor<1x1x4x2xf32>) -> vec[tensor<1x-1x4x2xf32>,tensor<1x1x4x2xf32>]
    (%15) = "pd_op.concat" (%14, %13) {} : (vec[tensor<1x-1x4x2xf32>,tensor<1x1x4x2xf32>], tensor<1xi32>) -> tensor<1x-1x4x2xf32>
    (%16) = "pd_op.transpose" (%15) {perm:[0,2,1,3]} : (tensor<1x-1x4x2xf32>) -> tensor<1x4x-1x2xf32>
    (%17) = "pd_op.matmul" (%4, %1) {transpose_x:false,transpose_y:false} : (tensor<1x1x8xf32>, tensor<8x8xf32>) -> tensor<1x1x8xf32>
    (%18) = "pd_op.reshape" (%17, %7) {} : (tensor<1x1x8xf32>, tensor<4xi64>) -> tensor<1x1x4x2xf32>
    (%19) = "pd_op.transpose" (%18) {perm:[0,2,1,3]} : (tensor<1x1x4x2xf32>) -> tensor<1x4x1x2xf32>
    (%20) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi32>
    (%21) = "builtin.combine" (%6, %19) {} : (tensor<1x4x-1x2xf32>, tensor<1x4x1x2xf32>) -> vec[tensor<1x4x-1x2xf32>,tensor<1x4x1x2xf32>]
    (%22) = "pd_op.concat" (%21, %20) {} : (vec[tensor<1x4x-1x2xf32>,tensor<1x4x1x2xf32>], tensor<1xi32>) -> tensor<1x4x-1x2xf32>
    (%23) = "pd_op.matmul" (%10, %16) {transpose_x:false,transpose_y:true} : (tensor<1x4x1x2xf32>, tensor<1x4x-1x2xf32>) -> tensor<1x4x1x-1xf32>
    (%24) = "pd_op.softmax" (%23) {axis:-1} : (tensor<1x4x1x-1xf32>) -> tensor<1x4x1x-1xf32>
    (%25) = "pd_op.matmul" (%24, %22) {transpose_x:false,transpose_y:false} : (tensor<1x4x1x-1xf32>, tensor<1x4x-1x2xf32>) -> tensor<1x4x1x2xf32>
    (%26) = "pd_op.transpose" (%25) {perm:[0,2,1,3]} : (tensor<1x4x1x2xf32>) -> tensor<1x1x4x2xf32>
    (%27) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,0,8]} : () -> tensor<3xi64>
    (%28) = "pd_op.reshape" (%26, %27) {} : (tensor<1x1x4x2xf32>, tensor<3xi64>) -> tensor<1x1x8xf32>
    (%29) = "pd_op.matmul" (%28, %0) {transpose_x:false,transpose_y:false} : (tensor<1x1x8xf32>, tensor<8x8xf32>) -> tensor<1x1x8xf32>
    (%30) = "pd_op.shape64" (%5) {} : (tensor<1x-1x4x2xf32>) -> tensor<4xi64>
    (%31) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%32) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3]} : () -> tensor<1xi64>
    (%33) = "pd_op.slice" (%30, %31, %32) {axes:[0],decrease_axis:[],infer_flags:[1]} : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    (%34) = "pd_op.cast" (%33) {dtype:float32} : (tensor<2xi64>) -> tensor<2xf32>
    (%35) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%36) = "pd_op.sum" (%34, %35) {dtype:float32,keepdim:true} : (tensor<2xf32>, tensor<1xi64>) -> tensor<1xf32>
    (%37) = "pd_op.add" (%29, %36) {} : (tensor<1x1x8xf32>, tensor<1xf32>) -> tensor<1x1x8xf32>
    () = "builtin.shadow_output" (%37) {output_name:"y"} : (tensor<1x1x8xf32>) ->
    () = "builtin.shadow_output" (%15) {output_name:"next_keys"} : (tensor<1x-1x4x2xf32>) ->
    () = "builtin.shadow_output" (%22) {output_name:"next_values"} : (tensor<1x4x-1x2xf32>) ->
}
