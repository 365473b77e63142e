// Writes PIR JSON of version 4, byte for byte in the layout of Paddle's writer: keys in
// bytewise order, no spaces (or 4-space indentation), floats as the shortest text that reads
// back as the same double. Values are numbered in the order of writing. Regions are walked with
// an explicit stack. Cost: linear in the output.
#include <pir/block.h>

#include <math.h>
#include <string.h>

#include "context_impl.h"
#include "serialize_impl.h"
#include "text_impl.h"

#define WRITE_BUFFER 16384

// A region being written: its block and the next op.
typedef struct frame {
  const pir_op *op;
  size_t region;
  const pir_block *block;
  const pir_op *next;
} frame;

typedef struct json_writer {
  pir_strbuf out;
  pir_context *ctx;
  bool indent, trainable;
  uint32_t depth;  // of brackets
  bool fresh;      // nothing yet since the last opening bracket
  pir_status status;
  const pir_op *op;
  pir_map ids;  // value -> id, as an integer
  int64_t next_result, next_argument;
  uint64_t next_region, next_block;
  PIR_VEC(frame) frames;
  pir_named_attr *attrs;
  size_t attr_capacity, attr_count;
} json_writer;

// ---- JSON

static void new_line(json_writer *w) {
  if (!w->indent)
    return;
  pir_strbuf_char(&w->out, '\n');
  pir_strbuf_fill(&w->out, ' ', (size_t)w->depth * 4);
}

// Before each element or key.
static void next_item(json_writer *w) {
  if (!w->fresh)
    pir_strbuf_char(&w->out, ',');
  if (w->depth)
    new_line(w);
  w->fresh = false;
}

static void open_bracket(json_writer *w, char bracket) {
  pir_strbuf_char(&w->out, bracket);
  w->depth++;
  w->fresh = true;
}

static void close_bracket(json_writer *w, char bracket) {
  w->depth--;
  if (!w->fresh)
    new_line(w);
  w->fresh = false;
  pir_strbuf_char(&w->out, bracket);
}

PIR_PRINTF(2, 3) static void refuse(json_writer *w, const char *format, ...);

// The size of the UTF-8 sequence at `at`, 0 when there is none: overlong forms, surrogates, cut
// ones and NUL are not.
static size_t sequence_size(const unsigned char *at, size_t left) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  static const uint8_t sizes[16] = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 3, 4};
  size_t size = sizes[*at >> 4];
  if (*at < 0x80)
    return *at != 0;
  if (size == 0 || size > left || *at >= 0xf8)
    return 0;
  uint32_t code = *at & (0x7fu >> size);
  for (size_t i = 1; i < size; i++) {
    if ((at[i] & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (at[i] & 0x3f);
  }
  return code >= least[size] && code < 0x110000 && code - 0xd800 >= 0x800 ? size : 0;
}

static bool is_utf8(pir_str text) {
  for (size_t i = 0, size; i < text.size; i += size) {
    size = sequence_size((const unsigned char *)text.data + i, text.size - i);
    if (!size)
      return false;
  }
  return true;
}

static void write_string(json_writer *w, pir_str text) {
  static const char hex[] = "0123456789abcdef";
  if (!is_utf8(text))
    refuse(w, "text that is not UTF-8 or has a NUL");
  pir_strbuf_char(&w->out, '"');
  for (size_t i = 0, from = 0; i <= text.size; i++) {
    unsigned char c = i < text.size ? (unsigned char)text.data[i] : 0;
    if (i < text.size && c >= 0x20 && c != '"' && c != '\\')
      continue;
    if (i > from)
      pir_strbuf_put(&w->out, text.data + from, i - from);
    from = i + 1;
    if (i == text.size)
      break;
    const char *letter = c ? strchr("\"\"\\\\\bb\ff\nn\rr\tt", c) : NULL;
    pir_strbuf_char(&w->out, '\\');
    if (letter)
      pir_strbuf_char(&w->out, letter[1]);
    else
      pir_strbuf_format(&w->out, "u00%c%c", hex[c >> 4], hex[c & 15]);
  }
  pir_strbuf_char(&w->out, '"');
}

static void write_key(json_writer *w, const char *key) {
  next_item(w);
  pir_strbuf_char(&w->out, '"');
  pir_strbuf_put(&w->out, key, strlen(key));
  pir_strbuf_char(&w->out, '"');
  pir_strbuf_char(&w->out, ':');
  if (w->indent)
    pir_strbuf_char(&w->out, ' ');
}

static void write_text_key(json_writer *w, const char *key, const char *text) {
  write_key(w, key);
  write_string(w, pir_str_from(text));
}

static void write_int_item(json_writer *w, int64_t value) {
  next_item(w);
  pir_strbuf_int(&w->out, value);
}

static void write_ints(json_writer *w, const int64_t *values, size_t count) {
  open_bracket(w, '[');
  for (size_t i = 0; i < count; i++)
    write_int_item(w, values[i]);
  close_bracket(w, ']');
}

// ---- types

static void write_type(json_writer *w, const pir_type *type);
static void write_attr(json_writer *w, const pir_attr *attr);

// What a file cannot hold is reported once.
PIR_PRINTF(2, 3) static void refuse(json_writer *w, const char *format, ...) {
  if (w->status)
    return;
  w->status = PIR_UNSUPPORTED;
  pir_strbuf message;
  pir_strbuf_init(&message, &w->ctx->arena);
  va_list args;
  va_start(args, format);
  pir_strbuf_vformat(&message, format, args);
  va_end(args);
  pir_str name = w->op ? pir_op_name(w->op) : PIR_STR("program");
  pir_report(w->ctx, PIR_UNSUPPORTED, PIR_ERROR, w->op ? pir_op_loc(w->op) : PIR_LOC_UNKNOWN,
             "unsupported: \"%.*s\": PIR JSON cannot hold %.*s", (int)name.size, name.data,
             (int)message.size, message.data);
  pir_strbuf_free(&message);
}

static void write_dtype_type(json_writer *w, pir_dtype dtype) {
  char tag[32] = "0.";
  strncat(tag, pir_dtype_json(dtype), sizeof tag - 3);
  open_bracket(w, '{');
  write_text_key(w, "#", tag);
  close_bracket(w, '}');
}

static void write_dtype_item(json_writer *w, pir_dtype dtype) {
  next_item(w);
  write_dtype_type(w, dtype);
}

static void write_shape_item(json_writer *w, pir_shape shape) {
  next_item(w);
  write_ints(w, shape.dims, shape.rank);
}

static void write_layout_item(json_writer *w, pir_layout layout) {
  next_item(w);
  write_string(w, pir_str_from(pir_layout_name(layout)));
}

static void write_lod_items(json_writer *w, const pir_tensor_spec *spec) {
  next_item(w);
  open_bracket(w, '[');
  for (size_t i = 0; i < spec->lod_levels; i++) {
    next_item(w);
    open_bracket(w, '[');
    for (size_t k = 0; k < spec->lod_sizes[i]; k++) {
      next_item(w);
      pir_strbuf_uint(&w->out, spec->lod[i][k]);
    }
    close_bracket(w, ']');
  }
  close_bracket(w, ']');
  next_item(w);
  pir_strbuf_uint(&w->out, spec->offset);
}

static void write_tensor(json_writer *w, const pir_type *type, const char *tag,
                         pir_type_kind kind) {
  pir_tensor_spec spec = pir_type_spec(type);
  write_text_key(w, "#", tag);
  write_key(w, "D");
  open_bracket(w, '[');
  write_dtype_item(w, spec.dtype);
  write_shape_item(w, spec.shape);
  if (kind == PIR_TYPE_SPARSE_COO)
    write_shape_item(w, pir_type_nonzero_shape(type));
  write_layout_item(w, spec.layout);
  if (kind == PIR_TYPE_TENSOR || kind == PIR_TYPE_SELECTED_ROWS)
    write_lod_items(w, &spec);
  bool sparse = kind == PIR_TYPE_SPARSE_COO || kind == PIR_TYPE_SPARSE_CSR;
  for (size_t i = 0; sparse && i < pir_json_sparse_parts(kind); i++) {
    next_item(w);
    write_type(w, i < pir_type_elements(type) ? pir_type_element(type, i)
                                              : pir_json_absent_part(w->ctx));
  }
  close_bracket(w, ']');
}

static void write_vector(json_writer *w, const pir_type *type) {
  write_text_key(w, "#", PIR_JSON_VECTOR);
  write_key(w, "D");
  open_bracket(w, '[');
  for (size_t i = 0; i < pir_type_elements(type); i++) {
    next_item(w);
    write_type(w, pir_type_element(type, i));
  }
  close_bracket(w, ']');
}

static void write_dist_type(json_writer *w, const pir_type *type) {
  write_text_key(w, "#", PIR_JSON_DIST_TENSOR);
  write_key(w, "D");
  open_bracket(w, '[');
  next_item(w);
  write_type(w, pir_type_inner(type));
  next_item(w);
  write_attr(w, pir_type_dist_attr(type));
  write_shape_item(w, pir_type_local_shape(type));
  close_bracket(w, ']');
}

static void write_type(json_writer *w, const pir_type *type) {
  if (type && pir_type_kind_of(type) == PIR_TYPE_SCALAR) {
    write_dtype_type(w, pir_type_dtype(type));
    return;
  }
  open_bracket(w, '{');
  pir_type_kind kind = type ? pir_type_kind_of(type) : PIR_TYPE_SCALAR;
  switch (kind) {
    case PIR_TYPE_SCALAR: write_text_key(w, "#", PIR_JSON_NULL); break;
    case PIR_TYPE_VECTOR: write_vector(w, type); break;
    case PIR_TYPE_TENSOR: write_tensor(w, type, PIR_JSON_TENSOR, kind); break;
    case PIR_TYPE_SELECTED_ROWS: write_tensor(w, type, PIR_JSON_SELECTED_ROWS, kind); break;
    case PIR_TYPE_TENSOR_ARRAY: write_tensor(w, type, PIR_JSON_TENSOR_ARRAY, kind); break;
    case PIR_TYPE_SPARSE_COO: write_tensor(w, type, PIR_JSON_SPARSE_COO, kind); break;
    case PIR_TYPE_SPARSE_CSR: write_tensor(w, type, PIR_JSON_SPARSE_CSR, kind); break;
    case PIR_TYPE_DIST_TENSOR: write_dist_type(w, type); break;
    case PIR_TYPE_STACK: write_text_key(w, "#", PIR_JSON_STACK); break;
    case PIR_TYPE_INLET: write_text_key(w, "#", PIR_JSON_INLET); break;
    case PIR_TYPE_OUTLET: write_text_key(w, "#", PIR_JSON_OUTLET); break;
    case PIR_TYPE_ALLOCATED:
    case PIR_TYPE_OPAQUE:
      refuse(w, "a type of the kernel dialect, or one that is only text");
      break;
  }
  close_bracket(w, '}');
}

// ---- attributes

// The name that a file gives to a number that JSON cannot spell.
static const char *name_of_special(double value) {
  if (isnan(value))
    return "NAN";
  return value < 0 ? "-INF" : "INF";
}

// A number with its key; what JSON has no number for goes to "VD".
static void write_float_data(json_writer *w, double value) {
  if (isfinite(value)) {
    write_key(w, "D");
    pir_text_exact_float(&w->out, value, false, true);
  } else {
    write_text_key(w, "VD", name_of_special(value));
  }
}

static void write_float_item(json_writer *w, double value) {
  next_item(w);
  if (isfinite(value))
    pir_text_exact_float(&w->out, value, false, true);
  else
    write_string(w, pir_str_from(name_of_special(value)));
}

static void write_complex_items(json_writer *w, const pir_attr *attr) {
  double real = 0, imaginary = 0;
  pir_attr_as_complex(attr, &real, &imaginary);
  write_float_item(w, real);
  write_float_item(w, imaginary);
}

static const char *dtype_name(pir_dtype dtype) {
  return dtype == PIR_UNDEFINED ? PIR_JSON_ANY_DTYPE : pir_dtype_name(dtype);
}

static void write_scalar_items(json_writer *w, const pir_attr *attr) {
  const pir_attr *value = pir_attr_element(attr, 0);
  int64_t integer = 0;
  double real = 0;
  next_item(w);
  write_string(w, pir_str_from(dtype_name(pir_attr_as_dtype(attr))));
  switch (pir_attr_kind_of(value)) {
    case PIR_ATTR_BOOL:
      next_item(w);
      pir_attr_as_int(value, &integer);
      pir_strbuf_str(&w->out, integer ? PIR_STR("true") : PIR_STR("false"));
      break;
    case PIR_ATTR_C64:
    case PIR_ATTR_C128: write_complex_items(w, value); break;
    case PIR_ATTR_F32:
    case PIR_ATTR_F64:
      pir_attr_as_float(value, &real);
      write_float_item(w, real);
      break;
    default: pir_attr_as_int(value, &integer); write_int_item(w, integer);
  }
}

static void write_place_items(json_writer *w, pir_place place) {
  write_int_item(w, place.kind);
  write_int_item(w, place.device);
  next_item(w);
  write_string(w, place.custom);
}

// Lists in lists: of a mesh (shape, ids, names), or a distribution's partial dimensions.
static void write_raw_list(json_writer *w, const pir_attr *attr) {
  if (pir_attr_kind_of(attr) == PIR_ATTR_INT_ARRAY) {
    write_ints(w, pir_attr_int_array_data(attr), pir_attr_elements(attr));
    return;
  }
  open_bracket(w, '[');
  for (size_t i = 0; i < pir_attr_elements(attr); i++) {
    const pir_attr *element = pir_attr_element(attr, i);
    next_item(w);
    if (pir_attr_kind_of(element) == PIR_ATTR_STR)
      write_string(w, pir_attr_as_str(element));
    else
      write_raw_list(w, element);
  }
  close_bracket(w, ']');
}

static void write_attr_list(json_writer *w, const pir_attr *attr) {
  open_bracket(w, '[');
  for (size_t i = 0; i < pir_attr_elements(attr); i++) {
    next_item(w);
    write_attr(w, pir_attr_element(attr, i));
  }
  close_bracket(w, ']');
}

static void write_dist_items(json_writer *w, const pir_attr *attr, pir_attr_kind kind) {
  int64_t chunk = 0;
  for (size_t i = 0; i < pir_attr_elements(attr); i++) {
    const pir_attr *element = pir_attr_element(attr, i);
    next_item(w);
    if (pir_attr_kind_of(element) == PIR_ATTR_PROCESS_MESH)
      write_attr(w, element);
    else if (kind == PIR_ATTR_OP_DIST && i == 3) {
      pir_attr_as_int(element, &chunk);
      pir_strbuf_int(&w->out, chunk);
    } else if (kind == PIR_ATTR_OP_DIST)
      write_attr_list(w, element);
    else
      write_raw_list(w, element);
  }
}

// The elements of kinds whose data is a list.
static void write_list_data(json_writer *w, const pir_attr *attr, pir_attr_kind kind) {
  write_key(w, "D");
  if (kind == PIR_ATTR_INT_ARRAY) {
    write_ints(w, pir_attr_int_array_data(attr), pir_attr_elements(attr));
  } else if (kind == PIR_ATTR_ARRAY) {
    write_attr_list(w, attr);
  } else {
    open_bracket(w, '[');
    if (kind == PIR_ATTR_C64 || kind == PIR_ATTR_C128)
      write_complex_items(w, attr);
    else if (kind == PIR_ATTR_SCALAR)
      write_scalar_items(w, attr);
    else if (kind == PIR_ATTR_PLACE)
      write_place_items(w, pir_attr_as_place(attr));
    else
      write_dist_items(w, attr, kind);
    close_bracket(w, ']');
  }
}

static void write_attr_data(json_writer *w, const pir_attr *attr, pir_attr_kind kind) {
  int64_t integer = 0;
  double real = 0;
  switch (kind) {
    case PIR_ATTR_NONE: break;
    case PIR_ATTR_BOOL:
      write_key(w, "D");
      pir_attr_as_int(attr, &integer);
      pir_strbuf_str(&w->out, integer ? PIR_STR("true") : PIR_STR("false"));
      break;
    case PIR_ATTR_I32:
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX:
      write_key(w, "D");
      pir_attr_as_int(attr, &integer);
      pir_strbuf_int(&w->out, integer);
      break;
    case PIR_ATTR_F32:
    case PIR_ATTR_F64:
      pir_attr_as_float(attr, &real);
      write_float_data(w, real);
      break;
    case PIR_ATTR_STR:
    case PIR_ATTR_TENSOR_NAME:
      write_key(w, "D");
      write_string(w, pir_attr_as_str(attr));
      break;
    case PIR_ATTR_TYPE:
      write_key(w, "D");
      write_type(w, pir_attr_as_type(attr));
      break;
    case PIR_ATTR_DTYPE: write_text_key(w, "D", dtype_name(pir_attr_as_dtype(attr))); break;
    case PIR_ATTR_LAYOUT:
      write_text_key(w, "D", pir_layout_name(pir_attr_as_layout(attr)));
      break;
    case PIR_ATTR_POINTER:
    case PIR_ATTR_KERNEL_KEY:
    case PIR_ATTR_OPAQUE:
    case PIR_ATTR_KIND_COUNT:
      refuse(w, "a pointer, a kernel key, or an attribute that is only text");
      break;
    default: write_list_data(w, attr, kind);
  }
}

static void write_attr(json_writer *w, const pir_attr *attr) {
  static const char *const tags[] = {
#define TAG(id, json, text) json,
      PIR_ATTR_KINDS(TAG)
#undef TAG
  };
  pir_attr_kind kind = attr ? pir_attr_kind_of(attr) : PIR_ATTR_NONE;
  open_bracket(w, '{');
  write_text_key(w, "#", tags[kind]);
  write_attr_data(w, attr, kind);
  close_bracket(w, '}');
}

static void write_named_attr(json_writer *w, pir_named_attr attr) {
  next_item(w);
  open_bracket(w, '{');
  write_key(w, "AT");
  write_attr(w, attr.value);
  write_key(w, "N");
  write_string(w, pir_name_str(attr.name));
  close_bracket(w, '}');
}

// ---- ops

static const pir_attr *attr_named(const json_writer *w, const char *name) {
  for (size_t i = 0; i < w->attr_count; i++)
    if (pir_str_equal(pir_name_str(w->attrs[i].name), pir_str_from(name)))
      return w->attrs[i].value;
  return NULL;
}

// Writes an attribute by name when the op has it.
static void write_if_present(json_writer *w, const char *name) {
  for (size_t i = 0; i < w->attr_count; i++)
    if (pir_str_equal(pir_name_str(w->attrs[i].name), pir_str_from(name)))
      write_named_attr(w, w->attrs[i]);
}

static void fetch_attrs(json_writer *w, const pir_op *op) {
  size_t count = pir_op_attrs(op);
  if (count > w->attr_capacity) {
    w->attrs = pir_arena_resize(&w->ctx->arena, w->attrs, w->attr_capacity * sizeof *w->attrs,
                                count * sizeof *w->attrs);
    w->attr_capacity = count;
  }
  w->attr_count = pir_op_attrs_sorted(op, w->attrs, w->attr_capacity);
}

// A registered op's declared attributes in declared order, then the three that Paddle keeps; of
// any other op all attributes in name order. Debugging attributes are left out of both, as
// Paddle does it.
static void write_op_attrs(json_writer *w, const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  write_key(w, "A");
  open_bracket(w, '[');
  if (pir_op_has(op, PIR_REGISTERED) && (def->attr_count || def->operand_count)) {
    for (size_t i = 0; i < def->attr_count; i++) {
      if (pir_json_is_output_attr(pir_str_from(def->attrs[i].name)) || !pir_op_attr_at(op, i))
        continue;
      write_named_attr(w,
                       (pir_named_attr){pir_name_get(w->ctx, pir_str_from(def->attrs[i].name)),
                                        pir_op_attr_at(op, i)});
    }
    static const char *const kept[] = {"op_dist_attr", "op_role", "struct_name"};
    for (size_t i = 0; i < 3; i++)
      if (pir_opdef_attr(def, pir_str_from(kept[i])) < 0)
        write_if_present(w, kept[i]);
  } else {
    for (size_t i = 0; i < w->attr_count; i++) {
      pir_str name = pir_name_str(w->attrs[i].name);
      if (!pir_json_is_output_attr(name) && !pir_str_equal(name, PIR_STR("op_callstack")))
        write_named_attr(w, w->attrs[i]);
    }
  }
  close_bracket(w, ']');
}

static void write_output_attrs(json_writer *w) {
  if (!w->trainable)
    return;
  write_key(w, "OA");
  open_bracket(w, '[');
  write_if_present(w, "persistable");
  write_if_present(w, "stop_gradient");
  close_bracket(w, ']');
}

static void write_operands(json_writer *w, const pir_op *op) {
  write_key(w, "I");
  open_bracket(w, '[');
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_value *value = pir_op_operand(op, i);
    const uint64_t *id = value ? pir_map_find(&w->ids, value) : NULL;
    if (value && !id)
      refuse(w, "operand %zu, which is not defined before its use", i);
    next_item(w);
    open_bracket(w, '{');
    write_key(w, "%");
    pir_strbuf_int(&w->out, id ? (int64_t)*id : 0);
    close_bracket(w, '}');
  }
  close_bracket(w, ']');
}

static void write_result(json_writer *w, const pir_value *result) {
  int64_t id = ++w->next_result;
  pir_map_put(&w->ctx->arena, &w->ids, result, (uint64_t)id);
  open_bracket(w, '{');
  write_key(w, "%");
  pir_strbuf_int(&w->out, id);
  write_key(w, "TT");
  write_type(w, pir_value_type(result));
  close_bracket(w, '}');
}

static void write_results(json_writer *w, const pir_op *op) {
  write_key(w, "O");
  open_bracket(w, '[');
  for (size_t i = 0; i < pir_op_results(op); i++) {
    next_item(w);
    write_result(w, pir_op_result(op, i));
  }
  close_bracket(w, ']');
}

static void write_op_id(json_writer *w, pir_str name) {
  const char *dot = memchr(name.data, '.', name.size);
  int number;
  int64_t ignored;
  write_key(w, "#");
  pir_str dialect = {name.data, dot ? (size_t)(dot - name.data) : name.size};
  if (!dot || dot == name.data || dot + 1 == name.data + name.size)
    refuse(w, "an op whose name has no dialect");
  if (pir_text_read_int(dialect, &ignored))
    refuse(w, "an op whose dialect is a number");
  if (!dot || !pir_json_dialect_number(w->ctx, dialect, &number)) {
    write_string(w, name);
    return;
  }
  pir_strbuf id;
  pir_strbuf_init(&id, &w->ctx->arena);
  pir_strbuf_int(&id, number);
  pir_strbuf_put(&id, dot, name.size - dialect.size);
  write_string(w, pir_strbuf_view(&id));
  pir_strbuf_free(&id);
}

// One of a parameter's flags as 0 or 1.
static void write_flag(json_writer *w, const char *name, bool standard) {
  const pir_attr *attr = attr_named(w, name);
  int64_t flag = standard;
  if (attr && pir_attr_kind_of(attr) == PIR_ATTR_ARRAY && pir_attr_elements(attr))
    pir_attr_as_int(pir_attr_element(attr, 0), &flag);
  else if (attr)
    pir_attr_as_int(attr, &flag);
  write_int_item(w, flag != 0);
}

static void write_parameter(json_writer *w, const pir_op *op) {
  const pir_attr *name = attr_named(w, PIR_JSON_PARAMETER_NAME);
  write_text_key(w, "#", "p");
  write_key(w, "A");
  open_bracket(w, '[');
  for (int i = 0; i < 3; i++)
    write_flag(w, pir_json_parameter_flags[i], i == 1);
  next_item(w);
  write_string(w, name ? pir_attr_as_str(name) : PIR_STR(""));
  close_bracket(w, ']');
  write_key(w, "DA");
  open_bracket(w, '[');
  write_if_present(w, "op_dist_attr");
  write_if_present(w, "op_role");
  close_bracket(w, ']');
  write_key(w, "O");
  write_result(w, pir_op_result(op, 0));
  write_key(w, "OA");
  open_bracket(w, '[');
  for (int i = 0; i < 3; i++)
    write_flag(w, pir_json_parameter_outputs[i], true);
  close_bracket(w, ']');
  write_key(w, "QA");
  open_bracket(w, '[');
  write_if_present(w, "struct_name");
  close_bracket(w, ']');
}

// The op with the short form. A builtin.constant, which names a parameter too, is written like
// any other op.
static bool is_parameter(const pir_op *op) {
  return pir_str_equal(pir_op_name(op), PIR_STR(PIR_JSON_PARAMETER)) &&
         pir_op_results(op) == 1 && pir_op_regions(op) == 0;
}

// ---- blocks and regions

// Positional arguments, or the keyword ones.
static void write_arguments(json_writer *w, const pir_block *block, bool keywords) {
  open_bracket(w, '[');
  for (size_t i = 0; i < pir_block_arguments(block); i++) {
    pir_str keyword = pir_block_argument_keyword(block, i);
    if ((keyword.size > 0) != keywords)
      continue;
    int64_t id = --w->next_argument;
    pir_map_put(&w->ctx->arena, &w->ids, pir_block_argument(block, i), (uint64_t)id);
    next_item(w);
    open_bracket(w, '{');
    write_key(w, "#");
    pir_strbuf_int(&w->out, id);
    write_key(w, "TT");
    write_type(w, pir_value_type(pir_block_argument(block, i)));
    if (keywords) {
      write_key(w, "key");
      write_string(w, keyword);
    }
    close_bracket(w, '}');
  }
  close_bracket(w, ']');
}

static void begin_block(json_writer *w, const pir_block *block) {
  bool keywords = false;
  for (size_t i = 0; i < pir_block_arguments(block); i++)
    keywords |= pir_block_argument_keyword(block, i).size > 0;
  next_item(w);
  open_bracket(w, '{');
  write_key(w, "#");
  pir_strbuf_format(&w->out, "\"block_%llu\"", (unsigned long long)w->next_block++);
  write_key(w, "args");
  write_arguments(w, block, false);
  if (keywords) {
    write_key(w, "kwargs");
    write_arguments(w, block, true);
  }
  write_key(w, "ops");
  open_bracket(w, '[');
}

static void begin_region(json_writer *w, const pir_op *op, size_t i) {
  const pir_block *block = pir_region_first(pir_op_region(op, i));
  frame f = {op, i, block, block ? pir_block_first(block) : NULL};
  next_item(w);
  open_bracket(w, '{');
  write_key(w, "#");
  pir_strbuf_format(&w->out, "\"region_%llu\"", (unsigned long long)w->next_region++);
  write_key(w, "blocks");
  open_bracket(w, '[');
  if (block)
    begin_block(w, block);
  pir_vec_push(&w->ctx->arena, &w->frames, f);
}

static void write_op(json_writer *w, const pir_op *op) {
  w->op = op;
  fetch_attrs(w, op);
  next_item(w);
  open_bracket(w, '{');
  if (is_parameter(op)) {
    write_parameter(w, op);
  } else {
    write_op_id(w, pir_op_name(op));
    write_op_attrs(w, op);
    write_operands(w, op);
    write_results(w, op);
    write_output_attrs(w);
  }
  if (pir_op_regions(op) == 0) {
    close_bracket(w, '}');
    return;
  }
  write_key(w, "regions");
  open_bracket(w, '[');
  begin_region(w, op, 0);
}

// One step at the innermost region: an op, the end of a block, or the end of the region.
static void write_step(json_writer *w) {
  frame *f = &w->frames.items[w->frames.count - 1];
  if (f->next) {
    const pir_op *op = f->next;
    f->next = pir_op_next(op);
    write_op(w, op);
    return;
  }
  if (f->block) {
    close_bracket(w, ']');
    close_bracket(w, '}');
    f->block = pir_block_next(f->block);
  }
  if (f->block) {
    f->next = pir_block_first(f->block);
    begin_block(w, f->block);
    return;
  }
  frame done = pir_vec_pop(&w->frames);
  close_bracket(w, ']');
  close_bracket(w, '}');
  if (!done.op)
    return;
  if (done.region + 1 < pir_op_regions(done.op)) {
    begin_region(w, done.op, done.region + 1);
    return;
  }
  close_bracket(w, ']');
  close_bracket(w, '}');
}

static void write_program(json_writer *w, const pir_program *program) {
  open_bracket(w, '{');
  write_key(w, "base_code");
  open_bracket(w, '{');
  write_text_key(w, "magic", "pir");
  write_key(w, "trainable");
  pir_strbuf_str(&w->out, w->trainable ? PIR_STR("true") : PIR_STR("false"));
  write_key(w, "version");
  pir_strbuf_int(&w->out, PIR_JSON_VERSION);
  close_bracket(w, '}');
  write_key(w, "program");
  open_bracket(w, '{');
  write_key(w, "regions");
  open_bracket(w, '[');
  begin_region(w, pir_program_module(program), 0);
  w->frames.items[0].op = NULL;  // the module has one region and closes no op
  while (w->frames.count && !w->status && !w->out.failed)
    write_step(w);
  close_bracket(w, ']');
  close_bracket(w, '}');
  close_bracket(w, '}');
}

typedef struct write_call {
  const pir_program *program;
  const pir_json_options *options;
  pir_writer out;
} write_call;

static pir_status write_json(void *user) {
  const write_call *call = user;
  char buffer[WRITE_BUFFER];
  const pir_program *program = call->program;
  pir_program_info info = pir_program_info_of(program);
  json_writer w = {.ctx = pir_program_context(program),
                   .indent = call->options && call->options->indent,
                   .fresh = true};
  w.trainable = info.trainable || !pir_str_equal(info.format, PIR_STR("json"));
  pir_strbuf_init_writer(&w.out, call->out, buffer, sizeof buffer);
  write_program(&w, program);
  pir_map_free(&w.ctx->arena, &w.ids);
  pir_vec_free(&w.ctx->arena, &w.frames);
  pir_arena_free(&w.ctx->arena, w.attrs, w.attr_capacity * sizeof *w.attrs);
  bool written = pir_strbuf_flush(&w.out);
  if (w.status)
    return w.status;
  return written ? PIR_OK : PIR_IO;
}

pir_status pir_program_write_json(const pir_program *program, const pir_json_options *options,
                                  pir_writer out) {
  write_call call = {program, options, out};
  return pir_context_enter(pir_program_context(program), write_json, &call);
}
