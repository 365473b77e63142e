// A persistable tensor that an op writes in place, but as another distribution: the op gets it as it needs it, and it is
// written back. Another reader of the result reads it as before.
// RUN: pir-opt %s --passes=mix2dist,partition | FileCheck %s
// RUN: pir-opt %s --passes='dist{rank=0,rings=%t.rings}' --verify-each -o %t.0 && pir-opt %s --passes='dist{rank=1}' -o %t.1
// RUN: pir-run --ranks=2 %t.%r --rings=%t.rings --input=w=2xf32=%r --pipeline=kernels --print | FileCheck %s --check-prefix=OUT
// CHECK:      (%0) = "pd_op.data" ()
// CHECK-NEXT: (%1) = "dist_op.reshard" (%0) {{.*}}result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]
// CHECK-NEXT: (%2) = "pd_op.relu_" (%1) {{.*}} -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]
// CHECK-NEXT: (%3) = "dist_op.reshard" (%2) {{.*}}operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]{{.*}}result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]
// CHECK-NEXT: (%4) = "pd_op.assign_out_" (%3, %0) {op_dist_attr:{{.*}}chunk_id:3}
// CHECK-NEXT: "builtin.shadow_output" (%3)
// CHECK-NOT:  reshard
// RUN: sed '/shadow_output" (/d;s/persistable:.true.,stop_gradient:.true./persistable:[true],stop_gradient:[false]/' %s > %t.last && pir-opt %t.last --passes=mix2dist,partition | FileCheck %s --check-prefix=LAST
// LAST:      "pd_op.relu_"
// LAST-NEXT: "dist_op.reshard" (%2)
// LAST-NEXT: "pd_op.assign_out_" (%3, %0)
// LAST-NEXT: {{^}$}}
// OUT:      out: float32[2]
// OUT-NEXT: [0, 0]
// OUT-NEXT: out: float32[2]
// OUT-NEXT: [1, 1]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[4],stop_gradient:[true]} : () -> tensor<4xf32>
    (%1) = "dist_op.shard_tensor" (%0) {persistable:[true],stop_gradient:[true]} : (tensor<4xf32>) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>
    (%2) = "pd_op.relu_" (%1) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]},chunk_id:3}} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>
    () = "builtin.shadow_output" (%2) {output_name:"out"} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>) ->
}
