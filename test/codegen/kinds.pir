// A group states how it is compiled; the verifier looks whether its ops fit.
// RUN: pir-opt %s --split-input-file --passes=expand,group | FileCheck %s
// RUN: pir-opt %s --split-input-file --passes=expand,group | pir-opt - --split-input-file --strict | FileCheck %s
// RUN: not pir-opt %S/inputs/wrong_kind.pir --split-input-file 2>&1 | FileCheck %s --check-prefix=BAD

// BAD: wrong_kind.pir:4:{{[0-9]+}}: error: "cinn_op.group" attribute kind: expects elements, rows, scan, updates, kernel, steps, sums, contraction, pair or attention, found "row"
// BAD: wrong_kind.pir:14:{{[0-9]+}}: error: "cinn_op.group" attribute kind: a group of kind "contraction" has 1 contractions, found 0
// BAD: error: "cinn_op.group" expects a body of one block that ends with a terminator
// BAD: error: "cinn_op.group" expects a body of one block that ends with a terminator
// BAD: error: "cinn_op.group" has 1 results, but its body yields 2
// BAD: error: "cf.yield" operand 0 is absent: a body yields every result
// BAD: wrong_kind.pir:53:{{[0-9]+}}: error: "cinn_op.fusion" expects a body of one block that ends with a terminator
// BAD: error: "cinn_op.fusion" expects a body of one block that ends with a terminator
// BAD: error: "cinn_op.fusion" has 1 results, but its body yields 2
// BAD: error: "cf.yield" operand 0 is absent: a body yields every result

// A piece of a program may end inside of a fusion, but no op follows it then.
// RUN: sed -n '/^\/\/ -----/q; /cf.yield/q; p' %S/inputs/wrong_kind.pir | sed 's/"cinn_op.group" (%%0) {kind:"row"}/"cinn_op.fusion" ()/' > %t.cut
// RUN: pir-opt %t.cut --fragment | FileCheck %s --check-prefix=CUT
// RUN: (cat %t.cut; echo '}'; echo '(%%9) = "pd_op.relu" (%%0) {} : (tensor<8xf32>) -> tensor<8xf32>') > %t && not pir-opt %t --fragment 2>&1 | FileCheck %s --check-prefix=UNCUT
// CUT: "cinn_op.fusion" () -> tensor<8xf32> {
// CUT-NEXT: "pd_op.relu"
// UNCUT: :4:{{[0-9]+}}: error: "cinn_op.fusion" expects a body of one block that ends with a terminator

// CHECK: "cinn_op.group" ({{.*}}) {kind:"elements"}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[64,64]} : () -> tensor<64x64xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"y"} : (tensor<64x64xf32>) -> tensor<64x64xf32>
}
// -----
// CHECK: "cinn_op.group" ({{.*}}) {kind:"rows"}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[64,64]} : () -> tensor<64x64xf32>
    (%1) = "pd_op.softmax" (%0) {axis:-1} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    (%2) = "pd_op.fetch" (%1) {col:0,name:"y"} : (tensor<64x64xf32>) -> tensor<64x64xf32>
}
// -----
// CHECK: "cinn_op.group" ({{.*}}) {kind:"contraction"}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[64,64]} : () -> tensor<64x64xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(cpu),shape:[64,64]} : () -> tensor<64x64xf32>
    (%2) = "pd_op.matmul" (%0, %1) {transpose_x:false,transpose_y:false} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    (%3) = "pd_op.fetch" (%2) {col:0,name:"z"} : (tensor<64x64xf32>) -> tensor<64x64xf32>
}
