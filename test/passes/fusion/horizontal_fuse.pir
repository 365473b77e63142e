// RUN: pir-opt %s --split-input-file --verify-each --passes=horizontal_fuse,check | FileCheck %s
// RUN: pir-opt %s --split-input-file --passes=horizontal_fuse --verify-numerics=3 > /dev/null

// Products of one value, and then products of one of those: both levels. The last matrix comes first.
// CHECK:      "builtin.combine" (%3, %2, %1)
// CHECK:      "pd_op.concat" {{.*}} -> tensor<4x12xf32>
// CHECK-NEXT: "pd_op.matmul" (%0, {{.*}} -> tensor<-1x3x12xf32>
// CHECK:      value:[4,4,4]
// CHECK:      "pd_op.split"
// CHECK-NEXT: (%[[A:[0-9]+]], %[[B:[0-9]+]], %[[C:[0-9]+]]) = "builtin.split"
// CHECK:      "pd_op.concat" {{.*}} -> tensor<4x12xf32>
// CHECK-NEXT: "pd_op.matmul" (%[[C]],
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[-1,3,4]} : () -> tensor<-1x3x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[4,4]} : () -> tensor<4x4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[4,4]} : () -> tensor<4x4xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[4,4]} : () -> tensor<4x4xf32>
    (%4) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<-1x3x4xf32>, tensor<4x4xf32>) -> tensor<-1x3x4xf32>
    (%5) = "pd_op.matmul" (%0, %2) {transpose_x:false,transpose_y:false} : (tensor<-1x3x4xf32>, tensor<4x4xf32>) -> tensor<-1x3x4xf32>
    (%6) = "pd_op.matmul" (%0, %3) {transpose_x:false,transpose_y:false} : (tensor<-1x3x4xf32>, tensor<4x4xf32>) -> tensor<-1x3x4xf32>
    (%7) = "pd_op.matmul" (%4, %1) {transpose_x:false,transpose_y:false} : (tensor<-1x3x4xf32>, tensor<4x4xf32>) -> tensor<-1x3x4xf32>
    (%8) = "pd_op.matmul" (%4, %2) {transpose_x:false,transpose_y:false} : (tensor<-1x3x4xf32>, tensor<4x4xf32>) -> tensor<-1x3x4xf32>
    (%9) = "pd_op.matmul" (%4, %3) {transpose_x:false,transpose_y:false} : (tensor<-1x3x4xf32>, tensor<4x4xf32>) -> tensor<-1x3x4xf32>
    (%10) = "pd_op.fetch" (%5) {col:0,name:"p"} : (tensor<-1x3x4xf32>) -> tensor<-1x3x4xf32>
    (%11) = "pd_op.fetch" (%6) {col:1,name:"q"} : (tensor<-1x3x4xf32>) -> tensor<-1x3x4xf32>
    (%12) = "pd_op.fetch" (%7) {col:2,name:"r"} : (tensor<-1x3x4xf32>) -> tensor<-1x3x4xf32>
    (%13) = "pd_op.fetch" (%8) {col:3,name:"s"} : (tensor<-1x3x4xf32>) -> tensor<-1x3x4xf32>
    (%14) = "pd_op.fetch" (%9) {col:4,name:"t"} : (tensor<-1x3x4xf32>) -> tensor<-1x3x4xf32>
}

// -----
// The value on the right: the matrices are joined by rows. fc with biases. An fc with an activation stays out.
// CHECK:      "pd_op.concat" {{.*}} -> tensor<9x2xf32>
// CHECK-NEXT: "pd_op.matmul" ({{.*}}, %0) {{.*}} -> tensor<9x3xf32>
// CHECK:      "pd_op.concat" {{.*}} -> tensor<3x6xf32>
// CHECK:      "pd_op.concat" {{.*}} -> tensor<6xf32>
// CHECK-NEXT: "pd_op.fc" (%0, {{.*}} -> tensor<2x6xf32>
// CHECK:      "pd_op.fc" (%0, {{.*}}activation_type:"relu"{{.*}} -> tensor<2x2xf32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[2,2]} : () -> tensor<2x2xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[3,2]} : () -> tensor<3x2xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[4,2]} : () -> tensor<4x2xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"d",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%5) = "pd_op.matmul" (%1, %0) {transpose_x:false,transpose_y:false} : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%6) = "pd_op.matmul" (%2, %0) {transpose_x:false,transpose_y:false} : (tensor<3x2xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>
    (%7) = "pd_op.matmul" (%3, %0) {transpose_x:false,transpose_y:false} : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    (%8) = "pd_op.fc" (%0, %2, %4) {activation_type:"",in_num_col_dims:1,padding_weights:false} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    (%9) = "pd_op.fc" (%0, %2, %4) {activation_type:"relu",in_num_col_dims:1,padding_weights:false} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    (%10) = "pd_op.fc" (%0, %2, %4) {activation_type:"",in_num_col_dims:1,padding_weights:false} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    (%11) = "pd_op.fc" (%0, %2, %4) {activation_type:"",in_num_col_dims:1,padding_weights:false} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    (%12) = "pd_op.fetch" (%5) {col:0,name:"p"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%13) = "pd_op.fetch" (%6) {col:1,name:"q"} : (tensor<3x3xf32>) -> tensor<3x3xf32>
    (%14) = "pd_op.fetch" (%7) {col:2,name:"r"} : (tensor<4x3xf32>) -> tensor<4x3xf32>
    (%15) = "pd_op.fetch" (%8) {col:3,name:"s"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%16) = "pd_op.fetch" (%9) {col:4,name:"t"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%17) = "pd_op.fetch" (%10) {col:5,name:"u"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%18) = "pd_op.fetch" (%11) {col:6,name:"v"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
}

// -----
// Not: one is transposed, one matrix is computed, one is defined behind the first product.
// CHECK-NOT: "pd_op.concat"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[3,3]} : () -> tensor<3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[3,3]} : () -> tensor<3x3xf32>
    (%2) = "pd_op.relu" (%1) {} : (tensor<3x3xf32>) -> tensor<3x3xf32>
    (%3) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    (%4) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:true} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    (%5) = "pd_op.matmul" (%0, %2) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    (%6) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[3,3]} : () -> tensor<3x3xf32>
    (%7) = "pd_op.matmul" (%0, %6) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    (%8) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    (%9) = "pd_op.fetch" (%3) {col:0,name:"p"} : (tensor<3x3xf32>) -> tensor<3x3xf32>
    (%10) = "pd_op.fetch" (%4) {col:1,name:"q"} : (tensor<3x3xf32>) -> tensor<3x3xf32>
    (%11) = "pd_op.fetch" (%5) {col:2,name:"r"} : (tensor<3x3xf32>) -> tensor<3x3xf32>
    (%12) = "pd_op.fetch" (%7) {col:3,name:"s"} : (tensor<3x3xf32>) -> tensor<3x3xf32>
    (%13) = "pd_op.fetch" (%8) {col:4,name:"t"} : (tensor<3x3xf32>) -> tensor<3x3xf32>
}
