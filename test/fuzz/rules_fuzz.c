// Any text as rules; those that load are run on a small program, which must verify afterwards.

#include "fuzz.h"

#include <pir/compiler/rules.h>
#include <pir/compiler/text.h>
#include <pir/compiler/verify.h>

static const char program_text[] =
    "{\n"
    "    (%0) = \"pd_op.data\" () {dtype:float32,name:\"x\",place:Place(cpu),shape:[-1,4]} : "
    "() -> tensor<-1x4xf32>\n"
    "    (%1) = \"pd_op.full\" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> "
    "tensor<1xf32>\n"
    "    (%2) = \"pd_op.scale\" (%0, %1) {bias:0,bias_after_scale:true} : (tensor<-1x4xf32>, "
    "tensor<1xf32>) -> "
    "tensor<-1x4xf32>\n"
    "    (%3) = \"pd_op.sigmoid\" (%2) {} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>\n"
    "    (%4) = \"pd_op.multiply\" (%2, %3) {} : (tensor<-1x4xf32>, tensor<-1x4xf32>) -> "
    "tensor<-1x4xf32>\n"
    "    (%5) = \"pd_op.transpose\" (%4) {perm:[1,0]} : (tensor<-1x4xf32>) -> "
    "tensor<4x-1xf32>\n"
    "    (%6) = \"pd_op.transpose\" (%5) {perm:[1,0]} : (tensor<4x-1xf32>) -> "
    "tensor<-1x4xf32>\n"
    "    (%7) = \"pd_op.relu\" (%6) {} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>\n"
    "    (%8) = \"pd_op.fetch\" (%7) {col:0,name:\"y\"} : (tensor<-1x4xf32>) -> "
    "tensor<-1x4xf32>\n"
    "}\n";

static void run_passes(pir_context *ctx, const pir_rules *rules) {
  pir_program *program;
  if (pir_program_parse(ctx, PIR_STR(program_text), NULL, &program))
    abort();
  pir_pass_manager *manager = pir_pass_manager_create(ctx, NULL);
  for (size_t i = 0; i < pir_rules_passes(rules); i++)
    if (pir_pass_manager_add(manager, pir_rules_pass(rules, i), NULL, 0))
      abort();
  // A rule may make what inference or the verifier refuses, and says so; it may not leave a
  // broken graph.
  if (!pir_pass_manager_run(manager, program))
    (void)!pir_verify(pir_program_module(program), NULL);
  pir_pass_manager_destroy(manager);
  pir_program_destroy(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pir_context *ctx = fuzz_context();
  pir_rules *rules;
  if (!pir_rules_load(ctx, (pir_str){(const char *)data, size}, NULL, &rules)) {
    run_passes(ctx, rules);
    pir_rules_destroy(rules);
  }
  pir_context_destroy(ctx);
  return 0;
}
