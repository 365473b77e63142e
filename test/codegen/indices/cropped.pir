// An index that attributes and extents decide stays inside of its operand, or the run is refused.
// RUN: pir-run %s --input=x=13x64xf32=random:1
// RUN: not pir-run %s --input=x=10x64xf32=random:1 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=10x64xf32=random:1 --pipeline=kernels 2>&1 | FileCheck %s
// CHECK: error: pd_op.crop: index out of range of operand 0
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,64]} : () -> tensor<-1x64xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[8,64]} : () -> tensor<2xi64>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[5,0]} : () -> tensor<2xi64>
    (%3) = "pd_op.crop" (%0, %1, %2) {} : (tensor<-1x64xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<8x64xf32>
    (%4) = "pd_op.relu" (%3) {} : (tensor<8x64xf32>) -> tensor<8x64xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"o"} : (tensor<8x64xf32>) -> tensor<8x64xf32>
}
