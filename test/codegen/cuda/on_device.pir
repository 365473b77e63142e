// What a called kernel would compute on the host, between transfers, is compiled: rows of a table, with the check of their
// numbers, the parts of splits, few elements, repeated ones, divisions with a check, and contractions without a generator. What decides on
// shapes stays on the host; a number that follows from extents is an argument.
// RUN: pir-opt %s --pipeline=compile-cuda | FileCheck %s
// RUN: pir-opt %s --pipeline=compile-cuda --emit=cuda | FileCheck %s --check-prefix=CODE
// CHECK-NOT: pd_op.unbind
// CHECK: "pd_op.embedding"
// CHECK: "pd_op.slice"{{.*}}decrease_axis:[0]
// CHECK: "pd_op.slice"{{.*}}decrease_axis:[]
// CHECK: "shape64(phi_kernel)"
// CHECK: "slice(phi_kernel)"
// CHECK: "cinn_op.group"
// CHECK: "pd_op.relu"
// CHECK: "pd_op.expand"
// CHECK: kind:"sums"
// CODE: pir_trap(report, launch, 1)
// CODE: if (({{.*}} == 0ll)) pir_trap(report, launch, 1);
// CODE: = (i64)((u64)n0 * (u64)8ll);
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<100x16xf32>
    (%1) = "pd_op.data" () {dtype:int64,name:"x",place:Place(undefined:0),shape:[2,-1]} : () -> tensor<2x-1xi64>
    (%2) = "pd_op.embedding" (%1, %0) {padding_idx:-1,sparse:false} : (tensor<2x-1xi64>, tensor<100x16xf32>) -> tensor<2x-1x16xf32>
    (%3) = "pd_op.unbind" (%2) {axis:0} : (tensor<2x-1x16xf32>) -> vec[tensor<-1x16xf32>,tensor<-1x16xf32>]
    (%4, %5) = "builtin.split" (%3) {} : (vec[tensor<-1x16xf32>,tensor<-1x16xf32>]) -> tensor<-1x16xf32>, tensor<-1x16xf32>
    (%6) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xi32>
    (%7) = "pd_op.split_with_num" (%4, %6) {num:2} : (tensor<-1x16xf32>, tensor<1xi32>) -> vec[tensor<-1x8xf32>,tensor<-1x8xf32>]
    (%8, %9) = "builtin.split" (%7) {} : (vec[tensor<-1x8xf32>,tensor<-1x8xf32>]) -> tensor<-1x8xf32>, tensor<-1x8xf32>
    (%10) = "pd_op.tanh" (%8) {} : (tensor<-1x8xf32>) -> tensor<-1x8xf32>
    (%11) = "pd_op.add" (%10, %9) {} : (tensor<-1x8xf32>, tensor<-1x8xf32>) -> tensor<-1x8xf32>
    (%12) = "pd_op.shape64" (%5) {} : (tensor<-1x16xf32>) -> tensor<2xi64>
    (%13) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%14) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%15) = "pd_op.slice" (%12, %13, %14) {axes:[0],decrease_axis:[],infer_flags:[1]} : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    (%16) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[1]} : () -> tensor<1xf32>
    (%17) = "pd_op.relu" (%16) {} : (tensor<1xf32>) -> tensor<1xf32>
    (%18) = "pd_op.expand" (%17, %15) {} : (tensor<1xf32>, tensor<1xi64>) -> tensor<-1xf32>
    (%19) = "pd_op.fetch" (%11) {col:0,name:"a"} : (tensor<-1x8xf32>) -> tensor<-1x8xf32>
    (%20) = "pd_op.fetch" (%18) {col:1,name:"b"} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%21) = "pd_op.data" () {dtype:int64,name:"n",place:Place(undefined:0),shape:[80]} : () -> tensor<80xi64>
    (%22) = "pd_op.floor_divide" (%21, %21) {} : (tensor<80xi64>, tensor<80xi64>) -> tensor<80xi64>
    (%23) = "pd_op.data" () {dtype:float32,name:"i",place:Place(undefined:0),shape:[1,4,5,5]} : () -> tensor<1x4x5x5xf32>
    (%24) = "builtin.parameter" () {parameter_name:"f"} : () -> tensor<4x3x3x3xf32>
    (%25) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%26) = "pd_op.conv2d_transpose" (%23, %24, %25) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[2,2]} : (tensor<1x4x5x5xf32>, tensor<4x3x3x3xf32>, tensor<0xi64>) -> tensor<1x3x11x11xf32>
    (%27) = "pd_op.numel" (%10) {} : (tensor<-1x8xf32>) -> tensor<i64>
    (%28) = "pd_op.cast" (%27) {dtype:float32} : (tensor<i64>) -> tensor<f32>
    (%30) = "pd_op.fetch" (%22) {col:2,name:"c"} : (tensor<80xi64>) -> tensor<80xi64>
    (%31) = "pd_op.fetch" (%26) {col:3,name:"d"} : (tensor<1x3x11x11xf32>) -> tensor<1x3x11x11xf32>
    (%32) = "pd_op.fetch" (%28) {col:4,name:"e"} : (tensor<f32>) -> tensor<f32>
}
