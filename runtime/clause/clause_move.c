// Clauses that only move elements: views, gathers of whole rows, scatters of whole rows.
//
// Index trees are interpreted over forms start + sum of steps * coordinates. A dim whose index
// has this form and stays in range needs no evaluation for each point: it gives strides. An
// index that reads an index tensor is evaluated for blocks of the leading coordinates, up to
// the last one it depends on. For the remaining coordinates every point of the block is one
// strided copy (of the whole result if nothing is looked up). Other clauses (fills, wrapped
// indices) are left to the evaluator. Cost: a bind of some microseconds, then the copies.
#include <string.h>

#include "affine_form.h"
#include "copy.h"

enum { BUDGET = 20000, SHORTEST_COPY = 4 };

typedef struct finder {
  const clause_bind *b;
  affine_space space;
  clause_lanes *e;
  int budget;       // nodes that may still be visited
  uint64_t looked;  // coordinates that dims without a form depend on
  bool mixed;       // one of those dims depends on several
  int64_t *steps;   // strides of the current tensor
  clause_move *out;
} finder;

static const pir_node *clause_node(const finder *f, int node) {
  return &f->b->clause->nodes[node];
}

// ---- which coordinates a node depends on

static uint64_t all_coords(const finder *f) {
  return ((uint64_t)1 << f->b->coords) - 1;
}

static bool constant(finder *f, int node, int64_t *out);
static uint64_t reads(finder *f, int node);

static uint64_t reads_var(const finder *f, int var) {
  uint64_t mask = 0;
  for (int j = 0; j < f->b->var_rank[var]; j++)
    mask |= (uint64_t)1 << (f->b->var_first[var] + j);
  return mask;
}

static uint64_t reads_load(finder *f, const pir_node *n) {
  const pir_tensor *t = pir_clause_operand(f->b, n->k, 0);
  int64_t outer = f->space.d;
  uint64_t mask = 0;
  if (!t || n->map_kind == PIR_MAP_ALIGNED)
    return all_coords(f);
  if (n->map_kind == PIR_MAP_LINEAR)
    return reads(f, n->map);
  if (n->map_kind == PIR_MAP_EACH)
    for (f->space.d = 0; f->space.d < t->rank; f->space.d++)
      mask |= reads(f, n->map);
  else
    for (int i = 0; i < n->map_count; i++)
      mask |= reads(f, f->b->clause->pool[n->map + i]);
  f->space.d = outer;
  return mask;
}

// A row-major position divided by the size of the last axes depends on the other axes only.
static uint64_t reads_quotient(finder *f, const pir_node *n) {
  const clause_bind *b = f->b;
  int64_t by, inner = 1;
  int axis = b->axes;
  if (clause_node(f, n->a)->op != PIR_I_OUT_LINEAR || !constant(f, n->b, &by))
    return reads(f, n->a) | reads(f, n->b);
  while (axis > 0 && inner < by)
    inner *= b->axis_extent[--axis];
  if (inner != by)
    return all_coords(f);
  uint64_t mask = 0;
  while (axis > 0)
    mask |= (uint64_t)1 << b->axis_coord[--axis];
  return mask;
}

// If a conditional has the same value at every point, returns the side that is taken; the other
// may read out of range.
static uint64_t reads_choice(finder *f, const pir_node *n) {
  const pir_node *condition = clause_node(f, n->a);
  int test = condition->op == PIR_V_INDEX ? condition->a : n->a;
  int64_t taken;
  if (clause_node(f, test)->op < PIR_V_CONST && constant(f, test, &taken))
    return reads(f, taken ? n->b : n->c);
  return reads(f, n->a) | reads(f, n->b) | reads(f, n->c);
}

static uint64_t reads(finder *f, int node) {
  const pir_node *n = clause_node(f, node);
  int64_t axis;
  if (f->b->fixed[node])
    return 0;
  if (f->budget-- <= 0)
    return all_coords(f);
  switch (n->op) {
    case PIR_I_VAR:
    case PIR_I_PACK: return reads_var(f, n->k);
    case PIR_I_OUT:
      if (!constant(f, n->a, &axis))
        return all_coords(f);
      axis = axis < 0 ? axis + f->b->axes : axis;
      return axis >= 0 && axis < f->b->axes ? (uint64_t)1 << f->b->axis_coord[axis]
                                            : all_coords(f);
    case PIR_I_OUT_LINEAR:
    case PIR_V_MEMBERS:
    case PIR_V_ACC:
    case PIR_V_COUNT: return all_coords(f);
    case PIR_I_LOAD: return reads_load(f, n);
    case PIR_V_LOAD: return reads_load(f, n) | (n->a >= 0 ? reads(f, n->a) : 0);
    case PIR_I_FLOORDIV: return reads_quotient(f, n);
    case PIR_I_SELECT:
    case PIR_V_SELECT: return reads_choice(f, n);
    default: {
      uint64_t mask = n->a >= 0 ? reads(f, n->a) : 0;
      if (n->b >= 0)
        mask |= reads(f, n->b);
      return n->c >= 0 ? mask | reads(f, n->c) : mask;
    }
  }
}

// Evaluates a node that is the same at every point. A node that cannot be evaluated may be a
// side that is never taken.
static bool constant(finder *f, int node, int64_t *out) {
  clause_lanes *e = f->e;
  if (f->b->fixed[node]) {
    *out = f->b->fixed_value[node];
    return true;
  }
  if (reads(f, node))
    return false;
  pir_status before = e->status;
  int64_t outer = e->d;
  int mark = e->top, n = e->n;
  e->d = f->space.d;
  e->n = 1;
  *out = pir_clause_index_lanes(e, pir_clause_index(e, node))[0];
  e->n = n;
  e->d = outer;
  e->top = mark;
  bool ok = e->status == before;
  e->status = before;
  return ok;
}

// ---- forms

static bool result_axis_form(finder *f, const pir_node *n, affine_form *out) {
  const clause_bind *b = f->b;
  int64_t axis;
  if (!constant(f, n->a, &axis))
    return false;
  axis += axis < 0 ? b->axes : 0;
  if (axis < 0 || axis >= b->axes)
    return false;
  out->step[b->axis_coord[axis]] = 1;
  return true;
}

static pir_index_step moved_node_form(affine_space *s, pir_index_reader *r, int node,
                                      affine_form *out) {
  finder *f = s->user;
  const pir_node *n = clause_node(f, node);
  if (f->budget-- <= 0)
    return PIR_INDEX_FAILED;
  if (constant(f, node, &out->start))
    return PIR_INDEX_DONE;
  out->start = 0;
  switch (n->op) {
    case PIR_I_VAR:
      out->step[f->b->var_first[n->k]] = 1;
      return f->b->var_rank[n->k] == 1 ? PIR_INDEX_DONE : PIR_INDEX_FAILED;
    case PIR_I_OUT: return result_axis_form(f, n, out) ? PIR_INDEX_DONE : PIR_INDEX_FAILED;
    case PIR_I_NOT:
    case PIR_I_SELECT: return PIR_INDEX_SHARED;
    default: return pir_index_is_binary(n->op) ? PIR_INDEX_SHARED : PIR_INDEX_FAILED;
  }
}

// ---- maps

// Takes one index of the operand: an affine one gives a stride for each coordinate; of any
// other, only the coordinates that it reads are noted. False if it may leave its axis.
static bool take_index(affine_space *s, const affine_form *x, int node, int64_t extent,
                       int64_t stride) {
  finder *f = s->user;
  int64_t low, high;
  if (!x) {
    uint64_t mask = reads(f, node);
    f->looked |= mask;
    f->mixed |= (mask & (mask - 1)) != 0;
    return true;
  }
  pir_affine_range(s, x, &low, &high);
  if (s->overflow || low < 0 || high >= extent)
    return false;
  for (int i = 0; i < f->b->coords; i++)
    if (f->b->extent[i] > 1)
      f->steps[i] += x->step[i] * stride;
  return true;
}

static bool take_axis_steps(affine_space *s, const pir_tensor *t, int axis, int node,
                            const affine_form *x) {
  return take_index(s, x, node, t->shape[axis], t->strides[axis]);
}

static bool find_load_steps(finder *f, const pir_node *load) {
  const clause_bind *b = f->b;
  const pir_tensor *t = f->out->from;
  int entry = b->call->in_first[load->k];
  affine_form x;
  f->steps = f->out->from_step;
  if (load->map_kind == PIR_MAP_ALIGNED) {
    for (int i = 0; i < b->coords; i++)
      f->steps[i] = b->aligned[entry][i];
    return b->aligns[entry];
  }
  if (load->map_kind != PIR_MAP_LINEAR)
    return pir_affine_map(&f->space, t, load->map_kind, load->map, load->map_count,
                          take_axis_steps);
  if (!pir_tensor_is_dense(t))
    return false;
  bool found = pir_affine_read(&f->space, load->map, &x);
  return take_index(&f->space, found ? &x : NULL, load->map, pir_tensor_numel(t), 1);
}

static bool find_out_steps(finder *f) {
  const clause_bind *b = f->b;
  const pir_clause *c = b->clause;
  bool scatters = c->kind == PIR_CLAUSE_SCATTER;
  f->steps = f->out->to_step;
  if (scatters && c->out_map_kind != PIR_MAP_EACH)
    return false;
  if (scatters || c->out_map_kind == PIR_MAP_LIST)
    return pir_affine_map(&f->space, b->out, c->out_map_kind, c->out_map, c->out_map_count,
                          take_axis_steps);
  for (int i = 0; i < b->coords; i++)
    f->steps[i] = b->out_stride[i];
  return true;
}

// ---- finding

// Returns the load of the body, under conditionals that are the same everywhere.
static const pir_node *moved_load(finder *f) {
  int64_t taken, high;
  int node = f->b->clause->body;
  while (clause_node(f, node)->op == PIR_V_SELECT) {
    const pir_node *n = clause_node(f, node);
    const pir_node *condition = clause_node(f, n->a);
    affine_form x;
    int test = condition->op == PIR_V_INDEX ? condition->a : n->a;
    if (clause_node(f, test)->op >= PIR_V_CONST || !pir_affine_read(&f->space, test, &x))
      return NULL;
    pir_affine_range(&f->space, &x, &taken, &high);
    if (taken != high)
      return NULL;
    node = taken ? n->b : n->c;
  }
  return clause_node(f, node)->op == PIR_V_LOAD ? clause_node(f, node) : NULL;
}

static bool has_run(const copy_loops *l) {
  return !l->rank || (l->rank == 1 && l->from[0] == 1 && l->to[0] == 1);
}

static bool combines(const clause_bind *b) {
  int combine = b->clause->combine;
  return b->clause->kind == PIR_CLAUSE_SCATTER && combine != PIR_COMBINE_NONE &&
         combine != PIR_COMBINE_ASSIGN;
}

// Whether no two points write one element. If two do, the last update must win, and copies
// could not run in any order.
static bool writes_once(const copy_loops *l) {
  for (int i = 0; i < l->rank; i++) {
    int64_t step = l->to[i] < 0 ? -l->to[i] : l->to[i];
    int64_t inner = i + 1 < l->rank ? l->to[i + 1] : 0;
    int64_t reach = 1;
    if (i + 1 < l->rank)
      reach = (inner < 0 ? -inner : inner) * l->extent[i + 1];
    if (step < reach)
      return false;
  }
  return true;
}

bool pir_clause_find_move(const clause_bind *b, clause_lanes *e, clause_move *out) {
  const pir_clause *c = b->clause;
  finder f = {.b = b, .e = e, .budget = BUDGET, .out = out};
  f.space = (affine_space){.bind = b,
                           .coords = b->coords,
                           .extent = b->extent,
                           .first = b->var_first,
                           .user = &f,
                           .own = moved_node_form};
  *out = (clause_move){0};
  bool moves = c->kind == PIR_CLAUSE_VIEW || c->kind == PIR_CLAUSE_GATHER ||
               c->kind == PIR_CLAUSE_POINTWISE || c->kind == PIR_CLAUSE_SCATTER;
  if (!moves || c->then >= 0 || c->guard >= 0 || b->coords != b->parallel ||
      b->coords > PIR_MAX_RANK)
    return false;
  const pir_node *load = moved_load(&f);
  out->from = load ? pir_clause_operand(b, load->k, 0) : NULL;
  if (!out->from || out->from->dtype != b->out->dtype || !find_load_steps(&f, load) ||
      !find_out_steps(&f))
    return false;
  bool checked = c->trap >= 0;
  out->tabled = f.mixed || checked || c->kind == PIR_CLAUSE_SCATTER ? 0 : f.looked;
  if (checked)
    f.looked |= reads(&f, c->trap);
  while (f.looked >> out->outer)
    out->outer++;
  int inner = b->coords - out->outer;
  out->load = load;
  out->loops = pir_copy_plan(inner, b->extent + out->outer, out->from_step + out->outer,
                             out->to_step + out->outer, true);
  if (f.space.overflow)
    return false;
  if (c->kind == PIR_CLAUSE_SCATTER && (!out->outer || !writes_once(&out->loops)))
    return false;
  bool fits = !combines(b) ||
              (has_run(&out->loops) && pir_clause_lane_type(b->out->dtype) == b->out->dtype);
  bool whole = !out->outer || pir_clause_points(b, out->outer, b->coords) >= SHORTEST_COPY;
  if (whole)
    out->tabled = 0;
  return fits && (whole || out->tabled);
}

// ---- running

static void combine_run(clause_lanes *e, char *to, const char *from, int64_t n) {
  static const uint8_t functions[] = {
      [PIR_COMBINE_ADD] = PIR_V_ADD, [PIR_COMBINE_MUL] = PIR_V_MUL,
      [PIR_COMBINE_MAX] = PIR_V_MAX, [PIR_COMBINE_MIN] = PIR_V_MIN,
      [PIR_COMBINE_AND] = PIR_V_AND, [PIR_COMBINE_OR] = PIR_V_OR};
  pir_dtype dtype = e->bind->out->dtype;
  size_t size = pir_dtype_size(dtype);
  int combine = e->bind->clause->combine;
  int mark = e->top;
  char *old = push_slot(e);
  char *sum = push_slot(e);
  char *update = push_slot(e);
  for (int64_t i = 0; i < n; i += LANES, to += LANES * size, from += LANES * size) {
    int lanes = (int)(n - i < LANES ? n - i : LANES);
    memcpy(old, to, (size_t)lanes * size);
    memcpy(update, from, (size_t)lanes * size);
    if (combine > PIR_COMBINE_OR ||
        !pir_clause_binary(functions[combine], dtype, sum, old, update, lanes)) {
      pir_clause_fail(e, PIR_UNSUPPORTED, "unsupported: scatter with combination %d", combine);
      break;
    }
    memcpy(to, sum, (size_t)lanes * size);
  }
  e->top = mark;
}

// Copies every point of a block of the outer coordinates, which are set; false if some are out
// of range, before any copy.
bool pir_clause_move_block(clause_lanes *e, const clause_move *m) {
  const clause_bind *b = e->bind;
  int64_t size = (int64_t)pir_dtype_size(b->out->dtype);
  int mark = e->top;
  for (int i = m->outer; i < b->coords; i++)
    e->coord[i] = (clause_index){0};
  clause_address from = pir_clause_address(e, m->from, 0, m->load);
  bool whole = !e->status && from.lo == 0 && from.hi == e->n && !from.outside;
  clause_index to = whole ? pir_clause_out_offset(e) : (clause_index){0};
  bool run = has_run(&m->loops), adds = combines(b);
  size_t bytes = (size_t)(m->loops.rank ? m->loops.extent[0] : 1) * (size_t)size;
  for (int i = 0; whole && i < e->n && !e->status; i++) {
    const char *in =
        (const char *)m->from->data +
        (from.offset.v ? from.offset.v[i] : from.offset.base + from.offset.step * i) * size;
    char *at = (char *)b->out->data + (to.v ? to.v[i] : to.base + to.step * i) * size;
    if (adds)
      combine_run(e, at, in, m->loops.rank ? m->loops.extent[0] : 1);
    else if (run)
      memcpy(at, in, bytes);
    else
      pir_copy_run(&m->loops, b->out->dtype, at, b->out->dtype, in);
  }
  e->top = mark;
  return whole;
}

// The whole result is one strided copy.
pir_status pir_clause_move_all(clause_lanes *e, const clause_move *m) {
  const clause_bind *b = e->bind;
  int64_t size = (int64_t)pir_dtype_size(b->out->dtype);
  e->n = 1;
  for (int i = 0; i < b->coords; i++)
    e->coord[i] = (clause_index){0};
  clause_address at = pir_clause_address(e, m->from, 0, m->load);
  clause_index to = pir_clause_out_offset(e);
  if (e->status)
    return e->status;
  pir_tensor from = {.data = (char *)m->from->data + at.offset.base * size,
                     .dtype = b->out->dtype,
                     .rank = b->coords};
  pir_tensor out = {
      .data = (char *)b->out->data + to.base * size, .dtype = b->out->dtype, .rank = b->coords};
  for (int i = 0; i < b->coords; i++) {
    from.shape[i] = out.shape[i] = b->extent[i];
    from.strides[i] = m->from_step[i];
    out.strides[i] = m->to_step[i];
  }
  return pir_copy_parallel(&from, &out, &b->call->parallel);
}
