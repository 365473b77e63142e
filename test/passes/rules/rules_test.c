// Rules through the C API: a helper of the caller's, imports read by the caller, passes found
// by name, reported errors.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pir/compiler/dialects.h>
#include <pir/compiler/rules.h>
#include <pir/compiler/text.h>

typedef struct fixture {
  pir_context *ctx;
  char message[512];
} fixture;

static void keep_message(void *user, const pir_diag *diag) {
  fixture *f = user;
  if (!f->message[0])
    pir_text_format(f->message, sizeof f->message, "%.*s", (int)diag->message.size,
                    diag->message.data);
}

static int make(void **state) {
  fixture *f = calloc(1, sizeof *f);
  f->ctx = pir_context_create(NULL);
  assert_int_equal(pir_dialects_load_all(f->ctx), PIR_OK);
  pir_context_set_sink(f->ctx, (pir_diag_sink){keep_message, f});
  *state = f;
  return 0;
}

static int drop(void **state) {
  fixture *f = *state;
  pir_context_destroy(f->ctx);
  free(f);
  return 0;
}

// Whether a list of integers, or the first extent of a value, is even.
static pir_rule_value is_even(const pir_rule_call *call) {
  assert_int_equal(call->arg_count, 2);
  assert_int_equal(call->args[0].kind, PIR_RULE_VALUE);
  assert_int_equal(call->args[1].kind, PIR_RULE_INT);
  const pir_fact *fact = pir_facts_of(call->facts, call->args[0].value);
  assert_true(fact->known);
  return (pir_rule_value){.kind = PIR_RULE_BOOL,
                          .i = (fact->shape[0] + call->args[1].i) % 2 == 0};
}

static const pir_rule_helper helpers[] = {{"is_even", 2, is_even}, {"is_odd", 2, is_even}};

// Counts the files that are read.
static pir_status read_import(void *user, pir_str path, pir_str *out_text) {
  bool odd = pir_str_equal(path, PIR_STR("odd.inc.drr"));
  if (!odd && !pir_str_equal(path, PIR_STR("even.inc.drr")))
    return PIR_NOT_FOUND;
  if (user)
    ++*(int *)user;
  *out_text = odd ? PIR_STR("extern @is_odd(%x, $n)\n") : PIR_STR("extern @is_even(%x, $n)\n");
  return PIR_OK;
}

static const char text[] =
    "import \"even.inc.drr\"\n"
    "pass to_tanh short tt level 1 \"relu of an even number of rows becomes tanh\" {\n"
    "  rule r {\n"
    "    match { (%y) = \"pd_op.relu\" (%x) }\n"
    "    where @is_even(%x, 2)\n"
    "    emit { (%y) = \"pd_op.tanh\" (%x) }\n"
    "  }\n"
    "}\n";

static pir_rules_options options(void) {
  return (pir_rules_options){.size = sizeof(pir_rules_options),
                             .file = PIR_STR("dir/even.drr"),
                             .helpers = helpers,
                             .helper_count = 2,
                             .read = read_import};
}

// Reads a program with that many rows, runs pipeline "tt" on it, and tells whether the relu is
// still there.
static bool stays(fixture *f, const pir_rules *rules, int rows) {
  char source[512];
  size_t n = pir_text_format(source, sizeof source,
                             "{\n (%%0) = \"pd_op.data\" () "
                             "{dtype:float32,name:\"x\",place:Place(cpu),shape:[%d]} : () -> "
                             "tensor<%dxf32>\n (%%1) = \"pd_op.relu\" (%%0) {} : "
                             "(tensor<%dxf32>) -> tensor<%dxf32>\n}\n",
                             rows, rows, rows, rows);
  pir_program *program;
  assert_int_equal(pir_program_parse(f->ctx, (pir_str){source, n}, NULL, &program), PIR_OK);
  pir_pass_manager *manager = pir_pass_manager_create(f->ctx, NULL);
  pir_pass_manager_know(manager, pir_rules_pass(rules, 0));
  assert_int_equal(pir_pass_manager_parse(manager, PIR_STR("tt")), PIR_OK);
  assert_true(pir_pass_manager_has(manager, pir_rules_pass(rules, 0)));
  assert_false(pir_pass_manager_has(manager, pir_pass_find(PIR_STR("cse"))));
  assert_int_equal(pir_pass_manager_run(manager, program), PIR_OK);
  bool found = pir_str_equal(pir_op_name(pir_block_last(pir_program_block(program))),
                             PIR_STR("pd_op.relu"));
  pir_pass_manager_destroy(manager);
  pir_program_destroy(program);
  return found;
}

static void rules_load_and_run(void **state) {
  fixture *f = *state;
  pir_rules *rules;
  pir_rules_options with = options();
  assert_int_equal(pir_rules_load(f->ctx, pir_str_from(text), &with, &rules), PIR_OK);
  assert_int_equal(pir_rules_passes(rules), 1);
  const pir_pass *pass = pir_rules_pass(rules, 0);
  assert_string_equal(pass->name, "to_tanh");
  assert_string_equal(pass->short_name, "tt");
  assert_int_equal(pass->level, 1);
  assert_null(pir_rules_pass(rules, 1));
  pir_rule_info info = {.size = sizeof info};
  assert_int_equal(pir_rule_pass_rule(pass->rules, 0, &info), PIR_OK);
  assert_string_equal(info.origin, "even.drr:3");
  assert_int_equal(pir_rule_pass_rule(pass->rules, 99, &info), PIR_NOT_FOUND);
  assert_false(stays(f, rules, 4));
  assert_true(stays(f, rules, 3));
  pir_rules_destroy(rules);
}

static void what_is_missing_is_told(void **state) {
  fixture *f = *state;
  pir_rules *rules;
  pir_rules_options with = options();
  with.read = NULL;
  assert_int_equal(pir_rules_load(f->ctx, pir_str_from(text), &with, &rules), PIR_INVALID);
  assert_null(rules);
  assert_string_equal(f->message, "cannot read 'even.inc.drr'");
  f->message[0] = 0;
  with = options();
  with.helper_count = 0;
  assert_int_equal(pir_rules_load(f->ctx, pir_str_from(text), &with, &rules), PIR_INVALID);
  assert_string_equal(f->message, "no helper in C is called 'is_even'");
  f->message[0] = 0;
  assert_int_equal(pir_rules_load(f->ctx, PIR_STR("extern @one_element(%x, %y)"), NULL, &rules),
                   PIR_INVALID);
  assert_string_equal(f->message, "'@one_element' has 1 arguments");
  f->message[0] = 0;
  assert_int_equal(pir_rules_load(f->ctx, pir_str_from(text), NULL, &rules), PIR_INVALID);
  assert_string_equal(f->message, "cannot read 'even.inc.drr'");
}

static void a_file_is_imported_once(void **state) {
  fixture *f = *state;
  pir_rules *rules;
  pir_rules_options with = options();
  int reads = 0;
  with.user = &reads;
  assert_int_equal(pir_rules_load(f->ctx,
                                  PIR_STR("import \"even.inc.drr\"\nimport \"odd.inc.drr\"\n"
                                          "import \"odd.inc.drr\"\nimport \"even.inc.drr\"\n"),
                                  &with, &rules),
                   PIR_OK);
  assert_int_equal(reads, 2);
  pir_rules_destroy(rules);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(rules_load_and_run, make, drop),
      cmocka_unit_test_setup_teardown(what_is_missing_is_told, make, drop),
      cmocka_unit_test_setup_teardown(a_file_is_imported_once, make, drop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
