// A panel of weights that does not stay in the second cache is fetched into it while the one before is multiplied: each tile
// of rows takes its share, also if their number is open; if one tile is all there is, its own panel is fetched a little ahead, all of each line. Where the weights stay and the rows do not, the panels share the next rows. Taps of
// minimal filters are fetched likewise. Weights that stay there are not fetched. Rows are not fetched for a processor where that gained nothing,
// nor does a tile of few sums fetch there.
// RUN: pir-opt %s --split-input-file --emit=loops --target=sapphirerapids | FileCheck %s
// RUN: pir-opt %s --split-input-file --emit=loops --target=znver4 | FileCheck %s --check-prefix=PANELS --implicit-check-not="prefetch far b0"
// PANELS-NOT: prefetch
// PANELS: + 16), 768)
// PANELS-COUNT-2: prefetch far b1[({{.*}} * 4))]
// PANELS: [[SHARED:v[0-9]+]]: index = (floordiv(31, dim0) + 1)
// PANELS: [[ONE:v[0-9]+]]: b = (dim0 < 2)
// PANELS: [[SHARE:v[0-9]+]]: index = select([[ONE]], 32, [[SHARED]])
// PANELS-COUNT-1: prefetch far b1[({{.*}} * [[SHARE]]))]
// PANELS-NOT: prefetch
// PANELS: group g0: pd_op.conv2d
// PANELS: prefetch far b1[

// CHECK: 0 to 64 by 1
// CHECK-NOT: prefetch
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[128,64]} : () -> tensor<128x64xf32>
  (%w) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<64x128xf32>
  (%0) = "pd_op.matmul" (%x, %w) {transpose_x:false,transpose_y:false} : (tensor<128x64xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>
  (%1) = "pd_op.fetch" (%0) {col:0,name:"out"} : (tensor<128x128xf32>) -> tensor<128x128xf32>
}
// -----
// Ten tiles of up to 13 rows share the 32 lanes of a line: 4 each.
// CHECK: + 16), 768)
// CHECK-COUNT-2: prefetch far b1[({{.*}} * 4))]
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[128,768]} : () -> tensor<128x768xf32>
  (%w) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<768x3072xf32>
  (%0) = "pd_op.matmul" (%x, %w) {transpose_x:false,transpose_y:false} : (tensor<128x768xf32>, tensor<768x3072xf32>) -> tensor<128x3072xf32>
  (%1) = "pd_op.fetch" (%0) {col:0,name:"out"} : (tensor<128x3072xf32>) -> tensor<128x3072xf32>
}
// -----
// CHECK: [[ONE:v[0-9]+]]: {{.*}} = (dim0 < 2)
// CHECK-NEXT: [[SHARE:v[0-9]+]]: {{.*}} = select([[ONE]], 32,
// CHECK-NEXT: select([[ONE]],
// CHECK: prefetch far b1[({{.*}} * [[SHARE]]))]
// The rest of the rows:
// CHECK: prefetch far b1[([[AT:.* \* ]][[SHARE]]))]
// CHECK-NEXT: prefetch far b1[(([[AT]][[SHARE]])) + 16)]
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,768]} : () -> tensor<-1x768xf32>
  (%w) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<768x3072xf32>
  (%0) = "pd_op.matmul" (%x, %w) {transpose_x:false,transpose_y:false} : (tensor<-1x768xf32>, tensor<768x3072xf32>) -> tensor<-1x3072xf32>
  (%1) = "pd_op.fetch" (%0) {col:0,name:"out"} : (tensor<-1x3072xf32>) -> tensor<-1x3072xf32>
}
// -----
// Two panels share the 14 rows of the next tile.
// CHECK: prefetch far b0[({{.*}} * 7))]
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3136,256]} : () -> tensor<3136x256xf32>
  (%w) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<256x64xf32>
  (%0) = "pd_op.matmul" (%x, %w) {transpose_x:false,transpose_y:false} : (tensor<3136x256xf32>, tensor<256x64xf32>) -> tensor<3136x64xf32>
  (%1) = "pd_op.fetch" (%0) {col:0,name:"out"} : (tensor<3136x64xf32>) -> tensor<3136x64xf32>
}
// -----
// Four channels in an iteration fetch four lines.
// CHECK: scratch {{.*}} f32
// CHECK: to 256 by 4
// CHECK-COUNT-4: prefetch far b1[
// CHECK-NOT: prefetch
// CHECK: to 256 by 4
{
  (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,256,14,14]} : () -> tensor<1x256x14x14xf32>
  (%w) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<256x256x3x3xf32>
  (%v) = "builtin.parameter" () {parameter_name:"v"} : () -> tensor<256x256x3x3xf32>
  (%0) = "pd_op.conv2d" (%x, %w) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<1x256x14x14xf32>, tensor<256x256x3x3xf32>) -> tensor<1x256x14x14xf32>
  (%1) = "pd_op.conv2d" (%0, %v) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<1x256x14x14xf32>, tensor<256x256x3x3xf32>) -> tensor<1x256x14x14xf32>
  (%2) = "pd_op.fetch" (%1) {col:0,name:"out"} : (tensor<1x256x14x14xf32>) -> tensor<1x256x14x14xf32>
}
