// Offsets go with the rows through views of computed tensors, which are no instructions: a chain of them (%7, of relu's
// result), one that gives the rows other offsets in between (%9), and one of the input. A view with other rows (%b, from the
// 6 rows of %3 to 3) has none.
// RUN: mkdir -p %t && pir-run %s --input=x=6x1xf32=0 '--lod=x= [[0, 2,	5,6] ] ' --print --output-dir=%t | FileCheck %s
// RUN: pir-run %s --input=x=6x1xf32=0 --lod=x=[[0,2,5,6]] --print --pipeline=kernels | FileCheck %s
// RUN: sed 's/"pd_op.sequence_pool" (%7)/"pd_op.sequence_pool" (%b)/' %s > %t/other.pir
// RUN: not pir-run %t/other.pir --input=x=6x1xf32=0 --lod=x=[[0,2,5,6]] 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not pir-run %t/other.pir --input=x=6x1xf32=0 --lod=x=[[0,2,5,6]] --pipeline=kernels 2>&1 | FileCheck %s --check-prefix=ROWS
//
// A case keeps the offsets of an input beside its numbers.
// RUN: rm -rf %t/case && mkdir %t/case && pir-run %s --input=x=6x1xf32=0 --lod=x=[[0,2,5,6]] --output-dir=%t/case
// RUN: cp %t/case/out_3.npy %t/case/in_x.npy && echo '[[0, 2, 5, 6]]' > %t/case/lod_x.json
// RUN: pir-run %s --case=%t/case | FileCheck %s --check-prefix=CASE
// RUN: echo '[[0, 2, 5, 6]' > %t/case/lod_x.json && not pir-run %s --case=%t/case 2>&1 | FileCheck %s --check-prefix=FILE
//
// CHECK:      sums: float32[3,1]
// CHECK-NEXT: 2
// CHECK-NEXT: 3
// CHECK-NEXT: 1
// CHECK:      again: float32[2,1]
// CHECK-NEXT: 1
// CHECK-NEXT: 5
// CHECK:      fed: float32[3,1]
// ROWS: pd_op.sequence_pool: operand 0: expects a tensor with the offsets of its sequences (pir_tensor.lod, pir-run --lod)
// CASE-COUNT-4: max abs 0
// FILE: lod_x.json: expects {{\[\[}}0,2,5]], a list of offsets a level
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,1]} : () -> tensor<-1x1xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%2) = "pd_op.scale" (%x, %1) {bias:1,bias_after_scale:true} : (tensor<-1x1xf32>, tensor<1xf32>) -> tensor<-1x1xf32>
    (%3) = "pd_op.relu" (%2) {} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%5) = "pd_op.unsqueeze" (%3, %4) {} : (tensor<-1x1xf32>, tensor<1xi64>) -> tensor<-1x1x1xf32>
    (%6) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1,1]} : () -> tensor<2xi64>
    (%7) = "pd_op.reshape" (%5, %6) {} : (tensor<-1x1x1xf32>, tensor<2xi64>) -> tensor<-1x1xf32>
    (%a) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1,2]} : () -> tensor<2xi64>
    (%b) = "pd_op.reshape" (%3, %a) {} : (tensor<-1x1xf32>, tensor<2xi64>) -> tensor<-1x2xf32>
    (%8) = "pd_op.lod_reset" (%7, <<NULL VALUE>>) {append:false,target_lod:[0,1,6]} : (tensor<-1x1xf32>, <<NULL TYPE>>) -> tensor<-1x1xf32>
    (%9) = "pd_op.reshape" (%8, %6) {} : (tensor<-1x1xf32>, tensor<2xi64>) -> tensor<-1x1xf32>
    (%i) = "pd_op.reshape" (%x, %6) {} : (tensor<-1x1xf32>, tensor<2xi64>) -> tensor<-1x1xf32>
    (%p, %q) = "pd_op.sequence_pool" (%7) {is_test:true,pad_value:0,pooltype:"SUM"} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>, tensor<-1x1xi32>
    (%r, %s) = "pd_op.sequence_pool" (%9) {is_test:true,pad_value:0,pooltype:"SUM"} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>, tensor<-1x1xi32>
    (%t, %u) = "pd_op.sequence_pool" (%i) {is_test:true,pad_value:0,pooltype:"SUM"} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>, tensor<-1x1xi32>
    (%10) = "pd_op.fetch" (%p) {col:0,name:"sums"} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>
    (%11) = "pd_op.fetch" (%r) {col:1,name:"again"} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>
    (%12) = "pd_op.fetch" (%t) {col:2,name:"fed"} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>
    (%13) = "pd_op.fetch" (%x) {col:3,name:"x"} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>
}
