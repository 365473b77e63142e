// Ops with clauses of every kind, called and compiled, have the numbers of libpir's ops of the same names.
// RUN: rm -rf %t && mkdir %t && sed 's/mine[.]/pd_op./' %s >%t/own.pir && pir-run %t/own.pir --pipeline=kernels --input=x=4x8x8xf32=random:3 --output-dir=%t
// RUN: pir-run %s --ops=%S/inputs/kinds.ops --pipeline=kernels --input=x=4x8x8xf32=random:3 --expect-dir=%t
// RUN: pir-run %s --ops=%S/inputs/kinds.ops --pipeline=compile --input=x=4x8x8xf32=random:3 --expect-dir=%t
// RUN: pir-run %s --ops=%S/inputs/kinds.ops --pipeline='check,prepare,group{few=0},dce,bind' --input=x=4x8x8xf32=random:3 --expect-dir=%t
// RUN: pir-translate %s --ops=%S/inputs/kinds.ops --to=json -o %t/p.json && pir-run %t/p.json --ops=%S/inputs/kinds.ops --input=x=4x8x8xf32=random:3 --expect-dir=%t
// RUN: FileCheck %s <%t/p.json
// CHECK: "40.bmm"

// A trap of a clause ends the run.
// RUN: sed 's/value:[[]0,3,2[]]/value:[0,8,2]/' %s >%t/far.pir && not pir-run %t/far.pir --ops=%S/inputs/kinds.ops --input=x=4x8x8xf32=random:3 2>&1 | FileCheck --check-prefix=TRAP %s
// TRAP: index outside of the table
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,8,-1]} : () -> tensor<4x8x-1xf32>
    (%1) = "mine.bmm" (%0, %0) {} : (tensor<4x8x-1xf32>, tensor<4x8x-1xf32>) -> tensor<4x8x-1xf32>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"bmm"} : (tensor<4x8x-1xf32>) -> tensor<4x8x-1xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1]} : () -> tensor<1xi64>
    (%4) = "mine.max" (%1, %3) {keepdim:true} : (tensor<4x8x-1xf32>, tensor<1xi64>) -> tensor<4x1x-1xf32>
    (%5) = "pd_op.fetch" (%4) {col:1,name:"max"} : (tensor<4x1x-1xf32>) -> tensor<4x1x-1xf32>
    (%6) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
    (%7) = "mine.cumsum" (%0, %6) {exclusive:false,flatten:false,reverse:true} : (tensor<4x8x-1xf32>, tensor<1xi32>) -> tensor<4x8x-1xf32>
    (%8) = "pd_op.fetch" (%7) {col:2,name:"cumsum"} : (tensor<4x8x-1xf32>) -> tensor<4x8x-1xf32>
    (%9) = "builtin.combine" (%0, %7) {} : (tensor<4x8x-1xf32>, tensor<4x8x-1xf32>) -> vec[tensor<4x8x-1xf32>,tensor<4x8x-1xf32>]
    (%10) = "mine.concat" (%9, %6) {} : (vec[tensor<4x8x-1xf32>,tensor<4x8x-1xf32>], tensor<1xi32>) -> tensor<4x16x-1xf32>
    (%11) = "pd_op.fetch" (%10) {col:3,name:"concat"} : (tensor<4x16x-1xf32>) -> tensor<4x16x-1xf32>
    (%12) = "mine.stack" (%9) {axis:1} : (vec[tensor<4x8x-1xf32>,tensor<4x8x-1xf32>]) -> tensor<4x2x8x-1xf32>
    (%13) = "pd_op.fetch" (%12) {col:4,name:"stack"} : (tensor<4x2x8x-1xf32>) -> tensor<4x2x8x-1xf32>
    (%14) = "mine.add_n" (%9) {} : (vec[tensor<4x8x-1xf32>,tensor<4x8x-1xf32>]) -> tensor<4x8x-1xf32>
    (%15) = "pd_op.fetch" (%14) {col:5,name:"add_n"} : (tensor<4x8x-1xf32>) -> tensor<4x8x-1xf32>
    (%16) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[0,3,2]} : () -> tensor<3xi64>
    (%17) = "mine.tril" (%0) {diagonal:1} : (tensor<4x8x-1xf32>) -> tensor<4x8x-1xf32>
    (%18) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1,8]} : () -> tensor<2xi64>
    (%19) = "pd_op.reshape" (%17, %18) {} : (tensor<4x8x-1xf32>, tensor<2xi64>) -> tensor<-1x8xf32>
    (%20) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[8,8]} : () -> tensor<2xi64>
    (%21) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[8,8],value:2} : () -> tensor<8x8xf32>
    (%22) = "mine.embedding" (%16, %21) {padding_idx:-1,sparse:false} : (tensor<3xi64>, tensor<8x8xf32>) -> tensor<3x8xf32>
    (%23) = "mine.index_add" (%19, %16, %22) {axis:0} : (tensor<-1x8xf32>, tensor<3xi64>, tensor<3x8xf32>) -> tensor<-1x8xf32>
    (%24) = "pd_op.fetch" (%23) {col:6,name:"index_add"} : (tensor<-1x8xf32>) -> tensor<-1x8xf32>
    (%25) = "mine.roll" (%0, %16) {axis:[2,0,1]} : (tensor<4x8x-1xf32>, tensor<3xi64>) -> tensor<4x8x-1xf32>
    (%26) = "mine.cast" (%25) {dtype:float64} : (tensor<4x8x-1xf32>) -> tensor<4x8x-1xf64>
    (%27) = "pd_op.fetch" (%26) {col:7,name:"roll"} : (tensor<4x8x-1xf64>) -> tensor<4x8x-1xf64>
}
