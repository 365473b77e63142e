// All changes of a program under a pass go through this file: it informs listeners, updates
// facts, and gives new ops their derived attributes. location, op_role and comp_op_name come
// from the replaced op. stop_gradient is set if every operand has it.

#include <pir/compiler/rewrite.h>

#include <rewriter_impl.h>
#include <vec.h>

#include <pir/compiler/walk.h>

#include <assert.h>

void pir_rewriter_init(pir_rewriter *rewriter, pir_program *program) {
  pir_context *ctx = pir_program_context(program);
  *rewriter = (pir_rewriter){
      .ctx = ctx,
      .program = program,
      .stop_gradient = pir_name_get(ctx, PIR_STR("stop_gradient")),
      .op_role = pir_name_get(ctx, PIR_STR("op_role")),
      .comp_op_name = pir_name_get(ctx, PIR_STR("comp_op_name")),
  };
}

pir_facts *pir_rewriter_facts(pir_rewriter *rewriter) {
  if (!rewriter->facts && !rewriter->failed) {
    rewriter->failed = pir_facts_create(rewriter->program, &rewriter->facts);
    if (rewriter->failed)
      rewriter->facts = NULL;
  }
  return rewriter->facts;
}

pir_status pir_rewriter_facts_status(const pir_rewriter *rewriter) {
  return rewriter->failed;
}

void pir_rewriter_drop_facts(pir_rewriter *rewriter) {
  if (rewriter->facts)
    pir_facts_destroy(rewriter->facts);
  rewriter->facts = NULL;
}

pir_context *pir_rewriter_context(const pir_rewriter *rewriter) {
  return rewriter->ctx;
}

void pir_rewriter_listen(pir_rewriter *rewriter, const pir_rewrite_listener *listener) {
  assert(rewriter->listener_count < PIR_REWRITER_LISTENERS);
  rewriter->listeners[rewriter->listener_count++] = listener;
}

void pir_rewriter_unlisten(pir_rewriter *rewriter, const pir_rewrite_listener *listener) {
  size_t kept = 0;
  for (size_t i = 0; i < rewriter->listener_count; i++)
    if (rewriter->listeners[i] != listener)
      rewriter->listeners[kept++] = rewriter->listeners[i];
  rewriter->listener_count = kept;
}

#define TELL(rewriter, event, ...)                                                             \
  for (size_t i_ = 0; i_ < (rewriter)->listener_count; i_++) {                                 \
    const pir_rewrite_listener *l_ = (rewriter)->listeners[i_];                                \
    if (l_->event)                                                                             \
      l_->event(l_->user, __VA_ARGS__);                                                        \
  }

static void update_facts(pir_rewriter *rewriter, pir_op *op) {
  if (!rewriter->facts)
    return;
  pir_status status = pir_facts_update(rewriter->facts, op);
  if (status && !rewriter->failed)
    rewriter->failed = status;
}

static void tell_changed(pir_rewriter *rewriter, pir_op *op) {
  update_facts(rewriter, op);
  TELL(rewriter, changed, op)
}

// ---- derived attributes

// Returns stop_gradient of new results. As in Paddle, a value without the attribute counts as
// stopped. `out_stated` is set if some operand states it.
static bool is_stopped(const pir_rewriter *rewriter, pir_value *value, bool *out_stated) {
  const pir_attr *attr = NULL;
  int64_t stopped = 1;
  if (pir_value_is_argument(value)) {
    for (size_t i = 0; i < pir_block_argument_attrs(value) && !attr; i++) {
      pir_named_attr entry = pir_block_argument_attr(value, i);
      if (entry.name == rewriter->stop_gradient)
        attr = entry.value;
    }
    if (attr)
      pir_attr_as_int(attr, &stopped);
  } else {
    attr = pir_op_attr(pir_value_op(value), rewriter->stop_gradient);
    if (attr)
      pir_attr_int_at(attr, pir_value_index(value), &stopped);
  }
  if (attr)
    *out_stated = true;
  return stopped != 0;
}

// Truth values of an op without a gradient, as of a comparison, stop gradients whatever they
// are computed of.
static bool is_truth(const pir_rewriter *rewriter, const pir_value *value) {
  const pir_type *type = pir_value_type(value);
  const pir_fact *fact = rewriter->facts ? pir_facts_of(rewriter->facts, value) : NULL;
  pir_dtype stated = type && pir_type_is_tensor(type) ? pir_type_dtype(type) : PIR_UNDEFINED;
  return (fact && fact->known ? fact->dtype : stated) == PIR_BOOL;
}

static void copy_attr(pir_op *to, const pir_op *from, pir_name *name) {
  const pir_attr *value = pir_op_attr(from, name);
  if (value && !pir_op_attr(to, name))
    pir_op_set_attr(to, name, value);
}

static void derive_stop_gradient(const pir_rewriter *rewriter, pir_op *op, const pir_op *at) {
  size_t n = pir_op_results(op);
  const pir_opdef *def = pir_op_def(op);
  // Paddle states nothing for an op that only writes in place.
  bool writes_only = n == 1 && pir_op_has(op, PIR_INPLACE) && !def->base;
  if (!n || writes_only || pir_op_attr(op, rewriter->stop_gradient))
    return;
  bool stated = pir_op_attr(at, rewriter->stop_gradient) != NULL, stopped = true;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    pir_value *value = pir_op_operand(op, i);
    if (value && !is_stopped(rewriter, value, &stated))
      stopped = false;
  }
  if (!stated)
    return;
  // An op without operands keeps the attribute of the op that it replaces.
  if (!pir_op_operands(op) && !pir_op_operands(at) && pir_op_results(at) == n)
    return copy_attr(op, at, rewriter->stop_gradient);
  pir_arena *arena = pir_context_arena(rewriter->ctx);
  size_t bytes = pir_arena_size(arena, n, sizeof(pir_attr *));
  const pir_attr **each = pir_arena_alloc(arena, bytes);
  for (size_t i = 0; i < n; i++) {
    bool stops = stopped || (!def->grad_count && is_truth(rewriter, pir_op_result(op, i)));
    each[i] = pir_attr_bool(rewriter->ctx, stops);
  }
  pir_op_set_attr(op, rewriter->stop_gradient, pir_attr_array(rewriter->ctx, each, n));
  pir_arena_free(arena, each, bytes);
}

// ---- changes

pir_op *pir_rewriter_create(pir_rewriter *rewriter, pir_op *at, const pir_op_spec *spec) {
  pir_builder b = pir_builder_before(at);
  pir_op *op = pir_build(&b, spec);
  copy_attr(op, at, rewriter->op_role);
  copy_attr(op, at, rewriter->comp_op_name);
  update_facts(rewriter, op);
  derive_stop_gradient(rewriter, op, at);
  TELL(rewriter, inserted, op)
  return op;
}

// A new value (without uses) takes the stated type of the value it replaces; an existing value
// keeps its own.
static void keep_stated_type(const pir_value *value, pir_value *by) {
  if (pir_value_unused(by) && !pir_value_is_argument(by) && pir_value_type(value))
    pir_value_set_type(by, pir_value_type(value));
}

void pir_rewriter_replace_value(pir_rewriter *rewriter, pir_value *value, pir_value *by) {
  if (value == by)
    return;
  keep_stated_type(value, by);
  pir_use *first_other = pir_value_first_use(by);
  pir_value_replace_uses(value, by);
  // Moved uses are linked at the front of the list, so those before the old first one have
  // moved.
  PIR_EACH_USE(use, by) {
    if (use == first_other)
      break;
    tell_changed(rewriter, pir_use_owner(use));
  }
}

void pir_rewriter_replace(pir_rewriter *rewriter, pir_op *op, pir_value *const *by) {
  TELL(rewriter, replaced, op, by)
  for (size_t i = 0; i < pir_op_results(op); i++)
    if (by[i])
      pir_rewriter_replace_value(rewriter, pir_op_result(op, i), by[i]);
  pir_rewriter_erase(rewriter, op);
}

typedef struct doomed_ops {
  pir_arena *arena;
  PIR_VEC(pir_op *) list;
} doomed_ops;

static pir_walk_result collect_doomed(pir_op *op, void *user) {
  doomed_ops *doomed = user;
  pir_vec_push(doomed->arena, &doomed->list, op);
  return PIR_WALK_CONTINUE;
}

// Informs listeners of readers before their operands.
static void tell_erasing(pir_rewriter *rewriter, pir_op *op) {
  doomed_ops doomed = {.arena = pir_context_arena(rewriter->ctx)};
  pir_walk(op, PIR_PRE_ORDER, collect_doomed, &doomed);
  while (doomed.list.count) {
    pir_op *next = pir_vec_pop(&doomed.list);
    TELL(rewriter, erasing, next)
  }
  pir_vec_free(doomed.arena, &doomed.list);
}

void pir_rewriter_erase(pir_rewriter *rewriter, pir_op *op) {
  assert(pir_op_unused(op));
  if (rewriter->listener_count && pir_op_regions(op))
    tell_erasing(rewriter, op);
  else
    TELL(rewriter, erasing, op)
  pir_op_erase(op);
}

void pir_rewriter_set_operand(pir_rewriter *rewriter, pir_op *op, size_t i, pir_value *value) {
  pir_op_set_operand(op, i, value);
  tell_changed(rewriter, op);
}

void pir_rewriter_set_attr(pir_rewriter *rewriter, pir_op *op, pir_name *name,
                           const pir_attr *value) {
  pir_op_set_attr(op, name, value);
  tell_changed(rewriter, op);
}
