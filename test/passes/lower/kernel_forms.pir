// Lowering of lists, loops and stacks, and of ops with absent operands or of no dialect: the places and the keys.
// RUN: pir-opt %s --split-input-file --passes=pd_op_to_kernel | FileCheck %s
// RUN: pir-opt %s --split-input-file --passes=pd_op_to_kernel,pd_op_to_kernel | FileCheck %s --check-prefix=AGAIN

// A list of more members than a line holds has the place of each; an empty one has none; a list of lists; a list taken apart.
// CHECK-LABEL: name:"first"
// CHECK: "builtin.combine" () {origin_id:{{[0-9]+}}} : () -> vec[]
// CHECK: "builtin.combine" (%1, %0, %1) {{.*}} -> vec[cpu_tensor<2xf32>,undefined_tensor<2xf32>,cpu_tensor<2xf32>]
// CHECK: "builtin.combine" (%3, %3) {{.*}} -> vec[vec[cpu_tensor<2xf32>,undefined_tensor<2xf32>,cpu_tensor<2xf32>],vec[{{.*}}]]
// CHECK: "builtin.split" (%3) {{.*}} -> cpu_tensor<2xf32>, undefined_tensor<2xf32>, cpu_tensor<2xf32>
// CHECK: "builtin.slice" (%3) {{.*}} -> cpu_tensor<2xf32>
// CHECK: "add_n(phi_kernel)" (%2) {{.*}}dtype:float32
// CHECK: "my.op" (%{{[0-9]+}}) {origin_id:{{[0-9]+}}} : (cpu_tensor<2xf32>) -> cpu_tensor<2xf32>, <<NULL TYPE>>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"first",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.exp" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "builtin.combine" () {} : () -> vec[]
    (%3) = "builtin.combine" (%1, %0, %1) {} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> vec[tensor<2xf32>,tensor<2xf32>,tensor<2xf32>]
    (%4) = "builtin.combine" (%3, %3) {} : (vec[tensor<2xf32>,tensor<2xf32>,tensor<2xf32>], vec[tensor<2xf32>,tensor<2xf32>,tensor<2xf32>]) -> vec[vec[tensor<2xf32>,tensor<2xf32>,tensor<2xf32>],vec[tensor<2xf32>,tensor<2xf32>,tensor<2xf32>]]
    (%5, %6, %7) = "builtin.split" (%3) {} : (vec[tensor<2xf32>,tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    (%8) = "builtin.slice" (%3) {index:0} : (vec[tensor<2xf32>,tensor<2xf32>,tensor<2xf32>]) -> tensor<2xf32>
    (%9) = "pd_op.add_n" (%2) {} : (vec[]) -> tensor<2xf32>
    (%10, %11) = "my.op" (%8) {} : (tensor<2xf32>) -> tensor<2xf32>, <<NULL TYPE>>
    (%12) = "pd_op.fetch" (%9) {col:0,name:"a"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// What a loop carries has the place of its initial value, as far as there is one, also if the counts of the loop do not fit.
// CHECK-LABEL: name:"second"
// CHECK: -> undefined_tensor<1xb>
// CHECK: (%{{[0-9]+}}) = "pd_op.while" (cond=%1, inputs=%0, <<NULL VALUE>>) {
// CHECK-NEXT: ^%arg_0 {}
// CHECK-NEXT: "cf.yield" (%1, %arg_0) {origin_id:{{[0-9]+}}} : (undefined_tensor<1xb>, undefined_tensor<2xf32>)
// CHECK: "fetch(phi_kernel)" ({{.*}}: (undefined_tensor<2xf32>)
{
    (%0) = "pd_op.data" () {dtype:float32,name:"second",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%2) = "pd_op.while" (%1, %0, <<NULL VALUE>>) {} : (tensor<1xb>, tensor<2xf32>, <<NULL TYPE>>) -> tensor<2xf32> ({
    ^(%arg_0: tensor<2xf32> {}):
        () = "cf.yield" (%1, %arg_0) {} : (tensor<1xb>, tensor<2xf32>) -> 
    })
    () = "pd_op.while" (%1, %0) {} : (tensor<1xb>, tensor<2xf32>) ->  ({
    ^():
        () = "cf.yield" (%1) {} : (tensor<1xb>) -> 
    })
    (%5) = "pd_op.fetch" (%2) {col:0,name:"a"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// A popped value has the place it had when it was pushed: by a push of as many values. A stack of no dialect is not known.
// CHECK-LABEL: name:"third"
// CHECK: "cf.tuple_pop" (%outlet_0) {{.*}} -> undefined_tensor<2xf32>, tensor<2xf32>
// CHECK: "cf.tuple_pop" (%{{.*}}) {{.*}} -> cpu_tensor<2xf32>
// CHECK: "cf.tuple_pop" (%{{.*}}) {{.*}} -> cpu_tensor<2xf32>
// AGAIN-LABEL: name:"third"
// AGAIN: "cf.tuple_pop" (%outlet_0) {origin_id:6} : {{.*}} -> undefined_tensor<2xf32>, tensor<2xf32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"third",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%1, %2, %3) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    () = "cf.tuple_push" (%2, %0, <<NULL VALUE>>) {} : (cf.inlet, tensor<2xf32>, <<NULL TYPE>>) -> 
    () = "cf.tuple_push" (%2, %0) {} : (cf.inlet, tensor<2xf32>) -> 
    () = "my.push" (%2) {} : (cf.inlet) -> 
    (%4, %5) = "cf.tuple_pop" (%3) {} : (cf.outlet) -> tensor<2xf32>, tensor<2xf32>
    (%6, %7, %8) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    (%9) = "cf.tuple_pop" (%8) {} : (cf.outlet) -> tensor<2xf32>
    (%10) = "my.stack" () {} : () -> cf.outlet
    (%11) = "cf.tuple_pop" (%10) {} : (cf.outlet) -> tensor<2xf32>
    (%12) = "pd_op.fetch" (%4) {col:0,name:"a"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// The element type of the key: of the array's length, of facts where no type is stated, of f32 for a distance, of the first operand
// for the scale of weights; no layout if no tensor is there.
// CHECK-LABEL: name:"fourth"
// CHECK: "array_length(phi_kernel)" {{.*}}dtype:int64>
// CHECK: "relu(phi_kernel)" (%0) {kernel_key:<backend:CPU|layout:NCHW|dtype:float32>
// CHECK: "relu(phi_kernel)" (%{{[0-9]+}}) {kernel_key:<backend:CPU|layout:NCHW|dtype:Undefined>
// CHECK: "layer_norm(phi_kernel)" (%0, <<NULL VALUE>>, <<NULL VALUE>>) {{.*}}dtype:float32>
{
    (%0) = "pd_op.data" () {dtype:float32,name:"fourth",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.create_array" () {dtype:float32} : () -> pd_op.tensor_array<2x3xf32>
    (%2) = "pd_op.array_length" (%1) {} : (pd_op.tensor_array<2x3xf32>) -> tensor<1xi64>
    (%3) = "pd_op.relu" (%0) {} : (tensor<2x3xf32>) -> <<NULL TYPE>>
    (%4) = "my.op" () {} : () -> <<NULL TYPE>>
    (%5) = "pd_op.relu" (%4) {} : (<<NULL TYPE>>) -> <<NULL TYPE>>
    (%6, %7, %8) = "pd_op.layer_norm" (%0, <<NULL VALUE>>, <<NULL VALUE>>) {begin_norm_axis:1,epsilon:1e-05} : (tensor<2x3xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>
    (%9) = "pd_op.fetch" (%2) {col:0,name:"a"} : (tensor<1xi64>) -> tensor<1xi64>
}

