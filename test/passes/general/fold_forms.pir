// What folding computes and what it leaves: composites, lists, results whose shape only a run shows, constants that are spread.
// RUN: pir-opt %s --split-input-file --passes='fold{sources=false},dce' | FileCheck %s
// RUN: pir-opt %s --split-input-file --passes=fold | FileCheck %s --check-prefix=ALL
// RUN: sed '/my.op/d; /add_n/d; /name:"i"/d' %s | pir-opt - --split-input-file --passes='fold{sources=false},dce' --verify-numerics=3 > /dev/null
// RUN: pir-opt %s --split-input-file --passes='fold{sources=false,max-bytes=8},dce' | FileCheck %s --check-prefix=SMALL
// RUN: pir-opt %s --split-input-file --passes='fold{sources=false,max-bytes=8},fold{sources=false}' | FileCheck %s --check-prefix=TWICE

// A composite is computed by its parts, which are erased again; the shape of positions depends on the elements. A second run
// takes names that the first one left.
// CHECK-LABEL: "first"
// CHECK:       (%[[N:[0-9]+]]) = "pd_op.nonzero"
// CHECK-NEXT:  "pd_op.fetch" (%0)
// CHECK-NEXT:  "pd_op.fetch" (%1)
// CHECK-NEXT:  "pd_op.fetch" (%[[N]])
// SMALL-LABEL: "first"
// SMALL:       "pd_op.addmm"
// SMALL:       "pd_op.tanh"
// TWICE:       (%0) = "builtin.parameter" () {parameter_name:"constant_folding@_0"
// TWICE-NEXT:  (%1) = "builtin.parameter" () {parameter_name:"constant_folding@_1"
// TWICE-NEXT:  name:"first"
{
    (%99) = "pd_op.data" () {dtype:float32,name:"first",place:Place(cpu),shape:[1]} : () -> tensor<1xf32>
    (%0) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,3],value:2} : () -> tensor<2x3xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[3,2],value:3} : () -> tensor<3x2xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,2],value:1} : () -> tensor<2x2xf32>
    (%3) = "pd_op.addmm" (%2, %0, %1) {alpha:1.0,beta:1.0} : (tensor<2x2xf32>, tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    (%4) = "pd_op.tanh" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%5) = "pd_op.nonzero" (%2) {} : (tensor<2x2xf32>) -> tensor<-1x2xi64>
    (%6) = "pd_op.fetch" (%3) {col:0,name:"f"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%7) = "pd_op.fetch" (%4) {col:1,name:"g"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%8) = "pd_op.fetch" (%5) {col:2,name:"h"} : (tensor<-1x2xi64>) -> tensor<-1x2xi64>
}

// -----
// Powers are computed by squares, each a block within the one before: the 4th is folded, the 1024th nests too deep.
// CHECK-LABEL: "second"
// CHECK:       (%[[L:[0-9]+]]) = "pd_op.matrix_power" (%{{[0-9]+}}) {n:1024}
// CHECK-NEXT:  "pd_op.fetch" (%0)
// CHECK-NEXT:  "pd_op.fetch" (%[[L]])
{
    (%99) = "pd_op.data" () {dtype:float32,name:"second",place:Place(cpu),shape:[1]} : () -> tensor<1xf32>
    (%0) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2,2],value:0.5} : () -> tensor<2x2xf32>
    (%1) = "pd_op.matrix_power" (%0) {n:4} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%2) = "pd_op.matrix_power" (%0) {n:1024} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%3) = "pd_op.fetch" (%1) {col:0,name:"f"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    (%4) = "pd_op.fetch" (%2) {col:1,name:"g"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
}

// -----
// A full that is spread to another shape stays, as in Paddle. So do an empty list, a list of lists, an op that has no meaning with
// these attributes, and what an op of no dialect reads, which it may overwrite. Members that stand without a list are tensors.
// ALL-LABEL:   "third"
// ALL:         (%[[S:[0-9]+]]) = "pd_op.full" {{.*}}shape:[1],value:5}
// ALL:         "pd_op.full_with_tensor" (%[[S]], %0)
// ALL:         "pd_op.linspace" (%{{[0-9]+}}, %[[S]],
// ALL:         "builtin.combine" () {} : () -> vec[]
// ALL:         "builtin.combine" (%{{[0-9]+}}, %{{[0-9]+}}) {} : (vec[tensor<2xf32>], vec[tensor<2xf32>])
// ALL:         "pd_op.rrelu" (%[[P:[0-9]+]])
// ALL:         (%[[E:[0-9]+]]) = "pd_op.exp" (%[[P]])
// ALL-NEXT:    "my.op" (%[[E]])
// ALL:         "pd_op.fetch" ([[N:%[0-9]+]]) {col:3
// CHECK-LABEL: "third"
// CHECK-NOT:   "pd_op.full_with_tensor"
// CHECK-NOT:   "pd_op.linspace"
// CHECK-NOT:   "pd_op.add_n"
// CHECK:       "my.op" (%{{[0-9]+}})
{
    (%99) = "pd_op.data" () {dtype:float32,name:"third",place:Place(cpu),shape:[1]} : () -> tensor<1xf32>
    (%0) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:5} : () -> tensor<1xf32>
    (%1) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%2) = "pd_op.full_with_tensor" (%0, %1) {dtype:float32} : (tensor<1xf32>, tensor<1xi64>) -> tensor<2xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%4) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:3} : () -> tensor<1xi32>
    (%5) = "pd_op.linspace" (%3, %0, %4) {dtype:float32,place:Place(cpu)} : (tensor<1xf32>, tensor<1xf32>, tensor<1xi32>) -> tensor<3xf32>
    (%6) = "builtin.combine" () {} : () -> vec[]
    (%7) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:7} : () -> tensor<2xf32>
    (%8) = "builtin.combine" (%7) {} : (tensor<2xf32>) -> vec[tensor<2xf32>]
    (%9) = "builtin.combine" (%8, %8) {} : (vec[tensor<2xf32>], vec[tensor<2xf32>]) -> vec[vec[tensor<2xf32>],vec[tensor<2xf32>]]
    (%10, %11) = "pd_op.rrelu" (%7) {is_test:false,lower:0.1,upper:0.3} : (tensor<2xf32>) -> tensor<2xf32>, tensor<2xf32>
    (%12) = "pd_op.exp" (%7) {} : (tensor<2xf32>) -> tensor<2xf32>
    () = "my.op" (%12) {} : (tensor<2xf32>) -> 
    () = "my.op" (%9, %6) {} : (vec[vec[tensor<2xf32>],vec[tensor<2xf32>]], vec[]) -> 
    (%13) = "pd_op.tanh" (%7) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%14) = "pd_op.add_n" (%13, %7) {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    (%15) = "pd_op.fetch" (%2) {col:0,name:"f"} : (tensor<2xf32>) -> tensor<2xf32>
    (%16) = "pd_op.fetch" (%5) {col:1,name:"g"} : (tensor<3xf32>) -> tensor<3xf32>
    (%17) = "pd_op.fetch" (%10) {col:2,name:"h"} : (tensor<2xf32>) -> tensor<2xf32>
    (%18) = "pd_op.fetch" (%14) {col:3,name:"i"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----
// Results that are absent do not keep the others from being known; Paddle leaves such ops.
// CHECK-LABEL: "fourth"
// CHECK-NEXT:  "pd_op.fetch" (%0)
// ALL-LABEL:   "fourth"
// ALL:         "pd_op.dequantize_linear"
{
    (%99) = "pd_op.data" () {dtype:float32,name:"fourth",place:Place(cpu),shape:[1]} : () -> tensor<1xf32>
    (%0) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:5} : () -> tensor<2xf32>
    (%1, %2, %3, %4) = "pd_op.dequantize_linear" (%0, %0, %0, <<NULL VALUE>>, <<NULL VALUE>>) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:0,round_type:0} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2xf32>, <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>
    (%5) = "pd_op.fetch" (%1) {col:0,name:"f"} : (tensor<2xf32>) -> tensor<2xf32>
}
