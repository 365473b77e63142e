// States the types that inference finds: unknown extents are -1, what nothing is known of stays.
// RUN: pir-opt --passes=infer_types --stats %s 2>%t.stats | FileCheck %s
// RUN: FileCheck --check-prefix=STATS %s <%t.stats
// STATS: types changed
{
  (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,8],stop_gradient:[true]} : () -> tensor<-1x8xf32>
  // CHECK: "pd_op.relu"{{.*}} -> tensor<-1x8xf32>
  (%1) = "pd_op.relu" (%0) {} : (tensor<-1x8xf32>) -> tensor<3x8xf32>
  (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
  // CHECK: "pd_op.sum"{{.*}} : (tensor<-1x8xf32>, tensor<1xi64>) -> tensor<-1x1xf64>
  (%3) = "pd_op.sum" (%1, %2) {dtype:float64,keepdim:true} : (tensor<3x8xf32>, tensor<1xi64>) -> tensor<f32>
  // CHECK: "pd_op.split_with_num"{{.*}} -> vec[tensor<-1x4xf32>,tensor<-1x4xf32>]
  (%4) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
  (%5) = "pd_op.split_with_num" (%1, %4) {num:2} : (tensor<3x8xf32>, tensor<1xi32>) -> vec[tensor<f32>,tensor<f32>]
  // CHECK: "my.op"{{.*}} -> tensor<7xf32>
  (%6) = "my.op" (%1) {} : (tensor<3x8xf32>) -> tensor<7xf32>
}
