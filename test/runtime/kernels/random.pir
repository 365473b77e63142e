// Numbers of the real Paddle after paddle.seed(7), in this order; what has a seed of its own does not move the others.
// RUN: pir-run %s --seed=7 --print --pipeline=kernels | FileCheck %s
// RUN: pir-run %s --seed=7 --print --pipeline=compile --threads=2 | FileCheck %s
// RUN: pir-run %s --seed=8 --print | FileCheck --check-prefix=OTHER %s
// CHECK: uniform: float32[6]
// CHECK-NEXT: {{\[}}-0.9702155, 0.31576645, 0.60507774, -0.061899483, 0.33338988, 0.85073256]
// CHECK-NEXT: own: float64[6]
// CHECK-NEXT: {{\[}}0.11753198, -0.60847249, 0.18048254, -0.30726218, 0.11959127, -0.27739462]
// CHECK-NEXT: normal: float32[5]
// CHECK-NEXT: {{\[}}-1.7166967, 1.5247548, -2.5035014, 3.057919, -3.0188613]
// CHECK-NEXT: order: int64[10]
// CHECK-NEXT: {{\[([0-9], ){9}[0-9]\]}}
// OTHER-NOT: -0.9702155, 0.31576645
// OTHER: own: float64[6]
// OTHER-NEXT: {{\[}}0.11753198, -0.60847249
{
    (%0) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[6]} : () -> tensor<1xi64>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%3) = "pd_op.uniform" (%0, %1, %2) {dtype:float32,place:Place(cpu),seed:0} : (tensor<1xi64>, tensor<1xf32>, tensor<1xf32>) -> tensor<6xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"uniform"} : (tensor<6xf32>) -> tensor<6xf32>
    (%5) = "pd_op.uniform" (%0, %1, %2) {dtype:float64,place:Place(cpu),seed:3} : (tensor<1xi64>, tensor<1xf32>, tensor<1xf32>) -> tensor<6xf64>
    (%6) = "pd_op.fetch" (%5) {col:1,name:"own"} : (tensor<6xf64>) -> tensor<6xf64>
    (%7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[5]} : () -> tensor<1xi64>
    (%8) = "pd_op.gaussian" (%7) {dtype:float32,mean:1,place:Place(cpu),seed:3,std:2} : (tensor<1xi64>) -> tensor<5xf32>
    (%9) = "pd_op.fetch" (%8) {col:2,name:"normal"} : (tensor<5xf32>) -> tensor<5xf32>
    (%10) = "pd_op.randperm" () {dtype:int64,n:10,place:Place(cpu)} : () -> tensor<10xi64>
    (%11) = "pd_op.fetch" (%10) {col:3,name:"order"} : (tensor<10xi64>) -> tensor<10xi64>
}
