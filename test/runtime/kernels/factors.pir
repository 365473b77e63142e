// Factors give the matrix back, and orthogonal ones the identity: of tall matrices, wide ones, and of none.
// RUN: pir-run %s --input=x=2x5x3xf32=random:1 --print | FileCheck %s
// RUN: pir-run %s --input=x=2x3x5xf32=random:2 --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=x=2x0x5xf32=random:2 --pipeline=kernels
// CHECK: usv: bool[]
// CHECK-NEXT: 1
// CHECK-NEXT: u: bool[]
// CHECK-NEXT: 1
// CHECK-NEXT: reduced: bool[]
// CHECK-NEXT: 1
// CHECK-NEXT: q: bool[]
// CHECK-NEXT: 1
// CHECK-NEXT: complete: bool[]
// CHECK-NEXT: 1
// CHECK-NEXT: q: bool[]
// CHECK-NEXT: 1
// CHECK-NEXT: plu: bool[]
// CHECK-NEXT: 1
// CHECK-NEXT: vwv: bool[]
// CHECK-NEXT: 1
// CHECK-NEXT: av: bool[]
// CHECK-NEXT: 1
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1,-1]} : () -> tensor<-1x-1x-1xf32>
    (%1, %2, %3) = "pd_op.svd" (%0) {full_matrices:false} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>, tensor<-1x-1xf32>, tensor<-1x-1x-1xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%5) = "pd_op.unsqueeze" (%2, %4) {} : (tensor<-1x-1xf32>, tensor<1xi64>) -> tensor<-1x-1x-1xf32>
    (%6) = "pd_op.multiply" (%1, %5) {} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%7) = "pd_op.matmul" (%6, %3) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%8) = "pd_op.subtract" (%7, %0) {} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%9) = "pd_op.abs" (%8) {} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%10) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%11) = "pd_op.max" (%9, %10) {keepdim:false} : (tensor<-1x-1x-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%12) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],value:2e-06} : () -> tensor<f32>
    (%13) = "pd_op.less_than" (%11, %12) {} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%14) = "pd_op.fetch" (%13) {col:0,name:"usv",persistable:[true]} : (tensor<b>) -> tensor<b>
    (%15, %16, %17) = "pd_op.svd" (%0) {full_matrices:true} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>, tensor<-1x-1xf32>, tensor<-1x-1x-1xf32>
    (%18) = "pd_op.matmul" (%15, %15) {transpose_x:true,transpose_y:false} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%19) = "pd_op.matmul" (%15, %15) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%20) = "pd_op.matrix_power" (%19) {n:0} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%21) = "pd_op.subtract" (%18, %20) {} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%22) = "pd_op.abs" (%21) {} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%23) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%24) = "pd_op.max" (%22, %23) {keepdim:false} : (tensor<-1x-1x-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%25) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],value:2e-06} : () -> tensor<f32>
    (%26) = "pd_op.less_than" (%24, %25) {} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%27) = "pd_op.fetch" (%26) {col:0,name:"u",persistable:[true]} : (tensor<b>) -> tensor<b>
    (%28, %29) = "pd_op.qr" (%0) {mode:"reduced"} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>
    (%30) = "pd_op.matmul" (%28, %29) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%31) = "pd_op.subtract" (%30, %0) {} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%32) = "pd_op.abs" (%31) {} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%33) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%34) = "pd_op.max" (%32, %33) {keepdim:false} : (tensor<-1x-1x-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%35) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],value:2e-06} : () -> tensor<f32>
    (%36) = "pd_op.less_than" (%34, %35) {} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%37) = "pd_op.fetch" (%36) {col:0,name:"reduced",persistable:[true]} : (tensor<b>) -> tensor<b>
    (%38) = "pd_op.matmul" (%28, %28) {transpose_x:true,transpose_y:false} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%39) = "pd_op.matrix_power" (%38) {n:0} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%40) = "pd_op.matmul" (%28, %28) {transpose_x:true,transpose_y:false} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%41) = "pd_op.subtract" (%40, %39) {} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%42) = "pd_op.abs" (%41) {} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%43) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%44) = "pd_op.max" (%42, %43) {keepdim:false} : (tensor<-1x-1x-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%45) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],value:2e-06} : () -> tensor<f32>
    (%46) = "pd_op.less_than" (%44, %45) {} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%47) = "pd_op.fetch" (%46) {col:0,name:"q",persistable:[true]} : (tensor<b>) -> tensor<b>
    (%48, %49) = "pd_op.qr" (%0) {mode:"complete"} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>
    (%50) = "pd_op.matmul" (%48, %49) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%51) = "pd_op.subtract" (%50, %0) {} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%52) = "pd_op.abs" (%51) {} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%53) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%54) = "pd_op.max" (%52, %53) {keepdim:false} : (tensor<-1x-1x-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%55) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],value:2e-06} : () -> tensor<f32>
    (%56) = "pd_op.less_than" (%54, %55) {} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%57) = "pd_op.fetch" (%56) {col:0,name:"complete",persistable:[true]} : (tensor<b>) -> tensor<b>
    (%58) = "pd_op.matmul" (%48, %48) {transpose_x:true,transpose_y:false} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%59) = "pd_op.matrix_power" (%58) {n:0} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%60) = "pd_op.matmul" (%48, %48) {transpose_x:true,transpose_y:false} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%61) = "pd_op.subtract" (%60, %59) {} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%62) = "pd_op.abs" (%61) {} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%63) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%64) = "pd_op.max" (%62, %63) {keepdim:false} : (tensor<-1x-1x-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%65) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],value:2e-06} : () -> tensor<f32>
    (%66) = "pd_op.less_than" (%64, %65) {} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%67) = "pd_op.fetch" (%66) {col:0,name:"q",persistable:[true]} : (tensor<b>) -> tensor<b>
    (%68, %69, %70) = "pd_op.lu" (%0) {pivot:true} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>, tensor<-1x-1xi32>, tensor<-1xi32>
    (%71, %72, %73) = "pd_op.lu_unpack" (%68, %69) {unpack_ludata:true,unpack_pivots:true} : (tensor<-1x-1x-1xf32>, tensor<-1x-1xi32>) -> tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>
    (%74) = "pd_op.matmul" (%72, %73) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%75) = "pd_op.matmul" (%71, %74) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%76) = "pd_op.subtract" (%75, %0) {} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%77) = "pd_op.abs" (%76) {} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%78) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%79) = "pd_op.max" (%77, %78) {keepdim:false} : (tensor<-1x-1x-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%80) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],value:2e-06} : () -> tensor<f32>
    (%81) = "pd_op.less_than" (%79, %80) {} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%82) = "pd_op.fetch" (%81) {col:0,name:"plu",persistable:[true]} : (tensor<b>) -> tensor<b>
    (%83) = "pd_op.matmul" (%0, %0) {transpose_x:true,transpose_y:false} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%84, %85) = "pd_op.eigh" (%83) {UPLO:"L"} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1xf32>, tensor<-1x-1x-1xf32>
    (%86) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%87) = "pd_op.unsqueeze" (%84, %86) {} : (tensor<-1x-1xf32>, tensor<1xi64>) -> tensor<-1x-1x-1xf32>
    (%88) = "pd_op.multiply" (%85, %87) {} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%89) = "pd_op.matmul" (%88, %85) {transpose_x:false,transpose_y:true} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%90) = "pd_op.subtract" (%89, %83) {} : (tensor<-1x-1x-1xf32>, tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%91) = "pd_op.abs" (%90) {} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xf32>
    (%92) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%93) = "pd_op.max" (%91, %92) {keepdim:false} : (tensor<-1x-1x-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%94) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],value:2e-06} : () -> tensor<f32>
    (%95) = "pd_op.less_than" (%93, %94) {} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%96) = "pd_op.fetch" (%95) {col:0,name:"vwv",persistable:[true]} : (tensor<b>) -> tensor<b>
    (%97, %98) = "pd_op.eig" (%83) {} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1xc64>, tensor<-1x-1x-1xc64>
    (%99) = "pd_op.cast" (%83) {dtype:complex64} : (tensor<-1x-1x-1xf32>) -> tensor<-1x-1x-1xc64>
    (%100) = "pd_op.matmul" (%99, %98) {transpose_x:false,transpose_y:false} : (tensor<-1x-1x-1xc64>, tensor<-1x-1x-1xc64>) -> tensor<-1x-1x-1xc64>
    (%101) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%102) = "pd_op.unsqueeze" (%97, %101) {} : (tensor<-1x-1xc64>, tensor<1xi64>) -> tensor<-1x-1x-1xc64>
    (%103) = "pd_op.multiply" (%98, %102) {} : (tensor<-1x-1x-1xc64>, tensor<-1x-1x-1xc64>) -> tensor<-1x-1x-1xc64>
    (%104) = "pd_op.subtract" (%100, %103) {} : (tensor<-1x-1x-1xc64>, tensor<-1x-1x-1xc64>) -> tensor<-1x-1x-1xc64>
    (%105) = "pd_op.abs" (%104) {} : (tensor<-1x-1x-1xc64>) -> tensor<-1x-1x-1xf32>
    (%106) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%107) = "pd_op.max" (%105, %106) {keepdim:false} : (tensor<-1x-1x-1xf32>, tensor<0xi64>) -> tensor<f32>
    (%108) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],value:2e-06} : () -> tensor<f32>
    (%109) = "pd_op.less_than" (%107, %108) {} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%110) = "pd_op.fetch" (%109) {col:0,name:"av",persistable:[true]} : (tensor<b>) -> tensor<b>
}
