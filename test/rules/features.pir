// RUN: pir-opt %s --split-input-file --verify-each --rules=%S/inputs/features.drr | FileCheck %s

// The constant comes from an op and from another; the first product is read elsewhere and stays.
// CHECK: (%[[A:[0-9]+]]) = "pd_op.multiply" (%{{[0-9]+}}, %0)
// CHECK-NEXT: (%[[S:[0-9]+]]) = "pd_op.swish" (%1)
// CHECK-NEXT: (%[[D:[0-9]+]]) = "pd_op.subtract" (%[[A]], %[[S]])
// CHECK-NEXT: "pd_op.fetch" (%[[D]])
// CHECK-NEXT: "pd_op.fetch" (%[[A]])
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
    (%3) = "pd_op.scale" (%0, %2) {bias:0,bias_after_scale:true} : (tensor<-1x3xf32>, tensor<1xf32>) -> tensor<-1x3xf32>
    (%4) = "pd_op.sigmoid" (%3) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%5) = "pd_op.multiply" (%4, %0) {} : (tensor<-1x3xf32>, tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%6) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],value:2} : () -> tensor<f32>
    (%7) = "pd_op.scale" (%1, %6) {bias:0,bias_after_scale:true} : (tensor<-1x3xf32>, tensor<f32>) -> tensor<-1x3xf32>
    (%8) = "pd_op.sigmoid" (%7) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%9) = "pd_op.multiply" (%1, %8) {} : (tensor<-1x3xf32>, tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%10) = "pd_op.add" (%5, %9) {} : (tensor<-1x3xf32>, tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%11) = "pd_op.fetch" (%10) {col:0,name:"a"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%12) = "pd_op.fetch" (%5) {col:1,name:"b"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
}

// -----
// CHECK:      (%2) = "builtin.combine" (%0, %1)
// CHECK-NEXT: (%3) = "pd_op.full" () {{.*}}value:1}
// CHECK-NEXT: (%4) = "pd_op.concat" (%2, %3)
// CHECK-NEXT: (%5) = "pd_op.cast" (%4) {dtype:float64}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2,5]} : () -> tensor<2x5xf32>
    (%2) = "pd_op.cast" (%0) {dtype:float64} : (tensor<2x3xf32>) -> tensor<2x3xf64>
    (%3) = "pd_op.cast" (%1) {dtype:float64} : (tensor<2x5xf32>) -> tensor<2x5xf64>
    (%4) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%5) = "builtin.combine" (%2, %3) {} : (tensor<2x3xf64>, tensor<2x5xf64>) -> vec[tensor<2x3xf64>,tensor<2x5xf64>]
    (%6) = "pd_op.concat" (%5, %4) {} : (vec[tensor<2x3xf64>,tensor<2x5xf64>], tensor<1xi32>) -> tensor<2x8xf64>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"a"} : (tensor<2x8xf64>) -> tensor<2x8xf64>
}

// -----
// One of the casts is to another type.
// CHECK: "pd_op.cast" (%0)
// CHECK: "builtin.combine"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:float16,name:"y",place:Place(cpu),shape:[2,5]} : () -> tensor<2x5xf16>
    (%2) = "pd_op.cast" (%0) {dtype:float64} : (tensor<2x3xf32>) -> tensor<2x3xf64>
    (%3) = "pd_op.cast" (%1) {dtype:float64} : (tensor<2x5xf16>) -> tensor<2x5xf64>
    (%4) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%5) = "builtin.combine" (%2, %3) {} : (tensor<2x3xf64>, tensor<2x5xf64>) -> vec[tensor<2x3xf64>,tensor<2x5xf64>]
    (%6) = "pd_op.concat" (%5, %4) {} : (vec[tensor<2x3xf64>,tensor<2x5xf64>], tensor<1xi32>) -> tensor<2x8xf64>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"a"} : (tensor<2x8xf64>) -> tensor<2x8xf64>
}

// -----
// The sum is read before the norm, so all of it moves up.
// CHECK:      (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,3,4]}
// CHECK-NEXT: (%4) = "pd_op.reshape" (%1, %3)
// CHECK-NEXT: (%5) = "pd_op.add" (%4, %0)
// CHECK-NEXT: (%6, %7, %8) = "pd_op.layer_norm" (%5, %2, <<NULL VALUE>>) {begin_norm_axis:2,epsilon:0.50002}
// CHECK-NEXT: (%9) = "pd_op.relu" (%5)
// CHECK-NEXT: "pd_op.fetch" (%9)
// CHECK-NEXT: "pd_op.fetch" (%6)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[-1,3,4]} : () -> tensor<-1x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[-1,3,4]} : () -> tensor<-1x3x4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"s"} : () -> tensor<4xf32>
    (%3) = "pd_op.add" (%0, %1) {} : (tensor<-1x3x4xf32>, tensor<-1x3x4xf32>) -> tensor<-1x3x4xf32>
    (%4) = "pd_op.relu" (%3) {} : (tensor<-1x3x4xf32>) -> tensor<-1x3x4xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"a"} : (tensor<-1x3x4xf32>) -> tensor<-1x3x4xf32>
    (%6, %7, %8) = "pd_op.layer_norm" (%3, %2, <<NULL VALUE>>) {begin_norm_axis:2,epsilon:1e-05} : (tensor<-1x3x4xf32>, tensor<4xf32>, <<NULL TYPE>>) -> tensor<-1x3x4xf32>, tensor<-1x3xf32>, tensor<-1x3xf32>
    (%9) = "pd_op.fetch" (%6) {col:1,name:"b"} : (tensor<-1x3x4xf32>) -> tensor<-1x3x4xf32>
}

// -----
// CHECK:      (%1) = "pd_op.tanh" (%0)
// CHECK-NEXT: (%2) = "pd_op.tan" (%0)
// CHECK-NEXT: "pd_op.fetch" (%1)
// CHECK-NEXT: "pd_op.fetch" (%2)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.sin" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"a"} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.cos" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.fetch" (%3) {col:1,name:"b"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// CHECK: (%1, %2, %3) = "pd_op.layer_norm" (%0, <<NULL VALUE>>, <<NULL VALUE>>) {begin_norm_axis:1,epsilon:0.25}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,4]} : () -> tensor<2x4xf32>
    (%1, %2, %3) = "pd_op.layer_norm" (%0, <<NULL VALUE>>, <<NULL VALUE>>) {begin_norm_axis:1,epsilon:0.5} : (tensor<2x4xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>
    (%4) = "pd_op.fetch" (%1) {col:0,name:"a"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
}

// -----
// What an op writes over may not be read later than before: the emit would read %0 behind the relu_.
// CHECK: "pd_op.sin"
// CHECK: "pd_op.cos"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.sin" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.relu_" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.cos" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.fetch" (%1) {col:0,name:"a"} : (tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.fetch" (%3) {col:1,name:"b"} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.fetch" (%2) {col:2,name:"c"} : (tensor<2xf32>) -> tensor<2xf32>
}
