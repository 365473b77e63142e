// A reshard that the program has stays, if the tensor is overwritten behind it: the reader reads what was there before.
// RUN: pir-opt %s --passes='dist{rank=0,rings=%t.rings}' -o %t.0 && pir-opt %s --passes='dist{rank=1}' -o %t.1
// RUN: pir-run --ranks=2 %t.%r --rings=%t.rings --input=w=2xf32=1 --input=v=2xf32=2 --pipeline=kernels --print | FileCheck %s --check-prefix=KEPT
// KEPT:      before: float32[2]
// KEPT-NEXT: [1, 1]
// KEPT-NEXT: after: float32[2]
// KEPT-NEXT: [2, 2]
//
// On one process no data moves, but it is another tensor all the same.
// RUN: sed 's/shape:.2.,process_ids:.0,1./shape:[1],process_ids:[0]/g' %s | pir-opt - --passes='dist{rank=0}' -o %t.one && pir-run %t.one --input=w=4xf32=1 --input=v=4xf32=2 --pipeline=kernels --print | FileCheck %s --check-prefix=ONE
// ONE:      before: float32[4]
// ONE-NEXT: [1, 1, 1, 1]
// ONE-NEXT: after: float32[4]
// ONE-NEXT: [2, 2, 2, 2]
//
// Without a write it is skipped.
// RUN: sed '/assign_out_/d' %s | pir-opt - --passes=mix2dist,partition | FileCheck %s --check-prefix=SKIPPED
// SKIPPED-NOT: reshard
{
    (%0) = "pd_op.data" () {dtype:float32,name:"w",persistable:[true],place:Place(undefined:0),shape:[4],stop_gradient:[true]} : () -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>
    (%1) = "pd_op.data" () {dtype:float32,name:"v",place:Place(undefined:0),shape:[4],stop_gradient:[true]} : () -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>
    (%2) = "dist_op.reshard" (%0) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]},chunk_id:-1}} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>
    (%3) = "pd_op.assign_out_" (%1, %0) {} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>, pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>
    (%4) = "pd_op.relu" (%2) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]},chunk_id:-1}} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>
    () = "builtin.shadow_output" (%4) {output_name:"before"} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>) ->
    (%5) = "pd_op.relu" (%0) {} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>
    () = "builtin.shadow_output" (%5) {output_name:"after"} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>) ->
}
