// Finds the affine contraction in a clause: every index is a form, start + sum of steps *
// coordinates. Dims and attributes are numbers at this point, so most of a tree folds. A
// variable that is divided by a divisor of its extent (the group of an output channel) becomes
// two coordinates. An index that can leave its axis somewhere in the space becomes a bound,
// which the packing loops check.
//
// A guard on a remainder (a transposed convolution: only every second tap meets an element)
// splits the space into phases. In one phase a parallel variable p takes one remainder, p = K *
// p' + r, and the reduced variable in the same guard takes the matching values, so all
// divisions by K are exact. Each phase is a plain contraction.
//
// The code generator finds contractions too (codegen/contract/contract_match.c, whose head
// lists the differences). It has symbolic extents, one map for each axis and no phases; here
// are the numbers of one call, offsets by strides, and phases.
#include <string.h>

#include "contraction.h"

typedef struct affine {
  const clause_bind *b;
  contract *k;
  affine_space space;
  contract_operand *operand;  // whose map is read
  int first[PIR_MAX_RANK];    // coordinate of each variable (of its quotient when it is split),
                              // and
  int64_t split[PIR_MAX_RANK];  // its divisor, or 0
  int64_t start[PIR_MAX_RANK];  // values a variable takes: start + step * coordinate, so many
  int64_t step[PIR_MAX_RANK], values[PIR_MAX_RANK];
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
  if (k->coords == AFFINE_COORDS)
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
  a->space.coords = a->k->coords;
  return true;
}

// ---- forms

static void variable_form(const affine *a, int var, affine_form *out) {
  if (a->split[var]) {
    out->step[a->first[var]] = a->split[var];
    out->step[a->first[var] + 1] = 1;
    return;
  }
  out->start = a->start[var];
  out->step[a->first[var]] = a->step[var];
}

static bool result_variable_form(affine *a, pir_index_reader *r, const pir_node *n,
                                 affine_form *out) {
  int64_t axis;
  if (!pir_index_number(r, n->a, &axis))
    return false;
  axis += axis < 0 ? a->b->axes : 0;
  if (axis < 0 || axis >= a->b->axes)
    return false;
  for (int v = 0; v < a->b->clause->var_count; v++) {
    int at = a->b->axis_coord[axis] - a->b->var_first[v];
    if (at < 0 || at >= a->b->var_rank[v] || a->split[v])
      continue;
    out->start = a->start[v];
    out->step[a->first[v] + at] = a->step[v];
    return true;
  }
  return false;
}

// `fixed_value` knows nothing of PIR_I_D; a tree over it folds in the walk.
static pir_index_step summed_node_form(affine_space *s, pir_index_reader *r, int node,
                                       affine_form *out) {
  affine *a = s->user;
  const pir_node *n = node_at(a, node);
  int v;
  if (a->b->fixed[node])
    out->start = a->b->fixed_value[node];
  else if (n->op == PIR_I_VAR)
    variable_form(a, n->k, out);
  else if (is_split(a, n, &v))
    out->step[a->first[v] + (n->op == PIR_I_MOD)] = 1;
  else if (n->op == PIR_I_OUT)
    return result_variable_form(a, r, n, out) ? PIR_INDEX_DONE : PIR_INDEX_FAILED;
  else
    return PIR_INDEX_SHARED;
  return PIR_INDEX_DONE;
}

// ---- maps

// One source dim of an operand: its offset, and a bound where the index can leave the axis.
static bool take_axis_bounds(affine_space *s, const pir_tensor *t, int axis, int node,
                             const affine_form *index) {
  affine *a = s->user;
  contract_operand *o = a->operand;
  int64_t lowest, highest;
  if (!index)
    return false;
  pir_affine_range(s, index, &lowest, &highest);
  pir_affine_add(s, &o->offset, index, t->strides[axis]);
  if (s->overflow)
    return false;
  if (lowest >= 0 && highest < t->shape[axis])
    return true;
  if (o->bounds == CONTRACT_BOUNDS)
    return false;
  o->index[o->bounds] = *index;
  o->extent[o->bounds++] = t->shape[axis];
  return true;
}

static bool map_operand(affine *a, contract_operand *o, const pir_tensor *t, int map_kind,
                        int map, int count) {
  a->operand = o;
  return pir_affine_map(&a->space, t, map_kind, map, count, take_axis_bounds);
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
  bool same = node_at(a, node)->op == PIR_V_CAST && node_at(a, node)->k == PIR_F32 &&
              a->k->lanes == PIR_F32;
  const pir_node *n = pir_clause_factor(a->b->clause, same ? node_at(a, node)->a : node);
  out->tensor = n ? pir_clause_operand(a->b, n->k, 0) : NULL;
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
  affine_form x;
  if (!pir_affine_read(&a->space, n->a, &x))
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

static bool share_variable(const modulus *a, const modulus *b) {
  return a->p == b->p || (a->i >= 0 && a->i == b->i);
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
      if (share_variable(&out[j], &out[count]))
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
  affine_form x;
  int guard = a->b->clause->guard;
  return guard < 0 || (pir_affine_read(&a->space, guard, &x) &&
                       pir_affine_is_number(&a->space, &x) && x.start != 0);
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
  a.space = (affine_space){
      .bind = b, .extent = out->extent, .first = a.first, .user = &a, .own = summed_node_form};
  memset(out, 0, sizeof *out);
  if (!pir_clause_sums_products(c))
    return false;
  out->lanes = lanes_of(b->out->dtype);
  if (out->lanes == PIR_UNDEFINED)
    return false;
  if (c->compute != PIR_CAST_COMPUTE && (c->compute != PIR_F32 || out->lanes != PIR_F32))
    return false;
  const pir_node *body = &c->nodes[c->body];
  if (!enter_phase(&a, phase, out_phases))
    return false;
  return find_load(&a, body->a, &out->x) && find_load(&a, body->b, &out->y) && find_out(&a);
}
