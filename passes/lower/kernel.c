// pd_op_to_kernel_pass: binds every op that is left to a kernel, in the kernel dialect. The op becomes
// `"NAME(phi_kernel)"` with kernel_key, kernel_name, op_name beside its own attributes, and its results live
// at a place (cpu_tensor<...>). What it computes is still said by the op it names (pir_op_meaning). Groups keep
// their regions: they are compiled. One walk, O(ops + attributes).
#include <pir/dialect/cf.h>
#include <pir/dialect/pd_op.h>
#include <pir/kernel.h>
#include <pir/pass.h>
#include <stdlib.h>
#include <string.h>

#define MARK "(phi_kernel)"

typedef struct lowering {
  pir_pass_run *run;
  pir_context *ctx;
  pir_facts *facts;
  pir_named_attr *attrs;  // of the op at hand, its operands and types
  const pir_type **types;
  pir_value **operands;
  size_t capacity;
} lowering;

static bool reserve(lowering *l, size_t n) {
  if (n <= l->capacity) return true;
  n += n / 2;
  void *attrs = realloc(l->attrs, n * sizeof *l->attrs);
  if (attrs) l->attrs = attrs;
  void *types = realloc(l->types, n * sizeof *l->types);
  if (types) l->types = types;
  void *operands = realloc(l->operands, n * sizeof *l->operands);
  if (operands) l->operands = operands;
  if (!attrs || !types || !operands) return false;
  l->capacity = n;
  return true;
}

static const pir_type *placed_type(lowering *l, const pir_type *type, pir_str place) {
  if (!type || pir_type_kind_of(type) != PIR_TYPE_VECTOR)
    return type && pir_type_is_tensor(type) ? pir_type_allocated(l->ctx, place, type) : type;
  size_t count = pir_type_elements(type);
  const pir_type **elements = malloc((count + 1) * sizeof *elements);
  if (!elements) return type;
  for (size_t i = 0; i < count; i++) {
    const pir_type *element = pir_type_element(type, i);
    bool tensor = element && pir_type_is_tensor(element);
    elements[i] = tensor ? pir_type_allocated(l->ctx, place, element) : element;
  }
  type = pir_type_vector(l->ctx, elements, count);
  free(elements);
  return type;
}

// The element type that picks the kernel: of the first tensor it reads, else of what it makes.
static pir_dtype key_dtype(const lowering *l, const pir_op *op) {
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_value *value = pir_op_operand(op, i);
    const pir_fact *fact = value ? pir_facts_of(l->facts, value) : NULL;
    if (fact && fact->member_count) fact = fact->members[0];
    if (fact && fact->known) return fact->dtype;
  }
  return pir_op_results(op) ? pir_facts_of(l->facts, pir_op_result(op, 0))->dtype : PIR_UNDEFINED;
}

static const pir_attr *kernel_key(lowering *l, const pir_op *op, bool is_feed) {
  bool reads = pir_op_operands(op) > 0;
  const pir_attr *parts[3] = {pir_attr_str(l->ctx, PIR_ATTR_STR, is_feed ? PIR_STR("Undefined") : PIR_STR("CPU")),
                              pir_attr_layout(l->ctx, reads && !is_feed ? PIR_LAYOUT_NCHW : PIR_LAYOUT_ANY),
                              pir_attr_dtype(l->ctx, key_dtype(l, op))};
  return pir_attr_tuple(l->ctx, PIR_ATTR_KERNEL_KEY, parts, 3);
}

// What Paddle calls the kernel: the op's name without dialect and without the `_` of an in-place twin.
static pir_str kernel_name(const pir_opdef *def) {
  const char *name = (def->base ? def->base : def)->name, *dot = strchr(name, '.');
  return pir_str_from(dot ? dot + 1 : name);
}

static const pir_opdef *bound_def(lowering *l, pir_str name, bool in_place) {
  char text[256];
  if (name.size + sizeof MARK + 1 > sizeof text) return NULL;
  memcpy(text, name.data, name.size);
  size_t size = name.size;
  if (in_place) text[size++] = '_';
  memcpy(text + size, MARK, sizeof MARK);
  return pir_context_opdef(l->ctx, (pir_str){text, size + sizeof MARK - 1});
}

static void add_attr(lowering *l, size_t *count, const char *name, const pir_attr *value) {
  l->attrs[(*count)++] = (pir_named_attr){pir_name_get(l->ctx, pir_str_from(name)), value};
}

static size_t bound_attrs(lowering *l, const pir_op *op, pir_str name, bool is_feed) {
  size_t count = pir_op_attrs_sorted(op, l->attrs, l->capacity);
  add_attr(l, &count, "kernel_key", kernel_key(l, op, is_feed));
  add_attr(l, &count, "kernel_name", pir_attr_str(l->ctx, PIR_ATTR_STR, name));
  add_attr(l, &count, "op_name", pir_attr_str(l->ctx, PIR_ATTR_STR, pir_op_name(op)));
  if (pir_op_def(op)->base) add_attr(l, &count, "is_inplace", pir_attr_bool(l->ctx, true));
  return count;
}

static pir_status bind(lowering *l, pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  size_t most = pir_op_attrs(op), operands = pir_op_operands(op), results = pir_op_results(op);
  bool is_feed = def->traits & PIR_INPUT;
  pir_str name = kernel_name(def), place = is_feed ? PIR_STR("undefined") : PIR_STR("cpu");
  const pir_opdef *bound = bound_def(l, name, def->base != NULL);
  if (most < operands) most = operands;
  if (most < results) most = results;
  if (!bound || !reserve(l, most + 4)) return PIR_EXHAUSTED;
  size_t attrs = bound_attrs(l, op, name, is_feed);
  for (size_t i = 0; i < operands; i++) l->operands[i] = pir_op_operand(op, i);
  for (size_t i = 0; i < results; i++) l->types[i] = placed_type(l, pir_value_type(pir_op_result(op, i)), place);
  pir_op_spec spec = {.def = bound,
                      .loc = pir_op_loc(op),
                      .operands = l->operands,
                      .operand_count = operands,
                      .result_types = l->types,
                      .result_count = results,
                      .attrs = l->attrs,
                      .attr_count = attrs};
  pir_op *made = pir_rewriter_create(l->run->rewriter, op, &spec);
  for (size_t i = 0; i < results; i++) {
    const pir_type *type = pir_value_type(pir_op_result(made, i));
    pir_rewriter_replace_value(l->run->rewriter, pir_op_result(op, i), pir_op_result(made, i));
    pir_value_set_type(pir_op_result(made, i), type);
  }
  pir_rewriter_erase(l->run->rewriter, op);
  pir_run_count(l->run, "bound", 1);
  return PIR_OK;
}

// What the executor does itself: the regions of control flow, and arrays of tensors.
static bool is_control(const pir_opdef *def) {
  switch (def->id) {
    case PD_IF:
    case PD_WHILE:
    case PD_SELECT_INPUT:
    case PD_CREATE_ARRAY:
    case PD_ARRAY_LENGTH:
    case PD_ARRAY_POP:
    case PD_ARRAY_READ:
    case PD_SLICE_ARRAY:
    case PD_SLICE_ARRAY_DENSE:
    case PD_ARRAY_TO_TENSOR:
    case PD_TENSOR_TO_ARRAY:
    case PD_CREATE_ARRAY_LIKE:
    case PD_ARRAY_WRITE_: return true;
    default: return false;
  }
}

// Stacks have no kernels either, and no tensors that could lie anywhere.
static bool is_stack(const pir_opdef *def) {
  return def->id == CF_STACK_CREATE || def->id == CF_TUPLE_PUSH || def->id == CF_TUPLE_POP ||
         def->id == CF_HAS_ELEMENTS;
}

// What stays as it is: parameters, lists of values, outputs of the builtin dialect, compiled groups, control flow
// with what ends its regions, stacks, and what an earlier run bound.
static bool stays(const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  if (def->traits & (PIR_PARAMETER | PIR_STRUCTURAL | PIR_TERMINATOR)) return true;
  if (((def->traits & PIR_OUTPUT) && !def->result_count) || is_stack(def)) return true;
  return pir_op_meaning(op) != def || (pir_op_regions(op) && (is_control(def) || !(def->traits & PIR_CONTROL)));
}

static pir_status check(const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  const char *what = NULL;
  if (!(def->traits & PIR_REGISTERED)) what = "no dialect declares it";
  else if (is_control(def)) return PIR_OK;
  else if (pir_op_regions(op)) what = "control flow";
  else if (def->traits & (PIR_INPUT | PIR_OUTPUT)) return PIR_OK;
  else if (!def->clause && !def->own && !(def->kernel && pir_kernel_find(pir_str_from(def->kernel))))
    what = "no kernel computes it";
  if (!what) return PIR_OK;
  return pir_report(pir_op_context(op), PIR_UNSUPPORTED, PIR_ERROR, pir_op_loc(op), "unsupported: \"%s\": %s",
                    def->name, what);
}

enum { DEEPEST = 64 };

// Checks, or binds, the ops of a block and of the regions of its control flow. All that is unsupported is reported.
static pir_status each_op(lowering *l, pir_block *block, bool binds, int depth) {
  pir_status status = PIR_OK;
  PIR_EACH_OP(op, block) {
    pir_status found = PIR_OK;
    for (size_t r = 0; is_control(pir_op_def(op)) && r < pir_op_regions(op) && !found; r++) {
      pir_block *inner = pir_region_first(pir_op_region(op, r));
      if (depth == DEEPEST) found = pir_error(op, "is nested deeper than %d regions", DEEPEST);
      else if (inner) found = each_op(l, inner, binds, depth + 1);
    }
    if (!found && !stays(op)) found = binds ? bind(l, op) : check(op);
    status = status ? status : found;
    if (binds && status) break;
  }
  return status;
}

pir_status pir_pass_pd_op_to_kernel(pir_pass_run *run) {
  lowering l = {.run = run, .ctx = pir_program_context(run->program), .facts = pir_run_facts(run)};
  pir_status status = l.facts ? PIR_OK : pir_run_facts_status(run);
  if (!status) status = each_op(&l, pir_program_block(run->program), false, 0);
  if (!status) status = each_op(&l, pir_program_block(run->program), true, 0);
  free(l.attrs);
  free(l.types);
  free(l.operands);
  return status;
}
