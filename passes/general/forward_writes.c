// Lets every reader of memory that was written in place read the written value. An in-place op
// gives a new value (%y of `increment_(%x)`), but programs may go on reading the old one: in
// Paddle both are one variable. A run has a tensor for each value, so a later reader of %x must
// read %y. This is functionalization, as in PyTorch's functorch: values that share memory are a
// variable; behind a write, reads of the variable become reads of the last result. An op whose
// regions write a variable from outside returns it: a loop gets an argument and a result for
// the variable, a branch a result.
//
// The members of lists are variables, too: behind an op that writes a list, a split gives the
// written ones. Left alone are arrays, which runs write in place too, and fixed statistics of
// batch_norm_.
// O(ops + operands + writes * depth).
#include "forward_writes.h"
#include <pass_list.h>

#include <effects.h>
#include <map.h>
#include <rewriter_impl.h>
#include <vec.h>

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/lower.h>

// Values that share memory.
typedef struct variable {
  pir_value *first;    // that the others were written over
  pir_value *newest;   // that holds the elements, at the op that is looked at
  uint64_t last_read;  // position of the last op that reads one of them
} variable;

// A variable that an op writes in its regions.
typedef struct slot {
  variable *variable;
  const pir_type *type;  // that all of its values have; NULL: there is none
  pir_value *before;     // the value in front of the op
} slot;

// A loop or a branch that writes variables from outside of it. Its last results, and the last
// arguments of a loop's body, belong to the variables that it returns.
typedef struct carrier {
  pir_op *op;
  pir_map places;       // variable -> index in `slots`, while writes are noted
  PIR_VEC(slot) slots;  // the returned ones first
  size_t returned;
} carrier;

typedef struct forwarding {
  pir_pass_run *run;
  pir_context *ctx;
  pir_arena *arena;
  bool parameters;    // writes of fixed statistics are followed too
  bool all_last;      // the last value of every variable is asked for
  pir_map variables;  // value -> its variable
  PIR_VEC(variable *) all;
  pir_map splits;            // in-place result that is a list -> the op that gives its members
  PIR_VEC(pir_op *) parted;  // those ops
  pir_map carriers;          // op -> carrier
  PIR_VEC(carrier *) made;
  uint64_t position;  // of the op that is looked at; marks keep it
  uint64_t reads;
} forwarding;

// ---- who writes what

static variable *variable_of(const forwarding *f, const pir_value *value) {
  return value ? pir_map_get(&f->variables, value) : NULL;
}

static void join(forwarding *f, const pir_value *value, variable *v) {
  pir_map_put(f->arena, &f->variables, value, (uint64_t)(uintptr_t)v);
}

static variable *place_variable(forwarding *f, pir_value *value) {
  variable *v = variable_of(f, value);
  if (v)
    return v;
  v = pir_arena_zalloc(f->arena, sizeof *v);
  *v = (variable){.first = value, .newest = value};
  join(f, value, v);
  pir_vec_push(f->arena, &f->all, v);
  return v;
}

static bool is_tracked(const pir_value *value) {
  return value && pir_value_type(value) &&
         pir_type_kind_of(pir_value_type(value)) == PIR_TYPE_TENSOR;
}

// Whether result `number` of the steps of a lower block is a copy of an operand of the op.
static bool copies_operand(const pir_lower *l, int number, int operand) {
  const pir_lower_step *step = l->steps;
  for (; number >= step->result_count; step++)
    number -= step->result_count;
  const pir_lower_arg *arg = &l->args[step->first_arg];
  bool assigns = step->def && step->def->id == PD_ASSIGN;
  return assigns && arg->kind == PIR_LOWER_VALUE && arg->value == operand;
}

// Whether the op writes the elements that the operand has, as batch_norm_ writes statistics
// that are fixed.
static bool writes_nothing_new(forwarding *f, const pir_op *op, const pir_inplace_pair *pair) {
  pir_facts *facts = pir_run_facts(f->run);
  int alternative = facts ? pir_lower_choose(op, facts) : -1;
  if (alternative < 0)
    return false;
  const pir_opdef *def = pir_op_meaning(op);
  const pir_lower *l = &def->lower[alternative];
  int number = l->results[pair->result];
  return number >= def->operand_count
             ? copies_operand(l, number - def->operand_count, pair->operand)
             : number == pair->operand;
}

// Whether the write is to be followed. Most writes to parameters are of fixed statistics that
// no other op reads.
static bool is_followed(forwarding *f, const pir_op *op, const pir_inplace_pair *pair,
                        const pir_value *from) {
  const pir_op *source = pir_value_op(from);
  if (f->parameters || !source || !pir_op_has(source, PIR_PARAMETER))
    return true;
  bool alone = pir_value_single_use(from) && pir_op_block(op) == pir_op_block(source);
  return !alone && !writes_nothing_new(f, op, pair);
}

// Returns the result of a pair; NULL if the op leaves it out.
static pir_value *written_value(const pir_op *op, const pir_inplace_pair *pair) {
  return pair->result < pir_op_results(op) ? pir_op_result(op, pair->result) : NULL;
}

static size_t pairs_of(const pir_op *op) {
  return pir_op_has(op, PIR_INPLACE) ? pir_op_def(op)->inplace_count : 0;
}

// Returns the type of values of either type: extents that differ are unknown. NULL: none.
static const pir_type *join_types(pir_context *ctx, const pir_type *a, const pir_type *b) {
  if (a == b || !a || !b)
    return a == b ? a : NULL;
  pir_shape x = pir_type_shape(a), y = pir_type_shape(b);
  if (pir_type_dtype(a) != pir_type_dtype(b) || x.rank != y.rank)
    return NULL;
  int64_t dims[PIR_MAX_RANK];
  for (size_t i = 0; i < x.rank; i++)
    dims[i] = x.dims[i] == y.dims[i] ? x.dims[i] : -1;
  return pir_type_tensor(ctx, pir_type_dtype(a), (pir_shape){dims, x.rank});
}

static carrier *carrier_of(forwarding *f, pir_op *op) {
  carrier *c = pir_map_get(&f->carriers, op);
  if (c)
    return c;
  c = pir_arena_zalloc(f->arena, sizeof *c);
  c->op = op;
  pir_map_put(f->arena, &f->carriers, op, (uint64_t)(uintptr_t)c);
  pir_vec_push(f->arena, &f->made, c);
  return c;
}

// The number of members of a list that combine made, or that an op before wrote; 0: it is none.
static size_t members_of_list(const forwarding *f, const pir_value *list) {
  const pir_op *op = list ? pir_value_op(list) : NULL;
  const pir_op *split = op ? pir_map_get(&f->splits, list) : NULL;
  if (split)
    return pir_op_results(split);
  return op && pir_op_is(op, BUILTIN_COMBINE) ? pir_op_operands(op) : 0;
}

static pir_value *member_of(const forwarding *f, const pir_value *list, size_t k) {
  const pir_op *split = pir_map_get(&f->splits, list);
  return split ? pir_op_result(split, k) : pir_op_operand(pir_value_op(list), k);
}

// Gives the members of an in-place result that is a list, behind the op. NULL: it is none.
static pir_op *split_written(forwarding *f, pir_op *op, const pir_value *from, pir_value *to) {
  size_t count = members_of_list(f, from);
  if (!to || !count || !pir_op_next(op) ||
      pir_type_kind_of(pir_value_type(to)) != PIR_TYPE_VECTOR)
    return NULL;
  const pir_type **types = pir_arena_zalloc(f->arena, count * sizeof *types);
  for (size_t i = 0; i < count; i++)
    types[i] = pir_value_type(member_of(f, from, i));
  pir_op_spec spec = {.def = pir_context_op(f->ctx, BUILTIN_SPLIT),
                      .loc = pir_op_loc(op),
                      .operands = &to,
                      .operand_count = 1,
                      .result_types = types,
                      .result_count = count};
  pir_op *split = pir_rewriter_create(f->run->rewriter, pir_op_next(op), &spec);
  pir_arena_free(f->arena, types, count * sizeof *types);
  pir_map_put(f->arena, &f->splits, to, (uint64_t)(uintptr_t)split);
  pir_vec_push(f->arena, &f->parted, split);
  return split;
}

static void note_slot(forwarding *f, pir_op *holder, variable *v, const pir_type *type) {
  carrier *c = carrier_of(f, holder);
  uint64_t *place = pir_map_place(f->arena, &c->places, v, c->slots.count);
  if (*place == c->slots.count)
    pir_vec_push(f->arena, &c->slots, ((slot){v, pir_value_type(v->first), NULL}));
  slot *s = &c->slots.items[*place];
  s->type = join_types(f->ctx, s->type, type);
}

// Notes that an op writes `to` over `from`.
static void note_write(forwarding *f, pir_op *op, const pir_inplace_pair *pair, pir_value *from,
                       pir_value *to) {
  if (!is_tracked(from) || !is_tracked(to) || !is_followed(f, op, pair, from))
    return;
  variable *v = place_variable(f, from);
  join(f, to, v);
  const pir_block *home = pir_value_block(v->first);
  for (pir_op *at = op; pir_op_block(at) != home; at = pir_op_parent(at))
    note_slot(f, pir_op_parent(at), v, pir_value_type(to));
}

static pir_walk_result note_op(pir_op *op, void *user) {
  forwarding *f = user;
  pir_op_set_mark(op, ++f->position);
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    variable *v = variable_of(f, pir_op_operand(op, i));
    if (v)
      v->last_read = f->position;
  }
  for (size_t i = 0; i < pairs_of(op); i++) {
    const pir_inplace_pair *pair = &pir_op_def(op)->inplace[i];
    pir_value *from = pir_op_optional(op, pair->operand);
    pir_value *to = written_value(op, pair);
    pir_op *split = split_written(f, op, from, to);
    if (!split)
      note_write(f, op, pair, from, to);
    for (size_t k = 0; split && k < pir_op_results(split); k++)
      note_write(f, op, pair, member_of(f, from, k), pir_op_result(split, k));
  }
  return PIR_WALK_CONTINUE;
}

// ---- arguments and results for them

// Whether an op reads the variable behind the op, or in the next iteration of a loop.
static bool is_read_later(const carrier *c, const variable *v) {
  const pir_op *behind = pir_op_next(c->op);
  if (behind && v->last_read >= pir_op_mark(behind))
    return true;
  const pir_block *home = pir_value_block(v->first);
  for (const pir_op *at = c->op; !pir_op_is_loop(at); at = pir_op_parent(at))
    if (pir_op_block(at) == home)
      return false;
  return true;
}

static void choose_returned(const forwarding *f, carrier *c) {
  for (size_t i = 0; i < c->slots.count; i++) {
    slot s = c->slots.items[i];
    if (!f->all_last && !is_read_later(c, s.variable))
      continue;
    c->slots.items[i] = c->slots.items[c->returned];
    c->slots.items[c->returned++] = s;
  }
}

static pir_status check_carrier(const carrier *c) {
  if (!c->returned)
    return PIR_OK;
  const char *why = NULL;
  for (size_t i = 0; i < c->returned; i++)
    if (!c->slots.items[i].type)
      why = "a region writes a value from outside of it in another element type or rank";
  bool whole = pir_op_is_choice(c->op) && pir_op_regions(c->op) == 2;
  for (size_t r = 0; whole && r < 2; r++) {
    const pir_block *body = pir_op_body(c->op, r);
    whole = body && pir_op_operands(pir_block_last(body)) == pir_op_results(c->op);
  }
  if (!whole && !pir_loop_body(c->op))
    why = "a region that is neither a branch nor the body of a loop writes a value from "
          "outside of it";
  return why ? pir_report_op(c->op, PIR_UNSUPPORTED, PIR_ERROR, "unsupported: %s", why)
             : PIR_OK;
}

// Makes an op again in front of itself: with the variables as further operands, and results.
static pir_op *extend(forwarding *f, const carrier *c, pir_op *op, bool reads, bool gives) {
  size_t slots = c->returned, in = pir_op_operands(op), out = pir_op_results(op);
  pir_value **operands = pir_arena_zalloc(f->arena, (in + slots) * sizeof *operands);
  const pir_type **types = pir_arena_zalloc(f->arena, (out + slots) * sizeof *types);
  for (size_t i = 0; i < in; i++)
    operands[i] = pir_op_operand(op, i);
  for (size_t i = 0; i < out; i++)
    types[i] = pir_value_type(pir_op_result(op, i));
  for (size_t i = 0; i < slots; i++) {
    operands[in + i] = c->slots.items[i].variable->first;
    types[out + i] = c->slots.items[i].type;
  }
  pir_op *made =
      pir_rewriter_recreate(f->run->rewriter, op,
                            &(pir_op_spec){.operands = operands,
                                           .operand_count = reads ? in + slots : in,
                                           .result_types = types,
                                           .result_count = gives ? out + slots : out});
  pir_arena_free(f->arena, operands, (in + slots) * sizeof *operands);
  pir_arena_free(f->arena, types, (out + slots) * sizeof *types);
  return made;
}

// `by` stands for `value`, whose memory goes, from now on.
static void follow(forwarding *f, const pir_value *value, pir_value *by) {
  variable *v = variable_of(f, value);
  if (!v)
    return;
  pir_map_remove(&f->variables, value);
  join(f, by, v);
  if (v->first == value)
    v->first = v->newest = by;
}

static void extend_body(forwarding *f, const carrier *c, pir_op *made, size_t region) {
  pir_block *from = pir_op_body(c->op, region),
            *body = pir_region_move_block(pir_op_region(made, region), from, NULL);
  for (size_t i = 0; i < pir_block_arguments(from); i++)
    follow(f, pir_block_argument(from, i), pir_block_argument(body, i));
  for (size_t i = 0; pir_op_is_loop(made) && i < c->returned; i++) {
    const slot *s = &c->slots.items[i];
    join(f, pir_block_add_argument(body, s->type), s->variable);
  }
  pir_op *end = pir_block_last(body);
  extend(f, c, end, true, false);
  pir_rewriter_erase(f->run->rewriter, end);
}

static void extend_carrier(forwarding *f, carrier *c) {
  pir_op *op = c->op, *made = extend(f, c, op, pir_op_is_loop(op), true);
  size_t results = pir_op_results(op), bytes = (results + 1) * sizeof(pir_value *);
  pir_value **by = pir_arena_zalloc(f->arena, bytes);
  for (size_t r = 0; r < pir_op_regions(op); r++)
    extend_body(f, c, made, r);
  for (size_t i = 0; i < results; i++) {
    by[i] = pir_op_result(made, i);
    follow(f, pir_op_result(op, i), by[i]);
  }
  for (size_t i = 0; i < c->returned; i++)
    join(f, pir_op_result(made, results + i), c->slots.items[i].variable);
  pir_map_remove(&f->carriers, op);
  pir_rewriter_replace(f->run->rewriter, op, by);
  pir_arena_free(f->arena, by, bytes);
  c->op = made;
  pir_map_put(f->arena, &f->carriers, made, (uint64_t)(uintptr_t)c);
}

// ---- who reads what

static void forward_operands(forwarding *f, pir_op *op) {
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const variable *v = variable_of(f, pir_op_operand(op, i));
    if (!v || v->newest == pir_op_operand(op, i))
      continue;
    pir_rewriter_set_operand(f->run->rewriter, op, i, v->newest);
    f->reads++;
  }
}

// In front of the regions of a carrier.
static void enter(forwarding *f, carrier *c) {
  pir_block *body = pir_loop_body(c->op);
  size_t own = pir_op_results(c->op) - c->returned;
  for (size_t i = 0; i < c->slots.count; i++) {
    slot *s = &c->slots.items[i];
    s->before = s->variable->newest;
    if (body && i < c->returned)
      s->variable->newest = pir_block_argument(body, own + i);
  }
}

// Behind the region that `end` ends: in the other branch, or behind the carrier.
static void leave(forwarding *f, const carrier *c, const pir_op *end) {
  size_t own = pir_op_results(c->op) - c->returned,
         region = pir_region_index(pir_block_region(pir_op_block(end)));
  bool last = region + 1 == pir_op_regions(c->op);
  for (size_t i = 0; i < c->slots.count; i++) {
    const slot *s = &c->slots.items[i];
    bool shown = last && i < c->returned;
    s->variable->newest = shown ? pir_op_result(c->op, own + i) : s->before;
  }
}

static void note_newest(forwarding *f, const pir_value *from, pir_value *to) {
  variable *v = variable_of(f, to);
  if (v && v == variable_of(f, from))
    v->newest = to;
}

static pir_walk_result forward_op(pir_op *op, void *user) {
  forwarding *f = user;
  forward_operands(f, op);
  for (size_t i = 0; i < pairs_of(op); i++) {
    const pir_inplace_pair *pair = &pir_op_def(op)->inplace[i];
    pir_value *to = written_value(op, pair);
    const pir_value *from = pir_op_optional(op, pair->operand);
    const pir_op *split = pir_map_get(&f->splits, to);
    if (!split)
      note_newest(f, from, to);
    for (size_t k = 0; split && k < pir_op_results(split); k++)
      note_newest(f, member_of(f, from, k), pir_op_result(split, k));
  }
  carrier *c = pir_map_get(&f->carriers, op);
  if (c)
    enter(f, c);
  carrier *around =
      pir_op_has(op, PIR_TERMINATOR) ? pir_map_get(&f->carriers, pir_op_parent(op)) : NULL;
  if (around)
    leave(f, around, op);
  return PIR_WALK_CONTINUE;
}

// ---- the pass

static pir_status check_carriers(forwarding *f) {
  for (size_t i = 0; i < f->made.count; i++) {
    choose_returned(f, f->made.items[i]);
    PIR_TRY(check_carrier(f->made.items[i]));
  }
  return PIR_OK;
}

// Only later splits read their results yet.
static void erase_splits(forwarding *f) {
  for (size_t i = f->parted.count; i-- > 0;)
    pir_rewriter_erase(f->run->rewriter, f->parted.items[i]);
}

// A failure leaves the program as it was.
static pir_status forward(forwarding *f) {
  pir_op *module = pir_program_module(f->run->program);
  pir_walk(module, PIR_PRE_ORDER, note_op, f);
  pir_status status = check_carriers(f);
  if (status) {
    erase_splits(f);
    return status;
  }
  for (size_t i = 0; i < f->made.count; i++)
    if (f->made.items[i]->returned)
      extend_carrier(f, f->made.items[i]);
  if (f->all.count)
    pir_walk(module, PIR_PRE_ORDER, forward_op, f);
  return PIR_OK;
}

static void free_all(forwarding *f) {
  for (size_t i = 0; i < f->made.count; i++) {
    carrier *c = f->made.items[i];
    pir_map_free(f->arena, &c->places);
    pir_vec_free(f->arena, &c->slots);
    pir_arena_free(f->arena, c, sizeof *c);
  }
  pir_vec_free(f->arena, &f->made);
  for (size_t i = 0; i < f->all.count; i++)
    pir_arena_free(f->arena, f->all.items[i], sizeof(variable));
  pir_vec_free(f->arena, &f->all);
  pir_map_free(f->arena, &f->variables);
  pir_map_free(f->arena, &f->splits);
  pir_vec_free(f->arena, &f->parted);
  pir_map_free(f->arena, &f->carriers);
}

pir_status pir_forward_writes(pir_pass_run *run, bool parameters, pir_written_fn each,
                              void *user) {
  pir_context *ctx = pir_program_context(run->program);
  forwarding f = {.run = run,
                  .ctx = ctx,
                  .arena = pir_context_arena(ctx),
                  .parameters = parameters,
                  .all_last = each != NULL};
  pir_status status = forward(&f);
  for (size_t i = 0; each && !status && i < f.all.count; i++)
    each(user, f.all.items[i]->first, f.all.items[i]->newest);
  free_all(&f);
  pir_run_count(run, "reads of written values", f.reads);
  return status;
}

pir_status pir_pass_forward_writes(pir_pass_run *run) {
  return pir_forward_writes(run, false, NULL, NULL);
}
