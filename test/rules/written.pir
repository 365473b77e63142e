// Rules around ops that write over their operands; results that are lists, absent or of unknown type. The rules: inputs/written.drr.
// RUN: pir-opt %s --split-input-file --rules=%S/inputs/written.drr --trace-rewrites=all 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=WHY --input-file=%t.err
// WHY: reads_early: not "pd_op.add" at {{.*}}: an op writes over a value that the emit reads
// WHY: reads_early: not "pd_op.add" at {{.*}}: an op writes over a value that the emit reads
// WHY: reads_lists: not "pd_op.add_n" at {{.*}}: no "pd_op.sin" that fits
// WHY: reads_lists: not "pd_op.add_n" at {{.*}}: an op writes over a value that the emit reads
// WHY: same_value: not "pd_op.assign" at {{.*}}: an op writes over a value that the emit reads
// WHY: same_value: not "pd_op.assign" at {{.*}}: an op writes over a value that the emit reads
// WHY: writes: not "pd_op.relu" at {{.*}}: an op writes over a value that the emit reads
// WHY: more_values: not "pd_op.concat" at {{.*}}: no "pd_op.floor" that fits
// WHY: halves: not "pd_op.stack" at {{.*}}: an attribute or operand cannot be made
// WHY: more_values: not "pd_op.concat" at {{.*}}: a result would have another type
// WHY: absent: not "pd_op.cosh" at {{.*}}: a result would have another type
// WHY: no_results: not "pd_op.assert" at {{.*}}: operands, attributes or readers of results differ

// A value that is overwritten before the new op would read it: in the block, or behind the block in which the match lies.
// CHECK-LABEL: name:"first"
// CHECK: (%3) = "pd_op.subtract" (%0, %1)
// CHECK-NEXT: (%4) = "pd_op.exp" (%0)
// CHECK-NEXT: (%5) = "pd_op.tanh" (%4)
// CHECK-NEXT: (%6) = "pd_op.relu_" (%4)
// CHECK-NEXT: (%7) = "pd_op.add" (%5, %1)
// CHECK-NEXT: (%8) = "pd_op.exp" (%0)
// CHECK-NEXT: (%9) = "pd_op.if" (%2)
// CHECK: (%10) = "pd_op.tanh" (%8)
// CHECK-NEXT: (%11) = "pd_op.add" (%10, %1)
// CHECK-NEXT: () = "cf.yield" (%11)
// CHECK: () = "cf.yield" (%1)
// CHECK: (%12) = "pd_op.relu_" (%8)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"first",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%3) = "pd_op.tanh" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.add" (%3, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.exp" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.tanh" (%5) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%7) = "pd_op.relu_" (%5) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%8) = "pd_op.add" (%6, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%9) = "pd_op.exp" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%10) = "pd_op.if" (%2) {} -> tensor<2xf32> {
        (%11) = "pd_op.tanh" (%9) {} : (tensor<2xf32>) -> tensor<2xf32>
        (%12) = "pd_op.add" (%11, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%12) {} : (tensor<2xf32>) -> 
    } else {
        () = "cf.yield" (%1) {} : (tensor<2xf32>) -> 
    }
    (%13) = "pd_op.relu_" (%9) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%14) = "pd_op.fetch" (%4) {col:0,name:"o"} : (tensor<2xf32>) -> tensor<2xf32>
    (%15) = "pd_op.fetch" (%8) {col:1,name:"p"} : (tensor<2xf32>) -> tensor<2xf32>
    (%16) = "pd_op.fetch" (%7) {col:2,name:"v"} : (tensor<2xf32>) -> tensor<2xf32>
    (%17) = "pd_op.fetch" (%10) {col:3,name:"r"} : (tensor<2xf32>) -> tensor<2xf32>
    (%18) = "pd_op.fetch" (%13) {col:4,name:"z"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// The same of a member of a list.
// CHECK-LABEL: name:"second"
// CHECK: (%2) = "builtin.combine" (%0, %1)
// CHECK-NEXT: (%3) = "pd_op.add_n" (%2)
// CHECK-NEXT: (%4) = "pd_op.exp" (%0)
// CHECK-NEXT: (%5) = "pd_op.sin" (%0)
// CHECK-NEXT: (%6) = "pd_op.sin" (%4)
// CHECK-NEXT: (%7) = "pd_op.relu_" (%4)
// CHECK-NEXT: (%8) = "builtin.combine" (%5, %6)
// CHECK-NEXT: (%9) = "pd_op.add_n" (%8)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"second",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "pd_op.sin" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.sin" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "builtin.combine" (%2, %3) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%5) = "pd_op.add_n" (%4) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
    (%6) = "pd_op.exp" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%7) = "pd_op.sin" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%8) = "pd_op.sin" (%6) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%9) = "pd_op.relu_" (%6) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%10) = "builtin.combine" (%7, %8) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%11) = "pd_op.add_n" (%10) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
    (%12) = "pd_op.fetch" (%5) {col:0,name:"o"} : (tensor<2xf32>) -> tensor<2xf32>
    (%13) = "pd_op.fetch" (%9) {col:1,name:"v"} : (tensor<2xf32>) -> tensor<2xf32>
    (%14) = "pd_op.fetch" (%11) {col:2,name:"p"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// A value that stands for another one must not be overwritten, nor the other one.
// CHECK-LABEL: name:"third"
// CHECK: (%1) = "pd_op.exp" (%0)
// CHECK-NEXT: (%2) = "pd_op.assign" (%1)
// CHECK-NEXT: (%3) = "pd_op.relu_" (%2)
// CHECK-NEXT: (%4) = "pd_op.exp" (%0)
// CHECK-NEXT: (%5) = "pd_op.assign" (%4)
// CHECK-NEXT: (%6) = "pd_op.relu_" (%4)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"third",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.assign" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.exp" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.assign" (%2) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.relu_" (%3) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.exp" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.assign" (%5) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%7) = "pd_op.relu_" (%5) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%8) = "pd_op.fetch" (%1) {col:0,name:"a"} : (tensor<2xf32>) -> tensor<2xf32>
    (%9) = "pd_op.fetch" (%4) {col:1,name:"d"} : (tensor<2xf32>) -> tensor<2xf32>
    (%10) = "pd_op.fetch" (%6) {col:2,name:"f"} : (tensor<2xf32>) -> tensor<2xf32>
    (%11) = "pd_op.fetch" (%7) {col:3,name:"g"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// An op of the match that writes: nobody else may read what it writes over.
// CHECK-LABEL: name:"fourth"
// CHECK: (%1) = "pd_op.sin" (%0)
// CHECK-NEXT: (%2) = "pd_op.silu" (%1)
// CHECK-NEXT: (%3) = "pd_op.sin" (%0)
// CHECK-NEXT: (%4) = "pd_op.exp_" (%3)
// CHECK-NEXT: (%5) = "pd_op.relu" (%4)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"fourth",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.sin" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.exp_" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.relu" (%2) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.sin" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.exp_" (%4) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.relu" (%5) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%7) = "pd_op.fetch" (%3) {col:0,name:"c"} : (tensor<2xf32>) -> tensor<2xf32>
    (%8) = "pd_op.fetch" (%6) {col:1,name:"f"} : (tensor<2xf32>) -> tensor<2xf32>
    (%9) = "pd_op.fetch" (%4) {col:2,name:"d"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// A list of two has two members, which the emit names; of one, the second one is missing.
// CHECK-LABEL: name:"fifth"
// CHECK: (%2) = "builtin.combine" (%0, %1)
// CHECK-NEXT: (%3, %4) = "builtin.split" (%2)
// CHECK-NEXT: (%5) = "builtin.combine" (%4, %3)
// CHECK: (%7) = "pd_op.concat" (%5, %6)
// CHECK: (%9) = "pd_op.reshape" (%7, %8)
// CHECK-NEXT: (%10) = "builtin.combine" (%0)
// CHECK-NEXT: (%11) = "pd_op.stack" (%10) {axis:0}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"fifth",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "builtin.combine" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%3) = "pd_op.stack" (%2) {axis:0} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2x2xf32>
    (%4) = "builtin.combine" (%0) {} : (tensor<2xf32>) -> vec[tensor<2xf32>]
    (%5) = "pd_op.stack" (%4) {axis:0} : (vec[tensor<2xf32>]) -> tensor<1x2xf32>
    (%6) = "pd_op.fetch" (%3) {col:0,name:"o"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%7) = "pd_op.fetch" (%5) {col:1,name:"p"} : (tensor<1x2xf32>) -> tensor<1x2xf32>
}

// -----
// Values that are replaced are as many as before.
// CHECK-LABEL: name:"sixth"
// CHECK: (%6) = "pd_op.concat" (%4, %5)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"sixth",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "pd_op.floor" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.floor" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "builtin.combine" (%2, %3) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%5) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%6) = "pd_op.concat" (%4, %5) {} : (vec[tensor<2xf32>,tensor<2xf32>], tensor<1xi32>) -> tensor<4xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"o"} : (tensor<4xf32>) -> tensor<4xf32>
    (%8) = "pd_op.fetch" (%2) {col:1,name:"a"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// A value that is read is not given up.
// CHECK-LABEL: name:"seventh"
// CHECK: (%1) = "pd_op.cos" (%0)
// CHECK: (%3) = "pd_op.sinh" (%2)
// CHECK-NEXT: (%4) = "pd_op.cosh" (%2)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"seventh",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.sinh" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.cosh" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%4) = "pd_op.sinh" (%3) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.cosh" (%3) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.fetch" (%2) {col:0,name:"b"} : (tensor<2xf32>) -> tensor<2xf32>
    (%7) = "pd_op.fetch" (%4) {col:1,name:"c"} : (tensor<2xf32>) -> tensor<2xf32>
    (%8) = "pd_op.fetch" (%5) {col:2,name:"d"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// What is unknown of the new result is no contradiction. An op without results is replaced likewise.
// CHECK-LABEL: name:"eighth"
// CHECK: (%1) = "pd_op.memcpy_d2h_multi_io" (%0) {dst_place_type:0}
// CHECK-NEXT: (%2) = "pd_op.layer_norm_relu_xpu" (%0, <<NULL VALUE>>, <<NULL VALUE>>) {begin_norm_axis:1,epsilon:1e-05}
// CHECK: (%4) = "builtin.combine" (%0)
// CHECK-NEXT: () = "pd_op.assert" (%3, %4) {summarize:2}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"eighth",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.acosh" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%2) = "pd_op.asinh" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%4) = "builtin.combine" (%0) {} : (tensor<2x3xf32>) -> vec[tensor<2x3xf32>]
    () = "pd_op.assert" (%3, %4) {summarize:1} : (tensor<1xb>, vec[tensor<2x3xf32>]) -> 
    (%5) = "pd_op.fetch" (%1) {col:0,name:"a"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%6) = "pd_op.fetch" (%2) {col:1,name:"b"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

