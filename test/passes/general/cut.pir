// A part of a program: from some values to others. What it does not need goes: inputs, parameters, random ops, writes that nothing reads.

// RUN: pir-opt %s --outputs=%4 | FileCheck --check-prefix=OUT %s
// RUN: pir-opt %s --inputs=%4 --outputs=second | FileCheck --check-prefix=PART %s
// RUN: pir-opt %s --outputs=first,x | FileCheck --check-prefix=NAMES %s
// RUN: pir-opt %s '--passes=cut{outputs=%8}' | FileCheck --check-prefix=WRITTEN %s
// RUN: pir-translate %s --inputs=%4 --outputs=second | FileCheck --check-prefix=PART %s
// RUN: pir-opt %s --inputs=%7 --outputs=%8 | FileCheck --check-prefix=BEHIND %s
// RUN: sed 's/^  () = .*output_name:"first".*/  (%%12) = "pd_op.fetch" (%%4) {name:"first",col:0} : (builtin.tensor<128xf32>) -> builtin.tensor<128xf32>/' %s >%t.pir
// RUN: pir-opt %t.pir --outputs=%12 | FileCheck --check-prefix=FETCH %s
// RUN: pir-opt %t.pir --inputs=%12 --outputs=second | FileCheck --check-prefix=PART12 %s
// RUN: not pir-opt %s --outputs=%4,%4 2>&1 | FileCheck --check-prefix=TWICE %s
// RUN: not pir-opt %s --outputs=nothing 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: not pir-opt %s --outputs=%11 2>&1 | FileCheck --check-prefix=INSIDE %s
// RUN: pir-opt %s --outputs=%4 --emit=loops | FileCheck --check-prefix=LOOPS %s

// OUT: "pd_op.data" () {{.*}}name:"x"
// OUT-NEXT: "pd_op.relu"
// OUT-NEXT: (%2) = "pd_op.exp"
// OUT-NEXT: "builtin.shadow_output" (%2) {output_name:"%4"}
// OUT-NOT: (%
// PART: (%0) = "pd_op.data" () {{.*}}name:"%4"{{.*}} -> tensor<128xf32>
// PART-NEXT: "pd_op.tanh" (%0)
// PART-NEXT: "builtin.shadow_output" {{.*}}output_name:"second"
// PART-NOT: (%
// NAMES: "pd_op.exp"
// NAMES-NEXT: output_name:"first"
// NAMES-NEXT: output_name:"x"
// NAMES-NOT: (%
// The value is written in place before it is read.
// WRITTEN: "pd_op.data" () {{.*}}name:"x"
// WRITTEN: (%[[A:.*]]) = "pd_op.scale" (%0
// WRITTEN-NEXT: (%[[B:.*]]) = "pd_op.relu_" (%[[A]])
// WRITTEN-NEXT: "pd_op.abs" (%[[B]])
// WRITTEN-NEXT: output_name:"%8"
// WRITTEN-NOT: (%
// BEHIND: "pd_op.data" () {{.*}}name:"%7"
// BEHIND-NEXT: "pd_op.abs" (%0)
// BEHIND-NEXT: output_name:"%8"
// BEHIND-NOT: (%
// FETCH: (%2) = "pd_op.exp"
// FETCH-NEXT: "builtin.shadow_output" (%2) {output_name:"%12"}
// FETCH-NOT: fetch
// PART12: "pd_op.data" () {{.*}}name:"%12"
// PART12-NEXT: "pd_op.tanh" (%0)
// PART12-NOT: fetch
// TWICE: error: cut: twice the same name, "%4"
// NONE: error: cut: the program has no value "nothing"
// INSIDE: error: cut: unsupported: a value inside of a region, "%11"
// LOOPS: exp
{
  (%0) = "builtin.parameter" () {parameter_name:"w",persistable:[true]} : () -> builtin.tensor<128xf32>
  (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[128]} : () -> builtin.tensor<128xf32>
  (%2) = "pd_op.data" () {dtype:bool,name:"flag",place:Place(undefined:0),shape:[]} : () -> builtin.tensor<b>
  (%3) = "pd_op.relu" (%1) {} : (builtin.tensor<128xf32>) -> builtin.tensor<128xf32>
  (%4) = "pd_op.exp" (%3) {} : (builtin.tensor<128xf32>) -> builtin.tensor<128xf32>
  (%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> builtin.tensor<1xf32>
  (%6) = "pd_op.scale" (%1, %5) {bias:0,bias_after_scale:true} : (builtin.tensor<128xf32>, builtin.tensor<1xf32>) -> builtin.tensor<128xf32>
  (%7) = "pd_op.relu_" (%6) {} : (builtin.tensor<128xf32>) -> builtin.tensor<128xf32>
  (%8) = "pd_op.abs" (%6) {} : (builtin.tensor<128xf32>) -> builtin.tensor<128xf32>
  (%9) = "pd_op.tanh" (%4) {} : (builtin.tensor<128xf32>) -> builtin.tensor<128xf32>
  (%10) = "pd_op.if" (%2) {} : (builtin.tensor<b>) -> builtin.tensor<128xf32> {
    (%11) = "pd_op.add" (%9, %0) {} : (builtin.tensor<128xf32>, builtin.tensor<128xf32>) -> builtin.tensor<128xf32>
    () = "cf.yield" (%11) {} : (builtin.tensor<128xf32>) ->
  } {
    () = "cf.yield" (%8) {} : (builtin.tensor<128xf32>) ->
  }
  () = "builtin.shadow_output" (%4) {output_name:"first"} : (builtin.tensor<128xf32>) ->
  () = "builtin.shadow_output" (%9) {output_name:"second"} : (builtin.tensor<128xf32>) ->
  () = "builtin.shadow_output" (%10) {output_name:"third"} : (builtin.tensor<128xf32>) ->
}
