// Values in between become outputs: by the number that the text has, by name, and not from inside of a region or as a list.
// RUN: pir-run %s --input=x=2x2xf32=0 --input=c=1xb=0 --show=%%3 --show=x --show=%%2 --show=out | FileCheck %s
// RUN: pir-run %s --input=x=2x2xf32=0 --input=c=1xb=0 --show=%%3 --show=x --show=%%2 --pipeline=kernels | FileCheck %s --check-prefix=CALLED
// RUN: not pir-run %s --input=x=2x2xf32=0 --input=c=1xb=0 --show=%%7 2>&1 | FileCheck %s --check-prefix=INSIDE
// RUN: not pir-run %s --input=x=2x2xf32=0 --input=c=1xb=0 --show=%%4 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: not pir-run %s --input=x=2x2xf32=0 --input=c=1xb=0 --show=%%20 2>&1 | FileCheck %s --check-prefix=NONE
// The names of a .pdmodel's variables.
// RUN: pir-run %{root}/test/models/digits_cnn/model.pdmodel --input=image=1x1x8x8xf32=random --show=linear_0.tmp_1 --show=conv2d_0.tmp_1 --show=linear_0.b_0 | FileCheck %s --check-prefix=NAMES
// RUN: not pir-run %{root}/test/models/digits_cnn/model.pdmodel --input=image=1x1x8x8xf32=random --show=linear_1.tmp_1 2>&1 | FileCheck %s --check-prefix=NO_NAME
// CHECK: out: float32[4,2]
// CHECK: %3: float32[2,2]
// CHECK-NEXT: {{\[\[}}1, 1],
// CHECK-NEXT: [1, 1]]
// CHECK: x: float32[2,2]
// CHECK-NEXT: {{\[\[}}0, 0],
// CHECK: %2: float32[2,2]
// CHECK-NEXT: {{\[\[}}0.5, 0.5],
// CALLED-NOT: out
// CALLED: %3: float32[2,2]
// CALLED-NEXT: {{\[\[}}1, 1],
// CALLED: %2: float32[2,2]
// CALLED-NEXT: {{\[\[}}0.5, 0.5],
// INSIDE: unsupported: to show "%7", a value inside of a region
// LIST: unsupported: to show "%4", a value that is not one tensor
// NONE: the program has no value "%20" to show
// NAMES: linear_0.tmp_1: float32[1,10]
// NAMES: conv2d_0.tmp_1: float32[1,12,8,8]
// NAMES: linear_0.b_0: float32[10]
// NO_NAME: the program has no value "linear_1.tmp_1" to show
{
  (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,2],stop_gradient:[true]} : () -> tensor<-1x2xf32>
  (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xb>
  (%2) = "pd_op.sigmoid" (%0) {} : (tensor<-1x2xf32>) -> tensor<-1x2xf32>
  (%3) = "pd_op.add" (%2, %2) {} : (tensor<-1x2xf32>, tensor<-1x2xf32>) -> tensor<-1x2xf32>
  (%4) = "builtin.combine" (%2, %3) {} : (tensor<-1x2xf32>, tensor<-1x2xf32>) -> vec[tensor<-1x2xf32>,tensor<-1x2xf32>]
  (%5) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
  (%6) = "pd_op.if" (%1) {} -> tensor<-1x2xf32> {
    (%7) = "pd_op.concat" (%4, %5) {} : (vec[tensor<-1x2xf32>,tensor<-1x2xf32>], tensor<1xi32>) -> tensor<-1x2xf32>
    () = "cf.yield" (%7) {} : (tensor<-1x2xf32>) -> 
  } else {
    (%8) = "pd_op.concat" (%4, %5) {} : (vec[tensor<-1x2xf32>,tensor<-1x2xf32>], tensor<1xi32>) -> tensor<-1x2xf32>
    () = "cf.yield" (%8) {} : (tensor<-1x2xf32>) -> 
  }
  () = "builtin.shadow_output" (%6) {output_name:"out"} : (tensor<-1x2xf32>) -> 
}
