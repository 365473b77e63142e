// Typed access to attributes: a kernel that reads one as another kind, or one that the op
// lacks, fails with a message, whatever it computed; and an op that was built with an attribute
// of another kind is refused wherever attributes become plain data, though nothing verified it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <pir/compiler/dialects.h>
#include <pir/compiler/infer.h>
#include <string.h>

#include "kernels.h"

static const int64_t whole[] = {1, 2};
static const double real[] = {0.5, 1.5};
static const pir_str words[] = {{"a", 1}, {"b", 1}};

static const pir_attr_value kinds[] = {
    {.kind = PIR_VALUE_NONE},
    {.kind = PIR_VALUE_INT, .i = 7},
    {.kind = PIR_VALUE_FLOAT, .f = 2.5},
    {.kind = PIR_VALUE_TEXT, .text = {"sum", 3}},
    {.kind = PIR_VALUE_INTS, .ints = whole, .count = 2},
    {.kind = PIR_VALUE_FLOATS, .floats = real, .count = 2},
    {.kind = PIR_VALUE_TEXTS, .texts = words, .count = 2},
    {.kind = PIR_VALUE_DTYPE, .i = PIR_F32},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

// Each reads attribute 0.
static pir_status reads_int(const pir_kernel_call *call) {
  return pir_kernel_int(call, 0) == 7 ? PIR_OK : PIR_UNSUPPORTED;
}
static pir_status reads_float(const pir_kernel_call *call) {
  return pir_kernel_float(call, 0) > 2 ? PIR_OK : PIR_UNSUPPORTED;
}
static pir_status reads_text(const pir_kernel_call *call) {
  return pir_kernel_text_is(call, 0, "sum") ? PIR_OK : PIR_UNSUPPORTED;
}
static pir_status reads_ints(const pir_kernel_call *call) {
  pir_int_list list = pir_kernel_ints(call, 0);
  return list.count == 2 && list.ints[1] == 2 ? PIR_OK : PIR_UNSUPPORTED;
}
static pir_status reads_floats(const pir_kernel_call *call) {
  pir_float_list list = pir_kernel_floats(call, 0);
  return list.count == 2 && list.floats[1] > 1 ? PIR_OK : PIR_UNSUPPORTED;
}
static pir_status reads_numbers(const pir_kernel_call *call) {
  pir_tensor values;
  return pir_kernel_numbers(call, 0, &values) == 2 && values.data ? PIR_OK : PIR_UNSUPPORTED;
}
static pir_status reads_dtype(const pir_kernel_call *call) {
  return pir_kernel_dtype(call, 0) == PIR_F32 ? PIR_OK : PIR_UNSUPPORTED;
}

// `fits` has a bit for each kind that the kernel may read.
static void check_reader(pir_kernel_fn run, unsigned fits) {
  const pir_kernel kernel = {.name = "reader", .run = run};
  for (int kind = 0; kind < KIND_COUNT; kind++) {
    pir_message message = {""};
    pir_kernel_call call = {.op = "test.reader",
                            .attrs = &kinds[kind],
                            .attr_count = 1,
                            .kernel = &kernel,
                            .message = &message};
    pir_status status = pir_kernel_run(&call);
    if (fits >> kind & 1) {
      assert_int_not_equal(status, PIR_INVALID);
      assert_string_equal(message.text, "");
      continue;
    }
    assert_int_equal(status, PIR_INVALID);
    assert_non_null(strstr(message.text, "test.reader: attribute 0 is not "));
    call.attr_count = 0;
    assert_int_equal(pir_kernel_run(&call), PIR_INVALID);
  }
}

static void kernels_cannot_misread(void **state) {
  (void)state;
  unsigned lists = 1u << PIR_VALUE_INTS | 1u << PIR_VALUE_FLOATS;
  check_reader(reads_int, 1u << PIR_VALUE_INT | 1u << PIR_VALUE_FLOAT | 1u << PIR_VALUE_DTYPE);
  check_reader(reads_float, 1u << PIR_VALUE_INT | 1u << PIR_VALUE_FLOAT);
  check_reader(reads_text, 1u << PIR_VALUE_TEXT);
  check_reader(reads_ints, 1u << PIR_VALUE_INTS);
  check_reader(reads_floats, 1u << PIR_VALUE_FLOATS);
  check_reader(reads_numbers, lists);
  check_reader(reads_dtype, 1u << PIR_VALUE_DTYPE);
}

// `full` whose shape is a text.
static void unverified_ops_are_refused(void **state) {
  (void)state;
  const char *text =
      "{\n(%x) = \"pd_op.full\" () "
      "{dtype:float32,place:Place(cpu),shape:[2],value:1} : () -> tensor<2xf32>\n}\n";
  pir_context *ctx = pir_context_create(NULL);
  pir_context_set_sink(ctx, (pir_diag_sink){0});
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  pir_program *program = NULL;
  assert_int_equal(pir_program_parse(ctx, pir_str_from(text), NULL, &program), PIR_OK);
  pir_op *op = pir_block_first(pir_program_block(program));
  pir_facts *facts = NULL;
  assert_int_equal(pir_facts_create(program, &facts), PIR_OK);
  pir_facts_destroy(facts);
  pir_op_set_attr(op, pir_name_get(ctx, PIR_STR("shape")),
                  pir_attr_str(ctx, PIR_ATTR_STR, PIR_STR("two")));
  assert_int_equal(pir_facts_create(program, &facts), PIR_INVALID);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_cannot_misread),
                                     cmocka_unit_test(unverified_ops_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
