// Scans, scatters, positions of extremes, orders, gathered slices and recurrent networks are kernels of a device: lines of a team, in tiles where they are longer than it, lines side by side,
// updates whose columns a block shares because they are few, and updates of a column a thread. Updates of one element are made in their order.
// test/cuda/cuda.py runs this on the stand-ins, with these inputs, beside called kernels.
// DEFINE: %{in} = --input=a=3x70xf32=random:1 --input=b=5x1300xi64=0..999 --input=c=2x150xf32=0.9..1.1 --input=x=9x4xf32=random:2 --input=i=20xi64=0..8 --input=u=20x4xf32=random:3 --input=y=9x64xf32=random:4 --input=v=20x64xf32=random:5 --input=z=4x300xi32=0..5 --input=w=4x300xf32=random:6 --input=g=3x40xi32=0..9 --input=h=7x1xi64=-9..8 --input=rx=6x3x5xf32=random:7 --input=rs=2x3x70xf32=random:8 --input=wx=210x5xf32=random:9 --input=wh=210x70xf32=-0.1..0.1 --input=wb=210xf32=random:10 --input=rl=3xi32=1..6 --input=q=5x33xf32=random:11 --input=map=2x4x9x11xf32=random:12 --input=boxes=4x4xf32=-2..12 --input=images=2xi32=2 --input=off=2x36x9x11xf32=-3.0..3.0 --input=kept=2x18x9x11xf32=random:13 --input=filter=6x2x3x3xf32=random:14
// RUN: pir-opt %s --pipeline=compile-cuda | FileCheck %s --check-prefix=KINDS
// RUN: pir-opt %s --target=sm_80 --emit=loops | FileCheck %s
// RUN: pir-opt %s --target=sm_80 --emit=loops | pir-opt - --target=sm_80 --emit=cuda | FileCheck %s --check-prefix=CUDA
// KINDS-COUNT-5: kind:"scan"
// KINDS-COUNT-3: kind:"updates"
// KINDS-COUNT-2: kind:"rows"
// KINDS-COUNT-5: kind:"kernel"
// KINDS-COUNT-2: kind:"steps"
// KINDS-COUNT-13: kind:"kernel"
// A tile is scanned, and its last sum carried on. Without its own element, a sum is stored one further.
// CHECK-LABEL: g0_stage0: stage
// CHECK: v7: f32 = prefix_add(select(v5, v6, 0:f32))
// CHECK: b0[0] = (b0.f32(0) + team_add(select((v4 == 31), v7, 0:f32)))
// CHECK-LABEL: g1_stage0: stage
// CHECK: if (((v3 + v4) + 1) < 70) {
// CHECK-LABEL: g2_stage0: stage
// CHECK-NOT: prefix
// CHECK-LABEL: g3_stage0: stage (v0, v1) by 256 threads
// CHECK-LABEL: g4_stage0: stage (v0, v1) by 128 threads
// CHECK: prefix_mul(
// CHECK-LABEL: g5_stage1: stage (v0, v1) by 256 threads
// CHECK: trap 1 where not(v7)
// CHECK-NEXT: if and(v7, (mod(((v6 * 4) + v2), 256) == v3)) {
// CHECK-LABEL: g7_stage1: stage (v0, v1) by 32 threads
// CHECK-NOT: mod(
// CHECK-LABEL: g8_stage0: stage
// CHECK: team_max(
// An element is stored at the number of those before it: smaller ones, and equal ones that stand before it.
// CHECK-LABEL: g10_stage0: stage
// CHECK: add= i64(or((v{{[0-9]+}} < v4), and(not((v4 < v{{[0-9]+}})), (v{{[0-9]+}} <
// CHECK-LABEL: g13_stage0: stage
// CHECK: trap
// A block has a row's states in shared memory, and adds up a product by eight neighbours; the last elements are computed by all that are left.
// CHECK-LABEL: g19_stage0: stage (v0, v1) by 512 threads
// CHECK-NEXT: b0: shared 140 f32
// CHECK: for v7 = 0 to dim0 by 1 {
// CHECK-NEXT: for v8 = 0 to 70 by 64 {
// CHECK-NEXT: threads v9 = 0 to 512 by 1 {
// CHECK-NEXT: v10: index below 70 = min((v8 + floordiv(v9, 8)), 69)
// CHECK: for v14 below 70 = mod(v9, 8) to 70 by 8 {
// CHECK: team8_add(b4.f32(0))
// CHECK: barrier
// The range of a search is halved as often as 48 bits may need, or as a known length does; a few listed numbers are in the code.
// CHECK-LABEL: group g30: pd_op.searchsorted
// CHECK: for v6 = 0 to 48 by 1 {
// CHECK-NEXT: if (b4.i64(0) < b4.i64(1)) {
// CHECK-LABEL: group g32: pd_op.assign_value, pd_op.searchsorted
// CHECK: 0.25:f32
// Of five elements the largest rank is found five times, then its first position. Where two are equal, or another one is equal to the last of
// them, one thread selects as the runtime does.
// CHECK-LABEL: group g37: pd_op.full, pd_op.topk
// CHECK: for v{{[0-9]+}} = 0 to 5 by 1 {
// CHECK: team_max(
// CHECK: team_min(
// CHECK: threads v{{[0-9]+}} = 0 to 1 by 1 {
// CHECK-NEXT: for v[[AT:[0-9]+]] = 0 to 40 by 1 {
// CHECK: take 5 of 40 in b[[E:[0-9]+]][(v{{[0-9]+}} * 112)] from v[[AT]], i64(
// CHECK: order 5 of 40 in b[[E]][(v{{[0-9]+}} * 112)]
// CUDA: pir_prefix<32, pir_op_add>(
// CUDA: pir_prefix<256, pir_op_add>(
// CUDA: pir_team<{{[0-9]+}}, pir_op_max>(
// CUDA: pir_take<5>((pir_entry *)&
// CUDA: pir_order<5>((pir_entry *)&
{
    (%0) = "pd_op.data" () {dtype:float32,name:"a",place:Place(undefined:0),shape:[3,70]} : () -> tensor<3x70xf32>
    (%1) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xi32>
    (%2) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%3) = "pd_op.cumsum" (%0, %1) {exclusive:false,flatten:false,reverse:false} : (tensor<3x70xf32>, tensor<1xi32>) -> tensor<3x70xf32>
    () = "builtin.shadow_output" (%3) {output_name:"o0"} : (tensor<3x70xf32>) -> 
    (%4) = "pd_op.cumsum" (%0, %1) {exclusive:true,flatten:false,reverse:true} : (tensor<3x70xf32>, tensor<1xi32>) -> tensor<3x70xf32>
    () = "builtin.shadow_output" (%4) {output_name:"o1"} : (tensor<3x70xf32>) -> 
    (%5) = "pd_op.cumsum" (%0, %2) {exclusive:true,flatten:false,reverse:false} : (tensor<3x70xf32>, tensor<1xi32>) -> tensor<3x70xf32>
    () = "builtin.shadow_output" (%5) {output_name:"o2"} : (tensor<3x70xf32>) -> 
    (%6) = "pd_op.data" () {dtype:int64,name:"b",place:Place(undefined:0),shape:[5,1300]} : () -> tensor<5x1300xi64>
    (%7) = "pd_op.cumsum" (%6, %1) {exclusive:false,flatten:true,reverse:false} : (tensor<5x1300xi64>, tensor<1xi32>) -> tensor<6500xi64>
    () = "builtin.shadow_output" (%7) {output_name:"o3"} : (tensor<6500xi64>) -> 
    (%8) = "pd_op.data" () {dtype:float32,name:"c",place:Place(undefined:0),shape:[2,-1]} : () -> tensor<2x-1xf32>
    (%9) = "pd_op.cumprod" (%8) {dim:1,exclusive:false,reverse:true} : (tensor<2x-1xf32>) -> tensor<2x-1xf32>
    () = "builtin.shadow_output" (%9) {output_name:"o4"} : (tensor<2x-1xf32>) -> 
    (%10) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[9,4]} : () -> tensor<9x4xf32>
    (%11) = "pd_op.data" () {dtype:int64,name:"i",place:Place(undefined:0),shape:[20]} : () -> tensor<20xi64>
    (%12) = "pd_op.data" () {dtype:float32,name:"u",place:Place(undefined:0),shape:[20,4]} : () -> tensor<20x4xf32>
    (%13) = "pd_op.scatter" (%10, %11, %12) {overwrite:true} : (tensor<9x4xf32>, tensor<20xi64>, tensor<20x4xf32>) -> tensor<9x4xf32>
    () = "builtin.shadow_output" (%13) {output_name:"o5"} : (tensor<9x4xf32>) -> 
    (%14) = "pd_op.index_add" (%10, %11, %12) {axis:0} : (tensor<9x4xf32>, tensor<20xi64>, tensor<20x4xf32>) -> tensor<9x4xf32>
    () = "builtin.shadow_output" (%14) {output_name:"o6"} : (tensor<9x4xf32>) -> 
    (%15) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[9,64]} : () -> tensor<9x64xf32>
    (%16) = "pd_op.data" () {dtype:float32,name:"v",place:Place(undefined:0),shape:[20,64]} : () -> tensor<20x64xf32>
    (%17) = "pd_op.index_add" (%15, %11, %16) {axis:0} : (tensor<9x64xf32>, tensor<20xi64>, tensor<20x64xf32>) -> tensor<9x64xf32>
    () = "builtin.shadow_output" (%17) {output_name:"o7"} : (tensor<9x64xf32>) -> 
    (%18) = "pd_op.data" () {dtype:int32,name:"z",place:Place(undefined:0),shape:[4,300]} : () -> tensor<4x300xi32>
    (%19) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xi64>
    (%20) = "pd_op.argmax" (%18, %19) {dtype:int64,flatten:false,keepdims:false} : (tensor<4x300xi32>, tensor<1xi64>) -> tensor<4xi64>
    () = "builtin.shadow_output" (%20) {output_name:"o8"} : (tensor<4xi64>) -> 
    (%21) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[4,300]} : () -> tensor<4x300xf32>
    (%22) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%23) = "pd_op.argmin" (%21, %22) {dtype:int32,flatten:false,keepdims:true} : (tensor<4x300xf32>, tensor<1xi64>) -> tensor<1x300xi32>
    () = "builtin.shadow_output" (%23) {output_name:"o9"} : (tensor<1x300xi32>) -> 
    (%24) = "pd_op.data" () {dtype:int32,name:"g",place:Place(undefined:0),shape:[3,40]} : () -> tensor<3x40xi32>
    (%25, %26) = "pd_op.argsort" (%24) {axis:-1,descending:false,stable:false} : (tensor<3x40xi32>) -> tensor<3x40xi32>, tensor<3x40xi64>
    () = "builtin.shadow_output" (%25) {output_name:"o10"} : (tensor<3x40xi32>) -> 
    () = "builtin.shadow_output" (%26) {output_name:"o11"} : (tensor<3x40xi64>) -> 
    (%27, %28) = "pd_op.argsort" (%24) {axis:0,descending:true,stable:true} : (tensor<3x40xi32>) -> tensor<3x40xi32>, tensor<3x40xi64>
    () = "builtin.shadow_output" (%28) {output_name:"o12"} : (tensor<3x40xi64>) -> 
    (%29) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:5} : () -> tensor<1xi32>
    (%30, %31) = "pd_op.topk" (%21, %29) {axis:-1,largest:true,sorted:true} : (tensor<4x300xf32>, tensor<1xi32>) -> tensor<4x5xf32>, tensor<4x5xi64>
    () = "builtin.shadow_output" (%30) {output_name:"o13"} : (tensor<4x5xf32>) -> 
    (%32) = "pd_op.data" () {dtype:int64,name:"h",place:Place(undefined:0),shape:[7,1]} : () -> tensor<7x1xi64>
    (%33) = "pd_op.gather_nd" (%15, %32) {} : (tensor<9x64xf32>, tensor<7x1xi64>) -> tensor<7x64xf32>
    () = "builtin.shadow_output" (%33) {output_name:"o14"} : (tensor<7x64xf32>) -> 
    (%34, %35) = "pd_op.mode" (%24) {axis:-1,keepdim:false} : (tensor<3x40xi32>) -> tensor<3xi32>, tensor<3xi64>
    () = "builtin.shadow_output" (%34) {output_name:"o15"} : (tensor<3xi32>) -> 
    () = "builtin.shadow_output" (%35) {output_name:"o16"} : (tensor<3xi64>) -> 
    (%36) = "pd_op.data" () {dtype:float32,name:"rx",place:Place(undefined:0),shape:[-1,3,5]} : () -> tensor<-1x3x5xf32>
    (%37) = "pd_op.data" () {dtype:float32,name:"rs",place:Place(undefined:0),shape:[2,3,70]} : () -> tensor<2x3x70xf32>
    (%38) = "pd_op.data" () {dtype:float32,name:"wx",place:Place(undefined:0),shape:[210,5]} : () -> tensor<210x5xf32>
    (%39) = "pd_op.data" () {dtype:float32,name:"wh",place:Place(undefined:0),shape:[210,70]} : () -> tensor<210x70xf32>
    (%40) = "pd_op.data" () {dtype:float32,name:"wb",place:Place(undefined:0),shape:[210]} : () -> tensor<210xf32>
    (%41) = "pd_op.data" () {dtype:int32,name:"rl",place:Place(undefined:0),shape:[3]} : () -> tensor<3xi32>
    (%42) = "pd_op.full" () {dtype:uint8,place:Place(cpu),shape:[0],value:0} : () -> tensor<0xu8>
    (%43) = "builtin.combine" (%37) {} : (tensor<2x3x70xf32>) -> vec[tensor<2x3x70xf32>]
    (%44) = "builtin.combine" (%38, %39, %38, %39, %40, %40, %40, %40) {} : (tensor<210x5xf32>, tensor<210x70xf32>, tensor<210x5xf32>, tensor<210x70xf32>, tensor<210xf32>, tensor<210xf32>, tensor<210xf32>, tensor<210xf32>) -> vec[tensor<210x5xf32>,tensor<210x70xf32>,tensor<210x5xf32>,tensor<210x70xf32>,tensor<210xf32>,tensor<210xf32>,tensor<210xf32>,tensor<210xf32>]
    (%45, %46, %47, %48) = "pd_op.rnn" (%36, %43, %44, %41, %42) {dropout_prob:0,hidden_size:70,input_size:5,is_bidirec:true,is_test:true,mode:"GRU",num_layers:1,seed:0} : (tensor<-1x3x5xf32>, vec[tensor<2x3x70xf32>], vec[tensor<210x5xf32>,tensor<210x70xf32>,tensor<210x5xf32>,tensor<210x70xf32>,tensor<210xf32>,tensor<210xf32>,tensor<210xf32>,tensor<210xf32>], tensor<3xi32>, tensor<0xu8>) -> tensor<-1x3x140xf32>, tensor<0xu8>, vec[tensor<2x3x70xf32>], tensor<0xf32>
    (%49) = "builtin.split" (%47) {} : (vec[tensor<2x3x70xf32>]) -> tensor<2x3x70xf32>
    () = "builtin.shadow_output" (%45) {output_name:"o17"} : (tensor<-1x3x140xf32>) -> 
    () = "builtin.shadow_output" (%49) {output_name:"o18"} : (tensor<2x3x70xf32>) -> 
    (%50) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[5,-1]} : () -> tensor<5x-1xf32>
    (%51) = "pd_op.logcumsumexp" (%50) {axis:1,exclusive:false,flatten:false,reverse:true} : (tensor<5x-1xf32>) -> tensor<5x-1xf32>
    () = "builtin.shadow_output" (%51) {output_name:"o19"} : (tensor<5x-1xf32>) -> 
    (%52) = "pd_op.logcumsumexp" (%21) {axis:0,exclusive:true,flatten:true,reverse:true} : (tensor<4x300xf32>) -> tensor<1200xf32>
    () = "builtin.shadow_output" (%52) {output_name:"o20"} : (tensor<1200xf32>) -> 
    (%53, %54) = "pd_op.cummax" (%18) {axis:0,dtype:int32} : (tensor<4x300xi32>) -> tensor<4x300xi32>, tensor<4x300xi32>
    () = "builtin.shadow_output" (%53) {output_name:"o21"} : (tensor<4x300xi32>) -> 
    () = "builtin.shadow_output" (%54) {output_name:"o22"} : (tensor<4x300xi32>) -> 
    (%55, %56) = "pd_op.cummin" (%50) {axis:-1,dtype:int64} : (tensor<5x-1xf32>) -> tensor<5x-1xf32>, tensor<5x-1xi64>
    () = "builtin.shadow_output" (%56) {output_name:"o23"} : (tensor<5x-1xi64>) -> 
    (%57, %58) = "pd_op.argsort" (%50) {axis:-1,descending:false,stable:false} : (tensor<5x-1xf32>) -> tensor<5x-1xf32>, tensor<5x-1xi64>
    (%59) = "pd_op.searchsorted" (%57, %50) {out_int32:true,right:true} : (tensor<5x-1xf32>, tensor<5x-1xf32>) -> tensor<5x-1xi32>
    () = "builtin.shadow_output" (%59) {output_name:"o24"} : (tensor<5x-1xi32>) -> 
    (%60) = "pd_op.assign_value" () {dtype:float32,place:Place(undefined:0),shape:[2,2],values:[-0.5,0,0.25,0.5]} : () -> tensor<2x2xf32>
    (%63) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%61) = "pd_op.slice" (%57, %22, %63) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<5x-1xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<-1xf32>
    (%62) = "pd_op.searchsorted" (%61, %60) {out_int32:false,right:false} : (tensor<-1xf32>, tensor<2x2xf32>) -> tensor<2x2xi64>
    () = "builtin.shadow_output" (%62) {output_name:"o25"} : (tensor<2x2xi64>) -> 
    (%64) = "pd_op.data" () {dtype:float32,name:"map",place:Place(undefined:0),shape:[-1,4,-1,11]} : () -> tensor<-1x4x-1x11xf32>
    (%65) = "pd_op.data" () {dtype:float32,name:"boxes",place:Place(undefined:0),shape:[-1,4]} : () -> tensor<-1x4xf32>
    (%66) = "pd_op.data" () {dtype:int32,name:"images",place:Place(undefined:0),shape:[-1]} : () -> tensor<-1xi32>
    (%67) = "pd_op.roi_align" (%64, %65, %66) {aligned:false,pooled_height:3,pooled_width:2,sampling_ratio:-1,spatial_scale:0.75} : (tensor<-1x4x-1x11xf32>, tensor<-1x4xf32>, tensor<-1xi32>) -> tensor<-1x4x3x2xf32>
    () = "builtin.shadow_output" (%67) {output_name:"o26"} : (tensor<-1x4x3x2xf32>) -> 
    (%68) = "pd_op.roi_align" (%64, %65, %66) {aligned:true,pooled_height:2,pooled_width:2,sampling_ratio:2,spatial_scale:1} : (tensor<-1x4x-1x11xf32>, tensor<-1x4xf32>, tensor<-1xi32>) -> tensor<-1x4x2x2xf32>
    () = "builtin.shadow_output" (%68) {output_name:"o27"} : (tensor<-1x4x2x2xf32>) -> 
    (%71) = "pd_op.data" () {dtype:float32,name:"off",place:Place(undefined:0),shape:[-1,36,9,11]} : () -> tensor<-1x36x9x11xf32>
    (%69, %70) = "pd_op.prior_box" (%64, %71) {aspect_ratios:[2,0.5,3],clip:true,flip:true,max_sizes:[5,7],min_max_aspect_ratios_order:true,min_sizes:[2,4],offset:0.5,step_h:0,step_w:0,variances:[0.1,0.1,0.2,0.2]} : (tensor<-1x4x-1x11xf32>, tensor<-1x36x9x11xf32>) -> tensor<-1x11x12x4xf32>, tensor<-1x11x12x4xf32>
    () = "builtin.shadow_output" (%69) {output_name:"o28"} : (tensor<-1x11x12x4xf32>) -> 
    () = "builtin.shadow_output" (%70) {output_name:"o29"} : (tensor<-1x11x12x4xf32>) -> 
    (%72) = "pd_op.data" () {dtype:float32,name:"kept",place:Place(undefined:0),shape:[-1,18,9,11]} : () -> tensor<-1x18x9x11xf32>
    (%73) = "pd_op.data" () {dtype:float32,name:"filter",place:Place(undefined:0),shape:[6,2,3,3]} : () -> tensor<6x2x3x3xf32>
    (%74) = "pd_op.deformable_conv" (%64, %71, %73, %72) {deformable_groups:2,dilations:[1,1],groups:2,im2col_step:1,paddings:[1,1],strides:[1,1]} : (tensor<-1x4x-1x11xf32>, tensor<-1x36x9x11xf32>, tensor<6x2x3x3xf32>, tensor<-1x18x9x11xf32>) -> tensor<-1x6x-1x11xf32>
    () = "builtin.shadow_output" (%74) {output_name:"o30"} : (tensor<-1x6x-1x11xf32>) -> 
    (%75, %76) = "pd_op.topk" (%24, %29) {axis:-1,largest:true,sorted:true} : (tensor<3x40xi32>, tensor<1xi32>) -> tensor<3x5xi32>, tensor<3x5xi64>
    () = "builtin.shadow_output" (%75) {output_name:"o31"} : (tensor<3x5xi32>) -> 
    () = "builtin.shadow_output" (%76) {output_name:"o32"} : (tensor<3x5xi64>) -> 
    (%77, %78) = "pd_op.topk" (%50, %29) {axis:1,largest:false,sorted:true} : (tensor<5x-1xf32>, tensor<1xi32>) -> tensor<5x5xf32>, tensor<5x5xi64>
    () = "builtin.shadow_output" (%78) {output_name:"o33"} : (tensor<5x5xi64>) -> 
}
