// Products that are not fused with others, and why; each program has some that could be.
// RUN: pir-opt %s --split-input-file --verify-each --passes=horizontal_fuse | FileCheck %s
// RUN: sed '1,/^.. -----$/d' %s | pir-opt - --split-input-file --passes=horizontal_fuse --verify-numerics=3 > /dev/null

// Rows that differ are not joined, although nothing says how many columns the value has.
// CHECK-LABEL: name:"fifth"
// CHECK: (%6) = "pd_op.matmul" (%0, %3) {transpose_x:false,transpose_y:false}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"fifth",place:Place(cpu),shape:[2,-1]} : () -> tensor<2x-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[3,2]} : () -> tensor<3x2xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[3,2]} : () -> tensor<3x2xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"e",place:Place(cpu),shape:[5,2]} : () -> tensor<5x2xf32>
    (%4) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<2x-1xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    (%5) = "pd_op.matmul" (%0, %2) {transpose_x:false,transpose_y:false} : (tensor<2x-1xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    (%6) = "pd_op.matmul" (%0, %3) {transpose_x:false,transpose_y:false} : (tensor<2x-1xf32>, tensor<5x2xf32>) -> tensor<2x2xf32>
    (%7) = "pd_op.fetch" (%4) {col:0,name:"t"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%8) = "pd_op.fetch" (%5) {col:1,name:"u"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%9) = "pd_op.fetch" (%6) {col:2,name:"v"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
}

// -----
// The value as a bias, on both sides, as the one product's left and the others' right side; a vector on the right.
// CHECK-LABEL: name:"first"
// CHECK: (%12) = "pd_op.matmul" (%4, %1) {transpose_x:true,transpose_y:false}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"first",place:Place(cpu),shape:[3]} : () -> tensor<3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[3,3]} : () -> tensor<3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[3,3]} : () -> tensor<3x3xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[3,3]} : () -> tensor<3x3xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[3,3]} : () -> tensor<3x3xf32>
    (%5) = "pd_op.matmul" (%1, %0) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
    (%6) = "pd_op.matmul" (%2, %0) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
    (%7) = "pd_op.matmul" (%3, %0) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
    (%8) = "pd_op.fc" (%4, %1, %0) {activation_type:"",in_num_col_dims:1,padding_weights:false} : (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
    (%9) = "pd_op.matmul" (%4, %4) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    (%10) = "pd_op.matmul" (%4, %2) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    (%11) = "pd_op.matmul" (%3, %4) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    (%12) = "pd_op.matmul" (%4, %1) {transpose_x:true,transpose_y:false} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    (%13) = "pd_op.fetch" (%5) {col:0,name:"p"} : (tensor<3xf32>) -> tensor<3xf32>
    (%14) = "pd_op.fetch" (%6) {col:1,name:"q"} : (tensor<3xf32>) -> tensor<3xf32>
    (%15) = "pd_op.fetch" (%7) {col:2,name:"r"} : (tensor<3xf32>) -> tensor<3xf32>
    (%16) = "pd_op.fetch" (%8) {col:3,name:"s"} : (tensor<3x3xf32>) -> tensor<3x3xf32>
    (%17) = "pd_op.fetch" (%9) {col:4,name:"t"} : (tensor<3x3xf32>) -> tensor<3x3xf32>
    (%18) = "pd_op.fetch" (%10) {col:5,name:"u"} : (tensor<3x3xf32>) -> tensor<3x3xf32>
    (%19) = "pd_op.fetch" (%11) {col:6,name:"v"} : (tensor<3x3xf32>) -> tensor<3x3xf32>
    (%20) = "pd_op.fetch" (%12) {col:7,name:"w"} : (tensor<3x3xf32>) -> tensor<3x3xf32>
}

// -----
// A vector on the left: one product. A matrix whose extent is not known is left.
// CHECK-LABEL: name:"second"
// CHECK: (%5) = "builtin.combine" (%3, %2, %1)
// CHECK: (%7) = "pd_op.concat" (%5, %6)
// CHECK-NEXT: (%8) = "pd_op.matmul" (%0, %7) {transpose_x:false,transpose_y:false}
// CHECK: (%11) = "pd_op.split" (%8, %9, %10)
// CHECK-NEXT: (%12, %13, %14) = "builtin.split" (%11)
// CHECK-NEXT: (%15) = "pd_op.matmul" (%0, %4) {transpose_x:false,transpose_y:false}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"second",place:Place(cpu),shape:[3]} : () -> tensor<3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[3,2]} : () -> tensor<3x2xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[3,2]} : () -> tensor<3x2xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[3,2]} : () -> tensor<3x2xf32>
    (%4) = "pd_op.data" () {dtype:float32,name:"d",place:Place(cpu),shape:[3,-1]} : () -> tensor<3x-1xf32>
    (%5) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<3xf32>, tensor<3x2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.matmul" (%0, %2) {transpose_x:false,transpose_y:false} : (tensor<3xf32>, tensor<3x2xf32>) -> tensor<2xf32>
    (%7) = "pd_op.matmul" (%0, %3) {transpose_x:false,transpose_y:false} : (tensor<3xf32>, tensor<3x2xf32>) -> tensor<2xf32>
    (%8) = "pd_op.matmul" (%0, %4) {transpose_x:false,transpose_y:false} : (tensor<3xf32>, tensor<3x-1xf32>) -> tensor<-1xf32>
    (%9) = "pd_op.fetch" (%5) {col:0,name:"p"} : (tensor<2xf32>) -> tensor<2xf32>
    (%10) = "pd_op.fetch" (%6) {col:1,name:"q"} : (tensor<2xf32>) -> tensor<2xf32>
    (%11) = "pd_op.fetch" (%7) {col:2,name:"r"} : (tensor<2xf32>) -> tensor<2xf32>
    (%12) = "pd_op.fetch" (%8) {col:3,name:"s"} : (tensor<-1xf32>) -> tensor<-1xf32>
}

// -----
// Fully connected: some without a bias, one with a computed bias, one whose bias is defined behind the first product, another op.
// CHECK-LABEL: name:"third"
// CHECK: (%14) = "pd_op.fc" (%0, %1, %13) {activation_type:"",in_num_col_dims:1,padding_weights:false}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"third",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[3,2]} : () -> tensor<3x2xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%3) = "pd_op.fc" (%0, %1, <<NULL VALUE>>) {activation_type:"",in_num_col_dims:1,padding_weights:false} : (tensor<2x3xf32>, tensor<3x2xf32>, <<NULL TYPE>>) -> tensor<2x2xf32>
    (%4) = "pd_op.fc" (%0, %1, <<NULL VALUE>>) {activation_type:"",in_num_col_dims:1,padding_weights:false} : (tensor<2x3xf32>, tensor<3x2xf32>, <<NULL TYPE>>) -> tensor<2x2xf32>
    (%5) = "pd_op.fc" (%0, %1, %2) {activation_type:"",in_num_col_dims:1,padding_weights:false} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    (%6) = "pd_op.fc" (%0, %1, %2) {activation_type:"",in_num_col_dims:1,padding_weights:false} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    (%7) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%8) = "pd_op.fc" (%0, %1, %7) {activation_type:"",in_num_col_dims:1,padding_weights:false} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    (%9) = "pd_op.exp" (%2) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%10) = "pd_op.fc" (%0, %1, %9) {activation_type:"",in_num_col_dims:1,padding_weights:false} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    (%11) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    (%12) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    (%13) = "pd_op.data" () {dtype:float32,name:"e",place:Place(cpu),shape:[1,2]} : () -> tensor<1x2xf32>
    (%14) = "pd_op.fc" (%0, %1, %13) {activation_type:"",in_num_col_dims:1,padding_weights:false} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
    (%15) = "pd_op.fetch" (%3) {col:0,name:"p"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%16) = "pd_op.fetch" (%4) {col:1,name:"q"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%17) = "pd_op.fetch" (%5) {col:2,name:"r"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%18) = "pd_op.fetch" (%6) {col:3,name:"s"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%19) = "pd_op.fetch" (%8) {col:4,name:"t"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%20) = "pd_op.fetch" (%10) {col:5,name:"u"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%21) = "pd_op.fetch" (%11) {col:6,name:"v"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%22) = "pd_op.fetch" (%12) {col:7,name:"w"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%23) = "pd_op.fetch" (%14) {col:8,name:"y"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
}

// -----
// An argument of a region, whose products are in the region; readers elsewhere are left.
// CHECK-LABEL: name:"fourth"
// CHECK: (%4, %5) = "pd_op.while" (cond=%3, inputs=%3, %0) {
// CHECK: (%6) = "builtin.combine" (%1, %2, %1)
// CHECK: (%8) = "pd_op.concat" (%6, %7)
// CHECK-NEXT: (%9) = "pd_op.matmul" (%arg_1, %8) {transpose_x:false,transpose_y:false}
// CHECK: (%12) = "pd_op.split" (%9, %10, %11)
// CHECK-NEXT: (%13, %14, %15) = "builtin.split" (%12)
// CHECK-NEXT: (%16) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false}
// CHECK-NEXT: (%17) = "pd_op.matmul" (%0, %2) {transpose_x:false,transpose_y:false}
// CHECK-NEXT: (%18) = "pd_op.matmul" (%0, %arg_1) {transpose_x:false,transpose_y:false}
// CHECK-NEXT: (%19) = "pd_op.add" (%15, %14)
// CHECK-NEXT: (%20) = "pd_op.add" (%19, %13)
// CHECK-NEXT: (%21) = "pd_op.add" (%20, %16)
// CHECK-NEXT: (%22) = "pd_op.add" (%21, %17)
// CHECK-NEXT: (%23) = "pd_op.add" (%22, %18)
// CHECK-NEXT: () = "cf.yield" (%3, %3, %23)
// CHECK: (%24) = "pd_op.matmul" (%0, %2) {transpose_x:false,transpose_y:false}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"fourth",place:Place(cpu),shape:[3,3]} : () -> tensor<3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[3,3]} : () -> tensor<3x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[3,3]} : () -> tensor<3x3xf32>
    (%3) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%4, %5) = "pd_op.while" (cond=%3, inputs=%3, %0) {
    ^%arg_0 {}, %arg_1 {}
        (%6) = "pd_op.matmul" (%arg_1, %1) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
        (%7) = "pd_op.matmul" (%arg_1, %2) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
        (%8) = "pd_op.matmul" (%arg_1, %1) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
        (%9) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
        (%10) = "pd_op.matmul" (%0, %2) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
        (%11) = "pd_op.matmul" (%0, %arg_1) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
        (%12) = "pd_op.add" (%6, %7) {} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
        (%13) = "pd_op.add" (%12, %8) {} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
        (%14) = "pd_op.add" (%13, %9) {} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
        (%15) = "pd_op.add" (%14, %10) {} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
        (%16) = "pd_op.add" (%15, %11) {} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
        () = "cf.yield" (%3, %3, %16) {} : (tensor<1xb>, tensor<1xb>, tensor<3x3xf32>) -> 
    }
    (%17) = "pd_op.matmul" (%0, %2) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    (%18) = "pd_op.fetch" (%5) {col:0,name:"p"} : (tensor<3x3xf32>) -> tensor<3x3xf32>
    (%19) = "pd_op.fetch" (%17) {col:1,name:"r"} : (tensor<3x3xf32>) -> tensor<3x3xf32>
}

// -----
// The same with an epilogue, whose bias is left out.
// CHECK-LABEL: name:"sixth"
// CHECK: (%4) = "builtin.combine" (%3, %2, %1)
// CHECK: (%7) = "pd_op.gemm_epilogue" (%0, %6) {activation_type:"relu",in_num_col_dims:1,padding_weights:false}
// CHECK: (%11, %12, %13) = "builtin.split"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"sixth",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[3,2]} : () -> tensor<3x2xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[3,4]} : () -> tensor<3x4xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"c",place:Place(cpu),shape:[3,2]} : () -> tensor<3x2xf32>
    (%4) = "pd_op.gemm_epilogue" (%0, %1) {activation_type:"relu",in_num_col_dims:1,padding_weights:false} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    (%5) = "pd_op.gemm_epilogue" (%0, %2) {activation_type:"relu",in_num_col_dims:1,padding_weights:false} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    (%6) = "pd_op.gemm_epilogue" (%0, %3) {activation_type:"relu",in_num_col_dims:1,padding_weights:false} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    (%7) = "pd_op.fetch" (%4) {col:0,name:"p"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%8) = "pd_op.fetch" (%5) {col:1,name:"q"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    (%9) = "pd_op.fetch" (%6) {col:2,name:"r"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
}

// -----
// Factors that are arguments of a region are joined with nothing.
// CHECK-LABEL: name:"seventh"
// CHECK-NOT: "pd_op.concat"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"seventh",place:Place(cpu),shape:[3,3]} : () -> tensor<3x3xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%2, %3, %4) = "pd_op.while" (cond=%1, inputs=%1, %0, %0) {
    ^%arg_0 {}, %arg_1 {}, %arg_2 {}
        (%5) = "pd_op.matmul" (%arg_1, %arg_2) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
        (%6) = "pd_op.matmul" (%arg_1, %arg_2) {transpose_x:false,transpose_y:false} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
        (%7) = "pd_op.matmul" (%arg_1, %arg_2) {transpose_x:false,transpose_y:true} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
        (%8) = "pd_op.add" (%5, %6) {} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
        (%9) = "pd_op.add" (%8, %7) {} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
        () = "cf.yield" (%1, %1, %9, %arg_2) {} : (tensor<1xb>, tensor<1xb>, tensor<3x3xf32>, tensor<3x3xf32>) -> 
    }
    (%10) = "pd_op.fetch" (%3) {col:0,name:"p"} : (tensor<3x3xf32>) -> tensor<3x3xf32>
}
