// Every form of Paddle's print comes back byte for byte, also through the typed form; also that of an op without an operand.
// RUN: not pir-translate %s 2>&1 | FileCheck %s
// CHECK: error: "pd_op.dropout" operand 2 (p) is missing
// RUN: grep -v '^//' %s > %t.in
// RUN: pir-translate --unverified %t.in --to=text > %t.out && diff %t.in %t.out
// RUN: pir-translate --unverified %t.in --to=typed > %t.typed && pir-translate --unverified %t.typed --to=text | diff %t.in -
// RUN: pir-translate --unverified %t.typed --to=typed | diff %t.typed -
// RUN: pir-translate --unverified %t.in --to=t2 > %t.t2 && pir-translate --unverified %t.t2 --to=t2 | diff %t.t2 -
{
    (%stack_0, %inlet_0, %outlet_0) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,3],stop_gradient:[true]} : () -> tensor<-1x3xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[],stop_gradient:[true]} : () -> tensor<b>
    (%2) = "pd_op.if" (%1) {stop_gradient:[false]} -> tensor<-1x3xf32> {
        (%3) = "pd_op.exp" (%0) {stop_gradient:[false]} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
        () = "cf.tuple_push" (%inlet_0, %0, %3) {} : (cf.inlet, tensor<-1x3xf32>, tensor<-1x3xf32>) -> 
        () = "cf.yield" (%3) {} : (tensor<-1x3xf32>) -> 
    } else {
        (%4) = "pd_op.if" (%1) {} -> tensor<-1x3xf32> {
            () = "cf.yield" (%0) {} : (tensor<-1x3xf32>) -> 
        } else {
            (%5) = "pd_op.tanh" (%0) {stop_gradient:[false]} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
            () = "cf.yield" (%5) {} : (tensor<-1x3xf32>) -> 
        }
        () = "cf.yield" (%4) {} : (tensor<-1x3xf32>) -> 
    }
    () = "pd_op.if" (%1) {} ->  {
        () = "cf.yield" () {} : () -> 
    } else {
        () = "cf.yield" () {} : () -> 
    }
    (%6) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%7, %8) = "pd_op.while" (cond=%1, inputs=%6, %2) { 
    ^%arg_0 {}, %arg_1 {stop_gradient:true}
        (%9) = "pd_op.relu" (%arg_1) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
        () = "cf.yield" (%1, %arg_0, %9) {} : (tensor<b>, tensor<1xi64>, tensor<-1x3xf32>) -> 
    }
    () = "pd_op.while" (cond=%1, inputs=) { 
    ^
        () = "cf.yield" (%1) {} : (tensor<b>) -> 
    }
    (%10) = "pd_op.pylayer" (%8) {backward_function_id:3,stop_gradient:[false]} -> tensor<-1x3xf32> {
        () = "cf.yield" (%8) {} : (tensor<-1x3xf32>) -> 
    }
    (%11) = "cinn_op.group" (%10) -> tensor<-1x3xf32> {
        (%12) = "pd_op.relu" (%10) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
        () = "cf.yield" (%12) {} : (tensor<-1x3xf32>) -> 
    }
    (%13) = "my_op.region" (%11) {note:"a region of an op that no dialect knows"} : (tensor<-1x3xf32>) -> tensor<f32>
    {
        () = "my_op.end" () {} : () -> 
    }

    (%14, %15) = "pd_op.dropout" (%0, <<NULL VALUE>>, <<NULL VALUE>>) {fix_seed:false,is_test:true,mode:"upscale_in_train",seed:0} : (tensor<-1x3xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<-1x3xf32>, <<NULL TYPE>>
    (%16) = "builtin.combine" (%0, %2) {stop_gradient:[true]} : (tensor<-1x3xf32>, tensor<-1x3xf32>) -> vec[tensor<-1x3xf32>,tensor<-1x3xf32>]
    (%17, %18, %19, %20) = "my_op.types" () {} : () -> pd_op.tensor_array<f32>, pd_op.selectedrows<5x4xf32>, pd_op.sparsecootensor<4x8xf32>, error_type!
    (%21) = "relu(phi_kernel)" (%0) {kernel_key:<backend:CPU|layout:Undefined(AnyLayout)|dtype:float32>,kernel_name:"relu",op_name:"pd_op.relu",origin_id:7} : (tensor<-1x3xf32>) -> cpu_tensor<-1x3xf32>
    (%22) = "dist_op.shard_tensor" (%0) {op_dist_attr:{mesh:{shape:[2,2],process_ids:[0,1,2,3]},result(0):{mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[0,-1], partial(1,SUM), placements:[Shard(dim=0), Partial(reduce_type=SUM)]},chunk_id:-1},persistable:[false]} : (tensor<-1x3xf32>) -> pd_dist.tensor<4x8xf32, mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[0,-1], placements:[Shard(dim=0), Replicate()]>
    () = "my_op.attrs" () {a:[],b:[true,false],c:"quote \" and \ backslash",d:3,e:5000000000,f:1e-05,g:<#AttrNull>,h:real:1.5 imag:-2,i:float32,j:NCHW,k:Place(npu:1),l:tensor<2xf32>,m:[1,2.5],n:inf,o:-inf,p:nan,q:mesh_shape:[2],process_ids:[0,1],r:0x7f00,s:[[1],["x"]],t:i64,u:Undefined(AnyLayout),v:,w:<#AttrNotImplemented>,x:(0x55)} : () -> 
}
