// RUN: pir-opt %s --split-input-file --verify-each --passes=cse | FileCheck %s
// RUN: pir-opt %s --split-input-file --passes='cse{max-ops=0}' | FileCheck %s --check-prefix=NONE
// RUN: pir-opt %s --split-input-file --passes='cse{ignore=struct_name|stop_gradient}' | FileCheck %s --check-prefix=IGNORE

// The same op on the same operands is one op; a commutative one also with its operands swapped.
// CHECK:      (%2) = "pd_op.exp" (%0)
// CHECK-NEXT: (%3) = "pd_op.add" (%2, %1)
// CHECK-NEXT: "pd_op.multiply" (%3, %3)
// CHECK-NEXT: (%5) = "pd_op.subtract" (%0, %1)
// CHECK-NEXT: (%6) = "pd_op.subtract" (%1, %0)
// NONE-COUNT-2: "pd_op.exp"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%2) = "pd_op.exp" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.exp" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.add" (%2, %1) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%5) = "pd_op.add" (%1, %3) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%6) = "pd_op.multiply" (%4, %5) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%7) = "pd_op.subtract" (%0, %1) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%8) = "pd_op.subtract" (%1, %0) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%9) = "pd_op.fetch" (%6) {col:0,name:"fetch0",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// A value that an in-place op overwrites is not shared, and unknown ops are not merged.
// CHECK-COUNT-2: "pd_op.exp"
// CHECK-COUNT-2: "my_dialect.unknown"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.exp" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%2) = "pd_op.exp" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.relu_" (%2) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.add" (%1, %3) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"fetch0",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%6) = "my_dialect.unknown" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%7) = "my_dialect.unknown" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// A branch sees what is before the choice, not what is in the other branch.
// CHECK:     "pd_op.tanh"
// CHECK:     "pd_op.if"
// CHECK-NOT:   "pd_op.tanh"
// CHECK:       (%[[S:[0-9]+]]) = "pd_op.sin"
// CHECK-NEXT:  "pd_op.add" (%{{[0-9]+}}, %[[S]])
// CHECK:     else
// CHECK:       (%[[T:[0-9]+]]) = "pd_op.sin"
// CHECK-NEXT:  "pd_op.add" (%[[T]], %[[T]])
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1],stop_gradient:[true]} : () -> tensor<1xb>
    (%2) = "pd_op.tanh" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.exp" (%2) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.if" (%1) {stop_gradient:[true]} -> tensor<2x3xf32> {
        (%5) = "pd_op.tanh" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        (%6) = "pd_op.sin" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        (%7) = "pd_op.add" (%5, %6) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%7) {} : (tensor<2x3xf32>) -> 
    } else {
        (%8) = "pd_op.sin" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        (%9) = "pd_op.sin" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        (%10) = "pd_op.add" (%8, %9) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%10) {} : (tensor<2x3xf32>) -> 
    }
    (%11) = "pd_op.fetch" (%4) {col:0,name:"fetch0",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%12) = "pd_op.fetch" (%3) {col:1,name:"fetch1",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// Each of two ops that consist of random ops has random numbers of its own.
// CHECK:     "pd_op.fused_bias_dropout_residual_layer_norm"
// CHECK-NEXT: "pd_op.fused_bias_dropout_residual_layer_norm"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,8]} : () -> tensor<4x8xf32>
    (%2, %3, %4, %5, %6) = "pd_op.fused_bias_dropout_residual_layer_norm" (%0, %0, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>) {dropout_fix_seed:false,dropout_implementation:"downgrade_in_infer",dropout_rate:0.5,dropout_seed:1,is_test:false,ln_epsilon:1e-05} : (tensor<4x8xf32>, tensor<4x8xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xu8>, tensor<4xf32>, tensor<4xf32>
    (%7, %8, %9, %10, %11) = "pd_op.fused_bias_dropout_residual_layer_norm" (%0, %0, <<NULL VALUE>>, <<NULL VALUE>>, <<NULL VALUE>>) {dropout_fix_seed:false,dropout_implementation:"downgrade_in_infer",dropout_rate:0.5,dropout_seed:1,is_test:false,ln_epsilon:1e-05} : (tensor<4x8xf32>, tensor<4x8xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xu8>, tensor<4xf32>, tensor<4xf32>
    () = "builtin.shadow_output" (%4) {output_name:"a"} : (tensor<4x8xu8>) -> 
    () = "builtin.shadow_output" (%9) {output_name:"b"} : (tensor<4x8xu8>) -> 
}

// -----
// Attributes that the op does not declare count, unless they are to be ignored, wherever they stand; others still count.
// CHECK:      "pd_op.sin" (%0) {stop_gradient:[true],struct_name:"/a/"}
// CHECK-NEXT: "pd_op.sin" (%0) {stop_gradient:[false]}
// CHECK-NEXT: "pd_op.sin" (%0) {mine:1,stop_gradient:[true]}
// IGNORE:      "pd_op.sin" (%0) {stop_gradient:[true],struct_name:"/a/"}
// IGNORE-NEXT: "pd_op.sin" (%0) {mine:1,stop_gradient:[true]}
// IGNORE-NEXT: "pd_op.multiply" (%1, %1)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.sin" (%0) {stop_gradient:[true],struct_name:"/a/"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%2) = "pd_op.sin" (%0) {stop_gradient:[false]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.sin" (%0) {mine:1,stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.multiply" (%1, %2) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%5) = "pd_op.add" (%4, %3) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"fetch0",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
