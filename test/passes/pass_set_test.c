// Sets of passes of the program: which passes join one, and that pipeline texts of a context,
// and of models made in it, name them.
#include "../api/report.h"

#include <pir/compiler/build/pd_op.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/pass_library.h>
#include <pir/engine/model.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int runs;

static pir_status count_run(pir_pass_run *run) {
  pir_run_count(run, "runs", 1);
  runs += (int)pir_run_option_int(run, "by", 1);
  return PIR_OK;
}

static const pir_option_def takes_by[] = {{"by", PIR_OPTION_NUMBER, "how much"}, {0}};
static const pir_pass counting = {.name = "count_pass", .run = count_run, .options = takes_by};

static void expect_refused(pir_pass_set *set, const pir_pass *pass, const char *why) {
  pir_message message = {{0}};
  assert_int_equal(pir_pass_set_add(set, pass, &message), PIR_INVALID);
  assert_string_equal(message.text, why);
}

static pir_pass_set *set_of(const pir_pass *pass) {
  pir_message message = {{0}};
  pir_pass_set *set;
  assert_int_equal(pir_pass_set_create(NULL, &set), PIR_OK);
  assert_int_equal(pir_pass_set_add(set, pass, &message), PIR_OK);
  return set;
}

static void only_new_names_join(void **unused) {
  static const pir_option_def bad[] = {{"a b", PIR_OPTION_TEXT, ""}, {0}};
  (void)unused;
  pir_pass_set *set = set_of(&counting);
  expect_refused(set, &counting,
                 "the name 'count_pass' is taken by another pass or a pipeline");
  expect_refused(set, &(pir_pass){.name = "count", .run = count_run},
                 "the name 'count' is taken by another pass or a pipeline");
  expect_refused(set, &(pir_pass){.name = "cse_pass", .run = count_run},
                 "the name 'cse_pass' is taken by another pass or a pipeline");
  expect_refused(set, &(pir_pass){.name = "other", .short_name = "dce", .run = count_run},
                 "the name 'dce' is taken by another pass or a pipeline");
  expect_refused(set, &(pir_pass){.name = "a,b", .run = count_run},
                 "'a,b' is no name of a pass");
  expect_refused(set, &(pir_pass){.name = "idle"}, "pass 'idle' has no function");
  expect_refused(set, &(pir_pass){.name = "odd", .run = count_run, .options = bad},
                 "pass 'odd' declares a bad option 'a b'");
  assert_int_equal(pir_pass_set_count(set), 1);
  assert_ptr_equal(pir_pass_set_at(set, 0), &counting);
  assert_null(pir_pass_set_at(set, 1));
  pir_pass_set_destroy(set);
}

typedef struct world {
  report told;
  pir_context *ctx;
  pir_program *program;
  pir_pass_set *set;
} world;

static void start(world *w) {
  *w = (world){.set = set_of(&counting)};
  pir_context_options options = {.size = sizeof options, .sink = {keep_report, &w->told}};
  w->ctx = pir_context_create(&options);
  assert_int_equal(pir_dialects_load_all(w->ctx), PIR_OK);
  w->program = pir_program_create(w->ctx);
  pir_op_builder *b;
  assert_int_equal(pir_op_builder_create(w->program, &b), PIR_OK);
  pir_pd_fetch(b, pir_pd_data(b, "x", PIR_INTS(2), PIR_F32, NULL), "y", 0);
  assert_int_equal(pir_op_builder_status(b), PIR_OK);
  pir_op_builder_destroy(b);
  runs = 0;
}

static void finish(world *w) {
  pir_program_destroy(w->program);
  pir_context_destroy(w->ctx);
  pir_pass_set_destroy(w->set);
}

static void texts_name_them(void **unused) {
  world w;
  (void)unused;
  start(&w);
  pir_pass_manager *manager = pir_pass_manager_create(w.ctx, NULL);
  assert_int_equal(pir_pass_manager_parse(manager, PIR_STR("count")), PIR_INVALID);
  assert_string_equal(w.told.message, "unknown pass 'count'; did you mean 'cut'?");
  pir_pass_set_register(w.set, w.ctx);
  assert_int_equal(pir_pass_manager_parse(manager, PIR_STR("count{by=3},dce,count_pass")),
                   PIR_OK);
  assert_int_equal(pir_pass_manager_parse(manager, PIR_STR("count{by=x}")), PIR_INVALID);
  assert_string_equal(w.told.message, "option by of pass count_pass expects a number, has 'x'");
  assert_int_equal(pir_pass_manager_run(manager, w.program), PIR_OK);
  assert_int_equal(runs, 4);
  pir_pass_manager_destroy(manager);
  expect_refused(w.set, &(pir_pass){.name = "late", .run = count_run},
                 "pass 'late' comes too late: the set has been registered");
  finish(&w);
}

static void models_of_the_context_name_them(void **unused) {
  world w;
  pir_model *model;
  (void)unused;
  start(&w);
  pir_pass_set_register(w.set, w.ctx);
  pir_model_options options = {.size = sizeof options, .pipeline = "count{by=5},kernels"};
  assert_int_equal(pir_model_create(w.program, &options, &model), PIR_OK);
  assert_int_equal(runs, 5);
  pir_model_release(model);
  finish(&w);
}

// Every load runs the pass: nothing is prepared that does not depend on the set.
static void models_that_are_loaded_name_them(void **unused) {
  pir_pass_set *set = set_of(&counting);
  char cache[] = "/tmp/pir-passes-XXXXXX", clear[64];
  (void)unused;
  assert_non_null(mkdtemp(cache));
  pir_model_options options = {
      .size = sizeof options, .pipeline = "count{by=5},compile", .cache = cache, .passes = set};
  runs = 0;
  for (int i = 1; i <= 2; i++) {
    pir_model *model;
    pir_model_stats stats = {.size = sizeof stats};
    assert_int_equal(
        pir_model_load_file("test/models/digits_cnn/model.json", NULL, &options, &model),
        PIR_OK);
    assert_int_equal(pir_model_stats_of(model, &stats), PIR_OK);
    assert_int_equal(stats.prepared_bytes, 0);
    assert_int_equal(runs, 5 * i);
    pir_model_release(model);
  }
  pir_pass_set_destroy(set);
  snprintf(clear, sizeof clear, "rm -rf %s", cache);
  assert_int_equal(system(clear), 0);
}

static void a_library_that_is_none(void **unused) {
  (void)unused;
  pir_message message = {{0}};
  pir_pass_set *set = set_of(&counting);
  assert_int_equal(pir_pass_set_load(set, "/nowhere/passes.so", &message), PIR_NOT_FOUND);
  assert_non_null(strstr(message.text, "/nowhere/passes.so"));
  assert_int_equal(pir_pass_set_load(set, NULL, &message), PIR_INVALID);
  assert_int_equal(pir_pass_set_load(set, "x", NULL), PIR_INVALID);
  assert_int_equal(pir_pass_set_count(set), 1);
  pir_pass_set_destroy(set);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(only_new_names_join),
                                     cmocka_unit_test(texts_name_them),
                                     cmocka_unit_test(models_of_the_context_name_them),
                                     cmocka_unit_test(models_that_are_loaded_name_them),
                                     cmocka_unit_test(a_library_that_is_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
