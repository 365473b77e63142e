// RUN: pir-opt %s --split-input-file --verify-each --passes=auto_layout_insert | FileCheck %s --check-prefix=INSERT
// RUN: pir-opt %s --split-input-file --verify-each --passes=transfer_layout | FileCheck %s
// RUN: pir-opt %s --split-input-file --verify-each --passes=auto_layout | FileCheck %s --check-prefix=AUTO
// RUN: pir-opt %s --split-input-file --passes=transfer_layout --verify-numerics=3 > /dev/null
// RUN: pir-opt %s --split-input-file --passes=auto_layout_insert,auto_layout_simplify,dce | FileCheck %s

// A residual block: one transpose at the beginning, and a mean that takes what is left. Worth it.
// INSERT-COUNT-4: "pd_op.transpose"
// CHECK:      "pd_op.transpose" (%{{[0-9]+}}) {perm:[0,2,3,1]}
// CHECK-NEXT: "pd_op.conv2d" {{.*}}data_format:"NHWC"
// CHECK-NEXT: "pd_op.batch_norm_" {{.*}}data_format:"NHWC"
// CHECK-NEXT: "pd_op.relu"
// CHECK-NEXT: "pd_op.conv2d"
// CHECK-NEXT: "pd_op.add"
// CHECK:      "pd_op.concat" {{.*}} -> tensor<2x4x4x6xf32>
// CHECK:      "pd_op.full_int_array" () {{.*}}value:[2,2]
// CHECK-NEXT: "pd_op.pool2d" {{.*}}data_format:"NHWC"
// CHECK:      value:[1,2]
// CHECK-NEXT: "pd_op.mean" {{.*}} : (tensor<2x2x2x6xf32>, tensor<2xi64>) -> tensor<2x6xf32>
// CHECK-NEXT: "pd_op.fetch"
// AUTO:       data_format:"NHWC"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"f",place:Place(cpu),shape:[3,3,1,1]} : () -> tensor<3x3x1x1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"p",place:Place(cpu),shape:[3]} : () -> tensor<3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3,4,4]} : () -> tensor<2x3x4x4xf32>
    (%22) = "pd_op.data" () {dtype:float32,name:"m",place:Place(cpu),shape:[3]} : () -> tensor<3xf32>
    (%4) = "pd_op.abs" (%1) {} : (tensor<3xf32>) -> tensor<3xf32>
    (%3) = "pd_op.conv2d" (%2, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x4x4xf32>, tensor<3x3x1x1xf32>) -> tensor<2x3x4x4xf32>
    (%5, %6, %7, %8, %9, %10) = "pd_op.batch_norm_" (%3, %22, %4, %1, %1) {data_format:"NCHW",epsilon:1,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:false} : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<-1xu8>
    (%11) = "pd_op.relu" (%5) {} : (tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
    (%12) = "pd_op.conv2d" (%11, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x4x4xf32>, tensor<3x3x1x1xf32>) -> tensor<2x3x4x4xf32>
    (%13) = "pd_op.add" (%12, %11) {} : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
    (%14) = "builtin.combine" (%13, %12) {} : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) -> vec[tensor<2x3x4x4xf32>,tensor<2x3x4x4xf32>]
    (%15) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%16) = "pd_op.concat" (%14, %15) {} : (vec[tensor<2x3x4x4xf32>,tensor<2x3x4x4xf32>], tensor<1xi32>) -> tensor<2x6x4x4xf32>
    (%17) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,2]} : () -> tensor<2xi64>
    (%18) = "pd_op.pool2d" (%16, %17) {adaptive:false,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[0,0],pooling_type:"max",strides:[2,2]} : (tensor<2x6x4x4xf32>, tensor<2xi64>) -> tensor<2x6x2x2xf32>
    (%19) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,3]} : () -> tensor<2xi64>
    (%20) = "pd_op.mean" (%18, %19) {keepdim:false} : (tensor<2x6x2x2xf32>, tensor<2xi64>) -> tensor<2x6xf32>
    (%21) = "pd_op.fetch" (%20) {col:0,name:"y"} : (tensor<2x6xf32>) -> tensor<2x6xf32>
}

// -----
// One convolution between two transposes is not worth them; a softmax along the channels holds them up. A group norm is
// no convolution.
// INSERT-COUNT-2: "pd_op.transpose"
// CHECK:      "pd_op.transpose" {{.*}} {perm:[0,2,3,1]}
// CHECK-NEXT: "pd_op.conv2d"
// CHECK-NEXT: "pd_op.transpose" {{.*}} {perm:[0,3,1,2]}
// CHECK-NEXT: "pd_op.softmax" {{.*}} {axis:1}
// CHECK-NOT:  "pd_op.transpose"
// AUTO:       // -----
// AUTO-NOT:   "pd_op.transpose"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"f",place:Place(cpu),shape:[3,3,1,1]} : () -> tensor<3x3x1x1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3,4,4]} : () -> tensor<2x3x4x4xf32>
    (%2) = "pd_op.conv2d" (%1, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<2x3x4x4xf32>, tensor<3x3x1x1xf32>) -> tensor<2x3x4x4xf32>
    (%3) = "pd_op.softmax" (%2) {axis:1} : (tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"y"} : (tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
}

// -----
// A convolution with its bias and activation is worth the three transposes; that of a parameter is folded, and does not count.
// CHECK:      "pd_op.transpose" (%0) {perm:[3,2,0,1]}
// CHECK-COUNT-2: "pd_op.transpose" (%{{[0-9]+}}) {perm:[0,2,3,1]}
// CHECK-NEXT: "pd_op.fused_conv2d_add_act" {{.*}}data_format:"NHWC"
// CHECK-NEXT: "pd_op.transpose" {{.*}} {perm:[0,3,1,2]}
// AUTO:       // -----
// AUTO:       "pd_op.fused_conv2d_add_act" {{.*}}data_format:"NHWC"
{
    (%0) = "builtin.parameter" () {parameter_name:"f"} : () -> tensor<1x1x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"b",place:Place(cpu),shape:[1,3,1,1]} : () -> tensor<1x3x1x1xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2,3,4,4]} : () -> tensor<2x3x4x4xf32>
    (%3) = "pd_op.transpose" (%0) {perm:[3,2,0,1]} : (tensor<1x1x3x3xf32>) -> tensor<3x3x1x1xf32>
    (%4, %5) = "pd_op.fused_conv2d_add_act" (%2, %3, %1, <<NULL VALUE>>) {activation:"relu",data_format:"NCHW",dilations:[1,1],exhaustive_search:false,fuse_alpha:0,groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],split_channels:[],strides:[1,1],workspace_size_MB:32} : (tensor<2x3x4x4xf32>, tensor<3x3x1x1xf32>, tensor<1x3x1x1xf32>, <<NULL TYPE>>) -> tensor<2x3x4x4xf32>, <<NULL TYPE>>
    (%6) = "pd_op.fetch" (%4) {col:0,name:"y"} : (tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
}
