// RUN: pir-opt %s --split-input-file --verify-each --passes=fuse_allreduce_split_to_reducescatter | FileCheck %s

// A sum of which one part of the rows is kept, in the newer and the older form, and behind a copy.
// CHECK:      "pd_op.reduce_scatter" (%0) {nranks:2,ring_id:3} : (tensor<4x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: "pd_op.fetch"
// CHECK-NEXT: "pd_op.reduce_scatter" (%0) {nranks:2,ring_id:1}
// CHECK-NEXT: "pd_op.fetch"
// CHECK-NEXT: "pd_op.reduce_scatter" (%0) {nranks:2,ring_id:2}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[4,4]} : () -> tensor<4x4xf32>
    (%1) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%2) = "pd_op.all_reduce" (%0) {reduce_type:0,ring_id:3} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%3) = "pd_op.split_with_num" (%2, %1) {num:2} : (tensor<4x4xf32>, tensor<1xi32>) -> vec[tensor<2x4xf32>,tensor<2x4xf32>]
    (%4) = "builtin.slice" (%3) {index:0} : (vec[tensor<2x4xf32>,tensor<2x4xf32>]) -> tensor<2x4xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"y"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    (%6) = "pd_op.c_allreduce_sum" (%0) {ring_id:1,use_calc_stream:true,use_model_parallel:true} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%7) = "pd_op.split_with_num" (%6, %1) {num:2} : (tensor<4x4xf32>, tensor<1xi32>) -> vec[tensor<2x4xf32>,tensor<2x4xf32>]
    (%8) = "builtin.slice" (%7) {index:1} : (vec[tensor<2x4xf32>,tensor<2x4xf32>]) -> tensor<2x4xf32>
    (%9) = "pd_op.fetch" (%8) {col:1,name:"z"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    (%10) = "pd_op.all_reduce" (%0) {reduce_type:0,ring_id:2} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%11) = "pd_op.assign" (%10) {} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%12) = "pd_op.split_with_num" (%11, %1) {num:2} : (tensor<4x4xf32>, tensor<1xi32>) -> vec[tensor<2x4xf32>,tensor<2x4xf32>]
    (%13) = "builtin.slice" (%12) {index:0} : (vec[tensor<2x4xf32>,tensor<2x4xf32>]) -> tensor<2x4xf32>
    (%14) = "pd_op.fetch" (%13) {col:2,name:"w"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
}

// -----
// Not: parts of columns; the whole sum is read too; no sum but a maximum; the old value is read behind a sum in place.
// CHECK-NOT: reduce_scatter
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[4,4]} : () -> tensor<4x4xf32>
    (%1) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%2) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi32>
    (%3) = "pd_op.all_reduce" (%0) {reduce_type:0,ring_id:3} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%4) = "pd_op.split_with_num" (%3, %1) {num:2} : (tensor<4x4xf32>, tensor<1xi32>) -> vec[tensor<4x2xf32>,tensor<4x2xf32>]
    (%5) = "builtin.slice" (%4) {index:0} : (vec[tensor<4x2xf32>,tensor<4x2xf32>]) -> tensor<4x2xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"a"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    (%7) = "pd_op.all_reduce" (%0) {reduce_type:1,ring_id:3} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%8) = "pd_op.split_with_num" (%7, %2) {num:2} : (tensor<4x4xf32>, tensor<1xi32>) -> vec[tensor<2x4xf32>,tensor<2x4xf32>]
    (%9) = "builtin.slice" (%8) {index:0} : (vec[tensor<2x4xf32>,tensor<2x4xf32>]) -> tensor<2x4xf32>
    (%10) = "pd_op.fetch" (%9) {col:1,name:"b"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    (%11) = "pd_op.relu" (%0) {} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%12) = "pd_op.all_reduce_" (%11) {reduce_type:0,ring_id:3} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%13) = "pd_op.split_with_num" (%12, %2) {num:2} : (tensor<4x4xf32>, tensor<1xi32>) -> vec[tensor<2x4xf32>,tensor<2x4xf32>]
    (%14) = "builtin.slice" (%13) {index:0} : (vec[tensor<2x4xf32>,tensor<2x4xf32>]) -> tensor<2x4xf32>
    (%15) = "pd_op.fetch" (%14) {col:2,name:"c"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    (%16) = "pd_op.fetch" (%11) {col:3,name:"d"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%17) = "pd_op.c_allreduce_sum" (%0) {ring_id:1,use_calc_stream:true,use_model_parallel:true} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    (%18) = "pd_op.split_with_num" (%17, %2) {num:2} : (tensor<4x4xf32>, tensor<1xi32>) -> vec[tensor<2x4xf32>,tensor<2x4xf32>]
    (%19) = "builtin.slice" (%18) {index:1} : (vec[tensor<2x4xf32>,tensor<2x4xf32>]) -> tensor<2x4xf32>
    (%20) = "pd_op.fetch" (%19) {col:4,name:"e"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    (%21) = "pd_op.fetch" (%17) {col:5,name:"f"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
}
