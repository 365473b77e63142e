// Ops that a file declares at run time have the numbers of the same program in libpir's ops: evaluated, and compiled in a group with their neighbours.
// RUN: rm -rf %t && mkdir %t && pir-run %S/inputs/same.pir --pipeline=kernels --input=x=64x32xf32=random:1 --output-dir=%t
// RUN: pir-run %s --ops=%S/inputs/ops.ops --pipeline=kernels --input=x=64x32xf32=random:1 --expect-dir=%t --rtol=1e-5
// RUN: pir-run %s --ops=%S/inputs/ops.ops --threads=2 --input=x=64x32xf32=random:1 --expect-dir=%t --rtol=1e-5
// RUN: not pir-run %s --ops=%S/inputs/ops.ops --input=x=64x32xf32=random:2 --expect-dir=%t --rtol=1e-5
// RUN: pir-run %s --ops=%S/inputs/ops.ops --explain --input=x=64x32xf32=random:1 2>&1 | FileCheck --check-prefix=GROUP %s
// GROUP: remark: group of pd_op.exp, custom_op.scaled, custom_op.scaled, custom_op.my_relu6, pd_op.tanh, custom_op.root_mean_square
// GROUP-NOT: not compiled

// The meaning is loops.
// RUN: pir-opt %s --ops=%S/inputs/ops.ops --emit=loops | FileCheck --check-prefix=LOOPS %s
// LOOPS: exp(
// LOOPS: min(max(
// LOOPS: tanh(

// Every format.
// RUN: pir-opt %s --ops=%S/inputs/ops.ops | FileCheck --check-prefix=TEXT %s
// RUN: pir-translate %s --ops=%S/inputs/ops.ops --to=json -o %t/p.json && FileCheck --check-prefix=JSON %s <%t/p.json
// RUN: pir-translate %t/p.json --ops=%S/inputs/ops.ops --to=text | FileCheck --check-prefix=TEXT %s
// RUN: pir-translate %s --ops=%S/inputs/ops.ops --to=pdmodel -o %t/p.pdmodel && pir-translate %t/p.pdmodel --ops=%S/inputs/ops.ops --to=text | FileCheck --check-prefix=OLD %s
// JSON: "3.scaled"
// JSON-SAME: "3.my_relu6"
// TEXT: "custom_op.scaled" (%1, %1) {mode:"after",scale:3}
// TEXT: "custom_op.my_relu6" (%3) {limit:2}
// TEXT: "custom_op.rms_norm_of" (%5, %7) {epsilon:1e-05}
// OLD: "custom_op.my_relu6" {{.*}}limit:2

// Facts come from the clauses: nothing states these types.
// RUN: sed '/custom_op/s/-> .*/-> tensor<-1x-1xf32>/' %s | pir-opt - --ops=%S/inputs/ops.ops --passes=shape_analysis | FileCheck --check-prefix=FACTS %s
// FACTS: "custom_op.rows_reversed" {{.*}} { (shape[S0, 32], data[NULL]) }
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,32]} : () -> tensor<-1x32xf32>
    (%1) = "pd_op.exp" (%0) {} : (tensor<-1x32xf32>) -> tensor<-1x32xf32>
    (%2) = "custom_op.scaled" (%1, %1) {mode:"after",scale:3} : (tensor<-1x32xf32>, tensor<-1x32xf32>) -> tensor<-1x32xf32>
    (%3) = "custom_op.scaled" (%2, <<NULL VALUE>>) {mode:"before",scale:0.5} : (tensor<-1x32xf32>, <<NULL TYPE>>) -> tensor<-1x32xf32>
    (%4) = "custom_op.my_relu6" (%3) {limit:2} : (tensor<-1x32xf32>) -> tensor<-1x32xf32>
    (%5) = "pd_op.tanh" (%4) {} : (tensor<-1x32xf32>) -> tensor<-1x32xf32>
    (%6) = "pd_op.fetch" (%5) {col:0,name:"y"} : (tensor<-1x32xf32>) -> tensor<-1x32xf32>
    (%7) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[32],value:2} : () -> tensor<32xf32>
    (%8) = "custom_op.rms_norm_of" (%5, %7) {epsilon:1e-05} : (tensor<-1x32xf32>, tensor<32xf32>) -> tensor<-1x32xf32>
    (%9) = "custom_op.rows_reversed" (%8) {} : (tensor<-1x32xf32>) -> tensor<-1x32xf32>
    (%10) = "pd_op.fetch" (%9) {col:1,name:"n"} : (tensor<-1x32xf32>) -> tensor<-1x32xf32>
}
