// Subscripts against products spelled out: labels in another order, dots, chains, diagonals; extents known and not.
// RUN: pir-run %s --input=x=2x3x4x5xf32=random:1 --print | FileCheck %s
// RUN: pir-run %s --input=x=1x1x2x1xf32=random:1 --pipeline=kernels --print | FileCheck %s
// RUN: sed -e 's/-1,-1,-1,-1/2,3,4,5/' %s >%t
// RUN: pir-run %t --input=x=2x3x4x5xf32=random:1 --print | FileCheck %s
// RUN: sed -e 's/ij,kj,km->im/ij,kj,jm->im/' %t >%t.odd
// RUN: not pir-run %t.odd --input=x=2x3x4x5xf32=random:1 2>&1 | FileCheck --check-prefix=EXTENTS %s
// EXTENTS: equation 'ij,kj,jm->im': label 'j' has extents 20 and 6
// CHECK: attention: bool[]
// CHECK-NEXT: 1
// CHECK: dots: bool[]
// CHECK-NEXT: 1
// CHECK: chain: bool[]
// CHECK-NEXT: 1
// CHECK: trace: bool[]
// CHECK-NEXT: 1
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1,-1,-1]} : () -> tensor<-1x-1x-1x-1xf32>
    (%1) = "pd_op.transpose" (%0) {perm:[0,2,1,3]} : (tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
    (%2) = "pd_op.matmul" (%1, %1) {transpose_x:false,transpose_y:true} : (tensor<-1x-1x-1x-1xf32>, tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
    (%3) = "builtin.combine" (%0, %0) {} : (tensor<-1x-1x-1x-1xf32>, tensor<-1x-1x-1x-1xf32>) -> vec[tensor<-1x-1x-1x-1xf32>,tensor<-1x-1x-1x-1xf32>]
    (%4, %5, %6) = "pd_op.einsum" (%3) {equation:"bqhd,bkhd->bhqk"} : (vec[tensor<-1x-1x-1x-1xf32>,tensor<-1x-1x-1x-1xf32>]) -> tensor<-1x-1x-1x-1xf32>, vec[tensor<-1x-1x-1x-1xf32>,tensor<-1x-1x-1x-1xf32>], vec[tensor<-1x-1x-1x-1xf32>,tensor<-1x-1x-1x-1xf32>]
    (%7) = "pd_op.subtract" (%4, %2) {} : (tensor<-1x-1x-1x-1xf32>, tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
    (%8) = "pd_op.abs" (%7) {} : (tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
    (%9) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%10) = "pd_op.max" (%8, %9) {keepdim:false} : (tensor<-1x-1x-1x-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%11) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],value:1e-05} : () -> tensor<f32>
    (%12) = "pd_op.less_than" (%10, %11) {} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%13) = "pd_op.fetch" (%12) {col:0,name:"attention",persistable:[true]} : (tensor<b>) -> tensor<b>
    (%14) = "builtin.combine" (%1, %1) {} : (tensor<-1x-1x-1x-1xf32>, tensor<-1x-1x-1x-1xf32>) -> vec[tensor<-1x-1x-1x-1xf32>,tensor<-1x-1x-1x-1xf32>]
    (%15, %16, %17) = "pd_op.einsum" (%14) {equation:"...qd,...kd"} : (vec[tensor<-1x-1x-1x-1xf32>,tensor<-1x-1x-1x-1xf32>]) -> tensor<-1x-1x-1x-1xf32>, vec[tensor<-1x-1x-1x-1xf32>,tensor<-1x-1x-1x-1xf32>], vec[tensor<-1x-1x-1x-1xf32>,tensor<-1x-1x-1x-1xf32>]
    (%18) = "pd_op.subtract" (%15, %2) {} : (tensor<-1x-1x-1x-1xf32>, tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
    (%19) = "pd_op.abs" (%18) {} : (tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
    (%20) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%21) = "pd_op.max" (%19, %20) {keepdim:false} : (tensor<-1x-1x-1x-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%22) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],value:1e-05} : () -> tensor<f32>
    (%23) = "pd_op.less_than" (%21, %22) {} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%24) = "pd_op.fetch" (%23) {col:0,name:"dots",persistable:[true]} : (tensor<b>) -> tensor<b>
    (%25) = "pd_op.flatten" (%0) {start_axis:0,stop_axis:1} : (tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%26) = "pd_op.flatten" (%25) {start_axis:1,stop_axis:2} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1xf32>
    (%27) = "pd_op.transpose" (%26) {perm:[1,0]} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%28) = "builtin.combine" (%26, %26, %26) {} : (tensor<-1x-1xf32>, tensor<-1x-1xf32>, tensor<-1x-1xf32>) -> vec[tensor<-1x-1xf32>,tensor<-1x-1xf32>,tensor<-1x-1xf32>]
    (%29, %30, %31) = "pd_op.einsum" (%28) {equation:"ij,kj,km->im"} : (vec[tensor<-1x-1xf32>,tensor<-1x-1xf32>,tensor<-1x-1xf32>]) -> tensor<-1x-1x-1x-1xf32>, vec[tensor<-1x-1xf32>,tensor<-1x-1xf32>,tensor<-1x-1xf32>], vec[tensor<-1x-1xf32>,tensor<-1x-1xf32>,tensor<-1x-1xf32>]
    (%32) = "builtin.combine" (%26, %27, %26) {} : (tensor<-1x-1xf32>, tensor<-1x-1xf32>, tensor<-1x-1xf32>) -> vec[tensor<-1x-1xf32>,tensor<-1x-1xf32>,tensor<-1x-1xf32>]
    (%33) = "pd_op.multi_dot" (%32) {} : (vec[tensor<-1x-1xf32>,tensor<-1x-1xf32>,tensor<-1x-1xf32>]) -> tensor<-1x-1xf32>
    (%34) = "pd_op.subtract" (%29, %33) {} : (tensor<-1x-1x-1x-1xf32>, tensor<-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
    (%35) = "pd_op.abs" (%34) {} : (tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
    (%36) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%37) = "pd_op.max" (%35, %36) {keepdim:false} : (tensor<-1x-1x-1x-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%38) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],value:1e-05} : () -> tensor<f32>
    (%39) = "pd_op.less_than" (%37, %38) {} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%40) = "pd_op.fetch" (%39) {col:0,name:"chain",persistable:[true]} : (tensor<b>) -> tensor<b>
    (%41) = "pd_op.matmul" (%26, %27) {transpose_x:false,transpose_y:false} : (tensor<-1x-1xf32>, tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%42) = "builtin.combine" (%41) {} : (tensor<-1x-1xf32>) -> vec[tensor<-1x-1xf32>]
    (%43, %44, %45) = "pd_op.einsum" (%42) {equation:"ii"} : (vec[tensor<-1x-1xf32>]) -> tensor<-1x-1x-1x-1xf32>, vec[tensor<-1x-1xf32>], vec[tensor<-1x-1xf32>]
    (%46) = "builtin.combine" (%26, %26) {} : (tensor<-1x-1xf32>, tensor<-1x-1xf32>) -> vec[tensor<-1x-1xf32>,tensor<-1x-1xf32>]
    (%47, %48, %49) = "pd_op.einsum" (%46) {equation:"ij,ij->"} : (vec[tensor<-1x-1xf32>,tensor<-1x-1xf32>]) -> tensor<-1x-1x-1x-1xf32>, vec[tensor<-1x-1xf32>,tensor<-1x-1xf32>], vec[tensor<-1x-1xf32>,tensor<-1x-1xf32>]
    (%50) = "pd_op.subtract" (%43, %47) {} : (tensor<-1x-1x-1x-1xf32>, tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
    (%51) = "pd_op.abs" (%50) {} : (tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
    (%52) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%53) = "pd_op.max" (%51, %52) {keepdim:false} : (tensor<-1x-1x-1x-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%54) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],value:1e-05} : () -> tensor<f32>
    (%55) = "pd_op.less_than" (%53, %54) {} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%56) = "pd_op.fetch" (%55) {col:0,name:"trace",persistable:[true]} : (tensor<b>) -> tensor<b>
}
