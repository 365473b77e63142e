// What a layout costs and saves, by cut. A split, or a sum that is still missing, comes from
// the cuts whose tensors met on its way; they are a group. Where a tensor is wanted whole
// again, its group pays for the collective operator. Rates are of one core and of memory that
// ranks share; only their proportions count, and only for cuts that no product closes.
#include "shard.h"

#include <pir/compiler/dialect/builtin.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>

// Seconds.
static const double per_operation = 2e-11;  // an addition or multiplication
static const double per_read = 1e-10;       // a byte of a weight, of memory
static const double per_moved = 2e-10;      // a byte from rank to rank
static const double per_call = 1e-5;        // a collective operator

enum { USUAL_EXTENT = 128 };  // of a dimension that is not known, but the batch

static double elements_of(const pir_type *type) {
  pir_shape shape = pir_type_shape(type);
  double count = 1;
  for (size_t i = 0; i < shape.rank; i++) {
    int64_t unknown = i ? USUAL_EXTENT : 1;
    count *= (double)(shape.dims[i] >= 0 ? shape.dims[i] : unknown);
  }
  return count;
}

static double tensor_bytes(const pir_type *type) {
  return elements_of(type) * (double)pir_dtype_size(pir_type_dtype(type));
}

// ---- groups
static size_t group_of(shard_state *s, size_t cut) {
  while (s->cuts.items[cut].group != cut)
    cut = s->cuts.items[cut].group = s->cuts.items[s->cuts.items[cut].group].group;
  return cut;
}

static uint64_t value_origin(const shard_state *s, const pir_value *value) {
  uint64_t *origin = value ? pir_map_find(&s->origins, value) : NULL;
  return origin ? *origin : 0;
}

static size_t cut_of_origin(uint64_t origin) {
  return (size_t)(origin & ~SHARD_MIXED) - 1;
}

static uint64_t join_origins(shard_state *s, uint64_t a, uint64_t b) {
  if (!a || !b || a == b)
    return a ? a : b;
  size_t x = group_of(s, cut_of_origin(a)), y = group_of(s, cut_of_origin(b));
  s->cuts.items[y].group = x;
  return (x + 1) | SHARD_MIXED;
}

// ---- how a tensor lies along the axis
typedef struct lying {
  int64_t split;  // a dimension; -1
  bool partial;
} lying;

static lying lies_along(const shard_state *s, const pir_attr *dist) {
  lying out = {-1, false};
  if (!dist || pir_attr_kind_of(dist) != PIR_ATTR_TENSOR_DIST ||
      !pir_attr_elements(pir_attr_element(pir_attr_element(dist, 0), 0)))
    return out;
  out.split = shard_split_of(dist, s->model);
  out.partial = dist_tensor_of(dist).partial[s->model] >= 0;
  return out;
}

static bool is_apart(lying x) {
  return x.split >= 0 || x.partial;
}

// ---- charges
// Heads have a number of elements each. If a split behind them makes several tensors, each of
// these has an equal share.
int64_t shard_heads_of(const shard_state *s, const pir_op *op) {
  if (!pir_op_is(op, PD_RESHAPE) || pir_map_find(&s->fused_of, op))
    return 0;
  const pir_value *made = pir_op_result(op, 0);
  pir_shape from = pir_type_shape(pir_value_type(pir_op_operand(op, 0))),
            to = pir_type_shape(pir_value_type(made));
  if (!from.rank || to.rank != from.rank + 1)
    return 0;
  int64_t heads = to.dims[to.rank - 2], width = to.dims[to.rank - 1], tensors = 0;
  if (heads <= 0 || width <= 0 || heads > INT64_MAX / width ||
      heads * width != from.dims[from.rank - 1])
    return 0;
  PIR_EACH_USE(use, made) {
    if (!tensors)
      tensors = shard_count_pieces(pir_use_owner(use), pir_value_type(made), to.rank - 2);
  }
  return tensors ? heads / tensors : heads;
}

static bool parts_heads(const shard_state *s, const pir_op *op) {
  return shard_heads_of(s, op) % s->extents[s->model] != 0;
}

// The reshape into heads that has a tensor whole in front of it, where zeros are dropped, or
// behind it, where a split makes several tensors.
static const pir_op *near_heads(const pir_op *op, const pir_value *value) {
  const pir_op *made = pir_value_op(value);
  if (pir_op_is(op, PD_SPLIT_WITH_NUM) || pir_op_is(op, PD_SPLIT))
    return made;
  const pir_op *reader =
      pir_op_is(op, PD_SLICE) && made && pir_op_is(made, PD_MATMUL) ? op : NULL;
  while (reader && (reader == op || pir_op_is(reader, PD_ADD))) {
    const pir_value *result = pir_op_result(reader, 0);
    reader = pir_value_single_use(result) ? pir_use_owner(pir_value_first_use(result)) : NULL;
  }
  return reader;
}

static void charge(shard_state *s, const pir_op *op, const pir_value *value, lying lies,
                   lying wanted) {
  uint64_t origin = value_origin(s, value);
  double n = (double)s->extents[s->model], bytes = tensor_bytes(pir_value_type(value));
  if (!origin)
    return;
  shard_cut *cut = &s->cuts.items[cut_of_origin(origin)];
  // A sum that stays split is half of one that becomes whole.
  double ways = lies.partial && wanted.split < 0 ? 2 : 1;
  // Equal changes of a tensor are made once.
  uint64_t *made = pir_map_place(s->arena, &s->changed, value, UINT64_MAX);
  if (*made != (uint64_t)(wanted.split + 1))
    cut->moved += per_call + ways * (n - 1) / n * bytes * per_moved;
  *made = (uint64_t)(wanted.split + 1);
  if (pir_value_op(value) && pir_op_has(pir_value_op(value), PIR_PARAMETER))
    cut->gathered = true;
  // The caller of the program asks for whole outputs.
  if (lies.partial || pir_op_has(op, PIR_OUTPUT))
    return;
  if (origin & SHARD_MIXED)
    cut->met++;
  else
    cut->gathers++;
  if (origin & SHARD_MIXED)
    return;
  const pir_op *near = near_heads(op, value);
  if (parts_heads(s, op))
    cut->lost = op;
  else if (near && parts_heads(s, near))
    cut->behind = near;
}

// Whether a value is a parameter, or the movement of one whose columns lie in the order of
// ranks.
static bool is_weight(const shard_state *s, const pir_value *value) {
  const pir_op *op = value ? pir_value_op(value) : NULL;
  if (op && pir_op_is(op, PD_RESHAPE)) {
    const pir_op *moved = pir_op_operand_op(op, 0);
    op = moved && pir_op_is(moved, PD_TRANSPOSE) ? pir_op_operand_op(moved, 0) : NULL;
    return op && shard_fused_of(s, op);
  }
  return op && pir_op_has(op, PIR_PARAMETER);
}

// A weight that is split is read, and multiplied by, in part.
static void credit(shard_state *s, uint64_t origin, const pir_op *op, size_t operand,
                   lying wanted) {
  const pir_value *weight = pir_op_operand(op, operand);
  if (!origin || wanted.split < 0 || pir_op_is(op, PD_TRANSPOSE) || !is_weight(s, weight))
    return;
  shard_cut *cut = &s->cuts.items[cut_of_origin(origin)];
  double part = 1 - 1 / (double)s->extents[s->model];
  cut->saved += part * tensor_bytes(pir_value_type(weight)) * per_read;
  if (!pir_op_is(op, PD_MATMUL) || operand != PD_MATMUL_IN_Y)
    return;
  pir_shape shape = pir_type_shape(pir_value_type(weight));
  int64_t columns = pir_op_bool(op, PD_MATMUL_ATTR_TRANSPOSE_Y) ? 0 : 1;
  double rows =
      shape.rank == 2 && shape.dims[columns] > 0
          ? elements_of(pir_value_type(pir_op_result(op, 0))) / (double)shape.dims[columns]
          : 1;
  cut->saved += part * 2 * rows * elements_of(pir_value_type(weight)) * per_operation;
  if (shape.rank == 2 && wanted.split != columns)
    cut->products++;
}

// ---- ops
// An operand that all ranks need whole ends its way here; others go on.
static uint64_t meet_operand(shard_state *s, const pir_op *op, const pir_value *value,
                             const pir_attr *dist, const pir_attr *wanted) {
  lying now = lies_along(s, dist), then = lies_along(s, wanted);
  if (!is_apart(now))
    return 0;
  if (now.split == then.split && now.partial == then.partial)
    return value_origin(s, value);
  charge(s, op, value, now, then);
  return is_apart(then) ? value_origin(s, value) : 0;
}

static uint64_t read_list(shard_state *s, const pir_op *op, const pir_value *list,
                          const pir_attr *wanted) {
  const pir_op *made = pir_value_op(list);
  uint64_t origin = 0;
  if (!made || !pir_op_is(made, BUILTIN_COMBINE))
    return value_origin(s, list);
  for (size_t i = 0; i < pir_op_operands(made) && i < pir_attr_elements(wanted); i++) {
    const pir_value *member = pir_op_operand(made, i);
    if (member)
      origin =
          join_origins(s, origin,
                       meet_operand(s, op, member, pir_type_dist_attr(pir_value_type(member)),
                                    pir_attr_element(wanted, i)));
  }
  return origin;
}

static void begin_parameter(shard_state *s, const pir_op *op) {
  uint64_t *cut = pir_map_find(&s->cut_of, op);
  if (cut && s->cuts.items[*cut - 1].split)
    pir_map_put(s->arena, &s->origins, pir_op_result(op, 0), *cut);
}

static uint64_t meet_operands(shard_state *s, const pir_op *op, const dist_of_op *of) {
  uint64_t origin = 0;
  for (size_t i = 0; i < pir_op_operands(op) && i < pir_attr_elements(of->operands); i++) {
    const pir_value *value = pir_op_operand(op, i);
    const pir_attr *wanted = pir_attr_element(of->operands, i);
    if (!value)
      continue;
    bool list = pir_attr_kind_of(wanted) == PIR_ATTR_ARRAY;
    origin = join_origins(
        s, origin,
        list ? read_list(s, op, value, wanted)
             : meet_operand(s, op, value, pir_type_dist_attr(pir_value_type(value)), wanted));
  }
  for (size_t i = 0; i < pir_op_operands(op) && i < pir_attr_elements(of->operands); i++)
    credit(s, origin, op, i, lies_along(s, pir_attr_element(of->operands, i)));
  return origin;
}

static pir_walk_result judge_op(pir_op *op, void *user) {
  shard_state *s = user;
  dist_of_op of;
  uint64_t origin = 0;
  if (pir_op_has(op, PIR_PARAMETER) && pir_op_results(op) == 1)
    begin_parameter(s, op);
  else if (dist_of(op, &of))
    origin = meet_operands(s, op, &of);
  else
    for (size_t i = 0; i < pir_op_operands(op); i++)
      origin = join_origins(s, origin, value_origin(s, pir_op_operand(op, i)));
  for (size_t i = 0; i < pir_op_results(op) && origin; i++) {
    const pir_type *type = pir_value_type(pir_op_result(op, i));
    const pir_attr *dist = pir_type_dist_attr(type);
    if (!dist || is_apart(lies_along(s, dist)))
      pir_map_put(s->arena, &s->origins, pir_op_result(op, i), origin);
  }
  return PIR_WALK_CONTINUE;
}

void shard_judge(shard_state *s) {
  pir_map_clear(&s->origins);
  pir_map_clear(&s->changed);
  for (size_t i = 0; i < s->cuts.count; i++) {
    shard_cut *cut = &s->cuts.items[i];
    cut->group = i;
    cut->products = cut->gathers = cut->met = 0;
    cut->moved = cut->saved = 0;
    cut->gathered = false;
  }
  pir_walk(pir_program_module(s->run->program), PIR_PRE_ORDER, judge_op, s);
}
