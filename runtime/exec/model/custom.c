// The user's ops: turns declarations into op tables, and functions into one kernel and one
// inference hook, which assemble the arguments of a call and pass them to libffi.
#include <dlfcn.h>
#include <ffi.h>
#include <pir/engine/custom.h>
#include <pir/compiler/dialect.h>
#include <pir/compiler/infer.h>
#include <sized.h>
#include <string.h>

#include "custom_impl.h"

enum { MOST = 24, ARGUMENTS = 6 * MOST };

// An op with its functions. Calls refer to `kernel`, from which this struct is found.
typedef struct custom_op {
  const pir_opdef *def;
  pir_kernel kernel;
  pir_custom_fn run, infer;
  ffi_cif cif;
  ffi_type *types[ARGUMENTS];
} custom_op;

// ---- arguments of a call

// Values and where libffi finds them. At most ARGUMENTS tensors are in lists: both callers
// count them.
typedef struct arguments {
  union {
    void *p;
    size_t n;
    bool b;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
  } values[ARGUMENTS];
  void *pointers[ARGUMENTS];
  int count;
  const pir_tensor *lists[ARGUMENTS];
  int listed;
} arguments;

static void push_pointer(arguments *a, const void *p) {
  a->values[a->count++].p = (void *)(uintptr_t)p;
}
static void push_size(arguments *a, size_t n) {
  a->values[a->count++].n = n;
}

static void push_list(arguments *a, pir_tensor *const *tensors, int n) {
  int first = a->listed;
  for (int i = 0; i < n; i++)
    a->lists[a->listed++] = tensors[i];
  push_pointer(a, &a->lists[first]);
  push_size(a, (size_t)(a->listed - first));
}

// The elements of an attribute that is a list.
static const void *items_of(const pir_attr_value *v) {
  if (v->ints)
    return v->ints;
  return v->floats ? (const void *)v->floats : v->texts;
}

static void push_attr(arguments *a, const pir_attr_def *def, const pir_attr_value *v) {
  switch ((pir_attr_kind)def->kind) {
    case PIR_ATTR_BOOL: a->values[a->count++].b = v->i != 0; break;
    case PIR_ATTR_I32: a->values[a->count++].i32 = (int32_t)v->i; break;
    case PIR_ATTR_I64: a->values[a->count++].i64 = v->i; break;
    case PIR_ATTR_F32: a->values[a->count++].f32 = (float)v->f; break;
    case PIR_ATTR_F64: a->values[a->count++].f64 = v->f; break;
    case PIR_ATTR_STR: push_pointer(a, v->text.size ? v->text.data : ""); break;
    default: push_pointer(a, items_of(v)); push_size(a, v->count);
  }
}

static int invoke(custom_op *op, pir_custom_fn fn, arguments *a) {
  ffi_arg result = 0;
  for (int i = 0; i < a->count; i++)
    a->pointers[i] = &a->values[i];
  ffi_call(&op->cif, FFI_FN(fn), &result, a->pointers);
  return (int)result;
}

static custom_op *of_kernel(const pir_kernel *kernel) {
  return (custom_op *)((char *)(uintptr_t)kernel - offsetof(custom_op, kernel));
}

// ---- inference

// Represents a known fact as a tensor without data.
static pir_tensor shape_of(const pir_infer *infer, const pir_fact *fact) {
  pir_tensor t = {.dtype = fact->dtype, .rank = pir_fact_has_rank(fact) ? fact->rank : 0};
  for (int i = 0; i < t.rank; i++)
    if (!pir_dim_is_const(infer->dims, fact->shape[i], &t.shape[i]))
      t.shape[i] = -1;
  return t;
}

static pir_status take_inferred(pir_infer *infer, int i, const pir_tensor *t) {
  pir_fact *out = &infer->results[i];
  if (t->rank < 0 || t->rank > PIR_MAX_RANK || t->dtype == PIR_UNDEFINED)
    return pir_infer_fail(
        infer, "its infer function gives result '%s' rank %d and no type or a wrong one",
        infer->def->results[i].name, t->rank);
  *out = (pir_fact){.known = true, .dtype = t->dtype, .rank = t->rank};
  for (int d = 0; d < t->rank; d++)
    out->shape[d] = t->shape[d] < 0 ? PIR_DIM_UNKNOWN : t->shape[d];
  return PIR_OK;
}

static bool known_rank(const pir_fact *fact) {
  return !fact || (fact->known && (fact->members || fact->rank >= 0));
}

static pir_status infer_custom(pir_infer *infer) {
  const pir_opdef *def = infer->def;
  custom_op *op = of_kernel(def->own);
  pir_tensor tensors[ARGUMENTS], *pointers[ARGUMENTS], results[MOST];
  arguments a = {0};
  int n = 0;
  for (int i = 0; i < def->operand_count; i++) {
    const pir_fact *fact = infer->operands[i];
    bool list = def->operands[i].flags & PIR_OPERAND_VARIADIC;
    int first = n;
    if (!known_rank(fact))
      return PIR_OK;
    for (size_t m = 0; list && fact && m < fact->member_count && n < ARGUMENTS; m++, n++) {
      if (!known_rank(fact->members[m]))
        return PIR_OK;
      tensors[n] = shape_of(infer, fact->members[m]);
      pointers[n] = &tensors[n];
    }
    if (list)
      push_list(&a, pointers + first, n - first);
    else if (!fact)
      push_pointer(&a, NULL);
    else {
      tensors[n] = shape_of(infer, fact);
      push_pointer(&a, &tensors[n]);
      n++;
    }
    if (n >= ARGUMENTS)
      return pir_infer_fail(infer, "unsupported: more than %d tensors", ARGUMENTS);
  }
  for (int i = 0; i < def->result_count; i++) {
    results[i] = n ? tensors[0] : (pir_tensor){0};
    push_pointer(&a, &results[i]);
  }
  for (int i = 0; i < def->attr_count; i++)
    push_attr(&a, &def->attrs[i], &infer->attrs[i]);
  int code = op->infer ? invoke(op, op->infer, &a) : 0;
  if (code)
    return pir_infer_fail(infer, "its infer function failed with %d", code);
  for (int i = 0; i < def->result_count && (size_t)i < infer->result_count; i++)
    PIR_TRY(take_inferred(infer, i, &results[i]));
  return PIR_OK;
}

// ---- running

// Functions get dense tensors: strided operands are copied. Results are dense.
typedef struct dense_call {
  const pir_kernel_call *call;
  pir_tensor copies[ARGUMENTS], *tensors[ARGUMENTS];
  void *memory[ARGUMENTS];
  size_t sizes[ARGUMENTS];  // of `memory`
  int count;
} dense_call;

static pir_tensor *dense(dense_call *d, const pir_tensor *from, pir_status *status) {
  size_t bytes;
  if (!from || *status)
    return NULL;
  if (d->count >= ARGUMENTS) {
    *status = pir_kernel_fail(d->call, PIR_UNSUPPORTED, "unsupported: %s: more than %d tensors",
                              d->call->op, ARGUMENTS);
    return NULL;
  }
  int i = d->count++;
  d->copies[i] = *from;
  d->memory[i] = NULL;
  if (pir_tensor_is_dense(from))
    return &d->copies[i];
  pir_tensor_set_dense(&d->copies[i], from->dtype, from->shape, from->rank);
  *status = pir_shape_bytes(from->shape, from->rank, from->dtype, &bytes);
  d->sizes[i] = !*status && bytes ? bytes : 1;
  if (!*status)
    d->copies[i].data = d->memory[i] = pir_mem_get(d->call->allocator, d->sizes[i]);
  if (!*status && !d->memory[i])
    *status = PIR_EXHAUSTED;
  if (!*status)
    *status = pir_tensor_copy(from, &d->copies[i]);
  return &d->copies[i];
}

static void push_operands(dense_call *d, const pir_opdef *def, arguments *a,
                          pir_status *status) {
  const pir_kernel_call *call = d->call;
  for (int i = 0; i < def->operand_count; i++) {
    int n = call->in_members[i], first = d->count;
    if (!(def->operands[i].flags & PIR_OPERAND_VARIADIC)) {
      push_pointer(a, n ? dense(d, call->in[call->in_first[i]], status) : NULL);
      continue;
    }
    for (int m = 0; m < n && !*status; m++) {
      pir_tensor *t = dense(d, call->in[call->in_first[i] + m], status);
      if (!*status)
        d->tensors[d->count - 1] = t;
    }
    if (!*status)
      push_list(a, d->tensors + first, n);
  }
}

static pir_status run_custom(const pir_kernel_call *call) {
  custom_op *op = of_kernel(call->kernel);
  const pir_opdef *def = op->def;
  dense_call d = {.call = call};
  arguments a = {0};
  pir_status status = PIR_OK;
  push_operands(&d, def, &a, &status);
  for (int i = 0; i < def->result_count; i++)
    push_pointer(&a, call->out_members[i] ? dense(&d, call->out[call->out_first[i]], &status)
                                          : NULL);
  for (int i = 0; i < def->attr_count; i++)
    push_attr(&a, &def->attrs[i], &call->attrs[i]);
  int code = status ? 0 : invoke(op, op->run, &a);
  if (code)
    status =
        pir_kernel_fail(call, PIR_INVALID, "%s: its kernel failed with %d", call->op, code);
  for (int i = 0; i < d.count; i++)
    if (d.memory[i])
      pir_mem_give(call->allocator, d.memory[i], d.sizes[i]);
  return status;
}

// ---- declarations

static pir_status prepare_call(custom_op *op, pir_message *message) {
  int n = 0;
  for (int i = 0; i < op->def->operand_count; i++) {
    op->types[n++] = &ffi_type_pointer;
    if (op->def->operands[i].flags & PIR_OPERAND_VARIADIC)
      op->types[n++] = &ffi_type_uint64;
  }
  for (int i = 0; i < op->def->result_count; i++)
    op->types[n++] = &ffi_type_pointer;
  for (int i = 0; i < op->def->attr_count; i++)
    switch ((pir_attr_kind)op->def->attrs[i].kind) {
      case PIR_ATTR_BOOL: op->types[n++] = &ffi_type_uint8; break;
      case PIR_ATTR_I32: op->types[n++] = &ffi_type_sint32; break;
      case PIR_ATTR_I64: op->types[n++] = &ffi_type_sint64; break;
      case PIR_ATTR_F32: op->types[n++] = &ffi_type_float; break;
      case PIR_ATTR_F64: op->types[n++] = &ffi_type_double; break;
      case PIR_ATTR_STR: op->types[n++] = &ffi_type_pointer; break;
      default: op->types[n++] = &ffi_type_pointer; op->types[n++] = &ffi_type_uint64;
    }
  if (ffi_prep_cif(&op->cif, FFI_DEFAULT_ABI, (unsigned)n, &ffi_type_sint32, op->types) ==
      FFI_OK)
    return PIR_OK;
  return pir_exec_fail(message, PIR_INTERNAL, "\"%s\": its call cannot be prepared",
                       op->def->name);
}

pir_status pir_custom_set_create(const pir_allocator *allocator, pir_custom_set **out_set) {
  if (!out_set)
    return PIR_INVALID;
  pir_allocator own = allocator ? *allocator : (pir_allocator){0};
  *out_set = pir_mem_get(&own, sizeof **out_set);
  if (!*out_set)
    return PIR_EXHAUSTED;
  **out_set = (pir_custom_set){.holders = 1, .allocator = own, .memory.source = own};
  (*out_set)->last_text = &(*out_set)->texts;
  (*out_set)->dialect =
      (pir_dialect){.name = "custom_op", .json_id = 3, .ops = (*out_set)->defs};
  return PIR_OK;
}

void pir_custom_set_destroy(pir_custom_set *set) {
  if (!set || atomic_fetch_sub(&set->holders, 1) != 1)
    return;
  pir_allocator allocator = set->allocator;
  pir_custom_texts_destroy(set);
  pir_arena_destroy(&set->memory);
  for (size_t i = 0; i < set->library_count; i++)
    dlclose(set->libraries[i]);
  pir_mem_give(&allocator, set, sizeof *set);
}

void pir_custom_set_hold(pir_custom_set *set) {
  atomic_fetch_add(&set->holders, 1);
}

static pir_status add_op(pir_custom_set *set, const pir_custom_op *from, pir_custom_fn kernel,
                         pir_custom_fn infer, pir_message *message) {
  if (atomic_load(&set->registered))
    return pir_exec_fail(message, PIR_INVALID, "a set that is registered takes no more ops");
  if (set->count == UINT8_MAX)
    return pir_exec_fail(message, PIR_EXHAUSTED, "more than %d ops", UINT8_MAX);
  if (!kernel)
    return pir_exec_fail(message, PIR_INVALID, "\"%s\" has no kernel",
                         from->name ? from->name : "");
  custom_op *op = pir_arena_zalloc(&set->memory, sizeof *op);
  pir_opdef *def = &set->defs[set->count];
  if (!op)
    return PIR_EXHAUSTED;
  *def = (pir_opdef){.id = (uint32_t)CUSTOM_FUNCTIONS << 16 | (uint32_t)(set->count + 1),
                     .traits = PIR_REGISTERED,
                     .hooks.infer = infer_custom,
                     .own = &op->kernel};
  PIR_TRY(pir_custom_declare(&set->memory, from, MOST, def, message));
  if (pir_custom_find(set, def->name))
    return pir_exec_fail(message, PIR_INVALID, "\"%s\" is declared twice", def->name);
  op->def = def;
  op->kernel = (pir_kernel){def->name, run_custom, false};
  op->run = kernel;
  op->infer = infer;
  PIR_TRY(prepare_call(op, message));
  set->dialect.op_count = ++set->count;
  return PIR_OK;
}

pir_status pir_custom_set_add(pir_custom_set *set, const pir_custom_op *from,
                              pir_custom_fn kernel, pir_custom_fn infer, pir_message *message) {
  if (!message)
    return PIR_INVALID;
  if (!set || !from)
    return pir_exec_fail(message, PIR_INVALID, "pir_custom_set_add: an argument is NULL");
  message->text[0] = 0;
  pir_status status = add_op(set, from, kernel, infer, message);
  return status && !message->text[0] ? pir_exec_fail(message, status, "out of memory") : status;
}

static pir_status find_function(void *library, const char *path, const char *name,
                                pir_custom_fn *out, pir_message *message) {
  *out = NULL;
  if (!name)
    return PIR_OK;
  void *symbol = dlsym(library, name);
  if (!symbol)
    return pir_exec_fail(message, PIR_INVALID, "%s: no function '%s'", path, name);
  memcpy(out, &symbol, sizeof symbol);
  return PIR_OK;
}

pir_status pir_custom_set_load(pir_custom_set *set, const char *path, pir_message *message) {
  if (!message)
    return PIR_INVALID;
  if (!set || !path)
    return pir_exec_fail(message, PIR_INVALID, "pir_custom_set_load: an argument is NULL");
  if (set->library_count == UINT8_MAX)
    return pir_exec_fail(message, PIR_EXHAUSTED, "more than %d libraries", UINT8_MAX);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return pir_exec_fail(message, PIR_INVALID, "%s", dlerror());
  set->libraries[set->library_count++] = library;
  const pir_custom_op *op = dlsym(library, "pir_custom_ops");
  if (!op)
    return pir_exec_fail(message, PIR_INVALID, "%s: exports no 'pir_custom_ops'", path);
  for (; op->name; op++) {
    pir_custom_fn kernel, infer;
    PIR_TRY(find_function(library, path, op->kernel, &kernel, message));
    PIR_TRY(find_function(library, path, op->infer, &infer, message));
    PIR_TRY(pir_custom_set_add(set, op, kernel, infer, message));
  }
  return PIR_OK;
}

pir_status pir_custom_set_register(pir_custom_set *set, pir_context *ctx) {
  if (!set || !ctx)
    return pir_refuse_null(ctx, __func__);
  atomic_store(&set->registered, true);
  if (set->count || !set->texts)
    PIR_TRY(pir_context_register(ctx, &set->dialect));
  return pir_custom_texts_register(set, ctx);
}
