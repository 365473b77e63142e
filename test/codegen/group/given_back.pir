// A group that cannot be run as it was compiled is given back: its ops are called, with the same numbers. Between two
// convolutions that lie channels-last, the sizes of %b are a list that is made of the shape of another input: the group
// does not read it, and is run compiled.
//
// Option `refuse` has a stage find something it cannot do in every n-th group: results are copied to where other groups
// were compiled to read them (in another order, within another tensor), and parts of what is split too.
// DEFINE: %{until} = --pipeline=ungrouped,group
// RUN: rm -rf %t && mkdir -p %t/a %t/b %t/c && pir-run %s --pipeline=kernels --input=x=1x16x8x8xf32=random:1 --input=y=1x16x16x16xf32=random:2 --output-dir=%t/a
// RUN: pir-run %s --input=x=1x16x8x8xf32=random:1 --input=y=1x16x16x16xf32=random:2 --expect-dir=%t/a --explain 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: group of pd_op.nearest_interp
// WHOLE-NOT: its ops are called
// RUN: pir-run %s "%{until}{refuse=lower},dce,bind" --input=x=1x16x8x8xf32=random:1 --input=y=1x16x16x16xf32=random:2 --expect-dir=%t/a --explain 2>&1 | FileCheck %s --check-prefix=LOWER
// LOWER-COUNT-3: "cinn_op.group" is not compiled: unsupported: the option refuse of the pass
// LOWER-COUNT-3: "cinn_op.group" is not run as a group, its ops are called: it has no code
// RUN: pir-run %s "%{until}{refuse=emit,every=2},dce,bind" --input=x=1x16x8x8xf32=random:1 --input=y=1x16x16x16xf32=random:2 --expect-dir=%t/a --explain 2>&1 | FileCheck %s --check-prefix=EMIT
// EMIT: unsupported: a team of threads, in stage0
// EMIT: "cinn_op.group" is not run as a group, its ops are called: it has no code
// EMIT-NOT: its ops are called
// RUN: pir-run %s "%{until}{refuse=plan,every=2},dce,bind" --input=x=1x16x8x8xf32=random:1 --input=y=1x16x16x16xf32=random:2 --expect-dir=%t/a --explain 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN: "cinn_op.group" is not run as a group, its ops are called: the option refuse of the pass
// PLAN-NOT: its ops are called
// RUN: pir-run %s "%{until}{refuse=plan,every=3},dce,bind" --input=x=1x16x8x8xf32=random:1 --input=y=1x16x16x16xf32=random:2 --expect-dir=%t/a
// A prepared model has the groups that were not refused.
// RUN: pir-run %s "%{until}{refuse=emit,every=2},dce,bind" --cache=%t/d --input=x=1x16x8x8xf32=random:1 --input=y=1x16x16x16xf32=random:2 --expect-dir=%t/a
// RUN: pir-run %s "%{until}{refuse=emit,every=2},dce,bind" --cache=%t/d --input=x=1x16x8x8xf32=random:1 --input=y=1x16x16x16xf32=random:2 --expect-dir=%t/a 2>&1 | FileCheck %s --allow-empty --check-prefix=KEPT
// KEPT-NOT: in the cache is damaged
//
// RUN: pir-run %S/places.pir --pipeline=kernels --input=x=2x4x8x9xf32=random:1 --output-dir=%t/b
// RUN: pir-run %S/places.pir "%{until}{refuse=lower},dce,bind" --input=x=2x4x8x9xf32=random:1 --expect-dir=%t/b
// RUN: pir-run %S/places.pir "%{until}{refuse=plan,every=2},dce,bind" --input=x=2x4x8x9xf32=random:1 --expect-dir=%t/b
// RUN: pir-run %S/places.pir "%{until}{refuse=plan,every=3},dce,bind" --threads=2 --input=x=2x4x8x9xf32=random:1 --expect-dir=%t/b
// RUN: pir-run %S/parts.pir --pipeline=kernels --input=x=2x8x8x9xf32=random:1 --output-dir=%t/c
// RUN: pir-run %S/parts.pir "%{until}{refuse=lower},dce,bind" --input=x=2x8x8x9xf32=random:1 --expect-dir=%t/c
// RUN: pir-run %S/parts.pir "%{until}{refuse=plan,every=2},dce,bind" --input=x=2x8x8x9xf32=random:1 --expect-dir=%t/c
// RUN: pir-run %S/parts.pir "%{until}{refuse=plan,every=3},dce,bind" --threads=2 --input=x=2x8x8x9xf32=random:1 --expect-dir=%t/c
//
// A group that fails to lower when it is made is dissolved. Option `at` has the n-th place of a stage refuse: a group that
// has fewer is compiled.
// RUN: pir-run %s "%{until}{refuse=choose,every=3},dce,bind" --input=x=1x16x8x8xf32=random:1 --input=y=1x16x16x16xf32=random:2 --expect-dir=%t/a --explain 2>&1 | FileCheck %s --check-prefix=CHOOSE
// CHOOSE: "cinn_op.group" is not compiled: unsupported: the option refuse of the pass
// CHOOSE-NOT: its ops are called
// RUN: pir-run %s "%{until}{refuse=lower,at=4},dce,bind" --input=x=1x16x8x8xf32=random:1 --input=y=1x16x16x16xf32=random:2 --expect-dir=%t/a --explain 2>&1 | FileCheck %s --check-prefix=FOURTH
// FOURTH: unsupported: the option refuse of the pass
// RUN: pir-run %s "%{until}{refuse=lower,at=1000000},dce,bind" --input=x=1x16x8x8xf32=random:1 --input=y=1x16x16x16xf32=random:2 --expect-dir=%t/a --explain 2>&1 | FileCheck %s --check-prefix=WHOLE
// The fourth place of a plan is the first result, when the operands have their slots.
// RUN: pir-run %s "%{until}{refuse=plan,at=4},dce,bind" --input=x=1x16x8x8xf32=random:1 --input=y=1x16x16x16xf32=random:2 --expect-dir=%t/a --explain 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT-COUNT-3: its ops are called: the option refuse of the pass
// RUN: not pir-opt %s "--passes=group{refuse=plan,at=0}" 2>&1 | FileCheck %s --check-prefix=AT
// AT: option at of pass build_cinn_pass expects a number above 0
// RUN: not pir-opt %s "--passes=group{refuse=run}" 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not pir-opt %s "--passes=group{refuse=plan,every=0}" 2>&1 | FileCheck %s --check-prefix=EVERY
// STAGE: option refuse of pass build_cinn_pass expects choose, lower, emit or plan, has 'run'
// EVERY: option every of pass build_cinn_pass expects a number above 0
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,16,-1,-1]} : () -> tensor<-1x16x-1x-1xf32>
    (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1,16,-1,-1]} : () -> tensor<-1x16x-1x-1xf32>
    (%f) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[16,16,1,1],value:0.1} : () -> tensor<16x16x1x1xf32>
    (%w) = "pd_op.tanh" (%f) {} : (tensor<16x16x1x1xf32>) -> tensor<16x16x1x1xf32>
    (%a) = "pd_op.conv2d" (%x, %w) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x16x-1x-1xf32>, tensor<16x16x1x1xf32>) -> tensor<-1x16x-1x-1xf32>
    (%s) = "pd_op.shape64" (%y) {} : (tensor<-1x16x-1x-1xf32>) -> tensor<4xi64>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3]} : () -> tensor<1xi64>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4]} : () -> tensor<1xi64>
    (%h) = "pd_op.slice" (%s, %2, %3) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<i64>
    (%v) = "pd_op.slice" (%s, %3, %4) {axes:[0],decrease_axis:[0],infer_flags:[1]} : (tensor<4xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<i64>
    (%l) = "builtin.combine" (%h, %v) {} : (tensor<i64>, tensor<i64>) -> vec[tensor<i64>,tensor<i64>]
    (%b) = "pd_op.nearest_interp" (%a, <<NULL VALUE>>, %l, <<NULL VALUE>>) {align_corners:false,align_mode:0,data_format:"NCHW",interp_method:"nearest",out_d:-1,out_h:-1,out_w:-1,scale:[]} : (tensor<-1x16x-1x-1xf32>, <<NULL TYPE>>, vec[tensor<i64>,tensor<i64>], <<NULL TYPE>>) -> tensor<-1x16x-1x-1xf32>
    (%c) = "pd_op.conv2d" (%b, %w) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[0,0],strides:[1,1]} : (tensor<-1x16x-1x-1xf32>, tensor<16x16x1x1xf32>) -> tensor<-1x16x-1x-1xf32>
    (%o) = "pd_op.fetch" (%c) {col:0,name:"out"} : (tensor<-1x16x-1x-1xf32>) -> tensor<-1x16x-1x-1xf32>
}
