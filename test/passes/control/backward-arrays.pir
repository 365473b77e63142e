// Gradients through arrays of tensors: a place that is written twice and read in between, an array that a branch writes, and
// an index that counts, which counts back. The numbers are Paddle's (3.3.1), and so are the programs but for the outputs.
// RUN: rm -rf %t && split-file %s %t
// RUN: pir-opt %t/twice.pir --verify-each '--passes=backward{loss=%14,wrt=x|w}' -o %t/twice.both.pir
// RUN: for p in kernels compile; do pir-run %t/twice.both.pir --input=x=2xf32=0.3 --input=w=2xf32=0.9 --pipeline=$p --print; done \
// RUN:   | FileCheck %s --check-prefix=TWICE
// RUN: pir-opt --check-gradients %t/twice.pir --outputs=%14 | FileCheck %s --check-prefix=SLOPE
// RUN: pir-opt %t/branch.pir --verify-each '--passes=backward{loss=%21,wrt=x|w}' -o %t/branch.both.pir
// RUN: for p in kernels compile; do pir-run %t/branch.both.pir --input=x=2xf32=0.3 --input=w=2xf32=0.9 --pipeline=$p --print; done \
// RUN:   | FileCheck %s --check-prefix=BRANCH
// RUN: pir-opt --check-gradients %t/branch.pir --outputs=%21 | FileCheck %s --check-prefix=SLOPE
// RUN: pir-opt %t/counter.pir --verify-each '--passes=backward{loss=%20,wrt=x|w}' -o %t/counter.both.pir
// RUN: for p in kernels compile; do pir-run %t/counter.both.pir --input=x=2xf32=0.3 --input=w=2xf32=0.9 --pipeline=$p --print; done \
// RUN:   | FileCheck %s --check-prefix=COUNTER
// RUN: pir-opt --check-gradients %t/counter.pir --outputs=%20 | FileCheck %s --check-prefix=SLOPE
// TWICE:      fetch1: float32[2]
// TWICE-NEXT: [0.4633743{{[0-9]*}}, 0.4633743
// TWICE-NEXT: fetch2: float32[2]
// TWICE-NEXT: [0.1544581{{[0-9]*}}, 0.1544581
// TWICE:      fetch1: float32[2]
// TWICE-NEXT: [0.4633743{{[0-9]*}}, 0.4633743
// TWICE-NEXT: fetch2: float32[2]
// TWICE-NEXT: [0.1544581{{[0-9]*}}, 0.1544581
// BRANCH:      fetch1: float32[2]
// BRANCH-NEXT: [0.590489{{[0-9]*}}, 0.590489
// BRANCH-NEXT: fetch2: float32[2]
// BRANCH-NEXT: [0.984149{{[0-9]*}}, 0.984149
// BRANCH:      fetch1: float32[2]
// BRANCH-NEXT: [0.590489{{[0-9]*}}, 0.590489
// BRANCH-NEXT: fetch2: float32[2]
// BRANCH-NEXT: [0.984149{{[0-9]*}}, 0.984149
// COUNTER:      fetch1: float32[2]
// COUNTER-NEXT: [1.019181{{[0-9]*}}, 1.019181
// COUNTER-NEXT: fetch2: float32[2]
// COUNTER-NEXT: [3.70493{{[0-9]*}}, 3.70493
// COUNTER:      fetch1: float32[2]
// COUNTER-NEXT: [1.019181{{[0-9]*}}, 1.019181
// COUNTER-NEXT: fetch2: float32[2]
// COUNTER-NEXT: [3.70493{{[0-9]*}}, 3.70493
// SLOPE: 2 inputs and parameters: 2 ok
// RUN: FileCheck %s < %t/counter.both.pir
// CHECK: "pd_op.tensor_to_array"
// CHECK: "pd_op.array_read"
// CHECK: "pd_op.increment_" {{.*}}value:-1
// CHECK: "pd_op.array_read"
//--- twice.pir
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%3) = "pd_op.create_array" () {dtype:float32,stop_gradient:[false]} : () -> pd_op.tensor_array<f32>
    (%4) = "pd_op.multiply" (%0, %1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.cast" (%4) {dtype:float32,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.array_write_" (%3, %5, %2) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%7) = "pd_op.array_read" (%3, %2) {stop_gradient:[false]} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
    (%8) = "pd_op.tanh" (%7) {stop_gradient:[false]} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%9) = "pd_op.cast" (%8) {dtype:float32,stop_gradient:[false]} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%10) = "pd_op.array_write_" (%3, %9, %2) {} : (pd_op.tensor_array<f32>, tensor<-1xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%11) = "pd_op.array_read" (%3, %2) {stop_gradient:[false]} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
    (%12) = "pd_op.multiply" (%7, %11) {stop_gradient:[false]} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xf32>
    (%13) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%14) = "pd_op.sum" (%12, %13) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<-1xf32>, tensor<0xi64>) -> tensor<f32>
}
//--- branch.pir
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%3) = "pd_op.create_array" () {dtype:float32,stop_gradient:[false]} : () -> pd_op.tensor_array<f32>
    (%4) = "pd_op.tanh" (%0) {stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.cast" (%4) {dtype:float32,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.array_write_" (%3, %5, %2) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%8) = "pd_op.sum" (%0, %7) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<2xf32>, tensor<0xi64>) -> tensor<f32>
    (%9) = "pd_op.full" () {dtype:float32,place:Place(undefined:0),shape:[],stop_gradient:[true],value:0.5} : () -> tensor<f32>
    (%10) = "pd_op.greater_than" (%8, %9) {stop_gradient:[true]} : (tensor<f32>, tensor<f32>) -> tensor<b>
    (%11) = "pd_op.if" (%10) {stop_gradient:[false]} -> tensor<2xf32> {
        (%12) = "pd_op.multiply" (%0, %1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%13) = "pd_op.cast" (%12) {dtype:float32,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
        (%14) = "pd_op.array_write_" (%3, %13, %2) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
        (%15) = "pd_op.multiply" (%1, %1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%15) {} : (tensor<2xf32>) -> 
    } else {
        (%16) = "pd_op.multiply" (%1, %1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%16) {} : (tensor<2xf32>) -> 
    }
    (%17) = "pd_op.array_read" (%3, %2) {stop_gradient:[false]} : (pd_op.tensor_array<f32>, tensor<1xi64>) -> tensor<-1xf32>
    (%18) = "pd_op.multiply" (%11, %11) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%19) = "pd_op.multiply" (%18, %17) {stop_gradient:[false]} : (tensor<2xf32>, tensor<-1xf32>) -> tensor<2xf32>
    (%20) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%21) = "pd_op.sum" (%19, %20) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<2xf32>, tensor<0xi64>) -> tensor<f32>
}
//--- counter.pir
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%2) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%3) = "pd_op.create_array" () {dtype:float32,stop_gradient:[false]} : () -> pd_op.tensor_array<f32>
    (%4) = "pd_op.multiply" (%0, %1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.cast" (%4) {dtype:float32,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.array_write_" (%3, %5, %2) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%7) = "pd_op.increment_" (%2) {stop_gradient:[true],value:1} : (tensor<1xi64>) -> tensor<1xi64>
    (%8) = "pd_op.tanh" (%0) {stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%9) = "pd_op.cast" (%8) {dtype:float32,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%10) = "pd_op.array_write_" (%3, %9, %2) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%11) = "pd_op.increment_" (%2) {stop_gradient:[true],value:1} : (tensor<1xi64>) -> tensor<1xi64>
    (%12) = "pd_op.multiply" (%1, %1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%13) = "pd_op.multiply" (%12, %1) {stop_gradient:[false]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%14) = "pd_op.cast" (%13) {dtype:float32,stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%15) = "pd_op.array_write_" (%3, %14, %2) {} : (pd_op.tensor_array<f32>, tensor<2xf32>, tensor<1xi64>) -> pd_op.tensor_array<f32>
    (%16, %17) = "pd_op.array_to_tensor" (%3) {axis:0,stop_gradient:[false,false],use_stack:true} : (pd_op.tensor_array<f32>) -> tensor<-1x2xf32>, tensor<-1xi32>
    (%18) = "pd_op.multiply" (%16, %16) {stop_gradient:[false]} : (tensor<-1x2xf32>, tensor<-1x2xf32>) -> tensor<-1x2xf32>
    (%19) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%20) = "pd_op.sum" (%18, %19) {dtype:Undefined,keepdim:false,stop_gradient:[false]} : (tensor<-1x2xf32>, tensor<0xi64>) -> tensor<f32>
}
