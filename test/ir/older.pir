// What older text says that today's ops do not: read, printed in today's spelling, and told.
// RUN: pir-opt %s --split-input-file --verify-diagnostics
// RUN: not pir-opt %s --split-input-file 2>/dev/null | FileCheck %s
// RUN: not pir-opt %s --split-input-file --strict 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: not pir-opt %s --split-input-file --passes=cse 2>/dev/null | FileCheck %s --check-prefix=NOW
// RUN: not pir-opt %s --split-input-file --emit=typed --pipeline=none 2>/dev/null | not grep 'format:"text"'

// Text of 2023: the dialect is pd, booleans are numbers, lists have a name.
{
 (%0) = "pd.full" (){place:Place(cpu),dtype:float32,value:-1,shape:IntArray<2,3 >} : () -> tensor<2x3xf32>
 (%1) = "pd.scale" (%0, %0){bias_after_scale:1,bias:0} : (tensor<2x3xf32>, tensor<2x3xf32>) -> pd.tensor<2x3xf32>
 // expected-warning@+1 {{'maybe:1' of 2023 may be a boolean or a number, and no definition says which: a number}}
 (%2) = "pd.scale" (%1, %0){bias_after_scale:0,bias:0.5,maybe:1,surely:2} : (tensor<2x3xf32>, tensor<2x3xf32>) -> pd.tensor<2x3xf32>
 // expected-warning@+1 {{'on:0' of 2023 may be a boolean or a number}}
 (%3) = "pd.not_an_op" (%2){on:0,shape:IntArray[1,2],empty:IntArray<>} : (pd.tensor<2x3xf32>) -> tensor<2x3xf32>
}
// CHECK: "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,3],value:-1} : () -> tensor<2x3xf32>
// CHECK: "pd_op.scale" (%0, %0) {bias:0,bias_after_scale:true}
// CHECK: "pd_op.scale" (%1, %0) {bias:0.5,bias_after_scale:false,maybe:1,surely:2}
// CHECK: "pd.not_an_op" (%2) {empty:[],on:0,shape:[1,2]}
// -----
{
    // expected-error@+1 {{expected integers in 'IntArray<1,x>'}}
    (%0) = "pd.full" () {shape:IntArray<1,x>} : () -> tensor<f32>
}
// -----
// Operands of today that were attributes, and attributes that had another name: printed as they are, brought to today's form
// for passes and other formats.
{
    (%0) = "pd_op.data" () {dtype:(pd_op.DataType)float32,name:"x",place:(pd_op.Place)Place(undefined:0),shape:(pd_op.IntArray)[4]} : () -> builtin.tensor<4xf32>
    // expected-warning@+1 {{older form: axis is an operand now, not an attribute}}
    (%1) = "pd_op.mean" (%0) {axis:(pd_op.IntArray)[],keepdim:false} : (builtin.tensor<4xf32>) -> builtin.tensor<f32>
    (%2) = "pd_op.full_int_array" () {dtype:(pd_op.DataType)int64,place:(pd_op.Place)Place(cpu),value:[(Int64)0]} : () -> builtin.tensor<1xi64>
    // expected-warning@+1 {{older form: there is no attribute keepdim}}
    (%3) = "pd_op.prod" (%0, %2) {keep_dim:false,reduce_all:true} : (builtin.tensor<4xf32>, builtin.tensor<1xi64>) -> builtin.tensor<f32>
}
// CHECK: "pd_op.mean" (%0) {axis:[],keepdim:false} : (tensor<4xf32>) -> tensor<f32>
// STRICT: error: "pd_op.mean" expects 2 operands, has 1
// STRICT: error: "pd_op.prod" needs attribute keepdim
// NOW: [[AXIS:%[0-9]+]]) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
// NOW-NEXT: "pd_op.mean" (%0, [[AXIS]]) {keepdim:false} : (tensor<4xf32>, tensor<0xi64>) -> tensor<f32>
// NOW: "pd_op.prod" (%0, %{{[0-9]+}}) {keepdim:false,reduce_all:true}
// -----
// Scalars too; a result that is gone goes when nothing uses it, else it is told.
{
    (%0) = "pd_op.data" () {dtype:(pd_op.DataType)float32,name:"x",place:(pd_op.Place)Place(undefined:0),shape:(pd_op.IntArray)[4]} : () -> builtin.tensor<4xf32>
    (%1) = "pd_op.full_int_array" () {dtype:(pd_op.DataType)int64,place:(pd_op.Place)Place(cpu),value:[(Int64)2,(Int64)2]} : () -> builtin.tensor<2xi64>
    // expected-warning@+1 {{older form: 2 results, now 1}}
    (%2, %3) = "pd_op.reshape" (%0, %1) {} : (builtin.tensor<4xf32>, builtin.tensor<2xi64>) -> builtin.tensor<2x2xf32>, builtin.tensor<0x4xf32>
    // expected-warning@+1 {{older form: scale is an operand now, not an attribute}}
    (%4) = "pd_op.scale" (%2) {bias:(Float)0,bias_after_scale:true,scale:(Float)0.5} : (builtin.tensor<2x2xf32>) -> builtin.tensor<2x2xf32>
    () = "builtin.shadow_output" (%4) {output_name:"y"} : (builtin.tensor<2x2xf32>) -> 
}
// NOW: (%2) = "pd_op.reshape" (%0, %1) {} : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
// NOW-NEXT: (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0.5} : () -> tensor<1xf32>
// NOW-NEXT: (%4) = "pd_op.scale" (%2, %3) {bias:0,bias_after_scale:true} : (tensor<2x2xf32>, tensor<1xf32>) -> tensor<2x2xf32>
// -----
// Names of 2023.
{
 (%0) = "builtin.get_parameter" () {is_persisable:[true],parameter_name:"w",stop_gradient:[false]} : () -> pd_op.tensor<4xf32>
 (%1) = "pd_op.relu" (%0) {is_persistable:[false],stop_gradient:[true]} : (pd_op.tensor<4xf32>) -> pd_op.tensor<4xf32>
 () = "builtin.set_parameter" (%1) {parameter_name:"w"} : (pd_op.tensor<4xf32>) ->
}
// CHECK: "builtin.get_parameter" () {is_persisable:[true],parameter_name:"w",stop_gradient:[false]}
// NOW: (%0) = "builtin.parameter" () {parameter_name:"w",persistable:[true],stop_gradient:[false]} : () -> tensor<4xf32>
// NOW-NEXT: (%1) = "pd_op.relu" (%0) {persistable:[false],stop_gradient:[true]} : (tensor<4xf32>) -> tensor<4xf32>
// -----
// Strings whose end is in doubt: a backslash before the last quote.
{
    (%0) = "my_op.a" () {a:"C:\",b:"x\"y\",c:1,d:["\","\"","\\"]} : () -> tensor<f32>
    (%1) = "my_op.a" (%0) {a:"last\"} : (tensor<f32>) -> tensor<f32>
}
// CHECK: {a:"C:\",b:"x\"y\",c:1,d:["\","\"","\\"]}
// CHECK: {a:"last\"}
// -----
// The first print of distributed programs.
{
    (%0) = "my_op.a" () {op_dist_attr:{mesh:{shape:[2],process_ids:[0,1]},operand(0):{dims_maping:[-1]},result(0):{dims_maping:[0], partial(0,SUM)}}} : () -> pd_dist.tensor<4xf32, mesh_shape:[2],dims_mappings:[0]>
}
// CHECK: operand(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1], placements:[Replicate()]},result(0):{mesh_shape:[2],process_ids:[0,1],dims_mappings:[0], partial(0,SUM), placements:[Partial(reduce_type=SUM)]},chunk_id:0}} : () -> pd_dist.tensor<4xf32, mesh_shape:[2],dims_mappings:[0], placements:[Shard(dim=0)]>
