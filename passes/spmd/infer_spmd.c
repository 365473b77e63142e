// States how every op takes and gives distributed tensors: op_dist_attr, and the types of
// results, by the placement rules of the operators (pir/compiler/spmd.h). What shard_tensor,
// reshard and the other ops of dialect dist_op state is given; the pass does what Paddle does
// while a program with distributed tensors is built. One walk; O(ops).
#include "infer_spmd.h"

#include "dist_attrs.h"

#include <pir/compiler/pass.h>
#include <pass_list.h>

#include <pir/compiler/dialect/dist.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>

#include <arena.h>

#include <string.h>

typedef struct placing {
  pir_context *ctx;
  pir_arena memory;  // of one op
  pir_name *name;    // op_dist_attr
  spmd_how how;
  uint64_t placed;
  pir_status status;
} placing;

static size_t count_members(const pir_type *type) {
  return pir_type_kind_of(type) == PIR_TYPE_VECTOR ? pir_type_elements(type) : 1;
}

static const pir_type *member_type(const pir_type *type, size_t i) {
  return pir_type_kind_of(type) == PIR_TYPE_VECTOR ? pir_type_element(type, i) : type;
}

static bool is_placeable(const pir_type *type) {
  return pir_type_is_tensor(type) || pir_type_dist_attr(type);
}

// ---- the question
static pir_status read_placements(placing *p, const pir_op *op, const pir_value *value,
                                  const pir_spmd *spmd, pir_placements *out) {
  const pir_type *type = value ? pir_value_type(value) : NULL;
  *out = (pir_placements){0};
  if (!type)
    return PIR_OK;
  size_t n = count_members(type);
  out->items = pir_arena_zalloc(&p->memory, pir_arena_size(&p->memory, n, sizeof *out->items));
  for (size_t i = 0; i < n; i++) {
    const pir_type *member = member_type(type, i);
    if (!is_placeable(member))
      return PIR_OK;  // an absent member
    PIR_TRY(dist_read_type(op, member, spmd->mesh_rank, &out->items[i]));
    out->count = i + 1;
  }
  return PIR_OK;
}

// The integers of an attribute operand, if a constant op makes it. Facts are not asked: they
// say nothing of distributed tensors, and the types change under them.
static pir_attr_value read_contents(placing *p, const pir_value *value) {
  pir_attr_value out = {.kind = PIR_VALUE_NONE};
  const pir_op *op = value ? pir_value_op(value) : NULL;
  bool list = op && pir_op_is(op, PD_FULL_INT_ARRAY);
  if (!list && (!op || !pir_op_is(op, PD_FULL)))
    return out;
  const pir_attr *attr =
      pir_op_attr_at(op, list ? PD_FULL_INT_ARRAY_ATTR_VALUE : PD_FULL_ATTR_VALUE);
  size_t n = list ? pir_attr_elements(attr) : 1;
  int64_t *ints = pir_arena_zalloc(&p->memory, pir_arena_size(&p->memory, n + 1, sizeof *ints));
  for (size_t i = 0; i < n; i++)
    if (list ? !pir_attr_int_at(attr, i, &ints[i]) : !pir_attr_as_int(attr, &ints[i]))
      return out;
  return (pir_attr_value){.kind = PIR_VALUE_INTS, .ints = ints, .count = n};
}

static bool is_wide_op(const placing *p, const pir_op *op) {
  const uint32_t *wide = p->how.wide_ops;
  while (wide && *wide && !pir_op_is(op, *wide))
    wide++;
  return wide && *wide;
}

static pir_status make_question(placing *p, const pir_op *op, pir_spmd *out) {
  const pir_opdef *def = out->def = pir_op_def(op);
  size_t operands = def->operand_count, results = def->result_count;
  pir_attr_value *contents = pir_arena_zalloc(&p->memory, (operands + 1) * sizeof *contents);
  out->operands = pir_arena_zalloc(&p->memory, (operands + 1) * sizeof *out->operands);
  out->results = pir_arena_zalloc(&p->memory, (results + 1) * sizeof *out->results);
  out->contents = contents;
  out->backward = p->how.backward;
  out->wide = p->how.wide || is_wide_op(p, op);
  for (size_t i = 0; i < operands; i++) {
    const pir_value *value = i < pir_op_operands(op) ? pir_op_operand(op, i) : NULL;
    PIR_TRY(read_placements(p, op, value, out, &out->operands[i]));
    contents[i] = read_contents(p, value);
  }
  for (size_t i = 0; i < results && i < pir_op_results(op); i++)
    PIR_TRY(read_placements(p, op, pir_op_result(op, i), out, &out->results[i]));
  return pir_op_attr_values(op, pir_arena_take, &p->memory, &out->attrs);
}

// ---- the answer
static bool is_list_value(const pir_value *value) {
  return value && pir_type_kind_of(pir_value_type(value)) == PIR_TYPE_VECTOR;
}

static const pir_attr *make_dist(placing *p, const pir_attr *mesh, const pir_spmd *spmd,
                                 const pir_placements *x, bool list) {
  if (!x->count && !list)
    return dist_make_empty(p->ctx);
  const pir_attr **items = pir_arena_zalloc(&p->memory, (x->count + 1) * sizeof *items);
  for (size_t i = 0; i < x->count; i++)
    items[i] = dist_make(p->ctx, mesh, spmd->mesh_rank, &x->items[i]);
  return list ? pir_attr_array(p->ctx, items, x->count) : items[0];
}

// Gives a value the distributions of `dist`, one or a list.
static void place_value(placing *p, pir_value *value, const pir_attr *dist) {
  const pir_type *type = pir_value_type(value);
  if (!is_list_value(value)) {
    if (is_placeable(type) && pir_attr_kind_of(dist) == PIR_ATTR_TENSOR_DIST)
      pir_value_set_type(value, dist_make_type(p->ctx, type, dist));
    return;
  }
  size_t n = pir_type_elements(type);
  const pir_type **members = pir_arena_zalloc(&p->memory, (n + 1) * sizeof *members);
  for (size_t i = 0; i < n; i++) {
    members[i] = pir_type_element(type, i);
    if (i < pir_attr_elements(dist) && is_placeable(members[i]))
      members[i] = dist_make_type(p->ctx, members[i], pir_attr_element(dist, i));
  }
  pir_value_set_type(value, pir_type_vector(p->ctx, members, n));
}

// An operand that lies on no mesh lies whole on the op's.
static void place_operand(placing *p, pir_value *value, const pir_attr *mesh,
                          const pir_spmd *spmd, const pir_placements *given) {
  if (!value || dist_of_any(pir_value_type(value)) || !given->count)
    return;
  pir_placements whole = {pir_arena_zalloc(&p->memory, given->count * sizeof *whole.items),
                          given->count};
  memcpy(whole.items, given->items, given->count * sizeof *whole.items);
  for (size_t i = 0; i < whole.count; i++)
    pir_placement_replicate(&whole.items[i]);
  place_value(p, value, make_dist(p, mesh, spmd, &whole, is_list_value(value)));
}

static void state_answer(placing *p, pir_op *op, const pir_attr *mesh, const pir_spmd *spmd) {
  size_t operands = pir_op_operands(op), results = pir_op_results(op);
  const pir_attr **in = pir_arena_zalloc(&p->memory, (operands + 1) * sizeof *in);
  const pir_attr **out = pir_arena_zalloc(&p->memory, (results + 1) * sizeof *out);
  for (size_t i = 0; i < operands; i++) {
    pir_value *value = pir_op_operand(op, i);
    place_operand(p, value, mesh, spmd, &spmd->operands[i]);
    in[i] = make_dist(p, mesh, spmd, &spmd->operands[i], is_list_value(value));
  }
  for (size_t i = 0; i < results; i++) {
    pir_value *value = pir_op_result(op, i);
    out[i] = make_dist(p, mesh, spmd, &spmd->results[i], is_list_value(value));
    if (!p->how.backward)
      place_value(p, value, out[i]);
  }
  const pir_attr *parts[4] = {mesh, pir_attr_array(p->ctx, in, operands),
                              pir_attr_array(p->ctx, out, results),
                              pir_attr_int(p->ctx, PIR_ATTR_I64, -1)};
  pir_op_set_attr(op, p->name, pir_attr_tuple(p->ctx, PIR_ATTR_OP_DIST, parts, 4));
  p->placed++;
}

// ---- ops
// Finds the mesh on which the op's tensors lie; NULL if none is distributed.
static pir_status find_mesh(placing *p, const pir_op *op, const pir_attr **out_mesh) {
  size_t n = p->how.backward ? pir_op_results(op) : pir_op_operands(op);
  *out_mesh = NULL;
  for (size_t i = 0; i < n; i++) {
    const pir_value *value = p->how.backward ? pir_op_result(op, i) : pir_op_operand(op, i);
    const pir_attr *dist = value ? dist_of_any(pir_value_type(value)) : NULL;
    if (!dist)
      continue;
    if (*out_mesh && *out_mesh != dist_mesh(dist))
      return pir_error(op, "operands lie on different meshes; reshard them to one");
    *out_mesh = dist_mesh(dist);
  }
  return PIR_OK;
}

// An op of dialect dist_op says itself how its results lie.
static pir_status place_stated(placing *p, pir_op *op) {
  const pir_attr *stated = pir_op_attr(op, p->name);
  if (!stated || pir_attr_kind_of(stated) != PIR_ATTR_OP_DIST)
    return PIR_OK;
  const pir_attr *results = pir_attr_element(stated, 2);
  for (size_t i = 0; i < pir_op_results(op) && i < pir_attr_elements(results); i++)
    place_value(p, pir_op_result(op, i), pir_attr_element(results, i));
  return PIR_OK;
}

// Lists of tensors have the types of their members.
static pir_status place_structural(placing *p, pir_op *op) {
  size_t n = pir_op_operands(op), results = pir_op_results(op);
  const pir_value *first = n ? pir_op_operand(op, 0) : NULL;
  if (!first)
    return PIR_OK;
  if (is_list_value(first)) {
    size_t members = pir_type_elements(pir_value_type(first));
    int64_t index = 0;
    const pir_attr *at = pir_op_attr_str(op, "index");
    if (at && (!pir_attr_as_int(at, &index) || index < 0))
      return PIR_OK;
    for (size_t i = 0; i < results && (size_t)index + i < members; i++)
      pir_value_set_type(pir_op_result(op, i),
                         pir_type_element(pir_value_type(first), (size_t)index + i));
  } else if (results == 1 && is_list_value(pir_op_result(op, 0))) {
    const pir_type **types = pir_arena_zalloc(&p->memory, n * sizeof *types);
    for (size_t i = 0; i < n; i++)
      types[i] = pir_op_operand(op, i) ? pir_value_type(pir_op_operand(op, i)) : NULL;
    pir_value_set_type(pir_op_result(op, 0), pir_type_vector(p->ctx, types, n));
  }
  return PIR_OK;
}

// Makes dims whole that a mesh dim of `banned` splits, and dims of known extent that their mesh
// dim does not divide: programs as Paddle builds them have no parts that differ. Marks the mesh
// dims of the latter in `uneven`; returns whether there were any.
static bool drop_splits(const pir_spmd *spmd, const pir_placements *all, size_t n,
                        const bool banned[PIR_MESH_RANK], bool uneven[PIR_MESH_RANK]) {
  bool found = false;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < all[i].count; k++) {
      pir_placement *x = &all[i].items[k];
      for (int32_t d = 0; d < x->rank; d++) {
        uint8_t mesh = x->split[d].mesh[0];
        bool differs = x->split[d].count && x->shape[d] >= 0 && x->shape[d] % spmd->mesh[mesh];
        if (differs || (x->split[d].count && banned[mesh]))
          x->split[d].count = 0;
        if (differs)
          found = uneven[mesh] = true;
      }
    }
  return found;
}

static bool drop_all_splits(const pir_spmd *spmd, const bool banned[PIR_MESH_RANK],
                            bool uneven[PIR_MESH_RANK]) {
  const pir_opdef *def = spmd->def;
  bool operands = drop_splits(spmd, spmd->operands, def->operand_count, banned, uneven);
  return drop_splits(spmd, spmd->results, def->result_count, banned, uneven) || operands;
}

// Marks, or with `drop` takes away, the mesh dims that split a dim behind another one.
static void visit_inner(const pir_placements *all, size_t n, bool inner[PIR_MESH_RANK],
                        bool drop) {
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < all[i].count; k++) {
      pir_placement *x = &all[i].items[k];
      for (int32_t d = 0; d < x->rank; d++) {
        for (uint8_t s = 1; !drop && s < x->split[d].count; s++)
          inner[x->split[d].mesh[s]] = true;
        if (drop && x->split[d].count > 1)
          x->split[d].count = 1;
      }
      for (size_t mesh = 0; drop && mesh < PIR_MESH_RANK; mesh++)
        if (inner[mesh])
          x->partial[mesh] = 0;
    }
}

// Types state one mesh dim for a dim of a tensor: the others that split it are dropped in all
// tensors alike, and with them the sums over the parts that they would make.
static void drop_inner_splits(pir_spmd *spmd) {
  bool inner[PIR_MESH_RANK] = {0};
  for (int drop = 0; drop < 2; drop++) {
    visit_inner(spmd->operands, spmd->def->operand_count, inner, drop);
    visit_inner(spmd->results, spmd->def->result_count, inner, drop);
  }
}

// Outputs take their operand in its place.
static void keep_placement(pir_spmd *spmd) {
  for (size_t i = 0; i < spmd->def->result_count; i++)
    if (spmd->results[i].count == 1 && spmd->operands[0].count == 1)
      spmd->results[i].items[0] = spmd->operands[0].items[0];
}

static pir_status ask(const pir_op *op, pir_spmd *spmd) {
  pir_status status = pir_spmd_infer(spmd);
  if (!status)
    drop_inner_splits(spmd);
  if (!status || !spmd->message[0])
    return status;
  return pir_report_op(op, status, PIR_ERROR, "\"%s\": placement: %s", spmd->def->name,
                       spmd->message);
}

// Where the answer splits a dim unevenly, the question is put again without that mesh dim.
static pir_status infer_op(placing *p, const pir_op *op, pir_spmd *spmd) {
  bool banned[PIR_MESH_RANK] = {0}, uneven[PIR_MESH_RANK] = {0};
  if (pir_op_has(op, PIR_OUTPUT)) {
    keep_placement(spmd);
    return PIR_OK;
  }
  if (spmd->wide)
    return ask(op, spmd);
  (void)drop_all_splits(spmd, banned, uneven);
  for (size_t i = 0; i <= spmd->mesh_rank; i++) {
    PIR_TRY(ask(op, spmd));
    memset(uneven, 0, sizeof uneven);
    if (!drop_all_splits(spmd, banned, uneven))
      break;
    for (size_t mesh = 0; mesh < PIR_MESH_RANK; mesh++)
      banned[mesh] |= uneven[mesh];
    PIR_TRY(make_question(p, op, spmd));
    (void)drop_all_splits(spmd, banned, uneven);
  }
  return PIR_OK;
}

static pir_status place_op(placing *p, pir_op *op) {
  const pir_attr *mesh;
  pir_spmd spmd = {0};
  if (pir_op_def(op)->id >> 16 == (DIST_SHARD_TENSOR >> 16))
    return place_stated(p, op);
  PIR_TRY(find_mesh(p, op, &mesh));
  if (!mesh || !pir_op_operands(op))
    return PIR_OK;
  if (pir_op_has(op, PIR_STRUCTURAL))
    return place_structural(p, op);
  if (!pir_op_has(op, PIR_REGISTERED) || pir_op_regions(op) || pir_op_has(op, PIR_TERMINATOR))
    return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                         "unsupported: placement of \"%s\" with distributed operands",
                         pir_op_def(op)->name);
  PIR_TRY(dist_read_mesh(op, mesh, &spmd));
  PIR_TRY(make_question(p, op, &spmd));
  PIR_TRY(infer_op(p, op, &spmd));
  state_answer(p, op, mesh, &spmd);
  return PIR_OK;
}

static pir_walk_result visit_op(pir_op *op, void *user) {
  placing *p = user;
  if (p->how.before)
    p->how.before(op, p->how.user);
  p->status = place_op(p, op);
  pir_arena_reset(&p->memory);
  return p->status ? PIR_WALK_STOP : PIR_WALK_CONTINUE;
}

pir_status spmd_place_program(pir_program *program, spmd_how how, uint64_t *out_placed) {
  pir_context *ctx = pir_program_context(program);
  placing p = {.ctx = ctx, .name = pir_name_get(ctx, PIR_STR("op_dist_attr")), .how = how};
  pir_arena_init(&p.memory, pir_context_arena(ctx)->heap);
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, visit_op, &p);
  pir_arena_destroy(&p.memory);
  *out_placed = p.placed;
  return p.status;
}

pir_status pir_pass_infer_spmd(pir_pass_run *run) {
  spmd_how how = {.backward = pir_run_option_bool(run, "backward", false),
                  .wide = pir_run_option_bool(run, "wide", false)};
  uint64_t placed;
  pir_status status = spmd_place_program(run->program, how, &placed);
  pir_run_count(run, "ops placed", placed);
  return status;
}
