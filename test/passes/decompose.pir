// RUN: pir-opt %s --split-input-file --verify-each --passes=decompose | FileCheck %s
// RUN: pir-opt %s --split-input-file --passes='decompose{allow=softmax|pd_op.add_n}' | FileCheck %s --check-prefix=ALLOW
// RUN: pir-opt %s --split-input-file --passes='decompose{deny=relu6|pd_op.softmax,dynamic=false}' | FileCheck %s --check-prefix=DENY
// RUN: pir-opt %s --split-input-file --verify-each --passes=decompose,decompose_skipped | FileCheck %s --check-prefix=SKIPPED

// What is made says where it comes from, and is not expanded again: the squeezes of a layer norm stay squeezes.
// CHECK: "pd_op.max"{{.*}}comp_op_name:"pd_op.softmax"
// CHECK: "pd_op.divide"{{.*}}comp_op_name:"pd_op.softmax"
// CHECK: "pd_op.minimum"{{.*}}comp_op_name:"pd_op.relu6"
// CHECK: "pd_op.rsqrt"{{.*}}comp_op_name:"pd_op.layer_norm"
// CHECK: "pd_op.squeeze"{{.*}}comp_op_name:"pd_op.layer_norm"
// CHECK: "pd_op.embedding"
// ALLOW: "pd_op.max"
// ALLOW: "pd_op.relu6"
// ALLOW: "pd_op.layer_norm"
// DENY: "pd_op.softmax"
// DENY: "pd_op.relu6"
// DENY: "pd_op.rsqrt"
// SKIPPED: "pd_op.gather"{{.*}}comp_op_name:"pd_op.embedding"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"i",place:Place(undefined:0),shape:[2]} : () -> tensor<2xi64>
    (%2) = "pd_op.softmax" (%0) {axis:-1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.relu6" (%2) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%4, %5, %6) = "pd_op.layer_norm" (%3, <<NULL VALUE>>, <<NULL VALUE>>) {begin_norm_axis:1,epsilon:1e-05} : (tensor<2x3xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>
    (%7) = "pd_op.embedding" (%1, %4) {padding_idx:-1,sparse:false} : (tensor<2xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%8) = "pd_op.fetch" (%7) {col:0,name:"y"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----

// One part of a sum at a time; the list that was there stays. Dynamic extents are left alone when asked.
// CHECK: "builtin.combine" (%0, %0, %0)
// CHECK-NEXT: [[SUM:%[0-9]+]]) = "pd_op.add" (%0, %0)
// CHECK-NEXT: "pd_op.add" ([[SUM]], %0)
// CHECK-NEXT: "pd_op.fetch"
// ALLOW: "pd_op.add" (%0, %0)
// DENY: "pd_op.add_n"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%1) = "builtin.combine" (%0, %0, %0) {} : (tensor<-1x3xf32>, tensor<-1x3xf32>, tensor<-1x3xf32>) -> vec[tensor<-1x3xf32>,tensor<-1x3xf32>,tensor<-1x3xf32>]
    (%2) = "pd_op.add_n" (%1) {} : (vec[tensor<-1x3xf32>,tensor<-1x3xf32>,tensor<-1x3xf32>]) -> tensor<-1x3xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
}

// -----

// An extent that only the run shows is read from the shape.
// CHECK: "pd_op.shape64" (%0)
// CHECK: "pd_op.slice"
// CHECK: "pd_op.divide"
// DENY: "pd_op.mean" (%0
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%2) = "pd_op.mean" (%0, %1) {keepdim:false} : (tensor<-1x3xf32>, tensor<1xi64>) -> tensor<3xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<3xf32>) -> tensor<3xf32>
}

// -----

// Of a number alone the bounds are reshaped; whole numbers have no average in their own type.
// CHECK: "pd_op.reshape" (%1, %{{[0-9]+}}) {comp_op_name:"pd_op.clip"} {{.*}} -> tensor<f32>
// CHECK: "pd_op.where"
// CHECK: "pd_op.mean"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[]} : () -> tensor<f32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:-0.5} : () -> tensor<1xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xf32>
    (%3) = "pd_op.clip" (%0, %1, %2) {} : (tensor<f32>, tensor<1xf32>, tensor<1xf32>) -> tensor<f32>
    (%4) = "pd_op.data" () {dtype:int32,name:"i",place:Place(undefined:0),shape:[4]} : () -> tensor<4xi32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%6) = "pd_op.mean" (%4, %5) {keepdim:false} : (tensor<4xi32>, tensor<1xi64>) -> tensor<i32>
    (%7) = "pd_op.fetch" (%3) {col:0,name:"y"} : (tensor<f32>) -> tensor<f32>
    (%8) = "pd_op.fetch" (%6) {col:1,name:"z"} : (tensor<i32>) -> tensor<i32>
}
