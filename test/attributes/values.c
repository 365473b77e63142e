// The values that attributes are given.
#include "attributes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_LIST = 10000, LONG_TEXT = 100000 };

typedef struct collecting {
  pir_context *ctx;
  attribute_value *out;
  size_t count;
} collecting;

static void add(collecting *c, const char *label, const pir_attr *attr) {
  if (c->count < MOST_VALUES)
    c->out[c->count++] = (attribute_value){label, attr};
}

static const pir_attr *number(pir_context *ctx, int64_t value) {
  return pir_attr_int(ctx, PIR_ATTR_I64, value);
}

static const pir_attr *same(pir_context *ctx, const pir_attr *item, size_t count) {
  static const pir_attr *items[LONG_LIST];
  for (size_t i = 0; i < count; i++)
    items[i] = item;
  return pir_attr_array(ctx, items, count);
}

static void add_numbers(collecting *c) {
  pir_context *ctx = c->ctx;
  add(c, "true", pir_attr_bool(ctx, true));
  add(c, "i32 1", pir_attr_int(ctx, PIR_ATTR_I32, 1));
  add(c, "i32 -1", pir_attr_int(ctx, PIR_ATTR_I32, -1));
  add(c, "i32 most", pir_attr_int(ctx, PIR_ATTR_I32, INT32_MAX));
  add(c, "i32 least", pir_attr_int(ctx, PIR_ATTR_I32, INT32_MIN));
  add(c, "i64 0", number(ctx, 0));
  add(c, "i64 3", number(ctx, 3));
  add(c, "i64 -7", number(ctx, -7));
  add(c, "i64 2^31", number(ctx, (int64_t)1 << 31));
  add(c, "i64 2^62", number(ctx, (int64_t)1 << 62));
  add(c, "i64 most", number(ctx, INT64_MAX));
  add(c, "i64 least", number(ctx, INT64_MIN));
  add(c, "index 1", pir_attr_int(ctx, PIR_ATTR_INDEX, 1));
  add(c, "f32 0.5", pir_attr_float(ctx, PIR_ATTR_F32, 0.5));
  add(c, "f32 0", pir_attr_float(ctx, PIR_ATTR_F32, 0));
  add(c, "f32 -1e38", pir_attr_float(ctx, PIR_ATTR_F32, -1e38));
  add(c, "f32 nan", pir_attr_float(ctx, PIR_ATTR_F32, NAN));
  add(c, "f32 inf", pir_attr_float(ctx, PIR_ATTR_F32, INFINITY));
  add(c, "f64 1e308", pir_attr_float(ctx, PIR_ATTR_F64, 1e308));
  add(c, "f64 -1", pir_attr_float(ctx, PIR_ATTR_F64, -1));
  add(c, "c64", pir_attr_complex(ctx, PIR_ATTR_C64, 1, -2));
  add(c, "c128 nan", pir_attr_complex(ctx, PIR_ATTR_C128, NAN, INFINITY));
}

static void add_texts(collecting *c) {
  pir_context *ctx = c->ctx;
  static char filler[LONG_TEXT];
  memset(filler, 'x', sizeof filler);
  add(c, "text", pir_attr_str(ctx, PIR_ATTR_STR, PIR_STR("a")));
  add(c, "text empty", pir_attr_str(ctx, PIR_ATTR_STR, PIR_STR("")));
  add(c, "text with NUL", pir_attr_str(ctx, PIR_ATTR_STR, PIR_STR("NC\0HW")));
  add(c, "text %s%n", pir_attr_str(ctx, PIR_ATTR_STR, PIR_STR("%s%n%s%n")));
  add(c, "text ../..", pir_attr_str(ctx, PIR_ATTR_STR, PIR_STR("../../../etc/passwd")));
  add(c, "text of bytes", pir_attr_str(ctx, PIR_ATTR_STR, PIR_STR("\xff\xfe\"\\\n\x01")));
  add(c, "text long", pir_attr_str(ctx, PIR_ATTR_STR, (pir_str){filler, sizeof filler}));
  add(c, "tensor name", pir_attr_str(ctx, PIR_ATTR_TENSOR_NAME, PIR_STR("a")));
  add(c, "opaque", pir_attr_str(ctx, PIR_ATTR_OPAQUE, PIR_STR("<?>")));
}

static void add_singles(collecting *c) {
  pir_context *ctx = c->ctx;
  const int64_t extents[] = {2, 3};
  pir_place custom = {.kind = 9, .device = -1, .custom = PIR_STR("npu")};
  add(c, "none", pir_attr_none(ctx));
  add(c, "dtype f32", pir_attr_dtype(ctx, PIR_F32));
  add(c, "dtype i64", pir_attr_dtype(ctx, PIR_I64));
  add(c, "dtype undefined", pir_attr_dtype(ctx, PIR_UNDEFINED));
  add(c, "dtype last", pir_attr_dtype(ctx, (pir_dtype)(PIR_DTYPE_COUNT - 1)));
  add(c, "layout", pir_attr_layout(ctx, PIR_LAYOUT_ANY));
  add(c, "place", pir_attr_place(ctx, (pir_place){.kind = 1}));
  add(c, "place custom", pir_attr_place(ctx, custom));
  add(c, "pointer", pir_attr_pointer(ctx, 0x7f5e24fb27c0));
  add(c, "type", pir_attr_type(ctx, pir_type_tensor(ctx, PIR_F32, (pir_shape){extents, 2})));
  add(c, "type null", pir_attr_type(ctx, NULL));
  add(c, "scalar f32", pir_attr_scalar(ctx, PIR_F32, pir_attr_float(ctx, PIR_ATTR_F32, 1.5)));
  add(c, "scalar i64", pir_attr_scalar(ctx, PIR_I64, number(ctx, INT64_MIN)));
  add(c, "scalar bool", pir_attr_scalar(ctx, PIR_BOOL, pir_attr_bool(ctx, true)));
  add(c, "scalar c128",
      pir_attr_scalar(ctx, PIR_C128, pir_attr_complex(ctx, PIR_ATTR_C128, 1, 2)));
}

static void add_lists(collecting *c) {
  pir_context *ctx = c->ctx;
  const pir_attr *text = pir_attr_str(ctx, PIR_ATTR_STR, PIR_STR("max"));
  const pir_attr *nan = pir_attr_float(ctx, PIR_ATTR_F32, NAN);
  const pir_attr *mixed[] = {number(ctx, 1), text, nan};
  const pir_attr *huge[] = {number(ctx, (int64_t)1 << 40), number(ctx, (int64_t)1 << 40)};
  const pir_attr *pair[] = {number(ctx, 1), number(ctx, 2)};
  add(c, "[]", pir_attr_array(ctx, NULL, 0));
  add(c, "[1]", same(ctx, number(ctx, 1), 1));
  add(c, "[0,0]", same(ctx, number(ctx, 0), 2));
  add(c, "[-1,-1]", same(ctx, number(ctx, -1), 2));
  add(c, "[i32 2,2,2,2]", same(ctx, pir_attr_int(ctx, PIR_ATTR_I32, 2), 4));
  add(c, "[2^40,2^40]", pir_attr_array(ctx, huge, 2));
  add(c, "[most,most]", same(ctx, number(ctx, INT64_MAX), 2));
  add(c, "[least,least]", same(ctx, number(ctx, INT64_MIN), 2));
  add(c, "[1] * 17", same(ctx, number(ctx, 1), 17));
  add(c, "[1] * 10000", same(ctx, number(ctx, 1), LONG_LIST));
  add(c, "[nan]", same(ctx, nan, 1));
  add(c, "[f32] * 4", same(ctx, pir_attr_float(ctx, PIR_ATTR_F32, 0.25), 4));
  add(c, "[f64 1e300] * 2", same(ctx, pir_attr_float(ctx, PIR_ATTR_F64, 1e300), 2));
  add(c, "[f32] * 10000", same(ctx, nan, LONG_LIST));
  add(c, "[text]", same(ctx, text, 1));
  add(c, "[text] * 10000", same(ctx, text, LONG_LIST));
  add(c, "[true]", same(ctx, pir_attr_bool(ctx, true), 1));
  add(c, "[dtype]", same(ctx, pir_attr_dtype(ctx, PIR_F32), 1));
  add(c, "[none]", same(ctx, pir_attr_none(ctx), 1));
  add(c, "[1,text,nan]", pir_attr_array(ctx, mixed, 3));
  add(c, "[[1,2]]", same(ctx, pir_attr_array(ctx, pair, 2), 1));
  add(c, "[scalar]", same(ctx, pir_attr_scalar(ctx, PIR_I64, number(ctx, 5)), 1));
}

static void add_integers(collecting *c) {
  static int64_t ones[LONG_LIST];
  const int64_t few[] = {1, 2}, huge[] = {(int64_t)1 << 62, (int64_t)1 << 62}, below[] = {-5};
  for (size_t i = 0; i < LONG_LIST; i++)
    ones[i] = 1;
  add(c, "ints []", pir_attr_int_array(c->ctx, NULL, 0));
  add(c, "ints [1,2]", pir_attr_int_array(c->ctx, few, 2));
  add(c, "ints [2^62,2^62]", pir_attr_int_array(c->ctx, huge, 2));
  add(c, "ints [-5]", pir_attr_int_array(c->ctx, below, 1));
  add(c, "ints [1] * 10000", pir_attr_int_array(c->ctx, ones, LONG_LIST));
}

static void take_parsed(collecting *c, const pir_program *program) {
  pir_named_attr attrs[8];
  const pir_op *op = pir_block_first(pir_program_block(program));
  size_t n = op ? pir_op_attrs_sorted(op, attrs, 8) : 0;
  for (size_t i = 0; i < n && i < 8; i++)
    add(c, pir_name_str(attrs[i].name).data, attrs[i].value);
}

// Kinds that only a text builds with ease.
static void add_parsed(collecting *c) {
  static const char text[] =
      "{\n(%0) = \"test.kinds\" () {key:<backend:GPU|layout:NCHW|dtype:float32>,"
      "mesh:mesh_shape:[2],process_ids:[0,1],"
      "dist:mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,0], placements:[Shard(dim=1)]} "
      ": "
      "() -> tensor<f32>\n}\n";
  pir_program *program = NULL;
  if (pir_program_parse(c->ctx, pir_str_from(text), NULL, &program))
    abort();
  take_parsed(c, program);
  pir_program_destroy(program);
}

// The valid value with an element more, an element less, and its last element of another kind.
static void add_changed(collecting *c, const pir_attr *was) {
  const pir_attr *items[64];
  size_t n = was && pir_attr_kind_of(was) == PIR_ATTR_ARRAY ? pir_attr_elements(was) : 0;
  if (!n || n > 60)
    return;
  for (size_t i = 0; i < n; i++)
    items[i] = pir_attr_element(was, i);
  add(c, "one less", pir_attr_array(c->ctx, items, n - 1));
  items[n] = items[n - 1];
  add(c, "one more", pir_attr_array(c->ctx, items, n + 1));
  items[n - 1] = pir_attr_str(c->ctx, PIR_ATTR_STR, PIR_STR("z"));
  add(c, "last a text", pir_attr_array(c->ctx, items, n));
  items[n - 1] = number(c->ctx, INT64_MIN);
  add(c, "last least", pir_attr_array(c->ctx, items, n));
}

size_t attribute_values(pir_context *ctx, const pir_attr *was,
                        attribute_value out[MOST_VALUES]) {
  collecting c = {.ctx = ctx, .out = out};
  add(&c, "missing", NULL);
  add_numbers(&c);
  add_texts(&c);
  add_singles(&c);
  add_lists(&c);
  add_integers(&c);
  add_parsed(&c);
  add_changed(&c, was);
  return c.count;
}
