// Parts of rewriting that text cannot test: listeners, derived attributes, the bound of the
// greedy driver.

#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/pass.h>
#include <pir/compiler/text.h>

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

// ---- patterns that come to no end alone

static bool to_itself(pir_op *op, pir_rewriter *rewriter, void *user) {
  return become(op, rewriter, PD_EXP);
}

static pir_status repeat(pir_pass_run *run) {
  const pir_pattern pattern = {"exp to exp", PD_EXP, 1, to_itself, NULL, NULL};
  return pir_rewrite_greedy(run->rewriter, run->program, &pattern, 1, NULL, NULL);
}

static void repetition_is_reported(void **state) {
  fixture *f = *state;
  assert_int_equal(run(f, repeat), PIR_EXHAUSTED);
  assert_non_null(strstr(f->message, "rewrites exp to exp fires again and again"));
}

// Changes the op, and says that it did not.
static bool change_silently(pir_op *op, pir_rewriter *rewriter, void *user) {
  pir_context *ctx = pir_op_context(op);
  pir_rewriter_set_attr(rewriter, op, pir_name_get(ctx, PIR_STR("_n")),
                        pir_attr_int(ctx, PIR_ATTR_I64, ++*(int64_t *)user));
  return false;
}

static pir_status change_for_ever(pir_pass_run *run) {
  int64_t changes = 0;
  const pir_pattern pattern = {"silent", PD_EXP, 1, change_silently, &changes, NULL};
  return pir_rewrite_greedy(
      run->rewriter, run->program, &pattern, 1,
      &(pir_greedy_options){.size = sizeof(pir_greedy_options), .max_rewrites = 2}, NULL);
}

static void silent_changes_are_bounded(void **state) {
  fixture *f = *state;
  assert_int_equal(run(f, change_for_ever), PIR_EXHAUSTED);
  assert_non_null(strstr(f->message, "visits without a rewrite"));
}

// ---- what the driver says and erases

static bool never(pir_op *op, pir_rewriter *rewriter, void *user) {
  return false;
}

static pir_status rewrite_once(pir_pass_run *run) {
  const pir_pattern to = {"exp to tanh", PD_EXP, 1, to_tanh, NULL, NULL},
                    none = {"none", 0, 1, never, NULL, NULL};
  bool changed = false;
  pir_status status = pir_rewrite_greedy(run->rewriter, run->program, &to, 1, NULL, &changed);
  assert_true(changed);
  if (!status)
    status = pir_rewrite_greedy(run->rewriter, run->program, &none, 1, NULL, &changed);
  assert_false(changed);
  return status;
}

static void driver_tells_changes(void **state) {
  fixture *f = *state;
  assert_int_equal(run(f, rewrite_once), PIR_OK);
  assert_non_null(find(f->program, PD_TANH));
}

// A product of a value with itself is dead, and one whose factor has one reader then.
static const char dead_text[] =
    "{\n"
    "    (%0) = \"pd_op.data\" () {dtype:float32,name:\"x\",place:Place(cpu),shape:[2]} : () "
    "-> "
    "tensor<2xf32>\n"
    "    (%1) = \"pd_op.exp\" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    (%2) = \"pd_op.multiply\" (%1, %1) {} : (tensor<2xf32>, tensor<2xf32>) -> "
    "tensor<2xf32>\n"
    "    (%3) = \"pd_op.sin\" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    (%4) = \"pd_op.cos\" (%3) {} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    (%5) = \"pd_op.tan\" (%3) {} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    (%6, %7, %8) = \"pd_op.layer_norm\" (%3, <<NULL VALUE>>, <<NULL VALUE>>) "
    "{begin_norm_axis:0,epsilon:1e-05} : (tensor<2xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> "
    "tensor<2xf32>, tensor<1xf32>, tensor<1xf32>\n"
    "    (%9) = \"pd_op.fetch\" (%4) {col:0,name:\"out\"} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "}\n";

static pir_status erase_dead(pir_pass_run *run) {
  const pir_pattern none = {"none", PD_EXP, 1, never, NULL, NULL};
  return pir_rewrite_greedy(
      run->rewriter, run->program, &none, 1,
      &(pir_greedy_options){.size = sizeof(pir_greedy_options), .erase_dead = true}, NULL);
}

static void dead_ops_are_erased(void **state) {
  fixture *f = *state;
  pir_program_destroy(f->program);
  assert_int_equal(pir_program_parse(f->ctx, PIR_STR(dead_text), NULL, &f->program), PIR_OK);
  assert_int_equal(run(f, erase_dead), PIR_OK);
  assert_null(find(f->program, PD_EXP));
  assert_null(find(f->program, PD_MULTIPLY));
  assert_null(find(f->program, PD_TAN));
  assert_null(find(f->program, PD_LAYER_NORM));
  assert_non_null(find(f->program, PD_COS));
  assert_int_equal(pir_block_count(pir_program_block(f->program)), 4);
}

// ---- an op with regions: listeners hear of its parts, readers first

static const char branch_text[] =
    "{\n"
    "    (%0) = \"pd_op.data\" () {dtype:bool,name:\"c\",place:Place(cpu),shape:[1]} : () -> "
    "tensor<1xb>\n"
    "    () = \"pd_op.if\" (%0) {} ->  {\n"
    "        (%1) = \"pd_op.logical_not\" (%0) {} : (tensor<1xb>) -> tensor<1xb>\n"
    "        () = \"cf.yield\" () {} : () -> \n"
    "    } else {\n"
    "        () = \"cf.yield\" () {} : () -> \n"
    "    }\n"
    "}\n";

typedef struct erased_ops {
  const pir_opdef *defs[8];
  int count, replaced;
} erased_ops;

static void remember_erased(void *user, pir_op *op) {
  erased_ops *e = user;
  e->defs[e->count++] = pir_op_def(op);
}
static void remember_replaced(void *user, pir_op *op, pir_value *const *by) {
  ((erased_ops *)user)->replaced++;
}

static erased_ops erased;

static pir_status erase_branch(pir_pass_run *run) {
  pir_rewrite_listener listener = {
      .replaced = remember_replaced, .erasing = remember_erased, .user = &erased};
  pir_rewriter_listen(run->rewriter, &listener);
  pir_rewriter_replace(run->rewriter, find(run->program, PD_IF), NULL);
  pir_rewriter_unlisten(run->rewriter, &listener);
  return PIR_OK;
}

static void parts_are_erased_after_their_readers(void **state) {
  fixture *f = *state;
  pir_program_destroy(f->program);
  assert_int_equal(pir_program_parse(f->ctx, PIR_STR(branch_text), NULL, &f->program), PIR_OK);
  erased = (erased_ops){0};
  assert_int_equal(run(f, erase_branch), PIR_OK);
  assert_int_equal(erased.replaced, 1);
  assert_int_equal(erased.count, 4);
  assert_int_equal(erased.defs[2]->id, PD_LOGICAL_NOT);
  assert_int_equal(erased.defs[3]->id, PD_IF);
  assert_null(find(f->program, PD_IF));
}

// ---- parameters that a caller gives

static const char parameters_text[] =
    "{\n"
    "    (%0) = \"builtin.parameter\" () {parameter_name:\"good\"} : () -> tensor<4xf32>\n"
    "    (%1) = \"builtin.parameter\" () {parameter_name:\"short\"} : () -> tensor<4xf32>\n"
    "    (%2) = \"builtin.parameter\" () {parameter_name:\"deep\"} : () -> tensor<4xf32>\n"
    "    (%3) = \"pd_op.tanh\" (%0) {} : (tensor<4xf32>) -> tensor<4xf32>\n"
    "    (%4) = \"pd_op.exp\" (%1) {} : (tensor<4xf32>) -> tensor<4xf32>\n"
    "    (%5) = \"pd_op.sin\" (%2) {} : (tensor<4xf32>) -> tensor<4xf32>\n"
    "    (%6) = \"pd_op.fetch\" (%3) {col:0,name:\"a\"} : (tensor<4xf32>) -> tensor<4xf32>\n"
    "    (%7) = \"pd_op.fetch\" (%4) {col:1,name:\"b\"} : (tensor<4xf32>) -> tensor<4xf32>\n"
    "    (%8) = \"pd_op.fetch\" (%5) {col:2,name:\"c\"} : (tensor<4xf32>) -> tensor<4xf32>\n"
    "}\n";

// A result that is no larger than its operands is folded whatever the bound; parameters whose
// bytes do not fit their shape, or with too many axes, are not read.
static void parameters_that_do_not_fit_are_not_folded(void **state) {
  static const float numbers[4] = {1, 2, 3, 4};
  int64_t dims[PIR_MAX_RANK + 1] = {4};
  for (size_t i = 1; i <= PIR_MAX_RANK; i++)
    dims[i] = 1;
  const pir_param params[] = {
      {PIR_STR("good"), PIR_F32, {dims, 1}, numbers, sizeof numbers, NULL, NULL},
      {PIR_STR("short"), PIR_F32, {dims, 1}, numbers, sizeof numbers - 1, NULL, NULL},
      {PIR_STR("deep"),
       PIR_F32,
       {dims, PIR_MAX_RANK + 1},
       numbers,
       sizeof numbers,
       NULL,
       NULL}};
  fixture *f = *state;
  pir_program_destroy(f->program);
  assert_int_equal(pir_program_parse(f->ctx, PIR_STR(parameters_text), NULL, &f->program),
                   PIR_OK);
  for (size_t i = 0; i < 3; i++)
    pir_program_adopt_param(f->program, &params[i]);
  pir_pass_manager *manager = pir_pass_manager_create(f->ctx, NULL);
  assert_int_equal(pir_pass_manager_parse(manager, PIR_STR("fold{sources=false,max-bytes=1}")),
                   PIR_OK);
  assert_int_equal(pir_pass_manager_run(manager, f->program), PIR_OK);
  pir_pass_manager_destroy(manager);
  assert_true(pir_op_unused(find(f->program, PD_TANH)));
  assert_false(pir_op_unused(find(f->program, PD_EXP)));
  assert_false(pir_op_unused(find(f->program, PD_SIN)));
  const pir_param *folded = pir_program_param(f->program, PIR_STR("constant_folding@_0"));
  assert_non_null(folded);
  assert_int_equal(folded->size, sizeof numbers);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(replacement_derives_and_tells, make, drop),
      cmocka_unit_test_setup_teardown(oscillation_is_reported, make, drop),
      cmocka_unit_test_setup_teardown(repetition_is_reported, make, drop),
      cmocka_unit_test_setup_teardown(silent_changes_are_bounded, make, drop),
      cmocka_unit_test_setup_teardown(driver_tells_changes, make, drop),
      cmocka_unit_test_setup_teardown(dead_ops_are_erased, make, drop),
      cmocka_unit_test_setup_teardown(parts_are_erased_after_their_readers, make, drop),
      cmocka_unit_test_setup_teardown(parameters_that_do_not_fit_are_not_folded, make, drop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
