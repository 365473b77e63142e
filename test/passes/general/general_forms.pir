// Forms that general passes meet seldom.
// RUN: pir-opt %s --split-input-file --passes=expose_state | FileCheck %s --check-prefix=STATE
// RUN: pir-opt %s --split-input-file --passes=delete_assert_op_pass,replace_fetch_with_shadow_output_pass,add_shadow_output_after_dead_parameter_pass | FileCheck %s --check-prefix=ENDS
// RUN: pir-opt %s --split-input-file --passes=cse | FileCheck %s --check-prefix=CSE
// RUN: pir-opt %s --split-input-file --passes=reorder_pass | FileCheck %s --check-prefix=REORDER
// RUN: pir-opt %s --split-input-file --passes=infer | FileCheck %s --check-prefix=INFER
// RUN: pir-opt %s --split-input-file --passes='decompose{dynamic=false}' | FileCheck %s --check-prefix=STATIC
// RUN: pir-opt %s --split-input-file --passes=shapes | FileCheck %s --check-prefix=SHAPES

// A parameter that is written twice is one state, with the value of the second write, and readers after it read that; a value that was
// computed is none. The output stands before the op that ends the program.
// STATE-LABEL: name:"first"
// STATE:       (%[[A:[0-9]+]], %{{[0-9]+}}) = "pd_op.sgd_" (%0, 
// STATE-NEXT:  (%[[B:[0-9]+]], %{{[0-9]+}}) = "pd_op.sgd_" (%[[A]], 
// STATE-NEXT:  "pd_op.relu_"
// STATE-NEXT:  "pd_op.sin" (%[[B]])
// STATE:       "pd_op.fetch" (%[[B]]) {col:2,name:"w"}
// STATE-NEXT:  "cf.yield"
// Parameters that nobody reads become outputs at the end, also before a terminator; an assertion without a list goes alone. A fetch whose
// result is read stays, and an argument that is fetched is copied.
// ENDS-LABEL:  name:"first"
// ENDS-NOT:    "pd_op.assert"
// ENDS:        "builtin.shadow_output" (%{{[0-9]+}}) {output_name:"d"}
// ENDS:        "builtin.shadow_output" (%{{[0-9]+}}) {output_name:"e"}
// ENDS:        "builtin.shadow_output" (%{{[0-9]+}}) {output_name:"unread"}
// ENDS-NEXT:   "cf.yield"
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<2xf32>
    (%1) = "builtin.parameter" () {parameter_name:"unread"} : () -> tensor<2xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"first",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"r",place:Place(cpu),shape:[1]} : () -> tensor<1xf32>
    (%4) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%5) = "pd_op.exp" (%2) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%6, %7) = "pd_op.sgd_" (%0, %3, %2, <<NULL VALUE>>) {multi_precision:false} : (tensor<2xf32>, tensor<1xf32>, tensor<2xf32>, <<NULL TYPE>>) -> tensor<2xf32>, <<NULL TYPE>>
    (%8, %9) = "pd_op.sgd_" (%6, %3, %2, <<NULL VALUE>>) {multi_precision:false} : (tensor<2xf32>, tensor<1xf32>, tensor<2xf32>, <<NULL TYPE>>) -> tensor<2xf32>, <<NULL TYPE>>
    (%10) = "pd_op.relu_" (%5) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%11) = "pd_op.sin" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%12) = "my.list" (%2) {} : (tensor<2xf32>) -> vec[tensor<2xf32>]
    () = "pd_op.assert" (%4, %12) {summarize:1} : (tensor<1xb>, vec[tensor<2xf32>]) -> 
    () = "pd_op.assert" (%4, <<NULL VALUE>>) {summarize:1} : (tensor<1xb>, <<NULL TYPE>>) -> 
    (%13) = "pd_op.fetch" (%10) {col:0,name:"d"} : (tensor<2xf32>) -> tensor<2xf32>
    (%14) = "pd_op.fetch" (%11) {col:1,name:"e"} : (tensor<2xf32>) -> tensor<2xf32>
    () = "cf.yield" () {} : () -> 
}

// -----
// Lists of anything but tensors are not merged, lists of tensors and absent members are; ops of different order are one if they commute.
// CSE-LABEL: name:"second"
// CSE-COUNT-2: "pd_op.create_array"
// CSE-COUNT-2: "builtin.combine" (%{{[0-9]+}})
// CSE:         "pd_op.add" (%0, %1)
// CSE-NOT:     "pd_op.add" (%1, %0)
// CSE:         "pd_op.subtract" (%0, %1)
// CSE-NEXT:    "pd_op.subtract" (%1, %0)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"second",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%2) = "pd_op.create_array" () {dtype:float32} : () -> pd_op.tensor_array<f32>
    (%3) = "pd_op.create_array" () {dtype:float32} : () -> pd_op.tensor_array<f32>
    (%4) = "builtin.combine" (%2) {} : (pd_op.tensor_array<f32>) -> vec[pd_op.tensor_array<f32>]
    (%5) = "builtin.combine" (%2) {} : (pd_op.tensor_array<f32>) -> vec[pd_op.tensor_array<f32>]
    (%6) = "pd_op.add" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%7) = "pd_op.add" (%1, %0) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%8) = "pd_op.subtract" (%0, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%9) = "pd_op.subtract" (%1, %0) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%10) = "pd_op.add_n" (%6, %7, %8, %9) {} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%11) = "pd_op.fetch" (%10) {col:0,name:"k"} : (tensor<2xf32>) -> tensor<2xf32>
    () = "my.op" (%4, %5) {} : (vec[pd_op.tensor_array<f32>], vec[pd_op.tensor_array<f32>]) -> 
}

// -----
// A moved op stands before the first op that needs it, once; operands that are absent, inputs, or of another block do not move.
// REORDER-LABEL: name:"third"
// REORDER:      "pd_op.if"
// REORDER-NEXT: "pd_op.sin"
// REORDER-NEXT: "cf.yield"
// REORDER:      "pd_op.exp"
// REORDER-NEXT: "pd_op.layer_norm"
// REORDER-NEXT: "pd_op.add"
// REORDER-NEXT: "pd_op.fetch"
{
    (%0) = "pd_op.data" () {dtype:float32,name:"third",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(cpu),shape:[1]} : () -> tensor<1xb>
    (%2) = "pd_op.exp" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.if" (%1) {} -> tensor<2xf32> {
        (%4) = "pd_op.sin" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
        () = "cf.yield" (%4) {} : (tensor<2xf32>) -> 
    } else {
        () = "cf.yield" (%0) {} : (tensor<2xf32>) -> 
    }
    (%5, %6, %7) = "pd_op.layer_norm" (%2, <<NULL VALUE>>, <<NULL VALUE>>) {begin_norm_axis:0,epsilon:1e-05} : (tensor<2xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2xf32>, tensor<1xf32>, tensor<1xf32>
    (%8) = "pd_op.add" (%5, %2) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%9) = "pd_op.fetch" (%8) {col:0,name:"e"} : (tensor<2xf32>) -> tensor<2xf32>
    (%10) = "pd_op.fetch" (%3) {col:1,name:"b"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// Types of lists of another length stay, of tensors become what they are; what is not known stays.
// INFER-LABEL: name:"fourth"
// INFER: "pd_op.split_with_num" {{.*}} -> vec[tensor<1xf32>,tensor<1xf32>,tensor<1xf32>]
// INFER: "pd_op.split_with_num" {{.*}} -> vec[tensor<1xf32>,tensor<1xf32>]
// INFER: "pd_op.relu" (%0) {} : (tensor<2xf32>) -> <<NULL TYPE>>
// INFER: "pd_op.relu" (%{{[0-9]+}}) {} : (<<NULL TYPE>>) -> tensor<7xf32>
// INFER: "pd_op.exp" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"fourth",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%2) = "pd_op.split_with_num" (%0, %1) {num:2} : (tensor<2xf32>, tensor<1xi32>) -> vec[tensor<1xf32>,tensor<1xf32>,tensor<1xf32>]
    (%3) = "pd_op.split_with_num" (%0, %1) {num:2} : (tensor<2xf32>, tensor<1xi32>) -> vec[tensor<3xf32>,tensor<1xf64>]
    (%4) = "pd_op.relu" (%0) {} : (tensor<2xf32>) -> <<NULL TYPE>>
    (%5) = "my.op" (%0) {} : (tensor<2xf32>) -> <<NULL TYPE>>
    (%6) = "pd_op.relu" (%5) {} : (<<NULL TYPE>>) -> tensor<7xf32>
    (%7) = "pd_op.exp" (%0) {} : (tensor<2xf32>) -> tensor<5xf32>
    (%8) = "pd_op.fetch" (%7) {col:0,name:"f"} : (tensor<5xf32>) -> tensor<5xf32>
    () = "my.end" (%2, %3, %4, %6) {} : (vec[tensor<1xf32>,tensor<1xf32>,tensor<1xf32>], vec[tensor<3xf32>,tensor<1xf64>], <<NULL TYPE>>, tensor<7xf32>) -> 
}

// -----
// With dynamic=false, what has an operand of unknown extents, or a list with such a member, or an unknown operand is not decomposed.
// STATIC-LABEL: name:"fifth"
// STATIC-NOT:   "pd_op.stack" (%{{[0-9]+}}) {axis:0} : (vec[tensor<2xf32>
// STATIC:       "pd_op.stack" ({{.*}}vec[tensor<-1xf32>
// STATIC-NEXT:  "pd_op.silu" (%{{[0-9]+}}) {} : (tensor<-1xf32>)
// STATIC:       "pd_op.silu" (%{{[0-9]+}}) {} : (<<NULL TYPE>>)
// SHAPES-LABEL: name:"fifth"
// SHAPES: "builtin.combine" {{.*}} { (shape[2], data[NULL], shape[2], data[NULL]) }
// SHAPES: "my.op" {{.*}} { (NULL) }
// SHAPES: "builtin.combine" (%{{[0-9]+}}, %{{[0-9]+}}) {{.*}}{ (NULL, NULL) }
{
    (%0) = "pd_op.data" () {dtype:float32,name:"fifth",place:Place(cpu),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[-1]} : () -> tensor<-1xf32>
    (%2) = "builtin.combine" (%0, %0) {} : (tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>]
    (%3) = "pd_op.stack" (%2) {axis:0} : (vec[tensor<2xf32>,tensor<2xf32>]) -> tensor<2x2xf32>
    (%4) = "builtin.combine" (%1, %1) {} : (tensor<-1xf32>, tensor<-1xf32>) -> vec[tensor<-1xf32>,tensor<-1xf32>]
    (%5) = "pd_op.stack" (%4) {axis:0} : (vec[tensor<-1xf32>,tensor<-1xf32>]) -> tensor<2x-1xf32>
    (%6) = "pd_op.silu" (%1) {} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%7) = "my.op" (%0) {} : (tensor<2xf32>) -> <<NULL TYPE>>
    (%8) = "pd_op.silu" (%7) {} : (<<NULL TYPE>>) -> tensor<2xf32>
    (%9, %10, %11) = "pd_op.layer_norm" (%0, <<NULL VALUE>>, <<NULL VALUE>>) {begin_norm_axis:0,epsilon:1e-05} : (tensor<2xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2xf32>, tensor<1xf32>, tensor<1xf32>
    (%12) = "builtin.combine" (%2, %2) {} : (vec[tensor<2xf32>,tensor<2xf32>], vec[tensor<2xf32>,tensor<2xf32>]) -> vec[vec[tensor<2xf32>,tensor<2xf32>],vec[tensor<2xf32>,tensor<2xf32>]]
    (%13) = "pd_op.fetch" (%3) {col:0,name:"b"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%14) = "pd_op.fetch" (%5) {col:1,name:"d"} : (tensor<2x-1xf32>) -> tensor<2x-1xf32>
    (%15) = "pd_op.fetch" (%6) {col:2,name:"e"} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%16) = "pd_op.fetch" (%8) {col:3,name:"g"} : (tensor<2xf32>) -> tensor<2xf32>
    (%17) = "pd_op.fetch" (%9) {col:4,name:"h"} : (tensor<2xf32>) -> tensor<2xf32>
}

