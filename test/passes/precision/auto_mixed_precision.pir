// RUN: pir-opt %s --split-input-file --verify-each --passes=amp,check | FileCheck %s
// RUN: pir-opt %s --split-input-file --verify-each --passes='amp{precision=bf16,deny=matmul|pd_op.relu,allow=exp},check' | FileCheck %s --check-prefix=LISTS
// RUN: pir-opt %s --split-input-file --verify-each --passes='amp{io=true},check' | FileCheck %s --check-prefix=IO
// RUN: not pir-opt %s --split-input-file --passes='amp{precision=i8}' 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not pir-opt %s --split-input-file --passes='amp{deny=matmu}' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// BAD: error: option precision of pass auto_mixed_precision_pass expects f16 or bf16, has 'i8'
// UNKNOWN: error: option deny of pass auto_mixed_precision_pass names an unknown op 'matmu'

// A parameter is cast where it is defined, each value once; what is declared precise stays f32, outputs too.
// CHECK:      (%0) = "builtin.parameter"
// CHECK-NEXT: (%1) = "pd_op.cast" (%0) {dtype:float16}
// CHECK-NEXT: (%2) = "pd_op.data" () {dtype:float32
// CHECK-NEXT: (%3) = "pd_op.cast" (%2) {dtype:float16}
// CHECK-NEXT: (%4) = "pd_op.matmul" (%3, %1) {{.*}} -> tensor<2x3xf16>
// CHECK-NEXT: (%5) = "pd_op.relu" (%4)
// CHECK-NEXT: (%6) = "pd_op.cast" (%5) {dtype:float32}
// CHECK-NEXT: (%7) = "pd_op.exp" (%6) {{.*}} -> tensor<2x3xf32>
// CHECK-NEXT: (%8) = "pd_op.cast" (%7) {dtype:float16}
// CHECK-NEXT: (%9) = "pd_op.add" (%5, %8)
// CHECK-NEXT: (%10) = "pd_op.cast" (%9) {dtype:float32}
// CHECK-NEXT: "pd_op.fetch" (%10)

// LISTS:      (%2) = "pd_op.matmul" (%1, %0) {{.*}} -> tensor<2x3xf32>
// LISTS-NEXT: (%3) = "pd_op.relu" (%2) {{.*}} -> tensor<2x3xf32>
// LISTS-NEXT: (%4) = "pd_op.cast" (%3) {dtype:bfloat16}
// LISTS-NEXT: (%5) = "pd_op.exp" (%4) {{.*}} -> tensor<2x3xbf16>
// LISTS-NEXT: (%6) = "pd_op.add" (%4, %5)

// IO:      (%2) = "pd_op.data" () {dtype:float16
// IO-NEXT: (%3) = "pd_op.matmul" (%2, %1)
// IO:      "pd_op.fetch" ({{.*}} (tensor<2x3xf16>) -> tensor<2x3xf16>
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%2) = "pd_op.matmul" (%1, %0) {transpose_x:false,transpose_y:false} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.relu" (%2) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.exp" (%3) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%5) = "pd_op.add" (%3, %4) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"y"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// Ops that only move elements go with their neighbours: no cast is made for the transpose between two sums.
// CHECK:      "pd_op.sum"
// CHECK-NEXT: "pd_op.transpose" {{.*}} -> tensor<3x2xf32>
// CHECK-NEXT: "pd_op.full_int_array"
// CHECK-NEXT: "pd_op.sum"
// CHECK-NEXT: "pd_op.fetch"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3,4]} : () -> tensor<2x3x4xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%2) = "pd_op.sum" (%0, %1) {dtype:Undefined,keepdim:false} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%3) = "pd_op.transpose" (%2) {perm:[1,0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%5) = "pd_op.sum" (%3, %4) {dtype:Undefined,keepdim:false} : (tensor<3x2xf32>, tensor<1xi64>) -> tensor<3xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"y"} : (tensor<3xf32>) -> tensor<3xf32>
}

// -----
// Statistics and weights of norms stay f32; their results say what inference finds.
// CHECK:      (%6) = "pd_op.cast" (%5) {dtype:float16}
// CHECK-NEXT: (%7) = "pd_op.relu" (%6)
// CHECK-NEXT: "pd_op.batch_norm_" (%7, %0, %1, %2, %3) {{.*}} : (tensor<2x3x4x4xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x4xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
// CHECK-NEXT: "pd_op.layer_norm" ({{.*}}, %4, <<NULL VALUE>>) {{.*}} : (tensor<2x3x4x4xf16>, tensor<4xf32>, <<NULL TYPE>>) -> tensor<2x3x4x4xf16>
{
    (%0) = "builtin.parameter" () {parameter_name:"mean"} : () -> tensor<3xf32>
    (%1) = "builtin.parameter" () {parameter_name:"variance"} : () -> tensor<3xf32>
    (%2) = "builtin.parameter" () {parameter_name:"scale"} : () -> tensor<3xf32>
    (%3) = "builtin.parameter" () {parameter_name:"bias"} : () -> tensor<3xf32>
    (%4) = "builtin.parameter" () {parameter_name:"scale2"} : () -> tensor<4xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3,4,4]} : () -> tensor<2x3x4x4xf32>
    (%6) = "pd_op.relu" (%5) {} : (tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
    (%7, %8, %9, %10, %11, %12) = "pd_op.batch_norm_" (%6, %0, %1, %2, %3) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:false} : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<-1xu8>
    (%13, %14, %15) = "pd_op.layer_norm" (%7, %4, <<NULL VALUE>>) {begin_norm_axis:3,epsilon:1e-05} : (tensor<2x3x4x4xf32>, tensor<4xf32>, <<NULL TYPE>>) -> tensor<2x3x4x4xf32>, tensor<24xf32>, tensor<24xf32>
    (%16) = "pd_op.fetch" (%13) {col:0,name:"y"} : (tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
}

// -----
// A number beyond the range of f16 keeps its reader f32 (not in bf16); a constant is made as a half, not cast.
// CHECK:      (%1) = "pd_op.full" () {{.*}}value:1e+06} : () -> tensor<2x3xf32>
// CHECK-NEXT: (%2) = "pd_op.add" (%0, %1) {{.*}} -> tensor<2x3xf32>
// CHECK-NEXT: (%3) = "pd_op.cast" (%2) {dtype:float16}
// CHECK-NEXT: (%4) = "pd_op.full" () {dtype:float16,{{.*}}value:0.5} : () -> tensor<2x3xf16>
// CHECK-NEXT: (%5) = "pd_op.multiply" (%3, %4)
// CHECK-NEXT: (%6) = "pd_op.full" () {dtype:float32,{{.*}}value:2} : () -> tensor<1xf32>
// CHECK-NEXT: (%7) = "pd_op.scale" (%5, %6) {{.*}} : (tensor<2x3xf16>, tensor<1xf32>) -> tensor<2x3xf16>
// LISTS:      "pd_op.full" () {dtype:bfloat16{{.*}}value:1e+06}
// LISTS-NEXT: "pd_op.add" {{.*}} -> tensor<2x3xbf16>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,3],value:1e+06} : () -> tensor<2x3xf32>
    (%2) = "pd_op.add" (%0, %1) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,3],value:0.5} : () -> tensor<2x3xf32>
    (%4) = "pd_op.multiply" (%2, %3) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
    (%6) = "pd_op.scale" (%4, %5) {bias:0,bias_after_scale:true} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"y"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// A list is of one precision: the first is read by a concatenation alone, the second by an op of a C kernel as well.
// CHECK:      "builtin.combine" {{.*}} -> vec[tensor<2x3xf16>,tensor<2x3xf16>]
// CHECK-NEXT: "pd_op.concat" {{.*}} -> tensor<2x6xf16>
// CHECK:      "builtin.combine" {{.*}} -> vec[tensor<2x6xf32>,tensor<2x6xf32>]
// CHECK-NEXT: "pd_op.concat" {{.*}} -> tensor<2x12xf32>
// CHECK-NEXT: "pd_op.broadcast_tensors"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%2) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%3) = "builtin.combine" (%1, %1) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> vec[tensor<2x3xf32>,tensor<2x3xf32>]
    (%4) = "pd_op.concat" (%3, %2) {} : (vec[tensor<2x3xf32>,tensor<2x3xf32>], tensor<1xi32>) -> tensor<2x6xf32>
    (%5) = "builtin.combine" (%4, %4) {} : (tensor<2x6xf32>, tensor<2x6xf32>) -> vec[tensor<2x6xf32>,tensor<2x6xf32>]
    (%6) = "pd_op.concat" (%5, %2) {} : (vec[tensor<2x6xf32>,tensor<2x6xf32>], tensor<1xi32>) -> tensor<2x12xf32>
    (%7) = "pd_op.broadcast_tensors" (%5) {} : (vec[tensor<2x6xf32>,tensor<2x6xf32>]) -> vec[tensor<2x6xf32>,tensor<2x6xf32>]
    (%8, %9) = "builtin.split" (%7) {} : (vec[tensor<2x6xf32>,tensor<2x6xf32>]) -> tensor<2x6xf32>, tensor<2x6xf32>
    (%10) = "pd_op.fetch" (%6) {col:0,name:"y"} : (tensor<2x12xf32>) -> tensor<2x12xf32>
    (%11) = "pd_op.fetch" (%8) {col:1,name:"z"} : (tensor<2x6xf32>) -> tensor<2x6xf32>
}

// -----
// What is overwritten and read elsewhere keeps its type; regions hand f32 over. A cast takes what comes.
// CHECK:      "pd_op.tanh" {{.*}} -> tensor<2x3xf32>
// CHECK-NEXT: "pd_op.relu_" {{.*}} -> tensor<2x3xf32>
// CHECK-NEXT: "pd_op.add" {{.*}} -> tensor<2x3xf32>
// CHECK:      "pd_op.if"
// CHECK:      "pd_op.multiply" {{.*}} -> tensor<2x3xf16>
// CHECK-NEXT: "pd_op.cast" {{.*}} {dtype:float32}
// CHECK-NEXT: "cf.yield" {{.*}} (tensor<2x3xf32>)
// CHECK:      "pd_op.sigmoid" {{.*}} -> tensor<2x3xf16>
// CHECK-NEXT: "pd_op.greater_than" {{.*}} : (tensor<2x3xf16>, tensor<2x3xf16>)
// CHECK-NEXT: "pd_op.cast" {{.*}} {dtype:float16} : (tensor<2x3xf16>) -> tensor<2x3xf16>
// CHECK-NEXT: "pd_op.fetch" {{.*}} (tensor<2x3xf16>)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[]} : () -> tensor<b>
    (%2) = "pd_op.tanh" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.relu_" (%2) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.add" (%2, %3) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%5) = "pd_op.if" (%1) {} -> tensor<2x3xf32> {
        (%6) = "pd_op.multiply" (%4, %4) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%6) {} : (tensor<2x3xf32>) -> 
    } else {
        () = "cf.yield" (%4) {} : (tensor<2x3xf32>) -> 
    }
    (%7) = "pd_op.sigmoid" (%5) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%8) = "pd_op.greater_than" (%7, %7) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xb>
    (%9) = "pd_op.cast" (%7) {dtype:float16} : (tensor<2x3xf32>) -> tensor<2x3xf16>
    (%10) = "pd_op.fetch" (%9) {col:0,name:"y"} : (tensor<2x3xf16>) -> tensor<2x3xf16>
    (%11) = "pd_op.fetch" (%8) {col:1,name:"z"} : (tensor<2x3xb>) -> tensor<2x3xb>
}
