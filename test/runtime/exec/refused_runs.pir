// What only the run shows and no array, no stack and no region can do ends the run with a message: in both pipelines.
// RUN: rm -rf %t && split-file %s %t
// RUN: cd %t && for f in *.pir; do for p in kernels compile; do not pir-run $f --pipeline=$p --input=x=2x3xf32=0 \
// RUN:   $(grep -q 'name:"y"' $f && echo --input=y=2x2xf32=0) $(grep -q 'name:"z"' $f && echo --input=z=5x3xf32=0) \
// RUN:   $(grep -q 'name:"b"' $f && echo --input=b=2xb=0) 2>&1 | sed "s/^/$f: /" || exit 1; done; done > out; FileCheck %s < out
// CHECK: array_as_condition.pir: pir-run: error: "pd_op.if": a condition must be one element
// CHECK: array_as_condition.pir: pir-run: error: "pd_op.if": a condition must be one element
// CHECK: array_as_index.pir: pir-run: error: "pd_op.array_read": the index must be one integer, and not negative
// CHECK: array_as_index.pir: pir-run: error: "pd_op.array_read": the index must be one integer, and not negative
// CHECK: array_in_array.pir: pir-run: error: unsupported: an array in an array
// CHECK: array_in_array.pir: pir-run: error: unsupported: an array in an array
// CHECK: array_off_a_stack.pir: pir-run: error: "cf.tuple_pop" hands out another type or shape than its program says
// CHECK: array_off_a_stack.pir: pir-run: error: "cf.tuple_pop" hands out another type or shape than its program says
// CHECK: array_that_is_none.pir: pir-run: error: "pd_op.array_read" is given no array
// CHECK: array_that_is_none.pir: pir-run: error: "pd_op.array_read" is given no array
// CHECK: choice_before.pir: pir-run: error: "pd_op.select_input" has no choice -1
// CHECK: choice_before.pir: pir-run: error: "pd_op.select_input" has no choice -1
// CHECK: choice_beyond.pir: pir-run: error: "pd_op.select_input" has no choice 2
// CHECK: choice_beyond.pir: pir-run: error: "pd_op.select_input" has no choice 2
// CHECK: copy_of_a_stack.pir: pir-run: error: "pd_op.assign_array" is given no array
// CHECK: copy_of_a_stack.pir: pir-run: error: "pd_op.assign_array" is given no array
// CHECK: copy_of_a_tensor.pir: pir-run: error: "pd_op.assign_array" is given no array
// CHECK: copy_of_a_tensor.pir: pir-run: error: "pd_op.assign_array" is given no array
// CHECK: elements_of_an_array.pir: pir-run: error: "cf.has_elements" is given no array
// CHECK: elements_of_an_array.pir: pir-run: error: "cf.has_elements" is given no array
// CHECK: float_index.pir: pir-run: error: "pd_op.array_read": the index must be one integer, and not negative
// CHECK: float_index.pir: pir-run: error: "pd_op.array_read": the index must be one integer, and not negative
// CHECK: hole.pir: pir-run: error: "pd_op.array_read": the array has nothing at 0
// CHECK: hole.pir: pir-run: error: "pd_op.array_read": the array has nothing at 0
// CHECK: if_of_another_shape.pir: pir-run: error: pd_op.add: operands do not broadcast; given x [5,3], y [2,3]
// CHECK: if_of_another_shape.pir: pir-run: error: pd_op.add: operands do not broadcast; given x [5,3], y [2,3]
// CHECK: join_of_hole.pir: pir-run: error: "pd_op.array_to_tensor": the tensors of the array cannot be joined along axis 0
// CHECK: join_of_hole.pir: pir-run: error: "pd_op.array_to_tensor": the tensors of the array cannot be joined along axis 0
// CHECK: join_of_nothing.pir: pir-run: error: "pd_op.array_to_tensor": the tensors of the array cannot be joined along axis -1
// CHECK: join_of_nothing.pir: pir-run: error: "pd_op.array_to_tensor": the tensors of the array cannot be joined along axis -1
// CHECK: length_of_a_stack.pir: pir-run: error: "pd_op.array_length" is given no array
// CHECK: length_of_a_stack.pir: pir-run: error: "pd_op.array_length" is given no array
// CHECK: length_of_a_tensor.pir: pir-run: error: "pd_op.array_length" is given no array
// CHECK: length_of_a_tensor.pir: pir-run: error: "pd_op.array_length" is given no array
// CHECK: like_a_stack.pir: pir-run: error: "pd_op.create_array_like" is given no array
// CHECK: like_a_stack.pir: pir-run: error: "pd_op.create_array_like" is given no array
// CHECK: part_of_another_rank.pir: pir-run: error: "pd_op.tensor_to_array": the tensor is not what the array joins to
// CHECK: part_of_another_rank.pir: pir-run: error: "pd_op.tensor_to_array": the tensor is not what the array joins to
// CHECK: part_of_another_shape.pir: pir-run: error: "pd_op.tensor_to_array": the tensor is not what the array joins to
// CHECK: part_of_another_shape.pir: pir-run: error: "pd_op.tensor_to_array": the tensor is not what the array joins to
// CHECK: pop_beyond.pir: pir-run: error: "pd_op.array_pop": the array has nothing at 7
// CHECK: pop_beyond.pir: pir-run: error: "pd_op.array_pop": the array has nothing at 7
// CHECK: pop_of_hole.pir: pir-run: error: "pd_op.array_pop": the array has nothing at 1
// CHECK: pop_of_hole.pir: pir-run: error: "pd_op.array_pop": the array has nothing at 1
// CHECK: pop_of_too_many.pir: pir-run: error: "cf.tuple_pop": expects 2 tensors on the stack, found 1
// CHECK: pop_of_too_many.pir: pir-run: error: "cf.tuple_pop": expects 2 tensors on the stack, found 1
// CHECK: read_of_a_tensor.pir: pir-run: error: "pd_op.array_read" is given no array
// CHECK: read_of_a_tensor.pir: pir-run: error: "pd_op.array_read" is given no array
// CHECK: slice_over_hole.pir: pir-run: error: "pd_op.slice_array": the array has nothing at 0
// CHECK: slice_over_hole.pir: pir-run: error: "pd_op.slice_array": the array has nothing at 0
// CHECK: stack_on_a_stack.pir: pir-run: error: unsupported: "cf.tuple_push": a stack on a stack
// CHECK: stack_on_a_stack.pir: pir-run: error: unsupported: "cf.tuple_push": a stack on a stack
// CHECK: sum_of_booleans.pir: pir-run: error: "pd_op.add_n_array": the arrays have tensors of different shapes or types
// CHECK: sum_of_booleans.pir: pir-run: error: "pd_op.add_n_array": the arrays have tensors of different shapes or types
// CHECK: sum_of_shapes.pir: pir-run: error: "pd_op.add_n_array": the arrays have tensors of different shapes or types
// CHECK: sum_of_shapes.pir: pir-run: error: "pd_op.add_n_array": the arrays have tensors of different shapes or types
// CHECK: sum_of_stacks.pir: pir-run: error: "pd_op.add_n_array" is given no array
// CHECK: sum_of_stacks.pir: pir-run: error: "pd_op.add_n_array" is given no array
// CHECK: sum_of_tensors.pir: pir-run: error: "pd_op.add_n_array" is given no array
// CHECK: sum_of_tensors.pir: pir-run: error: "pd_op.add_n_array" is given no array
// CHECK: two_choices.pir: pir-run: error: "pd_op.select_input" has no choice -1
// CHECK: two_choices.pir: pir-run: error: "pd_op.select_input" has no choice -1
// CHECK: two_conditions.pir: pir-run: error: "pd_op.if": a condition must be one element
// CHECK: two_conditions.pir: pir-run: error: "pd_op.if": a condition must be one element
// CHECK: two_indices.pir: pir-run: error: "pd_op.array_read": the index must be one integer, and not negative
// CHECK: two_indices.pir: pir-run: error: "pd_op.array_read": the index must be one integer, and not negative
// CHECK: while_with_two_conditions.pir: pir-run: error: "pd_op.while": a condition must be one element
// CHECK: while_with_two_conditions.pir: pir-run: error: "pd_op.while": a condition must be one element
//--- array_as_condition.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%o) = "pd_op.if" (%A) {} -> tensor<2x3xf32> {
        () = "cf.yield" (%x) {} : (tensor<2x3xf32>) ->
    } else {
        () = "cf.yield" (%x) {} : (tensor<2x3xf32>) ->
    }
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- array_as_index.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%W) = "pd_op.array_write_" (%A, %x, %i0) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%V) = "pd_op.array_write_" (%W, %x, %i1) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%o) = "pd_op.array_read" (%V, %V) {} : (tensor_array<f32>, tensor_array<f32>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- array_in_array.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%W) = "pd_op.array_write_" (%A, %A, %i0) {} : (tensor_array<f32>, tensor_array<f32>, tensor<1xi64>) -> tensor_array<f32>
    (%o) = "pd_op.array_read" (%W, %i0) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- array_off_a_stack.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%s, %n, %u) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    () = "cf.tuple_push" (%n, %A) {} : (cf.inlet, tensor_array<f32>) ->
    (%p) = "cf.tuple_pop" (%u) {} : (cf.outlet) -> tensor<2x3xf32>
    (%e) = "pd_op.tanh" (%p) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%e) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- array_that_is_none.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%c) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xb>
    (%o) = "pd_op.if" (%c) {} -> tensor_array<f32> {
        () = "cf.yield" (%x) {} : (tensor<2x3xf32>) ->
    } else {
        () = "cf.yield" (%x) {} : (tensor<2x3xf32>) ->
    }
    (%q) = "pd_op.array_read" (%o, %i0) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%q) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- choice_before.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%k) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:-1} : () -> tensor<1xi32>
    (%o) = "pd_op.select_input" (%k, %x, %x) {} : (tensor<1xi32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- choice_beyond.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%k) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi32>
    (%o) = "pd_op.select_input" (%k, %x, %x) {} : (tensor<1xi32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- copy_of_a_stack.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%s, %n, %u) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    () = "cf.tuple_push" (%n, %A) {} : (cf.inlet, tensor_array<f32>) ->
    (%z) = "pd_op.assign_array" (%s) {} : (cf.stack) -> tensor_array<f32>
    (%o) = "pd_op.array_length" (%z) {} : (tensor_array<f32>) -> tensor<1xi64>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<1xi64>) -> tensor<1xi64>
}
//--- copy_of_a_tensor.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%c) = "pd_op.assign_array" (%x) {} : (tensor<2x3xf32>) -> tensor_array<f32>
    (%o) = "pd_op.array_read" (%c, %i0) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- elements_of_an_array.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%s, %n, %u) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    () = "cf.tuple_push" (%n, %A) {} : (cf.inlet, tensor_array<f32>) ->
    (%e) = "cf.has_elements" (%A) {} : (tensor_array<f32>) -> tensor<1xb>
    (%f0) = "pd_op.fetch" (%e) {col:0,name:"o"} : (tensor<1xb>) -> tensor<1xb>
}
//--- float_index.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%ff) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xf32>
    (%W) = "pd_op.array_write_" (%A, %x, %i0) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%V) = "pd_op.array_write_" (%W, %x, %i1) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%o) = "pd_op.array_read" (%V, %ff) {} : (tensor_array<f32>, tensor<1xf32>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- hole.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%H) = "pd_op.array_write_" (%A, %x, %i2) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%o) = "pd_op.array_read" (%H, %i0) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- if_of_another_shape.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%z) = "pd_op.data" () {dtype:float32,name:"z",place:Place(undefined:0),shape:[-1,3]} : () -> tensor<-1x3xf32>
    (%c) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xb>
    (%o) = "pd_op.if" (%c) {} -> tensor<2x3xf32> {
        () = "cf.yield" (%z) {} : (tensor<-1x3xf32>) ->
    } else {
        () = "cf.yield" (%x) {} : (tensor<2x3xf32>) ->
    }
    (%r) = "pd_op.add" (%o, %x) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%r) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- join_of_hole.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%H) = "pd_op.array_write_" (%A, %x, %i2) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%o, %e) = "pd_op.array_to_tensor" (%H) {axis:0,use_stack:false} : (tensor_array<f32>) -> tensor<-1x3xf32>, tensor<-1xi32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
}
//--- join_of_nothing.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%o, %e) = "pd_op.array_to_tensor" (%A) {axis:-1,use_stack:false} : (tensor_array<f32>) -> tensor<-1x3xf32>, tensor<-1xi32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<-1x3xf32>) -> tensor<-1x3xf32>
}
//--- length_of_a_stack.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%s, %n, %u) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    () = "cf.tuple_push" (%n, %A) {} : (cf.inlet, tensor_array<f32>) ->
    (%o) = "pd_op.array_length" (%u) {} : (cf.outlet) -> tensor<1xi64>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<1xi64>) -> tensor<1xi64>
}
//--- length_of_a_tensor.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%o) = "pd_op.array_length" (%x) {} : (tensor<2x3xf32>) -> tensor<1xi64>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<1xi64>) -> tensor<1xi64>
}
//--- like_a_stack.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%s, %n, %u) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    () = "cf.tuple_push" (%n, %A) {} : (cf.inlet, tensor_array<f32>) ->
    (%z) = "pd_op.create_array_like" (%s) {val:0} : (cf.stack) -> tensor_array<f32>
    (%o) = "pd_op.array_length" (%z) {} : (tensor_array<f32>) -> tensor<1xi64>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<1xi64>) -> tensor<1xi64>
}
//--- part_of_another_rank.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%W) = "pd_op.array_write_" (%A, %x, %i0) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%V) = "pd_op.array_write_" (%W, %x, %i1) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%c) = "pd_op.tensor_to_array" (%V, %x) {axis:0,use_stack:true} : (tensor_array<f32>, tensor<2x3xf32>) -> tensor_array<f32>
    (%o) = "pd_op.array_read" (%c, %i0) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- part_of_another_shape.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%W) = "pd_op.array_write_" (%A, %x, %i0) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%V) = "pd_op.array_write_" (%W, %x, %i1) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%c) = "pd_op.tensor_to_array" (%V, %x) {axis:0,use_stack:false} : (tensor_array<f32>, tensor<2x3xf32>) -> tensor_array<f32>
    (%o) = "pd_op.array_read" (%c, %i0) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- pop_beyond.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%H) = "pd_op.array_write_" (%A, %x, %i2) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%q, %o) = "pd_op.array_pop" (%H) {index:7} : (tensor_array<f32>) -> tensor_array<f32>, tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- pop_of_hole.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%H) = "pd_op.array_write_" (%A, %x, %i2) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%q, %o) = "pd_op.array_pop" (%H) {index:1} : (tensor_array<f32>) -> tensor_array<f32>, tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- pop_of_too_many.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%s, %n, %u) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    () = "cf.tuple_push" (%n, %x) {} : (cf.inlet, tensor<2x3xf32>) ->
    (%o, %p) = "cf.tuple_pop" (%u) {} : (cf.outlet) -> tensor<2x3xf32>, tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- read_of_a_tensor.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%o) = "pd_op.array_read" (%x, %i0) {} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- slice_over_hole.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%H) = "pd_op.array_write_" (%A, %x, %i2) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%s) = "pd_op.slice_array" (%H, %i0, %i4) {} : (tensor_array<f32>, tensor<1xi64>, tensor<1xi64>) -> tensor_array<f32>
    (%o) = "pd_op.array_read" (%s, %i0) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- stack_on_a_stack.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%s, %n, %u) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    () = "cf.tuple_push" (%n, %s) {} : (cf.inlet, cf.stack) ->
    (%f0) = "pd_op.fetch" (%x) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- sum_of_booleans.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%b) = "pd_op.data" () {dtype:bool,name:"b",place:Place(undefined:0),shape:[2]} : () -> tensor<2xb>
    (%D) = "pd_op.array_write_" (%A, %b, %i0) {} : (tensor_array<f32>, tensor<2xb>, tensor<1xi64>) -> tensor_array<f32>
    (%l) = "builtin.combine" (%D, %D) {} : (tensor_array<f32>, tensor_array<f32>) -> vec[tensor_array<f32>,tensor_array<f32>]
    (%c) = "pd_op.add_n_array" (%l) {} : (vec[tensor_array<f32>,tensor_array<f32>]) -> tensor_array<f32>
    (%o) = "pd_op.array_read" (%c, %i0) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- sum_of_shapes.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%W) = "pd_op.array_write_" (%A, %x, %i0) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%V) = "pd_op.array_write_" (%W, %x, %i1) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%y) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[2,2]} : () -> tensor<2x2xf32>
    (%C) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%D) = "pd_op.array_write_" (%C, %y, %i0) {} : (tensor_array<f32>, tensor<2x2xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%l) = "builtin.combine" (%V, %D) {} : (tensor_array<f32>, tensor_array<f32>) -> vec[tensor_array<f32>,tensor_array<f32>]
    (%c) = "pd_op.add_n_array" (%l) {} : (vec[tensor_array<f32>,tensor_array<f32>]) -> tensor_array<f32>
    (%o) = "pd_op.array_read" (%c, %i0) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- sum_of_stacks.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%s, %n, %u) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    () = "cf.tuple_push" (%n, %A) {} : (cf.inlet, tensor_array<f32>) ->
    (%l) = "builtin.combine" (%s, %s) {} : (cf.stack, cf.stack) -> vec[cf.stack,cf.stack]
    (%c) = "pd_op.add_n_array" (%l) {} : (vec[cf.stack,cf.stack]) -> tensor_array<f32>
    (%o) = "pd_op.array_length" (%c) {} : (tensor_array<f32>) -> tensor<1xi64>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<1xi64>) -> tensor<1xi64>
}
//--- sum_of_tensors.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%l) = "builtin.combine" (%x, %x) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> vec[tensor<2x3xf32>,tensor<2x3xf32>]
    (%c) = "pd_op.add_n_array" (%l) {} : (vec[tensor<2x3xf32>,tensor<2x3xf32>]) -> tensor_array<f32>
    (%o) = "pd_op.array_read" (%c, %i0) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- two_choices.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%k) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[2],value:0} : () -> tensor<2xi32>
    (%o) = "pd_op.select_input" (%k, %x, %x) {} : (tensor<2xi32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- two_conditions.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%c) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[2],value:1} : () -> tensor<2xb>
    (%o) = "pd_op.if" (%c) {} -> tensor<2x3xf32> {
        () = "cf.yield" (%x) {} : (tensor<2x3xf32>) ->
    } else {
        () = "cf.yield" (%x) {} : (tensor<2x3xf32>) ->
    }
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- two_indices.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%i0) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%i1) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>
    (%i2) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>
    (%i4) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:4} : () -> tensor<1xi64>
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%ff) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[2],value:0} : () -> tensor<2xi64>
    (%W) = "pd_op.array_write_" (%A, %x, %i0) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%V) = "pd_op.array_write_" (%W, %x, %i1) {} : (tensor_array<f32>, tensor<2x3xf32>, tensor<1xi64>) -> tensor_array<f32>
    (%o) = "pd_op.array_read" (%V, %ff) {} : (tensor_array<f32>, tensor<2xi64>) -> tensor<2x3xf32>
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- while_with_two_conditions.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%c) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xb>
    (%o) = "pd_op.while" (cond=%c, inputs=%x) {
        ^%a {}
        (%d) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[2],value:1} : () -> tensor<2xb>
        (%t) = "pd_op.tanh" (%a) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
        () = "cf.yield" (%d, %t) {} : (tensor<2xb>, tensor<2x3xf32>) ->
    }
    (%f0) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
