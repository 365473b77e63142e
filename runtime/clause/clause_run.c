// Runs clauses: binds a clause to a call, divides its result into ranges for threads, and
// evaluates each range block by block. This is the reference meaning of every operator with a
// clause.
//
// Cost: a bind of some microseconds, then one loop for each node and block of up to 256 points.
// Sums of products of floats take the contraction path instead. Memory: the slots of the
// deepest expression, for each thread.
#include <pir/compiler/index_nodes.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "clause_impl.h"
#include "convert.h"

enum { SLOTS_A_LEVEL = 6, BASE_SLOTS = 24, SERIAL_POINTS = 8192 };

void pir_clause_fail(clause_lanes *e, pir_status status, const char *format, ...) {
  if (e->status)
    return;
  e->status = status;
  size_t n =
      pir_text_format(e->message.text, sizeof e->message.text, "%s: ", e->bind->call->op);
  va_list args;
  va_start(args, format);
  pir_text_vformat(e->message.text + n, sizeof e->message.text - n, format, args);
  va_end(args);
}

int pir_clause_entries(const pir_kernel_call *call) {
  int entries = 1;
  for (int i = 0; i < call->operand_count; i++) {
    int end = call->in_first[i] + call->in_members[i];
    if (call->in_members[i] && end > entries)
      entries = end;
  }
  return entries;
}

const pir_tensor *pir_clause_operand(const clause_bind *b, int k, int member) {
  const pir_kernel_call *call = b->call;
  if (k < 0 || k >= call->operand_count || member < 0 || member >= call->in_members[k])
    return NULL;
  return call->in[call->in_first[k] + member];
}

// ---- storing

static void store_lanes(const pir_tensor *out, clause_index offset, const char *lanes,
                        const uint8_t *active, int n) {
  size_t size = pir_dtype_size(out->dtype);
  char *data = out->data;
#define STORE(bytes)                                                                           \
  case bytes:                                                                                  \
    for (int i = 0; i < n; i++) {                                                              \
      int64_t at = offset.v ? offset.v[i] : offset.base + offset.step * i;                     \
      if (!active || active[i])                                                                \
        memcpy(data + at * (bytes), lanes + (size_t)i * (bytes), bytes);                       \
    }                                                                                          \
    break
  switch (size) {
    STORE(1);
    STORE(2);
    STORE(4);
    STORE(8);
    STORE(16);
    default: break;
  }
#undef STORE
}

void pir_clause_store(clause_lanes *e, int type, void *lanes) {
  const pir_tensor *out = e->bind->out;
  int mark = e->top;
  clause_index offset = pir_clause_out_offset(e);
  if (!e->status && !offset.v && !e->active) {
    char *data = (char *)out->data + offset.base * (int64_t)pir_dtype_size(out->dtype);
    pir_convert(out->dtype, data, offset.step, pir_clause_lane_type(type), lanes, 1, e->n);
  } else if (!e->status) {
    char *exact = push_slot(e);
    pir_convert(out->dtype, exact, 1, pir_clause_lane_type(type), lanes, 1, e->n);
    store_lanes(out, offset, exact, e->active, e->n);
  }
  e->top = mark;
}

// ---- one block of points

static void check_trap(clause_lanes *e) {
  const pir_clause *c = e->bind->clause;
  if (c->trap < 0)
    return;
  int mark = e->top;
  clause_index x = pir_clause_index(e, c->trap);
  for (int i = 0; i < e->n; i++)
    if ((x.v ? x.v[i] : x.base + x.step * i) && (!e->active || e->active[i])) {
      pir_clause_fail(e, PIR_INVALID, "%s",
                      c->trap_text >= 0 ? c->text[c->trap_text] : "a run-time check failed");
      break;
    }
  e->top = mark;
}

static void map_block(clause_lanes *e) {
  const clause_bind *b = e->bind;
  const pir_clause *c = b->clause;
  int mark = e->top;
  int type = pir_node_type_strong(b->types[c->body]);
  void *lanes = push_slot(e);
  memset(e->skip, 0, (size_t)e->n);
  e->skips = false;
  pir_clause_value(e, c->body, type, lanes);
  if (!e->status)
    pir_clause_store(e, type, lanes);
  e->top = mark;
}

// ---- scatter: in order, so that the last of several updates of one element wins

static void scatter_lane(clause_lanes *e, int64_t offset, int type, const char *update) {
  const clause_bind *b = e->bind;
  const pir_tensor *out = b->out;
  pir_dtype lanes = pir_clause_lane_type(type);
  char *at = (char *)out->data + offset * (int64_t)pir_dtype_size(out->dtype);
  _Alignas(16) char old[16], sum[16];
  static const uint8_t functions[] = {
      [PIR_COMBINE_ADD] = PIR_V_ADD, [PIR_COMBINE_MUL] = PIR_V_MUL,
      [PIR_COMBINE_MAX] = PIR_V_MAX, [PIR_COMBINE_MIN] = PIR_V_MIN,
      [PIR_COMBINE_AND] = PIR_V_AND, [PIR_COMBINE_OR] = PIR_V_OR};
  int combine = b->clause->combine;
  pir_convert(lanes, old, 1, out->dtype, at, 1, 1);
  bool known = combine <= PIR_COMBINE_OR &&
               pir_clause_binary(functions[combine], lanes, sum, old, update, 1);
  if (!known)
    pir_clause_fail(e, PIR_UNSUPPORTED, "unsupported: scatter with combination %d", combine);
  else
    pir_convert(out->dtype, at, 1, lanes, sum, 1, 1);
}

static void scatter_block(clause_lanes *e) {
  const clause_bind *b = e->bind;
  const pir_clause *c = b->clause;
  int mark = e->top;
  int type = pir_node_type_strong(b->types[c->body]);
  size_t size = pir_dtype_size(pir_clause_lane_type(type));
  char *lanes = push_slot(e);
  if (c->guard >= 0) {
    uint8_t *taken = push_slot(e);
    clause_index g = pir_clause_index(e, c->guard);
    for (int i = 0; i < e->n; i++)
      taken[i] = (g.v ? g.v[i] : g.base + g.step * i) != 0;
    e->active = taken;
  }
  pir_clause_value(e, c->body, type, lanes);
  clause_index offset = pir_clause_out_offset(e);
  bool assigns = c->combine == PIR_COMBINE_NONE || c->combine == PIR_COMBINE_ASSIGN;
  if (assigns && !e->status) {
    char *exact = push_slot(e);
    pir_convert(b->out->dtype, exact, 1, pir_clause_lane_type(type), lanes, 1, e->n);
    store_lanes(b->out, offset, exact, e->active, e->n);
    e->active = NULL;
    e->top = mark;
    return;
  }
  for (int i = 0; i < e->n && !e->status; i++)
    if (!e->active || e->active[i])
      scatter_lane(e, offset.v ? offset.v[i] : offset.base + offset.step * i, type,
                   lanes + (size_t)i * size);
  e->active = NULL;
  e->top = mark;
}

// ---- ranges

typedef void block_fn(clause_lanes *e);  // computes the lanes of a block

typedef struct clause_run {
  const clause_bind *bind;
  clause_lanes *lanes;    // one for each thread
  int64_t points, grain;  // points of the result, and points in one unit of work
  block_fn *block;
  const clause_move *move;  // when elements are only moved: the units are its outer coordinates
} clause_run;

// Evaluates the points of a block of outer coordinates one by one, if some indices are out of
// range.
static void evaluate_inner(const clause_run *run, clause_lanes *e, int64_t first,
                           int64_t count) {
  const clause_bind *b = e->bind;
  int64_t inner = pir_clause_points(b, run->move->outer, b->parallel);
  int64_t p = first * inner;
  int64_t stop = p + count * inner;
  while (p < stop && !e->status) {
    int n = pir_clause_block(b, 0, b->parallel, p, stop - p);
    pir_clause_set_coords(e, 0, b->parallel, p, n);
    e->linear = p;
    run->block(e);
    p += n;
  }
}

static void run_range(void *user, int64_t begin, int64_t end, int thread) {
  const clause_run *run = user;
  const clause_bind *b = run->bind;
  clause_lanes *e = &run->lanes[thread];
  int64_t p = begin * run->grain;
  int64_t stop = end * run->grain < run->points ? end * run->grain : run->points;
  int coords = run->move ? run->move->outer : b->parallel;
  while (p < stop && !e->status) {
    int n =
        b->clause->kind == PIR_CLAUSE_SCAN ? 1 : pir_clause_block(b, 0, coords, p, stop - p);
    if (pir_kernel_cancelled(b->call)) {
      pir_clause_fail(e, PIR_CANCELLED, "cancelled");
      return;
    }
    pir_clause_set_coords(e, 0, coords, p, n);
    e->linear = p;
    check_trap(e);
    if (!e->status && run->move) {
      if (!pir_clause_move_block(e, run->move) && !e->status)
        evaluate_inner(run, e, p, n);
    } else if (!e->status) {
      run->block(e);
    }
    p += n;
  }
}

// ---- binding

static int levels(const pir_clause *c, int16_t *depth) {
  int deepest = 0;
  for (int i = 0; i < c->node_count; i++) {
    const pir_node *n = &c->nodes[i];
    int d = 0;
#define DEEPER(child) d = (child) >= 0 && depth[child] > d ? depth[child] : d
    DEEPER(n->a);
    DEEPER(n->b);
    DEEPER(n->c);
    if (n->op == PIR_V_LOAD || n->op == PIR_I_LOAD) {
      if (n->map_kind == PIR_MAP_LIST)
        for (int j = 0; j < n->map_count; j++)
          DEEPER(c->pool[n->map + j]);
      else if (n->map_kind != PIR_MAP_ALIGNED)
        DEEPER(n->map);
    }
#undef DEEPER
    depth[i] = (int16_t)(d + 1);
    if (d + 1 > deepest)
      deepest = d + 1;
  }
  return deepest;
}

static void *take(const pir_kernel_call *call, size_t size) {
  if (call->allocator && call->allocator->alloc)
    return call->allocator->alloc(call->allocator->user, size, 64);
  return aligned_alloc(64, (size + 63) / 64 * 64);
}

static void give(const pir_kernel_call *call, void *memory, size_t size) {
  if (call->allocator && call->allocator->alloc)
    call->allocator->release(call->allocator->user, memory, size);
  else
    free(memory);
}

// Allocates the memory of one binding: tables by node, strides by operand entry, then the slots
// of each thread.
typedef struct clause_memory {
  char *base;
  size_t size, used;
} clause_memory;

static void *carve(clause_memory *m, size_t size) {
  void *p = m->base + m->used;
  m->used += (size + 63) / 64 * 64;
  return p;
}

static void bind_tables(clause_bind *b, clause_memory *m, int entries) {
  size_t nodes = b->clause->node_count;
  b->types = carve(m, nodes);
  b->fixed = carve(m, nodes * sizeof *b->fixed);
  b->fixed_value = carve(m, nodes * sizeof *b->fixed_value);
  b->aligned = carve(m, (size_t)entries * sizeof *b->aligned);
  b->aligns = carve(m, (size_t)entries * sizeof *b->aligns);
  memset(m->base, 0, m->used);
}

static size_t lane_bytes(const clause_bind *b) {
  return MAX_COORDS * LANES * sizeof(int64_t) + LANES + (size_t)b->slots * SLOT_BYTES + 3 * 64;
}

static void bind_lanes(const clause_bind *b, clause_memory *m, clause_lanes *lanes, int count) {
  for (int t = 0; t < count; t++) {
    lanes[t] = (clause_lanes){.bind = b, .n = 1};
    lanes[t].coord_lanes = carve(m, MAX_COORDS * LANES * sizeof(int64_t));
    lanes[t].skip = memset(carve(m, LANES), 0, LANES);
    lanes[t].stack = carve(m, (size_t)b->slots * SLOT_BYTES);
  }
}

// ---- running

static void scan_line(clause_lanes *e) {
  (void)!pir_clause_scan_line(e);
}

static block_fn *block_function(const clause_bind *b) {
  if (b->clause->kind == PIR_CLAUSE_SCATTER)
    return scatter_block;
  if (b->clause->kind == PIR_CLAUSE_SCAN)
    return scan_line;
  return b->reduces ? pir_clause_reduce_block : map_block;
}

// Other threads' lanes exist only while they work.
static pir_status run_points(clause_run *run, int64_t reduced, int threads) {
  const clause_bind *b = run->bind;
  const pir_kernel_call *call = b->call;
  bool scatters = b->clause->kind == PIR_CLAUSE_SCATTER;
  run->block = block_function(b);
  int64_t inner = run->move ? pir_clause_points(b, run->move->outer, b->parallel) : 1;
  run->grain = reduced <= 256 && inner < 256 ? 256 / inner : 1;
  int64_t units = (run->points + run->grain - 1) / run->grain;
  bool serial =
      scatters || threads == 1 || units == 1 ||
      (double)run->points * (double)inner * (double)(reduced ? reduced : 1) < SERIAL_POINTS;
  if (serial) {
    run_range(run, 0, units, 0);
    return PIR_OK;
  }
  clause_memory m = {.size = lane_bytes(b) * (size_t)(threads - 1)};
  m.base = take(call, m.size);
  if (!m.base)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  bind_lanes(b, &m, run->lanes + 1, threads - 1);
  call->parallel.parallel_for(call->parallel.pool, units, run_range, run);
  give(call, m.base, m.size);
  return PIR_OK;
}

static pir_status run_bound(clause_bind *b, clause_lanes *lanes, int threads) {
  pir_clause_fix_nodes(b, &lanes[0]);
  PIR_TRY(pir_clause_types(b));
  PIR_TRY(pir_clause_space(b, &lanes[0]));
  clause_run run = {.bind = b, .lanes = lanes, .points = pir_clause_points(b, 0, b->parallel)};
  int64_t reduced = pir_clause_points(b, b->parallel, b->coords);
  if (run.points < 0 || reduced < 0)
    return pir_kernel_fail(b->call, PIR_EXHAUSTED, "%s: too many points", b->call->op);
  if (!lanes[0].status && run.points > 0 && b->clause->kind == PIR_CLAUSE_CONTRACT) {
    pir_status status = pir_clause_contract(b);
    if (status == PIR_EXHAUSTED)
      return pir_kernel_fail(b->call, status, "%s: out of memory", b->call->op);
    if (status != PIR_UNSUPPORTED)
      return status;
  }
  bool lines = b->clause->kind == PIR_CLAUSE_SCAN || b->clause->kind == PIR_CLAUSE_REDUCE;
  if (!lanes[0].status && run.points > 0 && reduced > 0 && lines &&
      pir_clause_run_lines(b, &lanes[0]))
    return PIR_OK;
  clause_move move;
  if (!lanes[0].status && run.points > 0 && pir_clause_find_move(b, &lanes[0], &move)) {
    if (move.tabled) {
      if (pir_clause_move_by_table(&lanes[0], &move))
        return PIR_OK;
      lanes[0].status = PIR_OK;  // what stopped it stops the evaluation, too
    } else if (!move.outer) {
      pir_status status = pir_clause_move_all(&lanes[0], &move);
      return lanes[0].status
                 ? pir_kernel_fail(b->call, lanes[0].status, "%s", lanes[0].message.text)
                 : status;
    }
    if (!move.tabled) {
      run.move = &move;
      run.points = pir_clause_points(b, 0, move.outer);
    }
  }
  if (!lanes[0].status && run.points > 0)
    PIR_TRY(run_points(&run, reduced, threads));
  for (int t = 0; t < threads; t++)
    if (lanes[t].status)
      return pir_kernel_fail(b->call, lanes[t].status, "%s", lanes[t].message.text);
  return PIR_OK;
}

static pir_status run_clause(const pir_kernel_call *call, const pir_clause *c, pir_tensor *out,
                             int member) {
  int threads =
      call->parallel.parallel_for && call->parallel.threads > 1 ? call->parallel.threads : 1;
  int entries = pir_clause_entries(call);
  clause_bind *b = calloc(1, sizeof *b);
  int16_t *depth = calloc(c->node_count + 1u, sizeof *depth);
  clause_lanes *lanes = calloc((size_t)threads, sizeof *lanes);
  pir_status status = b && depth && lanes ? PIR_OK : PIR_EXHAUSTED;
  clause_memory m = {0};
  if (!status) {
    *b = (clause_bind){.call = call,
                       .clause = c,
                       .out = out,
                       .member = member,
                       .slots = BASE_SLOTS + SLOTS_A_LEVEL * levels(c, depth)};
    m.size = c->node_count * (2 + sizeof(int64_t)) +
             (size_t)entries * (sizeof *b->aligned + 1) + 5 * 64 + lane_bytes(b);
    m.size = (m.size + 63) / 64 * 64;  // aligned where an allocator puts it before a page's end
    m.base = take(call, m.size);
    if (!m.base)
      status = PIR_EXHAUSTED;
  }
  if (!status) {
    bind_tables(b, &m, entries);
    bind_lanes(b, &m, lanes, 1);
    status = run_bound(b, lanes, threads);
  } else {
    status = pir_kernel_fail(call, status, "%s: out of memory", call->op);
  }
  if (m.base)
    give(call, m.base, m.size);
  free(lanes);
  free(depth);
  free(b);
  return status;
}

// ---- join and split: copies of slices

static pir_status joined_axis(const pir_kernel_call *call, const pir_clause *c, int rank,
                              int *out_axis) {
  int64_t axis = 0;
  if (c->axes_attr >= 0) {
    if (!pir_index_attr_at(&call->attrs[c->axes_attr], 0, &axis))
      return pir_kernel_fail(call, PIR_INVALID, "%s: an axis that is no number", call->op);
  } else if (c->axes_operand >= 0 && call->in_members[c->axes_operand] > 0) {
    const pir_tensor *t = call->in[call->in_first[c->axes_operand]];
    if (t && pir_tensor_numel(t) > 0)
      axis = pir_tensor_int_at(t, 0);
  }
  *out_axis = (int)(axis < 0 ? axis + rank : axis);
  if (axis >= -rank && axis < rank)
    return PIR_OK;
  return pir_kernel_fail(call, PIR_INVALID, "%s: axis %lld of a tensor of rank %d", call->op,
                         (long long)axis, rank);
}

// Returns the slice of `whole` at `*at` along `axis` with the extent of `part`; advances `*at`.
static pir_status slice_like(const pir_kernel_call *call, const pir_tensor *whole,
                             const pir_tensor *part, int axis, bool stack, int64_t *at,
                             pir_tensor *out) {
  int64_t extent = axis < part->rank ? part->shape[axis] : -1;
  if (stack)
    extent = 1;
  *out = *whole;
  if (part->rank != whole->rank - stack || extent < 0 || extent > whole->shape[axis] - *at)
    return pir_kernel_fail(call, PIR_INVALID, "%s: members do not fit along axis %d", call->op,
                           axis);
  out->data =
      (char *)whole->data + *at * whole->strides[axis] * (int64_t)pir_dtype_size(whole->dtype);
  *at += extent;
  out->shape[axis] = extent;
  if (!stack)
    return PIR_OK;
  out->rank--;
  for (int d = axis; d < out->rank; d++) {
    out->shape[d] = whole->shape[d + 1];
    out->strides[d] = whole->strides[d + 1];
  }
  return PIR_OK;
}

// Returns the variadic operand of a join: the one that its body loads, else the first with
// members.
static int joined_operand(const pir_kernel_call *call, const pir_clause *c) {
  if (c->body >= 0 && c->nodes[c->body].op == PIR_V_LOAD)
    return c->nodes[c->body].k;
  return 0;
}

// Whether the member of a join is its part of the result already, as an aliased cache is.
static bool lies_there(const pir_tensor *member, const pir_tensor *part) {
  bool same = member->data == part->data && member->dtype == part->dtype;
  for (int d = 0; d < part->rank && same; d++)
    same = member->shape[d] == part->shape[d] &&
           (part->shape[d] <= 1 || member->strides[d] == part->strides[d]);
  return same;
}

static pir_status run_slices(const pir_kernel_call *call, const pir_clause *c) {
  bool joins = c->kind == PIR_CLAUSE_JOIN;
  int k = joined_operand(call, c), axis = 0;
  if (k >= call->operand_count)
    return pir_kernel_fail(call, PIR_INTERNAL, "%s: no operand %d", call->op, k);
  const pir_tensor *whole =
      joins ? call->out[call->out_first[c->result]] : call->in[call->in_first[k]];
  int members = joins ? call->in_members[k] : call->out_members[c->result];
  if (!whole)
    return pir_kernel_fail(call, PIR_INVALID, "%s: operand %d is absent", call->op, k);
  PIR_TRY(joined_axis(call, c, whole->rank, &axis));
  int64_t at = 0;
  for (int m = 0; m < members; m++) {
    const pir_tensor *part =
        joins ? call->in[call->in_first[k] + m] : call->out[call->out_first[c->result] + m];
    pir_tensor slice;
    if (!part)
      return pir_kernel_fail(call, PIR_INVALID, "%s: member %d is absent", call->op, m);
    PIR_TRY(slice_like(call, whole, part, axis, c->stack, &at, &slice));
    pir_tensor to = joins ? slice : *part;
    if (joins && lies_there(part, &to))
      continue;
    if (pir_copy_parallel(joins ? part : &slice, &to, &call->parallel))
      return pir_kernel_fail(call, PIR_INVALID, "%s: shape of member %d does not fit", call->op,
                             m);
  }
  if (at != whole->shape[axis])
    return pir_kernel_fail(call, PIR_INVALID, "%s: members do not fill axis %d", call->op,
                           axis);
  return PIR_OK;
}

// ---- entry

// Initialises a scatter's result: zeros, or operand 0.
static pir_status start_scatter(const pir_kernel_call *call, const pir_clause *c,
                                pir_tensor *out) {
  const pir_tensor *x =
      call->operand_count > 0 && call->in_members[0] > 0 ? call->in[call->in_first[0]] : NULL;
  if (c->init >= 0) {
    memset(out->data, 0, (size_t)pir_tensor_numel(out) * pir_dtype_size(out->dtype));
    return PIR_OK;
  }
  if (!x)
    return pir_kernel_fail(call, PIR_INVALID, "%s: operand 0 is absent", call->op);
  if (x->data == out->data)
    return PIR_OK;
  pir_status status = pir_tensor_copy(x, out);
  return status ? pir_kernel_fail(call, status, "%s: operand 0 has not the result's shape",
                                  call->op)
                : PIR_OK;
}

enum { MOST_OPERANDS = 64 };

// Narrows lists of `count` members to member m; entries of operands are consecutive.
static pir_kernel_call of_member(const pir_kernel_call *call, int count, int m,
                                 const pir_tensor **in, int32_t *members, int32_t *first) {
  pir_kernel_call one = *call;
  int32_t entries = 0;
  for (int k = 0; k < call->operand_count; k++) {
    bool picks = call->in_members[k] == count;
    members[k] = picks ? 1 : call->in_members[k];
    first[k] = entries;
    for (int i = 0; i < members[k]; i++)
      in[entries++] = call->in[call->in_first[k] + (picks ? m : i)];
  }
  one.in = in;
  one.in_members = members;
  one.in_first = first;
  return one;
}

// Runs the clause for every member of a list.
static pir_status run_members(const pir_kernel_call *call, const pir_clause *c) {
  int count = call->out_members[c->result];
  size_t entries = 1;
  int32_t members[MOST_OPERANDS], first[MOST_OPERANDS];
  if (call->operand_count > MOST_OPERANDS)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: more than %d operands", call->op,
                           MOST_OPERANDS);
  for (int k = 0; k < call->operand_count; k++)
    entries += (size_t)call->in_members[k];
  const pir_tensor **in = malloc(entries * sizeof *in);
  pir_status status =
      in ? PIR_OK : pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  for (int m = 0; m < count && !status; m++) {
    pir_tensor *out = call->out[call->out_first[c->result] + m];
    pir_kernel_call one = of_member(call, count, m, in, members, first);
    if (out && c->kind == PIR_CLAUSE_SCATTER)
      status = start_scatter(&one, c, out);
    if (out && !status)
      status = run_clause(&one, c, out, m);
  }
  free(in);
  return status;
}

// A result with clauses, none of which applies to these attributes, would stay unwritten.
static pir_status check_given(const pir_kernel_call *call) {
  for (const pir_clause *c = call->clause; c; c = c->next)
    if (c->result < call->result_count && call->out_members[c->result] > 0 &&
        call->out[call->out_first[c->result]] &&
        !pir_clause_choose(call->clause, c->result, call->attrs))
      return pir_kernel_fail(call, PIR_UNSUPPORTED,
                             "unsupported: %s: no clause for these attributes", call->op);
  return PIR_OK;
}

pir_status pir_clause_run(const pir_kernel_call *call) {
  PIR_TRY(check_given(call));
  for (const pir_clause *c = call->clause; c; c = c->next) {
    if (c != pir_clause_choose(call->clause, c->result, call->attrs))
      continue;
    if (c->kind == PIR_CLAUSE_JOIN || c->kind == PIR_CLAUSE_SPLIT) {
      PIR_TRY(run_slices(call, c));
      continue;
    }
    if (c->result >= call->result_count || call->out_members[c->result] < 1)
      continue;
    if (call->out_members[c->result] > 1) {
      PIR_TRY(run_members(call, c));
      continue;
    }
    pir_tensor *out = call->out[call->out_first[c->result]];
    if (!out)
      continue;
    if (c->kind == PIR_CLAUSE_SCATTER)
      PIR_TRY(start_scatter(call, c, out));
    PIR_TRY(run_clause(call, c, out, 0));
  }
  return PIR_OK;
}
