// A print writes its operand to the standard error stream; an assertion that fails ends the run; a number chooses the result that its operand becomes.
// RUN: pir-run %s --input=x=@%S/inputs/pair.npy --input=ok=@%S/inputs/yes.npy --pipeline=kernels --print 2>&1 | FileCheck %s
// RUN: pir-run %s --input=x=@%S/inputs/pair.npy --input=ok=@%S/inputs/yes.npy --print 2>&1 | FileCheck %s
// RUN: not pir-run %s --input=x=@%S/inputs/pair.npy --input=ok=@%S/inputs/no.npy --pipeline=kernels 2>&1 | FileCheck --check-prefix=FAILED %s
// CHECK: Variable:
// CHECK-NEXT: - message: look
// CHECK-NEXT: - shape: [2]
// CHECK-NEXT: - dtype: float32
// CHECK-NEXT: - data: [1.5]
// CHECK: out: float32[2]
// CHECK-NEXT: [1.5, -2]
// FAILED: error: {{.*}}cond: expects true, found false; data: 1.5 -2
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1]} : () -> tensor<-1xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"ok",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%2) = "pd_op.print" (%0) {first_n:-1,message:"look",summarize:1,print_tensor_name:true,print_tensor_type:true,print_tensor_shape:true,print_tensor_layout:true,print_tensor_lod:true,print_phase:"BOTH",is_forward:true} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%3) = "builtin.combine" (%0) {} : (tensor<-1xf32>) -> vec[tensor<-1xf32>]
    () = "pd_op.assert" (%1, %3) {summarize:2} : (tensor<1xb>, vec[tensor<-1xf32>]) -> 
    (%4) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%6, %7) = "pd_op.select_output" (%4, %2) {} : (tensor<1xi32>, tensor<-1xf32>) -> tensor<-1xf32>, tensor<-1xf32>
    (%8) = "pd_op.fetch" (%7) {col:0,name:"out"} : (tensor<-1xf32>) -> tensor<-1xf32>
}
