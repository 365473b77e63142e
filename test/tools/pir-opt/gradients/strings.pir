// Strings beside a gradient that is wrong are empty where the op is looked for.
// RUN: not pir-opt %s --check-gradients 2>&1 | FileCheck %s
// CHECK: strings.pir:7:{{.*}}: error: the gradient of "pd_op.shuffle_channel" is none: the derivative is
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,6,2,2],stop_gradient:[true]} : () -> tensor<1x6x2x2xf32>
    (%1) = "pd_op.tanh" (%0) {stop_gradient:[false]} : (tensor<1x6x2x2xf32>) -> tensor<1x6x2x2xf32>
    (%2) = "pd_op.shuffle_channel" (%1) {group:2,stop_gradient:[false]} : (tensor<1x6x2x2xf32>) -> tensor<1x6x2x2xf32>
    (%3) = "pd_op.sin" (%2) {stop_gradient:[false]} : (tensor<1x6x2x2xf32>) -> tensor<1x6x2x2xf32>
    () = "builtin.shadow_output" (%3) {output_name:"y"} : (tensor<1x6x2x2xf32>) -> 
    (%4) = "pd_op.data" () {dtype:pstring,name:"s",place:Place(undefined:0),shape:[64],stop_gradient:[true]} : () -> tensor<64xpstring>
    (%5) = "pd_op.strings_lower" (%4) {use_utf8_encoding:false,stop_gradient:[true]} : (tensor<64xpstring>) -> tensor<64xpstring>
    () = "builtin.shadow_output" (%5) {output_name:"z"} : (tensor<64xpstring>) -> 
}
