// RUN: pir-opt %s --split-input-file --verify-each --passes=identity_op_clean | FileCheck %s

// Every rule once: two casts of which one holds all that comes, scales, a concatenation of one, dropout in a test.
// CHECK:      (%1) = "pd_op.cast" (%0) {dtype:float64
// CHECK-NEXT: (%2) = "pd_op.full" () {{.*}}value:4.5}
// CHECK-NEXT: (%3) = "pd_op.scale" (%1, %2) {bias:5.25,bias_after_scale:true}
// CHECK-NEXT: "pd_op.fetch" (%3)
{
    (%0) = "pd_op.data" () {dtype:float16,name:"x",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf16>
    (%1) = "pd_op.cast" (%0) {dtype:float32} : (tensor<-1x3xf16>) -> tensor<-1x3xf32>
    (%2) = "pd_op.cast" (%1) {dtype:float64} : (tensor<-1x3xf32>) -> tensor<-1x3xf64>
    (%3) = "pd_op.cast" (%2) {dtype:float64} : (tensor<-1x3xf64>) -> tensor<-1x3xf64>
    (%4) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%5) = "pd_op.scale" (%3, %4) {bias:0,bias_after_scale:true} : (tensor<-1x3xf64>, tensor<1xf32>) -> tensor<-1x3xf64>
    (%6) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
    (%7) = "pd_op.scale" (%5, %6) {bias:1,bias_after_scale:false} : (tensor<-1x3xf64>, tensor<1xf32>) -> tensor<-1x3xf64>
    (%8) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:3} : () -> tensor<1xf32>
    (%9) = "pd_op.scale" (%7, %8) {bias:1,bias_after_scale:true} : (tensor<-1x3xf64>, tensor<1xf32>) -> tensor<-1x3xf64>
    (%10) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%11) = "builtin.combine" (%9) {} : (tensor<-1x3xf64>) -> vec[tensor<-1x3xf64>]
    (%12) = "pd_op.concat" (%11, %10) {} : (vec[tensor<-1x3xf64>], tensor<1xi32>) -> tensor<-1x3xf64>
    (%13) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.25} : () -> tensor<1xf32>
    (%14, %15) = "pd_op.dropout" (%12, <<NULL VALUE>>, %13) {fix_seed:false,is_test:true,mode:"upscale_in_train",seed:0} : (tensor<-1x3xf64>, <<NULL TYPE>>, tensor<1xf32>) -> tensor<-1x3xf64>, tensor<-1x3xu8>
    (%16, %17) = "pd_op.dropout" (%14, <<NULL VALUE>>, %13) {fix_seed:false,is_test:true,mode:"downgrade_in_infer",seed:0} : (tensor<-1x3xf64>, <<NULL TYPE>>, tensor<1xf32>) -> tensor<-1x3xf64>, tensor<-1x3xu8>
    (%18) = "pd_op.fetch" (%16) {col:0,name:"y"} : (tensor<-1x3xf64>) -> tensor<-1x3xf64>
}

// -----
// Not: a bias, integers and a factor that is none, a type that loses digits, dropout in training, a concatenation of two.
// CHECK:      (%3) = "pd_op.scale" (%0, %2) {bias:1,
// CHECK:      "pd_op.scale" (%3, %{{.}}) {bias:1,
// CHECK-NEXT: "pd_op.cast" ({{.*}}) {dtype:float64}
// CHECK-NEXT: "pd_op.cast" ({{.*}}) {dtype:float16}
// CHECK-NEXT: "pd_op.cast" ({{.*}}) {dtype:float32}
// CHECK:      "pd_op.dropout"
// CHECK:      "builtin.combine"
// CHECK-NEXT: "pd_op.concat"
{
    (%0) = "pd_op.data" () {dtype:int64,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xi64>
    (%1) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%3) = "pd_op.scale" (%0, %2) {bias:1,bias_after_scale:true} : (tensor<2x3xi64>, tensor<1xf32>) -> tensor<2x3xi64>
    (%13) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1.5} : () -> tensor<1xf32>
    (%4) = "pd_op.scale" (%3, %13) {bias:1,bias_after_scale:true} : (tensor<2x3xi64>, tensor<1xf32>) -> tensor<2x3xi64>
    (%5) = "pd_op.cast" (%4) {dtype:float64} : (tensor<2x3xi64>) -> tensor<2x3xf64>
    (%6) = "pd_op.cast" (%5) {dtype:float16} : (tensor<2x3xf64>) -> tensor<2x3xf16>
    (%7) = "pd_op.cast" (%6) {dtype:float32} : (tensor<2x3xf16>) -> tensor<2x3xf32>
    (%8, %9) = "pd_op.dropout" (%7, <<NULL VALUE>>, %2) {fix_seed:false,is_test:false,mode:"upscale_in_train",seed:0} : (tensor<2x3xf32>, <<NULL TYPE>>, tensor<1xf32>) -> tensor<2x3xf32>, tensor<2x3xu8>
    (%10) = "builtin.combine" (%8, %7) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> vec[tensor<2x3xf32>,tensor<2x3xf32>]
    (%11) = "pd_op.concat" (%10, %1) {} : (vec[tensor<2x3xf32>,tensor<2x3xf32>], tensor<1xi32>) -> tensor<2x6xf32>
    (%12) = "pd_op.fetch" (%11) {col:0,name:"y"} : (tensor<2x6xf32>) -> tensor<2x6xf32>
}

// -----
// Integers by whole numbers: 2 (3 x + 4) - 1.
// CHECK:      "pd_op.full" () {{.*}}value:6}
// CHECK-NEXT: "pd_op.scale" ({{.*}}) {bias:7,bias_after_scale:true}
// CHECK-NEXT: "pd_op.fetch"
{
    (%0) = "pd_op.data" () {dtype:int64,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xi64>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:3} : () -> tensor<1xf32>
    (%2) = "pd_op.scale" (%0, %1) {bias:4,bias_after_scale:true} : (tensor<2x3xi64>, tensor<1xf32>) -> tensor<2x3xi64>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
    (%4) = "pd_op.scale" (%2, %3) {bias:-1,bias_after_scale:true} : (tensor<2x3xi64>, tensor<1xf32>) -> tensor<2x3xi64>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"y"} : (tensor<2x3xi64>) -> tensor<2x3xi64>
}
