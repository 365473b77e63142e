// Activations at their thresholds, at infinities and for a NaN, and functions near the points where they are hard to compute, give Paddle's numbers.
// RUN: pir-run %s --input=zero=1xf32=0 --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=zero=1xf32=0 --pipeline='check,group{few=0},dce,bind' --print | FileCheck %s
// RUN: pir-run %s --input=zero=1xf32=0 --pipeline='check,group{few=0},dce,bind' --target=x86-64 --print | FileCheck %s
// CHECK: relu: float32[6]
// CHECK-NEXT: [0.5, 0, 0, inf, 0, 2]
// CHECK-NEXT: hardshrink: float32[6]
// CHECK-NEXT: [0.5, -0.5, {{-?}}nan, inf, -inf, 2]
// CHECK-NEXT: hardshrink_grad: float32[6]
// CHECK-NEXT: [1, 1, 0, 1, 1, 1]
// CHECK-NEXT: thresholded: float32[6]
// CHECK-NEXT: [0.75, 0.75, {{-?}}nan, inf, {{-?}}nan, 2]
// CHECK-NEXT: erfinv is near: bool[2]
// CHECK-NEXT: [1, 1]
// CHECK-NEXT: digamma: float64[2]
// CHECK-NEXT: [1e+30, 2.9141391]
{
    (%zero) = "pd_op.data" () {dtype:float32,name:"zero",place:Place(undefined:0),shape:[1]} : () -> tensor<1xf32>
    (%at) = "pd_op.assign_value" () {dtype:float32,place:Place(cpu),shape:[6],values:[0.5,-0.5,nan,inf,-inf,2]} : () -> tensor<6xf32>
    (%x) = "pd_op.add" (%zero, %at) {} : (tensor<1xf32>, tensor<6xf32>) -> tensor<6xf32>
    (%one) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%ones) = "pd_op.full_like" (%x, %one) {dtype:float32,place:Place(undefined:0)} : (tensor<6xf32>, tensor<1xf32>) -> tensor<6xf32>
    (%relu) = "pd_op.relu" (%x) {} : (tensor<6xf32>) -> tensor<6xf32>
    (%hardshrink) = "pd_op.hardshrink" (%x) {threshold:0.5} : (tensor<6xf32>) -> tensor<6xf32>
    (%grad) = "pd_op.hardshrink_grad" (%x, %ones) {threshold:0.5} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    (%thresholded) = "pd_op.thresholded_relu" (%x) {threshold:0.5,value:0.75} : (tensor<6xf32>) -> tensor<6xf32>
    (%wide) = "pd_op.cast" (%zero) {dtype:float64} : (tensor<1xf32>) -> tensor<1xf64>
    (%shares) = "pd_op.assign_value" () {dtype:float64,place:Place(cpu),shape:[2],values:[0.5,-0.75]} : () -> tensor<2xf64>
    (%share) = "pd_op.add" (%wide, %shares) {} : (tensor<1xf64>, tensor<2xf64>) -> tensor<2xf64>
    (%erfinv) = "pd_op.erfinv" (%share) {} : (tensor<2xf64>) -> tensor<2xf64>
    (%expected) = "pd_op.assign_value" () {dtype:float64,place:Place(cpu),shape:[2],values:[0.4769362762044699,-0.8134198475976184]} : () -> tensor<2xf64>
    (%off) = "pd_op.subtract" (%erfinv, %expected) {} : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    (%size) = "pd_op.abs" (%off) {} : (tensor<2xf64>) -> tensor<2xf64>
    (%limit) = "pd_op.full" () {dtype:float64,place:Place(cpu),shape:[1],value:1e-15} : () -> tensor<1xf64>
    (%near) = "pd_op.less_than" (%size, %limit) {} : (tensor<2xf64>, tensor<1xf64>) -> tensor<2xb>
    (%poles) = "pd_op.assign_value" () {dtype:float64,place:Place(cpu),shape:[2],values:[-1e-30,-0.25]} : () -> tensor<2xf64>
    (%pole) = "pd_op.add" (%wide, %poles) {} : (tensor<1xf64>, tensor<2xf64>) -> tensor<2xf64>
    (%digamma) = "pd_op.digamma" (%pole) {} : (tensor<2xf64>) -> tensor<2xf64>
    (%o0) = "pd_op.fetch" (%relu) {col:0,name:"relu"} : (tensor<6xf32>) -> tensor<6xf32>
    (%o1) = "pd_op.fetch" (%hardshrink) {col:1,name:"hardshrink"} : (tensor<6xf32>) -> tensor<6xf32>
    (%o2) = "pd_op.fetch" (%grad) {col:2,name:"hardshrink_grad"} : (tensor<6xf32>) -> tensor<6xf32>
    (%o3) = "pd_op.fetch" (%thresholded) {col:3,name:"thresholded"} : (tensor<6xf32>) -> tensor<6xf32>
    (%o4) = "pd_op.fetch" (%near) {col:4,name:"erfinv is near"} : (tensor<2xb>) -> tensor<2xb>
    (%o5) = "pd_op.fetch" (%digamma) {col:5,name:"digamma"} : (tensor<2xf64>) -> tensor<2xf64>
}
