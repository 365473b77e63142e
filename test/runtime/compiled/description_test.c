// Compiled models with digests that hold and contents that do not: a description that ends
// early is refused at whatever it ends in, and a header's parts are checked before they are
// used. Run from the root of the checkout.
#include "../../../runtime/exec/store/compiled_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>
#include <stdlib.h>
#include <string.h>

#include "../../api/report.h"

typedef struct compiled {
  pir_context *ctx;
  char *data;
  size_t size;
  report report;
} compiled;

static bool collect(void *user, const char *data, size_t size) {
  compiled *c = user;
  c->data = realloc(c->data, c->size + size);
  assert_non_null(c->data);
  memcpy(c->data + c->size, data, size);
  c->size += size;
  return true;
}

static compiled compile(const char *path, bool replaceable) {
  compiled c = {0};
  pir_context_options how = {.size = sizeof how, .sink = {keep_report, &c.report}};
  pir_model_options options = {.size = sizeof options, .replaceable = replaceable};
  const char *const targets[] = {"x86-64"};
  pir_program *program;
  c.ctx = pir_context_create(&how);
  assert_int_equal(pir_dialects_load_all(c.ctx), PIR_OK);
  assert_int_equal(pir_program_load_file(c.ctx, path, NULL, &program), PIR_OK);
  pir_status status =
      pir_model_compile(program, &options, targets, 1, (pir_writer){collect, &c});
  if (status)
    fail_msg("%s: %s", path, c.report.message);
  pir_program_destroy(program);
  return c;
}

static void drop(compiled *c) {
  free(c->data);
  pir_context_destroy(c->ctx);
}

static compiled_header *header_of(const compiled *c) {
  return (compiled_header *)c->data;
}

// Opens it with digests that fit what it holds now.
static pir_status open_sealed(compiled *c) {
  compiled_header *h = header_of(c);
  compiled_part *part = &h->parts[0];
  pir_open_options how = {.size = sizeof how, .sink = {keep_report, &c->report}};
  pir_model *model;
  if (part->text_at <= c->size && part->text_bytes <= c->size - part->text_at)
    part->text_sum = pir_digest_of(c->data + part->text_at, part->text_bytes);
  h->sum = pir_compiled_sum(h);
  pir_status status =
      pir_model_open((pir_borrowed){c->data, c->size, NULL, NULL}, &how, &model);
  assert_true(!status == !!model);
  pir_model_release(model);
  return status;
}

// Ends the description at every place near its begin, and at many behind it. It is padded with
// zeros, which it can do without.
static void end_early(const char *path, bool replaceable) {
  enum { NEAR = 512, STEP = 13 };
  compiled c = compile(path, replaceable);
  compiled_part *part = &header_of(&c)->parts[0];
  const char *text = c.data + part->text_at;
  uint64_t whole = part->text_bytes, last = whole;
  while (last > 0 && !text[last - 1])
    last--;
  for (uint64_t end = 0; end < last; end += end < NEAR ? 1 : STEP) {
    part->text_bytes = end;
    pir_status status = open_sealed(&c);
    if (status != PIR_INVALID)
      fail_msg("%s: ends at %llu of %llu: status %d", path, (unsigned long long)end,
               (unsigned long long)last, status);
    assert_non_null(strstr(c.report.message, "cannot be read"));
  }
  part->text_bytes = whole;
  assert_int_equal(open_sealed(&c), PIR_OK);
  drop(&c);
}

static void a_description_that_ends_early_is_refused(void **state) {
  end_early("test/models/digits_cnn/model.json", true);
  end_early("test/runtime/exec/control.pir", false);
  end_early("test/runtime/exec/scan.pir", false);
  end_early("test/runtime/exec/arrays.pir", false);
  end_early("test/runtime/exec/show.pir", false);
}

static void parts_lie_inside_of_the_file(void **state) {
  compiled c = compile("test/runtime/exec/product.pir", false);
  compiled_part *part = &header_of(&c)->parts[0], good = *part;
  const struct {
    uint64_t at, bytes;
  } wrong[] = {{c.size, 1}, {UINT64_MAX, 1}, {0, c.size + 1}, {1, UINT64_MAX}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    part->text_at = wrong[i].at;
    part->text_bytes = wrong[i].bytes;
    header_of(&c)->sum = pir_compiled_sum(header_of(&c));
    assert_int_equal(open_sealed(&c), PIR_INVALID);
    assert_non_null(strstr(c.report.message, "is damaged: its extents"));
    *part = good;
    part->data_at = wrong[i].at;
    part->data_bytes = wrong[i].bytes;
    assert_int_equal(open_sealed(&c), PIR_INVALID);
    assert_non_null(strstr(c.report.message, "is damaged: its extents"));
    *part = good;
  }
  header_of(&c)->count = COMPILED_TARGETS + 1;
  assert_int_equal(open_sealed(&c), PIR_INVALID);
  header_of(&c)->count = 1;
  assert_int_equal(open_sealed(&c), PIR_OK);
  drop(&c);
}

static void a_part_for_another_processor_is_not_taken(void **state) {
  compiled c = compile("test/runtime/exec/product.pir", false);
  compiled_part *part = &header_of(&c)->parts[0], good = *part;
  pir_target here;
  char first[64] = "", begins[64] = "", long_one[200] = "";
  assert_int_equal(pir_target_get(NULL, &here), PIR_OK);
  memcpy(first, here.features, strcspn(here.features, ","));
  memcpy(begins, first, strlen(first) - 1);
  memset(long_one, 'x', sizeof long_one - 1);
  const char *const lacking[] = {"+no-such-feature", begins, long_one, first + 1, ",,"};
  for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
    strcpy(part->features, lacking[i]);
    if (open_sealed(&c) != PIR_UNAVAILABLE)
      fail_msg("\"%s\" is taken, and this processor has \"%s\"", lacking[i], here.features);
    *part = good;
  }
  strcpy(part->features, first);
  assert_int_equal(open_sealed(&c), PIR_OK);
  strcpy(part->triple, "riscv64-unknown-linux-gnu");
  assert_int_equal(open_sealed(&c), PIR_UNAVAILABLE);
  assert_non_null(strstr(c.report.message, "has no code for"));
  drop(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_description_that_ends_early_is_refused),
      cmocka_unit_test(parts_lie_inside_of_the_file),
      cmocka_unit_test(a_part_for_another_processor_is_not_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
