// One product that makes several tensors, as queries, keys and values: their columns lie in
// groups, in the order of the tensors; a rank needs columns of each group. So the columns are
// brought into the order of ranks, groups, and the columns of a rank in a group: then a cut by
// columns gives each rank its part of every group. The weight [k, groups * width] is taken as
// [k, groups, ranks, width / ranks], which a rank's part is a box of, and the product is put
// back into groups behind. Both are movements of the program over the mesh; in a rank's program
// they have an extent of 1 and move nothing.
#include "shard.h"

#include <pir/compiler/build.h>
#include <pir/compiler/dialect/pd_op.h>

// ---- which groups
typedef struct grouping {
  int64_t columns, groups;  // all columns; 0 groups: none are known yet
  size_t rank;              // of the product
  int64_t ranks;
} grouping;

// All readers have to tell the same number of groups, whose columns the ranks can share.
static bool agree(grouping *g, int64_t groups) {
  if (groups < 2 || g->columns % groups || g->columns / groups % g->ranks ||
      (g->groups && g->groups != groups))
    return false;
  g->groups = groups;
  return true;
}

// Whether the shape that a reshape states copies no extent of the columns.
static bool states_columns(const grouping *g, const pir_op *op) {
  const pir_op *list = pir_op_operand_op(op, 1);
  if (!list || !pir_op_is(list, PD_FULL_INT_ARRAY))
    return false;
  const pir_attr *stated = pir_op_attr_at(list, PD_FULL_INT_ARRAY_ATTR_VALUE);
  for (size_t i = g->rank - 1; i < pir_attr_elements(stated); i++) {
    int64_t extent;
    if (!pir_attr_int_at(stated, i, &extent) || !extent)
      return false;
  }
  return true;
}

// A reshape of the columns into groups, heads and the elements of a head.
static bool reads_as_reshape(grouping *g, const pir_op *op) {
  pir_shape to = pir_type_shape(pir_value_type(pir_op_result(op, 0)));
  if (to.rank < 3 || !states_columns(g, op))
    return false;
  const int64_t *last = to.dims + to.rank - 3;
  for (size_t i = 0; i < 3; i++)
    if (last[i] < 1 || last[i] > g->columns)
      return false;
  return last[0] <= g->columns / last[1] && g->columns % (last[0] * last[1]) == 0 &&
         last[2] == g->columns / (last[0] * last[1]) && last[1] % g->ranks == 0 &&
         agree(g, last[0]);
}

static bool is_axis(int64_t given, size_t rank, size_t axis) {
  return given == (int64_t)axis || given + (int64_t)rank == (int64_t)axis;
}

static bool constant_int(const pir_value *value, int64_t *out) {
  const pir_op *op = value ? pir_value_op(value) : NULL;
  if (op && pir_op_is(op, PD_FULL))
    return pir_attr_as_int(pir_op_attr_at(op, PD_FULL_ATTR_VALUE), out);
  return op && pir_op_is(op, PD_FULL_INT_ARRAY) &&
         pir_attr_elements(pir_op_attr_at(op, PD_FULL_INT_ARRAY_ATTR_VALUE)) == 1 &&
         pir_attr_int_at(pir_op_attr_at(op, PD_FULL_INT_ARRAY_ATTR_VALUE), 0, out);
}

int64_t shard_count_pieces(const pir_op *op, const pir_type *of, size_t axis) {
  int64_t given;
  pir_shape whole = pir_type_shape(of);
  bool equal = pir_op_is(op, PD_SPLIT_WITH_NUM);
  if ((!equal && !pir_op_is(op, PD_SPLIT)) ||
      !constant_int(pir_op_operand(op, equal ? 1 : 2), &given) ||
      !is_axis(given, whole.rank, axis))
    return 0;
  const pir_type *pieces = pir_value_type(pir_op_result(op, 0));
  if (pir_type_kind_of(pieces) != PIR_TYPE_VECTOR || !pir_type_elements(pieces))
    return 0;
  int64_t count = (int64_t)pir_type_elements(pieces);
  for (size_t i = 0; i < pir_type_elements(pieces); i++) {
    pir_shape piece = pir_type_shape(pir_type_element(pieces, i));
    if (piece.rank != whole.rank || whole.dims[axis] % count ||
        piece.dims[axis] != whole.dims[axis] / count)
      return 0;
  }
  return count;
}

// Equal pieces along the columns.
static bool reads_as_split(grouping *g, const pir_op *op) {
  int64_t groups = shard_count_pieces(op, pir_value_type(pir_op_operand(op, 0)), g->rank - 1);
  return groups && agree(g, groups);
}

// A reshape into the heads of all groups and their elements, whose readers take the heads of
// each group apart.
static bool reads_as_heads(grouping *g, const pir_op *op) {
  const pir_value *made = pir_op_result(op, 0);
  const pir_type *type = pir_value_type(made);
  pir_shape to = pir_type_shape(type);
  if (to.rank != g->rank + 1 || !states_columns(g, op))
    return false;
  int64_t heads = to.dims[g->rank - 1], width = to.dims[g->rank];
  if (heads < 1 || width < 1 || g->columns % width || heads != g->columns / width ||
      pir_value_unused(made))
    return false;
  PIR_EACH_USE(use, made) {
    int64_t groups = shard_count_pieces(pir_use_owner(use), type, g->rank - 1);
    if (!groups || heads / groups % g->ranks || !agree(g, groups))
      return false;
  }
  return true;
}

// One of equal pieces of the columns; `out_group`: which one.
static bool reads_as_slice(grouping *g, const pir_op *op, int64_t *out_group) {
  const pir_attr *axes = pir_op_attr_at(op, PD_SLICE_ATTR_AXES),
                 *dropped = pir_op_attr_at(op, PD_SLICE_ATTR_DECREASE_AXIS);
  int64_t axis, first;
  if (pir_attr_elements(axes) != 1 || pir_attr_elements(dropped) ||
      !pir_attr_int_at(axes, 0, &axis) || !is_axis(axis, g->rank, g->rank - 1) ||
      !constant_int(pir_op_operand(op, 1), &first))
    return false;
  pir_shape piece = pir_type_shape(pir_value_type(pir_op_result(op, 0)));
  if (piece.rank != g->rank)
    return false;
  int64_t width = piece.dims[g->rank - 1];
  if (width < 1 || g->columns % width || first < 0 || first % width)
    return false;
  *out_group = first / width;
  return agree(g, g->columns / width);
}

static bool reads_groups(grouping *g, const pir_op *op) {
  int64_t group;
  if (pir_op_is(op, PD_RESHAPE))
    return reads_as_heads(g, op) || reads_as_reshape(g, op);
  if (pir_op_is(op, PD_SPLIT_WITH_NUM) || pir_op_is(op, PD_SPLIT))
    return reads_as_split(g, op);
  return pir_op_is(op, PD_SLICE) && reads_as_slice(g, op, &group);
}

static bool find_groups(const shard_state *s, const pir_value *made, grouping *out) {
  pir_shape shape = pir_type_shape(pir_value_type(made));
  if (shape.rank < 2 || shape.rank + 2 > PIR_MAX_RANK || shape.dims[shape.rank - 1] < 1)
    return false;
  *out = (grouping){
      .columns = shape.dims[shape.rank - 1], .rank = shape.rank, .ranks = s->extents[s->model]};
  PIR_EACH_USE(use, made)
  if (!reads_groups(out, pir_use_owner(use)))
    return false;
  return out->groups > 0;
}

// ---- the product
// A bias of the columns that this product alone reads; the first operand is the product.
static pir_op *find_bias(const pir_op *product, pir_op **out_bias) {
  *out_bias = NULL;
  if (!pir_value_single_use(pir_op_result(product, 0)))
    return NULL;
  pir_op *sum = pir_use_owner(pir_value_first_use(pir_op_result(product, 0)));
  pir_value *bias = pir_op_is(sum, PD_ADD) ? pir_op_operand(sum, 1) : NULL;
  if (!shard_is_parameter(bias) || !pir_value_single_use(bias))
    return NULL;
  pir_shape columns = pir_type_shape(pir_value_type(pir_op_result(product, 0))),
            added = pir_type_shape(pir_value_type(bias));
  if (added.rank != 1 || !columns.rank || added.dims[0] != columns.dims[columns.rank - 1])
    return NULL;
  *out_bias = pir_value_op(bias);
  return sum;
}

// ---- movements
// The first `kept` dims stay; the others become `last`.
static pir_value *reshape_last(shard_mover *m, pir_value *value, size_t kept,
                               const int64_t *last, size_t count) {
  pir_shape from = pir_type_shape(pir_value_type(value));
  int64_t dims[PIR_MAX_RANK], stated[PIR_MAX_RANK];
  for (size_t i = 0; i < kept + count; i++) {
    dims[i] = i < kept ? from.dims[i] : last[i - kept];
    stated[i] = i < kept ? 0 : last[i - kept];
  }
  pir_value *operands[] = {value, shard_put_list(m, stated, kept + count)};
  return shard_put_op(m, PD_RESHAPE, operands, 2, shard_type_like(m, value, dims, kept + count),
                      NULL, 0);
}

// Exchanges dims `first` and `first + 1`.
static pir_value *exchange(shard_mover *m, pir_value *value, size_t first) {
  pir_shape from = pir_type_shape(pir_value_type(value));
  const pir_attr *perm[PIR_MAX_RANK];
  int64_t dims[PIR_MAX_RANK];
  for (size_t i = 0; i < from.rank; i++) {
    size_t source = i;
    if (i == first)
      source = first + 1;
    if (i == first + 1)
      source = first;
    dims[i] = from.dims[source];
    perm[i] = pir_attr_int(m->s->ctx, PIR_ATTR_I32, (int64_t)source);
  }
  pir_named_attr attr = shard_named(m, "perm", pir_attr_array(m->s->ctx, perm, from.rank));
  return shard_put_op(m, PD_TRANSPOSE, &value, 1, shard_type_like(m, value, dims, from.rank),
                      &attr, 1);
}

// Lets `reader` read the columns of a parameter [.., columns] in the order of ranks.
static void open_parameter(shard_mover *m, const shard_fused *f, pir_op *param, pir_op *reader,
                           size_t operand) {
  pir_value *value = pir_op_result(param, 0);
  pir_shape shape = pir_type_shape(pir_value_type(value));
  size_t rows = shape.rank - 1;
  int64_t n = m->s->extents[m->s->model], columns = shape.dims[rows];
  int64_t whole[4] = {shape.dims[0]};
  whole[rows] = f->groups;
  whole[rows + 1] = n;
  whole[rows + 2] = f->width / n;
  pir_value_set_type(value, shard_type_like(m, value, whole, rows + 3));
  m->at = pir_builder_before(reader);
  pir_op_set_operand(reader, operand,
                     reshape_last(m, exchange(m, value, rows), rows, &columns, 1));
}

// Returns the columns of the product in groups: [.., groups, width].
static pir_value *regroup(shard_mover *m, const shard_fused *f, pir_value *made) {
  size_t rows = pir_type_shape(pir_value_type(made)).rank - 1;
  int64_t n = m->s->extents[m->s->model];
  int64_t ranks[] = {n, f->groups, f->width / n}, groups[] = {f->groups, f->width};
  pir_value *moved = exchange(m, reshape_last(m, made, rows, ranks, 3), rows);
  return reshape_last(m, moved, rows, groups, 2);
}

// ---- readers of groups
static pir_value *unbind_groups(shard_mover *m, pir_value *grouped, size_t at,
                                const pir_type *type) {
  pir_named_attr axis =
      shard_named(m, "axis", pir_attr_int(m->s->ctx, PIR_ATTR_I32, (int64_t)at));
  return shard_put_op(m, PD_UNBIND, &grouped, 1, type, &axis, 1);
}

// Groups, heads and their elements, instead of the heads of all groups.
static void read_heads(shard_mover *m, const grouping *g, pir_op *reader, pir_value *grouped) {
  pir_value *heads = pir_op_result(reader, 0);
  int64_t width = pir_type_shape(pir_value_type(heads)).dims[g->rank];
  int64_t last[] = {g->groups, g->columns / g->groups / width, width};
  m->at = pir_builder_before(reader);
  pir_value *apart = reshape_last(m, grouped, g->rank - 1, last, 3);
  PIR_EACH_USE(use, heads) {
    pir_op *split = pir_use_owner(use);
    m->at = pir_builder_before(split);
    pir_value_replace_uses(
        pir_op_result(split, 0),
        unbind_groups(m, apart, g->rank - 1, pir_value_type(pir_op_result(split, 0))));
    pir_op_erase(split);
  }
  pir_op_erase(reader);
}

static void read_grouped(shard_mover *m, grouping *g, pir_op *reader, pir_value *grouped) {
  const pir_type *type = pir_value_type(pir_op_result(reader, 0));
  int64_t group = 0;
  if (pir_op_is(reader, PD_RESHAPE)) {
    grouping all = *g;
    if (reads_as_heads(&all, reader))
      read_heads(m, g, reader, grouped);
    else
      pir_op_set_operand(reader, 0, grouped);
    return;
  }
  m->at = pir_builder_before(reader);
  bool one = pir_op_is(reader, PD_SLICE) && reads_as_slice(g, reader, &group);
  pir_value_replace_uses(pir_op_result(reader, 0),
                         one ? shard_put_slice(m, grouped, g->rank - 1, group, group + 1, type)
                             : unbind_groups(m, grouped, g->rank - 1, type));
  pir_op_erase(reader);
}

// ---- fused products
static void open_product(shard_state *s, shard_cut *cut, shard_fused *f, grouping *g) {
  pir_op *last = f->sum ? f->sum : cut->reader;
  pir_value *made = pir_op_result(last, 0);
  shard_mover m = {s, pir_builder_after(last)};
  PIR_VEC(pir_op *) readers = {0};
  PIR_EACH_USE(use, made)
  pir_vec_push(s->arena, &readers, pir_use_owner(use));
  pir_value *grouped = regroup(&m, f, made);
  f->grouped = pir_value_op(grouped);
  for (size_t i = 0; i < readers.count; i++)
    read_grouped(&m, g, readers.items[i], grouped);
  pir_vec_free(s->arena, &readers);
  open_parameter(&m, f, cut->param, cut->reader, PD_MATMUL_IN_Y);
  if (f->bias)
    open_parameter(&m, f, f->bias, f->sum, 1);
  cut->dim = 2;
}

static bool match_fused(const shard_state *s, const shard_cut *cut, shard_fused *out,
                        grouping *g) {
  pir_op *product = cut->reader;
  if (cut->only_table || cut->held || cut->dim != 1 || !pir_op_is(product, PD_MATMUL) ||
      !pir_value_single_use(pir_op_result(cut->param, 0)))
    return false;
  *out = (shard_fused){.cut = (size_t)(cut - s->cuts.items)};
  out->sum = find_bias(product, &out->bias);
  if (!find_groups(s, pir_op_result(out->sum ? out->sum : product, 0), g))
    return false;
  out->groups = g->groups;
  out->width = g->columns / g->groups;
  return true;
}

void shard_open_fused(shard_state *s) {
  if (s->model < 0 || s->extents[s->model] < 2)
    return;
  for (size_t i = 0; i < s->cuts.count; i++) {
    shard_fused f;
    grouping g;
    if (!match_fused(s, &s->cuts.items[i], &f, &g))
      continue;
    open_product(s, &s->cuts.items[i], &f, &g);
    pir_vec_push(s->arena, &s->fused, f);
    pir_map_put(s->arena, &s->fused_of, s->cuts.items[i].param, s->fused.count);
    pir_map_put(s->arena, &s->fused_of, f.grouped, s->fused.count);
    if (f.bias)
      pir_map_put(s->arena, &s->fused_of, f.bias, s->fused.count);
  }
}

// ---- taking it back
// Lets an op read what the two movements in front of it read.
static void skip_movements(pir_op *op, size_t operand) {
  pir_op *reshape = pir_op_operand_op(op, operand), *exchanged = pir_op_operand_op(reshape, 0);
  pir_op_set_operand(op, operand, pir_op_operand(exchanged, 0));
  pir_op_erase(reshape);
  pir_op_erase(exchanged);
}

static void close_parameter(shard_state *s, const shard_fused *f, pir_op *param, pir_op *reader,
                            size_t operand) {
  shard_mover m = {.s = s};
  pir_value *value = pir_op_result(param, 0);
  pir_shape whole = pir_type_shape(pir_value_type(value));
  int64_t dims[2] = {whole.dims[0]};
  size_t rows = whole.rank - 3;
  dims[rows] = f->groups * f->width;
  skip_movements(reader, operand);
  pir_value_set_type(value, shard_type_like(&m, value, dims, rows + 1));
}

bool shard_close_fused(shard_state *s, bool settled) {
  bool any = false;
  for (size_t i = 0; i < s->fused.count; i++) {
    shard_fused *f = &s->fused.items[i];
    shard_cut *cut = &s->cuts.items[f->cut];
    if (f->closed || (cut->open && (cut->split || !settled)))
      continue;
    f->closed = any = true;
    close_parameter(s, f, cut->param, cut->reader, PD_MATMUL_IN_Y);
    if (f->bias)
      close_parameter(s, f, f->bias, f->sum, 1);
    skip_movements(f->grouped, 0);
    cut->dim = 1;
    cut->open = !cut->lost;
  }
  return any;
}

const shard_fused *shard_fused_of(const shard_state *s, const pir_op *op) {
  uint64_t *fused = pir_map_find(&s->fused_of, op);
  return fused && !s->fused.items[*fused - 1].closed ? &s->fused.items[*fused - 1] : NULL;
}
