// Lists, places and other hard cases of matching and emitting, by the rules of inputs/engine.drr.
// RUN: pir-opt %s --split-input-file --verify-each --rules=%S/inputs/engine.drr --trace-rewrites=all 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=WHY --input-file=%t.err
// WHY: pairs: not "pd_op.subtract" at {{.*}}: an attribute or operand cannot be made
// WHY: spliced: not "pd_op.divide" at {{.*}}: an attribute or operand cannot be made
// WHY: readable: not "pd_op.minimum" at {{.*}}: the new ops cannot stand before every reader
// WHY: same_list: not "pd_op.heaviside" at {{.*}}: no "builtin.combine" that fits
// WHY: same_list: not "pd_op.heaviside" at {{.*}}: no "builtin.combine" that fits
// WHY: each_commutes: not "pd_op.stack" at {{.*}}: no "pd_op.multiply" that fits
// WHY: each_commutes: not "pd_op.stack" at {{.*}}: no "pd_op.multiply" that fits
// WHY: each_commutes: not "pd_op.stack" at {{.*}}: no "pd_op.multiply" that fits
// WHY: each_commutes: not "pd_op.stack" at {{.*}}: no "pd_op.multiply" that fits
// WHY: each_commutes: not "pd_op.stack" at {{.*}}: no "pd_op.multiply" that fits
// WHY: sibling: not "pd_op.sqrt" at {{.*}}: the new ops cannot stand before every reader

// Pairs, with the attributes of the second list.
// CHECK-LABEL: name:"first"
// CHECK: (%2) = "pd_op.atan2" (%0, %1)
// CHECK-NEXT: (%3) = "pd_op.atan2" (%1, %0)
// CHECK-NEXT: (%4) = "builtin.combine" (%2, %3)
// CHECK-NEXT: (%5) = "pd_op.add_n" (%4)
// CHECK-NEXT: (%6) = "pd_op.celu" (%0) {alpha:0.5}
// CHECK-NEXT: (%7) = "pd_op.celu" (%1) {alpha:0.25}
// CHECK-NEXT: (%8) = "builtin.combine" (%6, %7)
// CHECK-NEXT: (%9) = "pd_op.add_n" (%8)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"first",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "pd_op.sin" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.sin" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "builtin.combine" (%2, %3) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%5) = "pd_op.cos" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.cos" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%7) = "builtin.combine" (%5, %6) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%8) = "pd_op.add_n" (%4) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
    (%9) = "pd_op.add_n" (%7) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
    (%10) = "pd_op.subtract" (%8, %9) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%11) = "pd_op.leaky_relu" (%0) {negative_slope:0.1} : (tensor<2xf32>) -> tensor<2xf32>
    (%12) = "pd_op.leaky_relu" (%1) {negative_slope:0.2} : (tensor<2xf32>) -> tensor<2xf32>
    (%13) = "builtin.combine" (%11, %12) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%14) = "pd_op.elu" (%0) {alpha:0.5} : (tensor<2xf32>) -> tensor<2xf32>
    (%15) = "pd_op.elu" (%0) {alpha:0.25} : (tensor<2xf32>) -> tensor<2xf32>
    (%16) = "builtin.combine" (%14, %15) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%17) = "pd_op.add_n" (%13) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
    (%18) = "pd_op.add_n" (%16) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
    (%19) = "pd_op.divide" (%17, %18) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%20) = "pd_op.fetch" (%10) {col:0,name:"o"} : (tensor<2xf32>) -> tensor<2xf32>
    (%21) = "pd_op.fetch" (%19) {col:1,name:"p"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// Lists of different lengths have no pairs.
// CHECK-LABEL: name:"second"
// CHECK: (%17) = "pd_op.divide" (%15, %16)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"second",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "pd_op.sin" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.sin" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "builtin.combine" (%2, %3) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%5) = "pd_op.cos" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "builtin.combine" (%5) {} : (tensor<2xf32>) -> vec[tensor<2xf32>]
    (%7) = "pd_op.add_n" (%4) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
    (%8) = "pd_op.add_n" (%6) {} : (vec[tensor<2xf32>]) -> tensor<2xf32>
    (%9) = "pd_op.subtract" (%7, %8) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%10) = "pd_op.leaky_relu" (%0) {negative_slope:0.1} : (tensor<2xf32>) -> tensor<2xf32>
    (%11) = "builtin.combine" (%10) {} : (tensor<2xf32>) -> vec[tensor<2xf32>]
    (%12) = "pd_op.elu" (%0) {alpha:0.5} : (tensor<2xf32>) -> tensor<2xf32>
    (%13) = "pd_op.elu" (%0) {alpha:0.25} : (tensor<2xf32>) -> tensor<2xf32>
    (%14) = "builtin.combine" (%12, %13) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%15) = "pd_op.add_n" (%11) {} : (vec[tensor<2xf32>]) -> tensor<2xf32>
    (%16) = "pd_op.add_n" (%14) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
    (%17) = "pd_op.divide" (%15, %16) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%18) = "pd_op.fetch" (%9) {col:0,name:"o"} : (tensor<2xf32>) -> tensor<2xf32>
    (%19) = "pd_op.fetch" (%17) {col:1,name:"p"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// A member that is read before the root is made before that reader, if all is there that the new ops read.
// CHECK-LABEL: name:"third"
// CHECK: (%2) = "pd_op.tan" (%0)
// CHECK-NEXT: (%3) = "pd_op.tan" (%1)
// CHECK-NEXT: (%4) = "builtin.combine" (%2, %3)
// CHECK-NEXT: (%5) = "pd_op.add_n" (%4)
// CHECK-NEXT: (%6) = "pd_op.fmin" (%5, %1)
// CHECK-NEXT: (%7) = "pd_op.exp" (%2)
// CHECK: (%9) = "pd_op.sinh" (%0)
// CHECK-NEXT: (%10) = "pd_op.exp" (%9)
// CHECK-NEXT: (%11) = "pd_op.sinh" (%8)
// CHECK-NEXT: (%12) = "pd_op.tanh" (%0)
// CHECK-NEXT: (%13) = "builtin.combine" (%9, %11)
// CHECK-NEXT: (%14) = "pd_op.add_n" (%13)
// CHECK-NEXT: (%15) = "pd_op.minimum" (%14, %12)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"third",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "pd_op.sinh" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.exp" (%2) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.sinh" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%5) = "builtin.combine" (%2, %4) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%6) = "pd_op.add_n" (%5) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
    (%7) = "pd_op.minimum" (%6, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%8) = "pd_op.data" () {dtype:float32,name:"z",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%9) = "pd_op.sinh" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%10) = "pd_op.exp" (%9) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%11) = "pd_op.sinh" (%8) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%12) = "pd_op.tanh" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%13) = "builtin.combine" (%9, %11) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%14) = "pd_op.add_n" (%13) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
    (%15) = "pd_op.minimum" (%14, %12) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%16) = "pd_op.fetch" (%3) {col:0,name:"r"} : (tensor<2xf32>) -> tensor<2xf32>
    (%17) = "pd_op.fetch" (%7) {col:1,name:"o"} : (tensor<2xf32>) -> tensor<2xf32>
    (%18) = "pd_op.fetch" (%10) {col:2,name:"q"} : (tensor<2xf32>) -> tensor<2xf32>
    (%19) = "pd_op.fetch" (%15) {col:3,name:"p"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// A list named twice has the same members.
// CHECK-LABEL: name:"fourth"
// CHECK: (%3) = "builtin.combine" (%0, %1)
// CHECK-NEXT: (%4) = "pd_op.add_n" (%3)
// CHECK-NEXT: (%5) = "builtin.combine" (%0, %1)
// CHECK-NEXT: (%6) = "builtin.combine" (%1, %0)
// CHECK-NEXT: (%7) = "pd_op.add_n" (%5)
// CHECK-NEXT: (%8) = "pd_op.concat" (%6, %2)
// CHECK-NEXT: (%9) = "pd_op.reduce_as" (%8, %7)
// CHECK-NEXT: (%10) = "pd_op.heaviside" (%7, %9)
// CHECK-NEXT: (%11) = "builtin.combine" (%0, %1)
// CHECK-NEXT: (%12) = "builtin.combine" (%0)
// CHECK-NEXT: (%13) = "pd_op.add_n" (%11)
// CHECK-NEXT: (%14) = "pd_op.concat" (%12, %2)
// CHECK-NEXT: (%15) = "pd_op.reduce_as" (%14, %13)
// CHECK-NEXT: (%16) = "pd_op.heaviside" (%13, %15)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"fourth",place:Place(cpu),shape:[1,2]} : () -> tensor<1x2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[1,2]} : () -> tensor<1x2xf32>
    (%2) = "builtin.combine" (%0, %1) {} : (tensor<1x2xf32>, tensor<1x2xf32>) -> vec[tensor<1x2xf32>,tensor<1x2xf32>]
    (%3) = "builtin.combine" (%0, %1) {} : (tensor<1x2xf32>, tensor<1x2xf32>) -> vec[tensor<1x2xf32>,tensor<1x2xf32>]
    (%4) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%5) = "pd_op.add_n" (%2) {} : (vec[tensor<1x2xf32>,tensor<1x2xf32>]) -> tensor<1x2xf32>
    (%6) = "pd_op.concat" (%3, %4) {} : (vec[tensor<1x2xf32>,tensor<1x2xf32>], tensor<1xi32>) -> tensor<2x2xf32>
    (%7) = "pd_op.reduce_as" (%6, %5) {} : (tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    (%8) = "pd_op.heaviside" (%5, %7) {} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    (%9) = "builtin.combine" (%0, %1) {} : (tensor<1x2xf32>, tensor<1x2xf32>) -> vec[tensor<1x2xf32>,tensor<1x2xf32>]
    (%10) = "builtin.combine" (%1, %0) {} : (tensor<1x2xf32>, tensor<1x2xf32>) -> vec[tensor<1x2xf32>,tensor<1x2xf32>]
    (%11) = "pd_op.add_n" (%9) {} : (vec[tensor<1x2xf32>,tensor<1x2xf32>]) -> tensor<1x2xf32>
    (%12) = "pd_op.concat" (%10, %4) {} : (vec[tensor<1x2xf32>,tensor<1x2xf32>], tensor<1xi32>) -> tensor<2x2xf32>
    (%13) = "pd_op.reduce_as" (%12, %11) {} : (tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    (%14) = "pd_op.heaviside" (%11, %13) {} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    (%15) = "builtin.combine" (%0, %1) {} : (tensor<1x2xf32>, tensor<1x2xf32>) -> vec[tensor<1x2xf32>,tensor<1x2xf32>]
    (%16) = "builtin.combine" (%0) {} : (tensor<1x2xf32>) -> vec[tensor<1x2xf32>]
    (%17) = "pd_op.add_n" (%15) {} : (vec[tensor<1x2xf32>,tensor<1x2xf32>]) -> tensor<1x2xf32>
    (%18) = "pd_op.concat" (%16, %4) {} : (vec[tensor<1x2xf32>], tensor<1xi32>) -> tensor<1x2xf32>
    (%19) = "pd_op.reduce_as" (%18, %17) {} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    (%20) = "pd_op.heaviside" (%17, %19) {} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    (%21) = "pd_op.fetch" (%8) {col:0,name:"o"} : (tensor<1x2xf32>) -> tensor<1x2xf32>
    (%22) = "pd_op.fetch" (%14) {col:1,name:"o2"} : (tensor<1x2xf32>) -> tensor<1x2xf32>
    (%23) = "pd_op.fetch" (%20) {col:2,name:"o3"} : (tensor<1x2xf32>) -> tensor<1x2xf32>
}

// -----
// Each op of a list is tried with its operands in both orders. Not if one is an argument, another op, or in another block.
// CHECK-LABEL: name:"fifth"
// CHECK: (%3) = "builtin.combine" (%0, %0)
// CHECK-NEXT: (%4) = "pd_op.stack" (%3) {axis:0}
// CHECK-NEXT: (%5) = "pd_op.multiply" (%4, %1)
// CHECK-NEXT: (%6) = "pd_op.multiply" (%0, %1)
// CHECK-NEXT: (%7) = "pd_op.multiply" (%0, %0)
// CHECK-NEXT: (%8) = "builtin.combine" (%6, %7)
// CHECK-NEXT: (%9) = "pd_op.stack" (%8) {axis:0}
// CHECK-NEXT: (%10) = "pd_op.multiply" (%0, %1)
// CHECK-NEXT: (%11) = "pd_op.fmin" (%0, %1)
// CHECK-NEXT: (%12) = "builtin.combine" (%10, %11)
// CHECK-NEXT: (%13) = "pd_op.stack" (%12) {axis:0}
// CHECK-NEXT: (%14) = "pd_op.multiply" (%0, %1)
// CHECK: (%16, %17, %18) = "pd_op.while" (cond=%2, inputs=%2, %0, %1) {
// CHECK: (%19) = "builtin.combine" (%14, %arg_1)
// CHECK-NEXT: (%20) = "pd_op.stack" (%19) {axis:0}
// CHECK-NEXT: (%21) = "builtin.combine" (%14, %14)
// CHECK-NEXT: (%22) = "pd_op.stack" (%21) {axis:0}
// CHECK-NEXT: (%23) = "pd_op.add" (%20, %22)
// CHECK-NEXT: (%24) = "pd_op.max" (%23, %15) {keepdim:false}
// CHECK-NEXT: () = "cf.yield" (%2, %2, %24, %arg_2)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"fifth",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%3) = "pd_op.multiply" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.multiply" (%1, %0) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%5) = "builtin.combine" (%3, %4) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%6) = "pd_op.stack" (%5) {axis:0} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2x2xf32>
    (%7) = "pd_op.multiply" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%8) = "pd_op.multiply" (%0, %0) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%9) = "builtin.combine" (%7, %8) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%10) = "pd_op.stack" (%9) {axis:0} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2x2xf32>
    (%11) = "pd_op.multiply" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%12) = "pd_op.fmin" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%13) = "builtin.combine" (%11, %12) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%14) = "pd_op.stack" (%13) {axis:0} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2x2xf32>
    (%15) = "pd_op.multiply" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%16) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0]} : () -> tensor<1xi64>
    (%17, %18, %19) = "pd_op.while" (cond=%2, inputs=%2, %0, %1) {
    ^%arg_0 {}, %arg_1 {}, %arg_2 {}
        (%20) = "builtin.combine" (%15, %arg_1) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
        (%21) = "pd_op.stack" (%20) {axis:0} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2x2xf32>
        (%22) = "builtin.combine" (%15, %15) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
        (%23) = "pd_op.stack" (%22) {axis:0} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2x2xf32>
        (%24) = "pd_op.add" (%21, %23) {} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
        (%25) = "pd_op.max" (%24, %16) {keepdim:false} : (tensor<2x2xf32>, tensor<1xi64>) -> tensor<2xf32>
        () = "cf.yield" (%2, %2, %25, %arg_2) {} : (tensor<1xb>, tensor<1xb>, tensor<2xf32>, tensor<2xf32>) -> 
    }
    (%26) = "pd_op.fetch" (%6) {col:0,name:"o"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%27) = "pd_op.fetch" (%10) {col:1,name:"p"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%28) = "pd_op.fetch" (%14) {col:2,name:"q"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%29) = "pd_op.fetch" (%18) {col:3,name:"r1"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// The parts of a list in their order.
// CHECK-LABEL: name:"sixth"
// CHECK: (%2) = "builtin.combine" (%0, %1)
// CHECK-NEXT: (%3) = "pd_op.add_n" (%2)
// CHECK-NEXT: (%4, %5) = "builtin.split" (%2)
// CHECK-NEXT: (%6) = "builtin.combine" (%5, %4)
// CHECK-NEXT: (%7) = "pd_op.add_n" (%6)
// CHECK-NEXT: (%8) = "builtin.combine" ()
// CHECK-NEXT: (%9) = "pd_op.add_n" (%8)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"sixth",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "builtin.combine" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%3, %4) = "builtin.split" (%2) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>, tensor<2xf32>
    (%5) = "builtin.combine" (%3, %4) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%6) = "pd_op.add_n" (%5) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
    (%7, %8) = "builtin.split" (%2) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>, tensor<2xf32>
    (%9) = "builtin.combine" (%8, %7) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%10) = "pd_op.add_n" (%9) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
    (%11) = "builtin.combine" () {} : () -> vec[]
    (%12) = "pd_op.add_n" (%11) {} : (vec[]) -> tensor<2xf32>
    (%13) = "pd_op.fetch" (%6) {col:0,name:"o"} : (tensor<2xf32>) -> tensor<2xf32>
    (%14) = "pd_op.fetch" (%10) {col:1,name:"p"} : (tensor<2xf32>) -> tensor<2xf32>
    (%15) = "pd_op.fetch" (%12) {col:2,name:"q"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// The other reader, whose result the new op reads, may stand behind, but not at the end of the block, where nothing could follow it.
// CHECK-LABEL: name:"seventh"
// CHECK: (%1) = "pd_op.rsqrt" (%0)
// CHECK-NEXT: (%2) = "pd_op.reciprocal" (%1)
// CHECK: (%6) = "pd_op.sqrt" (%5)
// CHECK-NEXT: (%7) = "pd_op.rsqrt" (%5)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"seventh",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.sqrt" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.rsqrt" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.fetch" (%1) {col:0,name:"y"} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.fetch" (%2) {col:1,name:"z"} : (tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"a",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%6) = "pd_op.sqrt" (%5) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%7) = "pd_op.rsqrt" (%5) {} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// What reads nothing of its block is made first in it, if a result is read before.
// CHECK-LABEL: name:"eighth"
// CHECK: (%2, %3) = "pd_op.while" (cond=%1, inputs=%1, %0) {
// CHECK: (%6) = "pd_op.exp" (%4)
// CHECK-NEXT: (%7) = "pd_op.add" (%5, %6)
// CHECK-NEXT: () = "cf.yield" (%1, %1, %7)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"eighth",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%2, %3) = "pd_op.while" (cond=%1, inputs=%1, %0) {
    ^%arg_0 {}, %arg_1 {}
        (%4) = "pd_op.log1p" (%arg_1) {} : (tensor<2xf32>) -> tensor<2xf32>
        (%5) = "pd_op.exp" (%4) {} : (tensor<2xf32>) -> tensor<2xf32>
        (%6) = "pd_op.expm1" (%4) {} : (tensor<2xf32>) -> tensor<2xf32>
        (%7) = "pd_op.add" (%6, %5) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%1, %1, %7) {} : (tensor<1xb>, tensor<1xb>, tensor<2xf32>) -> 
    }
    (%8) = "pd_op.fetch" (%3) {col:0,name:"p"} : (tensor<2xf32>) -> tensor<2xf32>
}

