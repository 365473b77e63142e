// Finds the affine contraction in a clause. Index trees are interpreted over forms start + sum of steps * coordinates:
// dims and attributes are numbers by now, so most of a tree folds away. A variable that is divided by a constant
// that divides its extent (the group of an output channel) becomes two coordinates. An index that can leave its
// axis somewhere in the space becomes a bound, which the packing loops check.
#include <string.h>

#include "contract.h"

typedef struct affine {
  const clause_bind *b;
  contract *k;
  int first[PIR_MAX_RANK];       // coordinate of each variable (of its quotient when it is split), and
  int64_t split[PIR_MAX_RANK];   // its divisor, or 0
  int64_t d;                     // PIR_I_D
} affine;

static const pir_node *node_at(const affine *a, int node) { return &a->b->clause->nodes[node]; }

static bool is_split(const affine *a, const pir_node *n, int *out_var) {
  if (n->op != PIR_I_FLOORDIV && n->op != PIR_I_MOD) return false;
  const pir_node *v = node_at(a, n->a);
  if (v->op != PIR_I_VAR || !a->b->fixed[n->b]) return false;
  *out_var = v->k;
  int64_t by = a->b->fixed_value[n->b], extent = a->b->extent[a->b->var_first[v->k]];
  return by > 0 && extent % by == 0 && (a->split[v->k] == 0 || a->split[v->k] == by);
}

static void find_splits(affine *a) {
  const pir_clause *c = a->b->clause;
  int v;
  for (int i = 0; i < c->node_count; i++)
    if (!a->b->fixed[i] && is_split(a, &c->nodes[i], &v)) a->split[v] = a->b->fixed_value[c->nodes[i].b];
}

static bool add_coord(affine *a, int64_t extent, bool reduced) {
  contract *k = a->k;
  if (k->coords == CONTRACT_COORDS) return false;
  k->extent[k->coords] = extent;
  k->reduced[k->coords++] = reduced;
  return true;
}

static bool add_coords(affine *a) {
  const clause_bind *b = a->b;
  for (int v = 0; v < b->clause->var_count; v++) {
    bool reduced = b->clause->vars[v].reduced;
    a->first[v] = a->k->coords;
    int64_t extent = b->extent[b->var_first[v]];
    if (a->split[v]) {
      if (!add_coord(a, extent / a->split[v], reduced) || !add_coord(a, a->split[v], reduced)) return false;
      continue;
    }
    for (int j = 0; j < b->var_rank[v]; j++)
      if (!add_coord(a, b->extent[b->var_first[v] + j], reduced)) return false;
  }
  return true;
}

static void add_scaled(contract_form *sum, const contract_form *x, int64_t by) {
  sum->start += x->start * by;
  for (int i = 0; i < CONTRACT_COORDS; i++) sum->step[i] += x->step[i] * by;
}

static bool is_constant(const contract_form *x) {
  for (int i = 0; i < CONTRACT_COORDS; i++)
    if (x->step[i]) return false;
  return true;
}

static bool interpret(affine *a, int node, contract_form *out);

// `fixed_value` knows nothing of PIR_I_D; a tree over it folds here.
static bool interpret_binary(affine *a, const pir_node *n, contract_form *out) {
  contract_form x, y;
  if (!interpret(a, n->a, &x) || !interpret(a, n->b, &y)) return false;
  bool constant = is_constant(&x) && is_constant(&y);
  switch (n->op) {
    case PIR_I_ADD: case PIR_I_SUB:
      *out = x;
      add_scaled(out, &y, n->op == PIR_I_ADD ? 1 : -1);
      return true;
    case PIR_I_MUL:
      if (is_constant(&x)) add_scaled(out, &y, x.start);
      else add_scaled(out, &x, y.start);
      return is_constant(&x) || is_constant(&y);
    case PIR_I_EQ: out->start = x.start == y.start; return constant;
    case PIR_I_NE: out->start = x.start != y.start; return constant;
    case PIR_I_LT: out->start = x.start < y.start; return constant;
    case PIR_I_LE: out->start = x.start <= y.start; return constant;
    case PIR_I_AND: out->start = x.start && y.start; return constant;
    case PIR_I_OR: out->start = x.start || y.start; return constant;
    default: return false;
  }
}

static bool interpret(affine *a, int node, contract_form *out) {
  const pir_node *n = node_at(a, node);
  contract_form x;
  int v;
  memset(out, 0, sizeof *out);
  if (a->b->fixed[node]) return out->start = a->b->fixed_value[node], true;
  if (n->op == PIR_I_VAR) {
    if (!a->split[n->k]) return out->step[a->first[n->k]] = 1, true;
    out->step[a->first[n->k]] = a->split[n->k];
    return out->step[a->first[n->k] + 1] = 1, true;
  }
  if (is_split(a, n, &v)) return out->step[a->first[v] + (n->op == PIR_I_MOD)] = 1, true;
  switch (n->op) {
    case PIR_I_D: return out->start = a->d, true;
    case PIR_I_NOT: return interpret(a, n->a, &x) && is_constant(&x) && (out->start = !x.start, true);
    case PIR_I_SELECT: return interpret(a, n->a, &x) && is_constant(&x) && interpret(a, x.start ? n->b : n->c, out);
    case PIR_I_OUT: {
      if (!interpret(a, n->a, &x) || !is_constant(&x)) return false;
      int64_t axis = x.start < 0 ? x.start + a->b->axes : x.start;
      if (axis < 0 || axis >= a->b->axes) return false;
      for (v = 0; v < a->b->clause->var_count; v++) {
        int at = a->b->axis_coord[axis] - a->b->var_first[v];
        if (at >= 0 && at < a->b->var_rank[v] && !a->split[v]) return out->step[a->first[v] + at] = 1, true;
      }
      return false;
    }
    default: return n->op >= PIR_I_ADD && n->op <= PIR_I_OR && interpret_binary(a, n, out);
  }
}

// One source dim of an operand: its offset, and a bound where the index can leave the axis.
static bool add_dim(affine *a, contract_operand *o, const contract_form *index, int64_t extent, int64_t stride) {
  int64_t lowest = index->start, highest = index->start;
  for (int i = 0; i < a->k->coords; i++) {
    int64_t reach = index->step[i] * (a->k->extent[i] - 1);
    if (reach < 0) lowest += reach;
    else highest += reach;
  }
  add_scaled(&o->offset, index, stride);
  if (lowest >= 0 && highest < extent) return true;
  if (o->bounds == CONTRACT_BOUNDS) return false;
  o->index[o->bounds] = *index;
  o->extent[o->bounds++] = extent;
  return true;
}

static bool add_pack(affine *a, contract_operand *o, const pir_tensor *t, int dim, int count, int var) {
  for (int d = dim; d < dim + count; d++) {
    int coord = a->b->var_rank[var] - (dim + count - d);
    contract_form index = {0};
    if (t->shape[d] == 1) continue;
    if (coord < 0 || t->shape[d] != a->b->extent[a->b->var_first[var] + coord]) return false;
    index.step[a->first[var] + coord] = 1;
    if (!add_dim(a, o, &index, t->shape[d], t->strides[d])) return false;
  }
  return true;
}

static bool add_map(affine *a, contract_operand *o, const pir_tensor *t, int map_kind, int map, int count) {
  contract_form index;
  if (map_kind == PIR_MAP_EACH) {
    for (a->d = 0; a->d < t->rank; a->d++)
      if (!interpret(a, map, &index) || !add_dim(a, o, &index, t->shape[a->d], t->strides[a->d])) return false;
    return true;
  }
  if (map_kind != PIR_MAP_LIST) return false;
  int dim = 0, pack = t->rank - (count - 1);
  for (int i = 0; i < count; i++) {
    int entry = a->b->clause->pool[map + i];
    const pir_node *n = node_at(a, entry);
    if (n->op == PIR_I_PACK) {
      if (pack < 0 || !add_pack(a, o, t, dim, pack, n->k)) return false;
      dim += pack;
    } else {
      if (dim >= t->rank || !interpret(a, entry, &index) || !add_dim(a, o, &index, t->shape[dim], t->strides[dim])) return false;
      dim++;
    }
  }
  return dim == t->rank;
}

static bool is_float(pir_dtype t) { return t == PIR_F32 || t == PIR_F16 || t == PIR_BF16; }

// A load of floats, whose fill, if it has one, is 0.
static bool find_load(affine *a, int node, contract_operand *out) {
  const pir_node *n = node_at(a, node);
  if (n->op == PIR_V_CAST && (n->k == PIR_CAST_COMPUTE || n->k == PIR_F32)) n = node_at(a, n->a);
  if (n->op != PIR_V_LOAD) return false;
  if (n->a >= 0 && (node_at(a, n->a)->op != PIR_V_CONST || node_at(a, n->a)->f != 0)) return false;
  out->tensor = pir_clause_operand(a->b, n->k, 0);
  return out->tensor && is_float(out->tensor->dtype) && add_map(a, out, out->tensor, n->map_kind, n->map, n->map_count);
}

static bool find_out(affine *a) {
  const pir_clause *c = a->b->clause;
  contract_operand out = {0};
  if (c->out_map_kind != PIR_MAP_LIST || !is_float(a->b->out->dtype)) return false;
  if (!add_map(a, &out, a->b->out, c->out_map_kind, c->out_map, c->out_map_count) || out.bounds) return false;
  a->k->out = out.offset;
  return true;
}

bool pir_contract_find(const clause_bind *b, contract *out) {
  const pir_clause *c = b->clause;
  affine a = {.b = b, .k = out};
  memset(out, 0, sizeof *out);
  if (c->combine != PIR_COMBINE_ADD || c->guard >= 0 || c->init >= 0 || c->then >= 0 || c->trap >= 0) return false;
  if (c->compute != PIR_CAST_COMPUTE && c->compute != PIR_F32) return false;
  const pir_node *body = &c->nodes[c->body];
  if (body->op != PIR_V_MUL) return false;
  find_splits(&a);
  return add_coords(&a) && find_load(&a, body->a, &out->x) && find_load(&a, body->b, &out->y) && find_out(&a);
}
