// RUN: pir-opt %s --split-input-file --passes=pd_op_to_kernel | FileCheck %s
// RUN: pir-opt %s --split-input-file --passes=pd_op_to_kernel,inplace | FileCheck %s --check-prefix=INPLACE

// Every op has a number; what is copied that of its source. A list is where its members are, a branch on the CPU.
// CHECK: (%0) = "data(phi_kernel)"{{.*}}backend:Undefined{{.*}}origin_id:[[#ID:]],{{.*}} -> undefined_tensor<2x3xf32>
// CHECK: "softmax(phi_kernel)"{{.*}}<backend:CPU|layout:NCHW|dtype:float32>{{.*}}origin_id:[[#ID+1]]
// CHECK: "builtin.combine" (%0, %1) {origin_id:3} : {{.*}} -> vec[undefined_tensor<2x3xf32>,cpu_tensor<2x3xf32>]
// CHECK: "uniform(phi_kernel)"{{.*}}layout:Undefined(AnyLayout)|dtype:float64
// CHECK: "embedding(phi_kernel)"{{.*}}dtype:float32
// INPLACE: "softmax(phi_kernel)"
// INPLACE: // -----
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.softmax" (%0) {axis:-1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%2) = "builtin.combine" (%0, %1) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> vec[tensor<2x3xf32>,tensor<2x3xf32>]
    (%3) = "pd_op.add_n" (%2) {} : (vec[tensor<2x3xf32>,tensor<2x3xf32>]) -> tensor<2x3xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf32>
    (%6) = "pd_op.uniform" (%4, %5, %5) {dtype:float64,place:Place(undefined:0),seed:0} : (tensor<1xi64>, tensor<1xf32>, tensor<1xf32>) -> tensor<2xf64>
    (%7) = "pd_op.data" () {dtype:int64,name:"i",place:Place(undefined:0),shape:[2]} : () -> tensor<2xi64>
    (%8) = "pd_op.embedding" (%7, %3) {padding_idx:-1,sparse:false} : (tensor<2xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
    () = "builtin.shadow_output" (%8) {output_name:"y"} : (tensor<2x3xf32>) -> 
}

// -----

// Memory is taken over where it dies: not an input's; not what is read by its older name behind an in-place op; a member of
// a list that a kernel made is on its own, one that was put in is not.
// INPLACE: [[X:%[0-9]+]]) = "data(phi_kernel)"
// INPLACE: [[A:%[0-9]+]]) = "exp(phi_kernel)" ([[X]])
// INPLACE: [[B:%[0-9]+]]) = "relu_(phi_kernel)" ([[A]])
// INPLACE: [[C:%[0-9]+]]) = "sigmoid(phi_kernel)" ([[B]])
// INPLACE: "add_(phi_kernel)" ([[C]], [[A]]) {is_inplace:true
// INPLACE: [[P:%[0-9]+]], [[Q:%[0-9]+]]) = "builtin.split"
// INPLACE: "relu_(phi_kernel)" ([[P]])
// INPLACE: [[T:%[0-9]+]]) = "tanh(phi_kernel)" ([[Q]])
// INPLACE: "builtin.combine" ([[T]], [[Q]])
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,4]} : () -> tensor<2x4xf32>
    (%1) = "pd_op.exp" (%0) {} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    (%2) = "pd_op.relu_" (%1) {} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    (%3) = "pd_op.sigmoid" (%2) {} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    (%4) = "pd_op.add" (%3, %1) {} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    (%5) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%6) = "pd_op.split_with_num" (%4, %5) {num:2} : (tensor<2x4xf32>, tensor<1xi32>) -> vec[tensor<2x2xf32>,tensor<2x2xf32>]
    (%7, %8) = "builtin.split" (%6) {} : (vec[tensor<2x2xf32>,tensor<2x2xf32>]) -> tensor<2x2xf32>, tensor<2x2xf32>
    (%9) = "pd_op.relu" (%7) {} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%10) = "pd_op.tanh" (%8) {} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%11) = "builtin.combine" (%10, %8) {} : (tensor<2x2xf32>, tensor<2x2xf32>) -> vec[tensor<2x2xf32>,tensor<2x2xf32>]
    (%12) = "pd_op.concat" (%11, %5) {} : (vec[tensor<2x2xf32>,tensor<2x2xf32>], tensor<1xi32>) -> tensor<2x4xf32>
    () = "builtin.shadow_output" (%9) {output_name:"y"} : (tensor<2x2xf32>) -> 
    () = "builtin.shadow_output" (%12) {output_name:"z"} : (tensor<2x4xf32>) -> 
}
