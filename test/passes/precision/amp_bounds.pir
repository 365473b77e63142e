// What keeps f32: numbers out of the range of f16, f64, lists of two types, values that are overwritten; and the options that change it.
// RUN: pir-opt %s --verify-each --passes=amp,check | FileCheck %s
// RUN: pir-opt %s --verify-each --passes='amp{precision=bfloat16,allow=relu|concat|leaky_relu},check' | FileCheck %s --check-prefix=WIDE
// RUN: pir-opt %s --verify-each --passes='amp{precision=float16,io=true},check' | FileCheck %s --check-prefix=IO

// 1e6 and 70000 are no f16, infinity is one. A list of an f32 and an f64 stays as it is.
// CHECK:      "pd_op.add" ({{.*}} -> tensor<2x4xf64>
// CHECK:      "pd_op.multiply" (%0, %{{[0-9]+}}) {{.*}} -> tensor<2x4xf32>
// CHECK-NEXT: "pd_op.leaky_relu" {{.*}} -> tensor<2x4xf32>
// CHECK-NEXT: "pd_op.cast" {{.*}} {dtype:float16}
// CHECK-NEXT: "pd_op.full" () {dtype:float16
// CHECK-NEXT: "pd_op.minimum" {{.*}} -> tensor<2x4xf16>
// CHECK:      "pd_op.relu" (%0) {{.*}} -> tensor<2x4xf32>
// CHECK-NEXT: "builtin.combine" {{.*}} -> vec[tensor<2x4xf32>,tensor<2x4xf32>]
// CHECK-NEXT: "pd_op.concat" {{.*}} -> tensor<2x8xf32>
// CHECK:      "builtin.combine" {{.*}} -> vec[tensor<2x4xf32>,tensor<2x4xf64>]
// CHECK:      "pd_op.relu_" {{.*}} -> tensor<2x4xf32>
// CHECK:      "pd_op.split_with_num" {{.*}} -> vec[tensor<2x4xf16>,tensor<2x4xf16>]
// CHECK:      "pd_op.where" {{.*}} -> tensor<2x4xf16>

// WIDE: "pd_op.multiply" {{.*}} -> tensor<2x4xbf16>
// WIDE: "pd_op.leaky_relu" {{.*}} -> tensor<2x4xbf16>
// WIDE: "pd_op.relu" (%0) {{.*}} -> tensor<2x4xf32>
// WIDE: "pd_op.where" {{.*}} -> tensor<2x4xbf16>

// IO: "pd_op.data" () {dtype:float16,name:"x"
// IO: "pd_op.data" () {dtype:float64,name:"d"
// IO: "pd_op.fetch" {{.*}} -> tensor<2x2xf16>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,4]} : () -> tensor<2x4xf32>
    (%1) = "pd_op.data" () {dtype:float64,name:"d",place:Place(cpu),shape:[2,4]} : () -> tensor<2x4xf64>
    (%2) = "pd_op.relu" (%1) {} : (tensor<2x4xf64>) -> tensor<2x4xf64>
    (%3) = "pd_op.cast" (%0) {dtype:float64} : (tensor<2x4xf32>) -> tensor<2x4xf64>
    (%4) = "pd_op.add" (%2, %3) {} : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
    (%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1e+06} : () -> tensor<1xf32>
    (%6) = "pd_op.multiply" (%0, %5) {} : (tensor<2x4xf32>, tensor<1xf32>) -> tensor<2x4xf32>
    (%7) = "pd_op.leaky_relu" (%6) {negative_slope:70000} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    (%8) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:inf} : () -> tensor<1xf32>
    (%9) = "pd_op.minimum" (%7, %8) {} : (tensor<2x4xf32>, tensor<1xf32>) -> tensor<2x4xf32>
    (%10) = "pd_op.greater_than" (%9, %0) {} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xb>
    (%11) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%12) = "pd_op.relu" (%0) {} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    (%13) = "builtin.combine" (%12, %9) {} : (tensor<2x4xf32>, tensor<2x4xf32>) -> vec[tensor<2x4xf32>,tensor<2x4xf32>]
    (%14) = "pd_op.concat" (%13, %11) {} : (vec[tensor<2x4xf32>,tensor<2x4xf32>], tensor<1xi32>) -> tensor<2x8xf32>
    (%15) = "builtin.combine" (%12, %2) {} : (tensor<2x4xf32>, tensor<2x4xf64>) -> vec[tensor<2x4xf32>,tensor<2x4xf64>]
    (%16, %17) = "builtin.split" (%15) {} : (vec[tensor<2x4xf32>,tensor<2x4xf64>]) -> tensor<2x4xf32>, tensor<2x4xf64>
    (%18) = "pd_op.relu_" (%12) {} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    (%19) = "pd_op.split_with_num" (%14, %11) {num:2} : (tensor<2x8xf32>, tensor<1xi32>) -> vec[tensor<2x4xf32>,tensor<2x4xf32>]
    (%20, %21) = "builtin.split" (%19) {} : (vec[tensor<2x4xf32>,tensor<2x4xf32>]) -> tensor<2x4xf32>, tensor<2x4xf32>
    (%22) = "pd_op.matmul" (%20, %21) {transpose_x:false,transpose_y:true} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x2xf32>
    (%23) = "pd_op.where" (%10, %18, %16) {} : (tensor<2x4xb>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    (%24) = "pd_op.fetch" (%4) {col:0,name:"a"} : (tensor<2x4xf64>) -> tensor<2x4xf64>
    (%25) = "pd_op.fetch" (%22) {col:1,name:"b"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%26) = "pd_op.fetch" (%23) {col:2,name:"c"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    (%27) = "pd_op.fetch" (%17) {col:3,name:"d"} : (tensor<2x4xf64>) -> tensor<2x4xf64>
}
