// Quantised weights that are parameters: their bytes decide whether the product is one of integers. Numbers beyond 8 bits, fractions, NaN, another
// type, and parameters that were not read keep it a product of floats; what folding widened is stored as bytes again.
// RUN: rm -rf %t && mkdir -p %t/out
// RUN: printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\6\0\0\0\010\5\020\4\020\2' > %t/head && printf '\0\0\200\77\0\0\0\100\0\0\100\100\0\0\200\300\0\0\0\0\0\0\200\77\0\0\0\303' > %t/seven
// RUN: for last in '\0\0\376\102' '\0\0\0\103' '\0\0\0\77' '\0\0\300\177' '\0\0\1\303'; do (cat %t/head %t/seven; printf $last) > %t/w.pdiparams; \
// RUN:   pir-opt %s --params=%t/w.pdiparams --passes=quantised,dce --verify-each | grep matmul; done | FileCheck %s --check-prefix=FLOATS
// FLOATS:      -> tensor<3x2xi32>
// FLOATS-NEXT: -> tensor<3x2xf32>
// FLOATS-NEXT: -> tensor<3x2xf32>
// FLOATS-NEXT: -> tensor<3x2xf32>
// FLOATS-NEXT: -> tensor<3x2xf32>
// RUN: pir-opt %s --passes=quantised,dce | FileCheck %s --check-prefix=UNREAD
// UNREAD: "pd_op.matmul" {{.*}} -> tensor<3x2xf32>
// RUN: (cat %t/head %t/seven; printf '\0\0\376\102') > %t/w.pdiparams
// RUN: sed 's/bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1/bit_length:1,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1/' %s > %t/one_bit.pir
// RUN: pir-opt %t/one_bit.pir --params=%t/w.pdiparams --passes=quantised,dce | FileCheck %s --check-prefix=UNREAD
// RUN: pir-opt %s --params=%t/w.pdiparams --passes=quantised,fold,quantised,dce --verify-each | FileCheck %s --check-prefix=STORED
// STORED:      "builtin.parameter" () {{.*}} -> tensor<4x2xi32>
// STORED:      (%[[LOW:[0-9]+]]) = "pd_op.cast" {{.*}} -> tensor<4x2xi8>
// STORED-NEXT: (%[[WIDE:[0-9]+]]) = "pd_op.cast" (%[[LOW]]) {{.*}} -> tensor<4x2xi32>
// STORED-NEXT: "pd_op.matmul" (%{{[0-9]+}}, %[[WIDE]])
// RUN: pir-run %s --params=%t/w.pdiparams --pipeline=kernels --input=x=3x4xf32=random:1 --output-dir=%t/out
// RUN: pir-run %s --params=%t/w.pdiparams --input=x=3x4xf32=random:1 --expect-dir=%t/out
// RUN: pir-run %s --params=%t/w.pdiparams "--pipeline=ungrouped,group{few=0},dce,bind" --input=x=3x4xf32=random:1 --expect-dir=%t/out
{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3,4]} : () -> tensor<3x4xf32>
    (%w) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<4x2xf32>
    (%s) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.75} : () -> tensor<1xf32>
    (%t) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[2],value:0.5} : () -> tensor<2xf32>
    (%z) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.0} : () -> tensor<1xf32>
    (%q, %q1, %q2, %q3) = "pd_op.quantize_linear" (%x, %s, %z, %z, %z) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%a, %a1, %a2, %a3) = "pd_op.dequantize_linear" (%q, %s, %z, %z, %z) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:-1,round_type:0} : (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
    (%b, %b1, %b2, %b3) = "pd_op.dequantize_linear" (%w, %t, %z, %z, %z) {bit_length:8,is_test:true,only_observer:false,qmax:127,qmin:-128,quant_axis:1,round_type:0} : (tensor<4x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<2xf32>
    (%c) = "pd_op.matmul" (%a, %b) {transpose_x:false,transpose_y:false} : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
    (%f) = "pd_op.fetch" (%c) {col:0,name:"out"} : (tensor<3x2xf32>) -> tensor<3x2xf32>
}
