// A tensor that is not kept between runs, which an op writes in place as another distribution, is written back if an op behind reads it.
// RUN: pir-opt %s --passes='dist{rank=0,rings=%t.rings}' -o %t.0 && pir-opt %s --passes='dist{rank=1}' -o %t.1
// RUN: pir-run --ranks=2 %t.%r --rings=%t.rings --input=w=2xf32=-1 --pipeline=kernels --print | FileCheck %s --check-prefix=OUT
// OUT:      result: float32[4]
// OUT-NEXT: [0, 0, 0, 0]
// OUT-NEXT: memory: float32[2]
// OUT-NEXT: [0, 0]
//
// Nobody reads it.
// RUN: sed '/assign/d;/memory",/d;/"memory"/d' %s | pir-opt - --passes=mix2dist,partition | FileCheck %s --check-prefix=NOBODY
// NOBODY-NOT: assign_out_
//
// The result lies in another place than the tensor, so it cannot be written for both.
// RUN: sed 's/"pd_op.assign" (%0)/"pd_op.relu_" (%1)/;/op.relu_. (%1)/s/dims_mappings:.0./dims_mappings:[-1]/g;s/(%3) {output/(%0) {output/' %s > %t.again && not pir-opt %t.again --passes=mix2dist,partition 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: "pd_op.relu_" unsupported: operand 0 lies otherwise, and is overwritten again
{
    (%0) = "pd_op.data" () {dtype:float32,name:"w",persistable:[false],place:Place(undefined:0),shape:[4],stop_gradient:[true]} : () -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>
    (%1) = "pd_op.relu_" (%0) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]},chunk_id:-1}} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>
    (%3) = "pd_op.assign" (%0) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]},chunk_id:-1}} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>
    () = "builtin.shadow_output" (%1) {output_name:"result"} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>) ->
    () = "builtin.shadow_output" (%3) {output_name:"memory"} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0]>) ->
}
