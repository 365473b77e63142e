// The gradient of a filter sums over the pixels of all images, and a panel of them exceeds the L2 cache: each chunk of the sums is done
// for several taps. Unequal paddings, strides, dilations, and rows that are longer than a chunk. The numbers are those of the called op.
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{in} = --input=xa=2x3x94x121xf32=random:0 --input=wa=100x3x5x3xf32=random:1 --input=ga=2x100x94x121xf32=random:2 --input=xb=2x16x30x600xf32=random:3 --input=wb=48x16x3x3xf32=random:4 --input=gb=2x48x30x600xf32=random:5 --input=xc=2x3x161x260xf32=random:6 --input=wc=64x3x7x7xf32=random:7 --input=gc=2x64x80x129xf32=random:8 --input=xd=1x17x48x257xf32=random:9 --input=wd=24x17x3x3xf32=random:10 --input=gd=1x24x48x255xf32=random:11
// RUN: pir-run %s --pipeline=kernels %{in} --output-dir=%t && pir-run %s --pipeline=compile %{in} --expect-dir=%t --rtol-max=2e-6 --schedules=3
// RUN: pir-run %s --pipeline=compile --target=x86-64-v3 %{in} --expect-dir=%t --rtol-max=2e-6
// RUN: pir-run %s --pipeline=compile --target=x86-64 %{in} --expect-dir=%t --rtol-max=2e-6
// RUN: pir-opt %s --pipeline=compile --target=znver3 --explain --emit=loops -o %t/loops 2>&1 | FileCheck %s
// CHECK: group of cinn_op.conv2d_filter_grad: {{.*}} in strips of 3 points
// CHECK: group of cinn_op.conv2d_filter_grad: {{.*}} in strips of 3 points
// CHECK: group of cinn_op.conv2d_filter_grad: {{.*}} in strips of 7 points
// CHECK: group of cinn_op.conv2d_filter_grad: {{.*}} in strips of 3 points
// The rows of the second one are longer than a chunk. Where the strip has taps along columns too, a row is left out where its tap is outside.
// RUN: FileCheck %s --check-prefix=LOOPS <%t/loops
// LOOPS:      g1_stage0: stage
// LOOPS:      for {{.*}} = 0 to 600 by 200
// LOOPS-NEXT: for [[POINT:v[0-9]+]] = 0 to 3 by 1
// LOOPS:      = min((({{.*}}[[POINT]] * -1) + 601), 600)
// RUN: pir-opt %s --pipeline=compile --target=x86-64 --explain --emit=loops -o %t/loops 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: group of cinn_op.conv2d_filter_grad: {{.*}} of 4 float32, right side packed, rows innermost in strips of 9 points
// RUN: FileCheck %s --check-prefix=INSIDE <%t/loops
// INSIDE:      g1_stage0: stage
// INSIDE:      for [[ROW:v[0-9]+]] = 0 to 30 by 1
// INSIDE:      for {{.*}} = 0 to 3 by 1
// INSIDE-NEXT: for [[POINT:v[0-9]+]] = 0 to 3 by 1
// INSIDE:      if and(({{.*}} < ([[ROW]] + 1)), ([[ROW]] < {{.*}}))
{
  (%xa) = "pd_op.data" () {dtype:float32,name:"xa",place:Place(undefined:0),shape:[2,3,94,121],stop_gradient:[true]} : () -> tensor<2x3x94x121xf32>
  (%wa) = "pd_op.data" () {dtype:float32,name:"wa",place:Place(undefined:0),shape:[100,3,5,3],stop_gradient:[true]} : () -> tensor<100x3x5x3xf32>
  (%ga) = "pd_op.data" () {dtype:float32,name:"ga",place:Place(undefined:0),shape:[2,100,94,121],stop_gradient:[true]} : () -> tensor<2x100x94x121xf32>
  (%da, %ka) = "pd_op.conv2d_grad" (%xa, %wa, %ga) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[2,2,1,1],stop_gradient:[true,true],strides:[1,1]} : (tensor<2x3x94x121xf32>, tensor<100x3x5x3xf32>, tensor<2x100x94x121xf32>) -> tensor<2x3x94x121xf32>, tensor<100x3x5x3xf32>
  (%oa) = "pd_op.fetch" (%ka) {col:0,name:"ka"} : (tensor<100x3x5x3xf32>) -> tensor<100x3x5x3xf32>
  (%xb) = "pd_op.data" () {dtype:float32,name:"xb",place:Place(undefined:0),shape:[2,16,30,600],stop_gradient:[true]} : () -> tensor<2x16x30x600xf32>
  (%wb) = "pd_op.data" () {dtype:float32,name:"wb",place:Place(undefined:0),shape:[48,16,3,3],stop_gradient:[true]} : () -> tensor<48x16x3x3xf32>
  (%gb) = "pd_op.data" () {dtype:float32,name:"gb",place:Place(undefined:0),shape:[2,48,30,600],stop_gradient:[true]} : () -> tensor<2x48x30x600xf32>
  (%db, %kb) = "pd_op.conv2d_grad" (%xb, %wb, %gb) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1,1,1],stop_gradient:[true,true],strides:[1,1]} : (tensor<2x16x30x600xf32>, tensor<48x16x3x3xf32>, tensor<2x48x30x600xf32>) -> tensor<2x16x30x600xf32>, tensor<48x16x3x3xf32>
  (%ob) = "pd_op.fetch" (%kb) {col:1,name:"kb"} : (tensor<48x16x3x3xf32>) -> tensor<48x16x3x3xf32>
  (%xc) = "pd_op.data" () {dtype:float32,name:"xc",place:Place(undefined:0),shape:[2,3,161,260],stop_gradient:[true]} : () -> tensor<2x3x161x260xf32>
  (%wc) = "pd_op.data" () {dtype:float32,name:"wc",place:Place(undefined:0),shape:[64,3,7,7],stop_gradient:[true]} : () -> tensor<64x3x7x7xf32>
  (%gc) = "pd_op.data" () {dtype:float32,name:"gc",place:Place(undefined:0),shape:[2,64,80,129],stop_gradient:[true]} : () -> tensor<2x64x80x129xf32>
  (%dc, %kc) = "pd_op.conv2d_grad" (%xc, %wc, %gc) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[3,2,3,1],stop_gradient:[true,true],strides:[2,2]} : (tensor<2x3x161x260xf32>, tensor<64x3x7x7xf32>, tensor<2x64x80x129xf32>) -> tensor<2x3x161x260xf32>, tensor<64x3x7x7xf32>
  (%oc) = "pd_op.fetch" (%kc) {col:2,name:"kc"} : (tensor<64x3x7x7xf32>) -> tensor<64x3x7x7xf32>
  (%xd) = "pd_op.data" () {dtype:float32,name:"xd",place:Place(undefined:0),shape:[1,17,48,257],stop_gradient:[true]} : () -> tensor<1x17x48x257xf32>
  (%wd) = "pd_op.data" () {dtype:float32,name:"wd",place:Place(undefined:0),shape:[24,17,3,3],stop_gradient:[true]} : () -> tensor<24x17x3x3xf32>
  (%gd) = "pd_op.data" () {dtype:float32,name:"gd",place:Place(undefined:0),shape:[1,24,48,255],stop_gradient:[true]} : () -> tensor<1x24x48x255xf32>
  (%dd, %kd) = "pd_op.conv2d_grad" (%xd, %wd, %gd) {data_format:"NCHW",dilations:[2,3],groups:1,padding_algorithm:"EXPLICIT",paddings:[4,0,2,2],stop_gradient:[true,true],strides:[1,1]} : (tensor<1x17x48x257xf32>, tensor<24x17x3x3xf32>, tensor<1x24x48x255xf32>) -> tensor<1x17x48x257xf32>, tensor<24x17x3x3xf32>
  (%od) = "pd_op.fetch" (%kd) {col:3,name:"kd"} : (tensor<24x17x3x3xf32>) -> tensor<24x17x3x3xf32>
}
