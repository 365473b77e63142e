// Programs over meshes of processes come back byte for byte, through the typed form and through JSON: lists of distributions, an operand that
// is absent, every way of combining partial tensors, the gradient's distribution in front of other attributes. JSON states the ways by number.
// RUN: grep -v '^//' %s > %t.in
// RUN: pir-translate --unverified %t.in --to=text > %t.out && diff %t.in %t.out
// RUN: pir-translate --unverified %t.in --to=typed > %t.typed && pir-translate --unverified %t.typed --to=text | diff %t.in -
// RUN: pir-translate --unverified %t.in --to=json > %t.json && pir-translate --unverified %t.json --to=text | diff %t.in -
// RUN: FileCheck %s < %t.json
// CHECK: "0.a_array","D":[{"#":"4.a_tensor_dist","D":[{"#":"4.a_process_mesh","D":{{\[\[}}2],[0,1],[]]},[0,-1],[]]},{"#":"4.a_tensor_dist"
// CHECK: "4.a_process_mesh","D":{{\[\[}}],[],[]]},[],[]]}
// CHECK: [-1],{{\[\[}}0,1],[1,2]]]
// CHECK: [-1],{{\[\[}}0,3],[1,4]]]
// CHECK: [-1],{{\[\[}}0,5],[1,6]]]
// CHECK: "#":"dist_op.dtensor_to_local","A":[{"AT":{"#":"4.a_tensor_dist"
// CHECK: "#":"0.shadow_output","A":[{"AT":{"#":"0.a_i32","D":-1},"N":"chunk_id"},{"AT":{"#":"0.a_str","D":"out"},"N":"output_name"}]
{
    (%0) = "test.made" () {} : () -> pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]>
    (%1) = "test.joined" (%0, %0, <<NULL VALUE>>) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},operand(0):{[mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)],mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]]},operand(1):{mesh_shape:[],process_ids:[],dims_mappings:[]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]},chunk_id:-1}} : (pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]>, pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]>, <<NULL TYPE>>) -> tensor<i64>
    (%2) = "test.partial" () {} : () -> pd_dist.tensor<8xbf16, mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[-1], partial(0,MAX),partial(1,MIN), placements:[Partial(reduce_type=MAX), Partial(reduce_type=MIN)]>
    (%3) = "test.partial" () {} : () -> pd_dist.tensor<8xi64, mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[-1], partial(0,PRODUCT),partial(1,AVG), placements:[Partial(reduce_type=PRODUCT), Partial(reduce_type=AVG)]>
    (%4) = "test.partial" () {} : () -> pd_dist.tensor<8xb, mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[-1], partial(0,ANY),partial(1,ALL), placements:[Partial(reduce_type=ANY), Partial(reduce_type=ALL)]>
    (%5) = "test.partial" () {} : () -> pd_dist.tensor<-1x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], partial(0,SUM), placements:[Partial(reduce_type=SUM)]>
    (%6) = "dist_op.dtensor_to_local" (%0) {grad_dist_attr:mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)],stop_gradient:[false]} : (pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]>) -> tensor<2x6xf32>
    () = "builtin.shadow_output" (%6) {chunk_id:-1,output_name:"out"} : (tensor<2x6xf32>) -> 
}
