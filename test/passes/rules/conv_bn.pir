// RUN: pir-opt %s --split-input-file --verify-each --passes=conv2d_bn_fuse_pass,scaled_bn_fuse_pass | FileCheck %s

// The scale goes into the filter, the shift behind the convolution, on the axis of the channels.
// CHECK:      (%[[F:[0-9]+]]) = "pd_op.multiply" (%4, %{{[0-9]+}})
// CHECK-NEXT: (%[[C:[0-9]+]]) = "pd_op.conv2d" (%5, %[[F]]) {data_format:"NHWC"
// CHECK:      "pd_op.full_int_array" () {{.*}}value:[1,1,1,4]
// CHECK-NEXT: (%[[B:[0-9]+]]) = "pd_op.reshape"
// CHECK-NEXT: (%[[S:[0-9]+]]) = "pd_op.add" (%[[C]], %[[B]])
// CHECK-NEXT: "pd_op.fetch" (%[[S]])
{
    (%0) = "builtin.parameter" () {parameter_name:"bias",persistable:[true],stop_gradient:[false]} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"scale",persistable:[true],stop_gradient:[false]} : () -> tensor<4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"variance",persistable:[true],stop_gradient:[true]} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"mean",persistable:[true],stop_gradient:[true]} : () -> tensor<4xf32>
    (%4) = "builtin.parameter" () {parameter_name:"filter",persistable:[true],stop_gradient:[false]} : () -> tensor<4x3x3x3xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,6,6,3],stop_gradient:[true]} : () -> tensor<2x6x6x3xf32>
    (%6) = "pd_op.conv2d" (%5, %4) {data_format:"NHWC",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],stop_gradient:[false],strides:[1,1]} : (tensor<2x6x6x3xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%7, %8, %9, %10, %11, %12) = "pd_op.batch_norm_" (%6, %3, %2, %1, %0) {data_format:"NHWC",epsilon:1e-05,is_test:true,momentum:0.9,stop_gradient:[false,false,false,false,false,false],trainable_statistics:false,use_global_stats:true} : (tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<-1xu8>
    (%13) = "pd_op.fetch" (%7) {col:0,name:"fetch0",persistable:[true],stop_gradient:[false]} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// Statistics of the batch are not known beforehand.
// CHECK: "pd_op.batch_norm_"
{
    (%0) = "builtin.parameter" () {parameter_name:"bias",persistable:[true],stop_gradient:[false]} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"scale",persistable:[true],stop_gradient:[false]} : () -> tensor<4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"variance",persistable:[true],stop_gradient:[true]} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"mean",persistable:[true],stop_gradient:[true]} : () -> tensor<4xf32>
    (%4) = "builtin.parameter" () {parameter_name:"filter",persistable:[true],stop_gradient:[false]} : () -> tensor<4x3x3x3xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3,6,6],stop_gradient:[true]} : () -> tensor<2x3x6x6xf32>
    (%6) = "pd_op.conv2d" (%5, %4) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],stop_gradient:[false],strides:[1,1]} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x4xf32>
    (%7, %8, %9, %10, %11, %12) = "pd_op.batch_norm_" (%6, %3, %2, %1, %0) {data_format:"NCHW",epsilon:1e-05,is_test:false,momentum:0.9,stop_gradient:[false,false,false,false,false,false],trainable_statistics:false,use_global_stats:false} : (tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<-1xu8>
    (%13) = "pd_op.fetch" (%7) {col:0,name:"fetch0",persistable:[true],stop_gradient:[false]} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
}

// -----
// Behind scaled integers, the scale of a batch norm goes into theirs.
// CHECK:      (%[[K:[0-9]+]]) = "pd_op.divide" (%1,
// CHECK:      (%[[ROWS:[0-9]+]]) = "pd_op.reshape" (%[[K]]
// CHECK-NEXT: (%[[ALL:[0-9]+]]) = "pd_op.multiply" (%4, %[[ROWS]])
// CHECK:      "pd_op.subtract" (%0,
// CHECK:      (%[[SHIFT:[0-9]+]]) = "pd_op.reshape"
// CHECK-NEXT: (%[[FLOATS:[0-9]+]]) = "pd_op.cast" (%5)
// CHECK-NEXT: (%[[SCALED:[0-9]+]]) = "pd_op.multiply" (%[[FLOATS]], %[[ALL]])
// CHECK-NEXT: (%[[OUT:[0-9]+]]) = "pd_op.add" (%[[SCALED]], %[[SHIFT]])
// CHECK-NEXT: "pd_op.fetch" (%[[OUT]])
{
    (%0) = "builtin.parameter" () {parameter_name:"bias",persistable:[true],stop_gradient:[false]} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"scale",persistable:[true],stop_gradient:[false]} : () -> tensor<4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"variance",persistable:[true],stop_gradient:[true]} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"mean",persistable:[true],stop_gradient:[true]} : () -> tensor<4xf32>
    (%4) = "builtin.parameter" () {parameter_name:"s",persistable:[true],stop_gradient:[true]} : () -> tensor<4x1x1xf32>
    (%5) = "pd_op.data" () {dtype:int32,name:"x",place:Place(undefined:0),shape:[2,4,6,6],stop_gradient:[true]} : () -> tensor<2x4x6x6xi32>
    (%6) = "pd_op.cast" (%5) {dtype:float32,stop_gradient:[false]} : (tensor<2x4x6x6xi32>) -> tensor<2x4x6x6xf32>
    (%7) = "pd_op.multiply" (%6, %4) {stop_gradient:[false]} : (tensor<2x4x6x6xf32>, tensor<4x1x1xf32>) -> tensor<2x4x6x6xf32>
    (%8, %9, %10, %11, %12, %13) = "pd_op.batch_norm_" (%7, %3, %2, %1, %0) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,stop_gradient:[false,false,false,false,false,false],trainable_statistics:false,use_global_stats:false} : (tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<-1xu8>
    (%14) = "pd_op.fetch" (%8) {col:0,name:"fetch0",persistable:[true],stop_gradient:[false]} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// -----
// Statistics of the batch are not known beforehand.
// CHECK: "pd_op.batch_norm_"
{
    (%0) = "builtin.parameter" () {parameter_name:"bias",persistable:[true],stop_gradient:[false]} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"scale",persistable:[true],stop_gradient:[false]} : () -> tensor<4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"variance",persistable:[true],stop_gradient:[true]} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"mean",persistable:[true],stop_gradient:[true]} : () -> tensor<4xf32>
    (%4) = "builtin.parameter" () {parameter_name:"s",persistable:[true],stop_gradient:[true]} : () -> tensor<4x1x1xf32>
    (%5) = "pd_op.data" () {dtype:int32,name:"x",place:Place(undefined:0),shape:[2,4,6,6],stop_gradient:[true]} : () -> tensor<2x4x6x6xi32>
    (%6) = "pd_op.cast" (%5) {dtype:float32,stop_gradient:[false]} : (tensor<2x4x6x6xi32>) -> tensor<2x4x6x6xf32>
    (%7) = "pd_op.multiply" (%6, %4) {stop_gradient:[false]} : (tensor<2x4x6x6xf32>, tensor<4x1x1xf32>) -> tensor<2x4x6x6xf32>
    (%8, %9, %10, %11, %12, %13) = "pd_op.batch_norm_" (%7, %3, %2, %1, %0) {data_format:"NCHW",epsilon:1e-05,is_test:false,momentum:0.9,stop_gradient:[false,false,false,false,false,false],trainable_statistics:false,use_global_stats:false} : (tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<-1xu8>
    (%14) = "pd_op.fetch" (%8) {col:0,name:"fetch0",persistable:[true],stop_gradient:[false]} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}

// -----
// Other integers are no sums of a quantised layer.
// CHECK: "pd_op.batch_norm_"
{
    (%0) = "builtin.parameter" () {parameter_name:"bias",persistable:[true],stop_gradient:[false]} : () -> tensor<4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"scale",persistable:[true],stop_gradient:[false]} : () -> tensor<4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"variance",persistable:[true],stop_gradient:[true]} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"mean",persistable:[true],stop_gradient:[true]} : () -> tensor<4xf32>
    (%4) = "builtin.parameter" () {parameter_name:"s",persistable:[true],stop_gradient:[true]} : () -> tensor<4x1x1xf32>
    (%5) = "pd_op.data" () {dtype:int64,name:"x",place:Place(undefined:0),shape:[2,4,6,6],stop_gradient:[true]} : () -> tensor<2x4x6x6xi64>
    (%6) = "pd_op.cast" (%5) {dtype:float32,stop_gradient:[false]} : (tensor<2x4x6x6xi64>) -> tensor<2x4x6x6xf32>
    (%7) = "pd_op.multiply" (%6, %4) {stop_gradient:[false]} : (tensor<2x4x6x6xf32>, tensor<4x1x1xf32>) -> tensor<2x4x6x6xf32>
    (%8, %9, %10, %11, %12, %13) = "pd_op.batch_norm_" (%7, %3, %2, %1, %0) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,stop_gradient:[false,false,false,false,false,false],trainable_statistics:false,use_global_stats:false} : (tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<-1xu8>
    (%14) = "pd_op.fetch" (%8) {col:0,name:"fetch0",persistable:[true],stop_gradient:[false]} : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
}
