// Results that the last cache cannot hold are stored past it, and rows that the second cannot hold are fetched while the
// row before is worked on; where extents are open, the run decides.
// RUN: pir-opt %s --emit=loops --target=x86-64-v3 | FileCheck %s
// RUN: pir-opt %s --emit=asm --target=x86-64-v3 | FileCheck %s --check-prefix=ASM
// CHECK: arg 1 out f32 align 4, large if 1:b
// CHECK: prefetch
// CHECK: =nt
// CHECK: arg 1 out f32 align 4, large if ({{[0-9]+}} < (dim{{.*}}))
// CHECK: select(({{[0-9]+}} < (dim{{.*}})), 512, 0)
// CHECK: =nt
// CHECK: arg 1 out f32 align 4{{$| \{}}
// CHECK-NOT: =nt
// ASM: vmovntps
// ASM: sfence
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[65536,4096],stop_gradient:[true]} : () -> tensor<65536x4096xf32>
  (%a) = "pd_op.softmax" (%x) {axis:-1,stop_gradient:[true]} : (tensor<65536x4096xf32>) -> tensor<65536x4096xf32>
  (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1,512],stop_gradient:[true]} : () -> tensor<-1x512xf32>
  (%b) = "pd_op.softmax" (%y) {axis:-1,stop_gradient:[true]} : (tensor<-1x512xf32>) -> tensor<-1x512xf32>
  (%z) = "pd_op.data" () {dtype:float32,name:"z",place:Place(undefined:0),shape:[8,512],stop_gradient:[true]} : () -> tensor<8x512xf32>
  (%c) = "pd_op.softmax" (%z) {axis:-1,stop_gradient:[true]} : (tensor<8x512xf32>) -> tensor<8x512xf32>
  (%d) = "pd_op.fetch" (%a) {col:0,name:"a",stop_gradient:[true]} : (tensor<65536x4096xf32>) -> tensor<65536x4096xf32>
  (%e) = "pd_op.fetch" (%b) {col:1,name:"b",stop_gradient:[true]} : (tensor<-1x512xf32>) -> tensor<-1x512xf32>
  (%f) = "pd_op.fetch" (%c) {col:2,name:"c",stop_gradient:[true]} : (tensor<8x512xf32>) -> tensor<8x512xf32>
}
