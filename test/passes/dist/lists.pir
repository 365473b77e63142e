// The members of a list that an op writes in place are not written back where they would have to be: that is refused.
// RUN: not pir-opt %s --passes=mix2dist,partition 2>&1 | FileCheck %s --check-prefix=READ
// READ: error: "pd_op.check_finite_and_unscale_" unsupported: tensor 0 of a list that is overwritten lies otherwise
// RUN: sed '/builtin.shadow_output/d' %s | pir-opt - --passes=mix2dist,partition | FileCheck %s --check-prefix=UNREAD
// UNREAD: "dist_op.reshard" (%0)
// UNREAD: check_finite_and_unscale_
{
    (%0) = "pd_op.data" () {dtype:float32,name:"g",place:Place(undefined:0),shape:[4],stop_gradient:[true]} : () -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>
    (%1) = "pd_op.data" () {dtype:float32,name:"s",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> pd_dist.tensor<1xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>
    (%2) = "builtin.combine" (%0) {} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>) -> vec[pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>]
    (%3, %4) = "pd_op.check_finite_and_unscale_" (%2, %1) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},operand(0):{[mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]]},operand(1):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]},result(0):{[mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]]},result(1):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]},chunk_id:-1}} : (vec[pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>], pd_dist.tensor<1xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>) -> vec[pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>], pd_dist.tensor<1xb, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>
    () = "builtin.shadow_output" (%0) {output_name:"g"} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>) ->
}
