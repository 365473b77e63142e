// What an op does not take is refused before anything runs: by the facts, whatever is printed.
// RUN: not pir-run %s --input=x=1x2x4x4xf32=0 --input=f=3x2x3x3xf32=0 2>&1 | FileCheck %s
// RUN: sed -e 's/groups:1/groups:0/' %s > %t.groups && not pir-run %t.groups --input=x=1x2x4x4xf32=0 2>&1 | FileCheck %s --check-prefix=GROUPS
// GROUPS: :14:5: error: "pd_op.conv2d" attribute groups: expects 1 or more, found 0
// RUN: sed -e 's/dtype:float64,name:"s"/dtype:float32,name:"s"/' -e 's/dtype:float32,name:"i"/dtype:int64,name:"i"/' %s >%t
// RUN: pir-run %t --input=x=1x2x4x4xf32=0 --input=f=3x2x3x3xf32=0 --input=s=4xf32=0 --input=i=2xi64=0 --pipeline=kernels
// CHECK: check.pir:[[@LINE+6]]:5: error: "pd_op.layer_norm" operand scale: expects float32 as x, found float64
// CHECK: check.pir:[[@LINE+9]]:5: error: "pd_op.gather" operand index: expects int32 or int64, found float32
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,2,4,4]} : () -> tensor<1x2x4x4xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"f",place:Place(undefined:0),shape:[3,2,3,3]} : () -> tensor<3x2x3x3xf32>
    (%2) = "pd_op.data" () {dtype:float64,name:"s",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%3, %4, %5) = "pd_op.layer_norm" (%0, %2, <<NULL VALUE>>) {begin_norm_axis:3,epsilon:1e-05} : (tensor<1x2x4x4xf32>, tensor<4xf32>, <<NULL TYPE>>) -> tensor<1x2x4x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
    (%6) = "pd_op.conv2d" (%3, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32>
    (%7) = "pd_op.data" () {dtype:float32,name:"i",place:Place(undefined:0),shape:[2]} : () -> tensor<2xi64>
    (%8) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%9) = "pd_op.gather" (%6, %7, %8) {} : (tensor<1x3x2x2xf32>, tensor<2xi64>, tensor<1xi32>) -> tensor<2x3x2x2xf32>
    (%10) = "pd_op.fetch" (%9) {col:0,name:"y",persistable:[true]} : (tensor<2x3x2x2xf32>) -> tensor<2x3x2x2xf32>
}
