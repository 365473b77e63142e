// Writes regions as sub-blocks. A legacy block returns values by writing variables of an
// enclosing block, so each result has a variable there. A yielded value is defined directly in
// that variable if no op reads the variable's old content at or after the definition; otherwise
// `assign` copies it at the end. An `if` with two non-empty branches becomes two conditional
// blocks and a select_input for each result, as Paddle writes it. Cost: the uses of the carried
// values.
#include <string.h>

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/cf.h>
#include <pir/compiler/dialect/pd_op.h>

#include "export.h"

// ---- what a region yields

static pir_op *yield_of(const pir_block *block) {
  pir_op *last = block ? pir_block_last(block) : NULL;
  return last && pir_op_is(last, CF_YIELD) ? last : NULL;
}

static bool is_structural(const pir_op *op) {
  return pir_op_has(op, PIR_STRUCTURAL);
}

// Requests that a yielded value is defined directly in `var`, whose former content is `old`
// (NULL: nothing that is read).
static void aim(exporter *x, pir_value *value, const pir_block *block, out_var *var,
                const pir_value *old) {
  pir_value *root = value ? chain_root(value, block) : NULL;
  pir_op *op = root ? pir_value_op(root) : NULL;
  if (!op || pir_op_block(op) != block || is_structural(op))
    return;
  if (pir_op_is(op, PD_WHILE) || pir_map_find(&x->targets, root))
    return;
  if (old && !read_before(x, old, block, op))
    return;
  pir_map_put(&x->arena, &x->targets, root, (uint64_t)(uintptr_t)var);
}

// Copies the values that are not in their variables yet. All copies must read the region's
// final state, so values that a copy would overwrite are saved first.
static pir_status copy_out(exporter *x, const pir_op *yield, size_t first, out_var *const *to,
                           size_t n) {
  out_var **from = holder_new(x, n)->vars;
  for (size_t i = 0; i < n; i++)
    if (!(from[i] = value_var(x, pir_op_operand(yield, first + i))))
      return PIR_UNSUPPORTED;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < i; k++) {
      if (from[i] == to[i] || from[i] != to[k] || from[k] == to[k])
        continue;
      out_var *saved = var_declare(x, name_make(x, "assign", 0), from[i]->type);
      if (!saved)
        return PIR_UNSUPPORTED;
      op_assign(x, from[i], saved);
      from[i] = saved;
      break;
    }
  for (size_t i = 0; i < n; i++)
    if (from[i] != to[i])
      op_assign(x, from[i], to[i]);
  return PIR_OK;
}

// ---- if

// Writes one branch as a block that leaves its yielded values in `to`; returns the block.
static pir_status branch(exporter *x, const pir_op *op, size_t region, out_var *const *to,
                         out_block **out_block_made) {
  const pir_block *body = pir_region_first(pir_op_region(op, region));
  const pir_op *yield = yield_of(body);
  size_t n = pir_op_results(op);
  pir_status status;
  if (!yield || pir_op_operands(yield) != n)
    return export_unsupported(x, "a region that does not yield its results");
  *out_block_made = block_open(x);
  for (size_t i = 0; i < n; i++)
    aim(x, pir_op_operand(yield, i), body, to[i], NULL);
  status = export_block(x, body);
  if (!status)
    status = copy_out(x, yield, 0, to, n);
  block_close(x);
  return status;
}

static out_var *scope_var(exporter *x) {
  out_var *var = var_special(x, name_make(x, "scope", 0), LEGACY__VAR_TYPE__TYPE__STEP_SCOPES);
  pir_vec_push(&x->arena, &x->block->vars, var->desc);
  return var;
}

static void close_conditional(exporter *x, out_var *cond, out_var *const *outs, size_t n,
                              const out_block *block) {
  static const var_list none;
  bool grad = block->forward >= 0;
  out_op *o = op_open(x, grad ? "conditional_block_grad" : "conditional_block");
  out_var *scope = scope_var(x);
  op_input(x, o, "Cond", &cond, 1);
  op_input(x, o, "Input", block->captured.items, block->captured.count);
  op_output(x, o, grad ? "Input@GRAD" : "Out", outs, n);
  if (grad)
    op_input(x, o, "Scope", &scope, 1);
  else
    op_output(x, o, "Scope", &scope, 1);
  op_set_bool(x, o, "is_scalar_condition", true);
  op_set_block(x, o, "sub_block", block->index);
  op_set_names(x, o, "skip_eager_deletion_vars", &none);
  op_close(x, o);
}

// Declares one variable for each result of an op.
static out_var **result_vars(exporter *x, const pir_op *op) {
  size_t n = pir_op_results(op);
  out_var **vars = holder_new(x, n)->vars;
  for (size_t i = 0; i < n; i++) {
    holder *h =
        pir_value_type(pir_op_result(op, i)) ? define(x, pir_op_result(op, i), NULL) : NULL;
    if (!h || h->count != 1)
      return NULL;
    vars[i] = h->vars[0];
  }
  return vars;
}

static out_var *condition_op(exporter *x, out_var *cond, const char *type, pir_dtype dtype,
                             const char *stem) {
  out_var *var = var_declare(x, name_make(x, stem, 0),
                             pir_type_tensor(x->ctx, dtype, pir_type_shape(cond->type)));
  out_op *o = op_open(x, type);
  if (!var)
    return NULL;
  op_input(x, o, "X", &cond, 1);
  op_output(x, o, "Out", &var, 1);
  if (dtype != PIR_BOOL) {
    op_set_int(x, o, "in_dtype", pir_dtype_var_type(PIR_BOOL));
    op_set_int(x, o, "out_dtype", pir_dtype_var_type(dtype));
  }
  op_close(x, o);
  return var;
}

// Declares variables like the results, for one branch.
static out_var **branch_vars(exporter *x, const pir_op *op) {
  size_t n = pir_op_results(op);
  out_var **vars = holder_new(x, n)->vars;
  for (size_t i = 0; i < n; i++)
    if (!(vars[i] =
              var_declare(x, name_make(x, "if", i), pir_value_type(pir_op_result(op, i)))))
      return NULL;
  return vars;
}

static pir_status two_branches(exporter *x, const pir_op *op, out_var *cond) {
  size_t n = pir_op_results(op);
  out_var **yes = branch_vars(x, op), **no = yes ? branch_vars(x, op) : NULL, *otherwise,
          *mask = NULL;
  out_block *block = NULL;
  if (!no)
    return PIR_UNSUPPORTED;
  PIR_TRY(branch(x, op, 0, yes, &block));
  close_conditional(x, cond, yes, n, block);
  otherwise = condition_op(x, cond, "logical_not", PIR_BOOL, "logical_not");
  if (!otherwise)
    return PIR_UNSUPPORTED;
  PIR_TRY(branch(x, op, 1, no, &block));
  close_conditional(x, otherwise, no, n, block);
  if (n)
    mask = condition_op(x, cond, "cast", PIR_I32, "cast");
  if (n && !mask)
    return PIR_UNSUPPORTED;
  for (size_t i = 0; i < n; i++) {
    out_var *choices[] = {no[i], yes[i]};
    out_op *o = op_open(x, "select_input");
    op_input(x, o, "Mask", &mask, 1);
    op_input(x, o, "X", choices, 2);
    PIR_TRY(export_output(x, pir_op_result(op, i), NULL, o, "Out"));
    op_close(x, o);
  }
  return PIR_OK;
}

pir_status export_if(exporter *x, const pir_op *op) {
  out_var *cond = pir_op_operands(op) == 1 ? value_var(x, pir_op_operand(op, 0)) : NULL, **outs;
  out_block *block = NULL;
  if (!cond || pir_op_regions(op) != 2)
    return PIR_UNSUPPORTED;
  if (!pir_op_bool(op, PD_IF_ATTR_FAKE_FALSE_BRANCH))
    return two_branches(x, op, cond);
  outs = result_vars(x, op);
  if (!outs)
    return PIR_UNSUPPORTED;
  PIR_TRY(branch(x, op, 0, outs, &block));
  close_conditional(x, cond, outs, pir_op_results(op), block);
  return PIR_OK;
}

// ---- while

// Whether an op of the body overwrites the value, as legacy bodies yield.
static bool writes_over(const pir_use *use, const pir_op *loop) {
  const pir_op *op = pir_use_owner(use);
  return pir_op_parent(op) == loop && twin_result(op, pir_use_operand_index(use));
}

static bool may_read(const pir_use *use, const pir_op *loop, size_t operand) {
  const pir_op *user = pir_block_ancestor(pir_op_block(loop), pir_use_owner(use));
  if (pir_use_owner(use) == loop && pir_use_operand_index(use) == operand)
    return true;
  if (user == loop && !operand && writes_over(use, loop))
    return true;
  return !user || pir_op_is_before(user, loop);
}

static bool read_by_loop_only(exporter *x, const pir_value *value, const pir_op *loop,
                              size_t operand) {
  use_list reads = reads_of(x, value, false);
  bool only = true;
  for (size_t i = 0; i < reads.count && only; i++)
    only = may_read(reads.items[i], loop, operand);
  pir_vec_free(&x->arena, &reads);
  return only;
}

// A loop must not update an input, unless the program states that the loop's result is that
// variable: by the output name of the result, or because it is a legacy program, which would
// otherwise have copied the input.
static bool stays(const pir_value *value, const pir_op *loop, size_t operand) {
  const pir_op *op = pir_value_op(value);
  const pir_attr *name = pir_op_attr_str(op, "name");
  if (!pir_op_has(op, PIR_INPUT) || pir_op_is(op, PD_FEED))
    return false;
  if (!operand || !name)
    return true;
  PIR_EACH_USE(u, pir_op_result(loop, operand - 1))
  if (pir_str_equal(output_name(pir_use_owner(u)), pir_attr_as_str(name)))
    return false;
  return true;
}

bool loop_may_change(exporter *x, pir_value *value, const pir_op *loop, size_t operand) {
  const pir_block *block = pir_op_block(loop);
  const pir_op *op = pir_value_op(value);
  if (pir_value_block(value) != block)
    return false;
  if (op && (is_structural(op) || pir_op_has(op, PIR_PARAMETER) || stays(value, loop, operand)))
    return false;
  for (pir_value *v = value;; v = chain_root(v, block)) {
    if (!read_by_loop_only(x, v, loop, v == value ? operand : SIZE_MAX))
      return false;
    if (chain_root(v, block) == v)
      return true;
  }
}

// Returns the variable that carries operand `i` through the loop.
static out_var *carrier(exporter *x, const pir_op *loop, size_t i) {
  pir_value *value = pir_op_operand(loop, i);
  out_var *from = value_var(x, value), *var;
  const char *name = NULL;
  if (!from)
    return NULL;
  bool here = from->home == x->block ||
              !pir_value_op(value);  // a loop around has given its variable for this round
  if (here && !from->desc->persistable && loop_may_change(x, value, loop, i))
    return from;
  if (i)
    name = wanted_name(x, pir_op_result(loop, i - 1));
  var = var_declare(x, name ? name : name_make(x, "while", i), pir_value_type(value));
  if (var)
    op_assign(x, from, var);
  return var;
}

// Requests the variables of the yielded values; the condition is the first of them.
static void aim_loop(exporter *x, const pir_op *op, const pir_block *body, const pir_op *yield,
                     out_var *const *vars) {
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    pir_value *old = i ? pir_block_argument(body, i - 1) : pir_op_operand(op, 0);
    aim(x, pir_op_operand(yield, i), body, vars[i], old);
  }
}

static pir_status export_loop_body(exporter *x, const pir_op *op, out_var *const *vars,
                                   out_block **out_block_made) {
  const pir_block *body = pir_region_first(pir_op_region(op, 0));
  const pir_op *yield = yield_of(body);
  size_t n = pir_op_operands(op);
  pir_status status;
  if (!yield || pir_op_operands(yield) != n || pir_block_arguments(body) != n - 1 ||
      pir_op_results(op) != n - 1)
    return export_unsupported(
        x, "a loop whose body does not yield its condition and its variables");
  for (size_t i = 1; i < n; i++)
    holder_set_var(x, pir_block_argument(body, i - 1), vars[i]);
  *out_block_made = block_open(x);
  aim_loop(x, op, body, yield, vars);
  status = export_block(x, body);
  if (!status)
    status = copy_out(x, yield, 0, vars, n);
  block_close(x);
  return status;
}

static void close_loop(exporter *x, out_var *const *vars, size_t n, const out_block *block) {
  static const var_list none;
  out_op *o = op_open(x, "while");
  out_var *scope = scope_var(x);
  var_list read = {0};
  pir_map seen = {0};
  for (size_t i = 0; i < block->captured.count + n - 1; i++) {
    out_var *var = i < block->captured.count ? block->captured.items[i]
                                             : vars[i - block->captured.count + 1];
    if (var == vars[0] || pir_map_find(&seen, var))
      continue;
    pir_map_put(&x->arena, &seen, var, 1);
    pir_vec_push(&x->arena, &read, var);
  }
  out_var **outs = holder_new(x, n)->vars;
  for (size_t i = 0; i < n; i++)
    outs[i] = vars[(i + 1) % n];
  op_input(x, o, "Condition", vars, 1);
  op_input(x, o, "X", read.items, read.count);
  op_output(x, o, "Out", outs, n);
  op_output(x, o, "StepScopes", &scope, 1);
  op_set_block(x, o, "sub_block", block->index);
  op_set_bool(x, o, "is_test", true);
  op_set_names(x, o, "skip_eager_deletion_vars", &none);
  op_close(x, o);
}

pir_status export_while(exporter *x, const pir_op *op) {
  size_t n = pir_op_operands(op);
  out_var **vars = holder_new(x, n)->vars;
  out_block *block = NULL;
  if (!n || pir_op_regions(op) != 1)
    return export_unsupported(x, "a loop without a condition");
  for (size_t i = 0; i < n; i++) {
    if (!pir_op_operand(op, i))
      return export_unsupported(x, "a loop variable without a value");
    if (!(vars[i] = carrier(x, op, i)))
      return PIR_UNSUPPORTED;
  }
  PIR_TRY(export_loop_body(x, op, vars, &block));
  close_loop(x, vars, n, block);
  for (size_t i = 1; i < n; i++)
    holder_set_var(x, pir_op_result(op, i - 1), vars[i]);
  return PIR_OK;
}

// ---- stacks between a forward and a backward block: the backward block reads the forward
// one's variables

static const pir_op *stack_op(const pir_op *op) {
  return pir_op_operands(op) && pir_op_operand(op, 0) ? pir_value_op(pir_op_operand(op, 0))
                                                      : NULL;
}

pir_status export_push(exporter *x, const pir_op *op) {
  const pir_op *stack = stack_op(op);
  size_t n = pir_op_operands(op);
  carried *c = pir_arena_zalloc(&x->arena, sizeof *c);
  if (!stack || !x->block->parent)
    return export_unsupported(x, "a stack outside of a conditional block");
  if (pir_map_find(&x->stacks, stack))
    return export_unsupported(x, "a stack that is pushed on twice");
  *c = (carried){pir_arena_alloc(&x->arena, pir_arena_size(&x->arena, n, sizeof *c->values)),
                 n - 1, x->block->index};
  for (size_t i = 1; i < n; i++)
    if (!(c->values[i - 1] = holder_of(x, pir_op_operand(op, i))))
      return export_unsupported(x, "a value nobody holds");
  pir_map_put(&x->arena, &x->stacks, stack, (uint64_t)(uintptr_t)c);
  return PIR_OK;
}

pir_status export_pop(exporter *x, const pir_op *op) {
  const pir_op *stack = stack_op(op);
  carried *c = stack ? pir_map_get(&x->stacks, stack) : NULL;
  if (!c || c->count != pir_op_results(op))
    return export_unsupported(x, "a stack that nothing was pushed on before");
  if (x->block->parent && x->block->parent->parent)
    return export_unsupported(x, "a stack between blocks inside of blocks");
  if (!x->block->parent || x->block->forward >= 0)
    return export_unsupported(x, "a second stack in one conditional block");
  x->block->forward = c->block;
  for (size_t i = 0; i < c->count; i++)
    holder_set(x, pir_op_result(op, i), c->values[i]);
  return PIR_OK;
}
