// Constant folding. Ops are computed in program order as long as their operands are known. As
// in Paddle, each one becomes a constant at the top of the program, even if nobody reads it any
// more: a builtin.constant if a reader takes it as an attribute operand, else a
// builtin.parameter. Options:
//   sources=false    constants that an op states stay ops; only values that an unknown op reads
//                    become constants, and the ops that led to them become dead code
//   params=false     parameters are not folded
//   max-bytes=N      bounds results that are larger than their operands
// One walk, O(ops + uses), plus the computation.

#include <pir/compiler/pass.h>
#include <pass_list.h>

#include <effects.h>
#include <evaluate.h>
#include <known_memory.h>
#include <propagate.h>

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>

#include <stdlib.h>
#include <string.h>

typedef struct folder {
  pir_pass_run *run;
  evaluator eval;
  pir_op *top;  // constants go before it
  uint64_t serial, folded;
  bool sources;
  pir_map taken;  // names of the parameters that ops read before the pass
  PIR_VEC(pir_op *) gone;
} folder;

// Whether Paddle does not fold the value: constants that are broadcast, and initial values of
// loops. A loop may overwrite its initial value; so may other readers, which Paddle does not
// check.
static bool is_left_alone(const pir_op *op) {
  for (size_t i = 0; i < pir_op_results(op); i++) {
    if (pir_value_may_be_overwritten(pir_op_result(op, i)))
      return true;
    PIR_EACH_USE(use, pir_op_result(op, i)) {
      const pir_op *user = pir_use_owner(use);
      bool spreads = pir_op_is(user, PD_FULL_WITH_TENSOR) || pir_op_is(user, PD_LINSPACE);
      if (spreads && pir_op_is(op, PD_FULL))
        return true;
    }
  }
  return false;
}

// Whether the op widens a matrix for one contraction, which reads the narrow one: the constant
// would take more memory.
static bool is_widened_factor(const pir_op *op) {
  if (!pir_op_is(op, PD_CAST) || !pir_value_single_use(pir_op_result(op, 0)))
    return false;
  const pir_op *reader = pir_use_owner(pir_value_first_use(pir_op_result(op, 0)));
  const pir_opdef *def = pir_op_meaning(reader);
  const pir_type *from = pir_value_type(pir_op_operand(op, 0)),
                 *to = pir_value_type(pir_op_result(op, 0));
  return def && def->clause && def->clause->kind == PIR_CLAUSE_CONTRACT &&
         pir_type_dtype(from) == PIR_I8 && pir_type_dtype(to) == PIR_F32 &&
         pir_type_shape(to).rank == 2;
}

static pir_walk_result evaluate_foldable(pir_op *op, void *user) {
  folder *f = user;
  if (f->sources ? is_left_alone(op) : is_widened_factor(op))
    return PIR_WALK_CONTINUE;
  evaluator_visit(&f->eval, op);
  return f->eval.status ? PIR_WALK_STOP : PIR_WALK_CONTINUE;
}

// ---- the constant in place of a value

enum { DEEPEST = 8 };

static bool is_attribute(const pir_value *value, int depth);

// For an op that collects values, checks the readers of its result.
static bool reads_as_attribute(const pir_use *use, int depth) {
  const pir_op *user = pir_use_owner(use);
  const pir_opdef *def = pir_op_def(user);
  size_t i = pir_use_operand_index(use);
  bool collects =
      pir_op_results(user) == 1 && (def->traits & PIR_STRUCTURAL || pir_op_is(user, PD_STACK));
  if (collects && depth < DEEPEST)
    return is_attribute(pir_op_result(user, 0), depth + 1);
  return i < def->operand_count &&
         def->operands[i].flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR);
}

static bool is_attribute(const pir_value *value, int depth) {
  PIR_EACH_USE(use, value) if (reads_as_attribute(use, depth)) return true;
  return false;
}

static pir_walk_result take_parameter_name(pir_op *op, void *user) {
  folder *f = user;
  if (!pir_op_has(op, PIR_PARAMETER))
    return PIR_WALK_CONTINUE;
  pir_name *name =
      pir_name_get(pir_program_context(f->run->program), pir_op_parameter_name(op));
  pir_map_put(f->eval.arena, &f->taken, name, 1);
  return PIR_WALK_CONTINUE;
}

// Whether a parameter has this name: one with data, or one that an op names in a program loaded
// without data.
static bool is_name_taken(const folder *f, pir_str name) {
  if (pir_program_param(f->run->program, name))
    return true;
  return pir_map_find(&f->taken, pir_name_get(pir_program_context(f->run->program), name));
}

static pir_str fresh_name(folder *f, char *room) {
  static const char prefix[] = "constant_folding@_";
  pir_str name = {room, 0};
  do {
    memcpy(room, prefix, sizeof prefix - 1);
    size_t at = sizeof prefix - 1, digits = 0;
    char text[20];
    uint64_t n = f->serial++;
    do
      text[digits++] = (char)('0' + n % 10);
    while (n /= 10);
    while (digits)
      room[at++] = text[--digits];
    name.size = at;
  } while (is_name_taken(f, name));
  return name;
}

static void adopt_tensor(folder *f, pir_str name, const pir_tensor *tensor) {
  void *data = evaluator_take(&f->eval, tensor);
  pir_param param = {.name = name,
                     .dtype = tensor->dtype,
                     .shape = {tensor->shape, (size_t)tensor->rank},
                     .data = data,
                     .size = known_tensor_bytes(tensor),
                     .release = known_memory_give,
                     .user = data};
  pir_program_adopt_param(f->run->program, &param);
}

static pir_op *create_constant(folder *f, const pir_tensor *tensor, pir_str name,
                               bool as_attribute) {
  pir_context *ctx = pir_program_context(f->run->program);
  const pir_type *type =
      pir_type_tensor(ctx, tensor->dtype, (pir_shape){tensor->shape, (size_t)tensor->rank});
  const pir_opdef *def =
      pir_context_op(ctx, as_attribute ? BUILTIN_CONSTANT : BUILTIN_PARAMETER);
  pir_named_attr attrs[] = {
      pir_declared_attr(ctx, def, 0,
                        pir_attr_str(ctx, (pir_attr_kind)def->attrs[0].kind, name)),
      {pir_name_get(ctx, PIR_STR("persistable")), pir_attr_flag(ctx, true)},
      {pir_name_get(ctx, PIR_STR("stop_gradient")), pir_attr_flag(ctx, false)},
  };
  pir_op_spec spec = {.def = def,
                      .loc = pir_op_loc(f->top),
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = sizeof attrs / sizeof *attrs};
  pir_op *op = pir_rewriter_create(f->run->rewriter, f->top, &spec);
  // As in Paddle, constants do not state stop_gradient.
  if (as_attribute)
    pir_rewriter_set_attr(f->run->rewriter, op, attrs[2].name, NULL);
  return op;
}

static void materialise(folder *f, pir_value *value, const known_value *known) {
  bool as_attribute = is_attribute(value, 0);
  char room[64];
  pir_str name = fresh_name(f, room);
  adopt_tensor(f, name, &known->tensors[0]);
  pir_op *constant = create_constant(f, &known->tensors[0], name, as_attribute);
  // Uses the constant's exact type; the type that the file states for the value may be wrong.
  const pir_type *exact = pir_value_type(pir_op_result(constant, 0));
  pir_rewriter_replace_value(f->run->rewriter, value, pir_op_result(constant, 0));
  pir_value_set_type(pir_op_result(constant, 0), exact);
  f->folded++;
}

// Whether an op that stays reads the value.
static bool is_read(const folder *f, const pir_value *value) {
  PIR_EACH_USE(use, value) {
    const pir_op *user = pir_use_owner(use);
    const known_value *known =
        pir_op_results(user) ? evaluator_find(&f->eval, pir_op_result(user, 0)) : NULL;
    if (!known || known->stays)
      return true;
  }
  return false;
}

static pir_walk_result replace_known(pir_op *op, void *user) {
  folder *f = user;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_value *value = pir_op_result(op, i);
    const known_value *known = evaluator_find(&f->eval, value);
    bool computed = known && !known->from_source && known->count == 1 &&
                    !pir_type_elements(pir_value_type(value));
    if (computed && !known->stays && is_read(f, value))
      materialise(f, value, known);
  }
  return PIR_WALK_CONTINUE;
}

// An argument or a result of control flow that equals a constant of the program: readers use
// the constant, if it is visible there. A parameter would keep a reader's writes until the next
// run.
static void replace_copy(folder *f, pir_value *value, const pir_op *at) {
  const known_value *known = evaluator_find(&f->eval, value);
  if (!known || known->count != 1 || pir_type_elements(pir_value_type(value)))
    return;
  if (!is_read(f, value) || pir_value_is_overwritten(value))
    return;
  pir_value *source = (pir_value *)(uintptr_t)known->source;
  if (source && pir_value_dominates(source, at)) {
    pir_rewriter_replace_value(f->run->rewriter, value, source);
    f->folded++;
  } else if (!pir_value_may_be_overwritten(value)) {
    materialise(f, value, known);
  }
}

static pir_walk_result replace_handed_on(pir_op *op, void *user) {
  folder *f = user;
  for (size_t r = 0; r < pir_op_regions(op); r++)
    for (pir_block *b = pir_region_first(pir_op_region(op, r)); b; b = pir_block_next(b))
      for (size_t i = 0; i < pir_block_arguments(b); i++)
        replace_copy(f, pir_block_argument(b, i), op);
  for (size_t i = 0; pir_op_has(op, PIR_CONTROL) && i < pir_op_results(op); i++)
    replace_copy(f, pir_op_result(op, i), op);
  return PIR_WALK_CONTINUE;
}

// Marks ops whose known results cannot become constants, so that they stay and read constants.
// Such a result is a list, or a value that a reader may overwrite: a parameter is loaded once,
// and the next run would see the overwritten data.
static pir_walk_result keep_op(pir_op *op, void *user) {
  folder *f = user;
  bool stays = false;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    const pir_value *value = pir_op_result(op, i);
    const known_value *known = evaluator_find(&f->eval, value);
    if (!known || known->from_source || !is_read(f, value))
      continue;
    stays |= pir_type_elements(pir_value_type(value)) || pir_value_may_be_overwritten(value);
  }
  for (size_t i = 0; stays && i < pir_op_results(op); i++) {
    known_value *known = pir_map_get(&f->eval.known, pir_op_result(op, i));
    if (known)
      known->stays = true;
  }
  return PIR_WALK_CONTINUE;
}

// Whether all results are known tensors, and the op is not itself a constant or parameter of
// the file.
static bool is_folded(const folder *f, const pir_op *op) {
  if (!pir_op_results(op) || pir_op_has(op, PIR_PARAMETER))
    return false;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    const known_value *known = evaluator_find(&f->eval, pir_op_result(op, i));
    if (!known || known->count != 1 || pir_type_elements(pir_value_type(pir_op_result(op, i))))
      return false;
  }
  return true;
}

static pir_walk_result replace_all(pir_op *op, void *user) {
  folder *f = user;
  if (!is_folded(f, op))
    return PIR_WALK_CONTINUE;
  for (size_t i = 0; i < pir_op_results(op); i++)
    materialise(f, pir_op_result(op, i), evaluator_find(&f->eval, pir_op_result(op, i)));
  pir_vec_push(f->eval.arena, &f->gone, op);
  return PIR_WALK_CONTINUE;
}

static void replace_values(folder *f, pir_op *module) {
  if (f->sources) {
    pir_walk(module, PIR_PRE_ORDER, replace_all, f);
    while (f->gone.count)
      pir_rewriter_erase(f->run->rewriter, pir_vec_pop(&f->gone));
    pir_vec_free(f->eval.arena, &f->gone);
    return;
  }
  pir_walk(module, PIR_PRE_ORDER, keep_op, f);
  pir_walk(module, PIR_PRE_ORDER, replace_known, f);
}

// Makes an evaluator with the options that both passes share.
static pir_status open_folder(folder *f, bool params) {
  pir_pass_run *run = f->run;
  pir_facts *facts = pir_run_facts(run);
  if (!facts)
    return pir_run_facts_status(run);
  f->top = pir_block_first(pir_program_block(run->program));
  if (!f->top)
    return PIR_OK;
  evaluator_init(&f->eval, run->program, facts);
  f->eval.threads = pir_run_threads(run);
  f->eval.parameters = pir_run_option_bool(run, "params", params);
  f->eval.max_bytes =
      (uint64_t)pir_run_option_int(run, "max-bytes", (int64_t)f->eval.max_bytes);
  pir_walk(pir_program_module(run->program), PIR_PRE_ORDER, take_parameter_name, f);
  return PIR_OK;
}

static void close_folder(folder *f) {
  pir_map_free(f->eval.arena, &f->taken);
  evaluator_free(&f->eval);
}

pir_status pir_pass_fold(pir_pass_run *run) {
  folder f = {.run = run};
  PIR_TRY(open_folder(&f, true));
  if (!f.top)
    return PIR_OK;
  f.eval.rewriter = run->rewriter;
  f.sources = pir_run_option_bool(run, "sources", true);
  pir_op *module = pir_program_module(run->program);
  pir_walk(module, PIR_PRE_ORDER, evaluate_foldable, &f);
  pir_status status = f.eval.status;
  if (!status)
    replace_values(&f, module);
  close_folder(&f);
  pir_run_count(run, "values folded", f.folded);
  return status;
}

// sccp: folds through control flow (propagate.c); stated constants are not made again. Options:
// max-bytes, params (false).
pir_status pir_pass_sccp(pir_pass_run *run) {
  folder f = {.run = run};
  PIR_TRY(open_folder(&f, false));
  if (!f.top)
    return PIR_OK;
  pir_op *module = pir_program_module(run->program);
  propagate_constants(&f.eval, module);
  pir_walk(module, PIR_PRE_ORDER, replace_handed_on, &f);
  replace_values(&f, module);
  close_folder(&f);
  pir_run_count(run, "values folded", f.folded);
  return PIR_OK;
}
