// The operands of an op are asked to lie as its rule needs, and its results lie accordingly; reshard and shard_tensor say so themselves.
// RUN: pir-opt %s --split-input-file --passes=spmd 2> %t.err | FileCheck %s

// Rows of x split over the mesh and columns of y: the larger dim of the result stays split. A product over a split dim is partial, and
// relu asks for the whole sum.
// CHECK:      (%0) = "pd_op.data"
// CHECK-NOT:  op_dist_attr
// CHECK-SAME: shape:[4,8]
// CHECK:      "pd_op.matmul" (%0, %1) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},
// CHECK-SAME: operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], placements:[Replicate()]},
// CHECK-SAME: operand(1):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,0], placements:[Shard(dim=1)]},
// CHECK-SAME: result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,0], placements:[Shard(dim=1)]},chunk_id:-1},
// CHECK-SAME: -> pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,0], placements:[Shard(dim=1)]>
// CHECK:      "pd_op.matmul" (%0, %0)
// CHECK-SAME: operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]}
// CHECK-SAME: operand(1):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]}
// CHECK-SAME: result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], partial(0,SUM), placements:[Partial(reduce_type=SUM)]}
// CHECK:      "pd_op.relu"
// CHECK-SAME: operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], placements:[Replicate()]}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[8,6],stop_gradient:[true]} : () -> pd_dist.tensor<8x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,0], placements:[Shard(dim=1)]>
    (%2) = "pd_op.matmul" (%0, %1) {stop_gradient:[true],transpose_x:false,transpose_y:false} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]>, pd_dist.tensor<8x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,0], placements:[Shard(dim=1)]>) -> tensor<4x6xf32>
    (%3) = "pd_op.matmul" (%0, %0) {stop_gradient:[true],transpose_x:true,transpose_y:false} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]>, pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]>) -> tensor<8x8xf32>
    (%4) = "pd_op.relu" (%3) {stop_gradient:[true]} : (tensor<8x8xf32>) -> tensor<8x8xf32>
}
// -----
// Lists, absent operands, an operand that lies on no mesh, and outputs.
// CHECK:      (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1]} : () -> pd_dist.tensor<1xi64,
// CHECK:      "pd_op.concat"
// CHECK-SAME: operand(0):{[mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[0,-1], placements:[Shard(dim=0), Replicate()],mesh_shape:
// CHECK-SAME: result(0):{mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[0,-1], placements:[Shard(dim=0), Replicate()]}
// CHECK:      "pd_op.layer_norm"
// CHECK-SAME: operand(1):{mesh_shape:[],process_ids:[],dims_mappings:[]},operand(2):{mesh_shape:[],process_ids:[],dims_mappings:[]}
// CHECK-SAME: result(1):{mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[0], placements:[Shard(dim=0), Replicate()]}
// CHECK:      "builtin.shadow_output"
// CHECK-SAME: operand(0):{mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[0,-1], placements:[Shard(dim=0), Replicate()]},chunk_id:-1}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,6],stop_gradient:[true]} : () -> pd_dist.tensor<4x6xf32, mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[0,1], placements:[Shard(dim=0), Shard(dim=1)]>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1]} : () -> tensor<1xi64>
    (%2) = "builtin.combine" (%0, %0) {stop_gradient:[true]} : (pd_dist.tensor<4x6xf32, mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[0,1], placements:[Shard(dim=0), Shard(dim=1)]>, pd_dist.tensor<4x6xf32, mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[0,1], placements:[Shard(dim=0), Shard(dim=1)]>) -> vec[tensor<4x6xf32>,tensor<4x6xf32>]
    (%3) = "pd_op.concat" (%2, %1) {stop_gradient:[true]} : (vec[tensor<4x6xf32>,tensor<4x6xf32>], tensor<1xi64>) -> tensor<4x12xf32>
    (%4, %5, %6) = "pd_op.layer_norm" (%3, <<NULL VALUE>>, <<NULL VALUE>>) {begin_norm_axis:1,epsilon:1e-05,stop_gradient:[true,true,true]} : (tensor<4x12xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<4x12xf32>, tensor<4xf32>, tensor<4xf32>
    () = "builtin.shadow_output" (%4) {output_name:"y"} : (tensor<4x12xf32>) ->
}
// -----
// Both mesh dims could split the dim that the product adds over. Types state one, so the other is dropped, and with it its sum.
// CHECK:      "pd_op.matmul"
// CHECK-SAME: operand(0):{mesh_shape:[2,3],process_ids:[0,1,2,3,4,5],dims_mappings:[-1,1], placements:[Replicate(), Shard(dim=1)]}
// CHECK-SAME: operand(1):{mesh_shape:[2,3],process_ids:[0,1,2,3,4,5],dims_mappings:[1,-1], placements:[Replicate(), Shard(dim=0)]}
// CHECK-SAME: result(0):{mesh_shape:[2,3],process_ids:[0,1,2,3,4,5],dims_mappings:[-1,-1], partial(1,SUM), placements:[Replicate(), Partial(reduce_type=SUM)]}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[12,12],stop_gradient:[true]} : () -> pd_dist.tensor<12x12xf32, mesh_shape:[2,3],process_ids:[0,1,2,3,4,5],dims_mappings:[-1,1], placements:[]>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[12,12],stop_gradient:[true]} : () -> pd_dist.tensor<12x12xf32, mesh_shape:[2,3],process_ids:[0,1,2,3,4,5],dims_mappings:[0,-1], placements:[]>
    (%2) = "pd_op.matmul" (%0, %1) {stop_gradient:[true],transpose_x:false,transpose_y:false} : (pd_dist.tensor<12x12xf32, mesh_shape:[2,3],process_ids:[0,1,2,3,4,5],dims_mappings:[-1,1], placements:[]>, pd_dist.tensor<12x12xf32, mesh_shape:[2,3],process_ids:[0,1,2,3,4,5],dims_mappings:[0,-1], placements:[]>) -> tensor<12x12xf32>
}
// -----
// wide=true keeps the split of a vocabulary; backward, a result says how operands should lie.
// RUN: pir-opt %s --split-input-file --passes=spmd{wide=true} 2> %t.err | FileCheck --check-prefix=WIDE %s
// CHECK:      "pd_op.embedding"
// CHECK-SAME: operand(1):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], placements:[Replicate()]}
// WIDE:       "pd_op.embedding"
// WIDE-SAME:  operand(1):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]}
// WIDE-SAME:  result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], partial(0,SUM), placements:[Partial(reduce_type=SUM)]}
{
    (%0) = "pd_op.data" () {dtype:int64,name:"i",place:Place(undefined:0),shape:[4],stop_gradient:[true]} : () -> pd_dist.tensor<4xi64, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1], placements:[]>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[8,6],stop_gradient:[true]} : () -> pd_dist.tensor<8x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>
    (%2) = "pd_op.embedding" (%0, %1) {padding_idx:-1,sparse:false,stop_gradient:[true]} : (pd_dist.tensor<4xi64, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1], placements:[]>, pd_dist.tensor<8x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>) -> tensor<4x6xf32>
}
// -----
// RUN: pir-opt %s --split-input-file --passes=spmd{backward=true} 2> %t.err | FileCheck --check-prefix=BACK %s
// BACK:       name:"last"
// BACK-NEXT:  "pd_op.transpose" (%0) {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,0], placements:[Shard(dim=1)]}
// BACK-SAME:  -> pd_dist.tensor<6x4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"last",place:Place(undefined:0),shape:[4,6],stop_gradient:[true]} : () -> tensor<4x6xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[1,0],stop_gradient:[true]} : (tensor<4x6xf32>) -> pd_dist.tensor<6x4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>
}
// -----
// A dim that the mesh does not divide counts as whole, but for wide=true.
// CHECK: "pd_op.tanh" {{.*}}operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1], placements:[Replicate()]}
// WIDE:  "pd_op.tanh" {{.*}}operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0], placements:[Shard(dim=0)]}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[5],stop_gradient:[true]} : () -> pd_dist.tensor<5xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0], placements:[]>
    (%1) = "pd_op.tanh" (%0) {stop_gradient:[true]} : (pd_dist.tensor<5xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0], placements:[]>) -> tensor<5xf32>
}
// -----
// A dim that would be split unevenly in another tensor is whole in all of them. Convolutions: rows of the picture are whole; with groups all
// channels are; channels may lie last.
// CHECK: "pd_op.take_along_axis" {{.*}}operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1],
// CHECK: "pd_op.conv2d" {{.*}}operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,-1,0], placements:[Shard(dim=3)]},operand(1):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,0,-1,-1], placements:[Shard(dim=1)]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,-1,-1], partial(0,SUM)
// CHECK: "pd_op.conv2d" {{.*}}operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,-1,-1], placements:[Replicate()]},operand(1):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,-1,-1], placements:[Replicate()]}
// CHECK: "pd_op.conv2d" {{.*}}operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,-1,-1], placements:[Replicate()]},operand(1):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,-1,-1], placements:[Replicate()]}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(undefined:0),shape:[4,6],stop_gradient:[true]} : () -> pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>
    (%1) = "pd_op.data" () {dtype:int64,name:"i",place:Place(undefined:0),shape:[3,2],stop_gradient:[true]} : () -> tensor<3x2xi64>
    (%2) = "pd_op.take_along_axis" (%0, %1) {axis:1,stop_gradient:[true]} : (pd_dist.tensor<4x6xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>, tensor<3x2xi64>) -> tensor<3x2xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"last",place:Place(undefined:0),shape:[2,8,8,4],stop_gradient:[true]} : () -> pd_dist.tensor<2x8x8x4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,-1,0], placements:[]>
    (%4) = "pd_op.data" () {dtype:float32,name:"f",place:Place(undefined:0),shape:[4,4,3,3],stop_gradient:[true]} : () -> pd_dist.tensor<4x4x3x3xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,-1,-1], placements:[]>
    (%5) = "pd_op.conv2d" (%3, %4) {data_format:"NHWC",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],stop_gradient:[true],strides:[1,1]} : (pd_dist.tensor<2x8x8x4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,-1,0], placements:[]>, pd_dist.tensor<4x4x3x3xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,-1,-1], placements:[]>) -> tensor<2x8x8x4xf32>
    (%6) = "pd_op.data" () {dtype:float32,name:"rows",place:Place(undefined:0),shape:[2,4,8,8],stop_gradient:[true]} : () -> pd_dist.tensor<2x4x8x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,0,-1], placements:[]>
    (%7) = "pd_op.conv2d" (%6, %4) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],stop_gradient:[true],strides:[1,1]} : (pd_dist.tensor<2x4x8x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,0,-1], placements:[]>, pd_dist.tensor<4x4x3x3xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,-1,-1], placements:[]>) -> tensor<2x4x8x8xf32>
    (%8) = "pd_op.data" () {dtype:float32,name:"g",place:Place(undefined:0),shape:[4,2,3,3],stop_gradient:[true]} : () -> pd_dist.tensor<4x2x3x3xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1,-1,-1], placements:[]>
    (%9) = "pd_op.conv2d" (%6, %8) {data_format:"NCHW",dilations:[1,1],groups:2,padding_algorithm:"EXPLICIT",paddings:[1,1],stop_gradient:[true],strides:[1,1]} : (pd_dist.tensor<2x4x8x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1,0,-1], placements:[]>, pd_dist.tensor<4x2x3x3xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1,-1,-1], placements:[]>) -> tensor<2x4x8x8xf32>
}
// -----
// Nothing of a flat tensor is split: of one that is rolled without axes, of a running sum of all elements. The largest of whole numbers may be taken
// by parts, their sum may not: 0.5 and 0.5 would be 0.
// CHECK: "pd_op.roll" {{.*}}operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], placements:[Replicate()]}
// CHECK: "pd_op.roll" {{.*}}operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[Shard(dim=0)]}
// CHECK: "pd_op.cumsum" {{.*}}operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], placements:[Replicate()]}{{.*}} -> pd_dist.tensor<32xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1]
// CHECK: "pd_op.cast" {{.*}}operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], placements:[Replicate()]}
// CHECK: "pd_op.cast" {{.*}}operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], partial(0,SUM), placements:[Partial(reduce_type=SUM)]}
// CHECK: "pd_op.cast" {{.*}}operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], partial(0,MAX), placements:[Partial(reduce_type=MAX)]}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1]} : () -> tensor<1xi64>
    (%2) = "pd_op.roll" (%0, %1) {axis:[],stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>, tensor<1xi64>) -> tensor<4x8xf32>
    (%3) = "pd_op.roll" (%0, %1) {axis:[1],stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>, tensor<1xi64>) -> tensor<4x8xf32>
    (%4) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],stop_gradient:[true],value:-1} : () -> tensor<1xi32>
    (%5) = "pd_op.cumsum" (%0, %4) {exclusive:false,flatten:true,reverse:false,stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>, tensor<1xi32>) -> tensor<32xf32>
    (%6) = "pd_op.data" () {dtype:float32,name:"p",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], partial(0,SUM), placements:[]>
    (%7) = "pd_op.cast" (%6) {dtype:int32,stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], partial(0,SUM), placements:[]>) -> tensor<4x8xi32>
    (%8) = "pd_op.cast" (%6) {dtype:float64,stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], partial(0,SUM), placements:[]>) -> tensor<4x8xf64>
    (%9) = "pd_op.data" () {dtype:float32,name:"m",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], partial(0,MAX), placements:[]>
    (%10) = "pd_op.cast" (%9) {dtype:int32,stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], partial(0,MAX), placements:[]>) -> tensor<4x8xi32>
}
