// Two ops name one parameter, as Paddle writes the state of a random generator. The data stays while one of them is read, whichever pass
// erases the other.
// RUN: rm -rf %t && mkdir -p %t
// RUN: printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0\010\5\020\1\0\0\100\100' > %t/w.pdiparams
// RUN: pir-opt %s --params=%t/w.pdiparams --passes=dce --params-out=%t/kept.pdiparams | FileCheck %s
// RUN: cmp %t/w.pdiparams %t/kept.pdiparams
// RUN: pir-run %s --params=%t/w.pdiparams --pipeline=kernels --input=x=2xf32=0 --print | FileCheck %s --check-prefix=PRINTED
// CHECK-COUNT-1: parameter_name:"w"
// CHECK-NOT:     parameter_name:"w"
// PRINTED: 3, 3
{
    (%0) = "builtin.parameter" () {is_distributed:[false],is_parameter:[false],need_clip:[false],parameter_name:"w",persistable:[true],stop_gradient:[true],trainable:[false]} : () -> tensor<1xf32>
    (%1) = "builtin.parameter" () {is_distributed:[false],is_parameter:[false],need_clip:[false],parameter_name:"w",persistable:[true],stop_gradient:[true],trainable:[false]} : () -> tensor<1xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
    (%3) = "pd_op.add" (%2, %1) {stop_gradient:[true]} : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
}
