// Derives the facts of an op's results from its meaning: by its inference hook, else by its
// first `lower` alternative whose condition holds (run on facts alone), else by its clause. A
// pointwise clause broadcasts its loads, a reduction drops axes, named variables give their
// extents. O(nodes) for each op.
#include <pir/compiler/index_nodes.h>

#include "infer_impl.h"

#include <stdarg.h>
#include <string.h>

pir_status pir_infer_fail(pir_infer *infer, const char *format, ...) {
  size_t used = pir_text_format(infer->message, sizeof infer->message,
                                "%s: ", infer->def ? infer->def->name : "?");
  va_list args;
  va_start(args, format);
  pir_text_vformat(infer->message + used, sizeof infer->message - used, format, args);
  va_end(args);
  infer->has_message = true;
  return PIR_INVALID;
}

// ---- element types
pir_dtype infer_operand_dtype(const pir_infer *infer, int k) {
  const pir_fact *fact = k >= 0 && (size_t)k < infer->operand_count ? infer->operands[k] : NULL;
  if (fact && fact->members)
    fact = fact->member_count ? fact->members[0] : NULL;
  return fact && fact->known ? fact->dtype : PIR_UNDEFINED;
}

// Returns the type, or the complex one that meets it and the operands if one of those is
// complex. A result in place of an operand keeps its type.
static pir_dtype promoted_dtype(const pir_infer *infer, pir_dtype dtype) {
  bool complex = false, wide = dtype == PIR_F64 || dtype == PIR_C128;
  for (size_t k = 0; k < infer->operand_count; k++) {
    pir_dtype other = infer_operand_dtype(infer, (int)k);
    complex |= pir_dtype_is_complex(other);
    wide |= other == PIR_F64 || other == PIR_C128;
  }
  if (!complex || infer->def->traits & PIR_INPLACE)
    return dtype;
  return wide ? PIR_C128 : PIR_C64;
}

// Ops that nothing verified have other numbers of results than declared.
static const char *result_name(const pir_infer *infer, size_t i) {
  return i < infer->def->result_count ? infer->def->results[i].name : "?";
}

pir_dtype infer_result_dtype(const pir_infer *infer, int i) {
  if (i >= infer->def->result_count)
    return infer_operand_dtype(infer, 0);
  const pir_result_def *def = &infer->def->results[i];
  if (def->from_attr >= 0) {
    pir_dtype dtype = pir_attr_value_dtype(&infer->attrs[def->from_attr]);
    if (dtype != PIR_UNDEFINED)
      return dtype;
  }
  // A result of an absent operand keeps the fact it was created with: no elements, f32.
  if (def->same_as >= 0) {
    bool given = (size_t)def->same_as < infer->operand_count && infer->operands[def->same_as];
    pir_dtype dtype = given ? infer_operand_dtype(infer, def->same_as) : PIR_F32;
    return def->flags & PIR_RESULT_PROMOTED ? promoted_dtype(infer, dtype) : dtype;
  }
  if (def->dtype != PIR_UNDEFINED)
    return (pir_dtype)def->dtype;
  return infer_operand_dtype(infer, 0);
}

pir_fact *infer_begin(pir_infer *infer, int i) {
  pir_fact *fact = &infer->results[i];
  memset(fact, 0, sizeof *fact);
  fact->known = true;
  fact->dtype = infer_result_dtype(infer, i);
  fact->rank = -1;
  return fact;
}

bool fact_has_shape(const pir_fact *fact) {
  return fact && fact->known && !fact->members && fact->rank >= 0;
}

void fact_copy_shape(pir_fact *fact, const pir_fact *from) {
  memcpy(fact->shape, from->shape, sizeof fact->shape);
  fact->rank = from->rank;
}

pir_status infer_wrap_axis(pir_infer *infer, int64_t axis, int32_t rank, int32_t *out_axis) {
  *out_axis = 0;
  if (axis < -rank || axis >= rank)
    return pir_infer_fail(infer, "axis %lld of a tensor of rank %d", (long long)axis, rank);
  *out_axis = (int32_t)(axis < 0 ? axis + rank : axis);
  return PIR_OK;
}

bool fact_has_rank(const pir_fact *fact, int32_t rank) {
  return fact && fact->known && !fact->members && fact->rank == rank;
}

void fact_put_shape(pir_fact *fact, int32_t rank, pir_dim a, pir_dim b, pir_dim c, pir_dim d) {
  const pir_dim shape[4] = {a, b, c, d};
  fact->rank = rank;
  for (int32_t i = 0; i < rank; i++)
    fact->shape[i] = shape[i];
}

// ---- broadcasting
// False when the ranks or constant extents do not fit.
static bool broadcast_into(pir_infer *infer, pir_fact *out, const pir_dim *shape,
                           int32_t rank) {
  pir_dims *dims = infer->dims;
  int32_t grow = rank - out->rank;
  if (grow > 0) {
    memmove(out->shape + grow, out->shape, (size_t)out->rank * sizeof *out->shape);
    for (int32_t i = 0; i < grow; i++)
      out->shape[i] = 1;
    out->rank = rank;
  }
  for (int32_t i = 0; i < rank; i++) {
    pir_dim *to = &out->shape[out->rank - rank + i];
    int64_t a, b;
    bool a_known = pir_dim_is_const(dims, *to, &a),
         b_known = pir_dim_is_const(dims, shape[i], &b);
    if (a_known && b_known && a != b && a != 1 && b != 1)
      return false;
    if (*to != 1 && shape[i] != 1)
      infer_require(infer, PIR_BROADCASTABLE, *to, shape[i]);
    *to = pir_dim_broadcast(dims, *to, shape[i]);
  }
  return true;
}

typedef struct loads {
  pir_infer *infer;
  const pir_clause *clause;
  pir_fact *out;
  int16_t pack;  // the pack whose dims are wanted, or -1: aligned loads
  bool any, unknown, misfit;
  uint64_t seen[32];  // nodes visited
} loads;

static void meet_shape(loads *l, const pir_fact *fact, int32_t first, int32_t rank) {
  l->any = true;
  if (!fact->known || fact->rank < 0) {
    l->unknown = true;
  } else if (!broadcast_into(l->infer, l->out, fact->shape + first, rank)) {
    l->misfit = true;
  }
}

static void meet_operand(loads *l, int16_t k) {
  const pir_fact *fact = (size_t)k < l->infer->operand_count ? l->infer->operands[k] : NULL;
  if (!fact)
    return;
  if (!fact->members) {
    meet_shape(l, fact, 0, fact->rank);
    return;
  }
  for (size_t i = 0; i < fact->member_count; i++)
    meet_shape(l, fact->members[i], 0, fact->members[i]->rank);
}

// A list map with a pack: the pack stands for the dims that no other entry names.
static void meet_pack(loads *l, const pir_node *n) {
  const pir_fact *fact =
      (size_t)n->k < l->infer->operand_count ? l->infer->operands[n->k] : NULL;
  for (int16_t i = 0; fact && i < n->map_count; i++) {
    const pir_node *entry = &l->clause->nodes[l->clause->pool[n->map + i]];
    if (entry->op != PIR_I_PACK || entry->k != l->pack)
      continue;
    int32_t rank = fact->rank - (n->map_count - 1);
    if (fact->known && fact->rank >= 0 && rank < 0)
      l->misfit = true;
    else
      meet_shape(l, fact, i, rank);
  }
}

static void visit(loads *l, int16_t at) {
  if (at < 0 || at >= 64 * 32 || (l->seen[at / 64] >> (at % 64) & 1))
    return;
  l->seen[at / 64] |= (uint64_t)1 << (at % 64);
  const pir_node *n = &l->clause->nodes[at];
  bool is_load = n->op == PIR_V_LOAD || n->op == PIR_I_LOAD;
  if (n->op == PIR_V_LOAD && l->pack < 0 && n->map_kind == PIR_MAP_ALIGNED)
    meet_operand(l, n->k);
  if (n->op == PIR_V_MEMBERS && l->pack < 0)
    meet_operand(l, n->k);
  if (is_load && l->pack >= 0 && n->map_kind == PIR_MAP_LIST)
    meet_pack(l, n);
  if (is_load && n->map_kind == PIR_MAP_LIST)
    for (int16_t i = 0; i < n->map_count; i++)
      visit(l, l->clause->pool[n->map + i]);
  else if (is_load)
    visit(l, n->map);
  visit(l, n->a);
  visit(l, n->b);
  visit(l, n->c);
}

// Returns the broadcast dims of the body's aligned loads, or of a pack. Rank -1 if one is
// unknown.
static pir_status broadcast_loads(pir_infer *infer, const pir_clause *clause, int16_t pack,
                                  pir_fact *out) {
  loads l = {.infer = infer, .clause = clause, .out = out, .pack = pack};
  out->rank = 0;
  visit(&l, clause->body);
  if (l.misfit)
    return pir_infer_fail(infer, "the shapes of the operands do not broadcast together");
  if (l.unknown || (!l.any && clause->kind != PIR_CLAUSE_VIEW))
    out->rank = l.unknown ? -1 : 0;
  return PIR_OK;
}

// ---- axes
// Axes of a reduction, scan or join as bits; false when not known.
static bool axes_of(const pir_infer *infer, const pir_clause *c, int32_t rank,
                    uint32_t *out_axes, bool *out_all) {
  symbolic s = {.infer = infer, .nodes = c->nodes, .pool = c->pool, .text = c->text};
  int64_t all = 0, axis;
  *out_axes = 0;
  *out_all = c->axes_attr < 0 && c->axes_operand < 0;
  if (c->all >= 0 && pir_dim_is_const(infer->dims, symbolic_index(&s, c->all), &all) && all)
    *out_all = true;
  if (*out_all)
    return true;
  pir_dim count = 0;
  const pir_attr_value *attr = c->axes_attr >= 0 ? &infer->attrs[c->axes_attr] : NULL;
  const pir_fact *fact = c->axes_operand >= 0 ? infer->operands[c->axes_operand] : NULL;
  if (attr)
    count = pir_index_attr_list(attr).count;
  else if (!fact_count(fact, &count) || count < 0)
    return false;
  for (pir_dim i = 0; i < count; i++) {
    if (attr ? !pir_index_attr_at(attr, i, &axis)
             : !pir_dim_is_const(infer->dims, fact_element(fact, i), &axis))
      return false;
    if (axis < 0)
      axis += rank;
    if (axis < 0 || axis >= PIR_MAX_RANK)
      continue;
    *out_axes |= (uint32_t)1 << axis;
  }
  *out_all = count == 0;
  return true;
}

// Returns the number of axes that a tensor lists; -1 if unknown.
static int64_t rank_of_axes(pir_infer *infer, const pir_clause *c) {
  pir_dim count;
  int64_t n;
  bool told = c->axes_operand >= 0 && fact_count(infer->operands[c->axes_operand], &count);
  return told && pir_dim_is_const(infer->dims, count, &n) && n > 0 ? n : -1;
}

// Checks a reduction's result against the shape of `like`: dims may be removed or become 1, all
// others must agree.
static pir_status infer_like(pir_infer *infer, const pir_clause *c, const pir_fact *like,
                             pir_fact *out) {
  pir_fact from = {.known = true};
  PIR_TRY(broadcast_loads(infer, c, -1, &from));
  int32_t gone = from.rank - like->rank;
  if (from.rank >= 0 && gone < 0)
    return pir_infer_fail(infer, "%s: expects at most rank %d, found %d",
                          infer->def->operands[c->like].name, from.rank, like->rank);
  for (int32_t i = 0; from.rank >= 0 && i < like->rank; i++) {
    int64_t has, wanted;
    if (!pir_dim_is_const(infer->dims, from.shape[i + gone], &has))
      continue;
    if (!pir_dim_is_const(infer->dims, like->shape[i], &wanted) || wanted == 1 || wanted == has)
      continue;
    return pir_infer_fail(infer, "%s: expects extent 1 or %lld along axis %d, found %lld",
                          infer->def->operands[c->like].name, (long long)has, i,
                          (long long)wanted);
  }
  memcpy(out->shape, like->shape, sizeof out->shape);
  out->rank = like->rank;
  return PIR_OK;
}

static pir_status infer_reduce(pir_infer *infer, const pir_clause *c, pir_fact *out) {
  symbolic s = {.infer = infer, .nodes = c->nodes, .pool = c->pool, .text = c->text};
  int64_t keep = 0;
  uint32_t axes;
  bool all;
  if (c->like >= 0) {
    const pir_fact *like = infer->operands[c->like];
    if (!like || !like->known || like->rank < 0)
      return PIR_OK;
    return infer_like(infer, c, like, out);
  }
  PIR_TRY(broadcast_loads(infer, c, -1, out));
  if (out->rank < 0)
    return PIR_OK;
  if (c->keep >= 0 && !pir_dim_is_const(infer->dims, symbolic_index(&s, c->keep), &keep))
    return PIR_OK;
  if (!axes_of(infer, c, out->rank, &axes, &all)) {
    int64_t gone = rank_of_axes(infer, c);
    if (!keep)
      out->rank = gone < 0 || gone > out->rank ? -1 : out->rank - (int32_t)gone;
    for (int32_t i = 0; i < out->rank; i++)
      out->shape[i] = PIR_DIM_UNKNOWN;
    return PIR_OK;
  }
  int32_t n = 0;
  for (int32_t i = 0; i < out->rank; i++) {
    if (!all && !(axes >> i & 1))
      out->shape[n++] = out->shape[i];
    else if (keep)
      out->shape[n++] = 1;
  }
  out->rank = n;
  return PIR_OK;
}

static pir_status infer_scan(pir_infer *infer, const pir_clause *c, pir_fact *out) {
  uint32_t axes;
  bool all;
  PIR_TRY(broadcast_loads(infer, c, -1, out));
  if (out->rank < 0 || !axes_of(infer, c, out->rank, &axes, &all) || !all)
    return PIR_OK;
  out->shape[0] = fact_numel(infer->dims, out);
  out->rank = 1;
  return PIR_OK;
}

static pir_status infer_join(pir_infer *infer, const pir_clause *c, pir_fact *out) {
  const pir_fact *list = infer->operands[c->nodes[c->body].k];
  uint32_t axes;
  bool all;
  if (!list || !list->known || !list->member_count)
    return PIR_OK;
  const pir_fact *first = list->members ? list->members[0] : list;
  size_t count = list->members ? list->member_count : 1;
  if (!first->known || first->rank < 0)
    return PIR_OK;
  if (!axes_of(infer, c, first->rank + c->stack, &axes, &all) || all || !axes)
    return PIR_OK;
  int32_t axis = __builtin_ctz(axes), rank = first->rank;
  if (axis >= rank + c->stack)
    return pir_infer_fail(infer, "axis %d of a tensor of rank %d", axis, rank);
  memcpy(out->shape, first->shape, sizeof out->shape);
  out->rank = rank;
  for (size_t m = 1; m < count; m++) {
    const pir_fact *member = list->members[m];
    if (!member->known || member->rank < 0) {
      out->rank = -1;
      return PIR_OK;
    }
    if (member->rank != rank)
      return pir_infer_fail(infer, "member %zu has rank %d, the first has %d", m, member->rank,
                            rank);
    for (int32_t i = 0; i < rank; i++) {
      int64_t known;
      if (i == axis && !c->stack)
        out->shape[i] = pir_dim_add(infer->dims, out->shape[i], member->shape[i]);
      else
        infer_require(infer, PIR_EQUAL, out->shape[i], member->shape[i]);
      if ((i != axis || c->stack) && pir_dim_is_const(infer->dims, member->shape[i], &known))
        out->shape[i] = known;
    }
  }
  if (!c->stack)
    return PIR_OK;
  if (rank == PIR_MAX_RANK)
    return pir_infer_fail(infer, "rank over %d", PIR_MAX_RANK);
  memmove(out->shape + axis + 1, out->shape + axis, (size_t)(rank - axis) * sizeof *out->shape);
  out->shape[axis] = (pir_dim)count;
  out->rank++;
  return PIR_OK;
}

// ---- named variables
// The variable that an entry of a map is, under the attributes given; -1 when it is more than
// one.
static int variable_of(symbolic *s, const pir_clause *c, int16_t at) {
  const pir_node *n = &c->nodes[at];
  int64_t side;
  while (n->op == PIR_I_SELECT &&
         pir_dim_is_const(s->infer->dims, symbolic_index(s, n->a), &side))
    n = &c->nodes[side ? n->b : n->c];
  return n->op == PIR_I_VAR ? n->k : -1;
}

// Axes that a contraction reduces or shares must have equal extents.
static void require_extents(pir_infer *infer, symbolic *s, const pir_clause *c, int16_t at,
                            const pir_dim *extents) {
  const pir_node *n = at >= 0 ? &c->nodes[at] : NULL;
  if (!n)
    return;
  const pir_fact *x =
      n->op == PIR_V_LOAD && (size_t)n->k < infer->operand_count ? infer->operands[n->k] : NULL;
  for (int16_t i = 0, axis = 0;
       x && x->known && !x->members && n->map_kind == PIR_MAP_LIST && i < n->map_count; i++) {
    int16_t entry = c->pool[n->map + i];
    int variable = variable_of(s, c, entry);
    if (c->nodes[entry].op == PIR_I_PACK)
      axis = (int16_t)(x->rank - (n->map_count - i));
    else if (variable >= 0 && axis < x->rank)
      infer_require(infer, PIR_EQUAL, extents[variable], x->shape[axis]);
    axis++;
  }
  if (n->op == PIR_V_LOAD)
    return;
  require_extents(infer, s, c, n->a, extents);
  require_extents(infer, s, c, n->b, extents);
  require_extents(infer, s, c, n->c, extents);
}

static pir_status infer_vars(pir_infer *infer, const pir_clause *c, pir_fact *out) {
  pir_dim extents[PIR_MAX_RANK * 2], last[PIR_MAX_RANK * 2];
  symbolic s = {
      .infer = infer, .nodes = c->nodes, .pool = c->pool, .text = c->text, .vars = last};
  for (int v = 0; v < c->var_count && v < PIR_MAX_RANK * 2; v++) {
    int64_t extent;
    extents[v] = c->vars[v].pack ? PIR_DIM_UNKNOWN : symbolic_index(&s, c->vars[v].extent);
    if (pir_dim_is_const(infer->dims, extents[v], &extent) && extent < 0)
      return pir_infer_fail(infer, "the operands do not fit: extent of %s would be %lld",
                            c->vars[v].name, (long long)extent);
    last[v] = extents[v] == PIR_DIM_UNKNOWN ? PIR_DIM_UNKNOWN
                                            : pir_dim_sub(infer->dims, extents[v], 1);
  }
  if (infer->require && c->kind == PIR_CLAUSE_CONTRACT)
    require_extents(infer, &s, c, c->body, extents);
  out->rank = 0;
  for (int16_t i = 0; i < c->out_map_count; i++) {
    int16_t at = c->pool[c->out_map + i];
    const pir_node *entry = &c->nodes[at];
    if (entry->op == PIR_I_PACK) {
      pir_fact pack = {.known = true};
      PIR_TRY(broadcast_loads(infer, c, entry->k, &pack));
      if (pack.rank < 0) {
        out->rank = -1;
        return PIR_OK;
      }
      if (out->rank + pack.rank > PIR_MAX_RANK)
        return pir_infer_fail(infer, "rank over %d", PIR_MAX_RANK);
      memcpy(out->shape + out->rank, pack.shape, (size_t)pack.rank * sizeof *pack.shape);
      out->rank += pack.rank;
      continue;
    }
    if (out->rank == PIR_MAX_RANK)
      return pir_infer_fail(infer, "rank over %d", PIR_MAX_RANK);
    pir_dim end = entry->op == PIR_I_VAR ? extents[entry->k] : symbolic_index(&s, at);
    if (entry->op != PIR_I_VAR && end != PIR_DIM_UNKNOWN)
      end = pir_dim_add(infer->dims, end, 1);
    out->shape[out->rank++] = end;
  }
  return PIR_OK;
}

static pir_status infer_shaped(pir_infer *infer, const pir_clause *c, pir_fact *out) {
  symbolic s = {.infer = infer, .nodes = c->nodes, .pool = c->pool, .text = c->text};
  int64_t rank;
  if (!pir_dim_is_const(infer->dims, symbolic_index(&s, c->out_rank), &rank))
    return PIR_OK;
  if (rank < 0 || rank > PIR_MAX_RANK)
    return pir_infer_fail(infer, "rank %lld is out of range", (long long)rank);
  out->rank = (int32_t)rank;
  for (s.d = 0; s.d < rank; s.d++)
    out->shape[s.d] = symbolic_index(&s, c->out_extent);
  return PIR_OK;
}

pir_status infer_clause(pir_infer *infer, const pir_clause *c, pir_fact *out) {
  switch ((pir_clause_kind)c->kind) {
    case PIR_CLAUSE_REDUCE: return infer_reduce(infer, c, out);
    case PIR_CLAUSE_SCAN: return infer_scan(infer, c, out);
    case PIR_CLAUSE_JOIN: return infer_join(infer, c, out);
    case PIR_CLAUSE_SPLIT: return PIR_OK;
    case PIR_CLAUSE_SCATTER:
      if (infer->operands[0] && infer->operands[0]->known) {
        pir_dtype dtype = out->dtype;
        *out = *infer->operands[0];
        out->dtype = dtype;
        out->contents = NULL;
        out->content_count = 0;
      }
      return PIR_OK;
    default:
      if (c->var_count)
        return infer_vars(infer, c, out);
      return c->out_rank >= 0 ? infer_shaped(infer, c, out)
                              : broadcast_loads(infer, c, -1, out);
  }
}

// ---- the whole op
void infer_fresh_dims(pir_infer *infer, pir_fact *fact) {
  for (int32_t i = 0; fact->known && i < fact->rank; i++)
    if (fact->shape[i] == PIR_DIM_UNKNOWN)
      fact->shape[i] = pir_dim_symbol(infer->dims, 0);
  for (size_t i = 0; fact->known && fact->members && i < fact->member_count; i++)
    infer_fresh_dims(infer, (pir_fact *)(uintptr_t)fact->members[i]);
}

// Checks that no extent is negative, and that the known part of the byte size fits 64 bits. An
// extent of 0 does not excuse the others, because strides are computed from them.
static pir_status check_extents(pir_infer *infer, size_t i) {
  const pir_fact *fact = &infer->results[i];
  const char *name = result_name(infer, i);
  int64_t bytes = fact->known ? (int64_t)pir_dtype_size(fact->dtype) : 0;
  for (int32_t d = 0; fact->known && d < fact->rank; d++) {
    int64_t extent;
    if (!pir_dim_is_const(infer->dims, fact->shape[d], &extent))
      continue;
    if (extent < 0)
      return pir_infer_fail(infer, "result '%s' has extent %lld along axis %d", name,
                            (long long)extent, d);
    if (extent > 0 && __builtin_mul_overflow(bytes, extent, &bytes))
      return pir_infer_fail(infer, "result '%s' is too large: extent %lld along axis %d", name,
                            (long long)extent, d);
  }
  return PIR_OK;
}

// A clause over named variables computes a result of their extents. If a hook takes the shape
// from elsewhere (a gradient takes its forward operand's), both must agree; otherwise elements
// would stay unwritten.
static pir_status check_cover(pir_infer *infer, uint8_t i, const pir_clause *c) {
  pir_fact *out = &infer->results[i], computed = {.known = true, .rank = -1};
  if (!out->known || out->members || out->rank < 0)
    return PIR_OK;
  PIR_TRY(infer_vars(infer, c, &computed));
  for (int32_t d = 0; d < computed.rank && computed.rank == out->rank; d++) {
    int64_t has, gets;
    if (computed.shape[d] == PIR_DIM_UNKNOWN || out->shape[d] == PIR_DIM_UNKNOWN)
      continue;
    if (!pir_dim_is_const(infer->dims, out->shape[d], &has))
      continue;
    if (!pir_dim_is_const(infer->dims, computed.shape[d], &gets) || has == gets)
      continue;
    return pir_infer_fail(
        infer,
        "the operands do not fit: result '%s' has extent %lld along axis %d, computed are %lld",
        infer->def->results[i].name, (long long)has, d, (long long)gets);
  }
  if (computed.rank < 0 || computed.rank == out->rank)
    return PIR_OK;
  return pir_infer_fail(infer,
                        "the operands do not fit: result '%s' has rank %d, computed is %d",
                        infer->def->results[i].name, out->rank, computed.rank);
}

static bool same_shape(const pir_infer *infer, const pir_fact *a, const pir_fact *b) {
  if (!a->known || !b->known || a->members || b->members || a->rank < 0 || b->rank < 0)
    return true;
  bool same = a->rank == b->rank;
  for (int32_t d = 0; same && d < a->rank; d++) {
    int64_t x, y;
    bool known = a->shape[d] != PIR_DIM_UNKNOWN && b->shape[d] != PIR_DIM_UNKNOWN &&
                 pir_dim_is_const(infer->dims, a->shape[d], &x) &&
                 pir_dim_is_const(infer->dims, b->shape[d], &y);
    same = !known || x == y;
  }
  return same;
}

static bool loads_by_map(const pir_clause *c) {
  for (size_t i = 0; i < c->node_count; i++)
    if (c->nodes[i].op == PIR_V_LOAD && c->nodes[i].map_kind != PIR_MAP_ALIGNED)
      return true;
  return false;
}

// Likewise for an element-wise clause: its operands must broadcast to the hook's shape, and no
// further. A clause with maps is left out, because it may choose between a map and an aligned
// load.
static pir_status check_points(pir_infer *infer, uint8_t i, const pir_clause *c) {
  const pir_fact *out = &infer->results[i];
  pir_fact points = {.known = true, .rank = -1};
  if (!fact_has_shape(out) || loads_by_map(c))
    return PIR_OK;
  PIR_TRY(broadcast_loads(infer, c, -1, &points));
  bool fits = points.rank <= out->rank;
  for (int32_t d = 0; fits && d < points.rank; d++) {
    int64_t has, gets;
    bool known = pir_dim_is_const(infer->dims, out->shape[out->rank - points.rank + d], &has) &&
                 pir_dim_is_const(infer->dims, points.shape[d], &gets);
    fits = !known || gets == has || gets == 1;
  }
  if (fits)
    return PIR_OK;
  return pir_infer_fail(infer, "the operands do not broadcast to the shape of result '%s'",
                        infer->def->results[i].name);
}

// Likewise for a composite: its lower block, run on facts alone, must give the hook's shapes.
static pir_status check_parts(pir_infer *infer, const pir_lower *lower) {
  pir_fact *results = INFER_NEW(infer, pir_fact, infer->result_count);
  pir_infer parts = *infer;
  parts.results = results;
  for (size_t i = 0; i < infer->result_count; i++)
    results[i].rank = -1;
  pir_status status = infer_lower(&parts, lower);
  if (status) {
    memcpy(infer->message, parts.message, sizeof infer->message);
    infer->has_message = parts.has_message;
    return status;
  }
  for (size_t i = 0; i < infer->result_count; i++)
    if (!same_shape(infer, &infer->results[i], &results[i]))
      return pir_infer_fail(
          infer, "the operands do not fit: result '%s' would not have the shape it must have",
          result_name(infer, i));
  return PIR_OK;
}

static pir_status infer_by_hook(pir_infer *infer) {
  const pir_opdef *def = infer->def;
  PIR_TRY(def->hooks.infer(infer));
  const pir_lower *lower = infer_choose(infer);
  if (lower)
    return check_parts(infer, lower);
  for (uint8_t i = 0; i < def->result_count; i++) {
    const pir_clause *c = pir_clause_choose(def->clause, i, infer->attrs);
    if (c && c->kind == PIR_CLAUSE_POINTWISE)
      PIR_TRY(check_points(infer, i, c));
    else if (c && c->var_count && c->kind != PIR_CLAUSE_SCATTER)
      PIR_TRY(check_cover(infer, i, c));
  }
  return PIR_OK;
}

static const pir_fact *first_list(const pir_infer *infer) {
  for (size_t k = 0; k < infer->operand_count; k++)
    if (infer->operands[k] && infer->operands[k]->members)
      return infer->operands[k];
  return NULL;
}

// Derives a list result member by member: lists of equal length stand for their members.
static pir_status infer_members(pir_infer *infer, const pir_clause *c, uint8_t i) {
  const pir_fact *list = first_list(infer), *const *all = infer->operands;
  if (!list)
    return infer_clause(infer, c, infer_begin(infer, i));
  size_t count = list->member_count;
  const pir_fact **one = INFER_NEW(infer, const pir_fact *, infer->operand_count);
  const pir_fact **members = INFER_NEW(infer, const pir_fact *, count);
  pir_status status = PIR_OK;
  for (size_t m = 0; m < count && !status; m++) {
    for (size_t k = 0; k < infer->operand_count; k++) {
      bool listed = all[k] && all[k]->members && all[k]->member_count == count;
      one[k] = listed ? all[k]->members[m] : all[k];
    }
    infer->operands = one;
    pir_fact *member = INFER_NEW(infer, pir_fact, 1);
    status = infer_clause(infer, c, infer_begin(infer, i));
    *member = infer->results[i];
    members[m] = member;
  }
  infer->operands = all;
  infer->results[i] =
      (pir_fact){.known = true, .rank = -1, .members = members, .member_count = count};
  return status;
}

static pir_status infer_meaning(pir_infer *infer) {
  const pir_opdef *def = infer->def;
  if (infer->require && def->hooks.demand)
    def->hooks.demand(infer);
  if (def->hooks.infer)
    return infer_by_hook(infer);
  const pir_lower *lower = infer_choose(infer);
  if (lower)
    return infer_lower(infer, lower);
  for (uint8_t i = 0; def->clause && i < def->result_count; i++) {
    const pir_clause *c = pir_clause_choose(def->clause, i, infer->attrs);
    bool listed = def->results[i].flags & PIR_RESULT_VARIADIC;
    if (c && listed && c->kind != PIR_CLAUSE_SPLIT)
      PIR_TRY(infer_members(infer, c, i));
    else if (c)
      PIR_TRY(infer_clause(infer, c, infer_begin(infer, i)));
  }
  return PIR_OK;
}

// ---- shapes that are stated
static pir_fact shaped_like(pir_infer *infer, const pir_fact *like, pir_dtype dtype) {
  pir_fact fact = {.known = like->known, .dtype = dtype, .rank = like->rank};
  memcpy(fact.shape, like->shape, sizeof fact.shape);
  if (!like->members)
    return fact;
  const pir_fact **members = INFER_NEW(infer, const pir_fact *, like->member_count);
  for (size_t i = 0; i < like->member_count; i++) {
    pir_fact *member = INFER_NEW(infer, pir_fact, 1);
    *member = shaped_like(infer, like->members[i],
                          dtype == PIR_UNDEFINED ? like->members[i]->dtype : dtype);
    members[i] = member;
  }
  return (pir_fact){
      .known = true, .rank = -1, .members = members, .member_count = like->member_count};
}

static pir_status take_clause_shape(pir_infer *infer, const pir_clause *c, size_t i) {
  const pir_result_def *def = &infer->def->results[i];
  pir_fact *out = infer_begin(infer, (int)i);
  if (c->like >= 0) {
    const pir_fact *like = infer->operands[c->like];
    bool own = def->flags & PIR_RESULT_VARIADIC && def->dtype == PIR_UNDEFINED;
    if (like)
      *out = shaped_like(
          infer, like->members && !(def->flags & PIR_RESULT_VARIADIC) ? like->members[0] : like,
          own ? PIR_UNDEFINED : out->dtype);
    return PIR_OK;
  }
  if (c->out_rank >= 0)
    return infer_shaped(infer, c, out);
  symbolic s = {.infer = infer, .nodes = c->nodes, .pool = c->pool, .text = c->text};
  out->rank = c->out_map_count;
  for (int16_t d = 0; d < c->out_map_count; d++)
    out->shape[d] = symbolic_index(&s, c->pool[c->out_map + d]);
  return PIR_OK;
}

// Applies `shape` to results without a shape.
static pir_status infer_stated(pir_infer *infer) {
  const pir_opdef *def = infer->def;
  for (uint8_t i = 0; def->shape && i < def->result_count && i < infer->result_count; i++) {
    const pir_fact *fact = &infer->results[i];
    if (fact->known && (fact->rank >= 0 || fact->members))
      continue;
    const pir_clause *c = pir_clause_choose(def->shape, i, infer->attrs);
    if (c)
      PIR_TRY(take_clause_shape(infer, c, i));
  }
  return PIR_OK;
}

static void forget(pir_infer *infer) {
  for (size_t i = 0; i < infer->result_count; i++)
    infer->results[i] = (pir_fact){.rank = -1};
}

static pir_status infer_all(pir_infer *infer) {
  forget(infer);
  PIR_TRY(infer_requirements(infer));
  pir_status status = infer_meaning(infer);
  if (!status)
    status = infer_stated(infer);
  if (status) {
    forget(infer);
    return status;
  }
  for (size_t i = 0; i < infer->result_count; i++) {
    infer->results[i].numbers = NULL;
    infer->results[i].number_count = 0;
  }
  infer_contents(infer);
  for (size_t i = 0; i < infer->result_count; i++) {
    infer_fresh_dims(infer, &infer->results[i]);
    PIR_TRY(check_extents(infer, i));
  }
  return PIR_OK;
}

pir_status pir_infer_run(pir_infer *infer) {
  pir_status status = infer_all(infer);
  if (status && infer->has_message && !infer->nesting)
    pir_infer_complete(infer, infer->message, sizeof infer->message);
  return status;
}
