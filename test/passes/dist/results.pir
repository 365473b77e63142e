// Equal reshards stay two where one of the results is overwritten while the other one is read.
// RUN: pir-opt %s --passes='dist{rank=0,rings=%t.rings}' -o %t.0 && pir-opt %s --passes='dist{rank=1}' -o %t.1
// RUN: pir-run --ranks=2 %t.%r --rings=%t.rings --input=w=2xf32=-1 --pipeline=kernels --print | FileCheck %s
// CHECK:      written: float32[4]
// CHECK-NEXT: [0, 0, 0, 0]
// CHECK-NEXT: read: float32[4]
// CHECK-NEXT: [1, 1, 1, 1]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[4],stop_gradient:[true]} : () -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>
    (%1) = "dist_op.reshard" (%0) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]},chunk_id:-1}} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>
    (%2) = "pd_op.relu_" (%1) {} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>
    (%3) = "dist_op.reshard" (%0) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]},chunk_id:-1}} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>
    (%4) = "pd_op.abs" (%3) {} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>
    () = "builtin.shadow_output" (%2) {output_name:"written"} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>) ->
    () = "builtin.shadow_output" (%4) {output_name:"read"} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>) ->
}
