// Placements that contradict themselves, each other or the op are located errors, each in a program of its own.
// RUN: pir-opt %s --split-input-file --passes=spmd --verify-diagnostics -o /dev/null

{
    (%0) = "pd_op.data" () {dtype:float32,name:"x0",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,0], placements:[]>
    // expected-error@+1 {{"pd_op.relu": placement: mesh dim 0 splits one tensor twice}}
    (%1) = "pd_op.relu" (%0) {stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,0], placements:[]>) -> tensor<4x8xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x0",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[1,-1], placements:[]>
    // expected-error@+1 {{"pd_op.relu" dim 0 is split over mesh dim 1 of 1}}
    (%1) = "pd_op.relu" (%0) {stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[1,-1], placements:[]>) -> tensor<4x8xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x0",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-2,-1], placements:[]>
    // expected-error@+1 {{"pd_op.relu" dim 0 is split over mesh dim -2 of 1}}
    (%1) = "pd_op.relu" (%0) {stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-2,-1], placements:[]>) -> tensor<4x8xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x0",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[9223372036854775807,-1], placements:[]>
    // expected-error@+1 {{"pd_op.relu" dim 0 is split over mesh dim 9223372036854775807 of 1}}
    (%1) = "pd_op.relu" (%0) {stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[9223372036854775807,-1], placements:[]>) -> tensor<4x8xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x0",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0], placements:[]>
    // expected-error@+1 {{"pd_op.relu" a mapping of 1 dims for a tensor of rank 2}}
    (%1) = "pd_op.relu" (%0) {stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0], placements:[]>) -> tensor<4x8xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x0",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], partial(0,SUM), placements:[]>
    // expected-error@+1 {{"pd_op.relu": placement: partial over mesh dim 0, which splits the tensor}}
    (%1) = "pd_op.relu" (%0) {stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], partial(0,SUM), placements:[]>) -> tensor<4x8xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x0",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], partial(3,SUM), placements:[]>
    // expected-error@+1 {{"pd_op.relu" a tensor is partial over mesh dim 3 of 1}}
    (%1) = "pd_op.relu" (%0) {stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1], partial(3,SUM), placements:[]>) -> tensor<4x8xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x0",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2,-2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>
    // expected-error@+1 {{"pd_op.relu" dim 1 of the mesh has no processes}}
    (%1) = "pd_op.relu" (%0) {stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2,-2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>) -> tensor<4x8xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x0",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[0],process_ids:[],dims_mappings:[-1,-1], placements:[]>
    // expected-error@+1 {{"pd_op.relu" dim 0 of the mesh has no processes}}
    (%1) = "pd_op.relu" (%0) {stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[0],process_ids:[],dims_mappings:[-1,-1], placements:[]>) -> tensor<4x8xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x0",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2,2,2,2,2,2,2,2,2],process_ids:[0],dims_mappings:[-1,-1], placements:[]>
    // expected-error@+1 {{unsupported: a mesh of 9 dims; placement knows 8}}
    (%1) = "pd_op.relu" (%0) {stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2,2,2,2,2,2,2,2,2],process_ids:[0],dims_mappings:[-1,-1], placements:[]>) -> tensor<4x8xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x0",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[0,-1], placements:[]>
    (%1) = "pd_op.data" () {dtype:float32,name:"x1",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[1,-1], placements:[]>
    // expected-error@+1 {{"pd_op.add": placement: one dim is split over mesh dims 0 and 1}}
    (%2) = "pd_op.add" (%0, %1) {stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[0,-1], placements:[]>, pd_dist.tensor<4x8xf32, mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[1,-1], placements:[]>) -> tensor<4x8xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x0",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>
    (%1) = "pd_op.data" () {dtype:float32,name:"x1",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[0,-1], placements:[]>
    // expected-error@+1 {{"pd_op.add" operands lie on different meshes; reshard them to one}}
    (%2) = "pd_op.add" (%0, %1) {stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>, pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[2,3],dims_mappings:[0,-1], placements:[]>) -> tensor<4x8xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x0",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>
    // expected-error@+1 {{"pd_op.transpose": placement: axis 2 of a tensor of rank 2}}
    (%1) = "pd_op.transpose" (%0) {perm:[2,0],stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>) -> tensor<8x4xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x0",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>
    // expected-error@+1 {{"pd_op.relu": placement: the rule gives a result of rank 2, the op one of rank 1}}
    (%1) = "pd_op.relu" (%0) {stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1], placements:[]>) -> tensor<32xf32>
}
// -----
// A mesh with more processes than 64 bits count is a mesh like others: a dim that it does not divide stays whole.
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x0",place:Place(undefined:0),shape:[4,8],stop_gradient:[true]} : () -> pd_dist.tensor<4x8xf32, mesh_shape:[4611686018427387904,4611686018427387904,4],process_ids:[0],dims_mappings:[0,-1], placements:[]>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[32]} : () -> tensor<1xi64>
    (%2) = "pd_op.reshape" (%0, %1) {stop_gradient:[true]} : (pd_dist.tensor<4x8xf32, mesh_shape:[4611686018427387904,4611686018427387904,4],process_ids:[0],dims_mappings:[0,-1], placements:[]>, tensor<1xi64>) -> tensor<32xf32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(undefined:0),shape:[],stop_gradient:[true]} : () -> pd_dist.tensor<f32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[]>
    // expected-error@+1 {{"pd_op.transpose": placement: 1 axes of a tensor of rank 0}}
    (%1) = "pd_op.transpose" (%0) {perm:[-1],stop_gradient:[true]} : (pd_dist.tensor<f32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[]>) -> tensor<f32>
}
// -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(undefined:0),shape:[4,4],stop_gradient:[true]} : () -> pd_dist.tensor<4x4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>
    // expected-error@+1 {{"pd_op.transpose": placement: an order of axes without axis 1}}
    (%1) = "pd_op.transpose" (%0) {perm:[0,0],stop_gradient:[true]} : (pd_dist.tensor<4x4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[0,-1]>) -> tensor<4x4xf32>
}
