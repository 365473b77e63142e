// Parts of rewriting that text cannot test: listeners, derived attributes, the bound of the
// greedy driver.

#include <pir/dialect/pd_op.h>
#include <pir/dialects.h>
#include <pir/pass.h>
#include <pir/text.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

// A pass is the only way to a rewriter, so the tests' rewriting happens in passes of their own.
typedef struct fixture {
  pir_context *ctx;
  pir_program *program;
  char message[256];
} fixture;

static fixture the_fixture;

static const char program_text[] =
    "{\n"
    "    (%0) = \"pd_op.data\" () "
    "{dtype:float32,name:\"x\",place:Place(undefined:0),shape:[2],stop_gradient:[false]} "
    ": "
    "() -> tensor<2xf32>\n"
    "    (%1) = \"pd_op.exp\" (%0) {op_role:2,stop_gradient:[false]} : (tensor<2xf32>) -> "
    "tensor<-1xf32>\n"
    "    (%2) = \"pd_op.relu\" (%1) {stop_gradient:[false]} : (tensor<-1xf32>) -> "
    "tensor<2xf32>\n"
    "    (%3) = \"pd_op.fetch\" (%2) "
    "{col:0,name:\"out\",persistable:[true],stop_gradient:[false]} : (tensor<2xf32>) "
    "-> "
    "tensor<2xf32>\n"
    "}\n";

static void remember(void *user, const pir_diag *diag) {
  fixture *f = user;
  size_t n =
      diag->message.size < sizeof f->message ? diag->message.size : sizeof f->message - 1;
  memcpy(f->message, diag->message.data, n);
  f->message[n] = 0;
}

static int make(void **state) {
  fixture *f = *state = &the_fixture;
  *f = (fixture){.ctx = pir_context_create(NULL)};
  pir_context_set_sink(f->ctx, (pir_diag_sink){remember, f});
  if (pir_dialects_load_all(f->ctx))
    return 1;
  return pir_program_parse(f->ctx, PIR_STR(program_text), NULL, &f->program);
}

static int drop(void **state) {
  fixture *f = *state;
  pir_program_destroy(f->program);
  pir_context_destroy(f->ctx);
  return 0;
}

static pir_status run(fixture *f, pir_status (*body)(pir_pass_run *run)) {
  pir_pass pass = {.name = "test_pass", .short_name = "", .summary = "", .run = body};
  pir_pass_manager *manager = pir_pass_manager_create(
      f->ctx, &(pir_pass_options){.size = sizeof(pir_pass_options), .verify_each = true});
  pir_status status = pir_pass_manager_add(manager, &pass, NULL, 0);
  if (!status)
    status = pir_pass_manager_run(manager, f->program);
  pir_pass_manager_destroy(manager);
  return status;
}

static pir_op *find(const pir_program *program, uint32_t id) {
  PIR_EACH_OP(op, pir_program_block(program)) if (pir_op_is(op, id)) return op;
  return NULL;
}

// ---- a replacement: exp becomes tanh

typedef struct counts {
  int inserted, changed, erasing;
} counts;

static counts seen;
static void on_inserted(void *user, pir_op *op) {
  ((counts *)user)->inserted++;
}
static void on_changed(void *user, pir_op *op) {
  ((counts *)user)->changed++;
}
static void on_erasing(void *user, pir_op *op) {
  ((counts *)user)->erasing++;
}

static pir_status replace_exp(pir_pass_run *run) {
  pir_rewrite_listener listener = {on_inserted, on_changed, NULL, on_erasing, &seen};
  pir_op *exp = find(run->program, PD_EXP);
  pir_value *x = pir_op_operand(exp, 0);
  const pir_type *type = pir_value_type(x);
  pir_op_spec spec = {.def = pir_context_op(pir_program_context(run->program), PD_TANH),
                      .operands = &x,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1};
  pir_rewriter_listen(run->rewriter, &listener);
  pir_op *tanh = pir_rewriter_create(run->rewriter, exp, &spec);
  pir_rewriter_replace(run->rewriter, exp, (pir_value *[]){pir_op_result(tanh, 0)});
  pir_rewriter_unlisten(run->rewriter, &listener);
  return PIR_OK;
}

static void replacement_derives_and_tells(void **state) {
  fixture *f = *state;
  pir_op *exp = find(f->program, PD_EXP);
  pir_loc loc = pir_op_loc(exp);
  const pir_type *stated = pir_value_type(pir_op_result(exp, 0));
  seen = (counts){0};
  assert_int_equal(run(f, replace_exp), PIR_OK);
  pir_op *tanh = find(f->program, PD_TANH);
  assert_non_null(tanh);
  assert_null(find(f->program, PD_EXP));
  assert_int_equal(pir_op_loc(tanh), loc);
  assert_ptr_equal(pir_value_type(pir_op_result(tanh, 0)), stated);
  const pir_attr *no = pir_attr_bool(f->ctx, false);
  assert_ptr_equal(pir_op_attr_str(tanh, "stop_gradient"), pir_attr_array(f->ctx, &no, 1));
  assert_ptr_equal(pir_op_attr_str(tanh, "op_role"), pir_attr_int(f->ctx, PIR_ATTR_I32, 2));
  assert_int_equal(seen.inserted, 1);
  assert_int_equal(seen.changed, 1);
  assert_int_equal(seen.erasing, 1);
}

// ---- two patterns that undo each other

static bool become(pir_op *op, pir_rewriter *rewriter, uint32_t id) {
  pir_value *x = pir_op_operand(op, 0);
  const pir_type *type = pir_value_type(pir_op_result(op, 0));
  pir_op_spec spec = {.def = pir_context_op(pir_op_context(op), id),
                      .operands = &x,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1};
  pir_op *made = pir_rewriter_create(rewriter, op, &spec);
  pir_rewriter_replace(rewriter, op, (pir_value *[]){pir_op_result(made, 0)});
  return true;
}

static bool to_tanh(pir_op *op, pir_rewriter *rewriter, void *user) {
  return become(op, rewriter, PD_TANH);
}
static bool to_exp(pir_op *op, pir_rewriter *rewriter, void *user) {
  return become(op, rewriter, PD_EXP);
}

static pir_status oscillate(pir_pass_run *run) {
  const pir_pattern patterns[] = {{"exp to tanh", PD_EXP, 1, to_tanh, NULL, "a.drr:1"},
                                  {"tanh to exp", PD_TANH, 1, to_exp, NULL, NULL}};
  return pir_rewrite_greedy(run->rewriter, run->program, patterns, 2, NULL, NULL);
}

static void oscillation_is_reported(void **state) {
  fixture *f = *state;
  assert_int_equal(run(f, oscillate), PIR_EXHAUSTED);
  assert_non_null(strstr(f->message, "rewriting does not come to an end"));
  assert_non_null(strstr(
      f->message, "exp to tanh (a.drr:1) and tanh to exp undo each other again and again"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(replacement_derives_and_tells, make, drop),
      cmocka_unit_test_setup_teardown(oscillation_is_reported, make, drop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
