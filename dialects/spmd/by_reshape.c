// Placement rules that letters cannot say, because the shapes decide.
#include "spmd_impl.h"
#include <pd_op_hooks.h>

#include <pir/compiler/dialect/pd_op.h>

#include <string.h>

// ---- one shape to another with the same elements
// Dims [in, in_end) of a tensor hold the elements of dims [out, out_end) of the other.
typedef struct reshape_group {
  int32_t in, in_end, out, out_end;
} reshape_group;

static bool multiply(int64_t *product, int64_t extent) {
  return extent > 0 && !__builtin_mul_overflow(*product, extent, product);
}

// Moves `at` behind dims of extent 1; returns whether an extent that is not known follows.
static bool takes_unknown(const pir_placement *x, int32_t *at) {
  while (*at < x->rank && x->shape[*at] == 1)
    ++*at;
  return *at < x->rank && x->shape[*at] < 0;
}

// Unknown extents, which were found to be the same on both sides, are groups of their own.
static bool is_unknown_next(const pir_placement *x, const reshape_group *g) {
  int32_t at = g->in_end;
  return takes_unknown(x, &at);
}

static bool find_unknown_group(const pir_placement *x, const pir_placement *y,
                               reshape_group *g) {
  if (!takes_unknown(x, &g->in_end) || !takes_unknown(y, &g->out_end))
    return false;
  g->in_end++;
  g->out_end++;
  return true;
}

// Finds the smallest group that begins where `g` ended. Returns false if the extents do not
// divide into groups.
static bool find_group(const pir_placement *x, const pir_placement *y, reshape_group *g) {
  int64_t a = 1, b = 1;
  g->in = g->in_end;
  g->out = g->out_end;
  if (is_unknown_next(x, g))
    return find_unknown_group(x, y, g);
  do {
    bool take_in = a <= b && g->in_end < x->rank;
    if (!take_in && g->out_end == y->rank)
      return false;
    if (take_in ? !multiply(&a, x->shape[g->in_end++]) : !multiply(&b, y->shape[g->out_end++]))
      return false;
  } while (a != b || (a == 1 && (g->in_end < x->rank || g->out_end < y->rank)));
  return true;
}

static bool divides(const pir_spmd *spmd, const pir_split *split, int64_t extent) {
  int64_t pieces = 1;
  for (uint8_t i = 0; i < split->count; i++)
    if (!multiply(&pieces, spmd->mesh[split->mesh[i]]))
      return false;
  return extent < 0 || extent % pieces == 0;
}

static int32_t skip_ones(const pir_placement *x, int32_t d, int32_t end) {
  while (d < end && x->shape[d] == 1)
    d++;
  return d;
}

static void append_split(pir_split *to, const pir_split *from) {
  for (uint8_t i = 0; i < from->count && to->count < PIR_MESH_RANK; i++)
    to->mesh[to->count++] = from->mesh[i];
}

// The first dim of a group on either side is split alike: by all that splits the group, where
// that divides both, else by what splits the first dim. The others are whole.
static void place_group(const pir_spmd *spmd, pir_placement *x, pir_placement *y,
                        const reshape_group *g) {
  int32_t from = skip_ones(x, g->in, g->in_end), to = skip_ones(y, g->out, g->out_end);
  pir_split first = {0}, all = {0}, none = {0};
  if (from < g->in_end)
    first = x->split[from];
  for (int32_t d = g->in; d < g->in_end; d++) {
    if (d >= from && first.count)
      append_split(&all, &x->split[d]);
    x->split[d] = none;
  }
  for (int32_t d = g->out; d < g->out_end; d++)
    y->split[d] = none;
  if (from == g->in_end || to == g->out_end)
    return;
  if (divides(spmd, &all, x->shape[from]) && divides(spmd, &all, y->shape[to]))
    first = all;
  else if (!divides(spmd, &first, y->shape[to]))
    first = none;
  x->split[from] = y->split[to] = first;
}

static size_t count_unknown(const pir_placement *x, int64_t *out_known) {
  size_t count = 0;
  *out_known = 1;
  for (int32_t d = 0; d < x->rank; d++)
    if (x->shape[d] < 0)
      count++;
    else if (x->shape[d] && !multiply(out_known, x->shape[d]))
      *out_known = -1;
  return count;
}

// Counts the unknown dims of a result that the list of its extents (0) copies from x.
static size_t count_copied(const pir_spmd *spmd, const pir_placement *x,
                           const pir_placement *y) {
  const pir_attr_value *stated = &spmd->contents[PD_RESHAPE_IN_SHAPE];
  size_t count = 0;
  for (int32_t d = 0; d < x->rank && d < y->rank && stated->kind == PIR_VALUE_INTS; d++)
    count +=
        (size_t)d < stated->count && !stated->ints[d] && x->shape[d] < 0 && y->shape[d] < 0;
  return count;
}

// Whether the unknown extents of both shapes are the same, one by one. All but one have to be
// known to be, and that one follows from the number of elements. Other ops than reshape add,
// drop and join dims in their order.
static bool same_unknown(const pir_spmd *spmd, const pir_placement *x, const pir_placement *y) {
  int64_t in, out;
  size_t count = count_unknown(x, &in);
  if (count != count_unknown(y, &out) || in != out || in < 0)
    return !count && count == count_unknown(y, &out);
  if (count < 2)
    return true;
  bool reshapes = spmd->def->id == PD_RESHAPE || spmd->def->id == PD_RESHAPE_;
  return !spmd->backward && (!reshapes || count_copied(spmd, x, y) + 1 >= count);
}

// The same elements in row-major order under another shape: dims that become one dim, or of
// which one dim is made, form groups.
pir_status pd_spmd_reshape(pir_spmd *spmd) {
  if (!spmd->operands[0].count || !spmd->results[0].count)
    return PIR_OK;
  pir_placement *x = spmd->operands[0].items, *y = spmd->results[0].items;
  if (spmd->backward) {
    pir_placement *swap = x;
    x = y;
    y = swap;
  }
  reshape_group g = {0};
  const bool comparable = same_unknown(spmd, x, y);
  while (g.in_end < x->rank || g.out_end < y->rank) {
    if (!comparable || !find_group(x, y, &g)) {
      for (int32_t d = g.in; d < x->rank; d++)
        x->split[d] = (pir_split){0};
      return PIR_OK;
    }
    place_group(spmd, x, y, &g);
  }
  return PIR_OK;
}

// ---- extents
// Every process knows the extents of the whole by its part.
pir_status pd_spmd_shape(pir_spmd *spmd) {
  for (size_t k = 0; k < spmd->operands[0].count && (!spmd->wide || spmd->backward); k++)
    pir_placement_replicate(&spmd->operands[0].items[k]);
  for (size_t k = 0; k < spmd->results[0].count; k++)
    pir_placement_replicate(&spmd->results[0].items[k]);
  return PIR_OK;
}
