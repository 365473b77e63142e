// Arguments of blocks are parts before the ops that read them are: a collective op of one rank goes, in a loop too.
// RUN: pir-opt %s --passes='dist{rank=0}' --verify-each | FileCheck %s
// CHECK:      "pd_op.while"
// CHECK-NEXT: ^%arg_0
// CHECK-NEXT: (%[[END:[0-9]+]]) = "pd_op.full"
// CHECK-NEXT: "cf.yield" (%[[END]], %arg_0) {{.*}} : (tensor<1xb>, tensor<2x2xf32>)
// CHECK-NOT:  pd_dist
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,2],stop_gradient:[true]} : () -> pd_dist.tensor<2x2xf32, mesh_shape:[1],process_ids:[0],dims_mappings:[-1,-1]>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> pd_dist.tensor<1xb, mesh_shape:[1],process_ids:[0],dims_mappings:[-1]>
    (%2) = "pd_op.while" (cond=%1, inputs=%0) {
    ^%arg_0 {}
        (%3) = "pd_op.all_gather" (%arg_0) {nranks:1,ring_id:0,stop_gradient:[true],op_dist_attr:{mesh:{shape:[1],process_ids:[0]},operand(0):{mesh_shape:[1],process_ids:[0],dims_mappings:[-1,-1]},result(0):{mesh_shape:[1],process_ids:[0],dims_mappings:[-1,-1]},chunk_id:-1}} : (pd_dist.tensor<2x2xf32, mesh_shape:[1],process_ids:[0],dims_mappings:[-1,-1]>) -> pd_dist.tensor<2x2xf32, mesh_shape:[1],process_ids:[0],dims_mappings:[-1,-1]>
        (%5) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:0} : () -> pd_dist.tensor<1xb, mesh_shape:[1],process_ids:[0],dims_mappings:[-1]>
        () = "cf.yield" (%5, %3) {} : (pd_dist.tensor<1xb, mesh_shape:[1],process_ids:[0],dims_mappings:[-1]>, pd_dist.tensor<2x2xf32, mesh_shape:[1],process_ids:[0],dims_mappings:[-1,-1]>) ->
    }
    () = "builtin.shadow_output" (%2) {output_name:"out"} : (pd_dist.tensor<2x2xf32, mesh_shape:[1],process_ids:[0],dims_mappings:[-1,-1]>) ->
}
