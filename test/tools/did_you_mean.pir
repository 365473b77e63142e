// Messages about a name that nothing has tell the most similar one.

// RUN: not pir-opt %s --pases=cse 2>&1 | FileCheck --check-prefix=OPTION %s
// RUN: not pir-opt %s --passes=comon_subexpression_elimination 2>&1 | FileCheck --check-prefix=PASS %s
// RUN: not pir-opt %s --passes=cse --insert-pass=dea_code_elimination_pass 2>&1 | FileCheck --check-prefix=INSERT %s
// RUN: not pir-opt %s --passes=cse --delete-pass=csse 2>&1 | FileCheck --check-prefix=DELETE %s
// RUN: not pir-opt %s --pipeline=paddle-cqu 2>&1 | FileCheck --check-prefix=PIPELINE %s
// RUN: not pir-run %{root}/test/models/digits_cnn/model.json --input=imag=1x1x8x8xf32 2>&1 | FileCheck --check-prefix=INPUT %s
// RUN: not pir-opt %s --xyzzyxyzzy 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: sed 's/pd_op.relu/pd_op.sigmoyd/' %s >%t.op
// RUN: not pir-opt %t.op --strict 2>&1 | FileCheck --check-prefix=OP %s
// RUN: not pir-run %t.op 2>&1 | FileCheck --check-prefix=CALL %s
// RUN: pir-opt %s --passes=cse,dce -o %t.ours && pir-opt %s '--pass-pipeline=builtin.module(cse, dce)' -o %t.mlirs && cmp %t.ours %t.mlirs
// RUN: not pir-opt %s '--pass-pipeline=builtin.module(cse' 2>&1 | FileCheck --check-prefix=OPEN %s
// RUN: not pir-opt %s '--pass-pipeline=builtin.module(builtin.module(cse))' 2>&1 | FileCheck --check-prefix=NESTED %s
// RUN: not pir-opt %s '--passes=cse)' 2>&1 | FileCheck --check-prefix=CLOSED %s
// CALL: unsupported: "pd_op.sigmoyd": no dialect declares it; did you mean 'pd_op.sigmoid'?
// RUN: not pir-opt %s --emit=jsn 2>&1 | FileCheck --check-prefix=VALUE %s
// RUN: sed 's/output_name:"o"/output_name:"output"/' %s >%t.named && not pir-opt %t.named --outputs=outpt 2>&1 | FileCheck --check-prefix=CUT %s
// RUN: not pir-run %t.named --show=outpt --input=x=2xf32 2>&1 | FileCheck --check-prefix=SHOW %s
// RUN: not pir-run %t.named --output=outpt=@%t.npy --input=x=2xf32 2>&1 | FileCheck --check-prefix=OUTPUT %s
// RUN: printf '%%s\n' 'rule r {' '  mtch { (%%y) = "pd_op.relu" (%%x) }' '  emit { (%%y) = "pd_op.tanh" (%%x) }' '}' >%t.1.drr && not pir-opt %s --rules=%t.1.drr 2>&1 | FileCheck --check-prefix=WORD %s
// RUN: printf '%%s\n' 'rule r {' '  match { (%%y) = "pd_op.softmax" (%%x) {axs:1} }' '  emit { (%%y) = "pd_op.tanh" (%%x) }' '}' >%t.2.drr && not pir-opt %s --rules=%t.2.drr 2>&1 | FileCheck --check-prefix=ATTRIBUTE %s
// RUN: printf '%%s\n' 'rule r {' '  match { (%%y) = "pd_op.relu" (%%x) }' '  where rnak(%%x) == 2' '  emit { (%%y) = "pd_op.tanh" (%%x) }' '}' >%t.3.drr && not pir-opt %s --rules=%t.3.drr 2>&1 | FileCheck --check-prefix=FUNCTION %s
// RUN: printf '%%s\n' 'ruel r {' '}' >%t.4.drr && not pir-opt %s --rules=%t.4.drr 2>&1 | FileCheck --check-prefix=ITEM %s
// VALUE: --emit: expected text, {{.*}}, got 'jsn'; did you mean 'json'?
// CUT: cut: the program has no value "outpt"; did you mean 'output'?
// SHOW: the program has no value "outpt" to show; did you mean 'output'?
// OUTPUT: --output: the model has no output "outpt"; did you mean 'output'?
// WORD: :2:3: error: expected match, {{.*}}, found 'mtch'; did you mean 'match'?
// WORD-NEXT: mtch { (%y)
// WORD-NEXT: {{^ *\^}}
// ATTRIBUTE: 'pd_op.softmax' has no attribute 'axs'; did you mean 'axis'?
// FUNCTION: unknown function 'rnak'; did you mean 'rank'?
// ITEM: :1:1: error: expected pass, {{.*}}, found 'ruel'; did you mean 'rule'?

// OPTION: error: unknown option '--pases=cse'; did you mean '--passes'?
// PASS: :1:1: error: unknown pass 'comon_subexpression_elimination'; did you mean 'common_subexpression_elimination_pass'?
// INSERT: unknown pass 'dea_code_elimination_pass'; did you mean 'dead_code_elimination_pass'?
// DELETE: unknown pass 'csse'; did you mean 'cse'?
// PIPELINE: no pipeline is called 'paddle-cqu' (--list-pipelines); did you mean 'paddle-{{[cg]}}pu'?
// INPUT: the model has no input "imag"; did you mean 'image'?
// NONE: unknown option '--xyzzyxyzzy' (--help lists them)
// OP: "pd_op.sigmoyd" is not known to any dialect; did you mean 'pd_op.sigmoid'?
// OPEN: :1:19: error: expected ',' or ')' at ''
// NESTED: :1:31: error: a module in a module at
// CLOSED: :1:4: error: expected ',' at ')'

{
  (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2]} : () -> builtin.tensor<2xf32>
  (%1) = "pd_op.relu" (%0) {} : (builtin.tensor<2xf32>) -> builtin.tensor<2xf32>
  () = "builtin.shadow_output" (%1) {output_name:"o"} : (builtin.tensor<2xf32>) -> 
}
