// What inference says of each kind of rule, stated by infer_types: unknown extents stay -1, known ones come through.
// RUN: pir-opt --passes=infer_types %s | FileCheck %s
{
  (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,8,4,16],stop_gradient:[true]} : () -> tensor<-1x8x4x16xf32>
  (%1) = "pd_op.data" () {dtype:float32,name:"rows",place:Place(undefined:0),shape:[6,4],stop_gradient:[true]} : () -> tensor<6x4xf32>
  (%2) = "pd_op.data" () {dtype:int32,name:"places",place:Place(undefined:0),shape:[6,2],stop_gradient:[true]} : () -> tensor<6x2xi32>
  // A shape by operands, and one of fixed rank.
  // CHECK: "pd_op.flash_attn"{{.*}} -> tensor<-1x8x4x16xf32>, tensor<-1x4x128x128xf32>, tensor<-1x4x8xf32>, tensor<2xi64>
  (%3, %4, %5, %6) = "pd_op.flash_attn" (%0, %0, %0, <<NULL VALUE>>, <<NULL VALUE>>) {causal:true,dropout:0,is_test:true,return_softmax:false,rng_name:""} : (tensor<-1x8x4x16xf32>, tensor<-1x8x4x16xf32>, tensor<-1x8x4x16xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  // By an attribute, and an element type of its own.
  // CHECK: "pd_op.moe_gate_dispatch"{{.*}} -> tensor<20x4xf32>, tensor<6x2xf32>, tensor<2x6xi32>, tensor<4xi64>, tensor<6x2xi32>
  (%7, %8, %9, %10, %11) = "pd_op.moe_gate_dispatch" (%1, %1, <<NULL VALUE>>) {capacity:5,k:2,use_pad:true} : (tensor<6x4xf32>, tensor<6x4xf32>, <<NULL TYPE>>) -> tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  // The first alternative whose condition holds.
  // CHECK: "pd_op.fused_bias_dropout_residual_layer_norm"{{.*}} -> tensor<6x4xf32>, tensor<6x4xf32>, tensor<0xf32>, tensor<6xf32>, tensor<6xf32>
  (%12, %13, %14, %15, %16) = "pd_op.fused_bias_dropout_residual_layer_norm" (%1, %1, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>) {dropout_fix_seed:true,dropout_implementation:"upscale_in_train",dropout_rate:0,dropout_seed:0,is_test:true,ln_epsilon:1e-05} : (tensor<6x4xf32>, tensor<6x4xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  // An extent that only the run shows.
  // CHECK: "pd_op.shuffle_batch"{{.*}} -> tensor<6x4xf32>, tensor<-1xi64>, tensor<6x2xi32>
  (%17, %18, %19) = "pd_op.shuffle_batch" (%1, %2) {startup_seed:0} : (tensor<6x4xf32>, tensor<6x2xi32>) -> tensor<f32>, tensor<f32>, tensor<f32>
  // Members of a list keep their shapes.
  (%20) = "builtin.combine" (%1, %0) {} : (tensor<6x4xf32>, tensor<-1x8x4x16xf32>) -> vec[tensor<6x4xf32>,tensor<-1x8x4x16xf32>]
  // CHECK: "pd_op.sync_comm_stream"{{.*}} -> vec[tensor<6x4xf32>,tensor<-1x8x4x16xf32>]
  (%21) = "pd_op.sync_comm_stream" (%20) {ring_id:0} : (vec[tensor<6x4xf32>,tensor<-1x8x4x16xf32>]) -> vec[tensor<f32>,tensor<f32>]
  // Axes that a tensor names: how many there are is known.
  (%22) = "pd_op.data" () {dtype:int64,name:"axes",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xi64>
  // CHECK: "pd_op.sum"{{.*}} -> tensor<-1x-1xf32>
  (%23) = "pd_op.sum" (%0, %22) {dtype:Undefined,keepdim:false} : (tensor<-1x8x4x16xf32>, tensor<2xi64>) -> tensor<f32>
  // Of another dialect, by what it starts from.
  // CHECK: "onednn_op.matmul"{{.*}} -> tensor<-1x8x4x4xf32>
  (%24) = "onednn_op.matmul" (%0, %0) {transpose_x:false,transpose_y:true} : (tensor<-1x8x4x16xf32>, tensor<-1x8x4x16xf32>) -> tensor<f32>
  // Steps are counted in the type of the result: 0.6 / 0.1 is 6 in f32, and whole numbers are cut off first.
  (%25) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf32>
  (%26) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.6} : () -> tensor<1xf32>
  (%27) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.1} : () -> tensor<1xf32>
  (%28) = "pd_op.full" () {dtype:float64,place:Place(cpu),shape:[1],value:-0.5} : () -> tensor<1xf64>
  (%29) = "pd_op.full" () {dtype:float64,place:Place(cpu),shape:[1],value:3.2} : () -> tensor<1xf64>
  (%30) = "pd_op.full" () {dtype:float64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf64>
  // CHECK: "pd_op.range_v2"{{.*}} -> tensor<7xf32>
  (%31) = "pd_op.range_v2" (%25, %26, %27) {dtype:float32,place:Place(cpu)} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<f32>
  // CHECK: "pd_op.arange"{{.*}} -> tensor<3xi64>
  (%32) = "pd_op.arange" (%28, %29, %30) {dtype:int64,place:Place(cpu)} : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> tensor<i64>
  // A sum that states no element type counts in 64 bits.
  // CHECK: "pd_op.nansum"{{.*}} -> tensor<i64>
  (%sum) = "pd_op.nansum" (%2) {axis:[],dtype:Undefined,keepdim:false} : (tensor<6x2xi32>) -> tensor<f32>
}
