// Functions of floats give f32 for integers, as if a cast stood before them: Paddle's API puts one there. In its place, an integer cannot become a float.
// RUN: pir-run %s --input=x=4xi32=random:5 --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=x=4xi32=random:5 --pipeline='check,prepare,group{few=0},dce,bind' --print | FileCheck %s
// CHECK: rsqrt: float32[4]
// CHECK-NEXT: [inf, 0.57735026, inf, inf]
// CHECK: reciprocal: float32[4]
// CHECK-NEXT: [inf, 0.33333334, inf, inf]
// CHECK: sigmoid: float32[4]
// CHECK-NEXT: [0.5, 0.95257413, 0.5, 0.5]
// CHECK: logit: float32[4]
// CHECK-NEXT: [-inf, nan, -inf, -inf]
// CHECK: polygamma: float32[4]
// CHECK-NEXT: [inf, 0.39493406, inf, inf]
// CHECK: logsumexp: float32[]
// CHECK-NEXT: 3.13920
//
// RUN: sed 's/pd_op.rsqrt/pd_op.rsqrt_/' %s | not pir-opt --passes=check 2>&1 | FileCheck %s --check-prefix=TWIN
// TWIN: error: "pd_op.rsqrt_" operand x: expects floats, found uint8
{
    (%0) = "pd_op.data" () {dtype:int32,name:"x",place:Place(undefined:0),shape:[4]} : () -> tensor<4xi32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:3} : () -> tensor<1xf32>
    (%2) = "pd_op.scale" (%0, %1) {bias:0,bias_after_scale:true} : (tensor<4xi32>, tensor<1xf32>) -> tensor<4xi32>
    (%3) = "pd_op.cast" (%2) {dtype:uint8} : (tensor<4xi32>) -> tensor<4xu8>
    (%4) = "pd_op.rsqrt" (%3) {} : (tensor<4xu8>) -> tensor<4xf32>
    (%5) = "pd_op.reciprocal" (%2) {} : (tensor<4xi32>) -> tensor<4xf32>
    (%6) = "pd_op.sigmoid" (%3) {} : (tensor<4xu8>) -> tensor<4xf32>
    (%7) = "pd_op.logit" (%2) {eps:0} : (tensor<4xi32>) -> tensor<4xf32>
    (%8) = "pd_op.polygamma" (%2) {n:1} : (tensor<4xi32>) -> tensor<4xf32>
    (%9) = "pd_op.logsumexp" (%2) {axis:[],keepdim:false,reduce_all:true} : (tensor<4xi32>) -> tensor<f32>
    () = "builtin.shadow_output" (%4) {output_name:"rsqrt"} : (tensor<4xf32>) -> 
    () = "builtin.shadow_output" (%5) {output_name:"reciprocal"} : (tensor<4xf32>) -> 
    () = "builtin.shadow_output" (%6) {output_name:"sigmoid"} : (tensor<4xf32>) -> 
    () = "builtin.shadow_output" (%7) {output_name:"logit"} : (tensor<4xf32>) -> 
    () = "builtin.shadow_output" (%8) {output_name:"polygamma"} : (tensor<4xf32>) -> 
    () = "builtin.shadow_output" (%9) {output_name:"logsumexp"} : (tensor<f32>) -> 
}
