// Meshes, distributions, ranks and reshards that cannot be: each is an error at its op, before anything is written.
// RUN: rm -f %t.out %t.rings
// RUN: not pir-opt %s --passes=dist -o %t.out 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: option rank of pass distribute_pass expects the number of a process, which must be given, has ''
// RUN: not pir-opt %s --passes='reshard{rank=2}' -o %t.out 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error: no mesh of the program has rank 2
// RUN: not pir-opt %s --passes='dist{rank=0,rings=%t.no/rings}' -o %t.out 2>&1 | FileCheck %s --check-prefix=RINGS
// RINGS: error: {{.*}}.no/rings: No such file or directory

// Meshes.
// RUN: sed 's/process_ids:.0,1./process_ids:[0]/g' %s > %t && not pir-opt %t --passes='dist{rank=0}' -o %t.out 2>&1 | FileCheck %s --check-prefix=PLACES
// PLACES: :[[# @LINE + 51]]:{{.*}}error: "dist_op.shard_tensor" a mesh has another number of places than of process ids
// RUN: sed 's/shape:.2.,process_ids/shape:[4294967296,4294967296],process_ids/g' %s > %t && not pir-opt %t --passes=mix2dist -o %t.out 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: "dist_op.shard_tensor" a mesh has another number of places than of process ids
// RUN: sed 's/process_ids:.0,1./process_ids:[0,2147483648]/g' %s > %t && not pir-opt %t --passes=mix2dist -o %t.out 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: error: "dist_op.shard_tensor" a process id is not a number from 0 to 2147483647
// RUN: sed 's/process_ids:.0,1./process_ids:[1,1]/g' %s > %t && not pir-opt %t --passes=mix2dist -o %t.out 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: "dist_op.shard_tensor" a mesh has a process twice
// RUN: sed 's/\(mesh_shape\|{shape\):.2.,process_ids:.0,1./\1:[],process_ids:[]/g' %s > %t && not pir-opt %t --passes=mix2dist -o %t.out 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: "dist_op.shard_tensor" a mesh has 1 to 16 dimensions

// Distributions.
// RUN: pir-opt %s --passes=mix2dist -o %t.dist
// RUN: sed 's/dims_mappings:.0,-1./dims_mappings:[1,-1]/' %s > %t && not pir-opt %t --passes=partition -o %t.out 2>&1 | FileCheck %s --check-prefix=LACKS
// LACKS: error: "dist_op.shard_tensor" dims_mappings names a dimension that the mesh lacks
// RUN: sed 's/dims_mappings:.0,-1./dims_mappings:[0,0]/g' %s > %t && not pir-opt %t --passes=partition -o %t.out 2>&1 | FileCheck %s --check-prefix=USED
// USED: error: "dist_op.shard_tensor" a mesh dimension is used twice
// RUN: sed 's/dims_mappings:.0,-1./&, partial(0,SUM)/g' %s > %t && not pir-opt %t --passes=partition -o %t.out 2>&1 | FileCheck %s --check-prefix=USED
// RUN: sed 's/dims_mappings:.0,-1./dims_mappings:[0]/g' %s > %t && not pir-opt %t --passes=partition -o %t.out 2>&1 | FileCheck %s --check-prefix=LENGTH
// LENGTH: error: "dist_op.shard_tensor" dims_mappings has another number of entries than the tensor has dimensions
// RUN: sed 's/4x6xf32/9223372036854775807x6xf32/g' %s > %t && not pir-opt %t --passes=mix2dist -o %t.out 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: "dist_op.shard_tensor" a dimension of 9223372036854775807 is too large for 2 processes
// RUN: sed '/reshard/s/operand(0):{[^}]*}/operand(0):{mesh_shape:[],process_ids:[],dims_mappings:[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}/' %t.dist > %t && not pir-opt %t --passes='reshard{rank=0}' -o %t.out 2>&1 | FileCheck %s --check-prefix=MESHLESS
// RUN: sed '/reshard/s/operand(0):{[^}]*}/operand(0):{mesh_shape:[],process_ids:[],dims_mappings:[], partial(40,SUM)}/' %t.dist > %t && not pir-opt %t --passes='reshard{rank=0}' -o %t.out 2>&1 | FileCheck %s --check-prefix=MESHLESS
// MESHLESS: error: "dist_op.reshard" a mesh has 1 to 16 dimensions

// Ops.
// RUN: sed 's/op_dist_attr:.*chunk_id:-1},output_name/output_name/' %t.dist > %t && not pir-opt %t --passes=partition -o %t.out 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: error: "builtin.shadow_output" reads distributed tensors, but has no op_dist_attr
// RUN: sed '/reshard/s/op_dist_attr:.*chunk_id:-1},//' %t.dist > %t && not pir-opt %t --passes='reshard{rank=0}' -o %t.out 2>&1 | FileCheck %s --check-prefix=SIDES
// SIDES: error: "dist_op.reshard" has no op_dist_attr of one operand and one result
// RUN: sed '/reshard/s/result(0):{[^}]*},chunk/chunk/' %t.dist > %t && not pir-opt %t --passes=partition -o %t.out 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: "dist_op.reshard" has 1 operands and 1 results, but op_dist_attr is of 1 and 0
// RUN: sed 's/"builtin.shadow_output" (%2) {.*/"builtin.shadow_output" (%3) {output_name:"out"} : (tensor<4x6xf32>) ->/;/^ .*reshard/a (%3) = "pd_op.relu" (%1) {} : (pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>) -> tensor<4x6xf32>' %s > %t && not pir-opt %t --passes=mix2dist,partition -o %t.out 2>&1 | FileCheck %s --check-prefix=GIVES
// GIVES: error: "pd_op.relu" reads distributed tensors, but gives one that is not
// RUN: not pir-opt %t.dist --passes=dist2dense -o %t.out 2>&1 | FileCheck %s --check-prefix=DENSE
// DENSE: error: "dist_op.reshard" cannot be part of a dense program
// RUN: sed 's/"pd_op.data" () {dtype:float32,name:"a",/"pd_op.full" () {dtype:float32,value:1,/' %s > %t && not pir-opt %t --passes=mix2dist -o %t.out 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error: "dist_op.shard_tensor" unsupported: the result of "pd_op.full" would have to be cut
// RUN: sed 's/^}$/() = "builtin.shadow_output" (%0) {output_name:"x"} : (tensor<4x6xf32>) ->\n}/' %s > %t && not pir-opt %t --passes=mix2dist -o %t.out 2>&1 | FileCheck %s --check-prefix=READ
// READ: error: "dist_op.shard_tensor" unsupported: the tensor is read by other ops as well
// RUN: sed 's/^ .*reshard.*/    (%1) = "dist_op.shard_tensor" (%0) {} : (pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>) -> pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1]>/' %t.dist > %t && not pir-opt %t --passes='dist{rank=0}' -o %t.out 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: "dist_op.shard_tensor" its tensor is distributed already, which dist_op.reshard changes

// A dimension that does not divide, in a type, in a reshard.
// RUN: sed 's/4x6xf32/5x6xf32/g;s/shape:.4,6./shape:[5,6]/' %s > %t && not pir-opt %t --passes='dist{rank=1,rings=%t.rings}' -o %t.out 2>&1 | FileCheck %s --check-prefix=UNEVEN
// UNEVEN: error: "dist_op.reshard" unsupported: a dimension of 5 split over 2 processes
// RUN: sed 's/4x6xf32/-1x6xf32/g;s/dims_mappings:.-1,-1./X/g;s/dims_mappings:.0,-1./dims_mappings:[-1,-1]/g;s/X/dims_mappings:[0,-1]/g' %s > %t && not pir-opt %t --passes='dist{rank=1,rings=%t.rings}' -o %t.out 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: "dist_op.reshard" unsupported: an unknown dimension is cut
// RUN: not test -e %t.out && not test -e %t.rings
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(undefined:0),shape:[4,6],stop_gradient:[true]} : () -> tensor<4x6xf32>
    (%1) = "dist_op.shard_tensor" (%0) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]},chunk_id:-1},persistable:[false],stop_gradient:[false]} : (tensor<4x6xf32>) -> pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>
    (%2) = "dist_op.reshard" (%1) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], placements:[]},chunk_id:-1},stop_gradient:[false]} : (pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>) -> pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], placements:[]>
    () = "builtin.shadow_output" (%2) {output_name:"out"} : (pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], placements:[]>) ->
}
