// Pass managers and rules that are asked for what they do not have, or are given nothing, and
// logs that take nothing: a status, and a message wherever there is a context to tell it to.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pir/compiler/dialects.h>
#include <pir/compiler/pass.h>
#include <pir/compiler/rules.h>
#include <pir/compiler/text.h>

static const char program_text[] =
    "{\n"
    "    (%0) = \"pd_op.data\" () {dtype:float32,name:\"x\",place:Place(cpu),shape:[2]} : () "
    "-> "
    "tensor<2xf32>\n"
    "    (%1) = \"pd_op.relu\" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    (%2) = \"pd_op.abs\" (%0) {} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    (%3) = \"pd_op.fetch\" (%1) {col:0,name:\"y\"} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "}\n";

typedef struct fixture {
  pir_context *ctx;
  pir_program *program;
} fixture;

static int make(void **state) {
  fixture *f = calloc(1, sizeof *f);
  f->ctx = pir_context_create(NULL);
  assert_int_equal(pir_dialects_load_all(f->ctx), PIR_OK);
  assert_int_equal(pir_program_parse(f->ctx, PIR_STR(program_text), NULL, &f->program), PIR_OK);
  *state = f;
  return 0;
}

static int drop(void **state) {
  fixture *f = *state;
  pir_program_destroy(f->program);
  pir_context_destroy(f->ctx);
  free(f);
  return 0;
}

// Calls that fail with a status, and a message in the context.
#define TELLS(call, status)                                                                    \
  do {                                                                                         \
    size_t errors_before = pir_context_error_count(f->ctx);                                    \
    assert_int_equal(call, status);                                                            \
    assert_int_equal(pir_context_error_count(f->ctx), errors_before + 1);                      \
  } while (0)

static void managers_refuse_nothing(void **state) {
  fixture *f = *state;
  const pir_pass *pass = pir_pass_find(PIR_STR("dce"));
  assert_null(pir_pass_manager_create(NULL, NULL));
  pir_pass_manager_destroy(NULL);
  pir_pass_manager *manager = pir_pass_manager_create(f->ctx, NULL);
  assert_int_equal(pir_pass_manager_add(NULL, pass, NULL, 0), PIR_INVALID);
  TELLS(pir_pass_manager_add(manager, NULL, NULL, 0), PIR_INVALID);
  TELLS(pir_pass_manager_add(manager, pass, NULL, 1), PIR_INVALID);
  assert_int_equal(pir_pass_manager_parse(NULL, PIR_STR("dce")), PIR_INVALID);
  assert_int_equal(pir_pass_manager_delete(NULL, PIR_STR("dce")), PIR_INVALID);
  assert_int_equal(pir_pass_manager_insert(NULL, PIR_STR("dce")), PIR_INVALID);
  assert_int_equal(pir_pass_manager_print_rest(NULL, (pir_writer){0}), PIR_INVALID);
  TELLS(pir_pass_manager_print_rest(manager, (pir_writer){0}), PIR_INVALID);
  TELLS(pir_pass_manager_run(NULL, f->program), PIR_INVALID);
  TELLS(pir_pass_manager_run(manager, NULL), PIR_INVALID);
  assert_int_equal(pir_pass_manager_count(manager), 0);
  pir_pass_manager_destroy(manager);
  assert_null(pir_pass_at(pir_passes()));
  assert_null(pir_pipeline_name(pir_pipelines()));
}

static bool write_nothing(void *user, const char *data, size_t size) {
  return false;
}

static void what_cannot_be_written_is_told(void **state) {
  fixture *f = *state;
  pir_pass_manager *manager = pir_pass_manager_create(f->ctx, NULL);
  assert_int_equal(pir_pass_manager_parse(manager, PIR_STR("cse{max-ops=2}")), PIR_OK);
  pir_writer full = {write_nothing, NULL};
  TELLS(pir_pass_manager_print_rest(manager, full), PIR_IO);
  pir_pass_manager_destroy(manager);
}

static bool count_writes(void *user, const char *data, size_t size) {
  ++*(int *)user;
  return true;
}

// Everything that is logged at once.
static pir_pass_options wordy(pir_writer log) {
  static const char *const names[] = {"dce"};
  return (pir_pass_options){.size = sizeof(pir_pass_options),
                            .print_changed = true,
                            .timing = true,
                            .stats = true,
                            .print_after_all = true,
                            .trace_rewrites = true,
                            .timing_json = true,
                            .print_before = names,
                            .print_before_count = 1,
                            .log = log};
}

static void a_log_may_be_missing(void **state) {
  fixture *f = *state;
  int writes = 0;
  for (int logged = 0; logged < 2; logged++) {
    pir_program *copy = pir_program_clone(f->program);
    pir_pass_options options =
        wordy(logged ? (pir_writer){count_writes, &writes} : (pir_writer){0});
    pir_pass_manager *manager = pir_pass_manager_create(f->ctx, &options);
    assert_int_equal(pir_pass_manager_parse(manager, PIR_STR("dce")), PIR_OK);
    assert_int_equal(pir_pass_manager_run(manager, copy), PIR_OK);
    assert_int_equal(writes > 0, logged);
    pir_pass_manager_destroy(manager);
    pir_program_destroy(copy);
  }
}

static void rules_refuse_nothing(void **state) {
  fixture *f = *state;
  static const char text[] =
      "rule r { match { (%y) = \"pd_op.relu\" (%x) } emit { (%y) = \"pd_op.tanh\" (%x) } }";
  pir_rules *rules = NULL;
  pir_program *sample;
  pir_rule_info info = {.size = sizeof info};
  char why[64];
  uint64_t count;
  assert_int_equal(pir_rules_load(NULL, PIR_STR(text), NULL, &rules), PIR_INVALID);
  TELLS(pir_rules_load(f->ctx, PIR_STR(text), NULL, NULL), PIR_INVALID);
  pir_rules_destroy(NULL);
  assert_int_equal(pir_rules_load(f->ctx, PIR_STR(text), NULL, &rules), PIR_OK);
  assert_null(pir_rules_pass(rules, pir_rules_passes(rules)));
  const pir_rule_pass *set = pir_rules_pass(rules, 0)->rules;
  assert_int_equal(pir_rule_pass_rule(NULL, 0, &info), PIR_INVALID);
  assert_int_equal(pir_rule_pass_rule(set, 1, &info), PIR_NOT_FOUND);
  assert_int_equal(pir_rule_sample(NULL, set, 0, 1, &sample, why, sizeof why), PIR_INVALID);
  TELLS(pir_rule_sample(f->ctx, NULL, 0, 1, &sample, why, sizeof why), PIR_INVALID);
  TELLS(pir_rule_sample(f->ctx, set, 0, 1, NULL, why, sizeof why), PIR_INVALID);
  TELLS(pir_rule_sample(f->ctx, set, 0, 1, &sample, NULL, 0), PIR_INVALID);
  assert_int_equal(pir_rule_apply(NULL, set, 0, &count), PIR_INVALID);
  TELLS(pir_rule_apply(f->program, NULL, 0, &count), PIR_INVALID);
  TELLS(pir_rule_apply(f->program, set, 0, NULL), PIR_INVALID);
  TELLS(pir_rule_apply(f->program, set, 1, &count), PIR_NOT_FOUND);
  assert_int_equal(pir_rule_apply(f->program, set, 0, &count), PIR_OK);
  assert_int_equal(count, 1);
  pir_rules_destroy(rules);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(managers_refuse_nothing, make, drop),
      cmocka_unit_test_setup_teardown(what_cannot_be_written_is_told, make, drop),
      cmocka_unit_test_setup_teardown(a_log_may_be_missing, make, drop),
      cmocka_unit_test_setup_teardown(rules_refuse_nothing, make, drop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
