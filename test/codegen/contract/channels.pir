// The channels of an input fit the filter and the groups of a convolution, where only the run shows them too: both pipelines refuse
// a run that would read beyond an operand, and one that would leave channels out.
// RUN: rm -rf %t && split-file %s %t
// RUN: for p in kernels compile; do pir-run %t/conv2d.pir --pipeline=$p --input=x=1x4x5x5xf32=random --input=f=4x2x3x3xf32=random || exit 1; done
// RUN: for p in kernels compile; do pir-run %t/transposed.pir --pipeline=$p --input=x=1x4x3x3x3xf32=random --input=f=4x1x2x2x2xf32=random || exit 1; done
// RUN: (for p in kernels compile; do for c in 3 5 6; do for f in conv2d depthwise conv2d_last; do \
// RUN:   channels=1x"$c"x5x5; test $f = conv2d_last && channels=1x5x5x"$c"; \
// RUN:   not pir-run %t/$f.pir --pipeline=$p --guard-pages=end --input=x="$channels"xf32=random --input=f=4x2x3x3xf32=random 2>&1 | sed "s/^/$f $p $c: /" || exit 1; \
// RUN:   done; done; done) > %t/flat; FileCheck %s --check-prefix=FLAT < %t/flat
// FLAT-COUNT-9: {{(conv2d|depthwise|conv2d_last)}} kernels {{[356]}}: pir-run: error: {{.*}}expects dim(input, $data_format == "NHWC" ? 3 : 1) == dim(filter, 1) * $groups
// FLAT-COUNT-9: {{(conv2d|depthwise|conv2d_last)}} compile {{[356]}}: pir-run: error: {{.*}}expects dim(input, $data_format == "NHWC" ? 3 : 1) == dim(filter, 1) * $groups
// RUN: (for p in kernels compile; do for c in 3 5 6; do for f in conv3d transposed; do \
// RUN:   not pir-run %t/$f.pir --pipeline=$p --guard-pages=end --input=x=1x"$c"x5x5x5xf32=random --input=f=4x2x3x3x3xf32=random 2>&1 | sed "s/^/$f $p $c: /" || exit 1; \
// RUN:   done; done; done) > %t/deep; FileCheck %s --check-prefix=DEEP < %t/deep
// DEEP-COUNT-6: {{(conv3d|transposed)}} kernels {{[356]}}: pir-run: error: {{.*}}expects dim({{input|filter}}, {{.*}}found
// DEEP-COUNT-6: {{(conv3d|transposed)}} compile {{[356]}}: pir-run: error: {{.*}}expects dim({{input|filter}}, {{.*}}found
// In a compiled group too.
// RUN: pir-run %t/group.pir --input=x=1x2x64x64xf32=random --input=f=4x2x3x3xf32=random --explain 2>&1 | FileCheck %s --check-prefix=GROUP
// GROUP: group of pd_op.conv2d
// RUN: for c in 1 3; do not pir-run %t/group.pir --input=x=1x"$c"x64x64xf32=random --input=f=4x2x3x3xf32=random 2>&1 | FileCheck %s --check-prefix=MISFIT || exit 1; done
// MISFIT: shapes do not fit together: an extent is {{[13]}} and must be 2
//--- conv2d.pir
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1,-1,-1],stop_gradient:[false]} : () -> tensor<-1x-1x-1x-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"f",place:Place(undefined:0),shape:[-1,-1,-1,-1],stop_gradient:[false]} : () -> tensor<-1x-1x-1x-1xf32>
    (%2) = "pd_op.conv2d" (%0, %1) {data_format:"NCHW",dilations:[1,1],groups:2,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x-1x-1x-1xf32>, tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
}
//--- depthwise.pir
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1,-1,-1],stop_gradient:[false]} : () -> tensor<-1x-1x-1x-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"f",place:Place(undefined:0),shape:[-1,-1,-1,-1],stop_gradient:[false]} : () -> tensor<-1x-1x-1x-1xf32>
    (%2) = "pd_op.depthwise_conv2d" (%0, %1) {data_format:"NCHW",dilations:[1,1],groups:2,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x-1x-1x-1xf32>, tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
}
//--- conv2d_last.pir
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1,-1,-1],stop_gradient:[false]} : () -> tensor<-1x-1x-1x-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"f",place:Place(undefined:0),shape:[-1,-1,-1,-1],stop_gradient:[false]} : () -> tensor<-1x-1x-1x-1xf32>
    (%2) = "pd_op.conv2d" (%0, %1) {data_format:"NHWC",dilations:[1,1],groups:2,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x-1x-1x-1xf32>, tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1xf32>
}
//--- conv3d.pir
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1,-1,-1,-1],stop_gradient:[false]} : () -> tensor<-1x-1x-1x-1x-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"f",place:Place(undefined:0),shape:[-1,-1,-1,-1,-1],stop_gradient:[false]} : () -> tensor<-1x-1x-1x-1x-1xf32>
    (%2) = "pd_op.conv3d" (%0, %1) {data_format:"NCDHW",dilations:[1,1,1],groups:2,padding_algorithm:"EXPLICIT",paddings:[0,0,0],strides:[1,1,1]} : (tensor<-1x-1x-1x-1x-1xf32>, tensor<-1x-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1x-1xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<-1x-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1x-1xf32>
}
//--- transposed.pir
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,-1,-1,-1,-1],stop_gradient:[false]} : () -> tensor<-1x-1x-1x-1x-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"f",place:Place(undefined:0),shape:[-1,-1,-1,-1,-1],stop_gradient:[false]} : () -> tensor<-1x-1x-1x-1x-1xf32>
    (%2) = "pd_op.conv3d_transpose" (%0, %1) {data_format:"NCDHW",dilations:[1,1,1],groups:2,padding_algorithm:"EXPLICIT",paddings:[0,0,0],strides:[1,1,1]} : (tensor<-1x-1x-1x-1x-1xf32>, tensor<-1x-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1x-1xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<-1x-1x-1x-1x-1xf32>) -> tensor<-1x-1x-1x-1x-1xf32>
}
//--- group.pir
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,-1,64,64],stop_gradient:[false]} : () -> tensor<1x-1x64x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"f",place:Place(undefined:0),shape:[4,2,3,3],stop_gradient:[false]} : () -> tensor<4x2x3x3xf32>
    (%2) = "pd_op.conv2d" (%0, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<1x-1x64x64xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x62x62xf32>
    (%4) = "pd_op.relu" (%2) {} : (tensor<1x4x62x62xf32>) -> tensor<1x4x62x62xf32>
    (%3) = "pd_op.fetch" (%4) {col:0,name:"y"} : (tensor<1x4x62x62xf32>) -> tensor<1x4x62x62xf32>
}
