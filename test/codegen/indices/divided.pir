// Parts reach no further than what is split, or the run is refused.
// RUN: pir-run %s --input=x=7x40xf32=random:1
// RUN: not pir-run %s --input=x=5x40xf32=random:1 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=5x40xf32=random:1 --pipeline=kernels 2>&1 | FileCheck %s
// CHECK: error: {{.*}}pd_op.split
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,40]} : () -> tensor<-1x40xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,4]} : () -> tensor<2xi64>
    (%2) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%3) = "pd_op.split" (%0, %1, %2) {} : (tensor<-1x40xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<3x40xf32>,tensor<4x40xf32>]
    (%4, %5) = "builtin.split" (%3) {} : (vec[tensor<3x40xf32>,tensor<4x40xf32>]) -> tensor<3x40xf32>, tensor<4x40xf32>
    (%6) = "pd_op.relu" (%4) {} : (tensor<3x40xf32>) -> tensor<3x40xf32>
    (%7) = "pd_op.exp" (%5) {} : (tensor<4x40xf32>) -> tensor<4x40xf32>
    (%8) = "pd_op.fetch" (%6) {col:0,name:"a"} : (tensor<3x40xf32>) -> tensor<3x40xf32>
    (%9) = "pd_op.fetch" (%7) {col:1,name:"b"} : (tensor<4x40xf32>) -> tensor<4x40xf32>
}
