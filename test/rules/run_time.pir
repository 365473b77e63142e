// Rules read at run time: a commuted operand and a value that both sides share; refused when the gate is read elsewhere.
// RUN: pir-opt %s --split-input-file --verify-each --rules=%S/inputs/silu.drr | FileCheck %s
// RUN: pir-opt %s --split-input-file --rules=%S/inputs/silu.drr --passes=silu,dce | FileCheck %s
// RUN: pir-opt %s --split-input-file --rules=%S/inputs/silu.drr --trace-rewrites --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=TRACE

// RUN: pir-opt %s --split-input-file --rules=%S/inputs/silu.drr --trace-rewrites=all 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY
// WHY: silu: not "pd_op.multiply" at {{.*}}: a value that would go is read elsewhere ('shared' keeps its op)
// WHY: silu: not "pd_op.multiply" at {{.*}}: no "pd_op.sigmoid" that fits

// CHECK:      (%0) = "pd_op.data"
// CHECK-NEXT: (%1) = "pd_op.silu" (%0)
// CHECK-NEXT: "pd_op.fetch" (%1)
// TRACE:      // silu.drr:4 silu: "pd_op.multiply" at {{.*}}run_time.pir:[[# @LINE + 5]]:5
// TRACE:      silu: 1 silu (silu.drr:4)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.sigmoid" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%2) = "pd_op.multiply" (%1, %0) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// CHECK: "pd_op.sigmoid"
// CHECK: "pd_op.multiply"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.sigmoid" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%2) = "pd_op.multiply" (%0, %1) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.fetch" (%1) {col:1,name:"gate",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----
// Another value is scaled than the one the gate reads.
// CHECK: "pd_op.sigmoid"
// CHECK: "pd_op.multiply"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"z",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%2) = "pd_op.sigmoid" (%0) {stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.multiply" (%2, %1) {stop_gradient:[true]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.fetch" (%3) {col:0,name:"y",persistable:[true],stop_gradient:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
