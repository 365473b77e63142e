// Which kernels write over an operand, and which do not: memory that has another owner, is read later, or has another size.
// RUN: pir-opt %s --split-input-file --passes=pd_op_to_kernel,remove_shadow_feed,inplace | FileCheck %s

// A value that a region reads later, or yields, is not overwritten before. What a branch yields has two owners.
// CHECK-LABEL: name:"first"
// CHECK: "exp(phi_kernel)" (%1)
// CHECK-NEXT: "exp(phi_kernel)" (%1)
// CHECK-NEXT: "relu(phi_kernel)" (%2)
// CHECK-NEXT: "relu(phi_kernel)" (%3)
// CHECK-NEXT: "pd_op.if" (%0)
// CHECK: "add(phi_kernel)" (%2, %4)
// CHECK-NEXT: "relu_(phi_kernel)" (%8)
// CHECK-NEXT: "cf.yield" (%9, %3) {origin_id:10}
// CHECK: "cf.yield" (%4, %3) {origin_id:11}
// CHECK: "relu_(phi_kernel)" (%6)
// CHECK-NEXT: "relu(phi_kernel)" (%7)
// CHECK-NEXT: "relu_(phi_kernel)" (%3)
{
    (%0) = "pd_op.data" () {dtype:bool,name:"first",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "pd_op.exp" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.exp" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.relu" (%2) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.relu" (%3) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%6, %7) = "pd_op.if" (%0) {} -> tensor<2xf32>, tensor<2xf32> {
        (%8) = "pd_op.add" (%2, %4) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%9) = "pd_op.relu" (%8) {} : (tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%9, %3) {} : (tensor<2xf32>, tensor<2xf32>) -> 
    } else {
        () = "cf.yield" (%4, %3) {} : (tensor<2xf32>, tensor<2xf32>) -> 
    }
    (%10) = "pd_op.relu" (%6) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%11) = "pd_op.relu" (%7) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%12) = "pd_op.relu" (%3) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%13) = "pd_op.fetch" (%5) {col:0,name:"e"} : (tensor<2xf32>) -> tensor<2xf32>
    (%14) = "pd_op.fetch" (%10) {col:1,name:"h"} : (tensor<2xf32>) -> tensor<2xf32>
    (%15) = "pd_op.fetch" (%11) {col:2,name:"i"} : (tensor<2xf32>) -> tensor<2xf32>
    (%16) = "pd_op.fetch" (%12) {col:3,name:"j"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// A loop: the initial value is the loop's own from then on; values of the outer block belong to it in all rounds.
// CHECK-LABEL: name:"second"
// CHECK: "exp(phi_kernel)" (%1)
// CHECK-NEXT: "exp(phi_kernel)" (%1)
// CHECK-NEXT: "relu(phi_kernel)" (%2)
// CHECK-NEXT: "pd_op.while" (cond=%0, inputs=%0, %2) {
// CHECK: "add(phi_kernel)" (%arg_1, %3)
// CHECK-NEXT: "relu_(phi_kernel)" (%7)
// CHECK-NEXT: "relu(phi_kernel)" (%arg_1)
// CHECK-NEXT: "add_(phi_kernel)" (%8, %9)
// CHECK-NEXT: "cf.yield" (%0, %0, %10) {origin_id:11}
// CHECK: "relu(phi_kernel)" (%2)
// CHECK-NEXT: "relu_(phi_kernel)" (%6)
{
    (%0) = "pd_op.data" () {dtype:bool,name:"second",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "pd_op.exp" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.exp" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.relu" (%2) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%5, %6) = "pd_op.while" (cond=%0, inputs=%0, %2) {
    ^%arg_0 {}, %arg_1 {}
        (%7) = "pd_op.add" (%arg_1, %3) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        (%8) = "pd_op.relu" (%7) {} : (tensor<2xf32>) -> tensor<2xf32>
        (%9) = "pd_op.relu" (%arg_1) {} : (tensor<2xf32>) -> tensor<2xf32>
        (%10) = "pd_op.add" (%8, %9) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%0, %0, %10) {} : (tensor<1xb>, tensor<1xb>, tensor<2xf32>) -> 
    }
    (%11) = "pd_op.relu" (%2) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%12) = "pd_op.relu" (%6) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%13) = "pd_op.fetch" (%4) {col:0,name:"d"} : (tensor<2xf32>) -> tensor<2xf32>
    (%14) = "pd_op.fetch" (%11) {col:1,name:"k"} : (tensor<2xf32>) -> tensor<2xf32>
    (%15) = "pd_op.fetch" (%12) {col:2,name:"l"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// Parameters and constants of the program are not overwritten, nor is what is persistable, before or after.
// CHECK-LABEL: name:"third"
// CHECK: "relu(phi_kernel)" (%0)
// CHECK-NEXT: "exp(phi_kernel)" (%1)
// CHECK-NEXT: "relu(phi_kernel)" (%3)
// CHECK-NEXT: "exp(phi_kernel)" (%1)
// CHECK-NEXT: "relu(phi_kernel)" (%5)
// CHECK-NEXT: "exp(phi_kernel)" (%1)
// CHECK-NEXT: "relu_(phi_kernel)" (%7)
{
    (%0) = "builtin.parameter" () {parameter_name:"third"} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"third",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "pd_op.relu" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.exp" (%1) {persistable:[true]} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "pd_op.relu" (%3) {persistable:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%5) = "pd_op.exp" (%1) {persistable:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.relu" (%5) {persistable:[true]} : (tensor<2xf32>) -> tensor<2xf32>
    (%7) = "pd_op.exp" (%1) {persistable:[]} : (tensor<2xf32>) -> tensor<2xf32>
    (%8) = "pd_op.relu" (%7) {persistable:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%9) = "pd_op.fetch" (%2) {col:0,name:"a"} : (tensor<2xf32>) -> tensor<2xf32>
    (%10) = "pd_op.fetch" (%4) {col:1,name:"b"} : (tensor<2xf32>) -> tensor<2xf32>
    (%11) = "pd_op.fetch" (%6) {col:2,name:"c"} : (tensor<2xf32>) -> tensor<2xf32>
    (%12) = "pd_op.fetch" (%8) {col:3,name:"d"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// The size: a result of another type or size, or one whose extents may differ, does not fit. A reshape fits by definition.
// CHECK-LABEL: name:"fourth"
// CHECK: "exp(phi_kernel)" (%0)
// CHECK-NEXT: "reshape_(phi_kernel)" (%6, %4)
// CHECK-NEXT: "cast(phi_kernel)" (%7)
// CHECK-NEXT: "exp(phi_kernel)" (%5)
// CHECK-NEXT: "add(phi_kernel)" (%9, %0)
// CHECK-NEXT: "exp(phi_kernel)" (%1)
// CHECK-NEXT: "relu_(phi_kernel)" (%11)
// CHECK-NEXT: "exp(phi_kernel)" (%2)
// CHECK-NEXT: "relu(phi_kernel)" (%13)
// CHECK-NEXT: "exp(phi_kernel)" (%3)
// CHECK-NEXT: "relu(phi_kernel)" (%15)
// CHECK-NEXT: "exp(phi_kernel)" (%5)
// CHECK-NEXT: "add(phi_kernel)" (%17, %1)
// CHECK: "exp(phi_kernel)" (%1)
// CHECK-NEXT: "add(phi_kernel)" (%20, %19)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"fourth",place:Place(cpu),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"z",place:Place(cpu),shape:[-1]} : () -> tensor<-1xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"w",place:Place(cpu),shape:[2,-1]} : () -> tensor<2x-1xf32>
    (%4) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[6]} : () -> tensor<1xi64>
    (%5) = "pd_op.data" () {dtype:float32,name:"k",place:Place(cpu),shape:[1,3]} : () -> tensor<1x3xf32>
    (%6) = "pd_op.exp" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%7) = "pd_op.reshape" (%6, %4) {} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
    (%8) = "pd_op.cast" (%7) {dtype:float64} : (tensor<6xf32>) -> tensor<6xf64>
    (%9) = "pd_op.exp" (%5) {} : (tensor<1x3xf32>) -> tensor<1x3xf32>
    (%10) = "pd_op.add" (%9, %0) {} : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%11) = "pd_op.exp" (%1) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%12) = "pd_op.relu" (%11) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%13) = "pd_op.exp" (%2) {} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%14) = "pd_op.relu" (%13) {} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%15) = "pd_op.exp" (%3) {} : (tensor<2x-1xf32>) -> tensor<2x-1xf32>
    (%16) = "pd_op.relu" (%15) {} : (tensor<2x-1xf32>) -> tensor<2x-1xf32>
    (%17) = "pd_op.exp" (%5) {} : (tensor<1x3xf32>) -> tensor<1x3xf32>
    (%18) = "pd_op.add" (%17, %1) {} : (tensor<1x3xf32>, tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%19) = "pd_op.data" () {dtype:float32,name:"y2",place:Place(cpu),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%20) = "pd_op.exp" (%1) {} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%21) = "pd_op.add" (%20, %19) {} : (tensor<-1x3xf32>, tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%22) = "pd_op.fetch" (%8) {col:0,name:"d"} : (tensor<6xf64>) -> tensor<6xf64>
    (%23) = "pd_op.fetch" (%10) {col:1,name:"f"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%24) = "pd_op.fetch" (%12) {col:2,name:"h"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%25) = "pd_op.fetch" (%14) {col:3,name:"j"} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%26) = "pd_op.fetch" (%16) {col:4,name:"m"} : (tensor<2x-1xf32>) -> tensor<2x-1xf32>
    (%27) = "pd_op.fetch" (%18) {col:5,name:"o"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
    (%28) = "pd_op.fetch" (%21) {col:6,name:"q"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
}

// -----
// Lists: a member shares the memory of the value put in, so what a reader of the list reads stays. The members of a list that a
// kernel made are their own, unless something else reads the list. A stack keeps what is pushed.
// CHECK-LABEL: name:"fifth"
// CHECK: "exp(phi_kernel)" (%0)
// CHECK-NEXT: "exp(phi_kernel)" (%0)
// CHECK-NEXT: "builtin.combine" (%2, %3) {origin_id:5}
// CHECK-NEXT: "builtin.split" (%4) {origin_id:6}
// CHECK-NEXT: "relu(phi_kernel)" (%5)
// CHECK-NEXT: "add_n(phi_kernel)" (%4)
// CHECK-NEXT: "relu_(phi_kernel)" (%6)
// CHECK-NEXT: "split_with_num(phi_kernel)" (%0, %1)
// CHECK-NEXT: "builtin.split" (%10) {origin_id:11}
// CHECK-NEXT: "relu(phi_kernel)" (%11)
// CHECK-NEXT: "split_with_num(phi_kernel)" (%0, %1)
// CHECK-NEXT: "builtin.split" (%14) {origin_id:14}
// CHECK-NEXT: "relu(phi_kernel)" (%15)
// CHECK-NEXT: "concat(phi_kernel)" (%14, %1)
// CHECK-NEXT: "builtin.slice" (%10) {index:0,origin_id:17}
// CHECK-NEXT: "relu(phi_kernel)" (%19)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"fifth",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%2) = "pd_op.exp" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.exp" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%4) = "builtin.combine" (%2, %3) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%5, %6) = "builtin.split" (%4) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>, tensor<2xf32>
    (%7) = "pd_op.relu" (%5) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%8) = "pd_op.add_n" (%4) {} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
    (%9) = "pd_op.relu" (%6) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%10) = "pd_op.split_with_num" (%0, %1) {num:2} : (tensor<2xf32>, tensor<1xi32>) -> vec[tensor<1xf32>,tensor<1xf32>]
    (%11, %12) = "builtin.split" (%10) {} : (vec[tensor<1xf32>,tensor<1xf32>]) -> tensor<1xf32>, tensor<1xf32>
    (%13) = "pd_op.relu" (%11) {} : (tensor<1xf32>) -> tensor<1xf32>
    (%14) = "pd_op.split_with_num" (%0, %1) {num:2} : (tensor<2xf32>, tensor<1xi32>) -> vec[tensor<1xf32>,tensor<1xf32>]
    (%15, %16) = "builtin.split" (%14) {} : (vec[tensor<1xf32>,tensor<1xf32>]) -> tensor<1xf32>, tensor<1xf32>
    (%17) = "pd_op.relu" (%15) {} : (tensor<1xf32>) -> tensor<1xf32>
    (%18) = "pd_op.concat" (%14, %1) {} : (vec[tensor<1xf32>,tensor<1xf32>], tensor<1xi32>) -> tensor<2xf32>
    (%19) = "builtin.slice" (%10) {index:0} : (vec[tensor<1xf32>,tensor<1xf32>]) -> tensor<1xf32>
    (%20) = "pd_op.relu" (%19) {} : (tensor<1xf32>) -> tensor<1xf32>
    (%21) = "pd_op.fetch" (%7) {col:0,name:"e"} : (tensor<2xf32>) -> tensor<2xf32>
    (%22) = "pd_op.fetch" (%8) {col:1,name:"f"} : (tensor<2xf32>) -> tensor<2xf32>
    (%23) = "pd_op.fetch" (%9) {col:2,name:"g"} : (tensor<2xf32>) -> tensor<2xf32>
    (%24) = "pd_op.fetch" (%13) {col:3,name:"j"} : (tensor<1xf32>) -> tensor<1xf32>
    (%25) = "pd_op.fetch" (%17) {col:4,name:"p"} : (tensor<1xf32>) -> tensor<1xf32>
    (%26) = "pd_op.fetch" (%18) {col:5,name:"q"} : (tensor<2xf32>) -> tensor<2xf32>
    (%27) = "pd_op.fetch" (%20) {col:6,name:"t"} : (tensor<1xf32>) -> tensor<1xf32>
}

// -----
// A value on a stack is read later.
// CHECK-LABEL: name:"sixth"
// CHECK: "cf.stack_create" () {origin_id:2}
// CHECK-NEXT: "exp(phi_kernel)" (%0)
// CHECK-NEXT: "cf.tuple_push" (%inlet_0, %1) {origin_id:4}
// CHECK-NEXT: "relu(phi_kernel)" (%1)
// CHECK-NEXT: "transpose(phi_kernel)" (%2)
// CHECK-NEXT: "relu_(phi_kernel)" (%3)
// CHECK-NEXT: "cf.tuple_pop" (%outlet_0) {origin_id:8}
{
    (%3) = "pd_op.data" () {dtype:float32,name:"sixth",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%0, %1, %2) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    (%4) = "pd_op.exp" (%3) {} : (tensor<2xf32>) -> tensor<2xf32>
    () = "cf.tuple_push" (%1, %4) {} : (cf.inlet, tensor<2xf32>) -> 
    (%5) = "pd_op.relu" (%4) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.transpose" (%5) {perm:[0]} : (tensor<2xf32>) -> tensor<2xf32>
    (%7) = "pd_op.relu" (%6) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%8) = "cf.tuple_pop" (%2) {} : (cf.outlet) -> tensor<2xf32>
    (%9) = "pd_op.fetch" (%7) {col:0,name:"a"} : (tensor<2xf32>) -> tensor<2xf32>
    (%10) = "pd_op.fetch" (%8) {col:1,name:"b"} : (tensor<2xf32>) -> tensor<2xf32>
}
// -----
// Gradients of sums read an operand twice. Another twin reads what it is told: the op's name decides, and one of no op has none.
// CHECK-LABEL: name:"seventh"
// CHECK: "exp(phi_kernel)" (%0)
// CHECK-NEXT: "add_grad(phi_kernel)" (%0, %0, %1)
// CHECK-NEXT: "exp(phi_kernel)" (%0)
// CHECK-NEXT: "subtract_grad(phi_kernel)" (%0, %0, %4)
// CHECK-NEXT: "exp(phi_kernel)" (%0)
// CHECK-NEXT: "relu(phi_kernel)" (%7)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"seventh",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.exp" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2, %3) = "pd_op.add_grad" (%0, %0, %1) {axis:-1} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>, tensor<2xf32>
    (%4) = "pd_op.exp" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%5, %6) = "pd_op.subtract_grad" (%0, %0, %4) {axis:-1} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>, tensor<2xf32>
    (%7) = "pd_op.exp" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%8) = "relu(phi_kernel)" (%7) {op_name:"pd_op.none"} : (tensor<2xf32>) -> tensor<2xf32>
    (%9) = "pd_op.fetch" (%2) {col:0,name:"a"} : (tensor<2xf32>) -> tensor<2xf32>
    (%10) = "pd_op.fetch" (%5) {col:1,name:"b"} : (tensor<2xf32>) -> tensor<2xf32>
    (%11) = "pd_op.fetch" (%8) {col:2,name:"c"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// A shadow feed goes, of a tensor or of a list.
// CHECK-LABEL: name:"eighth"
// CHECK: "builtin.combine" (%0) {origin_id:3}
// CHECK-NEXT: "builtin.split" (%1) {origin_id:5}
// CHECK-NEXT: "relu(phi_kernel)" (%0)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"eighth",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.shadow_feed" (%0) {dst_place_type:0} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "builtin.combine" (%0) {} : (tensor<2xf32>) -> vec[tensor<2xf32>]
    (%3) = "pd_op.shadow_feed_tensors" (%2) {dst_place_type:0} : (vec[tensor<2xf32>]) -> vec[tensor<2xf32>]
    (%4) = "builtin.split" (%3) {} : (vec[tensor<2xf32>]) -> tensor<2xf32>
    (%5) = "pd_op.relu" (%1) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%6) = "pd_op.fetch" (%4) {col:0,name:"a"} : (tensor<2xf32>) -> tensor<2xf32>
    (%7) = "pd_op.fetch" (%5) {col:1,name:"b"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// Calls with too few operands or results, or an absent operand, are left as they are.
// CHECK-LABEL: name:"ninth"
// CHECK: "shadow_feed(phi_kernel)" (%0, %0)
// CHECK-NEXT: "shadow_feed(phi_kernel)" (%1)
// CHECK-NEXT: "shadow_feed(phi_kernel)" (<<NULL VALUE>>)
// CHECK-NEXT: "relu(phi_kernel)" ()
// CHECK-NEXT: "exp(phi_kernel)" (%0)
// CHECK-NEXT: "relu(phi_kernel)" (%4)
// CHECK-NEXT: "relu(phi_kernel)" (<<NULL VALUE>>)
// CHECK-NEXT: "relu_(phi_kernel)" ()
// CHECK-NEXT: "exp(phi_kernel)" (%0)
// CHECK-NEXT: "relu_(phi_kernel)" (%7)
// CHECK-NEXT: "relu_(phi_kernel)" (<<NULL VALUE>>)
// CHECK-NEXT: "exp(phi_kernel)" (%0)
// CHECK-NEXT: "relu_(phi_kernel)" (%9)
// CHECK-NEXT: "exp(phi_kernel)" (%0)
// CHECK-NEXT: "relu(phi_kernel)" (%11)
// CHECK-NEXT: "relu_(phi_kernel)" (%11)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"ninth",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%1) = "shadow_feed(phi_kernel)" (%0, %0) {op_name:"pd_op.shadow_feed"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    () = "shadow_feed(phi_kernel)" (%1) {op_name:"pd_op.shadow_feed"} : (tensor<2xf32>) -> 
    (%2) = "shadow_feed(phi_kernel)" (<<NULL VALUE>>) {op_name:"pd_op.shadow_feed"} : (<<NULL TYPE>>) -> tensor<2xf32>
    (%3) = "relu(phi_kernel)" () {op_name:"pd_op.relu"} : () -> tensor<2xf32>
    (%4) = "exp(phi_kernel)" (%0) {op_name:"pd_op.exp"} : (tensor<2xf32>) -> tensor<2xf32>
    () = "relu(phi_kernel)" (%4) {op_name:"pd_op.relu"} : (tensor<2xf32>) -> 
    (%5) = "relu(phi_kernel)" (<<NULL VALUE>>) {op_name:"pd_op.relu"} : (<<NULL TYPE>>) -> tensor<2xf32>
    (%6) = "relu_(phi_kernel)" () {op_name:"pd_op.relu_"} : () -> tensor<2xf32>
    (%7) = "exp(phi_kernel)" (%0) {op_name:"pd_op.exp"} : (tensor<2xf32>) -> tensor<2xf32>
    () = "relu_(phi_kernel)" (%7) {op_name:"pd_op.relu_"} : (tensor<2xf32>) -> 
    (%8) = "relu_(phi_kernel)" (<<NULL VALUE>>) {op_name:"pd_op.relu_"} : (<<NULL TYPE>>) -> tensor<2xf32>
    (%9) = "exp(phi_kernel)" (%0) {op_name:"pd_op.exp"} : (tensor<2xf32>) -> <<NULL TYPE>>
    (%10) = "relu(phi_kernel)" (%9) {op_name:"pd_op.relu"} : (<<NULL TYPE>>) -> <<NULL TYPE>>
    (%11) = "exp(phi_kernel)" (%0) {op_name:"pd_op.exp"} : (tensor<2xf32>) -> tensor<2xf32>
    (%12) = "relu(phi_kernel)" (%11) {op_name:"pd_op.relu"} : (tensor<2xf32>) -> <<NULL TYPE>>
    (%13) = "pd_op.relu" (%11) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%14) = "pd_op.fetch" (%2) {col:0,name:"a"} : (tensor<2xf32>) -> tensor<2xf32>
}

