// Products below 1.2e-38 stay what they are, or are 0 on every thread: as in Paddle's executor, and as in its predictor.
// RUN: pir-run %s --input=x=400000xf32=1e-30 --print | FileCheck %s
// RUN: pir-run %s --input=x=400000xf32=1e-30 --print --pipeline=kernels | FileCheck %s
// RUN: pir-run %s --input=x=400000xf32=1e-30 --print --flush-subnormals --threads=1 | FileCheck %s --check-prefix=FLUSH
// RUN: pir-run %s --input=x=400000xf32=1e-30 --print --flush-subnormals --threads=3 | FileCheck %s --check-prefix=FLUSH
// RUN: pir-run %s --input=x=400000xf32=1e-30 --print --flush-subnormals --threads=3 --pipeline=kernels | FileCheck %s --check-prefix=FLUSH
// CHECK: most: float32[]
// CHECK-NEXT: {{^}}0.0099
// FLUSH: most: float32[]
// FLUSH-NEXT: {{^}}0{{$}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1],stop_gradient:[true]} : () -> tensor<-1xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1e-10} : () -> tensor<1xf32>
    (%2) = "pd_op.scale" (%0, %1) {bias:0,bias_after_scale:true,stop_gradient:[true]} : (tensor<-1xf32>, tensor<1xf32>) -> tensor<-1xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%4) = "pd_op.max" (%2, %3) {keepdim:false,stop_gradient:[true]} : (tensor<-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1e38} : () -> tensor<1xf32>
    (%6) = "pd_op.scale" (%4, %5) {bias:0,bias_after_scale:true,stop_gradient:[true]} : (tensor<f32>, tensor<1xf32>) -> tensor<f32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"most",persistable:[true],stop_gradient:[true]} : (tensor<f32>) -> tensor<f32>
}
