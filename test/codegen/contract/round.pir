// What --math=bf16 rounds, and what becomes of it.
// RUN: pir-opt %s --passes=round,dce --split-input-file --verify-each | FileCheck %s
// RUN: pir-opt %s --passes=round,dce,group --split-input-file | FileCheck %s --check-prefix=GROUPS
// RUN: pir-opt %s --emit=asm --math=bf16 --target=znver4 --split-input-file | FileCheck %s --check-prefix=ASM
// RUN: pir-opt %s --emit=asm --math=bf16 --target=sapphirerapids --split-input-file | FileCheck %s --check-prefix=TILES
// RUN: pir-opt %s --emit=asm --target=znver4 --split-input-file | FileCheck %s --check-prefix=STRICT
// STRICT-NOT: bf16

// A value that two contractions read is rounded once; above the view, which moves half the bytes then.
// CHECK:      (%[[SUM:[0-9]+]]) = "pd_op.relu"
// CHECK-NEXT: (%[[LOW:[0-9]+]]) = "pd_op.cast" (%[[SUM]]) {dtype:bfloat16
// CHECK-NEXT: (%[[VIEW:[0-9]+]]) = "pd_op.transpose" (%[[LOW]])
// CHECK-NEXT: "pd_op.cast" (%[[VIEW]]) {dtype:float32
// CHECK-NEXT: "pd_op.cast" {{.*}}bfloat16
// CHECK-NEXT: "pd_op.cast" {{.*}}float32
// CHECK-NEXT: "pd_op.matmul"
// CHECK-NEXT: "pd_op.cast" (%[[VIEW]]) {dtype:float32
// CHECK:      "pd_op.matmul"

// The first group stores bf16 alone; the casts of a weight are inside.
// GROUPS:      "cinn_op.group"
// GROUPS:        "pd_op.cast" {{.*}}bfloat16
// GROUPS:        "pd_op.matmul"
// GROUPS:        "pd_op.relu"
// GROUPS-NEXT:   "pd_op.cast"
// GROUPS-NEXT:   "cf.yield"
// GROUPS-SAME:     (tensor<-1x64x32xbf16>)
// GROUPS:      "cinn_op.group"
// GROUPS:        "pd_op.matmul"
// GROUPS:        "pd_op.add"

// 32 columns of 16 rows are two tiles of sums, 48 elements two steps of 12 pairs.
// TILES:     ldtilecfg
// TILES:     tilezero %tmm3
// TILES:     tileloadd {{.*}}%tmm6
// TILES:     tdpbf16ps %tmm7, %tmm5, %tmm3
// TILES:     tilestored
// TILES:     vcvtneps2bf16
// TILES:     tilerelease

// ASM: vdpbf16ps {{.*}}%zmm
// ASM: vcvtneps2bf16
// ASM: vdpbf16ps {{.*}}%zmm
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,64,48]} : () -> tensor<-1x64x48xf32>
    (%1) = "builtin.parameter" () {parameter_name:"a"} : () -> tensor<48x32xf32>
    (%2) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<64x40xf32>
    (%3) = "builtin.parameter" () {parameter_name:"c"} : () -> tensor<64x40xf32>
    (%4) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<-1x64x48xf32>, tensor<48x32xf32>) -> tensor<-1x64x32xf32>
    (%5) = "pd_op.relu" (%4) {} : (tensor<-1x64x32xf32>) -> tensor<-1x64x32xf32>
    (%6) = "pd_op.transpose" (%5) {perm:[0,2,1]} : (tensor<-1x64x32xf32>) -> tensor<-1x32x64xf32>
    (%7) = "pd_op.matmul" (%6, %2) {transpose_x:false,transpose_y:false} : (tensor<-1x32x64xf32>, tensor<64x40xf32>) -> tensor<-1x32x40xf32>
    (%8) = "pd_op.matmul" (%6, %3) {transpose_x:false,transpose_y:false} : (tensor<-1x32x64xf32>, tensor<64x40xf32>) -> tensor<-1x32x40xf32>
    (%9) = "pd_op.add" (%7, %8) {} : (tensor<-1x32x40xf32>, tensor<-1x32x40xf32>) -> tensor<-1x32x40xf32>
    (%10) = "pd_op.fetch" (%9) {col:0,name:"out"} : (tensor<-1x32x40xf32>) -> tensor<-1x32x40xf32>
}
// -----
// Channels of an image are pairs; three are not, and depthwise has none.
// CHECK:      "pd_op.data"
// CHECK-NOT:  cast
// CHECK:      "pd_op.conv2d"
// CHECK-NEXT: "pd_op.depthwise_conv2d"
// CHECK-NEXT: "pd_op.cast" {{.*}}bfloat16
// CHECK-NEXT: "pd_op.cast" {{.*}}float32
// CHECK-NEXT: "pd_op.cast" {{.*}}bfloat16
// CHECK-NEXT: "pd_op.cast" {{.*}}float32
// CHECK-NEXT: "pd_op.conv2d"
// ASM:        vdpbf16ps
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,3,32,32]} : () -> tensor<-1x3x32x32xf32>
    (%1) = "builtin.parameter" () {parameter_name:"a"} : () -> tensor<16x3x3x3xf32>
    (%2) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<16x1x3x3xf32>
    (%3) = "builtin.parameter" () {parameter_name:"c"} : () -> tensor<24x16x3x3xf32>
    (%4) = "pd_op.conv2d" (%0, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[2,2]} : (tensor<-1x3x32x32xf32>, tensor<16x3x3x3xf32>) -> tensor<-1x16x16x16xf32>
    (%5) = "pd_op.depthwise_conv2d" (%4, %2) {data_format:"NCHW",dilations:[1,1],groups:16,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x16x16x16xf32>, tensor<16x1x3x3xf32>) -> tensor<-1x16x16x16xf32>
    (%6) = "pd_op.conv2d" (%5, %3) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[2,2]} : (tensor<-1x16x16x16xf32>, tensor<24x16x3x3xf32>) -> tensor<-1x24x8x8xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"out"} : (tensor<-1x24x8x8xf32>) -> tensor<-1x24x8x8xf32>
}
// -----
// Weights that the model holds in bf16 are neither rounded again nor packed in each run.
// CHECK:      "builtin.parameter"
// CHECK:      "pd_op.data"
// CHECK-NEXT: "pd_op.cast" {{.*}}bfloat16
// CHECK-NEXT: (%[[WIDE:[0-9]+]]) = "pd_op.cast" (%0) {dtype:float32
// CHECK-NEXT: "pd_op.cast" {{.*}}float32
// CHECK-NEXT: "pd_op.matmul" (%{{[0-9]+}}, %[[WIDE]])
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<64x40xbf16>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[32,64]} : () -> tensor<32x64xf32>
    (%2) = "pd_op.cast" (%0) {dtype:float32} : (tensor<64x40xbf16>) -> tensor<64x40xf32>
    (%3) = "pd_op.matmul" (%1, %2) {transpose_x:false,transpose_y:false} : (tensor<32x64xf32>, tensor<64x40xf32>) -> tensor<32x40xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"out"} : (tensor<32x40xf32>) -> tensor<32x40xf32>
}
// -----
// Two contractions that read one widened value each have a widening of their own, which is part of their groups.
// CHECK:      "pd_op.data" () {{.*}}name:"x"
// CHECK-COUNT-4: "pd_op.cast" {{.*}}float32
// CHECK:      "pd_op.fetch"
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<64x40xbf16>
    (%1) = "pd_op.data" () {dtype:bfloat16,name:"x",place:Place(undefined:0),shape:[32,64]} : () -> tensor<32x64xbf16>
    (%2) = "pd_op.cast" (%0) {dtype:float32} : (tensor<64x40xbf16>) -> tensor<64x40xf32>
    (%3) = "pd_op.cast" (%1) {dtype:float32} : (tensor<32x64xbf16>) -> tensor<32x64xf32>
    (%4) = "pd_op.matmul" (%3, %2) {transpose_x:false,transpose_y:false} : (tensor<32x64xf32>, tensor<64x40xf32>) -> tensor<32x40xf32>
    (%5) = "pd_op.matmul" (%3, %2) {transpose_x:false,transpose_y:false} : (tensor<32x64xf32>, tensor<64x40xf32>) -> tensor<32x40xf32>
    (%6) = "pd_op.add" (%4, %5) {} : (tensor<32x40xf32>, tensor<32x40xf32>) -> tensor<32x40xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"out"} : (tensor<32x40xf32>) -> tensor<32x40xf32>
}
// -----
// The largest numbers of windows that a sum reads too are rounded behind the windows, once.
// CHECK:      (%[[POOLED:[0-9]+]]) = "pd_op.pool2d" {{.*}} -> tensor<1x16x8x8xf32>
// CHECK-NEXT: (%[[LOW:[0-9]+]]) = "pd_op.cast" (%[[POOLED]]) {dtype:bfloat16
// CHECK-NOT:  "pd_op.pool2d"
// CHECK:      (%[[SUMS:[0-9]+]]) = "pd_op.conv2d"
// CHECK-NEXT: (%[[WIDE:[0-9]+]]) = "pd_op.cast" (%[[LOW]]) {dtype:float32
// CHECK-NEXT: "pd_op.add" (%[[SUMS]], %[[WIDE]])
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,16,16,16]} : () -> tensor<1x16x16x16xf32>
    (%1) = "builtin.parameter" () {parameter_name:"a"} : () -> tensor<16x16x3x3xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,2]} : () -> tensor<2xi64>
    (%3) = "pd_op.pool2d" (%0, %2) {adaptive:false,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[0,0],pooling_type:"max",strides:[2,2]} : (tensor<1x16x16x16xf32>, tensor<2xi64>) -> tensor<1x16x8x8xf32>
    (%4) = "pd_op.conv2d" (%3, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
    (%5) = "pd_op.add" (%4, %3) {} : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"out"} : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
}
