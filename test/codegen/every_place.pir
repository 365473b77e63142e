// A group is dissolved wherever its lowering finds something that it cannot do: option `at` takes every place in turn, on a processor and on a
// device, for each kind of group. The numbers are always those of called
// ops.
// RUN: rm -rf %t && mkdir -p %t/a
// DEFINE: %{until} = ungrouped
// DEFINE: %{in} = --input=x=2x4x32x16xf32=random:1 --input=i=2x8x9x9xf32=random:2 --input=ids=5xi64=0
// RUN: pir-opt %s "--passes=%{until},group" > %t/grouped
// RUN: FileCheck %s < %t/grouped
// CHECK-DAG: kind:"attention"
// CHECK-DAG: kind:"contraction"
// CHECK-DAG: kind:"elements"
// CHECK-DAG: kind:"rows"
// RUN: pir-opt %s "--passes=%{until},group{refuse=choose}" > %t/dissolved
// RUN: FileCheck %s --check-prefix=NONE < %t/dissolved
// NONE-NOT: cinn_op.group
// RUN: pir-run %s --pipeline=kernels %{in} --output-dir=%t/a
// RUN: pir-run %s %{in} --expect-dir=%t/a
// RUN: pir-run %s "--pipeline=%{until},group{refuse=choose},dce,bind" %{in} --expect-dir=%t/a
// RUN: for n in 7 20 31 45 48 60 80; do pir-run %s "--pipeline=%{until},group{refuse=choose,at=$n},dce,bind" %{in} --expect-dir=%t/a || exit 1; done
// Of the places that follow, fewer and fewer groups have one: more and more are left, in the end all.
// RUN: for on in "" ",target=sm_80"; do last=0; for n in $(seq 1 90) $(seq 99 9 260); do \
// RUN:   left=$(pir-opt %s "--passes=%{until},group{refuse=choose,at=$n$on}" --verify-each | grep -c cinn_op.group); \
// RUN:   test $left -ge $last || exit 1; last=$left; done; \
// RUN:   test $last = $(pir-opt %s "--passes=%{until},group{$(echo $on | sed s/,//)}" | grep -c cinn_op.group) || exit 1; done
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4,32,16]} : () -> tensor<-1x4x32x16xf32>
    (%i) = "pd_op.data" () {dtype:float32,name:"i",place:Place(undefined:0),shape:[-1,8,9,9]} : () -> tensor<-1x8x9x9xf32>
    (%ids) = "pd_op.data" () {dtype:int64,name:"ids",place:Place(undefined:0),shape:[-1]} : () -> tensor<-1xi64>
    (%q) = "pd_op.matmul" (%x, %x) {transpose_x:false,transpose_y:true} : (tensor<-1x4x32x16xf32>, tensor<-1x4x32x16xf32>) -> tensor<-1x4x32x32xf32>
    (%s) = "pd_op.softmax" (%q) {axis:-1} : (tensor<-1x4x32x32xf32>) -> tensor<-1x4x32x32xf32>
    (%o) = "pd_op.matmul" (%s, %x) {transpose_x:false,transpose_y:false} : (tensor<-1x4x32x32xf32>, tensor<-1x4x32x16xf32>) -> tensor<-1x4x32x16xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"attention"} : (tensor<-1x4x32x16xf32>) -> tensor<-1x4x32x16xf32>
    (%wf) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16,8,3,3],value:0.1} : () -> tensor<16x8x3x3xf32>
    (%w) = "pd_op.tanh" (%wf) {} : (tensor<16x8x3x3xf32>) -> tensor<16x8x3x3xf32>
    (%c) = "pd_op.conv2d" (%i, %w) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[2,2]} : (tensor<-1x8x9x9xf32>, tensor<16x8x3x3xf32>) -> tensor<-1x16x5x5xf32>
    (%r) = "pd_op.relu" (%c) {} : (tensor<-1x16x5x5xf32>) -> tensor<-1x16x5x5xf32>
    (%f1) = "pd_op.fetch" (%r) {col:1,name:"contraction"} : (tensor<-1x16x5x5xf32>) -> tensor<-1x16x5x5xf32>
    (%k) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3,3]} : () -> tensor<2xi64>
    (%p) = "pd_op.pool2d" (%i, %k) {adaptive:false,ceil_mode:true,data_format:"NCHW",exclusive:true,global_pooling:false,padding_algorithm:"EXPLICIT",paddings:[1,1],pooling_type:"avg",strides:[2,2]} : (tensor<-1x8x9x9xf32>, tensor<2xi64>) -> tensor<-1x8x5x5xf32>
    (%f2) = "pd_op.fetch" (%p) {col:2,name:"window"} : (tensor<-1x8x5x5xf32>) -> tensor<-1x8x5x5xf32>
    (%n, %nm, %nv) = "pd_op.layer_norm" (%x, <<NULL VALUE>>, <<NULL VALUE>>) {begin_norm_axis:3,epsilon:1e-05} : (tensor<-1x4x32x16xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<-1x4x32x16xf32>, tensor<-1x4x32xf32>, tensor<-1x4x32xf32>
    (%f3) = "pd_op.fetch" (%n) {col:3,name:"rows"} : (tensor<-1x4x32x16xf32>) -> tensor<-1x4x32x16xf32>
    (%one) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%e) = "pd_op.exp" (%i) {} : (tensor<-1x8x9x9xf32>) -> tensor<-1x8x9x9xf32>
    (%l) = "builtin.combine" (%e, %i) {} : (tensor<-1x8x9x9xf32>, tensor<-1x8x9x9xf32>) -> vec[tensor<-1x8x9x9xf32>,tensor<-1x8x9x9xf32>]
    (%j) = "pd_op.concat" (%l, %one) {} : (vec[tensor<-1x8x9x9xf32>,tensor<-1x8x9x9xf32>], tensor<1xi32>) -> tensor<-1x16x9x9xf32>
    (%t) = "pd_op.tanh" (%j) {} : (tensor<-1x16x9x9xf32>) -> tensor<-1x16x9x9xf32>
    (%sizes) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,12]} : () -> tensor<2xi64>
    (%sl) = "pd_op.split" (%t, %sizes, %one) {} : (tensor<-1x16x9x9xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<-1x4x9x9xf32>,tensor<-1x12x9x9xf32>]
    (%sa, %sb) = "builtin.split" (%sl) {} : (vec[tensor<-1x4x9x9xf32>,tensor<-1x12x9x9xf32>]) -> tensor<-1x4x9x9xf32>, tensor<-1x12x9x9xf32>
    (%m) = "pd_op.sigmoid" (%sb) {} : (tensor<-1x12x9x9xf32>) -> tensor<-1x12x9x9xf32>
    (%f4) = "pd_op.fetch" (%m) {col:4,name:"joined"} : (tensor<-1x12x9x9xf32>) -> tensor<-1x12x9x9xf32>
    (%g) = "pd_op.index_select" (%i, %ids) {axis:2} : (tensor<-1x8x9x9xf32>, tensor<-1xi64>) -> tensor<-1x8x-1x9xf32>
    (%h) = "pd_op.relu" (%g) {} : (tensor<-1x8x-1x9xf32>) -> tensor<-1x8x-1x9xf32>
    (%f5) = "pd_op.fetch" (%h) {col:5,name:"gathered"} : (tensor<-1x8x-1x9xf32>) -> tensor<-1x8x-1x9xf32>
}
