// Long sums of floats are added line by line: the rounding error grows with the number of lines and their length. Means of one number over rows,
// an open number, over planes whose channels are innermost, and over windows. In one chain, 6e-5, 1e-4 and 1e-6 would be lost.
// RUN: pir-run %s --input=x=70000x40xf32=0.3 --input=y=1x20x40x45x33xf32=0.3 --input=w=2x12x300x200xf32=0.3 --print | FileCheck %s
// RUN: pir-run %s --input=x=70000x40xf32=0.3 --input=y=1x20x40x45x33xf32=0.3 --input=w=2x12x300x200xf32=0.3 --target=x86-64-v2 --print | FileCheck %s
// CHECK:      rows: bool[]
// CHECK-NEXT: 1
// CHECK:      planes: bool[]
// CHECK-NEXT: 1
// CHECK:      windows: bool[]
// CHECK-NEXT: 1
// RUN: pir-opt %s --emit=loops --target=x86-64-v3 | FileCheck %s --check-prefix=LOOPS
// LOOPS:      for [[LINE:v[0-9]+]] = 0 to dim0 by 64 {
// LOOPS-NEXT:   [[PART:b[0-9]+]][0] = x{{[0-9]+}}(0:f32)
// LOOPS:        for {{.*}} = [[LINE]] to min(([[LINE]] + 64), dim0) by 1 {
// LOOPS:          [[PART]][0] add=
// LOOPS:        b{{[0-9]+}}[0] add= [[PART]].f32x{{[0-9]+}}(0)
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,40]} : () -> tensor<-1x40xf32>
    (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[1,20,40,45,33]} : () -> tensor<1x20x40x45x33xf32>
    (%w) = "pd_op.data" () {dtype:float32,name:"w",place:Place(undefined:0),shape:[2,12,300,200]} : () -> tensor<2x12x300x200xf32>
    (%bound) = "pd_op.full" () {dtype:float64,place:Place(cpu),shape:[],value:2e-06} : () -> tensor<f64>
    (%less) = "pd_op.full" () {dtype:float64,place:Place(cpu),shape:[],value:5e-07} : () -> tensor<f64>
    (%a0) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%all) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[]} : () -> tensor<0xi64>
    (%m) = "pd_op.mean" (%x, %a0) {keepdim:false} : (tensor<-1x40xf32>, tensor<1xi64>) -> tensor<40xf32>
    (%m64) = "pd_op.cast" (%m) {dtype:float64} : (tensor<40xf32>) -> tensor<40xf64>
    (%x64) = "pd_op.cast" (%x) {dtype:float64} : (tensor<-1x40xf32>) -> tensor<-1x40xf64>
    (%n64) = "pd_op.mean" (%x64, %a0) {keepdim:false} : (tensor<-1x40xf64>, tensor<1xi64>) -> tensor<40xf64>
    (%d) = "pd_op.subtract" (%m64, %n64) {} : (tensor<40xf64>, tensor<40xf64>) -> tensor<40xf64>
    (%e) = "pd_op.abs" (%d) {} : (tensor<40xf64>) -> tensor<40xf64>
    (%f) = "pd_op.max" (%e, %all) {keepdim:false} : (tensor<40xf64>, tensor<0xi64>) -> tensor<f64>
    (%ok) = "pd_op.less_than" (%f, %bound) {} : (tensor<f64>, tensor<f64>) -> tensor<b>
    (%o0) = "pd_op.fetch" (%ok) {col:0,name:"rows"} : (tensor<b>) -> tensor<b>
    (%ax) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,2,3]} : () -> tensor<3xi64>
    (%p) = "pd_op.mean" (%y, %ax) {keepdim:false} : (tensor<1x20x40x45x33xf32>, tensor<3xi64>) -> tensor<1x33xf32>
    (%p64) = "pd_op.cast" (%p) {dtype:float64} : (tensor<1x33xf32>) -> tensor<1x33xf64>
    (%y64) = "pd_op.cast" (%y) {dtype:float64} : (tensor<1x20x40x45x33xf32>) -> tensor<1x20x40x45x33xf64>
    (%q64) = "pd_op.mean" (%y64, %ax) {keepdim:false} : (tensor<1x20x40x45x33xf64>, tensor<3xi64>) -> tensor<1x33xf64>
    (%pd) = "pd_op.subtract" (%p64, %q64) {} : (tensor<1x33xf64>, tensor<1x33xf64>) -> tensor<1x33xf64>
    (%pe) = "pd_op.abs" (%pd) {} : (tensor<1x33xf64>) -> tensor<1x33xf64>
    (%pf) = "pd_op.max" (%pe, %all) {keepdim:false} : (tensor<1x33xf64>, tensor<0xi64>) -> tensor<f64>
    (%pok) = "pd_op.less_than" (%pf, %bound) {} : (tensor<f64>, tensor<f64>) -> tensor<b>
    (%o1) = "pd_op.fetch" (%pok) {col:1,name:"planes"} : (tensor<b>) -> tensor<b>
    (%ks) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[10,40]} : () -> tensor<2xi64>
    (%v) = "pd_op.pool2d" (%w, %ks) {adaptive:false,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[0,0],pooling_type:"avg",strides:[10,40]} : (tensor<2x12x300x200xf32>, tensor<2xi64>) -> tensor<2x12x30x5xf32>
    (%v64) = "pd_op.cast" (%v) {dtype:float64} : (tensor<2x12x30x5xf32>) -> tensor<2x12x30x5xf64>
    (%w64) = "pd_op.cast" (%w) {dtype:float64} : (tensor<2x12x300x200xf32>) -> tensor<2x12x300x200xf64>
    (%u64) = "pd_op.pool2d" (%w64, %ks) {adaptive:false,ceil_mode:false,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[0,0],pooling_type:"avg",strides:[10,40]} : (tensor<2x12x300x200xf64>, tensor<2xi64>) -> tensor<2x12x30x5xf64>
    (%vd) = "pd_op.subtract" (%v64, %u64) {} : (tensor<2x12x30x5xf64>, tensor<2x12x30x5xf64>) -> tensor<2x12x30x5xf64>
    (%ve) = "pd_op.abs" (%vd) {} : (tensor<2x12x30x5xf64>) -> tensor<2x12x30x5xf64>
    (%vf) = "pd_op.max" (%ve, %all) {keepdim:false} : (tensor<2x12x30x5xf64>, tensor<0xi64>) -> tensor<f64>
    (%vok) = "pd_op.less_than" (%vf, %less) {} : (tensor<f64>, tensor<f64>) -> tensor<b>
    (%o2) = "pd_op.fetch" (%vok) {col:2,name:"windows"} : (tensor<b>) -> tensor<b>
}
