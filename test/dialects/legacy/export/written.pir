// What Paddle's readers look for stands in the file though the program does not say it: `num` of a split by sections (an i32, 0), the
// sections of one by number (none), the slots that nothing is in, and the attribute whose number comes as a tensor.
// RUN: pir-opt %s --emit=pdmodel -o %t.pdmodel
// RUN: env LC_ALL=C grep -aqP '^\x03num\x10\x00\x18\x00' %t.pdmodel
// RUN: env LC_ALL=C grep -aqP '^\x03num\x10\x00\x18\x03' %t.pdmodel
// RUN: env LC_ALL=C grep -aqP '^\x08sections\x10\x03(?!0)' %t.pdmodel
// RUN: test $(env LC_ALL=C grep -aP '^\x12SectionsTensorList(?!\x12)' %t.pdmodel | wc -l) -eq 1
// RUN: env LC_ALL=C grep -aqP '^\x0bMasterParam(?!\x12)' %t.pdmodel
// RUN: env LC_ALL=C grep -aqP '^\x05scale\x10\x01' %t.pdmodel
// RUN: pir-translate %t.pdmodel --to=pdmodel | cmp - %t.pdmodel
// RUN: pir-translate %t.pdmodel | FileCheck %s
// CHECK: "pd_op.scale" (%{{[0-9]+}}, %{{[0-9]+}}) {bias:0
// CHECK: "pd_op.split" (
// CHECK: "pd_op.split_with_num" ({{.*}}num:3
// CHECK: "pd_op.sgd_" (%{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, <<NULL VALUE>>)
{
    (%0) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"w",persistable:[true],stop_gradient:[false],trainable:[true]} : () -> tensor<2x6xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,6],stop_gradient:[true]} : () -> tensor<2x6xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"factor",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xf32>
    (%3) = "pd_op.scale" (%1, %2) {bias:0,bias_after_scale:true,stop_gradient:[true]} : (tensor<2x6xf32>, tensor<1xf32>) -> tensor<2x6xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[2,4]} : () -> tensor<2xi64>
    (%5) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1} : () -> tensor<1xi32>
    (%6) = "pd_op.split" (%3, %4, %5) {stop_gradient:[true]} : (tensor<2x6xf32>, tensor<2xi64>, tensor<1xi32>) -> vec[tensor<2x2xf32>,tensor<2x4xf32>]
    (%7, %8) = "builtin.split" (%6) {stop_gradient:[true,true]} : (vec[tensor<2x2xf32>,tensor<2x4xf32>]) -> tensor<2x2xf32>, tensor<2x4xf32>
    (%9) = "pd_op.split_with_num" (%3, %5) {num:3,stop_gradient:[true]} : (tensor<2x6xf32>, tensor<1xi32>) -> vec[tensor<2x2xf32>,tensor<2x2xf32>,tensor<2x2xf32>]
    (%10, %11, %12) = "builtin.split" (%9) {stop_gradient:[true,true,true]} : (vec[tensor<2x2xf32>,tensor<2x2xf32>,tensor<2x2xf32>]) -> tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
    (%13, %14) = "pd_op.sgd_" (%0, %2, %3, <<NULL VALUE>>) {multi_precision:false} : (tensor<2x6xf32>, tensor<1xf32>, tensor<2x6xf32>, <<NULL TYPE>>) -> tensor<2x6xf32>, <<NULL TYPE>>
    (%15) = "pd_op.fetch" (%8) {col:0,name:"f",persistable:[true],stop_gradient:[true]} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    (%16) = "pd_op.fetch" (%11) {col:1,name:"g",persistable:[true],stop_gradient:[true]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
}
