// The iteration space of a clause: its coordinates and their extents, and the relation of
// aligned loads, named variables and the result's axes to them. A pointwise clause that reads
// no index has its axes merged where all tensors allow it, so most run along one axis.
#include <pir/compiler/index_nodes.h>

#include <stdlib.h>
#include <string.h>

#include "clause_impl.h"

// Marks the nodes that `root` needs. Children come before parents, so one sweep down suffices.
static void reach(const pir_clause *c, int root, bool *reached) {
  if (root < 0)
    return;
  reached[root] = true;
  for (int i = root; i >= 0; i--) {
    if (!reached[i])
      continue;
    const pir_node *n = &c->nodes[i];
    const int children[] = {n->a, n->b, n->c};
    for (int j = 0; j < 3; j++)
      if (children[j] >= 0)
        reached[children[j]] = true;
    if (n->op != PIR_V_LOAD && n->op != PIR_I_LOAD)
      continue;
    if (n->map_kind == PIR_MAP_LIST)
      for (int j = 0; j < n->map_count; j++)
        reached[c->pool[n->map + j]] = true;
    else if (n->map_kind != PIR_MAP_ALIGNED && n->map >= 0)
      reached[n->map] = true;
  }
}

static bool loads_aligned(const pir_node *n) {
  return n->op == PIR_V_MEMBERS ||
         ((n->op == PIR_V_LOAD || n->op == PIR_I_LOAD) && n->map_kind == PIR_MAP_ALIGNED);
}

static int add_coord(clause_bind *b, int64_t extent) {
  b->extent[b->coords] = extent;
  return b->coords++;
}

static pir_status broadcast(clause_bind *b, const pir_tensor *t) {
  if (t->rank > b->axes) {
    int more = t->rank - b->axes;
    memmove(b->axis_extent + more, b->axis_extent, (size_t)b->axes * sizeof *b->axis_extent);
    for (int i = 0; i < more; i++)
      b->axis_extent[i] = 1;
    b->axes = t->rank;
  }
  for (int d = 0; d < t->rank; d++) {
    int64_t *extent = &b->axis_extent[b->axes - t->rank + d];
    if (*extent == 1)
      *extent = t->shape[d];
    else if (t->shape[d] != 1 && t->shape[d] != *extent)
      return pir_kernel_fail(b->call, PIR_INVALID, "%s: extents %lld and %lld do not broadcast",
                             b->call->op, (long long)*extent, (long long)t->shape[d]);
  }
  return PIR_OK;
}

// The axes of reductions, scans and scatters: the dims of the aligned operands, broadcast.
static pir_status broadcast_operands(clause_bind *b, const bool *reached) {
  const pir_clause *c = b->clause;
  for (int i = 0; i < c->node_count; i++) {
    const pir_node *n = &c->nodes[i];
    if (!reached[i] || !loads_aligned(n))
      continue;
    for (int m = 0; m < b->call->in_members[n->k]; m++) {
      const pir_tensor *t = pir_clause_operand(b, n->k, m);
      if (t)
        PIR_TRY(broadcast(b, t));
    }
  }
  return PIR_OK;
}

static pir_status add_axis(clause_bind *b, int64_t axis, bool *reduced) {
  int64_t at = axis < 0 ? axis + b->axes : axis;
  if (b->axes == 0 && (axis == 0 || axis == -1))
    return PIR_OK;
  if (at < 0 || at >= b->axes)
    return pir_kernel_fail(b->call, PIR_INVALID, "%s: axis %lld of a tensor of rank %d",
                           b->call->op, (long long)axis, b->axes);
  reduced[at] = true;
  return PIR_OK;
}

// Reduces to the dims of operand `like`: axes that it lacks, and axes where it has 1, are
// reduced.
static pir_status find_axes_like(clause_bind *b, bool *reduced) {
  const pir_tensor *t = pir_clause_operand(b, b->clause->like, 0);
  if (!t || t->rank > b->axes)
    return pir_kernel_fail(b->call, PIR_INVALID,
                           "%s: operand %d: expected a rank of at most %d, found %d",
                           b->call->op, b->clause->like, b->axes, t ? t->rank : -1);
  for (int i = 0; i < b->axes; i++) {
    int d = i - (b->axes - t->rank);
    reduced[i] = d < 0 || (t->shape[d] == 1 && b->axis_extent[i] != 1);
    if (!reduced[i] && t->shape[d] != b->axis_extent[i])
      return pir_kernel_fail(b->call, PIR_INVALID,
                             "%s: axis %d of operand %d: expected extent %lld or 1, found %lld",
                             b->call->op, d, b->clause->like, (long long)b->axis_extent[i],
                             (long long)t->shape[d]);
  }
  return PIR_OK;
}

// Reads which axes are reduced; `*out_all` if all are.
static pir_status find_axes(clause_bind *b, clause_lanes *e, bool *reduced, bool *out_all) {
  const pir_clause *c = b->clause;
  const pir_kernel_call *call = b->call;
  int64_t count = 0;
  if (c->like >= 0)
    return find_axes_like(b, reduced);
  bool listed = !pir_clause_fixed(e, c->all, 0);
  if (listed && c->axes_attr >= 0) {
    const pir_attr_value *axes = &call->attrs[c->axes_attr];
    count = pir_index_attr_list(axes).count;
    for (int64_t i = 0, axis; i < count; i++) {
      if (!pir_index_attr_at(axes, i, &axis))
        return pir_kernel_fail(call, PIR_INVALID, "%s: an axis that is no number", call->op);
      PIR_TRY(add_axis(b, axis, reduced));
    }
  } else if (listed && c->axes_operand >= 0 && call->in_members[c->axes_operand] > 0) {
    int members = call->in_members[c->axes_operand];
    for (int m = 0; m < members; m++) {
      const pir_tensor *t = pir_clause_operand(b, c->axes_operand, m);
      int64_t n = t ? pir_tensor_numel(t) : 0;
      for (int64_t i = 0; i < n; i++, count++)
        PIR_TRY(add_axis(b, pir_tensor_int_at(t, i), reduced));
    }
  }
  *out_all = count == 0;
  for (int i = 0; i < b->axes; i++)
    reduced[i] |= count == 0;
  return e->status;
}

static pir_status wrong_shape(const clause_bind *b, int d, int64_t expected) {
  return pir_kernel_fail(b->call, PIR_INVALID,
                         "%s: axis %d of result %d: expected extent %lld, found %lld",
                         b->call->op, d, b->clause->result, (long long)expected,
                         d < b->out->rank ? (long long)b->out->shape[d] : -1LL);
}

static pir_status space_of_axes(clause_bind *b, clause_lanes *e, const bool *reached) {
  const pir_clause *c = b->clause;
  bool reduced[PIR_MAX_RANK] = {0};
  bool all = false;
  bool scans = c->kind == PIR_CLAUSE_SCAN;
  PIR_TRY(broadcast_operands(b, reached));
  if (c->kind != PIR_CLAUSE_SCATTER)
    PIR_TRY(find_axes(b, e, reduced, &all));
  for (int i = 0; i < b->axes; i++)
    if (!reduced[i])
      b->axis_coord[i] = add_coord(b, b->axis_extent[i]);
  b->parallel = b->coords;
  for (int i = 0; i < b->axes; i++)
    if (reduced[i])
      b->axis_coord[i] = add_coord(b, b->axis_extent[i]);
  if (c->kind == PIR_CLAUSE_SCATTER)
    return PIR_OK;

  b->out_linear = scans && all && b->out->rank == 1 && b->axes != 1;
  if (b->out_linear)
    return PIR_OK;
  if (!scans && b->parallel == 0 && pir_tensor_numel(b->out) == 1)
    return PIR_OK;  // one number under any rank
  bool keep = scans || pir_clause_fixed(e, c->keep, 0);
  int d = 0;
  int gone = c->like >= 0 ? b->axes - pir_clause_operand(b, c->like, 0)->rank : 0;
  for (int i = gone; i < b->axes; i++) {
    bool dropped = reduced[i] && !scans;
    if (dropped && !keep && c->like < 0)
      continue;
    int64_t expected = dropped ? 1 : b->axis_extent[i];
    if (d >= b->out->rank || b->out->shape[d] != expected)
      return wrong_shape(b, d, expected);
    if (!dropped)
      b->out_stride[b->axis_coord[i]] = b->out->strides[d];
    d++;
  }
  return d == b->out->rank ? PIR_OK : wrong_shape(b, d, 0);
}

// ---- named variables

// Finds the dims of a pack: from the result if it is stored there, else from the operands it
// indexes.
static pir_status add_pack(clause_bind *b, int var) {
  const pir_clause *c = b->clause;
  int64_t dims[PIR_MAX_RANK];
  int rank = 0, before = 0;
  for (int i = 0; i < c->out_map_count; i++, before++) {
    const pir_node *n = &c->nodes[c->pool[c->out_map + i]];
    if (n->op != PIR_I_PACK || n->k != var)
      continue;
    rank = b->out->rank - (c->out_map_count - 1);
    for (int d = 0; d < rank; d++)
      dims[d] = b->out->shape[before + d];
    b->var_rank[var] = rank < 0 ? 0 : rank;
    for (int d = 0; d < rank; d++)
      add_coord(b, dims[d]);
    return PIR_OK;
  }
  return pir_kernel_fail(b->call, PIR_UNSUPPORTED, "unsupported: %s: a reduced pack",
                         b->call->op);
}

// A sum of products runs over whole axes: a variable that alone indexes an axis has its extent.
static pir_status check_load(clause_bind *b, clause_lanes *e, const pir_node *load) {
  const pir_clause *c = b->clause;
  const pir_tensor *t = pir_clause_operand(b, load->k, 0);
  bool after_pack = false;
  for (int i = 0; t && i < load->map_count; i++) {
    const pir_node *n = &c->nodes[c->pool[load->map + i]];
    while (n->op == PIR_I_SELECT && b->fixed[n->a])
      n = &c->nodes[pir_clause_fixed(e, n->a, 0) ? n->b : n->c];
    after_pack |= n->op == PIR_I_PACK;
    int d = after_pack ? t->rank - load->map_count + i : i;
    if (n->op != PIR_I_VAR || d < 0 || d >= t->rank)
      continue;
    int64_t expected = b->extent[b->var_first[n->k]];
    if (t->shape[d] != expected)
      return pir_kernel_fail(
          b->call, PIR_INVALID, "%s: axis %d of operand %d: expected extent %lld, found %lld",
          b->call->op, d, load->k, (long long)expected, (long long)t->shape[d]);
  }
  return PIR_OK;
}

// Every result element must be one point; mismatched operands would leave elements unwritten.
static pir_status check_points(clause_bind *b) {
  int64_t points = 1, numel = pir_tensor_numel(b->out);
  for (int i = 0; i < b->coords; i++) {
    if (b->extent[i] < 0)
      return pir_kernel_fail(b->call, PIR_INVALID,
                             "%s: the operands do not fit: an extent would be %lld",
                             b->call->op, (long long)b->extent[i]);
    if (i < b->parallel && __builtin_mul_overflow(points, b->extent[i], &points))
      points = -1;
  }
  if (points == numel)
    return PIR_OK;
  return pir_kernel_fail(b->call, PIR_INVALID,
                         "%s: the operands do not fit: result %d has %lld elements, not %lld",
                         b->call->op, b->clause->result, (long long)numel, (long long)points);
}

static pir_status space_of_vars(clause_bind *b, clause_lanes *e, const bool *reached) {
  const pir_clause *c = b->clause;
  for (int v = 0; v < c->var_count; v++) {
    if (v && c->vars[v - 1].reduced && !c->vars[v].reduced)
      return pir_kernel_fail(b->call, PIR_INTERNAL, "%s: reduced variables come last",
                             b->call->op);
    b->var_first[v] = b->coords;
    b->var_rank[v] = 1;
    if (c->vars[v].pack)
      PIR_TRY(add_pack(b, v));
    else
      add_coord(b, pir_clause_fixed(e, c->vars[v].extent, 0));
    if (!c->vars[v].reduced)
      b->parallel = b->coords;
  }
  if (e->status)
    return e->status;
  PIR_TRY(check_points(b));
  for (int i = 0; c->kind == PIR_CLAUSE_CONTRACT && i < c->node_count; i++)
    if (reached[i] && c->nodes[i].op == PIR_V_LOAD && c->nodes[i].map_kind == PIR_MAP_LIST)
      PIR_TRY(check_load(b, e, &c->nodes[i]));
  if (c->out_map_kind == PIR_MAP_ALIGNED) {
    if (b->parallel != b->out->rank)
      return wrong_shape(b, b->parallel, 0);
    for (int d = 0; d < b->parallel; d++) {
      if (b->extent[d] != b->out->shape[d])
        return wrong_shape(b, d, b->extent[d]);
      b->out_stride[d] = b->out->strides[d];
    }
    return PIR_OK;
  }
  // If the result's axes are plain variables, aligned loads see the same axes.
  int d = 0;
  for (int i = 0; i < c->out_map_count; i++) {
    const pir_node *n = &c->nodes[c->pool[c->out_map + i]];
    bool plain = n->op == PIR_I_VAR || n->op == PIR_I_PACK;
    int rank = n->op == PIR_I_PACK ? b->var_rank[n->k] : 1;
    for (int j = 0; j < rank; j++, d++) {
      if (d >= b->out->rank)
        return wrong_shape(b, d, 0);
      int coord = plain ? b->var_first[n->k] + j : 0;
      if (plain && b->extent[coord] != b->out->shape[d])
        return wrong_shape(b, d, b->extent[coord]);
      b->axis_coord[d] = coord;
      b->axis_extent[d] = b->out->shape[d];
    }
  }
  if (d != b->out->rank)
    return wrong_shape(b, d, 0);
  b->axes = d;
  return PIR_OK;
}

// ---- pointwise, view and gather without variables: the result's axes

static void space_of_result(clause_bind *b) {
  b->axes = b->out->rank;
  for (int d = 0; d < b->axes; d++) {
    b->axis_extent[d] = b->out->shape[d];
    b->axis_coord[d] = add_coord(b, b->out->shape[d]);
    b->out_stride[d] = b->out->strides[d];
  }
  b->parallel = b->coords;
  b->in_order = true;
}

// ---- strides of aligned operands, and merging

static void align_operand(clause_bind *b, const pir_tensor *t, int entry) {
  b->aligns[entry] = true;
  for (int d = 0; d < t->rank; d++) {
    int axis = b->axes - t->rank + d;
    if (t->shape[d] == 1)
      continue;
    if (axis < 0 || b->axis_extent[axis] != t->shape[d])
      b->aligns[entry] = false;
    else
      b->aligned[entry][b->axis_coord[axis]] = t->strides[d];
  }
}

static bool runs_through(const int64_t *strides, const int64_t *extent, int i) {
  return strides[i] == strides[i + 1] * extent[i + 1];
}

static bool can_merge(const clause_bind *b, int entries, int i) {
  if (i + 1 == b->parallel)
    return false;
  if (b->extent[i] == 1 || b->extent[i + 1] <= 1)
    return true;
  if (!runs_through(b->out_stride, b->extent, i))
    return false;
  for (int j = 0; j < entries; j++)
    if (!runs_through(b->aligned[j], b->extent, i))
      return false;
  return true;
}

// Merges coordinates i and i + 1, with the strides of the inner one unless its extent is 1.
static void merge(clause_bind *b, int entries, int i) {
  if (b->extent[i + 1] == 1) {
    i++;
  } else {
    b->extent[i + 1] *= b->extent[i];
  }
  size_t rest = (size_t)(b->coords - i - 1) * sizeof(int64_t);
  memmove(b->extent + i, b->extent + i + 1, rest);
  memmove(b->out_stride + i, b->out_stride + i + 1, rest);
  for (int j = 0; j < entries; j++)
    memmove(b->aligned[j] + i, b->aligned[j] + i + 1, rest);
  b->coords--;
  if (i < b->parallel)
    b->parallel--;
}

static void align_and_merge(clause_bind *b, const bool *reached) {
  const pir_clause *c = b->clause;
  bool reads_index =
      c->var_count || c->kind == PIR_CLAUSE_SCATTER || c->kind == PIR_CLAUSE_SCAN;
  int entries = pir_clause_entries(b->call);
  for (int i = 0; i < c->node_count; i++) {
    const pir_node *n = &c->nodes[i];
    if (!reached[i])
      continue;
    if (n->op < PIR_V_CONST && !b->fixed[i])
      reads_index = true;
    if (!loads_aligned(n))
      continue;
    for (int m = 0; m < b->call->in_members[n->k]; m++) {
      const pir_tensor *t = pir_clause_operand(b, n->k, m);
      if (t)
        align_operand(b, t, b->call->in_first[n->k] + m);
    }
  }
  for (int i = b->coords - 2; i >= 0 && !reads_index; i--)
    if (can_merge(b, entries, i))
      merge(b, entries, i);
}

pir_status pir_clause_space(clause_bind *b, clause_lanes *e) {
  const pir_clause *c = b->clause;
  bool *reached = calloc(c->node_count + 1u, sizeof *reached);
  if (!reached)
    return PIR_EXHAUSTED;
  reach(c, c->body, reached);
  reach(c, c->guard, reached);
  reach(c, c->trap, reached);
  pir_status status = PIR_OK;
  bool axes = c->kind == PIR_CLAUSE_REDUCE || c->kind == PIR_CLAUSE_SCAN ||
              c->kind == PIR_CLAUSE_SCATTER;
  if (c->var_count)
    status = space_of_vars(b, e, reached);
  else if (axes)
    status = space_of_axes(b, e, reached);
  else
    space_of_result(b);
  b->reduces = c->kind == PIR_CLAUSE_REDUCE || c->kind == PIR_CLAUSE_CONTRACT ||
               c->kind == PIR_CLAUSE_WINDOW;
  if (!status) {
    reach(c, c->then, reached);
    reach(c, c->init, reached);
    align_and_merge(b, reached);
  }
  free(reached);
  return status;
}

// ---- walking

enum { SHORTEST_ROW = 32 };

int64_t pir_clause_points(const clause_bind *b, int first, int end) {
  int64_t n = 1;
  bool overflow = false;
  for (int i = first; i < end; i++) {
    if (b->extent[i] <= 0)
      return 0;
    overflow |= __builtin_mul_overflow(n, b->extent[i], &n);
  }
  return overflow ? -1 : n;
}

int pir_clause_block(const clause_bind *b, int first, int end, int64_t start, int64_t n) {
  int64_t row = end > first ? b->extent[end - 1] : 1;
  if (n > LANES)
    n = LANES;
  if (row < SHORTEST_ROW)
    return (int)n;
  int64_t rest = row - start % row;
  return (int)(n < rest ? n : rest);
}

void pir_clause_set_coords(clause_lanes *e, int first, int end, int64_t start, int n) {
  const clause_bind *b = e->bind;
  int64_t index[MAX_COORDS], rest = start;
  for (int i = end - 1; i >= first; i--) {
    index[i] = rest % b->extent[i];
    rest /= b->extent[i];
    e->coord[i] = (clause_index){index[i], 0, NULL};
  }
  e->n = n;
  if (end == first || n == 1)
    return;
  int inner = end - 1;
  if (index[inner] + n <= b->extent[inner]) {
    e->coord[inner].step = 1;
    return;
  }
  for (int lane = 0; lane < n; lane++) {
    for (int i = first; i < end; i++)
      e->coord_lanes[i * LANES + lane] = index[i];
    for (int i = inner; i >= first && ++index[i] == b->extent[i]; i--)
      index[i] = 0;
  }
  for (int i = first; i < end; i++)
    e->coord[i] = (clause_index){0, 0, e->coord_lanes + i * LANES};
}
