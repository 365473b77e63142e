// The steps from a program with shard_tensor to the program of a rank, one after the other and as
// one pass. Rank 2 has no part in the second product.
// RUN: pir-opt %s --passes=mix2dist | FileCheck %s --check-prefix=DIST
// RUN: pir-opt %s --passes=mix2dist,partition | FileCheck %s --check-prefix=PART
// RUN: pir-opt %s --passes='mix2dist,partition,reshard{rank=1}' | FileCheck %s --check-prefix=MOVE
// RUN: pir-opt %s --passes='mix2dist,partition,reshard{rank=2},remove_other_rank{rank=2}' | FileCheck %s --check-prefix=GONE
// RUN: pir-opt %s --passes='mix2dist,partition,reshard{rank=1},remove_other_rank{rank=1},dist2dense' | FileCheck %s --check-prefix=DENSE
// RUN: pir-opt %s --passes='mix2dist,partition,reshard{rank=1},remove_other_rank{rank=1},dist2dense' -o %t.steps
// RUN: pir-opt %s --passes='dist{rank=1,rings=%t.rings}' --verify-each -o %t.dist
// RUN: diff %t.steps %t.dist
// RUN: FileCheck %s --check-prefix=RINGS --input-file=%t.rings
// RUN: pir-opt %s --passes='dist{rank=0}' 2>&1 >%t.dist0 | FileCheck %s --check-prefix=WARN
// WARN: warning: ring 12 has some of the ranks: a run needs the file that option rings writes
// RUN: pir-opt %s --passes='dist{rank=1}' 2>&1 >%t.dist1 | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: warning
// RUN: pir-opt %t.dist --passes=dist -o %t.again && diff %t.dist %t.again

// DIST:      "pd_op.data" () {{{.*}}name:"a",op_dist_attr:{{.*}}stop_gradient:[false]} : () -> pd_dist.tensor<4x8xf32, {{.*}}dims_mappings:[-1,0]
// DIST-NEXT: "pd_op.data" () {{{.*}}name:"b"{{.*}}dims_mappings:[0,-1]
// DIST-NEXT: "pd_op.matmul"
// DIST-NEXT: "pd_op.relu"
// DIST-NEXT: "builtin.shadow_output"
// DIST-NOT:  shard_tensor

// PART:      "pd_op.matmul"
// PART-NEXT: "dist_op.reshard" (%2) {op_dist_attr:{mesh:{shape:[3],process_ids:[0,1,2]},operand(0):{mesh_shape:[2],process_ids:[0,1],{{.*}}partial(0,SUM){{.*}}result(0):{mesh_shape:[2],process_ids:[1,2],dims_mappings:[0,-1]
// PART-NEXT: "pd_op.relu" (%3)

// Rank 1 receives in the first place and sends in the second one.
// MOVE:      "pd_op.recv_v2" () {{{.*}}out_shape:[4,6],peer:0,ring_id:12,
// MOVE-NEXT: "pd_op.send_v2" (%2) {dynamic_shape:false,{{.*}}peer:1,ring_id:13,stop_gradient:[],use_calc_stream:true}
// MOVE-NEXT: "pd_op.reduce_scatter" (%3) {execution_stream:"DefaultStream",nranks:2,{{.*}}ring_id:13,
// MOVE-NEXT: "pd_op.relu" (%4)

// GONE:      {
// GONE-NEXT: "pd_op.recv_v2" () {{{.*}}ring_id:13,
// GONE-NEXT: "pd_op.reduce_scatter" (%0)
// GONE-NEXT: "pd_op.relu" (%1)

// DENSE:      "pd_op.data" () {chunk_id:-1,{{.*}}name:"a",{{.*}}shape:[4,4],{{.*}} -> tensor<4x4xf32>
// DENSE-NEXT: "pd_op.data" () {{{.*}}shape:[4,6],{{.*}} -> tensor<4x6xf32>
// DENSE-NEXT: "pd_op.matmul" (%0, %1) {{{.*}} -> tensor<4x6xf32>
// DENSE:      "pd_op.reduce_scatter" {{.*}} -> tensor<2x6xf32>
// DENSE-NEXT: "pd_op.relu" {{.*}} -> tensor<2x6xf32>
// DENSE-NOT:  pd_dist
// DENSE-NOT:  op_dist_attr

// RINGS:      [ring_id -> ranks]
// RINGS-NEXT: 12,0,1
// RINGS-NEXT: 13,1,2
// RINGS-NOT:  14
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> tensor<4x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(undefined:0),shape:[8,6],stop_gradient:[true]} : () -> tensor<8x6xf32>
    (%2) = "dist_op.shard_tensor" (%0) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,0], placements:[Shard(dim=1)]},chunk_id:-1},persistable:[false],stop_gradient:[false]} : (tensor<4x8xf32>) -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,0], placements:[Shard(dim=1)]>
    (%3) = "dist_op.shard_tensor" (%1) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]},chunk_id:-1},persistable:[false],stop_gradient:[false]} : (tensor<8x6xf32>) -> pd_dist.tensor<8x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]>
    (%4) = "pd_op.matmul" (%2, %3) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,0], placements:[Shard(dim=1)]},operand(1):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], partial(0,SUM), placements:[Partial(reduce_type=SUM)]},chunk_id:-1},stop_gradient:[false],transpose_x:false,transpose_y:false} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,0], placements:[Shard(dim=1)]>, pd_dist.tensor<8x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]>) -> pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], partial(0,SUM), placements:[Partial(reduce_type=SUM)]>
    (%5) = "pd_op.relu" (%4) {op_dist_attr:{mesh:{shape:[2],process_ids:[1,2]},operand(0):{mesh_shape:[2],process_ids:[1,2],dims_mappings:[0,-1], placements:[Shard(dim=0)]},result(0):{mesh_shape:[2],process_ids:[1,2],dims_mappings:[0,-1], placements:[Shard(dim=0)]},chunk_id:-1},stop_gradient:[false]} : (pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], partial(0,SUM), placements:[Partial(reduce_type=SUM)]>) -> pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[1,2],dims_mappings:[0,-1], placements:[Shard(dim=0)]>
    () = "builtin.shadow_output" (%5) {output_name:"out"} : (pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[1,2],dims_mappings:[0,-1], placements:[Shard(dim=0)]>) ->
}
