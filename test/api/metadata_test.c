// Where a model comes from: format, versions, ops by name. Run from the root of the checkout.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pir/compiler/load.h>
#include <pir/engine/metadata.h>

#define FOLDER "test/models/digits_cnn/"
enum { PARAMETERS = 3238 };  // elements, all f32

static pir_model *load(const char *name, const char *cache) {
  pir_model_options options = {.size = sizeof options, .pipeline = "kernels", .cache = cache};
  pir_model *model = NULL;
  assert_int_equal(pir_model_load_file(name, NULL, &options, &model), PIR_OK);
  return model;
}

static pir_model_info info_of(const pir_model *model) {
  pir_model_info info = {.size = sizeof info};
  assert_int_equal(pir_model_info_of(model, &info), PIR_OK);
  return info;
}

static void expect_text(pir_str found, const char *expected) {
  assert_string_equal(found.data, expected);
  assert_int_equal(found.size, strlen(expected));
}

static uint64_t count_of(const pir_model *model, const char *name) {
  pir_op_count count = {.size = sizeof count};
  for (size_t i = 0; pir_model_op_count(model, i, &count) == PIR_OK; i++)
    if (!strcmp(count.name.data, name))
      return count.count;
  return 0;
}

// Names rise, and the counts add up to the ops.
static void check_counts(const pir_model *model) {
  pir_model_info info = info_of(model);
  pir_op_count count = {.size = sizeof count};
  char before[64] = "";
  uint64_t sum = 0;
  for (size_t i = 0; i < info.op_names; i++) {
    assert_int_equal(pir_model_op_count(model, i, &count), PIR_OK);
    assert_true(count.count > 0 && strcmp(before, count.name.data) < 0);
    snprintf(before, sizeof before, "%s", count.name.data);
    sum += count.count;
  }
  assert_int_equal(sum, info.ops);
  assert_int_equal(pir_model_op_count(model, info.op_names, &count), PIR_NOT_FOUND);
  assert_int_equal(count.count, 0);
  assert_int_equal(count.name.size, 0);
}

static void check_json(const pir_model *model) {
  pir_model_info info = info_of(model);
  char version[16];
  snprintf(version, sizeof version, "%d.%d.%d", PIR_VERSION_MAJOR, PIR_VERSION_MINOR,
           PIR_VERSION_PATCH);
  expect_text(info.format, "json");
  assert_int_equal(info.format_version, 4);
  expect_text(info.framework_version, "");
  expect_text(info.library_version, version);
  assert_int_equal(info.params, 14);
  assert_int_equal(info.param_bytes, 4 * PARAMETERS);
  assert_int_equal(count_of(model, "builtin.parameter"), 14);
  assert_int_equal(count_of(model, "pd_op.conv2d"), 2);
  check_counts(model);
}

static void json_states_its_version(void **unused) {
  pir_model *model = load(FOLDER "model.json", NULL);
  (void)unused;
  check_json(model);
  pir_model_release(model);
}

static void pdmodel_states_the_version_of_paddle(void **unused) {
  pir_model *model = load(FOLDER "model.pdmodel", NULL);
  pir_model_info info = info_of(model);
  (void)unused;
  expect_text(info.format, "pdmodel");
  assert_int_equal(info.format_version, 3003001);
  expect_text(info.framework_version, "3.3.1");
  check_counts(model);
  pir_model_release(model);
}

static void a_prepared_model_keeps_it(void **unused) {
  char folder[] = "/tmp/metadata_test.XXXXXX", command[64];
  (void)unused;
  assert_non_null(mkdtemp(folder));
  for (int again = 0; again < 2; again++) {
    pir_model *model = load(FOLDER "model.json", folder);
    pir_model_stats stats = {.size = sizeof stats};
    assert_int_equal(pir_model_stats_of(model, &stats), PIR_OK);
    assert_int_equal(stats.prepared_bytes > 0, again);
    check_json(model);
    pir_model_release(model);
  }
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

// Loads a model of compiled code, and writes its costs.
static uint64_t prepared_bytes_with(const char *machine, const char *folder, char out[128]) {
  pir_model_options options = {.size = sizeof options, .machine = machine, .cache = folder};
  pir_model_stats stats = {.size = sizeof stats};
  pir_model *model = NULL;
  assert_int_equal(pir_model_load_file(FOLDER "model.json", NULL, &options, &model), PIR_OK);
  assert_int_equal(pir_model_stats_of(model, &stats), PIR_OK);
  pir_model_info info = info_of(model);
  assert_true(info.machine.size < 128);
  snprintf(out, 128, "%.*s", (int)info.machine.size, info.machine.data);
  pir_model_release(model);
  return stats.prepared_bytes;
}

// Models that are made with different costs are different ones.
static void costs_are_told_and_kept(void **unused) {
  char folder[] = "/tmp/metadata_test.XXXXXX", command[64], first[128], text[128];
  (void)unused;
  assert_non_null(mkdtemp(folder));
  assert_int_equal(prepared_bytes_with(NULL, NULL, first), 0);
  assert_non_null(strstr(first, ", table, "));
  assert_int_equal(prepared_bytes_with("table", folder, text), 0);
  assert_string_equal(text, first);
  assert_true(prepared_bytes_with("table", folder, text) > 0);
  assert_string_equal(text, first);
  uint64_t bytes = prepared_bytes_with(NULL, folder, text);
  bool measured = strstr(text, ", measured, ");  // unless the machine is too busy
  assert_int_equal(bytes > 0, !measured);
  if (measured) {
    assert_true(prepared_bytes_with(NULL, folder, first) > 0);
    assert_string_equal(text, first);
  }
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

static void note_message(void *user, const pir_diag *diag) {
  snprintf(user, 128, "%.*s", (int)diag->message.size, diag->message.data);
}

static void unknown_costs_are_refused(void **unused) {
  char text[128] = "";
  pir_model *model = NULL;
  pir_model_options options = {
      .size = sizeof options, .machine = "fast", .sink = {note_message, text}};
  (void)unused;
  assert_int_equal(pir_model_load_file(FOLDER "model.json", NULL, &options, &model),
                   PIR_INVALID);
  assert_string_equal(
      text, "machine \"fast\" is not known; known: table, measured, table:N, measured:N");
}

static void a_built_program_has_no_file(void **unused) {
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = pir_program_create(ctx);
  pir_model *model = NULL;
  (void)unused;
  assert_int_equal(pir_model_create(program, NULL, &model), PIR_OK);
  pir_model_info info = info_of(model);
  expect_text(info.format, "");
  assert_true(!info.format_version && !info.ops && !info.op_names && !info.params);
  check_counts(model);
  info.size = 0;
  assert_int_equal(pir_model_info_of(model, &info), PIR_INVALID);
  assert_int_equal(pir_model_info_of(NULL, &info), PIR_INVALID);
  pir_model_release(model);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json_states_its_version),
      cmocka_unit_test(pdmodel_states_the_version_of_paddle),
      cmocka_unit_test(a_prepared_model_keeps_it),
      cmocka_unit_test(costs_are_told_and_kept),
      cmocka_unit_test(unknown_costs_are_refused),
      cmocka_unit_test(a_built_program_has_no_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
