// Branches are partitioned as the block around them: a tensor from outside is gathered in the branch that wants the whole.
// RUN: pir-opt %s --passes=mix2dist,partition | FileCheck %s
// CHECK:      "pd_op.if" (%1)
// CHECK-NEXT:   "pd_op.full"
// CHECK-NEXT:   "dist_op.reshard" (%0) {{.*}}result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1]
// CHECK-NEXT:   "pd_op.cumsum"
// CHECK-NEXT:   "dist_op.reshard" {{.*}}result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]
// CHECK-NEXT:   "cf.yield"
// CHECK-NEXT: } else {
// CHECK-NEXT:   "pd_op.relu" (%0)
// CHECK-NEXT:   "cf.yield"
// RUN: pir-opt %s --passes='dist{rank=1,rings=%t.rings}' --verify-each | FileCheck %s --check-prefix=DENSE
// DENSE:      "pd_op.if" (%1) {{.*}} -> tensor<1x2xf32> {
// DENSE-NEXT:   "pd_op.full"
// DENSE-NEXT:   "pd_op.all_gather" (%0) {{.*}} -> tensor<2x2xf32>
// DENSE-NOT:  pd_dist
// RUN: pir-run --ranks=2 %s --pipeline='dist{rank=%r},compile' --input=x=1x2xf32=%r --input=c=b=1 --print | FileCheck %s --check-prefix=THEN
// THEN:      {{\[\[1, 1\]\]}}
// THEN:      {{\[\[1, 1\]\]}}
// ELSE:      {{\[\[0, 0\]\]}}
// ELSE:      {{\[\[1, 1\]\]}}
// RUN: pir-run --ranks=2 %s --pipeline='dist{rank=%r},kernels' --input=x=1x2xf32=%r --input=c=b=1 --print | FileCheck %s --check-prefix=THEN
// RUN: pir-run --ranks=2 %s --pipeline='dist{rank=%r},compile' --input=x=1x2xf32=%r --input=c=b=0 --print | FileCheck %s --check-prefix=ELSE
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,2],stop_gradient:[true]} : () -> tensor<2x2xf32>
    (%1) = "dist_op.shard_tensor" (%0) {stop_gradient:[true]} : (tensor<2x2xf32>) -> pd_dist.tensor<2x2xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>
    (%2) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[],stop_gradient:[true]} : () -> tensor<b>
    (%3) = "dist_op.shard_tensor" (%2) {stop_gradient:[true]} : (tensor<b>) -> pd_dist.tensor<b, mesh_shape:[2],process_ids:[0,1],dims_mappings:[]>
    (%4) = "pd_op.if" (%3) {stop_gradient:[true]} -> pd_dist.tensor<2x2xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]> {
        (%5) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> pd_dist.tensor<1xi32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>
        (%6) = "pd_op.cumsum" (%1, %5) {exclusive:false,flatten:false,op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1]},operand(1):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1]},chunk_id:-1},reverse:true} : (pd_dist.tensor<2x2xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>, pd_dist.tensor<1xi32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]>) -> pd_dist.tensor<2x2xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>
        () = "cf.yield" (%6) {} : (pd_dist.tensor<2x2xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>) ->
    } else {
        (%7) = "pd_op.relu" (%1) {} : (pd_dist.tensor<2x2xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>) -> pd_dist.tensor<2x2xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>
        () = "cf.yield" (%7) {} : (pd_dist.tensor<2x2xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>) ->
    }
    () = "builtin.shadow_output" (%4) {output_name:"out"} : (pd_dist.tensor<2x2xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>) ->
}
