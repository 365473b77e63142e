// Structs that grow, from both sides: a caller of an earlier version, whose structs are
// shorter, and one of a later version, whose structs are longer. And arguments that are
// missing. Run from the root of the checkout.
#include <pir/compiler/dialects.h>
#include <pir/compiler/formats.h>
#include <pir/compiler/load.h>
#include <pir/engine/model.h>
#include <pir/compiler/pass.h>
#include <pir/compiler/rules.h>
#include <pir/compiler/serialize.h>
#include <pir/compiler/text.h>
#include <pir/compiler/verify.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAM "test/models/digits_cnn/model.json"

static char told[256];
static int reports;

static void remember(void *user, const pir_diag *diag) {
  (void)user;
  assert_int_equal(diag->size, sizeof *diag);
  reports++;
  snprintf(told, sizeof told, "%.*s", (int)diag->message.size, diag->message.data);
}

static const pir_diag_sink sink = {remember, NULL};

static void expect_told(const char *text) {
  assert_string_equal(told, text);
  assert_int_equal(reports, 1);
  told[0] = 0;
  reports = 0;
}

static pir_model *load(void) {
  pir_model_options options = {.size = sizeof options, .pipeline = "kernels", .sink = sink};
  pir_model *model = NULL;
  assert_int_equal(pir_model_load_file(PROGRAM, NULL, &options, &model), PIR_OK);
  return model;
}

// ---- sizes of options

static void a_size_is_required(void **unused) {
  pir_model_options options = {.pipeline = "kernels", .sink = sink};
  pir_model *model = (pir_model *)&options;
  (void)unused;
  assert_int_equal(pir_model_load_file(PROGRAM, NULL, &options, &model), PIR_INVALID);
  assert_null(model);
  expect_told("pir_model_options: size is 0, expects sizeof(pir_model_options)");
  options.size = 100000;
  assert_int_equal(pir_model_load_file(PROGRAM, NULL, &options, &model), PIR_INVALID);
  expect_told("pir_model_options: size is 100000, expects sizeof(pir_model_options)");
  model = load();
  pir_session_options how = {.threads = 1, .sink = sink};
  pir_session *session = (pir_session *)&how;
  assert_int_equal(pir_session_create(model, &how, &session), PIR_INVALID);
  assert_null(session);
  expect_told("pir_session_options: size is 0, expects sizeof(pir_session_options)");
  pir_context_options making = {.sink = sink};
  assert_null(pir_context_create(&making));
  expect_told("pir_context_options: size is 0, expects sizeof(pir_context_options)");
  pir_model_release(model);
}

typedef struct later_options {
  pir_session_options known;
  uint64_t unknown[2];
} later_options;

static void fields_of_a_later_version(void **unused) {
  pir_model *model = load();
  pir_session *session = NULL;
  later_options how = {.known = {.size = sizeof how, .sink = sink}};
  (void)unused;
  assert_int_equal(pir_session_create(model, &how.known, &session), PIR_OK);
  pir_session_destroy(session);
  how.unknown[1] = 1;
  assert_int_equal(pir_session_create(model, &how.known, &session), PIR_UNSUPPORTED);
  assert_null(session);
  char text[96];
  snprintf(text, sizeof text,
           "unsupported: pir_session_options sets a field of a later version than %d.%d.%d",
           PIR_VERSION_MAJOR, PIR_VERSION_MINOR, PIR_VERSION_PATCH);
  expect_told(text);
  pir_context_options making = {
      .size = sizeof making, .limits = {.reserved = {0, 7}}, .sink = sink};
  assert_null(pir_context_create(&making));
  expect_told("unsupported: pir_limits sets a field of a later version");
  pir_model_release(model);
}

// Bytes behind the size of an earlier version belong to somebody else.
static void fields_of_an_earlier_version(void **unused) {
  pir_model *model = load();
  pir_session *session = NULL;
  pir_session_options how;
  (void)unused;
  memset(&how, 0xff, sizeof how);
  how.size = offsetof(pir_session_options, parallel);
  how.threads = 2;
  assert_int_equal(pir_session_create(model, &how, &session), PIR_OK);
  pir_session_destroy(session);
  pir_model_release(model);
}

// Everything else that takes options: none is read without a size.
static void all_options_have_sizes(void **unused) {
  pir_context *ctx = pir_context_create(
      &(pir_context_options){.size = sizeof(pir_context_options), .sink = sink});
  pir_program *program = NULL, *other = (pir_program *)&ctx;
  pir_writer nowhere = {(bool (*)(void *, const char *, size_t))1, NULL};
  (void)unused;
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  assert_int_equal(pir_program_load_file(ctx, PROGRAM, NULL, &program), PIR_OK);
  assert_int_equal(pir_program_print(program, &(pir_print_options){0}, nowhere), PIR_INVALID);
  expect_told("pir_print_options: size is 0, expects sizeof(pir_print_options)");
  assert_int_equal(pir_program_write_json(program, &(pir_json_options){0}, nowhere),
                   PIR_INVALID);
  expect_told("pir_json_options: size is 0, expects sizeof(pir_json_options)");
  assert_int_equal(pir_verify(pir_program_module(program), &(pir_verify_options){0}),
                   PIR_INVALID);
  expect_told("pir_verify_options: size is 0, expects sizeof(pir_verify_options)");
  assert_null(pir_pass_manager_create(ctx, &(pir_pass_options){0}));
  expect_told("pir_pass_options: size is 0, expects sizeof(pir_pass_options)");
  assert_int_equal(pir_program_parse(ctx, PIR_STR("{}"), &(pir_parse_options){0}, &other),
                   PIR_INVALID);
  assert_null(other);
  expect_told("pir_parse_options: size is 0, expects sizeof(pir_parse_options)");
  assert_int_equal(pir_program_read_as(ctx, PIR_STR("{}"), &(pir_read_options){0}, &other),
                   PIR_INVALID);
  expect_told("pir_read_options: size is 0, expects sizeof(pir_read_options)");
  pir_rules *rules = (pir_rules *)&ctx;
  assert_int_equal(pir_rules_load(ctx, PIR_STR(""), &(pir_rules_options){0}, &rules),
                   PIR_INVALID);
  assert_null(rules);
  expect_told("pir_rules_options: size is 0, expects sizeof(pir_rules_options)");
  pir_diag_emit(ctx, &(pir_diag){.message = PIR_STR("unsized")});
  expect_told("pir_diag: size is 0, expects sizeof(pir_diag)");
  pir_program_destroy(program);
  pir_context_destroy(ctx);
}

// ---- structs that the library fills

typedef struct framed_stats {
  pir_model_stats stats;
  uint64_t behind[3];
} framed_stats;

static void answers_fit_the_caller(void **unused) {
  pir_model *model = load();
  framed_stats a = {.stats.size = offsetof(pir_model_stats, kernels_compiled)}, b;
  (void)unused;
  memset(&a.stats.kernels_compiled, 0x5a,
         sizeof a - offsetof(framed_stats, stats.kernels_compiled));
  assert_int_equal(pir_model_stats_of(model, &a.stats), PIR_OK);
  assert_int_equal(a.stats.size, offsetof(pir_model_stats, kernels_compiled));
  assert_true(a.stats.ops > 0 && a.stats.instructions > 0);
  assert_int_equal(a.stats.kernels_compiled, 0x5a5a5a5a5a5a5a5a);
  memset(&b, 0x5a, sizeof b);
  b.stats.size = sizeof b;
  assert_int_equal(pir_model_stats_of(model, &b.stats), PIR_OK);
  assert_int_equal(b.stats.size, sizeof b);
  assert_int_equal(b.stats.ops, a.stats.ops);
  for (size_t i = 0; i < 3; i++)
    assert_int_equal(b.behind[i], 0);
  b.stats = (pir_model_stats){0};
  assert_int_equal(pir_model_stats_of(model, &b.stats), PIR_INVALID);
  assert_int_equal(b.stats.ops, 0);
  pir_port port = {.size = sizeof port};
  assert_int_equal(pir_model_input(model, 0, &port), PIR_OK);
  assert_int_equal(port.size, sizeof port);
  assert_string_equal(port.name.data, "image");
  assert_int_equal(pir_model_input(model, 1, &port), PIR_NOT_FOUND);
  assert_int_equal(port.rank, -1);
  assert_string_equal(port.name.data, "");
  pir_model_release(model);
}

// ---- arguments that are missing

static void missing_arguments_are_refused(void **unused) {
  pir_model_options options = {.size = sizeof options, .sink = sink};
  pir_session_options how = {.size = sizeof how, .sink = sink};
  pir_model *model = NULL;
  pir_session *session = NULL;
  (void)unused;
  assert_int_equal(pir_model_load_file(NULL, NULL, &options, &model), PIR_INVALID);
  expect_told("pir_model_load_file: an argument is NULL");
  assert_int_equal(pir_model_load_file(PROGRAM, NULL, &options, NULL), PIR_INVALID);
  expect_told("pir_model_load_file: an argument is NULL");
  assert_int_equal(pir_model_load((pir_borrowed){0}, (pir_borrowed){0}, &options, &model),
                   PIR_INVALID);
  expect_told("pir_model_load: an argument is NULL");
  assert_int_equal(pir_model_create(NULL, &options, &model), PIR_INVALID);
  expect_told("pir_model_create: an argument is NULL");
  assert_int_equal(pir_session_create(NULL, &how, &session), PIR_INVALID);
  expect_told("pir_session_create: an argument is NULL");
  model = load();
  assert_int_equal(pir_session_create(model, &how, NULL), PIR_INVALID);
  expect_told("pir_session_create: an argument is NULL");
  assert_int_equal(pir_model_stats_of(NULL, NULL), PIR_INVALID);
  assert_int_equal(pir_model_stats_of(model, NULL), PIR_INVALID);
  assert_int_equal(pir_model_input(model, 0, NULL), PIR_INVALID);
  assert_int_equal(pir_session_create(model, &how, &session), PIR_OK);
  assert_int_equal(pir_session_output(session, 0, NULL), PIR_INVALID);
  assert_string_equal(pir_session_message(session), "output 0: no tensor is given");
  assert_int_equal(pir_session_stats_of(session, NULL), PIR_INVALID);
  assert_int_equal(pir_session_stats_of(NULL, NULL), PIR_INVALID);
  pir_tensor tensor = {.reserved = {1, 0}, .dtype = PIR_F32};
  assert_int_equal(pir_session_bind_input(session, 0, &tensor), PIR_UNSUPPORTED);
  assert_string_equal(pir_session_message(session),
                      "unsupported: input 0 \"image\" sets a field of a later version");
  pir_session_destroy(session);
  pir_model_release(model);
}

static void readers_refuse_missing_arguments(void **unused) {
  pir_context *ctx = pir_context_create(
      &(pir_context_options){.size = sizeof(pir_context_options), .sink = sink});
  pir_program *program = NULL;
  char *path = NULL;
  size_t bytes;
  (void)unused;
  assert_int_equal(pir_program_load_file(NULL, PROGRAM, NULL, &program), PIR_INVALID);
  assert_int_equal(reports, 0);
  assert_int_equal(pir_program_load_file(ctx, NULL, NULL, &program), PIR_INVALID);
  expect_told("pir_program_load_file: an argument is NULL");
  assert_int_equal(pir_program_read(ctx, PIR_STR("{}"), PIR_STR("a"), NULL), PIR_INVALID);
  expect_told("pir_program_read: an argument is NULL");
  assert_int_equal(pir_program_parse(ctx, PIR_STR("{}"), NULL, NULL), PIR_INVALID);
  expect_told("pir_program_parse: an argument is NULL");
  assert_int_equal(pir_program_find(NULL, &path), PIR_INVALID);
  assert_int_equal(pir_verify(NULL, NULL), PIR_INVALID);
  assert_int_equal(pir_shape_bytes(NULL, 2, PIR_F32, &bytes), PIR_INVALID);
  assert_int_equal(pir_thread_pool_create(1, NULL, NULL), PIR_INVALID);
  assert_int_equal(pir_tensor_copy(NULL, NULL), PIR_INVALID);
  pir_context_destroy(ctx);
}

static void statuses_have_names(void **unused) {
  (void)unused;
  assert_string_equal(pir_status_name(PIR_OK), "PIR_OK");
  assert_string_equal(pir_status_name(PIR_INTERNAL), "PIR_INTERNAL");
  assert_string_equal(pir_status_name((pir_status)99), "unknown");
  for (int i = 0; i <= PIR_INTERNAL; i++)
    assert_true(strlen(pir_status_text((pir_status)i)) > 3);
  assert_int_equal(pir_dtype_from_text(PIR_STR("f31")), PIR_DTYPE_NONE);
  assert_int_equal(pir_layout_from_name(PIR_STR("NHCW")), PIR_LAYOUT_NONE);
  assert_string_equal(pir_dtype_name(PIR_DTYPE_NONE), "Undefined");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_size_is_required),
      cmocka_unit_test(fields_of_a_later_version),
      cmocka_unit_test(fields_of_an_earlier_version),
      cmocka_unit_test(all_options_have_sizes),
      cmocka_unit_test(answers_fit_the_caller),
      cmocka_unit_test(missing_arguments_are_refused),
      cmocka_unit_test(readers_refuse_missing_arguments),
      cmocka_unit_test(statuses_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
