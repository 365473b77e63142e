// Every kind of op, type and attribute as Paddle 3.3 prints it: the same to the byte, through the tagged and the typed form too.
// RUN: grep -v '^//' %s > %t.want
// RUN: pir-opt %s | diff %t.want -
// RUN: pir-opt %s --emit=typed --strip-debug > %t.typed && pir-opt %t.typed | diff %t.want -
// RUN: pir-opt %t.typed --emit=typed --strip-debug | diff %t.typed -
// RUN: pir-opt %s --emit=t2 > %t.t2 && pir-opt %t.t2 | diff %t.want -
// RUN: pir-opt %t.t2 --emit=t2 | diff %t.t2 -
// RUN: not pir-translate %s --to=json 2>&1 | FileCheck %s
// CHECK: error: unsupported: "data(phi_kernel)": PIR JSON cannot hold 
{
    (%0) = "data(phi_kernel)" () {dtype:float32,kernel_key:<backend:Undefined|layout:Undefined(AnyLayout)|dtype:float32>,kernel_name:"data",name:"x",op_name:"pd_op.data",origin_id:12,place:Place(undefined:0),shape:[-1,4]} : () -> undefined_tensor<-1x4xf32>
    (%1) = "shadow_feed(phi_kernel)" (%0) {dst_place_type:1,kernel_key:<backend:GPU|layout:NCHW|dtype:float32>,kernel_name:"shadow_feed",op_name:"pd_op.shadow_feed"} : (undefined_tensor<-1x4xf32>) -> gpu_tensor<-1x4xf32>
    (%2) = "relu_(phi_kernel)" (%1) {is_inplace:true,kernel_key:<backend:GPUDNN|layout:ONEDNN|dtype:bfloat16>,kernel_name:"relu",op_name:"pd_op.relu_"} : (gpu_tensor<-1x4xf32>) -> gpu_tensor<-1x4xf32>
    (%3) = "my(legacy_kernel)" (%2) {kernel_key:<backend:npu|layout:NCHW|dtype:Undefined>} : (gpu_tensor<-1x4xf32>) -> custom_device_tensor<-1x4xf32>
    (%4) = "my2(custom_kernel)" (%2, <<NULL VALUE>>) {kernel_key:<backend:KPS|layout:NHWC|dtype:complex64>} : (gpu_tensor<-1x4xf32>, <<NULL TYPE>>) -> vec[gpu_pinned_tensor<2xf32>,cpu_tensor_array<f32>,xpu_pinned_tensor<0xi8>]
    (%5) = "onednn_kernel.phi_mixed_kernel" (%2) {a:<#AttrNull>,b:<#AttrNotImplemented>,kernel_key:<backend:ONEDNN|layout:ONEDNN|dtype:float32>,kernel_name:"relu",op_name:"onednn_op.relu"} : (gpu_tensor<-1x4xf32>) -> cpu_sparse_coo_tensor_type<f32>
    (%6) = "pd_op.pylayer" (%2, %3) {backward_function_id:3} -> gpu_tensor<-1x4xf32> {
        () = "cf.yield" (%2) {} : (gpu_tensor<-1x4xf32>) -> 
    }
    (%stack_0, %inlet_0, %outlet_0) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    (%stack_1, %inlet_1, %outlet_1) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    () = "cf.tuple_push" (%inlet_1, %2, %3) {} : (cf.inlet, gpu_tensor<-1x4xf32>, custom_device_tensor<-1x4xf32>) -> 
    (%7, %8) = "cf.tuple_pop" (%outlet_1) {} : (cf.outlet) -> gpu_tensor<-1x4xf32>, custom_device_tensor<-1x4xf32>
    (%9) = "cinn_op.group" (%7) -> gpu_tensor<-1x4xf32> {
        (%10) = "cinn_op.fusion" () -> gpu_tensor<-1x4xf32> {
            (%11) = "cinn_op.reduce_sum" (%7) {axis:[],dtype:Undefined,keepdim:true} : (gpu_tensor<-1x4xf32>) -> gpu_tensor<-1x4xf32>
            () = "cf.yield" (%11) {} : (gpu_tensor<-1x4xf32>) -> 
        }
        () = "cf.yield" (%10) {} : (gpu_tensor<-1x4xf32>) -> 
    }
    (%12) = "cinn_runtime.jit_kernel" (%9) {kernel_info:(0x7f5e24fb27c0)} : (gpu_tensor<-1x4xf32>) -> tensor<f8e4m3fn>
    (%13) = "cinn_op.generate_shape" (%9) {output_dim_exprs:["S0","Mul(S0, S1)"],symbol_bindings:["shape:0,1,S0"]} : (gpu_tensor<-1x4xf32>) -> tensor<2xi64>
    (%14) = "my.types" () {c:real:0.5 imag:-inf,d:float8_e5m2,e:pstring,f:cpu_tensor<2xf32>,g:vec[f32,tensor<2xf32>],h:cf.stack,i:f32,j:[],k:[[],[1]],l:["a,b","{}"],m:1e-05,n:-0,o:inf,p:-inf,q:nan,r:3.40282e+38,s:NCDHW,t:PSTRING_UNION,u:SPARSE_COO,v:Undefined(AnyLayout),w:Place(xpu:3),x:Place(:0),y:0x7f5e24fb27c0,z:Place(xpu_pinned)} : () -> pd_op.selectedrows<4x8xf32>
    (%15) = "dist_op.reshard" (%14) {op_dist_attr:{mesh:{shape:[2,2],process_ids:[0,1,2,3]},operand(0):{mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[0,-1], partial(1,SUM), placements:[Shard(dim=0), Partial(reduce_type=SUM)]},operand(1):{<#AttrNull>},result(0):{mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[-1,-1], placements:[Replicate(), Replicate()]},chunk_id:-1}} : (pd_op.selectedrows<4x8xf32>) -> pd_dist.tensor<4x8xf32, mesh_shape:[2,2],process_ids:[0,1,2,3],dims_mappings:[0,-1], partial(1,MAX), placements:[Shard(dim=0), Partial(reduce_type=MAX)]>
    (%16) = "my.dist" () {a:mesh_shape:[2],process_ids:[0,1],b:mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,0], placements:[Shard(dim=1)]} : () -> vec[pd_dist.tensor<4xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1], placements:[Replicate()]>,<<NULL TYPE>>]
}
