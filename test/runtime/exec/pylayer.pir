// The region of a pylayer runs where it stands: its ops take its place, composites and nested ones among them.
// RUN: pir-opt %s --verify-each --passes=expand | FileCheck --check-prefix=OPT %s
// RUN: pir-run %s --input=x=2x2xf32=0 --pipeline=kernels --print | FileCheck %s
// RUN: pir-run %s --input=x=2x2xf32=0 --print | FileCheck %s
// RUN: sed 's/yield" (%3, %10) {} : (tensor<2x2xf32>, tensor<2x2xf32>)/yield" (%3) {} : (tensor<2x2xf32>)/' %s > %t.pir
// RUN: not pir-run %t.pir --input=x=2x2xf32=0 --pipeline=kernels 2>&1 | FileCheck --check-prefix=BAD %s
// OPT-NOT: pylayer
// OPT-NOT: softmax" (
// CHECK: a: float32[2,2]
// CHECK-NEXT: {{\[\[}}0.5, 0.5],
// CHECK: b: float32[2,2]
// CHECK-NEXT: {{\[\[}}9, 9],
// BAD: hands out 2 values
{
    (%9) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,2],stop_gradient:[true]} : () -> tensor<2x2xf32>
    (%8) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,2],stop_gradient:[true],value:3} : () -> tensor<2x2xf32>
    (%10) = "pd_op.add" (%9, %8) {stop_gradient:[true]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    (%1, %2) = "pd_op.pylayer" (%10) {backward_function_id:3,stop_gradient:[false,false]} -> tensor<2x2xf32>, tensor<2x2xf32> {
        (%3) = "pd_op.pylayer" (%10) {backward_function_id:4,stop_gradient:[false]} -> tensor<2x2xf32> {
            (%4) = "pd_op.softmax" (%10) {axis:-1,stop_gradient:[false]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
            () = "cf.yield" (%4) {} : (tensor<2x2xf32>) -> 
        }
        () = "cf.yield" (%3, %10) {} : (tensor<2x2xf32>, tensor<2x2xf32>) -> 
    }
    (%5) = "pd_op.multiply" (%2, %10) {stop_gradient:[true]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    (%6) = "pd_op.fetch" (%1) {col:0,name:"a",persistable:[true],stop_gradient:[true]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%7) = "pd_op.fetch" (%5) {col:1,name:"b",persistable:[true],stop_gradient:[true]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
}
