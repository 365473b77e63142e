// Weights of 64 or 192 rows and 4 columns as 8-bit integers and back: within half a step of what they were, in any column. A
// product with them is that of the rounded weights. A matrix that no tile fits is refused.
// RUN: pir-run %s --input=x=2x64xf32=random:1 --input=w=64x4xf32=random:2 --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=x=2x192xf32=random:1 --input=w=192x4xf32=random:2 --print | FileCheck %s
// RUN: not pir-run %s --input=x=2x62xf32=random:1 --input=w=62x4xf32=random:2 --pipeline=kernels 2>&1 | FileCheck --check-prefix=TILE %s
// CHECK:      half: bool[]
// CHECK-NEXT: 1
// CHECK:      plain: bool[]
// CHECK-NEXT: 1
// CHECK:      same: bool[]
// CHECK-NEXT: 1
// TILE: weight_quantize: expects $algo == "llm.int8" || dim(x, 0) % 64 == 0 && dim(x, 1) % ($algo == "weight_only_int4" ? 4 : 2) == 0, found x [62,4], algo "weight_only_int8"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,-1],stop_gradient:[true]} : () -> tensor<2x-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[-1,4],stop_gradient:[true]} : () -> tensor<-1x4xf32>
    (%2, %3) = "pd_op.weight_quantize" (%1) {algo:"weight_only_int8",arch:80,group_size:-1,stop_gradient:[true,true]} : (tensor<-1x4xf32>) -> tensor<4x-1xi8>, tensor<4xf32>
    (%4) = "pd_op.weight_dequantize" (%2, %3) {algo:"weight_only_int8",group_size:-1,stop_gradient:[true]} : (tensor<4x-1xi8>, tensor<4xf32>) -> tensor<-1x4xf32>
    (%5) = "pd_op.subtract" (%4, %1) {stop_gradient:[true]} : (tensor<-1x4xf32>, tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%6) = "pd_op.abs" (%5) {stop_gradient:[true]} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%7) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0.501} : () -> tensor<1xf32>
    (%8) = "pd_op.multiply" (%3, %7) {stop_gradient:[true]} : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
    (%9) = "pd_op.less_equal" (%6, %8) {stop_gradient:[true]} : (tensor<-1x4xf32>, tensor<4xf32>) -> tensor<-1x4xb>
    (%10) = "pd_op.all" (%9) {axis:[],keepdim:false,stop_gradient:[true]} : (tensor<-1x4xb>) -> tensor<b>
    (%11, %12) = "pd_op.weight_quantize" (%1) {algo:"llm.int8",arch:80,group_size:-1,stop_gradient:[true,true]} : (tensor<-1x4xf32>) -> tensor<4x-1xi8>, tensor<4xf32>
    (%13) = "pd_op.weight_dequantize" (%11, %12) {algo:"llm.int8",group_size:-1,stop_gradient:[true]} : (tensor<4x-1xi8>, tensor<4xf32>) -> tensor<-1x4xf32>
    (%14) = "pd_op.equal_all" (%13, %4) {stop_gradient:[true]} : (tensor<-1x4xf32>, tensor<-1x4xf32>) -> tensor<b>
    (%15) = "pd_op.matmul" (%0, %4) {stop_gradient:[true],transpose_x:false,transpose_y:false} : (tensor<2x-1xf32>, tensor<-1x4xf32>) -> tensor<2x4xf32>
    (%16) = "pd_op.add" (%15, %3) {stop_gradient:[true]} : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    (%17) = "pd_op.weight_only_linear" (%0, %2, %3, %3) {arch:80,group_size:-1,stop_gradient:[true],weight_dtype:"int8"} : (tensor<2x-1xf32>, tensor<4x-1xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    (%19) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1e-05} : () -> tensor<1xf32>
    (%20) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1e-05} : () -> tensor<1xf32>
    (%18) = "pd_op.allclose" (%17, %16, %19, %20) {equal_nan:false,stop_gradient:[true]} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<b>
    (%21) = "pd_op.fetch" (%10) {col:0,name:"half",persistable:[true],stop_gradient:[true]} : (tensor<b>) -> tensor<b>
    (%22) = "pd_op.fetch" (%14) {col:1,name:"plain",persistable:[true],stop_gradient:[true]} : (tensor<b>) -> tensor<b>
    (%23) = "pd_op.fetch" (%18) {col:2,name:"same",persistable:[true],stop_gradient:[true]} : (tensor<b>) -> tensor<b>
}
