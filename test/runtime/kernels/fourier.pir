// A transform is the sums that define it, and the inverse gives its operand back: one number, powers of two, other
// factors, primes small and large.
// RUN: pir-run %s --input=x=1x1xf64=random:1 --print | FileCheck %s
// RUN: pir-run %s --input=x=1x64xf64=random:2 --print | FileCheck %s
// RUN: pir-run %s --input=x=1x210xf64=random:3 --print | FileCheck %s
// RUN: pir-run %s --input=x=1x61xf64=random:4 --print | FileCheck %s
// RUN: pir-run %s --input=x=1x67xf64=random:5 --print | FileCheck %s
// RUN: pir-run %s --input=x=1x262xf64=random:6 --print | FileCheck %s
// RUN: not pir-run %s --input=x=1x0xf64=0 2>&1 | FileCheck --check-prefix=NONE %s
// CHECK: sums: bool[]
// CHECK-NEXT: 1
// CHECK-NEXT: back: bool[]
// CHECK-NEXT: 1
// NONE: pd_op.fft_r2c: x: expects 1 numbers along axis 1, found 0
{
    (%0) = "pd_op.data" () {dtype:float64,name:"x",place:Place(undefined:0),shape:[1,-1]} : () -> tensor<-1x-1xf64>
    (%1) = "pd_op.full" () {dtype:float64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf64>
    (%2) = "pd_op.full_like" (%0, %1) {dtype:float64,place:Place(cpu)} : (tensor<-1x-1xf64>, tensor<1xf64>) -> tensor<-1x-1xf64>
    (%3) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%4) = "pd_op.cumsum" (%2, %3) {exclusive:false,flatten:false,reverse:false} : (tensor<-1x-1xf64>, tensor<1xi32>) -> tensor<-1x-1xf64>
    (%5) = "pd_op.subtract" (%4, %2) {} : (tensor<-1x-1xf64>, tensor<-1x-1xf64>) -> tensor<-1x-1xf64>
    (%6) = "pd_op.transpose" (%5) {perm:[1,0]} : (tensor<-1x-1xf64>) -> tensor<-1x-1xf64>
    (%7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%8) = "pd_op.sum" (%2, %7) {dtype:float64,keepdim:true} : (tensor<-1x-1xf64>, tensor<0xi64>) -> tensor<-1x-1xf64>
    (%9) = "pd_op.multiply" (%6, %5) {} : (tensor<-1x-1xf64>, tensor<-1x-1xf64>) -> tensor<-1x-1xf64>
    (%10) = "pd_op.remainder" (%9, %8) {} : (tensor<-1x-1xf64>, tensor<-1x-1xf64>) -> tensor<-1x-1xf64>
    (%11) = "pd_op.full" () {dtype:float64,place:Place(cpu),shape:[1],value:-6.28318530717958647692} : () -> tensor<1xf64>
    (%12) = "pd_op.multiply" (%10, %11) {} : (tensor<-1x-1xf64>, tensor<1xf64>) -> tensor<-1x-1xf64>
    (%13) = "pd_op.divide" (%12, %8) {} : (tensor<-1x-1xf64>, tensor<-1x-1xf64>) -> tensor<-1x-1xf64>
    (%14) = "pd_op.cos" (%13) {} : (tensor<-1x-1xf64>) -> tensor<-1x-1xf64>
    (%15) = "pd_op.matmul" (%0, %14) {transpose_x:false,transpose_y:false} : (tensor<-1x-1xf64>, tensor<-1x-1xf64>) -> tensor<-1x-1xf64>
    (%16) = "pd_op.sin" (%13) {} : (tensor<-1x-1xf64>) -> tensor<-1x-1xf64>
    (%17) = "pd_op.matmul" (%0, %16) {transpose_x:false,transpose_y:false} : (tensor<-1x-1xf64>, tensor<-1x-1xf64>) -> tensor<-1x-1xf64>
    (%18) = "pd_op.complex" (%15, %17) {} : (tensor<-1x-1xf64>, tensor<-1x-1xf64>) -> tensor<-1x-1xc128>
    (%19) = "pd_op.fft_r2c" (%0) {axes:[1],normalization:"backward",forward:true,onesided:false} : (tensor<-1x-1xf64>) -> tensor<-1x-1xc128>
    (%20) = "pd_op.subtract" (%19, %18) {} : (tensor<-1x-1xc128>, tensor<-1x-1xc128>) -> tensor<-1x-1xc128>
    (%21) = "pd_op.abs" (%20) {} : (tensor<-1x-1xc128>) -> tensor<-1x-1xf64>
    (%22) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%23) = "pd_op.max" (%21, %22) {keepdim:false} : (tensor<-1x-1xf64>, tensor<0xi64>) -> tensor<f64>
    (%24) = "pd_op.full" () {dtype:float64,place:Place(cpu),shape:[],value:1e-11} : () -> tensor<f64>
    (%25) = "pd_op.less_than" (%23, %24) {} : (tensor<f64>, tensor<f64>) -> tensor<b>
    (%26) = "pd_op.fetch" (%25) {col:0,name:"sums",persistable:[true]} : (tensor<b>) -> tensor<b>
    (%27) = "pd_op.fft_c2c" (%19) {axes:[1],normalization:"backward",forward:false} : (tensor<-1x-1xc128>) -> tensor<-1x-1xc128>
    (%28) = "pd_op.real" (%27) {} : (tensor<-1x-1xc128>) -> tensor<-1x-1xf64>
    (%29) = "pd_op.subtract" (%28, %0) {} : (tensor<-1x-1xf64>, tensor<-1x-1xf64>) -> tensor<-1x-1xf64>
    (%30) = "pd_op.abs" (%29) {} : (tensor<-1x-1xf64>) -> tensor<-1x-1xf64>
    (%31) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%32) = "pd_op.max" (%30, %31) {keepdim:false} : (tensor<-1x-1xf64>, tensor<0xi64>) -> tensor<f64>
    (%33) = "pd_op.full" () {dtype:float64,place:Place(cpu),shape:[],value:1e-11} : () -> tensor<f64>
    (%34) = "pd_op.less_than" (%32, %33) {} : (tensor<f64>, tensor<f64>) -> tensor<b>
    (%35) = "pd_op.fetch" (%34) {col:0,name:"back",persistable:[true]} : (tensor<b>) -> tensor<b>
}
