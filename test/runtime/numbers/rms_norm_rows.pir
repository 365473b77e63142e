// Any number of axes is rows of the last one. The result has the type of the scale; of the inverse roots there is one a row, in float32.
// RUN: pir-opt --passes=infer_types %s | FileCheck %s --check-prefix=TYPES
// RUN: for p in kernels compile; do pir-run %s --pipeline=$p --print; done | FileCheck %s
// TYPES: "pd_op.fused_rms_norm_ext" {{.*}} -> tensor<2x1x2xf32>, tensor<2xf32>
// CHECK:      y: float32[2,1,2]
// CHECK-NEXT: {{\[\[\[}}1, 3]],
// CHECK-NEXT: {{\[\[}}-1, 3]]]
// CHECK-NEXT: invvar: float32[2]
// CHECK-NEXT: [1, 0.5]
// CHECK:      y: float32[2,1,2]
// CHECK-NEXT: {{\[\[\[}}1, 3]],
// CHECK-NEXT: {{\[\[}}-1, 3]]]
// CHECK-NEXT: invvar: float32[2]
// CHECK-NEXT: [1, 0.5]
{
    (%0) = "pd_op.assign_value" () {dtype:float16,place:Place(cpu),shape:[2,1,2],values:[1,1,-2,2]} : () -> tensor<2x1x2xf16>
    (%1) = "pd_op.assign_value" () {dtype:float32,place:Place(cpu),shape:[2],values:[1,3]} : () -> tensor<2xf32>
    (%2, %3) = "pd_op.fused_rms_norm_ext" (%0, %1) {epsilon:0} : (tensor<2x1x2xf16>, tensor<2xf32>) -> tensor<2x1x2xf32>, tensor<-1xf32>
    (%4) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
    (%5) = "pd_op.fetch" (%3) {col:1,name:"invvar"} : (tensor<-1xf32>) -> tensor<-1xf32>
}
