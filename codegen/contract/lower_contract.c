// Lowers groups with a contraction. The generator computes vectors of sums and passes each to
// the epilogue. The epilogue treats the sums as one more known value, computes the group's
// results from them and stores the results. It is written for one element and widened to the
// lanes of the vector.
#include "contract_lower.h"

#include <pir/compiler/dialect/pd_op.h>

#include <loop_impl.h>
#include <strbuf.h>
#include <string.h>

enum { MOST_EXPRESSIONS = 400 };  // of an epilogue in which reads are looked for

typedef struct epilogue {
  lowering *l;
  const pir_value *sum;  // result of the contraction
  lower_value
      *between;  // what a second contraction reads; NULL: the group's results are to be stored
} epilogue;

bool contract_is_op(const pir_op *op) {
  const pir_opdef *def = pir_op_meaning(op);
  return def->clause && def->clause->kind == PIR_CLAUSE_CONTRACT;
}

const pir_op *contract_last_of(const pir_op *group) {
  const pir_op *op = pir_block_last(pir_region_first(pir_op_region(group, 0)));
  while (op && !contract_is_op(op))
    op = pir_op_prev(op);
  return op;
}

// ---- operands

// round_contractions_pass and quantised_contractions_pass insert the casts that are found here;
// grouping asks, too.

static bool is_parameter_value(const pir_value *v) {
  return pir_value_op(v) && pir_op_has(pir_value_op(v), PIR_PARAMETER);
}

static bool is_cast(const pir_facts *facts, const pir_op *op, pir_dtype from, pir_dtype to) {
  return op && pir_op_is(op, PD_CAST) &&
         pir_facts_of(facts, pir_op_operand(op, 0))->dtype == from &&
         pir_facts_of(facts, pir_op_result(op, 0))->dtype == to;
}

int contract_trace_operand(const pir_facts *facts, const pir_value *v, const pir_op *casts[2],
                           const pir_value **out_source, pir_dtype *out_rounded) {
  const pir_op *wide = pir_value_op(v), *narrow;
  *out_source = v;
  *out_rounded = PIR_UNDEFINED;
  if (!pir_value_single_use(v))
    return 0;
  bool floats =
      is_cast(facts, wide, PIR_BF16, PIR_F32) || is_cast(facts, wide, PIR_F16, PIR_F32);
  bool bytes = is_cast(facts, wide, PIR_I8, PIR_I32) || is_cast(facts, wide, PIR_U8, PIR_I32) ||
               is_cast(facts, wide, PIR_I8, PIR_F32);
  if (!floats && !bytes)
    return 0;
  casts[0] = wide;
  *out_source = pir_op_operand(wide, 0);
  casts[1] = narrow = pir_value_op(*out_source);
  pir_dtype low = pir_facts_of(facts, *out_source)->dtype;
  if ((!is_cast(facts, narrow, PIR_F32, low) && !is_cast(facts, narrow, PIR_I32, low)) ||
      !is_parameter_value(pir_op_operand(narrow, 0)) || !pir_value_single_use(*out_source))
    return 1;
  *out_source = pir_op_operand(narrow, 0);
  *out_rounded = low;
  return 2;
}

// ---- queries of the generator

static loop_expr *extent(void *user, pir_dim dim) {
  return lower_dim(((epilogue *)user)->l, dim);
}

static uint16_t temporary(void *user, pir_dim bytes) {
  return lower_temporary(((epilogue *)user)->l, bytes);
}

// The results have the extents of the sums, because the ops after a contraction are
// elementwise. Only attention permutes the axes of its sums.
static void store_results(lowering *l, loop_expr *const *index) {
  const pir_op *yield = lower_yield(l);
  for (size_t i = 0; i < pir_op_operands(yield) && !l->why; i++) {
    const pir_value *value = pir_op_operand(yield, i);
    loop_expr *turned[PIR_MAX_RANK];
    const uint8_t *from = lower_find(l, value)->turn;
    for (int d = 0; d < lower_fact(l, value)->rank; d++)
      turned[d] = index[from ? from[d] : d];
    loop_expr *x = lower_element(l, value, turned);
    lower_value *v = lower_find(l, value);
    if (!l->why)
      pir_loop_store(l->fn, l->block, lower_buffer(l, v), lower_position(l, v, turned), x,
                     NULL);
  }
}

// The position of the lane in the point's buffer.
static void store_between(lowering *l, lower_value *between, const contract_point *point,
                          loop_expr *const *index, loop_expr *lane) {
  loop_expr *x = lower_element(l, between->value, index), *at;
  if (l->why)
    return;
  if (!point->out)
    at = lower_position(l, between, index);
  else
    at = pir_loop_add(l->m, point->position, pir_loop_mul(l->m, lane, point->lane_stride));
  pir_loop_store(l->fn, l->block, point->out ? point->out : lower_buffer(l, between), at, x,
                 NULL);
}

static bool finish_point(lowering *l, const pir_value *sums, lower_value *between, loop_fn *fn,
                         loop_block *block, const contract_point *point) {
  const pir_fact *fact = lower_fact(l, sums);
  loop_block body = {0};
  loop_expr *index[PIR_MAX_RANK], *base = pir_loop_int(l->m, 0);
  loop_var *lane = pir_loop_var_create(fn, "lane", LOOP_INDEX, 1),
           *sum = pir_loop_var_create(fn, "sum", point->value->dtype, 1);
  for (int d = 0; d < fact->rank; d++)
    index[d] = point->index[d];
  if (point->lanes > 1) {
    base = index[point->lane_axis];
    lane->extent = lower_dim(l, fact->shape[point->lane_axis]);
    index[point->lane_axis] = pir_loop_use(l->m, lane);
  }
  l->fn = fn;
  l->lanes = lane;
  lower_place before = lower_enter(l, &body);
  lower_know(l, sums, index, pir_loop_cast(l->m, pir_loop_use(l->m, sum), fact->dtype));
  if (between)
    store_between(l, between, point, index,
                  point->lanes > 1 ? pir_loop_sub(l->m, pir_loop_use(l->m, lane), base) : base);
  else
    store_results(l, index);
  lower_leave(l, before);
  loop_expr *value = point->value;
  if (l->why)
    return false;
  if (pir_loop_widen(fn, block, &body, lane, base, point->lanes, point->mask, &sum, &value,
                     1)) {
    lower_fail(l, pir_value_op(sums), "an epilogue that has no vector form");
    return false;
  }
  return true;
}

bool contract_finish_sums(lowering *l, const pir_value *sums, loop_fn *fn, loop_block *block,
                          const contract_point *point) {
  return finish_point(l, sums, NULL, fn, block, point);
}

static bool finish_in_epilogue(void *user, loop_fn *fn, loop_block *block,
                               const contract_point *point) {
  const epilogue *e = user;
  return finish_point(e->l, e->sum, e->between, fn, block, point);
}

typedef struct read_list {
  const loop_block *body;  // of the epilogue
  contract_place *places;
  int count;
  int left;  // expressions that may still be looked at: they share operands
} read_list;

static bool lists_read(const read_list *r, const loop_expr *load) {
  for (const loop_stmt *s = r->body->first; s; s = s->next)
    if (s->kind == LOOP_LET && pir_loop_mentions(load->a, s->let.var))
      return false;
  for (int i = 0; i < r->count; i++)
    if (r->places[i].buffer == load->buffer && pir_loop_equal(r->places[i].index, load->a))
      return false;
  return load->lanes > 1 && load->buffer->space == LOOP_ARG && !load->mask;
}

// Adds the vectors of arguments that e loads, except at places that mention a variable of the
// epilogue's own.
static void list_reads(read_list *r, const loop_expr *e) {
  if (!e || !r->left || r->count == CONTRACT_MOST_READS)
    return;
  r->left--;
  if (e->kind == LOOP_LOAD && lists_read(r, e))
    r->places[r->count++] = (contract_place){e->buffer, e->a};
  list_reads(r, e->a);
  list_reads(r, e->b);
  list_reads(r, e->c);
}

static int reads_of_epilogue(void *user, loop_fn *fn, const contract_point *point,
                             contract_place places[CONTRACT_MOST_READS]) {
  const epilogue *e = user;
  loop_block body = {0};
  read_list r = {.body = &body, .places = places, .left = MOST_EXPRESSIONS};
  if (!finish_point(e->l, e->sum, e->between, fn, &body, point))
    return 0;
  for (const loop_stmt *s = body.first; s; s = s->next) {
    loop_operands operands = pir_loop_operands(s);
    for (int i = 0; i < operands.count; i++)
      list_reads(&r, *operands.at[i]);
  }
  return r.count;
}

// ---- the contraction

// Whether b can be packed at load: it must be a parameter that the group reads nowhere else,
// because only the packed form remains.
static bool can_pack(const lowering *l, const pir_value *v) {
  const pir_op *op = pir_value_op(v);
  int reads = 0;
  if (!op || !pir_op_has(op, PIR_PARAMETER))
    return false;
  for (pir_use *u = pir_value_first_use(v); u; u = pir_use_next(u))
    reads += pir_op_parent(pir_use_owner(u)) == l->group;
  return reads == 1;
}

static bool bind_operand(lowering *l, const pir_op *op, int k, contract_tensor *t,
                         const pir_value **out_source) {
  const pir_value *source;
  const pir_op *casts[2];
  contract_trace_operand(l->facts, pir_op_operand(op, (size_t)k), casts, &source, &t->rounded);
  const lower_value *v = lower_find(l, source);
  t->dtype = lower_fact(l, source)->dtype;
  *out_source = source;
  if (!v || !v->readable) {
    lower_fail(l, op, "an operand of a contraction that is computed in its group");
    return false;
  }
  t->slot = (uint16_t)v->slot;
  t->align = (uint32_t)pir_dtype_size(t->dtype);
  for (int d = 0; d < t->rank; d++) {
    t->order[d] = v->order[d];
    t->room[d] = lower_room(l, v, d);
  }
  return true;
}

// The sums have the memory order of the stored results.
static bool bind_result(lowering *l, const pir_op *op, contract_tensor *t) {
  const pir_op *yield = lower_yield(l);
  const pir_fact *fact = lower_fact(l, pir_op_result(op, 0));
  for (size_t i = 0; i < pir_op_operands(yield); i++) {
    const lower_value *v = lower_find(l, pir_op_operand(yield, i));
    const pir_fact *stored = lower_fact(l, v->value);
    if (!pir_dims_equal(l->dims, stored->shape, stored->rank, fact->shape, fact->rank)) {
      lower_fail(l, op, "a result after a contraction that has another shape");
      return false;
    }
    for (int d = 0; d < t->rank; d++) {
      t->order[d] = v->order[d];
      t->room[d] = lower_room(l, v, d);
    }
    t->slot = (uint16_t)v->slot;
    t->align = (uint32_t)pir_dtype_size(t->dtype);
  }
  return true;
}

static bool bind_scale(lowering *l, const pir_op *op, contraction *c) {
  const pir_value *unused;
  return !c->scaled || bind_operand(l, op, c->scale_operand, &c->scale, &unused);
}

// Devices: lets b be packed when it is uploaded.
static void pack_for_device(lowering *l, contraction *c) {
  if (!pir_contract_pack_for_device(c, l->target, l->math))
    return;
  pir_device_packing packing = {.operand = c->b.slot, .dtype = (uint8_t)c->b.dtype};
  memcpy(packing.order, c->b.order, sizeof packing.order);
  pir_dim_is_const(l->dims, c->b.room[c->b.order[c->b.rank - 1]], &packing.room);
  pir_vec_push(&l->m->arena, &l->packings, packing);
}

// Matches an op's contraction and assigns its buffers; false if it is none.
static bool bind(lowering *l, const pir_op *op, bool is_first, const pir_value *between,
                 contraction *c) {
  int a, b;
  lower_count_place(l, op);
  if (l->why)
    return false;
  if (!pir_contract_match_levels(op, l->facts, c, &a, &b)) {
    lower_fail(l, op, "a contraction whose indices are not affine");
    return false;
  }
  const lower_value *v = between ? lower_find(l, between) : NULL;
  const pir_value *weights, *rows;
  if (!bind_operand(l, op, b, &c->b, &weights) || !bind_scale(l, op, c))
    return false;
  if (v && !is_first)
    memcpy(c->a.order, v->order, sizeof c->a.order);
  else if (!bind_operand(l, op, a, &c->a, &rows))
    return false;
  if (v && is_first)
    memcpy(c->out.order, v->order, sizeof c->out.order);
  else if (!bind_result(l, op, &c->out))
    return false;
  for (int i = 0; i < 2 * c->equal_count; i++)
    pir_vec_push(&l->m->arena, &l->equal, c->equal[i]);
  c->b_constant = !lower_on_device(l) && can_pack(l, weights);
  if (lower_on_device(l) && can_pack(l, weights))
    pack_for_device(l, c);
  return true;
}

static contract_env env_of(lowering *l, epilogue *e) {
  return (contract_env){.module = l->m,
                        .target = l->target,
                        .math = l->math,
                        .user = e,
                        .extent = extent,
                        .temporary = temporary,
                        .epilogue = finish_in_epilogue,
                        .reads = reads_of_epilogue};
}

static void add_packing(lowering *l, const contraction *c, const contract_stage *packing,
                        int64_t bytes, lower_packings *packings) {
  if (packing->fn)
    pir_vec_push(&l->m->arena, packings,
                 ((lower_packing){c->b.slot, bytes, {packing->fn, packing->units}}));
}

static void emit_one(lowering *l, const contraction *c, epilogue *e, const contract_env *env,
                     lower_stages *stages, lower_packings *packings) {
  contract_code code;
  lower_count_place(l, pir_value_op(e->sum));
  if (pir_contract_emit(c, env, lower_name(l, "stage", (int64_t)stages->count), &code)) {
    lower_fail(l, pir_value_op(e->sum), "a contraction of this form");
    return;
  }
  memcpy(l->how, code.how, sizeof l->how);
  if (code.tuned.candidates)
    pir_vec_push(&l->m->arena, &l->tuned, code.tuned);
  for (int i = 0; i < code.stage_count; i++)
    pir_vec_push(&l->m->arena, stages,
                 ((lower_stage){code.stages[i].fn, code.stages[i].units}));
  add_packing(l, c, &code.packing, code.packed_bytes, packings);
}

void contract_lower_one(lowering *l, const pir_op *op, lower_stages *stages,
                        lower_packings *packings) {
  contraction c, turned;
  epilogue e = {.l = l, .sum = pir_op_result(op, 0)};
  if (!bind(l, op, false, NULL, &c))
    return;
  contract_env env = env_of(l, &e);
  if (!contract_turns_for_filter(l, &c, &env, &turned)) {
    contract_turn(l, &c, stages);
    emit_one(l, &c, &e, &env, stages, packings);
    return;
  }
  env.epilogue = NULL;  // the sums are stored
  env.reads = NULL;
  contract_turn_operand(l, &c, &turned, stages);
  emit_one(l, &turned, &e, &env, stages, packings);
  if (!l->why)
    contract_turn_result(l, &c, &turned, e.sum, stages);
}

// ---- two of them

// Describes the tensor between two contractions. Its memory order is the one that the first
// one's weights prefer, as if the first were a group of its own.
static lower_value *add_between(lowering *l, const pir_op *first, const pir_op *second) {
  contraction c;
  int a, b;
  if (!pir_contract_match(second, l->facts, &c, &a, &b))
    return NULL;
  lower_value *v = lower_add(l, pir_op_operand(second, (size_t)a));
  if (!pir_contract_match(first, l->facts, &c, &a, &b))
    return NULL;
  pir_contract_order(&c, v->order);
  return v;
}

// Emits both contractions as separate stages, with the tensor between them in a buffer.
static void emit_in_turn(lowering *l, contraction *c, epilogue *e, lower_value *between,
                         lower_stages *stages, lower_packings *packings) {
  pir_dim bytes = pir_dim_const(l->dims, (int64_t)pir_dtype_size(c[1].a.dtype));
  for (int d = 0; d < c[1].a.rank; d++)
    bytes = pir_dim_mul(l->dims, bytes, c[1].a.shape[d]);
  between->slot = c[1].a.slot = lower_temporary(l, bytes);
  between->written = true;
  contract_env first = env_of(l, &e[0]), second = env_of(l, &e[1]);
  emit_one(l, &c[0], &e[0], &first, stages, packings);
  between->readable = true;
  if (!l->why)
    emit_one(l, &c[1], &e[1], &second, stages, packings);
}

void contract_lower_pair(lowering *l, const pir_op *const ops[2], lower_stages *stages,
                         lower_packings *packings) {
  contraction c[2];
  contract_pair_code code;
  lower_value *between = add_between(l, ops[0], ops[1]);
  if (!between || !bind(l, ops[0], true, between->value, &c[0]) ||
      !bind(l, ops[1], false, between->value, &c[1])) {
    lower_fail(l, ops[1],
               "two contractions of which the second does not read what the first makes");
    return;
  }
  epilogue e[2] = {{.l = l, .sum = pir_op_result(ops[0], 0), .between = between},
                   {.l = l, .sum = pir_op_result(ops[1], 0)}};
  contract_turn(l, &c[0], stages);
  contract_env first = env_of(l, &e[0]), second = env_of(l, &e[1]);
  if (!pir_contract_pairs(&c[0], &c[1], l->target) || !c[0].b_constant || !c[1].b_constant) {
    emit_in_turn(l, c, e, between, stages, packings);
    return;
  }
  if (pir_contract_emit_pair(&c[0], &first, &c[1], &second,
                             lower_name(l, "stage", (int64_t)stages->count), &code)) {
    lower_fail(l, ops[1], "two contractions of this form");
    return;
  }
  memcpy(l->how, code.how, sizeof l->how);
  pir_vec_push(&l->m->arena, stages, ((lower_stage){code.stage.fn, code.stage.units}));
  for (int i = 0; i < 2; i++)
    add_packing(l, &c[i], &code.packings[i], code.packed_bytes[i], packings);
}
