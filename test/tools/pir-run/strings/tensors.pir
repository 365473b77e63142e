// Strings come from files of NumPy's strings, are printed, saved and compared, and are words when they are random.
// RUN: rm -rf %t.out && mkdir %t.out && pir-run %s --input=x=@%{root}/test/tools/pir-run/strings/u.npy --print --output-dir=%t.out | FileCheck %s
// RUN: cmp %t.out/out_0.npy %{root}/test/tools/pir-run/strings/low.npy
// RUN: cmp %t.out/out_1.npy %{root}/test/tools/pir-run/strings/u.npy
// RUN: pir-run %s --input=x=@%{root}/test/tools/pir-run/strings/u.npy --pipeline=kernels --expect=low=@%t.out/out_0.npy
// RUN: not pir-run %s --input=@%{root}/test/tools/pir-run/strings/u.npy --expect=low=@%{root}/test/tools/pir-run/strings/other.npy | FileCheck %s --check-prefix=OTHER
// Bytes that are not UTF-8 are saved as NumPy's S.
// RUN: pir-run %s --input=@%{root}/test/tools/pir-run/strings/s.npy --output-dir=%t.out
// RUN: cmp %t.out/out_1.npy %{root}/test/tools/pir-run/strings/s.npy
// RUN: not pir-run %s --input=@%{root}/test/tools/pir-run/strings/surrogate.npy 2>&1 | FileCheck %s --check-prefix=SURROGATE
// RUN: not pir-run %s --input=2x2xf32 2>&1 | FileCheck %s --check-prefix=NUMBERS
// RUN: pir-run %s --input=1x2xpstring=random:3 --print | FileCheck %s --check-prefix=RANDOM
// RUN: pir-run %s --input=1x2xpstring=0 --print | FileCheck %s --check-prefix=EMPTY
// A compiled model has strings too.
// RUN: rm -rf %t.case && mkdir %t.case && cp %{root}/test/tools/pir-run/strings/low.npy %t.case/out_0.npy && cp %{root}/test/tools/pir-run/strings/u.npy %t.case/in_x.npy
// RUN: pir-compile %s -o %t.pirm && run_case %t.pirm %t.case 1 0 0 0 1
// RUN: cp %{root}/test/tools/pir-run/strings/other.npy %t.case/out_0.npy && not run_case %t.pirm %t.case 1 0 0 0 1
// RUN: cp %{root}/test/tools/pir-run/strings/low.npy %{root}/test/tools/pir-run/strings/u.npy %t.case && mv %t.case/low.npy %t.case/out_0.npy && mv %t.case/u.npy %t.case/in_x.npy && cp %{root}/test/tools/pir-run/strings/u.npy %t.case/out_1.npy
// RUN: pir-run %s --case=%t.case --overlap=whole && pir-run %s --case=%t.case --overlap=part && pir-run %s --case=%t.case --overlap=shifted
// RUN: pir-run %s --case=%t.case --guard-pages=end --schedules=4
// RUN: rm -rf %t.cache && pir-run %s --cache=%t.cache --input=@%{root}/test/tools/pir-run/strings/u.npy --print | FileCheck %s
// RUN: pir-run %s --cache=%t.cache --input=@%{root}/test/tools/pir-run/strings/u.npy --print | FileCheck %s
// CHECK: low: pstring[2,2]
// CHECK-NEXT: {{^}}[{{\[}}"hällo", ""],
// CHECK-NEXT: ["a\"\u000a", "😀"]]
// OTHER: output 0: {{.*}}1 of 4 differ, worst at {{.}}1,0]: expected "a\"", got "a\"\u000a"
// SURROGATE: surrogate.npy: string 0 has a character that Unicode lacks
// NUMBERS: input 0 "x": expects pstring, got float32
// RANDOM: {{"[a-zäи]+.*", ".*"}}
// EMPTY: {{^}}[{{\[}}"", ""]]
{
(%0) = "pd_op.data" () {dtype:pstring,name:"x",place:Place(undefined:0),shape:[-1,2],stop_gradient:[true]} : () -> tensor<-1x2xpstring>
(%1) = "pd_op.strings_lower" (%0) {stop_gradient:[true],use_utf8_encoding:true} : (tensor<-1x2xpstring>) -> tensor<-1x2xpstring>
() = "builtin.shadow_output" (%1) {output_name:"low"} : (tensor<-1x2xpstring>) ->
() = "builtin.shadow_output" (%0) {output_name:"same"} : (tensor<-1x2xpstring>) ->
}
