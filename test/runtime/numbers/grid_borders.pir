// The slope of grid_sample exactly on the border of an image and of a volume is that of the side inside, for padding by the border and by reflection:
// the numbers are those of Paddle's kernel on the CPU. Between the border's pixel and its edge it is 0.
// RUN: rm -rf %t && split-file %s %t
// RUN: for f in image volume; do pir-run %t/$f.pir --print; done | tr -d ' \n[]' | sed 's/\(border\|reflection\)_/\n&/g' | FileCheck %s
// CHECK:      border_true:float321,1,4,23,15,-81,-81,15,-49,11,39
// CHECK-NEXT: border_false:float321,1,4,20,0,0,0,0,0,16.5,58.5
// CHECK-NEXT: reflection_true:float321,1,4,23,15,-81,-81,15,-49,11,39
// CHECK-NEXT: reflection_false:float321,1,4,20,0,0,0,0,0,16.5,58.5
// CHECK-NEXT: border_true:float321,1,1,4,33,15,99,-729,-729,-729,33,-256,369,29,93,333
// CHECK-NEXT: border_false:float321,1,1,4,30,0,0,0,0,0,0,0,553.5,43.5,139.5,499.5
// CHECK-NEXT: reflection_true:float321,1,1,4,33,15,99,-729,-729,-729,33,-256,369,29,93,333
// CHECK-NEXT: reflection_false:float321,1,1,4,30,0,0,0,0,0,0,0,553.5,43.5,139.5,499.5
// Half way between two elements the nearest is the even one, as for the gradient.
// RUN: for p in kernels "ungrouped,group{few=0},dce,bind"; do pir-run %t/nearest.pir --input=o=1x1x1x5xf32=1 --pipeline="$p" --print; done | tr -d ' []' \
// RUN:     | FileCheck --check-prefix=NEAR %s
// NEAR: 1,3,3,5,1,5
// NEAR: 1,3,3,5,1,5
//--- image.pir
{
    (%b) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],stop_gradient:[true],value:1} : () -> tensor<f32>
    (%e) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],stop_gradient:[true],value:10} : () -> tensor<f32>
    (%s) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],stop_gradient:[true],value:1} : () -> tensor<f32>
    (%r) = "pd_op.arange" (%b, %e, %s) {dtype:float32, place:Place(cpu), stop_gradient:[true]} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<9xf32>
    (%xs) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1,1,3,3]} : () -> tensor<4xi64>
    (%x) = "pd_op.reshape" (%r, %xs) {stop_gradient:[true]} : (tensor<9xf32>, tensor<4xi64>) -> tensor<1x1x3x3xf32>
    (%q) = "pd_op.square" (%x) {stop_gradient:[true]} : (tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32>
    (%g) = "pd_op.assign_value" () {dtype:float32,place:Place(undefined:0),shape:[1,1,4,2],stop_gradient:[true],values:[-1,-1,1,1,-1,1,0,0]} : () -> tensor<1x1x4x2xf32>
    (%o) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,1,1,4],stop_gradient:[true],value:1} : () -> tensor<1x1x1x4xf32>
    (%a0, %d0) = "pd_op.grid_sample_grad" (%q, %g, %o) {mode:"bilinear", padding_mode:"border", align_corners:true, stop_gradient:[false,false]} : (tensor<1x1x3x3xf32>, tensor<1x1x4x2xf32>, tensor<1x1x1x4xf32>) -> tensor<1x1x3x3xf32>, tensor<1x1x4x2xf32>
    (%fborder_true) = "pd_op.fetch" (%d0) {col:0,name:"border_true",persistable:[true],stop_gradient:[false]} : (tensor<1x1x4x2xf32>) -> tensor<1x1x4x2xf32>
    (%a1, %d1) = "pd_op.grid_sample_grad" (%q, %g, %o) {mode:"bilinear", padding_mode:"border", align_corners:false, stop_gradient:[false,false]} : (tensor<1x1x3x3xf32>, tensor<1x1x4x2xf32>, tensor<1x1x1x4xf32>) -> tensor<1x1x3x3xf32>, tensor<1x1x4x2xf32>
    (%fborder_false) = "pd_op.fetch" (%d1) {col:0,name:"border_false",persistable:[true],stop_gradient:[false]} : (tensor<1x1x4x2xf32>) -> tensor<1x1x4x2xf32>
    (%a2, %d2) = "pd_op.grid_sample_grad" (%q, %g, %o) {mode:"bilinear", padding_mode:"reflection", align_corners:true, stop_gradient:[false,false]} : (tensor<1x1x3x3xf32>, tensor<1x1x4x2xf32>, tensor<1x1x1x4xf32>) -> tensor<1x1x3x3xf32>, tensor<1x1x4x2xf32>
    (%freflection_true) = "pd_op.fetch" (%d2) {col:0,name:"reflection_true",persistable:[true],stop_gradient:[false]} : (tensor<1x1x4x2xf32>) -> tensor<1x1x4x2xf32>
    (%a3, %d3) = "pd_op.grid_sample_grad" (%q, %g, %o) {mode:"bilinear", padding_mode:"reflection", align_corners:false, stop_gradient:[false,false]} : (tensor<1x1x3x3xf32>, tensor<1x1x4x2xf32>, tensor<1x1x1x4xf32>) -> tensor<1x1x3x3xf32>, tensor<1x1x4x2xf32>
    (%freflection_false) = "pd_op.fetch" (%d3) {col:0,name:"reflection_false",persistable:[true],stop_gradient:[false]} : (tensor<1x1x4x2xf32>) -> tensor<1x1x4x2xf32>
}
//--- volume.pir
{
    (%b) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],stop_gradient:[true],value:1} : () -> tensor<f32>
    (%e) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],stop_gradient:[true],value:28} : () -> tensor<f32>
    (%s) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],stop_gradient:[true],value:1} : () -> tensor<f32>
    (%r) = "pd_op.arange" (%b, %e, %s) {dtype:float32, place:Place(cpu), stop_gradient:[true]} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<27xf32>
    (%xs) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[1,1,3,3,3]} : () -> tensor<5xi64>
    (%x) = "pd_op.reshape" (%r, %xs) {stop_gradient:[true]} : (tensor<27xf32>, tensor<5xi64>) -> tensor<1x1x3x3x3xf32>
    (%q) = "pd_op.square" (%x) {stop_gradient:[true]} : (tensor<1x1x3x3x3xf32>) -> tensor<1x1x3x3x3xf32>
    (%g) = "pd_op.assign_value" () {dtype:float32,place:Place(undefined:0),shape:[1,1,1,4,3],stop_gradient:[true],values:[-1,-1,-1,1,1,1,-1,1,0,0,0,0]} : () -> tensor<1x1x1x4x3xf32>
    (%o) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1,1,1,1,4],stop_gradient:[true],value:1} : () -> tensor<1x1x1x1x4xf32>
    (%a0, %d0) = "pd_op.grid_sample_grad" (%q, %g, %o) {mode:"bilinear", padding_mode:"border", align_corners:true, stop_gradient:[false,false]} : (tensor<1x1x3x3x3xf32>, tensor<1x1x1x4x3xf32>, tensor<1x1x1x1x4xf32>) -> tensor<1x1x3x3x3xf32>, tensor<1x1x1x4x3xf32>
    (%fborder_true) = "pd_op.fetch" (%d0) {col:0,name:"border_true",persistable:[true],stop_gradient:[false]} : (tensor<1x1x1x4x3xf32>) -> tensor<1x1x1x4x3xf32>
    (%a1, %d1) = "pd_op.grid_sample_grad" (%q, %g, %o) {mode:"bilinear", padding_mode:"border", align_corners:false, stop_gradient:[false,false]} : (tensor<1x1x3x3x3xf32>, tensor<1x1x1x4x3xf32>, tensor<1x1x1x1x4xf32>) -> tensor<1x1x3x3x3xf32>, tensor<1x1x1x4x3xf32>
    (%fborder_false) = "pd_op.fetch" (%d1) {col:0,name:"border_false",persistable:[true],stop_gradient:[false]} : (tensor<1x1x1x4x3xf32>) -> tensor<1x1x1x4x3xf32>
    (%a2, %d2) = "pd_op.grid_sample_grad" (%q, %g, %o) {mode:"bilinear", padding_mode:"reflection", align_corners:true, stop_gradient:[false,false]} : (tensor<1x1x3x3x3xf32>, tensor<1x1x1x4x3xf32>, tensor<1x1x1x1x4xf32>) -> tensor<1x1x3x3x3xf32>, tensor<1x1x1x4x3xf32>
    (%freflection_true) = "pd_op.fetch" (%d2) {col:0,name:"reflection_true",persistable:[true],stop_gradient:[false]} : (tensor<1x1x1x4x3xf32>) -> tensor<1x1x1x4x3xf32>
    (%a3, %d3) = "pd_op.grid_sample_grad" (%q, %g, %o) {mode:"bilinear", padding_mode:"reflection", align_corners:false, stop_gradient:[false,false]} : (tensor<1x1x3x3x3xf32>, tensor<1x1x1x4x3xf32>, tensor<1x1x1x1x4xf32>) -> tensor<1x1x3x3x3xf32>, tensor<1x1x1x4x3xf32>
    (%freflection_false) = "pd_op.fetch" (%d3) {col:0,name:"reflection_false",persistable:[true],stop_gradient:[false]} : (tensor<1x1x1x4x3xf32>) -> tensor<1x1x1x4x3xf32>
}
//--- nearest.pir
{
    (%o) = "pd_op.data" () {dtype:float32,name:"o",place:Place(undefined:0),shape:[1,1,1,5]} : () -> tensor<1x1x1x5xf32>
    (%c) = "pd_op.assign_value" () {dtype:float32,place:Place(undefined:0),shape:[1,1,1,5],values:[1,2,3,4,5]} : () -> tensor<1x1x1x5xf32>
    (%x) = "pd_op.multiply" (%o, %c) {} : (tensor<1x1x1x5xf32>, tensor<1x1x1x5xf32>) -> tensor<1x1x1x5xf32>
    (%g) = "pd_op.assign_value" () {dtype:float32,place:Place(undefined:0),shape:[1,1,6,2],values:[-0.75,0,-0.25,0,0.25,0,0.75,0,-1.25,0,1.25,0]} : () -> tensor<1x1x6x2xf32>
    (%y) = "pd_op.grid_sample" (%x, %g) {mode:"nearest", padding_mode:"zeros", align_corners:true} : (tensor<1x1x1x5xf32>, tensor<1x1x6x2xf32>) -> tensor<1x1x1x6xf32>
    (%f) = "pd_op.fetch" (%y) {col:0,name:"nearest",persistable:[true]} : (tensor<1x1x1x6xf32>) -> tensor<1x1x1x6xf32>
}
