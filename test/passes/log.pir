// What a run tells on standard error: the ops that each pass added and removed, the program around
// passes that are named, also those of a .drr file, and the time of each pass.
// RUN: pir-opt %s --rules=%S/inputs/two_passes.drr --passes=cse,one,two,dce --print-changed 2>&1 >/dev/null | FileCheck %s --check-prefix=CHANGED
// CHANGED-NOT: changes
// CHANGED: {{^}}// ----- changes of first{{$}}
// CHANGED-NEXT: {{^}}- (%{{.*}}) = "pd_op.relu" ({{.*}}) {} : (tensor<2xf32>) -> tensor<2xf32>{{$}}
// CHANGED-NEXT: {{^}}+ (%{{.*}}) = "pd_op.tanh" ({{.*}}) {} : (tensor<2xf32>) -> tensor<2xf32>{{$}}
// CHANGED-NEXT: {{^}}// ----- changes of second{{$}}
// CHANGED-NEXT: {{^}}- (%{{.*}}) = "pd_op.tanh"
// CHANGED-NEXT: {{^}}+ (%{{.*}}) = "pd_op.sin"
// CHANGED-NEXT: {{^}}// ----- changes of dead_code_elimination_pass{{$}}
// CHANGED-NEXT: {{^}}- (%{{.*}}) = "pd_op.abs" ({{.*}}) {} : (tensor<2xf32>) -> tensor<2xf32>{{$}}
// CHANGED-NOT: {{.}}
// An op that a pass adds and removes itself is no change.
// RUN: pir-opt %s --rules=%S/inputs/there_and_back.drr --passes=both --print-changed 2>&1 >/dev/null | FileCheck %s --check-prefix=BOTH
// BOTH: {{^}}// ----- changes of both{{$}}
// BOTH-NEXT: {{^}}- (%{{.*}}) = "pd_op.relu"
// BOTH-NEXT: {{^}}+ (%{{.*}}) = "pd_op.sin" ({{.*}}) {} : (tensor<2xf32>) -> tensor<2xf32>{{$}}
// BOTH-NOT: {{.}}
// RUN: pir-opt %s --rules=%S/inputs/two_passes.drr --passes=cse,first,dce --print-before=one --print-after=dce 2>&1 >/dev/null | FileCheck %s --check-prefix=AROUND
// AROUND: {{^}}// ----- before first{{$}}
// AROUND: "pd_op.relu"
// AROUND: {{^}}// ----- after dead_code_elimination_pass{{$}}
// AROUND-NOT: "pd_op.abs"
// AROUND: "pd_op.tanh"
// RUN: not pir-opt %s --passes=cse --print-before=one 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not pir-opt %s --passes=cse --print-after=dce --print-after=one 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: unknown pass 'one' to print the program at
// RUN: pir-opt %s --passes=cse,dce --timing 2>&1 >/dev/null | FileCheck %s --check-prefix=TIMING
// TIMING: {{^}}// ----- timing{{$}}
// TIMING-NEXT: {{^[0-9]+\.[0-9][0-9][0-9]}} ms  common_subexpression_elimination_pass{{$}}
// TIMING-NEXT: {{^[0-9]+\.[0-9][0-9][0-9]}} ms  dead_code_elimination_pass{{$}}
// TIMING-NEXT: {{^[0-9]+\.[0-9][0-9][0-9]}} ms  total{{$}}
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%1) = "pd_op.relu" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.abs" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%3) = "pd_op.fetch" (%1) {col:0,name:"out"} : (tensor<2xf32>) -> tensor<2xf32>
}
