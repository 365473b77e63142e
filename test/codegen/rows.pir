// Points of several levels are rows: a thread's share begins and ends within one, and no point is taken apart by
// divisions.
// RUN: pir-opt %s --emit=loops --target=x86-64-v3 | FileCheck %s
// CHECK: pd_op.multiply
// CHECK: parallel [[R:v[0-9]+]] {{.*}}= floordiv(v0, [[W:dim[0-9]+]]) to (floordiv((v1 + -1), [[W]]) + 1) by 1
// CHECK-NOT: mod(
// CHECK: for [[X:v[0-9]+]] {{.*}}= max((v0 + (v{{[0-9]+}} * -1)), 0) to min((v1 + (v{{[0-9]+}} * -1)), [[W]]) by 1
// CHECK-NOT: mod(
// CHECK: for v{{[0-9]+}} = 0 to 16 by 8
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1,16]} : () -> tensor<-1x-1x16xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"s",place:Place(undefined:0),shape:[-1,1,16]} : () -> tensor<-1x1x16xf32>
    (%2) = "pd_op.multiply" (%0, %1) {} : (tensor<-1x-1x16xf32>, tensor<-1x1x16xf32>) -> tensor<-1x-1x16xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"out"} : (tensor<-1x-1x16xf32>) -> tensor<-1x-1x16xf32>
}
