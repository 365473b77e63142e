// Meshes that a program cannot be cut for, and programs that cannot be cut. One RUN line for each.
// RUN: pir-opt %S/block.pir --passes='shard{mesh=8}' -o %t 2>&1 | FileCheck %s --check-prefix=HEADS
// HEADS: block.pir:[[#]]:5: note: 4 heads do not divide among 8 ranks: each of them computes all
// Also where zeros would follow the columns, or where the heads of queries, keys and values are made by one reshape.
// RUN: for m in 3 5; do not pir-opt %S/block.pir --passes="shard{mesh=$m}" -o %t || exit 1; done 2>&1 | FileCheck %s --check-prefix=ZEROS
// ZEROS: error: "pd_op.reshape" 2 heads do not divide among the 3 ranks of axis model
// ZEROS: error: "pd_op.reshape" {{[24]}} heads do not divide among the 5 ranks of axis model
// RUN: pir-opt %S/../../models/writer/model.json --passes='shard{mesh=8}' -o %t 2>&1 | FileCheck %s --check-prefix=TENSORS
// TENSORS: note: 4 heads do not divide among 8 ranks: each of them computes all
// RUN: pir-opt %S/../../models/writer/model.json --passes='shard{mesh=3}' -o %t 2>&1 | FileCheck %s --check-prefix=GATHERS
// GATHERS: note: 4 heads do not divide among 3 ranks: each of them gathers all
// RUN: not pir-opt %S/twice.pir --passes='shard{mesh=2}' -o %t 2>&1 | FileCheck %s --check-prefix=NAMES
// NAMES: twice.pir:[[#]]:5: error: {{.*}}two ops have the parameter of one name
// RUN: not pir-opt %S/block.pir --passes='shard{mesh=17}' -o %t 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// WEIGHTS: block.pir:[[#]]:5: error: "pd_op.matmul" nothing to shard: no weight has a column for each of the 17 ranks of axis model; this one is 8x8
// RUN: not pir-opt %s --passes='shard{mesh=2}' -o %t 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: nothing to shard: the program has no product with a parameter
// RUN: not pir-opt %S/block.pir --passes='shard{mesh=2,axes=pipe}' -o %t 2>&1 | FileCheck %s --check-prefix=AXIS
// AXIS: error: option axes of pass shard_pass expects model and batch, each at most once, {{.*}} has 'pipe'
// RUN: not pir-opt %S/block.pir --passes='shard{mesh=2x2,axes=model|model}' -o %t 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: option axes of pass shard_pass expects {{.*}} has 'model|model'
// RUN: not pir-opt %S/block.pir --passes='shard{mesh=2x2,axes=model}' -o %t 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: error: option axes of pass shard_pass expects {{.*}} has 'model'
// RUN: for m in 0 1 2x 2x2x2 x2 -2 99999 3x99999 2,unpaired=some 2,rings=%t.rings; do not pir-opt %S/block.pir --passes="shard{mesh=$m}" -o %t || exit 1; done 2>&1 | FileCheck %s --check-prefix=MESH
// MESH-COUNT-8: error: option mesh of pass shard_pass expects the ranks along one or two axes, as 4 or 2x4, from 2 to 65536
// MESH: error: option unpaired of pass shard_pass expects auto, always or never, has 'some'
// MESH: error: option rank of pass shard_pass expects a rank, because rings is given
// RUN: not pir-opt %S/block.pir --passes='shard{mesh=2,rank=2}' -o %t 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error: no mesh of the program has rank 2
// RUN: not pir-opt %S/block.pir --passes='shard{mesh=2x2}' -o %t 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: error: unsupported: a batch of unknown extent is cut; with option parts ranks take their parts of it
// RUN: not pir-opt %S/block.pir --passes='shard{mesh=2},shard{mesh=2}' -o %t 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: "builtin.parameter" the program is distributed already
// RUN: pir-opt %S/block.pir --passes='shard{mesh=2,rank=0}' -o %t.part.pir && not pir-opt %t.part.pir --passes='shard{mesh=2}' -o %t 2>&1 | FileCheck %s --check-prefix=PART
// PART: error: "builtin.parameter" the parameter is a part already, and shard cuts whole ones
// RUN: sed 's/"pd_op.gelu" (%51) {approximate:false}/"pd_op.all_reduce" (%51) {reduce_type:0,ring_id:0}/' %S/block.pir > %t.sum.pir && not pir-opt %t.sum.pir --passes='shard{mesh=2}' -o %t 2>&1 | FileCheck %s --check-prefix=RING
// RING: error: "pd_op.all_reduce" the program is distributed already, which shard begins with
// RUN: sed 's/"pd_op.add" (%50, %3)/"pd_op.add_" (%3, %50)/' %S/block.pir > %t.write.pir && not pir-opt %t.write.pir --passes='shard{mesh=2}' -o %t 2>&1 | FileCheck %s --check-prefix=WRITES
// WRITES: error: unsupported: "pd_op.add_" writes a parameter; shard takes programs of inference

// Parts that a program states have to be parts, and are not written as if they were whole.
// RUN: python3 %S/parameters.py %S/block.pir %t.pdiparams
// RUN: sed 's/part_first:.8,0./part_first:[9,0]/;s/part_first:.0,0./part_first:[8,0]/' %t.part.pir > %t.wrong.pir && not pir-opt %t.wrong.pir --params=%t.pdiparams -o %t 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: "builtin.parameter" whole_shape and part_first are no part of a tensor that has the extents of the result
// RUN: not pir-opt %t.part.pir --params=%t.pdiparams --params-out=%t.w -o %t 2>&1 | FileCheck %s --check-prefix=WRITTEN
// WRITTEN: error: unsupported: parameter '{{[a-z_]+}}' is a part of the one that a file holds, and is not written
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<4xf32>) -> tensor<4xf32>
    () = "builtin.shadow_output" (%1) {output_name:"y"} : (tensor<4xf32>) ->
}
