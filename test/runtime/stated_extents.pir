// Extents that are elements of an input, and texts of a called op, in a model that is run, prepared in a cache and run from there; shapes
// that no memory holds are refused before anything runs, with the inputs that asked for them.
// RUN: rm -rf %t && mkdir -p %t/out %t/cache && sed -n 's,^// SHAPE ,,p' %s > %t/shape.pir
// RUN: pir-run %t/shape.pir --output=s=@%t/s.npy --output=few=@%t/few.npy
// DEFINE: %{in} = --input=x=6x4xf32=random:1 --input=s=@%t/s.npy
// RUN: pir-run %s --pipeline=kernels %{in} --output-dir=%t/out && pir-run %s %{in} --expect-dir=%t/out
// RUN: pir-run %s --cache=%t/cache %{in} --expect-dir=%t/out && pir-run %s --cache=%t/cache %{in} --expect-dir=%t/out
// RUN: pir-run %s --cache=%t/cache --threads=2 %{in} --expect-dir=%t/out
// RUN: not pir-run %s --cache=%t/cache --input=x=7x4xf32=0 --input=s=@%t/s.npy 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: pd_op.reshape: 28 elements do not fit the shape of 24
// RUN: not pir-run %s --cache=%t/cache --input=x=6x4xf32=0 --input=s=@%t/few.npy 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: pd_op.reshape: 24 elements do not fit the shape of 8
// RUN: sed 's/value:\[1,1\]/value:[4611686018427387904,1]/' %s > %t/large.pir
// RUN: not pir-run %t/large.pir --input=x=6x4xf32=0 --input=s=@%t/s.npy 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not pir-run %t/large.pir --pipeline=kernels --input=x=6x4xf32=0 --input=s=@%t/s.npy 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: "pd_op.tile": extents 4611686018427387904 and 6 are too large together (at large.pir:35:5); the inputs are x [6,4], s [2]
// RUN: sed 's/value:\[1,1\]/value:[1099511627776,1]/' %s > %t/huge.pir
// RUN: not pir-run %t/huge.pir --input=x=6x4xf32=0 --input=s=@%t/s.npy 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: not pir-run %t/huge.pir --pipeline=kernels --input=x=6x4xf32=0 --input=s=@%t/s.npy 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: error: "pd_op.{{sin|tile}}": its tensors are too large; the inputs are x [6,4], s [2]
// SHAPE {
// SHAPE     (%a) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[8,3]} : () -> tensor<2xi64>
// SHAPE     (%b) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[8]} : () -> tensor<1xi64>
// SHAPE     (%f) = "pd_op.fetch" (%a) {col:0,name:"s"} : (tensor<2xi64>) -> tensor<2xi64>
// SHAPE     (%g) = "pd_op.fetch" (%b) {col:1,name:"few"} : (tensor<1xi64>) -> tensor<1xi64>
// SHAPE }
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4]} : () -> tensor<-1x4xf32>
    (%s) = "pd_op.data" () {dtype:int64,name:"s",place:Place(undefined:0),shape:[-1]} : () -> tensor<-1xi64>
    (%r) = "pd_op.reshape" (%x, %s) {} : (tensor<-1x4xf32>, tensor<-1xi64>) -> tensor<-1x-1xf32>
    (%e) = "pd_op.exp" (%r) {} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%t) = "pd_op.tanh" (%e) {} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%a, %b) = "pd_op.fused_elemwise_add_activation" (%x, %x) {axis:-1,functor_list:["elementwise_add","relu"],save_intermediate_out:false,scale:0.0} : (tensor<-1x4xf32>, tensor<-1x4xf32>) -> tensor<-1x4xf32>, <<NULL TYPE>>
    (%n) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,1]} : () -> tensor<2xi64>
    (%w) = "pd_op.tile" (%a, %n) {} : (tensor<-1x4xf32>, tensor<2xi64>) -> tensor<-1x4xf32>
    (%c) = "pd_op.sin" (%w) {} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%f0) = "pd_op.fetch" (%t) {col:0,name:"stated"} : (tensor<-1x-1xf32>) -> tensor<-1x-1xf32>
    (%f1) = "pd_op.fetch" (%c) {col:1,name:"texts"} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
}
