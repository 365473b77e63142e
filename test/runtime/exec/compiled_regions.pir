// Ops in regions of control flow are compiled like others: groups get the extents of the enclosing program, of the loop's arguments, and
// those that an op of the region shows. The numbers are those of called ops, for every number of rounds (none, too), with threads, with
// few elements, and from a stored model; where code is refused, the ops are called.
// RUN: pir-opt %s --pipeline=compile | FileCheck %s
// RUN: rm -rf %t && mkdir -p %t/0 %t/1 %t/3
// RUN: for n in 0 1 3; do pir-run %s --input=x=5x8xf32=random:1 --input=i=2x4x6x6xf32=random:2 --input=n=@%S/inputs/count_$n.npy \
// RUN:   --pipeline=kernels --output-dir=%t/$n || exit 1; \
// RUN:   for how in "compile --threads=1" "compile --threads=3" "compile --cache=%t/cache" "compile --cache=%t/cache" \
// RUN:     "ungrouped,group{few=0},dce,bind" "check,prepare,group{few=0,refuse=plan,every=2},dce,bind" \
// RUN:     "check,prepare,group{refuse=lower,every=3},dce,bind"; do \
// RUN:     pir-run %s --input=x=5x8xf32=random:1 --input=i=2x4x6x6xf32=random:2 --input=n=@%S/inputs/count_$n.npy --pipeline=$how \
// RUN:       --expect-dir=%t/$n --atol=1e-5 || exit 1; done; done

// The loop: a product with packed weights, a state that grows, a choice inside that reads values from everywhere, rows that a number
// chooses. The image comes out of a convolution with its channels innermost.
// CHECK:     cinn_op.group
// CHECK:     "pd_op.conv2d
// CHECK:     "pd_op.while"
// CHECK:       "cinn_op.group"
// CHECK:         "pd_op.matmul"
// CHECK:       "pd_op.if"
// CHECK:         "cinn_op.group"
// CHECK:       } else {
// CHECK:         "cinn_op.group"
// CHECK:     "pd_op.fetch
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,8],stop_gradient:[true]} : () -> tensor<-1x8xf32>
    (%i) = "pd_op.data" () {dtype:float32,name:"i",place:Place(undefined:0),shape:[-1,4,6,6],stop_gradient:[true]} : () -> tensor<-1x4x6x6xf32>
    (%n) = "pd_op.data" () {dtype:int64,name:"n",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xi64>
    (%zero) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%one) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xi64>
    (%from) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xf32>
    (%step) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xf32>
    (%to64) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:64} : () -> tensor<1xf32>
    (%to288) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:288} : () -> tensor<1xf32>
    (%a64) = "pd_op.arange" (%from, %to64, %step) {dtype:float32,place:Place(cpu),stop_gradient:[true]} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<-1xf32>
    (%a288) = "pd_op.arange" (%from, %to288, %step) {dtype:float32,place:Place(cpu),stop_gradient:[true]} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<-1xf32>
    (%c64) = "pd_op.cos" (%a64) {stop_gradient:[true]} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%c288) = "pd_op.cos" (%a288) {stop_gradient:[true]} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%s64) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[8,8]} : () -> tensor<2xi64>
    (%s288) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[8,4,3,3]} : () -> tensor<4xi64>
    (%w) = "pd_op.reshape" (%c64, %s64) {stop_gradient:[true]} : (tensor<-1xf32>, tensor<2xi64>) -> tensor<8x8xf32>
    (%f) = "pd_op.reshape" (%c288, %s288) {stop_gradient:[true]} : (tensor<-1xf32>, tensor<4xi64>) -> tensor<8x4x3x3xf32>
    (%image) = "pd_op.conv2d" (%i, %f) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],stop_gradient:[true],strides:[1,1]} : (tensor<-1x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<-1x8x6x6xf32>
    (%go) = "pd_op.less_than" (%zero, %n) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%count, %state, %long, %picture) = "pd_op.while" (cond=%go, inputs=%zero, %x, %x, %image) {
    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:true}, %arg_2 {stop_gradient:true}, %arg_3 {stop_gradient:true}
        (%next) = "pd_op.add" (%arg_0, %one) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
        (%product) = "pd_op.matmul" (%arg_1, %w) {stop_gradient:[true],transpose_x:false,transpose_y:false} : (tensor<-1x8xf32>, tensor<8x8xf32>) -> tensor<-1x8xf32>
        (%bent) = "pd_op.tanh" (%product) {stop_gradient:[true]} : (tensor<-1x8xf32>) -> tensor<-1x8xf32>
        (%odd) = "pd_op.equal" (%next, %one) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        (%axes) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,3]} : () -> tensor<2xi64>
        (%chosen) = "pd_op.if" (%odd) {stop_gradient:[true]} -> tensor<-1x8xf32> {
            (%soft) = "pd_op.softmax" (%bent) {axis:1,stop_gradient:[true]} : (tensor<-1x8xf32>) -> tensor<-1x8xf32>
            (%sum) = "pd_op.add" (%soft, %x) {stop_gradient:[true]} : (tensor<-1x8xf32>, tensor<-1x8xf32>) -> tensor<-1x8xf32>
            () = "cf.yield" (%sum) {} : (tensor<-1x8xf32>) -> 
        } else {
            (%mean) = "pd_op.mean" (%image, %axes) {keepdim:false,stop_gradient:[true]} : (tensor<-1x8x6x6xf32>, tensor<2xi64>) -> tensor<-1x8xf32>
            (%mm) = "pd_op.matmul" (%bent, %mean) {stop_gradient:[true],transpose_x:false,transpose_y:true} : (tensor<-1x8xf32>, tensor<-1x8xf32>) -> tensor<-1x-1xf32>
            (%back) = "pd_op.matmul" (%mm, %mean) {stop_gradient:[true],transpose_x:false,transpose_y:false} : (tensor<-1x-1xf32>, tensor<-1x8xf32>) -> tensor<-1x8xf32>
            (%small) = "pd_op.tanh" (%back) {stop_gradient:[true]} : (tensor<-1x8xf32>) -> tensor<-1x8xf32>
            () = "cf.yield" (%small) {} : (tensor<-1x8xf32>) -> 
        }
        (%where) = "pd_op.nonzero" (%bent) {stop_gradient:[true]} : (tensor<-1x8xf32>) -> tensor<-1x2xi64>
        (%elements) = "pd_op.gather_nd" (%arg_1, %where) {stop_gradient:[true]} : (tensor<-1x8xf32>, tensor<-1x2xi64>) -> tensor<-1xf32>
        (%half) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0.5} : () -> tensor<1xf32>
        (%halved) = "pd_op.scale" (%elements, %half) {bias:0.1,bias_after_scale:true,stop_gradient:[true]} : (tensor<-1xf32>, tensor<1xf32>) -> tensor<-1xf32>
        (%zeroth) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[0]} : () -> tensor<1xi64>
        (%all) = "pd_op.mean" (%halved, %zeroth) {keepdim:true,stop_gradient:[true]} : (tensor<-1xf32>, tensor<1xi64>) -> tensor<1xf32>
        (%moved) = "pd_op.add" (%chosen, %all) {stop_gradient:[true]} : (tensor<-1x8xf32>, tensor<1xf32>) -> tensor<-1x8xf32>
        (%axis) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi32>
        (%both) = "builtin.combine" (%arg_2, %moved) {stop_gradient:[true]} : (tensor<-1x8xf32>, tensor<-1x8xf32>) -> vec[tensor<-1x8xf32>,tensor<-1x8xf32>]
        (%longer) = "pd_op.concat" (%both, %axis) {stop_gradient:[true]} : (vec[tensor<-1x8xf32>,tensor<-1x8xf32>], tensor<1xi32>) -> tensor<-1x8xf32>
        (%weighed) = "pd_op.softmax" (%longer) {axis:0,stop_gradient:[true]} : (tensor<-1x8xf32>) -> tensor<-1x8xf32>
        (%dark) = "pd_op.scale" (%arg_3, %half) {bias:0.1,bias_after_scale:true,stop_gradient:[true]} : (tensor<-1x8x6x6xf32>, tensor<1xf32>) -> tensor<-1x8x6x6xf32>
        (%again) = "pd_op.less_than" (%next, %n) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        () = "cf.yield" (%again, %next, %moved, %weighed, %dark) {} : (tensor<1xb>, tensor<1xi64>, tensor<-1x8xf32>, tensor<-1x8xf32>, tensor<-1x8x6x6xf32>) -> 
    }
    (%o0) = "pd_op.fetch" (%count) {col:0,name:"count",persistable:[true],stop_gradient:[true]} : (tensor<1xi64>) -> tensor<1xi64>
    (%o1) = "pd_op.fetch" (%state) {col:1,name:"state",persistable:[true],stop_gradient:[true]} : (tensor<-1x8xf32>) -> tensor<-1x8xf32>
    (%o2) = "pd_op.fetch" (%long) {col:2,name:"long",persistable:[true],stop_gradient:[true]} : (tensor<-1x8xf32>) -> tensor<-1x8xf32>
    (%o3) = "pd_op.fetch" (%picture) {col:3,name:"picture",persistable:[true],stop_gradient:[true]} : (tensor<-1x8x6x6xf32>) -> tensor<-1x8x6x6xf32>
}
