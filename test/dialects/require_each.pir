// A condition of every entry of a list, of constants that are no whole numbers, and messages that say what was given.
// RUN: not pir-run %s --input=x=2x3xf32 --pipeline=kernels 2>&1 | FileCheck %s
// RUN: sed 's/perm:\[0,0\]/perm:[1,0]/' %s >%t
// RUN: not pir-run %t --input=x=2x3xf32 --pipeline=kernels 2>&1 | FileCheck %s --check-prefix=CLIP
// RUN: sed 's/value:0.25/value:0.75/' %t >%t2
// RUN: not pir-run %t2 --input=x=2x3xf32 --pipeline=kernels 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: sed 's/value:7/value:1/' %t2 >%t3
// RUN: pir-run %t3 --input=x=2x3xf32=0 --pipeline=kernels --print | FileCheck %s --check-prefix=RAN
// CHECK: require_each.pir:[[@LINE+6]]:5: error: "pd_op.transpose" expects each i < count($perm) : find($perm, wrapped($perm[i], rank(x))) == i, found x [2,3], perm 0,0, at 1
// CLIP: error: "pd_op.clip" expects int($min <= $max), found min 0.5, max 0.25
// AXIS: error: pd_op.cumsum: axis 7 of a tensor of rank 2
// RAN: 0.5
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[0,0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.5} : () -> tensor<1xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.25} : () -> tensor<1xf32>
    (%4) = "pd_op.clip" (%1, %2, %3) {} : (tensor<3x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3x2xf32>
    (%5) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:7} : () -> tensor<1xi32>
    (%6) = "pd_op.cumsum" (%4, %5) {exclusive:false,flatten:false,reverse:false} : (tensor<3x2xf32>, tensor<1xi32>) -> tensor<3x2xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"y",persistable:[true]} : (tensor<3x2xf32>) -> tensor<3x2xf32>
}
