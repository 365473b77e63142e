// Builds one kernel call: its name, the key that selects the kernel, and the types of its
// results. The key is Paddle's: the backend, the layout that its tensors share, and the element
// type it computes in. O(operands + attributes) for each call.

#include "kernel_call.h"

#include <arena.h>
#include <strbuf.h>

#include <pir/compiler/dialect/pd_op.h>

#include <string.h>

#define MARK "(phi_kernel)"

static void *resized(kernel_calls *c, void *items, size_t n, size_t size) {
  pir_arena *arena = pir_context_arena(c->ctx);
  return pir_arena_resize(arena, items, c->capacity * size, pir_arena_size(arena, n, size));
}

static void reserve(kernel_calls *c, size_t n) {
  if (n <= c->capacity)
    return;
  n += n / 2;
  c->attrs = resized(c, c->attrs, n, sizeof *c->attrs);
  c->types = resized(c, c->types, n, sizeof *c->types);
  c->operands = resized(c, c->operands, n, sizeof *c->operands);
  c->capacity = n;
}

void kernel_calls_free(kernel_calls *c) {
  pir_arena *arena = pir_context_arena(c->ctx);
  pir_arena_free(arena, c->attrs, c->capacity * sizeof *c->attrs);
  pir_arena_free(arena, c->types, c->capacity * sizeof *c->types);
  pir_arena_free(arena, c->operands, c->capacity * sizeof *c->operands);
}

static bool has_place(const pir_type *type) {
  switch (pir_type_kind_of(type)) {
    case PIR_TYPE_TENSOR:
    case PIR_TYPE_SELECTED_ROWS:
    case PIR_TYPE_TENSOR_ARRAY:
    case PIR_TYPE_SPARSE_COO:
    case PIR_TYPE_SPARSE_CSR: return true;
    default: return false;
  }
}

const pir_type *kernel_placed_type(pir_context *ctx, const pir_type *type, pir_str place) {
  if (pir_type_kind_of(type) != PIR_TYPE_VECTOR)
    return has_place(type) ? pir_type_allocated(ctx, place, type) : type;
  pir_arena *arena = pir_context_arena(ctx);
  size_t count = pir_type_elements(type),
         bytes = pir_arena_size(arena, count, sizeof(pir_type *));
  const pir_type **elements = pir_arena_alloc(arena, bytes);
  for (size_t i = 0; i < count; i++)
    elements[i] = kernel_placed_type(ctx, pir_type_element(type, i), place);
  type = pir_type_vector(ctx, elements, count);
  pir_arena_free(arena, elements, bytes);
  return type;
}

// ---- the key

// Facts that Paddle declares for an op and that follow neither from its name nor from its
// operands: the kernel it calls; that no tensor determines the layout; and the source of the
// key's element type (operand 0, result 0, or f32).
typedef struct exception {
  uint32_t id;
  const char *kernel;  // NULL: by the name of the op
  bool any_layout;
  enum { BY_OPERANDS, OF_FIRST, OF_RESULT, ALWAYS_F32 } dtype;
} exception;

static const exception exceptions[] = {
    {PD_ASSIGN, "assign_raw", false, BY_OPERANDS},
    {PD_ASSIGN_OUT_, "assign", false, BY_OPERANDS},
    {PD_DET, "determinant", false, BY_OPERANDS},
    {PD_HARDSHRINK, "hard_shrink", false, BY_OPERANDS},
    {PD_RANGE_V2, "range", false, BY_OPERANDS},
    {PD_REINDEX_GRAPH, "graph_reindex", false, BY_OPERANDS},
    {PD_TRANS_LAYOUT, "transpose", false, BY_OPERANDS},
    {PD_SEQUENCE_MASK, "sequence_mask_scalar", false, BY_OPERANDS},
    {PD_DEQUANTIZE_LINEAR, "quantize_linear", false, BY_OPERANDS},
    {PD_EMBEDDING_WITH_SCALED_GRADIENT, "embedding", false, BY_OPERANDS},
    {PD_ENABLE_CHECK_MODEL_NAN_INF, "check_model_nan_inf", false, BY_OPERANDS},
    {PD_DISABLE_CHECK_MODEL_NAN_INF, "check_model_nan_inf", false, BY_OPERANDS},
    {PD_INDICES_SP, "indices_coo", false, BY_OPERANDS},
    {PD_COALESCE_SP, "coalesce_coo", false, BY_OPERANDS},
    {PD_LOGICAL_AND, NULL, true, BY_OPERANDS},
    {PD_LOGICAL_OR, NULL, true, BY_OPERANDS},
    {PD_LOGICAL_XOR, NULL, true, BY_OPERANDS},
    {PD_LOGICAL_NOT, NULL, true, BY_OPERANDS},
    {PD_ARRAY_LENGTH, NULL, true, OF_RESULT},
    {PD_ARRAY_WRITE_, NULL, true, BY_OPERANDS},
    {PD_ARRAY_POP, NULL, true, BY_OPERANDS},
    {PD_SLICE_ARRAY_DENSE, NULL, true, BY_OPERANDS},
    {PD_FULL_WITH_TENSOR, NULL, true, BY_OPERANDS},
    {PD_GAUSSIAN_INPLACE, NULL, true, BY_OPERANDS},
    {PD_MEMCPY, NULL, true, BY_OPERANDS},
    {PD_WEIGHT_QUANTIZE, NULL, true, OF_FIRST},
    {PD_DEQUANTIZE_ABS_MAX, NULL, false, OF_FIRST},
    {PD_DEQUANTIZE_LOG, NULL, false, OF_FIRST},
    {PD_EDIT_DISTANCE, NULL, false, ALWAYS_F32},
};

static const exception *exception_of(const pir_opdef *def) {
  static const exception none = {0};
  uint32_t id = (def->base ? def->base : def)->id;
  for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
    if (exceptions[i].id == id)
      return &exceptions[i];
  return &none;
}

// The stated type, because Paddle selects kernels by stated types.
static pir_dtype element_type(const kernel_calls *c, const pir_value *value) {
  const pir_type *type = value ? pir_value_type(value) : NULL;
  if (pir_type_kind_of(type) == PIR_TYPE_VECTOR)
    type = pir_type_elements(type) ? pir_type_element(type, 0) : NULL;
  if (pir_type_kind_of(type) == PIR_TYPE_ALLOCATED)
    type = pir_type_inner(type);
  if (has_place(type) && pir_type_spec(type).dtype != PIR_UNDEFINED)
    return pir_type_spec(type).dtype;
  const pir_fact *fact = pir_facts_of(c->facts, value);
  if (fact->member_count)
    fact = fact->members[0];
  return fact->known ? fact->dtype : PIR_UNDEFINED;
}

static const pir_attr *attr_of_kind(const pir_op *op, uint8_t kind) {
  const pir_opdef *def = pir_op_def(op);
  for (size_t i = 0; i < def->attr_count; i++)
    if (def->attrs[i].kind == kind)
      return pir_op_attr_at(op, i);
  return NULL;
}

// Whether attributes state where the op creates its result; then tensors do not determine the
// place.
static bool creates(const pir_op *op) {
  return attr_of_kind(op, PIR_ATTR_DTYPE) && attr_of_kind(op, PIR_ATTR_PLACE);
}

static bool is_option(const pir_opdef *def, size_t i) {
  return i < def->operand_count &&
         def->operands[i].flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR);
}

// Operands that are positions or conditions select elements and do not determine the element
// type.
static bool only_picks(const pir_opdef *def, size_t i) {
  enum { PICKS = 1u << PIR_I32 | 1u << PIR_I64 | 1u << PIR_BOOL };
  uint32_t types = i < def->operand_count ? def->operands[i].dtypes : 0;
  return types && !(types & ~(uint32_t)PICKS);
}

// The element type of the key: the dtype attribute if the op creates a tensor, else the first
// numeric operand, else the first operand that does not only select, else the first operand.
static pir_dtype key_dtype(const kernel_calls *c, const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  const exception *known = exception_of(def);
  pir_dtype first = PIR_UNDEFINED, other = PIR_UNDEFINED;
  if (known->dtype == ALWAYS_F32)
    return PIR_F32;
  if (known->dtype == OF_RESULT)
    return element_type(c, pir_op_result(op, 0));
  const pir_attr *stated = attr_of_kind(op, PIR_ATTR_DTYPE);
  if (stated && (creates(op) || !pir_op_operands(op)) &&
      pir_attr_as_dtype(stated) != PIR_UNDEFINED)
    return pir_attr_as_dtype(stated);
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    pir_dtype dtype =
        is_option(def, i) ? PIR_UNDEFINED : element_type(c, pir_op_operand(op, i));
    if (pir_dtype_is_float(dtype) || pir_dtype_is_complex(dtype) || known->dtype == OF_FIRST)
      return dtype;
    if (other == PIR_UNDEFINED && !only_picks(def, i))
      other = dtype;
    if (first == PIR_UNDEFINED)
      first = dtype;
  }
  if (other != PIR_UNDEFINED)
    first = other;
  if (first != PIR_UNDEFINED || !pir_op_results(op))
    return first;
  return element_type(c, pir_op_result(op, 0));
}

// Ops that create tensors, or touch no element, take no layout from tensors.
static bool asks_layout(const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  if (exception_of(def)->any_layout)
    return false;
  if (creates(op) || def->traits & (PIR_INPUT | PIR_OUTPUT))
    return false;
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (pir_op_operand(op, i) && !is_option(def, i))
      return true;
  return false;
}

static pir_str backend_of(const pir_op *op) {
  const pir_attr *place = attr_of_kind(op, PIR_ATTR_PLACE);
  bool is_undefined = pir_op_has(op, PIR_INPUT) && place && !pir_attr_as_place(place).kind;
  return is_undefined ? PIR_STR("Undefined") : PIR_STR("CPU");
}

static const pir_attr *kernel_key(const kernel_calls *c, const pir_op *op, pir_dtype dtype) {
  const pir_attr *parts[3] = {
      pir_attr_str(c->ctx, PIR_ATTR_STR, backend_of(op)),
      pir_attr_layout(c->ctx, asks_layout(op) ? PIR_LAYOUT_NCHW : PIR_LAYOUT_ANY),
      pir_attr_dtype(c->ctx, dtype)};
  return pir_attr_tuple(c->ctx, PIR_ATTR_KERNEL_KEY, parts, 3);
}

// ---- the call

// Paddle's name of the kernel: the op's name without the dialect, the trailing `_` of in-place
// ops and the mark of sparse ops.
static pir_str kernel_name(const pir_opdef *def) {
  const char *name = (def->base ? def->base : def)->name;
  pir_str text = pir_str_from(strchr(name, '.') + 1);
  if (exception_of(def)->kernel)
    return pir_str_from(exception_of(def)->kernel);
  if (text.data[text.size - 1] == '_')
    text.size--;
  if (text.size > 3 && memcmp(text.data + text.size - 3, "_sp", 3) == 0)
    text.size -= 3;
  return text;
}

static const pir_opdef *call_def(pir_context *ctx, pir_str name, bool in_place) {
  pir_strbuf text;
  pir_strbuf_init(&text, pir_context_arena(ctx));
  pir_strbuf_format(&text, "%.*s%s" MARK, (int)name.size, name.data, in_place ? "_" : "");
  const pir_opdef *def = pir_context_opdef(ctx, (pir_str){text.data, text.size});
  pir_strbuf_free(&text);
  return def;
}

static void add_attr(kernel_calls *c, size_t *count, const char *name, const pir_attr *value) {
  if (value)
    c->attrs[(*count)++] = (pir_named_attr){pir_name_get(c->ctx, pir_str_from(name)), value};
}

static size_t call_attrs(kernel_calls *c, const pir_op *op, pir_str name,
                         const pir_attr *origin) {
  size_t count = pir_op_attrs_sorted(op, c->attrs, c->capacity);
  add_attr(c, &count, "kernel_key", kernel_key(c, op, key_dtype(c, op)));
  add_attr(c, &count, "kernel_name", pir_attr_str(c->ctx, PIR_ATTR_STR, name));
  add_attr(c, &count, "op_name", pir_attr_str(c->ctx, PIR_ATTR_STR, pir_op_name(op)));
  add_attr(c, &count, "origin_id", origin);
  if (pir_op_has(op, PIR_INPLACE))
    add_attr(c, &count, "is_inplace", pir_attr_bool(c->ctx, true));
  return count;
}

void kernel_call_replace(kernel_calls *c, pir_op *op, const pir_attr *origin) {
  enum { OWN_ATTRS = 5 };
  const pir_opdef *def = pir_op_def(op);
  size_t most = pir_op_attrs(op), operands = pir_op_operands(op), results = pir_op_results(op);
  pir_str name = kernel_name(def);
  pir_str place =
      pir_str_equal(backend_of(op), PIR_STR("CPU")) ? PIR_STR("cpu") : PIR_STR("undefined");
  if (most < operands)
    most = operands;
  if (most < results)
    most = results;
  reserve(c, most + OWN_ATTRS);
  size_t attrs = call_attrs(c, op, name, origin);
  for (size_t i = 0; i < operands; i++)
    c->operands[i] = pir_op_operand(op, i);
  for (size_t i = 0; i < results; i++)
    c->types[i] = kernel_placed_type(c->ctx, pir_value_type(pir_op_result(op, i)), place);
  pir_op_spec spec = {.def = call_def(c->ctx, name, pir_op_has(op, PIR_INPLACE)),
                      .loc = pir_op_loc(op),
                      .operands = c->operands,
                      .operand_count = operands,
                      .result_types = c->types,
                      .result_count = results,
                      .attrs = c->attrs,
                      .attr_count = attrs};
  pir_op *made = pir_rewriter_create(c->run->rewriter, op, &spec);
  if (!pir_op_attr_str(op, "stop_gradient"))
    pir_op_set_attr(made, pir_name_get(c->ctx, PIR_STR("stop_gradient")),
                    NULL);  // nothing is said that was not
  for (size_t i = 0; i < results; i++) {
    const pir_type *type = pir_value_type(pir_op_result(made, i));
    pir_rewriter_replace_value(c->run->rewriter, pir_op_result(op, i), pir_op_result(made, i));
    pir_value_set_type(pir_op_result(made, i), type);
  }
  pir_rewriter_erase(c->run->rewriter, op);
  pir_run_count(c->run, "bound", 1);
}

void kernel_call_make_inplace(pir_pass_run *run, pir_op *call, const pir_opdef *twin) {
  pir_context *ctx = pir_program_context(run->program);
  pir_arena *arena = pir_context_arena(ctx);
  size_t operands = pir_op_operands(call), results = pir_op_results(call),
         attrs = pir_op_attrs(call);
  pir_named_attr *named = pir_arena_alloc(arena, (attrs + 1) * sizeof *named);
  pir_value **values = pir_arena_alloc(arena, (operands + 1) * sizeof *values);
  const pir_type **types = pir_arena_alloc(arena, (results + 1) * sizeof *types);
  pir_op_attrs_sorted(call, named, attrs);
  for (size_t i = 0; i < operands; i++)
    values[i] = pir_op_operand(call, i);
  for (size_t i = 0; i < results; i++)
    types[i] = pir_value_type(pir_op_result(call, i));
  pir_op_spec spec = {.def = call_def(ctx, kernel_name(twin), true),
                      .loc = pir_op_loc(call),
                      .operands = values,
                      .operand_count = operands,
                      .result_types = types,
                      .result_count = results,
                      .attrs = named,
                      .attr_count = attrs};
  pir_op *made = pir_rewriter_create(run->rewriter, call, &spec);
  pir_op_set_attr(made, pir_name_get(ctx, PIR_STR("op_name")),
                  pir_attr_str(ctx, PIR_ATTR_STR, pir_str_from(twin->name)));
  pir_op_set_attr(made, pir_name_get(ctx, PIR_STR("is_inplace")), pir_attr_bool(ctx, true));
  for (size_t i = 0; i < results; i++) {
    pir_rewriter_replace_value(run->rewriter, pir_op_result(call, i), pir_op_result(made, i));
    pir_value_set_type(pir_op_result(made, i), types[i]);
  }
  pir_arena_free(arena, types, (results + 1) * sizeof *types);
  pir_arena_free(arena, values, (operands + 1) * sizeof *values);
  pir_arena_free(arena, named, (attrs + 1) * sizeof *named);
  pir_rewriter_erase(run->rewriter, call);
}
