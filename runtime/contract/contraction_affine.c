// Finds the affine contraction in a clause. Index trees are interpreted over forms start + sum
// of steps * coordinates. Dims and attributes are numbers at this point, so most of a tree
// folds. A variable that is divided by a divisor of its extent (the group of an output channel)
// becomes two coordinates. An index that can leave its axis somewhere in the space becomes a
// bound, which the packing loops check.
//
// A guard on a remainder (a transposed convolution: only every second tap meets an element)
// splits the space into phases. In one phase a parallel variable p takes one remainder, p = K *
// p' + r, and the reduced variable in the same guard takes the matching values, so all
// divisions by K are exact. Each phase is a plain contraction.
#include <string.h>

#include "contraction.h"

typedef struct affine {
  const clause_bind *b;
  contract *k;
  int first[PIR_MAX_RANK];  // coordinate of each variable (of its quotient when it is split),
                            // and
  int64_t split[PIR_MAX_RANK];  // its divisor, or 0
  int64_t start[PIR_MAX_RANK];  // values a variable takes: start + step * coordinate, so many
  int64_t step[PIR_MAX_RANK], values[PIR_MAX_RANK];
  int64_t d;   // PIR_I_D
  bool empty;  // nothing is summed in this phase
} affine;

// A remainder in the guard: of by_p * p + by_i * i + start, by `divisor`.
typedef struct modulus {
  int p, i;  // variables; i -1: none
  int64_t start, by_p, by_i, divisor;
} modulus;

enum { MAX_MODULI = 3, MAX_PHASES = 64 };

static const pir_node *node_at(const affine *a, int node) {
  return &a->b->clause->nodes[node];
}

static bool is_split(const affine *a, const pir_node *n, int *out_var) {
  if (n->op != PIR_I_FLOORDIV && n->op != PIR_I_MOD)
    return false;
  const pir_node *v = node_at(a, n->a);
  if (v->op != PIR_I_VAR || !a->b->fixed[n->b])
    return false;
  *out_var = v->k;
  int64_t by = a->b->fixed_value[n->b];
  int64_t extent = a->b->extent[a->b->var_first[v->k]];
  return by > 0 && extent % by == 0 && (a->split[v->k] == 0 || a->split[v->k] == by);
}

static void find_splits(affine *a) {
  const pir_clause *c = a->b->clause;
  int v;
  for (int i = 0; i < c->node_count; i++)
    if (!a->b->fixed[i] && is_split(a, &c->nodes[i], &v))
      a->split[v] = a->b->fixed_value[c->nodes[i].b];
}

static bool append_coord(affine *a, int64_t extent, bool reduced) {
  contract *k = a->k;
  if (k->coords == CONTRACT_COORDS)
    return false;
  k->extent[k->coords] = extent;
  k->reduced[k->coords++] = reduced;
  return true;
}

static bool append_coords(affine *a) {
  const clause_bind *b = a->b;
  for (int v = 0; v < b->clause->var_count; v++) {
    bool reduced = b->clause->vars[v].reduced;
    a->first[v] = a->k->coords;
    if (a->split[v]) {
      if (!append_coord(a, a->values[v] / a->split[v], reduced) ||
          !append_coord(a, a->split[v], reduced))
        return false;
      continue;
    }
    for (int j = 0; j < b->var_rank[v]; j++)
      if (!append_coord(a,
                        b->clause->vars[v].pack ? b->extent[b->var_first[v] + j] : a->values[v],
                        reduced))
        return false;
  }
  return true;
}

static void add_scaled(contract_form *sum, const contract_form *x, int64_t by) {
  sum->start += x->start * by;
  for (int i = 0; i < CONTRACT_COORDS; i++)
    sum->step[i] += x->step[i] * by;
}

static bool is_constant(const contract_form *x) {
  for (int i = 0; i < CONTRACT_COORDS; i++)
    if (x->step[i])
      return false;
  return true;
}

static bool divides_all(const contract_form *x, int64_t by) {
  if (x->start % by)
    return false;
  for (int i = 0; i < CONTRACT_COORDS; i++)
    if (x->step[i] % by)
      return false;
  return true;
}

static bool interpret(affine *a, int node, contract_form *out);

// `fixed_value` knows nothing of PIR_I_D; a tree over it folds here.
static bool interpret_binary(affine *a, const pir_node *n, contract_form *out) {
  contract_form x, y;
  if (!interpret(a, n->a, &x) || !interpret(a, n->b, &y))
    return false;
  bool constant = is_constant(&x) && is_constant(&y);
  switch (n->op) {
    case PIR_I_ADD:
    case PIR_I_SUB:
      *out = x;
      add_scaled(out, &y, n->op == PIR_I_ADD ? 1 : -1);
      return true;
    case PIR_I_MUL:
      if (is_constant(&x))
        add_scaled(out, &y, x.start);
      else
        add_scaled(out, &x, y.start);
      return is_constant(&x) || is_constant(&y);
    case PIR_I_EQ: out->start = x.start == y.start; return constant;
    case PIR_I_NE: out->start = x.start != y.start; return constant;
    case PIR_I_LT: out->start = x.start < y.start; return constant;
    case PIR_I_LE: out->start = x.start <= y.start; return constant;
    case PIR_I_AND: out->start = x.start && y.start; return constant;
    case PIR_I_OR: out->start = x.start || y.start; return constant;
    case PIR_I_FLOORDIV:
    case PIR_I_MOD:
      if (!is_constant(&y) || y.start <= 0 || !divides_all(&x, y.start))
        return false;
      if (n->op == PIR_I_MOD)
        return true;
      out->start = x.start / y.start;
      for (int i = 0; i < CONTRACT_COORDS; i++)
        out->step[i] = x.step[i] / y.start;
      return true;
    default: return false;
  }
}

static bool interpret(affine *a, int node, contract_form *out) {
  const pir_node *n = node_at(a, node);
  contract_form x;
  int v;
  memset(out, 0, sizeof *out);
  if (a->b->fixed[node]) {
    out->start = a->b->fixed_value[node];
    return true;
  }
  if (n->op == PIR_I_VAR) {
    if (!a->split[n->k]) {
      out->start = a->start[n->k];
      out->step[a->first[n->k]] = a->step[n->k];
      return true;
    }
    out->step[a->first[n->k]] = a->split[n->k];
    out->step[a->first[n->k] + 1] = 1;
    return true;
  }
  if (is_split(a, n, &v)) {
    out->step[a->first[v] + (n->op == PIR_I_MOD)] = 1;
    return true;
  }
  switch (n->op) {
    case PIR_I_D: out->start = a->d; return true;
    case PIR_I_NOT:
      return interpret(a, n->a, &x) && is_constant(&x) && (out->start = !x.start, true);
    case PIR_I_SELECT:
      return interpret(a, n->a, &x) && is_constant(&x) &&
             interpret(a, x.start ? n->b : n->c, out);
    case PIR_I_OUT: {
      if (!interpret(a, n->a, &x) || !is_constant(&x))
        return false;
      int64_t axis = x.start < 0 ? x.start + a->b->axes : x.start;
      if (axis < 0 || axis >= a->b->axes)
        return false;
      for (v = 0; v < a->b->clause->var_count; v++) {
        int at = a->b->axis_coord[axis] - a->b->var_first[v];
        if (at < 0 || at >= a->b->var_rank[v] || a->split[v])
          continue;
        out->start = a->start[v];
        out->step[a->first[v] + at] = a->step[v];
        return true;
      }
      return false;
    }
    default: return n->op >= PIR_I_ADD && n->op <= PIR_I_OR && interpret_binary(a, n, out);
  }
}

// Analyses one source dim of an operand: its offset, and a bound if the index can leave the
// axis.
static bool map_dim(affine *a, contract_operand *o, const contract_form *index, int64_t extent,
                    int64_t stride) {
  int64_t lowest = index->start, highest = index->start;
  for (int i = 0; i < a->k->coords; i++) {
    int64_t reach = index->step[i] * (a->k->extent[i] - 1);
    if (reach < 0)
      lowest += reach;
    else
      highest += reach;
  }
  add_scaled(&o->offset, index, stride);
  if (lowest >= 0 && highest < extent)
    return true;
  if (o->bounds == CONTRACT_BOUNDS)
    return false;
  o->index[o->bounds] = *index;
  o->extent[o->bounds++] = extent;
  return true;
}

static bool map_pack(affine *a, contract_operand *o, const pir_tensor *t, int dim, int count,
                     int var) {
  for (int d = dim; d < dim + count; d++) {
    int coord = a->b->var_rank[var] - (dim + count - d);
    contract_form index = {0};
    if (t->shape[d] == 1)
      continue;
    if (coord < 0 || t->shape[d] != a->b->extent[a->b->var_first[var] + coord])
      return false;
    index.step[a->first[var] + coord] = 1;
    if (!map_dim(a, o, &index, t->shape[d], t->strides[d]))
      return false;
  }
  return true;
}

static bool map_operand(affine *a, contract_operand *o, const pir_tensor *t, int map_kind,
                        int map, int count) {
  contract_form index;
  if (map_kind == PIR_MAP_EACH) {
    for (a->d = 0; a->d < t->rank; a->d++)
      if (!interpret(a, map, &index) ||
          !map_dim(a, o, &index, t->shape[a->d], t->strides[a->d]))
        return false;
    return true;
  }
  if (map_kind != PIR_MAP_LIST)
    return false;
  int dim = 0, pack = t->rank - (count - 1);
  for (int i = 0; i < count; i++) {
    int entry = a->b->clause->pool[map + i];
    const pir_node *n = node_at(a, entry);
    if (n->op == PIR_I_PACK) {
      if (pack < 0 || !map_pack(a, o, t, dim, pack, n->k))
        return false;
      dim += pack;
    } else {
      if (dim >= t->rank || !interpret(a, entry, &index) ||
          !map_dim(a, o, &index, t->shape[dim], t->strides[dim]))
        return false;
      dim++;
    }
  }
  return dim == t->rank;
}

// Returns the type in which the evaluator computes; undefined for types without tiles.
static pir_dtype lanes_of(pir_dtype t) {
  if (t == PIR_F32 || t == PIR_F16 || t == PIR_BF16)
    return PIR_F32;
  if (t == PIR_F64 || t == PIR_C64 || t == PIR_C128)
    return t;
  return pir_dtype_is_integer(t) ? PIR_I64 : PIR_UNDEFINED;
}

// Whether the node loads such elements, with fill 0 if any.
static bool find_load(affine *a, int node, contract_operand *out) {
  const pir_node *n = node_at(a, node);
  if (n->op == PIR_V_CAST && (n->k == PIR_CAST_COMPUTE || n->k == PIR_F32) &&
      a->k->lanes == PIR_F32)
    n = node_at(a, n->a);
  if (n->op != PIR_V_LOAD)
    return false;
  if (n->a >= 0 && (node_at(a, n->a)->op != PIR_V_CONST || node_at(a, n->a)->f != 0))
    return false;
  out->tensor = pir_clause_operand(a->b, n->k, 0);
  if (!out->tensor || lanes_of(out->tensor->dtype) != a->k->lanes)
    return false;
  return a->empty || map_operand(a, out, out->tensor, n->map_kind, n->map, n->map_count);
}

static bool find_out(affine *a) {
  const pir_clause *c = a->b->clause;
  contract_operand out = {0};
  if (c->out_map_kind != PIR_MAP_LIST)
    return false;
  if (!map_operand(a, &out, a->b->out, c->out_map_kind, c->out_map, c->out_map_count) ||
      out.bounds)
    return false;
  a->k->out = out.offset;
  return true;
}

// ---- phases

static void take_all_values(affine *a) {
  for (int v = 0; v < a->b->clause->var_count; v++) {
    a->start[v] = 0;
    a->step[v] = 1;
    a->values[v] = a->b->extent[a->b->var_first[v]];
  }
}

static int variable_at(const affine *a, int coord) {
  for (int v = 0; v < a->b->clause->var_count; v++)
    if (a->first[v] == coord && !a->split[v] && !a->b->clause->vars[v].pack)
      return v;
  return -1;
}

// Reads the remainder of node n, if it is of one parallel and at most one reduced variable.
static bool find_modulus(affine *a, const pir_node *n, modulus *out) {
  contract_form x;
  if (!interpret(a, n->a, &x))
    return false;
  *out = (modulus){.p = -1, .i = -1, .start = x.start, .divisor = a->b->fixed_value[n->b]};
  for (int c = 0; c < a->k->coords; c++) {
    int v = x.step[c] ? variable_at(a, c) : -1;
    if (!x.step[c])
      continue;
    if (v < 0)
      return false;
    bool reduced = a->b->clause->vars[v].reduced;
    if ((reduced ? out->i : out->p) >= 0)
      return false;
    if (reduced) {
      out->i = v;
      out->by_i = x.step[c];
    } else {
      out->p = v;
      out->by_p = x.step[c];
    }
  }
  return out->p >= 0 && out->divisor > 1;
}

static int find_moduli(affine *a, modulus *out) {
  const pir_clause *c = a->b->clause;
  int count = 0, v;
  for (int i = 0; c->guard >= 0 && i < c->node_count; i++) {
    const pir_node *n = &c->nodes[i];
    if (n->op != PIR_I_MOD || a->b->fixed[i] || !a->b->fixed[n->b] ||
        a->b->fixed_value[n->b] == 1 || is_split(a, n, &v))
      continue;
    if (count == MAX_MODULI || !find_modulus(a, n, &out[count]))
      return -1;
    for (int j = 0; j < count; j++)
      if (out[j].p == out[count].p || (out[j].i >= 0 && out[j].i == out[count].i))
        return -1;
    count++;
  }
  return count;
}

// Restricts the variables of a modulus to remainder r of p and the matching values of i.
static void limit(affine *a, const modulus *m, int64_t r) {
  int64_t extent = a->values[m->p];
  int64_t first = -1;
  int64_t second = -1;
  int64_t values = m->i >= 0 ? a->values[m->i] : 1;
  a->start[m->p] = r;
  a->step[m->p] = m->divisor;
  a->values[m->p] = r < extent ? (extent - r + m->divisor - 1) / m->divisor : 0;
  for (int64_t i = 0; i < values && second < 0; i++) {
    if ((m->start + m->by_p * r + m->by_i * i) % m->divisor)
      continue;
    if (first < 0)
      first = i;
    else
      second = i;
  }
  if (m->i < 0) {
    if (first < 0)
      a->values[m->p] = 0;
    return;
  }
  a->empty |= first < 0;
  a->start[m->i] = first < 0 ? 0 : first;
  a->step[m->i] = 0;
  a->values[m->i] = first >= 0;
  if (second >= 0) {
    a->step[m->i] = second - first;
    a->values[m->i] = (values - 1 - first) / (second - first) + 1;
  }
}

static bool guard_holds(affine *a) {
  contract_form x;
  int guard = a->b->clause->guard;
  return guard < 0 || (interpret(a, guard, &x) && is_constant(&x) && x.start != 0);
}

// Computes the coordinates of phase `phase`; *out_phases is 0 if the space cannot be split.
static bool enter_phase(affine *a, int phase, int *out_phases) {
  modulus moduli[MAX_MODULI];
  find_splits(a);
  take_all_values(a);
  if (!append_coords(a))
    return false;
  int count = find_moduli(a, moduli);
  if (count < 0)
    return false;
  int64_t phases = 1;
  for (int i = 0; i < count && phases <= MAX_PHASES; i++) {
    if (moduli[i].i < 0)
      return false;  // some results would have no terms: rare, the evaluator's
    limit(a, &moduli[i], phase / phases % moduli[i].divisor);
    phases *= moduli[i].divisor;
  }
  *out_phases = phases <= MAX_PHASES ? (int)phases : 0;
  a->k->coords = 0;
  return *out_phases && append_coords(a) && (a->empty || guard_holds(a));
}

bool pir_contract_find(const clause_bind *b, int phase, contract *out, int *out_phases) {
  const pir_clause *c = b->clause;
  affine a = {.b = b, .k = out};
  memset(out, 0, sizeof *out);
  if (c->combine != PIR_COMBINE_ADD || c->init >= 0 || c->then >= 0 || c->trap >= 0)
    return false;
  out->lanes = lanes_of(b->out->dtype);
  if (out->lanes == PIR_UNDEFINED)
    return false;
  if (c->compute != PIR_CAST_COMPUTE && (c->compute != PIR_F32 || out->lanes != PIR_F32))
    return false;
  const pir_node *body = &c->nodes[c->body];
  if (body->op != PIR_V_MUL || !enter_phase(&a, phase, out_phases))
    return false;
  return find_load(&a, body->a, &out->x) && find_load(&a, body->b, &out->y) && find_out(&a);
}
