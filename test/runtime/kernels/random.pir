// Numbers of the real Paddle after paddle.seed(7), in this order; what has a seed of its own does not move the others.
// RUN: pir-run %s --input=over=6xi64=0 --input=over3=3xi64=0 --seed=7 --print --pipeline=kernels | FileCheck %s
// RUN: pir-run %s --input=over=6xi64=0 --input=over3=3xi64=0 --seed=7 --print --pipeline=compile --threads=2 | FileCheck %s
// RUN: pir-run %s --input=over=6xi64=0 --input=over3=3xi64=0 --seed=8 --print | FileCheck --check-prefix=OTHER %s
// CHECK: uniform: float32[6]
// CHECK-NEXT: {{\[}}-0.9702155, 0.31576645, 0.60507774, -0.061899483, 0.33338988, 0.85073256]
// CHECK-NEXT: own: float64[6]
// CHECK-NEXT: {{\[}}0.11753198, -0.60847249, 0.18048254, -0.30726218, 0.11959127, -0.27739462]
// CHECK-NEXT: normal: float32[5]
// CHECK-NEXT: {{\[}}-1.7166967, 1.5247548, -2.5035014, 3.057919, -3.0188613]
// CHECK-NEXT: order: int64[10]
// CHECK-NEXT: {{\[([0-9], ){9}[0-9]\]}}
// CHECK-NEXT: rest: int64[6]
// CHECK-NEXT: {{\[}}0, 9, 9, 1, 9, 7]
// CHECK-NEXT: wide: int64[3]
// CHECK-NEXT: {{\[}}922234213034, 1022037702535, 967050922330]
// CHECK-NEXT: slopes: float32[5]
// CHECK-NEXT: {{\[}}-0.17642801, 2, -0.15478227, 0, -0.21222025]
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
    (%12) = "pd_op.data" () {dtype:int64,name:"over",place:Place(undefined:0),shape:[6]} : () -> tensor<6xi64>
    (%13) = "pd_op.random" (%12) {from:0,to:10} : (tensor<6xi64>) -> tensor<6xi64>
    (%14) = "pd_op.fetch" (%13) {col:4,name:"rest"} : (tensor<6xi64>) -> tensor<6xi64>
    (%15) = "pd_op.data" () {dtype:int64,name:"over3",place:Place(undefined:0),shape:[3]} : () -> tensor<3xi64>
    (%16) = "pd_op.random" (%15) {from:-5,to:1099511627776} : (tensor<3xi64>) -> tensor<3xi64>
    (%17) = "pd_op.fetch" (%16) {col:5,name:"wide"} : (tensor<3xi64>) -> tensor<3xi64>
    (%18) = "pd_op.assign_value" () {dtype:float32,place:Place(undefined:0),shape:[5],values:[-1,2,-1,0,-1]} : () -> tensor<5xf32>
    (%19, %20) = "pd_op.rrelu" (%18) {is_test:false,lower:0.125,upper:0.25} : (tensor<5xf32>) -> tensor<5xf32>, tensor<5xf32>
    (%21) = "pd_op.fetch" (%19) {col:6,name:"slopes"} : (tensor<5xf32>) -> tensor<5xf32>
}
