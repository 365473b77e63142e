// A pass takes the options that it declares (passes.def) or that its rules read, with values of
// their kind; all else is refused before anything runs.
// RUN: not pir-opt %s --passes='dce{x=1}' 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: pass dead_code_elimination_pass takes no option 'x'{{$}}
// RUN: not pir-opt %s --passes='fold{source=true}' 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: pass constant_folding_pass takes no option 'source'; it takes params, max-bytes, sources
// RUN: not pir-opt %s --passes='fold{sources=maybe}' 2>&1 | FileCheck %s --check-prefix=SWITCH
// SWITCH: error: option sources of pass constant_folding_pass expects true or false, has 'maybe'
// RUN: not pir-opt %s --passes='cse{max-ops=-1}' 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: option max-ops of pass common_subexpression_elimination_pass expects a number, has '-1'
// RUN: not pir-opt %s --passes='cse{max-ops=92233720368547758070}' 2>&1 | FileCheck %s --check-prefix=TENFOLD
// TENFOLD: error: option max-ops of pass common_subexpression_elimination_pass expects a number, has '92233720368547758070'
// RUN: not pir-opt %s --passes='cse{max-ops=9223372036854775808}' 2>&1 | FileCheck %s --check-prefix=DIGIT
// DIGIT: error: option max-ops of pass common_subexpression_elimination_pass expects a number, has '9223372036854775808'
// RUN: pir-opt %s --passes='cse{max-ops=9223372036854775807}' | FileCheck %s
// RUN: not pir-opt %s --passes='cse{max-ops=}' 2>&1 | FileCheck %s --check-prefix=NODIGIT
// NODIGIT: error: option max-ops of pass common_subexpression_elimination_pass expects a number, has ''
// RUN: not pir-opt %s --passes='cse{max-ops=1,max-ops=2}' 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: option max-ops of pass common_subexpression_elimination_pass is given twice
// RUN: not pir-opt %s --passes='amp{deny=softmax|matmu}' 2>&1 | FileCheck %s --check-prefix=OPS
// OPS: error: option deny of pass auto_mixed_precision_pass names an unknown op 'matmu'
// RUN: not pir-opt %s --passes='fused_weight_only_linear{ark=80}' 2>&1 | FileCheck %s --check-prefix=RULE
// RULE: error: pass fused_weight_only_linear_pass takes no option 'ark'
// RUN: pir-opt %s --passes='amp{precision=f16},amp{precision=float16},amp{precision=bf16},amp{precision=}' | FileCheck %s
// RUN: not pir-opt %s --passes='amp{precision=f32}' 2>&1 | FileCheck %s --check-prefix=PRECISION
// PRECISION: error: option precision of pass auto_mixed_precision_pass expects f16 or bf16, has 'f32'
// RUN: pir-opt %s --passes='fused_weight_only_linear{arch=80},cse{max-ops=3},fold{sources}' | FileCheck %s
// RUN: not pir-opt %s --passes='cse{max-opps=3}' 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: error: pass common_subexpression_elimination_pass takes no option 'max-opps'; it takes max-ops, ignore; did you mean 'max-ops'?
// RUN: not pir-opt %s --passes='fused_weight_only_linear{arc=80}' 2>&1 | FileCheck %s --check-prefix=READ
// READ: error: pass fused_weight_only_linear_pass takes no option 'arc'; it takes arch, weight_only_algo; did you mean 'arch'?

// The list has the values, the meaning and the default of each option.
// RUN: pir-opt --list-passes | awk '/^ / && !/^    [a-z0-9_-]+=(NUMBER|true.false|OP.OP\.\.|TEXT) +[a-zA-Z].* \(default: .+\)$/ {print; bad = 1} /^ / {n++} END {exit bad || n < 30}'
// RUN: pir-opt --list-passes | FileCheck %s --check-prefix=LIST
// LIST: max-ops=NUMBER {{ *}}merge at most this number of operations (default: all)
// LIST: params=true|false {{ *}}also fold operations that read parameters (default: true)
// LIST: allow=OP|OP.. {{ *}}operations that compute in low precision
// LIST: arch=NUMBER {{ *}}the generation of GPUs {{.*}} (default: 80)
// LIST: weight_only_algo=TEXT {{ *}}how weights are kept: {{.*}} (default: weight_only_int8)
// RUN: printf '%%s\n' 'extern @option($name, $otherwise)' 'pass mine_pass level 2 "mine" {' '  rule r {' '    match { (%%y) = "pd_op.relu" (%%x) }' '    where @option("much", 3) > 2' '    emit { (%%y) = "pd_op.tanh" (%%x) }' '  }' '}' > %t.drr
// Defaults of other kinds: a truth value, a number with a point, a type, a text.
// RUN: for d in true 1.5 f32 '"x"'; do sed "s/@option(\"much\", 3) > 2/@option(\"much\", $d) == $d/" %t.drr >%t.kind.drr && pir-opt %s --rules=%t.kind.drr --passes='mine{much=1}' >%t.kind && not pir-opt %s --rules=%t.kind.drr --passes='mine{mch=3}' 2>&1 | FileCheck %s --check-prefix=OWN || exit 1; done
// RUN: not pir-opt %s --rules=%t.drr --passes='mine{mch=3}' 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: error: pass mine_pass takes no option 'mch'; it takes much; did you mean 'much'?
// CHECK: builtin.parameter
{
    (%0) = "builtin.parameter" () {parameter_name:"p",persistable:[true]} : () -> tensor<2xf32>
    (%1) = "pd_op.fetch" (%0) {col:0,name:"out"} : (tensor<2xf32>) -> tensor<2xf32>
}
