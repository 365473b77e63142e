// Equal reshards of one tensor are one, but not if the tensor is overwritten in between.
// RUN: pir-opt %s --passes='dist{rank=0,rings=%t.rings}' -o %t.0 && pir-opt %s --passes='dist{rank=1}' -o %t.1
// RUN: pir-run --ranks=2 %t.%r --rings=%t.rings --input=w=2xf32=1 --input=v=2xf32=2 --pipeline=kernels --print | FileCheck %s --check-prefix=OUT
// OUT:      before: float32[4]
// OUT-NEXT: [1, 1, 1, 1]
// OUT-NEXT: after: float32[4]
// OUT-NEXT: [2, 2, 2, 2]
//
// RUN: sed '/assign_out_/d' %s | pir-opt - --passes='dist{rank=0}' | FileCheck %s --check-prefix=ONE
// ONE:     all_gather
// ONE-NOT: all_gather
//
// The first op writes over the tensor, laid out otherwise, and the second one reads that.
// RUN: sed '/assign_out_/d;/(%1) = /s/relu"/relu_"/' %s | pir-opt - --passes='mix2dist,partition,reshard{rank=0}' | FileCheck %s --check-prefix=TWO
// TWO: all_gather
// TWO: all_gather
{
    (%0) = "pd_op.data" () {dtype:float32,name:"w",persistable:[true],place:Place(undefined:0),shape:[4],stop_gradient:[true]} : () -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>
    (%5) = "pd_op.data" () {dtype:float32,name:"v",place:Place(undefined:0),shape:[4],stop_gradient:[true]} : () -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>
    (%1) = "pd_op.relu" (%0) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]},chunk_id:-1}} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>
    (%2) = "pd_op.assign_out_" (%5, %0) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]},operand(1):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]},chunk_id:-1}} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>, pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>
    (%3) = "pd_op.relu" (%0) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]},chunk_id:-1}} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>
    () = "builtin.shadow_output" (%1) {output_name:"before"} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>) ->
    () = "builtin.shadow_output" (%3) {output_name:"after"} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>) ->
}
