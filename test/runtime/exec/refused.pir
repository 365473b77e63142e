// What no plan can run is refused, with the place of the op: lists where one tensor is expected, a feed inside of a region, more operands than
// an operator has, members that are absent.
// RUN: rm -rf %t && split-file %s %t
// RUN: cd %t && for f in *.pir; do for p in kernels compile; do not pir-run $f --pipeline=$p --input=x=2x3xf32=0 $(grep -q 'name:"c"' $f && echo --input=c=1xb=0) 2>&1 | grep error: || exit 1; done; done > out; FileCheck %s < out
// CHECK: add_n_of_three.pir:4:5: error: "add_n(phi_kernel)" has 3 operands, "pd_op.add_n" takes 1
// CHECK: add_n_of_three.pir:4:5: error: "add_n(phi_kernel)" has 3 operands, "pd_op.add_n" takes 1
// CHECK: array_write_list.pir:7:5: error: unsupported: an operand that is not one tensor of "pd_op.array_write_"
// CHECK: array_write_list.pir:7:5: error: unsupported: an operand that is not one tensor of "pd_op.array_write_"
// CHECK: combine_null.pir:4:5: error: "builtin.combine" operand 1 (inputs) is missing
// CHECK: combine_null.pir:4:5: error: "builtin.combine" operand 1 (inputs) is missing
// CHECK: data_in_region.pir:5:9: error: unsupported: "pd_op.data" in a region
// CHECK: data_in_region.pir:5:9: error: unsupported: "pd_op.data" in a region
// CHECK: declared.pir:5:5: error: unsupported: "pd_op.limit_by_capacity": no kernel computes it; given expert_count [2,3], capacity [2,3], n_worker 1
// CHECK: declared.pir:5:5: error: unsupported: "pd_op.limit_by_capacity": no kernel computes it; given expert_count [2,3], capacity [2,3], n_worker 1
// CHECK: fetch_list.pir:5:5: error: unsupported: an output that is not one tensor
// CHECK: fetch_list.pir:5:5: error: unsupported: an output that is not one tensor
// CHECK: if_list.pir:6:9: error: unsupported: an operand that is not one tensor of "cf.yield"
// CHECK: if_list.pir:6:9: error: unsupported: an operand that is not one tensor of "cf.yield"
// CHECK: kernel_of_nothing.pir:3:5: error: unsupported: no kernel: the meaning of "pd_op.nonsense"
// CHECK: kernel_of_nothing.pir:3:5: error: unsupported: no kernel: the meaning of "pd_op.nonsense"
// CHECK: nested_combine.pir:5:5: error: unsupported: "builtin.combine" of other values than tensors in the plan
// CHECK: nested_combine.pir:5:5: error: unsupported: "builtin.combine" of other values than tensors in the plan
// CHECK: untyped_input.pir:2:5: error: unsupported: an input whose element type or rank is not known
// CHECK: untyped_input.pir:2:5: error: unsupported: an input whose element type or rank is not known
// CHECK: while_count.pir:4:5: error: "pd_op.while" has a region with 1 arguments that hands out 1 values, for 1 results
// CHECK: while_count.pir:4:5: error: "pd_op.while" has a region with 1 arguments that hands out 1 values, for 1 results
// CHECK: while_list.pir:5:5: error: unsupported: an operand that is not one tensor of "pd_op.while"
// CHECK: while_list.pir:5:5: error: unsupported: an operand that is not one tensor of "pd_op.while"
// CHECK: yield_count.pir:4:5: error: "pd_op.if" has a region with 0 arguments that hands out 2 values, for 1 results
// CHECK: yield_count.pir:4:5: error: "pd_op.if" has a region with 0 arguments that hands out 2 values, for 1 results
//--- add_n_of_three.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%c) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%o) = "pd_op.add_n" (%x, %x, %x) {} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%f) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- array_write_list.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%c) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%l) = "builtin.combine" (%x, %x) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> vec[tensor<2x3xf32>,tensor<2x3xf32>]
    (%A) = "pd_op.create_array" () {dtype:float32} : () -> tensor_array<f32>
    (%i) = "pd_op.full" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>
    (%B) = "pd_op.array_write_" (%A, %l, %i) {} : (tensor_array<f32>, vec[tensor<2x3xf32>,tensor<2x3xf32>], tensor<1xi64>) -> tensor_array<f32>
    (%o) = "pd_op.array_read" (%B, %i) {} : (tensor_array<f32>, tensor<1xi64>) -> tensor<2x3xf32>
    (%f) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- combine_null.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%c) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%l) = "builtin.combine" (%x, <<NULL VALUE>>) {} : (tensor<2x3xf32>, <<NULL TYPE>>) -> vec[tensor<2x3xf32>,tensor<2x3xf32>]
    (%o) = "pd_op.add_n" (%l) {} : (vec[tensor<2x3xf32>,tensor<2x3xf32>]) -> tensor<2x3xf32>
    (%f) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- data_in_region.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%c) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%o) = "pd_op.if" (%c) {} -> tensor<2x3xf32> {
        (%z) = "pd_op.data" () {dtype:float32,name:"z",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
        () = "cf.yield" (%z) {} : (tensor<2x3xf32>) ->
    } else {
        () = "cf.yield" (%x) {} : (tensor<2x3xf32>) ->
    }
    (%f) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- declared.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%c) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%i) = "pd_op.cast" (%x) {dtype:int64} : (tensor<2x3xf32>) -> tensor<2x3xi64>
    (%o) = "pd_op.limit_by_capacity" (%i, %i) {n_worker:1} : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
    (%f) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- fetch_list.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%c) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%l) = "builtin.combine" (%x, %x) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> vec[tensor<2x3xf32>,tensor<2x3xf32>]
    (%f) = "pd_op.fetch" (%l) {col:0,name:"o"} : (vec[tensor<2x3xf32>,tensor<2x3xf32>]) -> vec[tensor<2x3xf32>,tensor<2x3xf32>]
}
//--- if_list.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%c) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%l) = "builtin.combine" (%x, %x) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> vec[tensor<2x3xf32>,tensor<2x3xf32>]
    (%m) = "pd_op.if" (%c) {} -> vec[tensor<2x3xf32>,tensor<2x3xf32>] {
        () = "cf.yield" (%l) {} : (vec[tensor<2x3xf32>,tensor<2x3xf32>]) ->
    } else {
        () = "cf.yield" (%l) {} : (vec[tensor<2x3xf32>,tensor<2x3xf32>]) ->
    }
    (%o, %p) = "builtin.split" (%m) {} : (vec[tensor<2x3xf32>,tensor<2x3xf32>]) -> tensor<2x3xf32>, tensor<2x3xf32>
    (%f) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- nested_combine.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%c) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%l) = "builtin.combine" (%x, %x) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> vec[tensor<2x3xf32>,tensor<2x3xf32>]
    (%L) = "builtin.combine" (%l, %l) {} : (vec[tensor<2x3xf32>,tensor<2x3xf32>], vec[tensor<2x3xf32>,tensor<2x3xf32>]) -> vec[vec[tensor<2x3xf32>,tensor<2x3xf32>],vec[tensor<2x3xf32>,tensor<2x3xf32>]]
    (%q, %p) = "builtin.split" (%L) {} : (vec[vec[tensor<2x3xf32>,tensor<2x3xf32>],vec[tensor<2x3xf32>,tensor<2x3xf32>]]) -> vec[tensor<2x3xf32>,tensor<2x3xf32>], vec[tensor<2x3xf32>,tensor<2x3xf32>]
    (%o, %r) = "builtin.split" (%q) {} : (vec[tensor<2x3xf32>,tensor<2x3xf32>]) -> tensor<2x3xf32>, tensor<2x3xf32>
    (%f) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- untyped_input.pir
{
    (%x) = "pd_op.data" () {dtype:Undefined,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> <<NULL TYPE>>
    (%o) = "pd_op.relu" (%x) {} : (<<NULL TYPE>>) -> tensor<2x3xf32>
    (%f) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- while_count.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%c) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%o) = "pd_op.while" (cond=%c, inputs=%x) {
        ^%a {}
        () = "cf.yield" (%c) {} : (tensor<1xb>) ->
    }
    (%f) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- while_list.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%c) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%l) = "builtin.combine" (%x, %x) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> vec[tensor<2x3xf32>,tensor<2x3xf32>]
    (%m) = "pd_op.while" (cond=%c, inputs=%l) {
        ^%a {}
        () = "cf.yield" (%c, %a) {} : (tensor<1xb>, vec[tensor<2x3xf32>,tensor<2x3xf32>]) ->
    }
    (%o, %p) = "builtin.split" (%m) {} : (vec[tensor<2x3xf32>,tensor<2x3xf32>]) -> tensor<2x3xf32>, tensor<2x3xf32>
    (%f) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- yield_count.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%c) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[1]} : () -> tensor<1xb>
    (%o) = "pd_op.if" (%c) {} -> tensor<2x3xf32> {
        () = "cf.yield" (%x, %x) {} : (tensor<2x3xf32>, tensor<2x3xf32>) ->
    } else {
        () = "cf.yield" (%x) {} : (tensor<2x3xf32>) ->
    }
    (%f) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
//--- kernel_of_nothing.pir
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3]} : () -> tensor<2x3xf32>
    (%o) = "foo(phi_kernel)" (%x) {kernel_key:<backend:CPU|layout:NCHW|dtype:float32>,kernel_name:"foo",op_name:"pd_op.nonsense"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%f) = "pd_op.fetch" (%o) {col:0,name:"o"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
