// Brings a contraction into normal form. Index maps times memory strides give each variable one
// step in each buffer; the set of buffers that a variable moves is its role. Variables of
// extent 1 are removed. M axes that are adjacent in both a and out are merged, so a 1x1
// convolution over a channels-last image is one matrix product, whatever the batch. Axes of `a`
// whose index can leave the axis become windows.
#include "contract_impl.h"

#include <string.h>

bool contract_const(const contract_form *f, pir_dim d, int64_t *out_value) {
  return pir_dim_is_const(f->c->dims, d, out_value);
}

static bool is_dim_one(const contract_form *f, pir_dim d) {
  int64_t value;
  return contract_const(f, d, &value) && value == 1;
}

// Computes the stride of each axis, and its depth in memory (0: outermost).
static bool strides_of(pir_dims *dims, const contract_tensor *t, pir_dim strides[PIR_MAX_RANK],
                       int place[PIR_MAX_RANK]) {
  pir_dim step = pir_dim_const(dims, 1);
  for (int i = t->rank - 1; i >= 0; i--) {
    int axis = t->order[i];
    strides[axis] = step;
    place[axis] = i;
    step = pir_dim_mul(dims, step, t->room[axis]);
    if (step == PIR_DIM_UNKNOWN)
      return false;
  }
  return true;
}

static pir_dim step_of(pir_dims *dims, const contract_tensor *t, const pir_dim *strides,
                       const int *place, int var, int *out_place) {
  pir_dim step = pir_dim_const(dims, 0);
  *out_place = -1;
  for (int axis = 0; axis < t->rank; axis++) {
    int64_t factor = t->map[axis].factor[var];
    if (!factor)
      continue;
    step =
        pir_dim_add(dims, step, pir_dim_mul(dims, strides[axis], pir_dim_const(dims, factor)));
    if (place[axis] > *out_place)
      *out_place = place[axis];
  }
  return step;
}

void contract_move_innermost(contract_tensor *t, int axis) {
  int place = 0;
  while (t->order[place] != axis)
    place++;
  memmove(t->order + place, t->order + place + 1, (size_t)(t->rank - place - 1));
  t->order[t->rank - 1] = (uint8_t)axis;
}

static bool are_equal(const contraction *c, pir_dim a, pir_dim b) {
  if (pir_dim_equal(c->dims, a, b))
    return true;
  for (int i = 0; i < c->equal_count; i++) {
    pir_dim x = c->equal[2 * i], y = c->equal[2 * i + 1];
    if ((pir_dim_equal(c->dims, a, x) && pir_dim_equal(c->dims, b, y)) ||
        (pir_dim_equal(c->dims, a, y) && pir_dim_equal(c->dims, b, x)))
      return true;
  }
  return false;
}

// Whether it is proved that `extent` steps of `factor` do not leave an axis of this shape.
static bool fits_axis(const contraction *c, int64_t factor, pir_dim extent, pir_dim shape) {
  if (factor == 1)
    return are_equal(c, extent, shape);
  if (factor < 1)
    return false;
  pir_dim one = pir_dim_const(c->dims, 1), step = pir_dim_const(c->dims, factor);
  pir_dim before = pir_dim_floordiv(c->dims, pir_dim_sub(c->dims, shape, one), step);
  return pir_dim_equal(c->dims, extent, pir_dim_add(c->dims, before, one)) ||
         pir_dim_equal(c->dims, extent, pir_dim_ceildiv(c->dims, shape, step));
}

// Whether the index along this axis of the tensor is always in bounds. If all numbers are
// constant, arithmetic decides. Else a lone variable without an offset is, if its extent was
// derived from the axis alone: padding behind the axis makes it longer.
bool contract_stays_inside(const contraction *c, const contract_tensor *t, int axis) {
  const contract_map *map = &t->map[axis];
  int64_t low = map->offset, high = map->offset, extent, shape;
  int count = 0, lone = -1;
  if (t->inside)
    return true;
  bool known = pir_dim_is_const(c->dims, t->shape[axis], &shape);
  for (int v = 0; v < c->var_count; v++) {
    if (!map->factor[v])
      continue;
    bool has_extent = pir_dim_is_const(c->dims, c->vars[v].extent, &extent);
    if (has_extent && extent == 0)
      return true;
    if (has_extent && extent == 1)
      continue;
    count++;
    lone = v;
    known &= has_extent;
    int64_t reach = known && extent > 0 ? map->factor[v] * (extent - 1) : 0;
    low += reach < 0 ? reach : 0;
    high += reach > 0 ? reach : 0;
  }
  if (known)
    return low >= 0 && high < shape;
  if (map->offset || count > 1)
    return false;
  return !count || fits_axis(c, map->factor[lone], c->vars[lone].extent, t->shape[axis]);
}

// A reduced variable of extent 1 is kept if its axis has padding, or may have, because its
// bounds must be checked.
static bool is_dropped(const contraction *c, int var) {
  int64_t extent;
  if (!pir_dim_is_const(c->dims, c->vars[var].extent, &extent) || extent != 1)
    return false;
  for (int axis = 0; c->vars[var].reduced && axis < c->a.rank; axis++)
    if (c->a.map[axis].factor[var] &&
        (c->a.map[axis].offset || !contract_stays_inside(c, &c->a, axis)))
      return false;
  return true;
}

// The role of a variable follows from the tensors that it indexes. False if it has none.
// A reduced variable must index both a and b: one that indexes a single factor would be a plain
// sum, which the kernels do not compute. Every other variable must index out, and a or b.
static bool find_role(const contraction *c, int var, contract_role *out_role) {
  bool a = contract_mentions(&c->a, var), b = contract_mentions(&c->b, var);
  bool out = contract_mentions(&c->out, var);
  if (c->vars[var].reduced == out)
    return false;
  if (!out)
    *out_role = ROLE_K;
  else if (a && b)
    *out_role = ROLE_BATCH;
  else
    *out_role = a ? ROLE_M : ROLE_N;
  return out ? a || b : a && b;
}

static bool add_axis(contract_form *f, int var, pir_dim *const strides[3],
                     int *const places[3]) {
  const contraction *c = f->c;
  contract_role role;
  int unused;
  if (!find_role(c, var, &role))
    return false;
  contract_axis *x = &f->axes[f->axis_count++];
  *x = (contract_axis){.role = role,
                       .extent = c->vars[var].extent,
                       .window = -1,
                       .parts = {var},
                       .part_count = 1};
  x->step_a = step_of(c->dims, &c->a, strides[OF_A], places[OF_A], var, &x->place_a);
  x->step_b = step_of(c->dims, &c->b, strides[OF_B], places[OF_B], var, &unused);
  x->step_out = step_of(c->dims, &c->out, strides[OF_OUT], places[OF_OUT], var, &x->place_out);
  return x->step_a != PIR_DIM_UNKNOWN && x->step_b != PIR_DIM_UNKNOWN &&
         x->step_out != PIR_DIM_UNKNOWN;
}

static int axis_of_var(const contract_form *f, int var) {
  for (int i = 0; i < f->axis_count; i++)
    if (f->axes[i].parts[0] == var)
      return i;
  return -1;
}

static bool add_window(contract_form *f, int axis) {
  const contract_map *map = &f->c->a.map[axis];
  contract_window *w = &f->windows[f->window_count];
  *w = (contract_window){.position = -1,
                         .tap = -1,
                         .offset = map->offset,
                         .stride = 1,
                         .dilation = 1,
                         .extent = f->c->a.shape[axis]};
  for (int v = 0; v < f->c->var_count; v++) {
    int i = map->factor[v] ? axis_of_var(f, v) : -1;
    if (i < 0)
      continue;
    if (map->factor[v] <= 0)
      return false;
    if (f->axes[i].role == ROLE_K && w->tap < 0) {
      w->tap = i;
      w->dilation = map->factor[v];
    } else if (f->axes[i].role == ROLE_M && w->position < 0) {
      w->position = i;
      w->stride = map->factor[v];
    } else {
      return false;
    }
    f->axes[i].window = f->window_count;
  }
  f->window_count++;
  return w->tap >= 0;  // bounds are kept by skipping taps
}

static bool can_merge_axes(const contract_form *f, const contract_axis *outer,
                           const contract_axis *inner) {
  pir_dims *dims = f->c->dims;
  return outer->role == ROLE_M && inner->role == ROLE_M && outer->window < 0 &&
         inner->window < 0 &&
         pir_dim_equal(dims, outer->step_a, pir_dim_mul(dims, inner->extent, inner->step_a)) &&
         pir_dim_equal(dims, outer->step_out,
                       pir_dim_mul(dims, inner->extent, inner->step_out));
}

static bool merge_once(contract_form *f) {
  for (int i = 0; i < f->axis_count; i++)
    for (int j = 0; j < f->axis_count; j++) {
      contract_axis *outer = &f->axes[i], *inner = &f->axes[j];
      if (i == j || !can_merge_axes(f, outer, inner))
        continue;
      memmove(inner->parts + outer->part_count, inner->parts,
              (size_t)inner->part_count * sizeof *inner->parts);
      memcpy(inner->parts, outer->parts, (size_t)outer->part_count * sizeof *inner->parts);
      inner->part_count += outer->part_count;
      inner->extent = pir_dim_mul(f->c->dims, outer->extent, inner->extent);
      memmove(outer, outer + 1, (size_t)(f->axis_count - i - 1) * sizeof *outer);
      f->axis_count--;
      for (int w = 0; w < f->window_count; w++) {
        if (f->windows[w].position > i)
          f->windows[w].position--;
        if (f->windows[w].tap > i)
          f->windows[w].tap--;
      }
      return true;
    }
  return false;
}

// Chooses the axis of the vector lanes: the N axis that is contiguous in out. Without an N
// axis, a batch axis that is contiguous in all three tensors (depthwise). Otherwise any N axis,
// whose sums are then scattered.
static void choose_lane(contract_form *f) {
  f->lane = -1;
  f->kind = CONTRACT_PANEL;
  bool any_n = false;
  for (int i = 0; i < f->axis_count; i++) {
    const contract_axis *x = &f->axes[i];
    if (x->role != ROLE_N)
      continue;
    any_n = true;
    if (f->lane < 0 || is_dim_one(f, x->step_out))
      f->lane = i;
  }
  for (int i = 0; i < f->axis_count && !any_n; i++) {
    const contract_axis *x = &f->axes[i];
    if (x->role != ROLE_BATCH || !is_dim_one(f, x->step_a) || !is_dim_one(f, x->step_out))
      continue;
    f->lane = i;
    f->kind = CONTRACT_DEPTHWISE;
  }
}

// Inserts axis i such that depths in memory ascend.
static void insert_by_place(const contract_form *f, int *list, int *count, int i, bool by_a) {
  int at = (*count)++;
  int place = by_a ? f->axes[i].place_a : f->axes[i].place_out;
  for (; at > 0; at--) {
    const contract_axis *before = &f->axes[list[at - 1]];
    if ((by_a ? before->place_a : before->place_out) <= place)
      break;
    list[at] = list[at - 1];
  }
  list[at] = i;
}

// Whether the axis slides in a window below at least twice as many steps of the sum as it has
// points: a tap of a filter whose gradient is summed over pixels. As rows of a tile, its points
// would be inside for other rows at almost every step.
static bool slides_below(const contract_form *f, int i) {
  const contract_axis *x = &f->axes[i];
  int64_t points, steps;
  return x->window >= 0 && contract_const(f, x->extent, &points) &&
         contract_const(f, f->axes[f->windows[x->window].tap].extent, &steps) &&
         2 * points <= steps;
}

// Chooses the axis whose points are the rows of a tile: the innermost M axis of out that does
// not slide so; if all do, the innermost.
static void choose_tile(contract_form *f) {
  f->tile = -1;
  for (int i = 0; i < f->axis_count; i++) {
    if (f->axes[i].role != ROLE_M)
      continue;
    bool better = f->tile < 0 || slides_below(f, f->tile) > slides_below(f, i);
    bool like = f->tile >= 0 && slides_below(f, f->tile) == slides_below(f, i);
    if (better || (like && f->axes[i].place_out > f->axes[f->tile].place_out))
      f->tile = i;
  }
}

static void arrange(contract_form *f) {
  choose_lane(f);
  choose_tile(f);
  for (int i = 0; i < f->axis_count; i++) {
    if (f->axes[i].role == ROLE_K)
      insert_by_place(f, f->taps, &f->tap_count, i, true);
    else if (i != f->lane && i != f->tile)
      insert_by_place(f, f->outer, &f->outer_count, i, false);
  }
}

// Finds the axis of the scales: the outer one of two reduced axes of a matrix. The lanes of a
// step have adjacent scales.
static bool find_scaled(contract_form *f, const pir_dim *strides, int *places) {
  int place = 0;
  bool adjacent = false;
  f->scaled = -1;
  if (!f->c->scaled)
    return true;
  if (f->kind != CONTRACT_PANEL || f->lane < 0 || f->tap_count != 2 || f->window_count ||
      f->compute != PIR_F32)
    return false;
  for (int i = 0; i < f->axis_count; i++) {
    if (!contract_mentions(&f->c->scale, f->axes[i].parts[0]))
      continue;
    pir_dim step =
        step_of(f->c->dims, &f->c->scale, strides, places, f->axes[i].parts[0], &place);
    if (i == f->taps[0]) {
      f->scaled = i;
      f->step_scale = step;
    } else if (i == f->lane && is_dim_one(f, step)) {
      adjacent = true;
    } else {
      return false;
    }
  }
  return adjacent && f->scaled >= 0 && f->step_scale != PIR_DIM_UNKNOWN;
}

static bool exact(const contract_tensor *t) {
  for (int axis = 0; axis < t->rank; axis++)
    if (t->map[axis].offset)
      return false;
  return true;
}

static bool is_sure(const contract_tensor *t) {
  for (int axis = 0; axis < t->rank; axis++)
    if (t->map[axis].unsure)
      return false;
  return true;
}

static bool known_float(pir_dtype d) {
  return d == PIR_F32 || d == PIR_F64 || d == PIR_F16 || d == PIR_BF16;
}
// Every value of a byte is a float.
static bool known_factor(pir_dtype d) {
  return known_float(d) || d == PIR_I8 || d == PIR_U8;
}
static bool known_integer(pir_dtype d) {
  return d == PIR_I8 || d == PIR_U8 || d == PIR_I32;
}

// The element type of the sums; PIR_UNDEFINED if no kernel exists.
static pir_dtype compute_dtype(const contraction *c) {
  pir_dtype a = c->a.dtype, b = contract_factor(&c->b), out = c->out.dtype;
  if (known_integer(a) && known_integer(b) && out == PIR_I32)
    return PIR_I32;
  if (!known_factor(a) || !known_factor(b) || !known_float(out))
    return PIR_UNDEFINED;
  return a == PIR_F64 || b == PIR_F64 || out == PIR_F64 ? PIR_F64 : PIR_F32;
}

static pir_dim offset_of(pir_dims *dims, const contract_tensor *t, const pir_dim *strides) {
  pir_dim offset = pir_dim_const(dims, 0);
  for (int axis = 0; axis < t->rank; axis++) {
    pir_dim along = pir_dim_const(dims, t->map[axis].offset);
    offset = pir_dim_add(dims, offset, pir_dim_mul(dims, strides[axis], along));
  }
  return offset;
}

static bool normalise(const contraction *c, contract_form *f, bool merges) {
  *f = (contract_form){
      .c = c, .group = 1, .above = -1, .joined = -1, .compute = compute_dtype(c)};
  if (!f->compute)
    return false;
  enum { OF_SCALE = 3 };
  pir_dim strides[OF_SCALE + 1][PIR_MAX_RANK];
  int places[OF_SCALE + 1][PIR_MAX_RANK];
  const contract_tensor *tensors[] = {&c->a, &c->b, &c->out, &c->scale};
  for (int i = 0; i < (c->scaled ? OF_SCALE + 1 : OF_SCALE); i++)
    if (!strides_of(c->dims, tensors[i], strides[i], places[i]))
      return false;
  if (!exact(&c->out) || !is_sure(&c->a) || !is_sure(&c->b) ||
      (c->scaled && (!exact(&c->scale) || !is_sure(&c->scale))))
    return false;
  for (int v = 0; v < c->var_count; v++)
    if (!is_dropped(c, v) &&
        !add_axis(f, v, (pir_dim *const[]){strides[0], strides[1], strides[2]},
                  (int *const[]){places[0], places[1], places[2]}))
      return false;
  f->offset_a = offset_of(c->dims, &c->a, strides[OF_A]);
  f->offset_b = offset_of(c->dims, &c->b, strides[OF_B]);
  for (int axis = 0; axis < c->a.rank; axis++)
    if (!contract_stays_inside(c, &c->a, axis) && !add_window(f, axis))
      return false;
  for (int axis = 0; axis < c->b.rank; axis++)
    if (c->b.map[axis].offset && !contract_stays_inside(c, &c->b, axis))
      return false;
  // A merge can make two other axes adjacent, so merging repeats until nothing changes.
  while (merges && merge_once(f))
    continue;
  arrange(f);
  return find_scaled(f, strides[OF_SCALE], places[OF_SCALE]);
}

bool contract_normalise(const contraction *c, contract_form *f) {
  return normalise(c, f, true);
}

bool contract_normalise_apart(const contraction *c, contract_form *f) {
  return normalise(c, f, false);
}

bool pir_contract_scatters(const contraction *c) {
  contract_form f;
  if (!contract_normalise(c, &f) || f.lane < 0 || f.tile < 0)
    return false;
  return !is_dim_one(&f, f.axes[f.lane].step_out) && !is_dim_one(&f, f.axes[f.tile].step_out);
}

bool contract_in_b(const contract_form *f, int axis) {
  return axis != f->lane && (f->axes[axis].role == ROLE_BATCH || f->axes[axis].role == ROLE_N);
}

int64_t contract_panel_lanes(const contract_form *f) {
  return (int64_t)f->vector * f->vectors;
}

pir_dim contract_panels(const contract_form *f) {
  pir_dims *dims = f->c->dims;
  if (f->lane < 0)
    return pir_dim_const(dims, 1);
  return pir_dim_ceildiv(dims, f->axes[f->lane].extent,
                         pir_dim_const(dims, contract_panel_lanes(f)));
}

// Without lines or without columns there are no rows between them either.
pir_dim contract_rows(const contract_form *f) {
  pir_dims *dims = f->c->dims;
  pir_dim one = pir_dim_const(dims, 1), columns = f->axes[f->tile].extent;
  if (f->above < 0)
    return columns;
  pir_dim others = pir_dim_sub(dims, f->axes[f->above].extent, one);
  pir_dim between = pir_dim_mul(dims, others, f->rows_above);
  between = pir_dim_mul(dims, between, pir_dim_min(dims, columns, one));
  return pir_dim_max(dims, pir_dim_add(dims, columns, between), pir_dim_const(dims, 0));
}
