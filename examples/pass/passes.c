// A library of passes for pir-opt, pir-run and pir_pass_set_load. It is linked with the libpir
// of the program that loads it.
//   cc -std=c11 -shared -fPIC passes.c -o passes.so $(pkg-config --cflags --libs pir)
//   pir-opt --load-passes=./passes.so --passes=exchange MODEL
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/ir.h>
#include <pir/compiler/pass_library.h>

// Replaces tanh by another function of one number that has its shape.
static bool exchange_tanh(pir_op *tanh, pir_rewriter *rewriter, void *user) {
  const uint32_t *by = user;
  pir_value *x = pir_op_operand(tanh, 0);
  const pir_type *type = pir_value_type(pir_op_result(tanh, 0));
  pir_op_spec spec = {.def = pir_context_op(pir_rewriter_context(rewriter), *by),
                      .operands = &x,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1};
  pir_value *y = pir_op_result(pir_rewriter_create(rewriter, tanh, &spec), 0);
  pir_rewriter_replace(rewriter, tanh, &y);
  return true;
}

static pir_status exchange(pir_pass_run *run) {
  uint32_t by = pir_run_option_bool(run, "hard", false) ? PD_HARDSIGMOID : PD_SIGMOID;
  pir_pattern pattern = {.name = "exchange tanh",
                         .root = PD_TANH,
                         .match_and_rewrite = exchange_tanh,
                         .user = &by};
  return pir_rewrite_greedy(run->rewriter, run->program, &pattern, 1, NULL, NULL);
}

static const pir_option_def options[] = {
    {"hard", PIR_OPTION_SWITCH, "by hardsigmoid (default: false)"},
    {NULL, PIR_OPTION_TEXT, NULL}};

static const pir_pass pass = {.name = "exchange_pass",
                              .summary = "replaces tanh by sigmoid",
                              .run = exchange,
                              .options = options};

PIR_PASS_LIBRARY(set, version, message) {
  (void)version;
  return pir_pass_set_add(set, &pass, message);
}
