// An op that checks the gradients of all ranks keeps the rank's own, and so do the ops behind it: the members of a list that others read keep their places among those that are left.
// RUN: pir-opt %s --passes='dist{rank=0}' --verify-each | FileCheck %s --check-prefixes=CHECK,LOW
// RUN: pir-opt %s --passes='dist{rank=2}' --verify-each | FileCheck %s --check-prefixes=CHECK,HIGH
// CHECK:      (%[[A:[0-9]+]]) = "pd_op.data" () {{.*}}name:"[[NAME:[ab]]]"
// CHECK:      (%[[LIST:[0-9]+]]) = "builtin.combine" (%[[A]])
// CHECK-NEXT: (%[[CHECKED:[0-9]+]], %{{[0-9]+}}) = "pd_op.check_finite_and_unscale_" (%[[LIST]], {{.*}} -> vec[tensor<4xf32>], tensor<1xb>
// LOW-NEXT:   (%[[PART:[0-9]+]]) = "builtin.slice" (%[[CHECKED]]) {{.*}}index:0
// CHECK-NEXT: (%[[OWN:[0-9]+]]) = "builtin.split" (%[[CHECKED]])
// HIGH-NEXT:  (%[[PART:[0-9]+]]) = "builtin.slice" (%[[CHECKED]]) {{.*}}index:0
// CHECK:      (%[[SCALED:[0-9]+]], {{.*}}) = "pd_op.update_loss_scaling_" (%[[CHECKED]], {{.*}} -> vec[tensor<4xf32>],
// CHECK-NEXT: (%[[LAST:[0-9]+]]) = "builtin.split" (%[[SCALED]])
// LOW-NEXT:   "builtin.shadow_output" (%[[PART]]) {{.*}}"first"
// LOW-NEXT:   "builtin.shadow_output" (%[[OWN]]) {{.*}}"low"
// HIGH-NEXT:  "builtin.shadow_output" (%[[OWN]]) {{.*}}"high"
// HIGH-NEXT:  "builtin.shadow_output" (%[[PART]]) {{.*}}"second"
// CHECK-NEXT: "builtin.shadow_output" (%[[LAST]])
// CHECK-NOT:  shadow_output

// A list alone, whose end is met after it is gone.
// RUN: sed '/builtin.s/d;/update_loss/d' %s > %t && pir-opt %t --passes='remove_other_rank{rank=2}' | FileCheck %s --check-prefix=ALONE
// ALONE: "builtin.combine" (%0) {{.*}} -> vec[pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],{{[^<]*$}}
// Another op that reads the whole list, and a member that a rank reads though it lacks it.
// RUN: sed 's/(%14, %15) = "builtin.split" (%9) {} : (\(vec.*]\)) -> .*/() = "builtin.shadow_output" (%9) {output_name:"x"} : (\1) ->/;/(%1[45]) {/d' %s > %t && not pir-opt %t --passes='dist{rank=0}' 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: "builtin.shadow_output" unsupported: reads a list of which rank 0 has some tensors
// RUN: sed '/"builtin.shadow_output" (%8)/s/{output/{op_dist_attr:{mesh:{shape:[4],process_ids:[0,1,2,3]},operand(0):{mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]},chunk_id:-1},output/' %s > %t && not pir-opt %t --passes='dist{rank=0}' 2>&1 | FileCheck %s --check-prefix=LACKS
// LACKS: error: "pd_op.data" rank 0 is not in its mesh, but reads its result
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(undefined:0),shape:[4],stop_gradient:[true]} : () -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(undefined:0),shape:[4],stop_gradient:[true]} : () -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]>
    (%2) = "pd_op.data" () {dtype:float32,name:"s",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> pd_dist.tensor<1xf32, mesh_shape:[4],process_ids:[0,1,2,3],dims_mappings:[-1]>
    (%3) = "builtin.combine" (%0, %1) {} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>, pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]>) -> vec[pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>,pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]>]
    (%4, %5) = "pd_op.check_finite_and_unscale_" (%3, %2) {} : (vec[pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>,pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]>], pd_dist.tensor<1xf32, mesh_shape:[4],process_ids:[0,1,2,3],dims_mappings:[-1]>) -> vec[pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>,pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]>], pd_dist.tensor<1xb, mesh_shape:[4],process_ids:[0,1,2,3],dims_mappings:[-1]>
    (%6) = "builtin.slice" (%4) {index:0} : (vec[pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>,pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]>]) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>
    (%7, %8) = "builtin.split" (%4) {} : (vec[pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>,pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]>]) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>, pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]>
    (%16) = "builtin.slice" (%4) {index:1} : (vec[pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>,pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]>]) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]>
    (%20) = "pd_op.data" () {dtype:int32,name:"g",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> pd_dist.tensor<1xi32, mesh_shape:[4],process_ids:[0,1,2,3],dims_mappings:[-1]>
    (%21) = "pd_op.data" () {dtype:int32,name:"n",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> pd_dist.tensor<1xi32, mesh_shape:[4],process_ids:[0,1,2,3],dims_mappings:[-1]>
    (%22) = "pd_op.data" () {dtype:bool,name:"t",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> pd_dist.tensor<1xb, mesh_shape:[4],process_ids:[0,1,2,3],dims_mappings:[-1]>
    (%9, %11, %12, %13) = "pd_op.update_loss_scaling_" (%4, %5, %2, %20, %21, %22) {decr_every_n_nan_or_inf:2,decr_ratio:0.5,incr_every_n_steps:2,incr_ratio:2} : (vec[pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>,pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]>], pd_dist.tensor<1xb, mesh_shape:[4],process_ids:[0,1,2,3],dims_mappings:[-1]>, pd_dist.tensor<1xf32, mesh_shape:[4],process_ids:[0,1,2,3],dims_mappings:[-1]>, pd_dist.tensor<1xi32, mesh_shape:[4],process_ids:[0,1,2,3],dims_mappings:[-1]>, pd_dist.tensor<1xi32, mesh_shape:[4],process_ids:[0,1,2,3],dims_mappings:[-1]>, pd_dist.tensor<1xb, mesh_shape:[4],process_ids:[0,1,2,3],dims_mappings:[-1]>) -> vec[pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>,pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]>], pd_dist.tensor<1xf32, mesh_shape:[4],process_ids:[0,1,2,3],dims_mappings:[-1]>, pd_dist.tensor<1xi32, mesh_shape:[4],process_ids:[0,1,2,3],dims_mappings:[-1]>, pd_dist.tensor<1xi32, mesh_shape:[4],process_ids:[0,1,2,3],dims_mappings:[-1]>
    (%14, %15) = "builtin.split" (%9) {} : (vec[pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>,pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]>]) -> pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>, pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]>
    () = "builtin.shadow_output" (%6) {output_name:"first"} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>) ->
    () = "builtin.shadow_output" (%7) {output_name:"low"} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>) ->
    () = "builtin.shadow_output" (%8) {output_name:"high"} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]>) ->
    () = "builtin.shadow_output" (%16) {output_name:"second"} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]>) ->
    () = "builtin.shadow_output" (%14) {output_name:"one"} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>) ->
    () = "builtin.shadow_output" (%15) {output_name:"two"} : (pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[-1]>) ->
}
