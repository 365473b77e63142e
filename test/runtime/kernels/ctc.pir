// The loss of labels for which there are too few steps is 0, as warp-ctc has it; a blank parts two equal labels.
// RUN: pir-run %s --input=x=3x5x6xf32=0 --pipeline=kernels --print | FileCheck %s
// CHECK: loss: float32[5,1]
// CHECK-NEXT: {{\[\[}}0],
// CHECK-NEXT: {{\[}}3.58{{[0-9]+}}],
// CHECK-NEXT: {{\[}}5.37{{[0-9]+}}],
// CHECK-NEXT: {{\[}}0],
// CHECK-NEXT: {{\[}}1.79{{[0-9]+}}]]
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,5,6]} : () -> tensor<3x5x6xf32>
    (%label) = "pd_op.assign_value" () {dtype:int32,place:Place(cpu),shape:[5,2],values:[1,1,1,2,1,1,2,3,1,4]} : () -> tensor<5x2xi32>
    (%steps) = "pd_op.assign_value" () {dtype:int64,place:Place(cpu),shape:[5],values:[2,2,3,1,1]} : () -> tensor<5xi64>
    (%labels) = "pd_op.assign_value" () {dtype:int64,place:Place(cpu),shape:[5],values:[2,2,2,2,1]} : () -> tensor<5xi64>
    (%loss, %g) = "pd_op.warpctc" (%x, %label, %steps, %labels) {blank:0,norm_by_times:false} : (tensor<3x5x6xf32>, tensor<5x2xi32>, tensor<5xi64>, tensor<5xi64>) -> tensor<5x1xf32>, tensor<3x5x6xf32>
    (%o) = "pd_op.fetch" (%loss) {col:0,name:"loss"} : (tensor<5x1xf32>) -> tensor<5x1xf32>
}
