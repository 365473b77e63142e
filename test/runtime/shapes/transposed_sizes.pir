// The extents that a transposed convolution is asked for are those that a convolution with its steps makes x of; others are refused, as in Paddle, before anything
// runs, and when they show in the run. Here the least are 7 and 9, and the stride is 2.
// DEFINE: %{with} = not pir-run %t.pir --input=w=2x2x3x3xf32
// RUN: sed -e 's/SIZE/8,9/' -e 's/MORE//' %s > %t.pir && pir-run %t.pir --input=x=1x2x4x5xf32 --input=w=2x2x3x3xf32 --print | FileCheck --check-prefix=FITS %s
// RUN: sed -e 's/SIZE/7,9/' -e 's/MORE/5,5/' %s > %t.pir && pir-run %t.pir --input=x=1x2x4x5xf32 --input=w=2x2x3x3xf32 --print | FileCheck --check-prefix=LEAST %s
// RUN: sed -e 's/SIZE/9,9/' -e 's/MORE//' %s > %t.pir && %{with} --input=x=1x2x4x5xf32 2>&1 | FileCheck --check-prefix=MOST %s
// RUN: sed -e 's/SIZE/7,8/' -e 's/MORE//' %s > %t.pir && %{with} --input=x=1x2x4x5xf32 2>&1 | FileCheck --check-prefix=LESS %s
// RUN: sed -e 's/SIZE/7,9/' -e 's/MORE//' %s > %t.pir && for p in kernels compile; do %{with} --input=x=1x2x5x5xf32 --pipeline=$p 2>&1 | FileCheck --check-prefix=SHOWN %s || exit 1; done
// RUN: sed -e 's/SIZE/8/' -e 's/MORE//' %s > %t.pir && %{with} --input=x=1x2x4x5xf32 2>&1 | FileCheck --check-prefix=COUNT %s
// RUN: sed -e 's/SIZE//' -e 's/MORE/0,2/' %s > %t.pir && %{with} --input=x=1x2x4x5xf32 2>&1 | FileCheck --check-prefix=PADDING %s
// FITS: o: float32[1,2,8,9]
// LEAST: o: float32[1,2,7,9]
// MOST: pd_op.conv2d_transpose: expects each a < count($output_size) : past_least(a) >= 0 && past_least(a) < $strides[a], found {{.*}}, output_size 9,9, {{.*}}, at 0
// LESS: found {{.*}}, output_size 7,8, {{.*}}, at 1
// SHOWN: found x [1,2,5,5], {{.*}}, output_size 7,9, {{.*}}, at 0
// COUNT: pd_op.conv2d_transpose{{"|:}} expects count($output_size) == 0 || count($output_size) == rank(filter) - 2, found {{.*}} output_size 8
// PADDING: pd_op.conv2d_transpose{{"| :|:}} expects each a < count($output_padding) : {{.*}} output_padding 0,2, at 1
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,2,-1,-1]} : () -> tensor<-1x2x-1x-1xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[2,2,3,3]} : () -> tensor<2x2x3x3xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[SIZE]} : () -> tensor<2xi64>
    (%3) = "pd_op.conv2d_transpose" (%0, %1, %2) {data_format:"NCHW",dilations:[1,1],groups:1,output_padding:[MORE],padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[2,2]} : (tensor<-1x2x-1x-1xf32>, tensor<2x2x3x3xf32>, tensor<2xi64>) -> tensor<-1x-1x-1x-1xf32>
    () = "builtin.shadow_output" (%3) {output_name:"o"} : (tensor<-1x-1x-1x-1xf32>) -> 
}
