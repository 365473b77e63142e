// Which contractions are compiled.
// RUN: pir-opt %s --passes=group --split-input-file | FileCheck %s

// A 1x1 and a padded, strided one; groups and depthwise.
// CHECK:      "cinn_op.group"
// CHECK-NEXT:   "pd_op.conv2d"
// CHECK:      "cinn_op.group"
// CHECK-NEXT:   "pd_op.conv2d"
// CHECK:      "cinn_op.group"
// CHECK-NEXT:   "pd_op.depthwise_conv2d"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,8,-1,-1]} : () -> tensor<-1x8x-1x-1xf32>
    (%1) = "builtin.parameter" () {parameter_name:"a"} : () -> tensor<16x8x1x1xf32>
    (%2) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<16x8x3x3xf32>
    (%3) = "builtin.parameter" () {parameter_name:"c"} : () -> tensor<16x1x3x3xf32>
    (%4) = "pd_op.conv2d" (%0, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x8x-1x-1xf32>, tensor<16x8x1x1xf32>) -> tensor<-1x16x-1x-1xf32>
    (%5) = "pd_op.conv2d" (%4, %2) {data_format:"NCHW",dilations:[2,2],groups:2,padding_algorithm:"EXPLICIT",paddings:[1,2],strides:[2,1]} : (tensor<-1x16x-1x-1xf32>, tensor<16x8x3x3xf32>) -> tensor<-1x16x-1x-1xf32>
    (%6) = "pd_op.depthwise_conv2d" (%5, %3) {data_format:"NCHW",dilations:[1,1],groups:16,padding_algorithm:"SAME",paddings:[0,0],strides:[1,1]} : (tensor<-1x16x-1x-1xf32>, tensor<16x1x3x3xf32>) -> tensor<-1x16x-1x-1xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"out"} : (tensor<-1x16x-1x-1xf32>) -> tensor<-1x16x-1x-1xf32>
}
// -----
// A convolution backwards is one when its stride is 1 or its taps fill the stride, and else is called.
// CHECK:     "cinn_op.group"
// CHECK:       "pd_op.conv2d_transpose"
// CHECK:       cf.yield
// CHECK:     "cinn_op.group"
// CHECK:       "pd_op.conv2d_transpose"
// CHECK-SAME: strides:[1,1]
// CHECK:       cf.yield
// CHECK-NOT: "cinn_op.group"
// CHECK:     "pd_op.conv2d_transpose"
// CHECK-SAME: strides:[3,1]
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,8,-1,-1]} : () -> tensor<-1x8x-1x-1xf32>
    (%1) = "builtin.parameter" () {parameter_name:"a"} : () -> tensor<8x8x2x2xf32>
    (%2) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<8x8x3x3xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%4) = "pd_op.conv2d_transpose" (%0, %1, %3) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[2,2]} : (tensor<-1x8x-1x-1xf32>, tensor<8x8x2x2xf32>, tensor<0xi64>) -> tensor<-1x8x-1x-1xf32>
    (%5) = "pd_op.conv2d_transpose" (%4, %2, %3) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x8x-1x-1xf32>, tensor<8x8x3x3xf32>, tensor<0xi64>) -> tensor<-1x8x-1x-1xf32>
    (%7) = "pd_op.conv2d_transpose" (%5, %2, %3) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[],padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[3,1]} : (tensor<-1x8x-1x-1xf32>, tensor<8x8x3x3xf32>, tensor<0xi64>) -> tensor<-1x8x-1x-1xf32>
    (%6) = "pd_op.fetch" (%7) {col:0,name:"out"} : (tensor<-1x8x-1x-1xf32>) -> tensor<-1x8x-1x-1xf32>
}
// -----
// A resizing reads runs where its operand lies channels-last; of a row-major one the runtime's copy is better.
// CHECK:      "cinn_op.group"
// CHECK-NEXT:   "pd_op.conv2d"
// CHECK:      "cinn_op.group"
// CHECK-NEXT:   "pd_op.nearest_interp"
// CHECK:      "cinn_op.group"
// CHECK-NEXT:   "pd_op.conv2d"
// CHECK-NOT: "cinn_op.group"
// CHECK:     "pd_op.nearest_interp"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,8,-1,-1]} : () -> tensor<-1x8x-1x-1xf32>
    (%1) = "builtin.parameter" () {parameter_name:"a"} : () -> tensor<16x8x1x1xf32>
    (%2) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<8x16x1x1xf32>
    (%3) = "pd_op.conv2d" (%0, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x8x-1x-1xf32>, tensor<16x8x1x1xf32>) -> tensor<-1x16x-1x-1xf32>
    (%4) = "pd_op.nearest_interp" (%3, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>) {align_corners:false,align_mode:1,data_format:"NCHW",interp_method:"nearest",out_d:-1,out_h:-1,out_w:-1,scale:[2,2]} : (tensor<-1x16x-1x-1xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<-1x16x-1x-1xf32>
    (%5) = "pd_op.conv2d" (%4, %2) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x16x-1x-1xf32>, tensor<8x16x1x1xf32>) -> tensor<-1x8x-1x-1xf32>
    (%6) = "pd_op.nearest_interp" (%0, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>) {align_corners:false,align_mode:1,data_format:"NCHW",interp_method:"nearest",out_d:-1,out_h:-1,out_w:-1,scale:[2,2]} : (tensor<-1x8x-1x-1xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<-1x8x-1x-1xf32>
    (%7) = "pd_op.fetch" (%5) {col:0,name:"out"} : (tensor<-1x8x-1x-1xf32>) -> tensor<-1x8x-1x-1xf32>
    (%8) = "pd_op.fetch" (%6) {col:1,name:"plain"} : (tensor<-1x8x-1x-1xf32>) -> tensor<-1x8x-1x-1xf32>
}
// -----
// A depthwise convolution and the 1x1 one behind it are one group; not where others read what is between.
// CHECK:      "cinn_op.group"
// CHECK-NEXT:   "pd_op.conv2d"
// CHECK:      "cinn_op.group"
// CHECK-NEXT:   "pd_op.depthwise_conv2d"
// CHECK-NEXT:   "pd_op.relu"
// CHECK-NEXT:   "pd_op.conv2d"
// CHECK-NEXT:   "pd_op.relu"
// CHECK-NEXT:   cf.yield
// CHECK:      "cinn_op.group"
// CHECK-NEXT:   "pd_op.depthwise_conv2d"
// CHECK-NEXT:   cf.yield
// CHECK:      "cinn_op.group"
// CHECK-NEXT:   "pd_op.conv2d"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,8,-1,-1]} : () -> tensor<-1x8x-1x-1xf32>
    (%1) = "builtin.parameter" () {parameter_name:"a"} : () -> tensor<16x8x1x1xf32>
    (%2) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<16x1x3x3xf32>
    (%3) = "builtin.parameter" () {parameter_name:"c"} : () -> tensor<16x16x1x1xf32>
    (%4) = "pd_op.conv2d" (%0, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x8x-1x-1xf32>, tensor<16x8x1x1xf32>) -> tensor<-1x16x-1x-1xf32>
    (%5) = "pd_op.depthwise_conv2d" (%4, %2) {data_format:"NCHW",dilations:[1,1],groups:16,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[2,2]} : (tensor<-1x16x-1x-1xf32>, tensor<16x1x3x3xf32>) -> tensor<-1x16x-1x-1xf32>
    (%6) = "pd_op.relu" (%5) {} : (tensor<-1x16x-1x-1xf32>) -> tensor<-1x16x-1x-1xf32>
    (%7) = "pd_op.conv2d" (%6, %3) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x16x-1x-1xf32>, tensor<16x16x1x1xf32>) -> tensor<-1x16x-1x-1xf32>
    (%8) = "pd_op.relu" (%7) {} : (tensor<-1x16x-1x-1xf32>) -> tensor<-1x16x-1x-1xf32>
    (%9) = "pd_op.depthwise_conv2d" (%8, %2) {data_format:"NCHW",dilations:[1,1],groups:16,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x16x-1x-1xf32>, tensor<16x1x3x3xf32>) -> tensor<-1x16x-1x-1xf32>
    (%10) = "pd_op.conv2d" (%9, %3) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x16x-1x-1xf32>, tensor<16x16x1x1xf32>) -> tensor<-1x16x-1x-1xf32>
    (%11) = "pd_op.fetch" (%10) {col:0,name:"out"} : (tensor<-1x16x-1x-1xf32>) -> tensor<-1x16x-1x-1xf32>
    (%12) = "pd_op.fetch" (%9) {col:1,name:"between"} : (tensor<-1x16x-1x-1xf32>) -> tensor<-1x16x-1x-1xf32>
}
