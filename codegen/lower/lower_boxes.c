// Stages of devices for ops that read a map at computed positions: prior boxes, regions that
// are resampled, convolutions with offsets. They compute like the runtime's kernels:
// coordinates are rounded as f32 arithmetic rounds them. Sums of f32 are f32.
#include "nest.h"

#include <pir/layer/prior_boxes.h>

#include <string.h>

// Builds expressions of one float type.
typedef struct numbers {
  lowering *l;
  loop_module *m;
  pir_dtype type;
} numbers;

static loop_expr *real_of(const numbers *n, double value) {
  return pir_loop_const_float(n->m, n->type, value);
}

static loop_expr *converted(const numbers *n, loop_expr *e) {
  return pir_loop_cast(n->m, e, n->type);
}

static loop_expr *ratio_of(const numbers *n, loop_expr *a, loop_expr *b) {
  return pir_loop_op(n->m, PIR_V_DIV, a, b, NULL);
}

static loop_expr *named(const numbers *n, const char *name, loop_expr *e) {
  return pir_loop_let(n->l->fn, n->l->block, name, e);
}

static loop_expr *at_least(const numbers *n, loop_expr *a, loop_expr *b) {
  return pir_loop_op(n->m, PIR_V_LE, b, a, NULL);
}

static bool has_rank(lowering *l, const pir_value *v, int rank) {
  const pir_fact *f = v ? lower_fact(l, v) : NULL;
  return f && pir_fact_has_rank(f) && f->rank == rank;
}

static pir_dtype type_of(const pir_fact *f) {
  return f->dtype == PIR_F64 ? PIR_F64 : PIR_F32;
}

// An element of an operand, which is read where the condition holds (NULL: always).
static loop_expr *read_where(lowering *l, const pir_value *v, loop_expr *const *index,
                             loop_expr *condition) {
  l->guard = condition;
  loop_expr *e = lower_element(l, v, index);
  l->guard = NULL;
  return e;
}

// ---- prior boxes

enum { MOST_PRIORS = 64, MOST_RATIOS = 2 * MOST_PRIORS + 1 };

// The element of a list whose number is `at`; the last one, if it is none of the others.
static loop_expr *chosen(const numbers *n, loop_expr *at, const double *list, size_t count,
                         size_t stride) {
  loop_expr *e = real_of(n, list[(count - 1) * stride]);
  for (size_t i = count - 1; i-- > 0;) {
    loop_expr *here = pir_loop_op(n->m, PIR_V_EQ, at, pir_loop_int(n->m, (int64_t)i), NULL);
    e = pir_loop_select(n->m, here, real_of(n, list[i * stride]), e);
  }
  return e;
}

static pir_prior_numbers prior_numbers(const pir_attr_value *attr) {
  return (pir_prior_numbers){attr->floats, attr->kind == PIR_VALUE_FLOATS ? attr->count : 0};
}

// Returns the number of boxes of a cell; 0: they are none, too many, or not well described.
static size_t read_priors(const pir_attr_value *attrs, pir_prior *priors) {
  int64_t flip, order;
  float ratios[MOST_RATIOS];
  pir_prior_form form = {.sizes = prior_numbers(&attrs[PRIOR_MIN]),
                         .larger = prior_numbers(&attrs[PRIOR_MAX]),
                         .ratios = prior_numbers(&attrs[PRIOR_RATIOS])};
  if (!pir_attr_value_int(&attrs[PRIOR_FLIP], &flip) ||
      !pir_attr_value_int(&attrs[PRIOR_ORDER], &order) ||
      prior_numbers(&attrs[PRIOR_VARIANCES]).count != 4 ||
      (form.larger.count && form.larger.count != form.sizes.count) ||
      form.ratios.count > MOST_PRIORS)
    return 0;
  form.flip = flip != 0;
  form.squares_first = order != 0;
  size_t count = pir_list_ratios(&form, ratios);
  if (form.sizes.count > MOST_PRIORS / (count + 1))
    return 0;
  return pir_list_priors(&form, ratios, count, priors);
}

// The distance of two cells along axis `a` of the image: 0 is across.
static loop_expr *cell_step(const numbers *n, const pir_attr_value *attrs,
                            const pir_fact *image, const pir_fact *out, int a) {
  double step[2] = {0, 0};
  for (int i = 0; i < 2; i++)
    if (pir_attr_value_float(&attrs[PRIOR_STEP_W + i], &step[i]) && n->type == PIR_F32)
      step[i] = (float)step[i];
  if (step[0] != 0 && step[1] != 0)
    return real_of(n, step[a]);
  return ratio_of(n, converted(n, lower_dim(n->l, image->shape[3 - a])),
                  converted(n, lower_dim(n->l, out->shape[1 - a])));
}

void lower_prior_box(lowering *l, const pir_op *op, const pir_attr_value *attrs,
                     lower_stages *stages) {
  const pir_value *out = pir_op_result(op, 0), *picture = pir_op_operand(op, 1);
  const pir_fact *to = lower_fact(l, out);
  pir_prior priors[2 * MOST_PRIORS];
  lower_axes at;
  int64_t boxes, clip = 0;
  double offset = 0;
  size_t count = read_priors(attrs, priors);
  numbers n = {l, l->m, type_of(to)};
  if (!count || !has_rank(l, out, 4) || !has_rank(l, picture, 4) ||
      !pir_dim_is_const(l->dims, to->shape[2], &boxes) || boxes != (int64_t)count ||
      !pir_attr_value_float(&attrs[PRIOR_OFFSET], &offset) ||
      !pir_attr_value_int(&attrs[PRIOR_CLIP], &clip)) {
    lower_fail(l, op, "boxes of another form");
    return;
  }
  const pir_fact *image = lower_fact(l, picture);
  lower_place outside = lower_open_elements(l, to, &at, stages);
  loop_expr *two = pir_loop_int(l->m, 2), *part = at.index[3], *zero = pir_loop_int(l->m, 0);
  loop_expr *down = pir_loop_op(l->m, PIR_V_NE, pir_loop_mod(l->m, part, two), zero, NULL);
  loop_expr *along[2];
  for (int a = 0; a < 2; a++) {
    loop_expr *cell = pir_loop_add(l->m, converted(&n, at.index[1 - a]), real_of(&n, offset)),
              *center = pir_loop_mul(l->m, cell, cell_step(&n, attrs, image, to, a));
    loop_expr *half = chosen(&n, at.index[2], a ? &priors->height : &priors->width, count, 2);
    center = named(&n, "center", center);
    half = named(&n, "half", half);
    loop_expr *corner =
        pir_loop_select(l->m, pir_loop_lt(l->m, part, two), pir_loop_sub(l->m, center, half),
                        pir_loop_add(l->m, center, half));
    along[a] = ratio_of(&n, corner, converted(&n, lower_dim(l, image->shape[3 - a])));
  }
  loop_expr *e = pir_loop_select(l->m, down, along[1], along[0]);
  if (clip)
    e = pir_loop_min(l->m, pir_loop_max(l->m, e, real_of(&n, 0)), real_of(&n, 1));
  lower_store_element(l, out, at.index, e);
  lower_store_element(l, pir_op_result(op, 1), at.index,
                      chosen(&n, part, attrs[PRIOR_VARIANCES].floats, 4, 1));
  lower_leave(l, outside);
}

// ---- regions

enum { ROI_HEIGHT, ROI_WIDTH, ROI_SCALE, ROI_SAMPLING, ROI_ALIGNED };

// A region along one axis of the map, and one bin of it.
typedef struct region_axis {
  loop_expr *start, *extent;  // of a bin
  loop_expr *bin;             // its number
  loop_expr *samples;         // that it takes, an index
  loop_expr *length;          // of the map
} region_axis;

// A sample along one axis: the two positions that it lies between, the weight of the lower one,
// and whether it lies in the map.
typedef struct sample {
  loop_expr *low, *high, *weight, *inside;
} sample;

// A coordinate of a box, in elements of the map.
static loop_expr *map_coordinate(const numbers *n, const pir_attr_value *attrs,
                                 const pir_value *boxes, loop_expr *box, int k) {
  double scale = 1;
  int64_t aligned = 0;
  loop_expr *index[PIR_MAX_RANK] = {box, pir_loop_int(n->m, k)};
  (void)pir_attr_value_float(&attrs[ROI_SCALE], &scale);
  (void)pir_attr_value_int(&attrs[ROI_ALIGNED], &aligned);
  loop_expr *e = converted(n, lower_element(n->l, boxes, index));
  e = pir_loop_mul(n->m, e, real_of(n, scale));
  return named(n, "corner", pir_loop_sub(n->m, e, real_of(n, aligned ? 0.5 : 0)));
}

static region_axis read_region(const numbers *n, const pir_op *op, const pir_attr_value *attrs,
                               loop_expr *box, int a) {
  enum { MOST = 1000000 };  // samples of a bin; more are none
  const pir_value *boxes = pir_op_operand(op, 1);
  loop_module *m = n->m;
  int64_t bins = 1, samples = 0, aligned = 0;
  (void)pir_attr_value_int(&attrs[a ? ROI_HEIGHT : ROI_WIDTH], &bins);
  (void)pir_attr_value_int(&attrs[ROI_SAMPLING], &samples);
  (void)pir_attr_value_int(&attrs[ROI_ALIGNED], &aligned);
  region_axis to = {
      .start = map_coordinate(n, attrs, boxes, box, a),
      .length = lower_dim(n->l, lower_fact(n->l, pir_op_operand(op, 0))->shape[a ? 2 : 3])};
  loop_expr *length = pir_loop_sub(m, map_coordinate(n, attrs, boxes, box, 2 + a), to.start);
  if (!aligned)  // a NaN is 1, too
    length = pir_loop_select(m, pir_loop_lt(m, real_of(n, 1), length), length, real_of(n, 1));
  to.extent = named(n, "extent", ratio_of(n, length, real_of(n, (double)bins)));
  to.samples = pir_loop_int(m, samples);
  if (samples > 0)
    return to;
  loop_expr *wanted = pir_loop_op(m, PIR_V_CEIL, to.extent, NULL, NULL),
            *fits = lower_both(n->l, pir_loop_lt(m, real_of(n, 0), wanted),
                               pir_loop_lt(m, wanted, real_of(n, MOST)));
  loop_var *v = pir_loop_var_create(n->l->fn, "samples", LOOP_INDEX, 1);
  v->extent = pir_loop_int(m, MOST);
  pir_loop_bind(n->l->fn, n->l->block, v,
                pir_loop_cast(m, pir_loop_select(m, fits, wanted, real_of(n, 0)), LOOP_INDEX));
  to.samples = pir_loop_use(m, v);
  return to;
}

// Sample i of the bin.
static sample bin_sample(const numbers *n, const region_axis *of, loop_expr *i) {
  loop_module *m = n->m;
  loop_expr *last = pir_loop_sub(m, of->length, pir_loop_int(m, 1));
  loop_expr *part = pir_loop_add(m, converted(n, i), real_of(n, 0.5));
  part = pir_loop_add(m, converted(n, of->bin), ratio_of(n, part, converted(n, of->samples)));
  loop_expr *at = named(n, "at", pir_loop_add(m, of->start, pir_loop_mul(m, of->extent, part)));
  sample s;
  s.inside = lower_both(n->l, at_least(n, at, real_of(n, -1)),
                        at_least(n, converted(n, of->length), at));
  s.inside = lower_both(n->l, s.inside, pir_loop_lt(m, pir_loop_int(m, 0), of->length));
  s.inside = named(n, "inside", s.inside);
  loop_expr *from = pir_loop_select(
      m, lower_both(n->l, s.inside, pir_loop_lt(m, real_of(n, 0), at)), at, real_of(n, 0));
  from = named(n, "from", from);
  loop_expr *low = named(n, "low", pir_loop_cast(m, from, LOOP_INDEX));
  loop_expr *ends = at_least(n, low, last), *next = pir_loop_add(m, low, pir_loop_int(m, 1));
  s.low = named(n, "low", pir_loop_select(m, ends, last, low));
  s.high = named(n, "high", pir_loop_select(m, ends, last, next));
  s.weight =
      named(n, "weight",
            pir_loop_select(m, ends, real_of(n, 0), pir_loop_sub(m, converted(n, next), from)));
  return s;
}

// The number of the image whose region this is: of those before it all regions come first.
static loop_expr *image_of(const numbers *n, const pir_op *op, loop_expr *box) {
  lowering *l = n->l;
  loop_module *m = n->m;
  enum { REGIONS, IMAGE, FAULTS, COUNTS };
  const pir_value *list = pir_op_operands(op) > 2 ? pir_op_operand(op, 2) : NULL;
  const pir_fact *x = lower_fact(l, pir_op_operand(op, 0)),
                 *boxes = lower_fact(l, pir_op_operand(op, 1));
  lower_site site = {.l = l, .op = op};
  if (!list) {
    lower_expect_equal(l, x->shape[0], pir_dim_const(l->dims, 1));
    return pir_loop_int(m, 0);
  }
  if (!has_rank(l, list, 1)) {
    lower_fail(l, op, "regions whose images are not numbered");
    return pir_loop_int(m, 0);
  }
  lower_expect_equal(l, lower_fact(l, list)->shape[0], x->shape[0]);
  loop_expr *zero = pir_loop_int(m, 0), *none = pir_loop_const_int(m, PIR_I64, 0),
            *images = lower_dim(l, x->shape[0]), *at[COUNTS], *held[COUNTS];
  loop_buffer *counts = pir_loop_registers(l->fn, "counts", PIR_I64, 1, COUNTS);
  for (int i = 0; i < COUNTS; i++) {
    at[i] = pir_loop_int(m, i);
    held[i] = pir_loop_load(m, counts, at[i], 1, NULL);
    pir_loop_store(l->fn, l->block, counts, at[i], none, NULL);
  }
  loop_var *v = pir_loop_var_create(l->fn, "image", LOOP_INDEX, 1);
  v->extent = images;
  lower_place outside =
      lower_enter(l, pir_loop_for(l->fn, l->block, LOOP_SERIAL, v, zero, images, NULL));
  loop_expr *index[PIR_MAX_RANK] = {pir_loop_use(m, v)};
  loop_expr *here = pir_loop_cast(m, lower_element(l, list, index), PIR_I64);
  pir_loop_accumulate(l->fn, l->block, counts, at[REGIONS], PIR_COMBINE_ADD, here);
  loop_expr *before =
      pir_loop_op(m, PIR_V_LE, held[REGIONS], pir_loop_cast(m, box, PIR_I64), NULL);
  pir_loop_accumulate(l->fn, l->block, counts, at[IMAGE], PIR_COMBINE_ADD,
                      pir_loop_cast(m, before, PIR_I64));
  pir_loop_accumulate(l->fn, l->block, counts, at[FAULTS], PIR_COMBINE_ADD,
                      pir_loop_cast(m, pir_loop_lt(m, here, none), PIR_I64));
  lower_leave(l, outside);
  loop_expr *all = pir_loop_cast(m, lower_dim(l, boxes->shape[0]), PIR_I64);
  loop_expr *fails = pir_loop_op(m, PIR_V_NE, held[REGIONS], all, NULL);
  fails = pir_loop_op(m, PIR_V_OR, fails, pir_loop_lt(m, none, held[FAULTS]), NULL);
  fails = named(n, "fails", fails);
  lower_trap(&site, "boxes_num: it does not number the regions", fails);
  loop_var *image = pir_loop_var_create(l->fn, "image", LOOP_INDEX, 1);
  image->extent = images;
  pir_loop_bind(l->fn, l->block, image,
                pir_loop_select(m, fails, zero, pir_loop_cast(m, held[IMAGE], LOOP_INDEX)));
  return pir_loop_use(m, image);
}

// Adds the value of the map between four elements.
static void add_sample(const numbers *n, loop_buffer *sum, const pir_value *x,
                       loop_expr **index, const sample *down, const sample *across) {
  loop_module *m = n->m;
  loop_expr *inside = lower_both(n->l, down->inside, across->inside), *one = real_of(n, 1);
  for (int i = 0; i < 2; i++) {
    loop_expr *line[2], *zero = pir_loop_int(m, 0);
    index[2] = i ? down->high : down->low;
    for (int j = 0; j < 2; j++) {
      index[3] = j ? across->high : across->low;
      line[j] = converted(n, read_where(n->l, x, index, inside));
    }
    loop_expr *e = pir_loop_add(m, pir_loop_mul(m, across->weight, line[0]),
                                pir_loop_mul(m, pir_loop_sub(m, one, across->weight), line[1]));
    loop_expr *weight = i ? pir_loop_sub(m, one, down->weight) : down->weight;
    e = pir_loop_select(m, inside, pir_loop_mul(m, weight, e), real_of(n, 0));
    pir_loop_accumulate(n->l->fn, n->l->block, sum, zero, PIR_COMBINE_ADD, e);
  }
}

static lower_place enter_samples(lowering *l, loop_expr *count, loop_expr **out_at) {
  loop_var *v = pir_loop_var_create(l->fn, "s", LOOP_INDEX, 1);
  v->extent = count;
  *out_at = pir_loop_use(l->m, v);
  return lower_enter(
      l, pir_loop_for(l->fn, l->block, LOOP_SERIAL, v, pir_loop_int(l->m, 0), count, NULL));
}

void lower_roi_align(lowering *l, const pir_op *op, const pir_attr_value *attrs,
                     lower_stages *stages) {
  loop_module *m = l->m;
  const pir_value *x = pir_op_operand(op, 0), *out = pir_op_result(op, 0);
  lower_axes at;
  region_axis axes[2];
  loop_expr *zero = pir_loop_int(m, 0), *i, *j;
  numbers n = {l, m, type_of(lower_fact(l, x))};
  if (!has_rank(l, x, 4) || !has_rank(l, pir_op_operand(op, 1), 2) || !has_rank(l, out, 4) ||
      !pir_dtype_is_float(lower_fact(l, x)->dtype)) {
    lower_fail(l, op, "regions of another form, or of integers");
    return;
  }
  lower_place outside = lower_open_elements(l, lower_fact(l, out), &at, stages);
  lower_take_turns(l);
  loop_expr *index[PIR_MAX_RANK] = {image_of(&n, op, at.index[0]), at.index[1]};
  for (int a = 0; a < 2; a++) {
    axes[a] = read_region(&n, op, attrs, at.index[0], a);
    axes[a].bin = at.index[3 - a];
  }
  loop_buffer *sum = pir_loop_registers(l->fn, "sum", n.type, 1, 1);
  pir_loop_store(l->fn, l->block, sum, zero, real_of(&n, 0), NULL);
  lower_place rows = enter_samples(l, axes[1].samples, &i);
  sample down = bin_sample(&n, &axes[1], i);
  lower_place columns = enter_samples(l, axes[0].samples, &j);
  sample across = bin_sample(&n, &axes[0], j);
  add_sample(&n, sum, x, index, &down, &across);
  lower_leave(l, columns);
  lower_leave(l, rows);
  loop_expr *count = converted(&n, pir_loop_mul(m, axes[0].samples, axes[1].samples));
  lower_store_element(l, out, at.index,
                      ratio_of(&n, pir_loop_load(m, sum, zero, 1, NULL), count));
  lower_leave(l, outside);
}

// ---- convolutions with offsets: the samples that the filters read are columns in memory, then
// each result is a sum of products with them

enum { DEFORM_STRIDES, DEFORM_PADDINGS, DEFORM_DILATIONS, DEFORM_OFFSET_GROUPS, DEFORM_GROUPS };
enum { DEFORM_X, DEFORM_OFFSET, DEFORM_FILTER, DEFORM_MASK };
enum { COLUMN_IMAGE, COLUMN_CHANNEL, COLUMN_TAP, COLUMN_Y, COLUMN_X, COLUMN_AXES };

typedef struct deform {
  numbers n;
  const pir_op *op;
  const pir_attr_value *attrs;
  const pir_value *mask;  // NULL: none
  int64_t channels, filters, taps[2], offset_groups, groups;
  lower_axes columns;
  uint16_t slot;  // of the columns
} deform;

static bool read_two(const pir_attr_value *attr) {
  return attr->kind == PIR_VALUE_INTS && attr->count == 2;
}

// Reads the extents, which must be known where they divide channels among groups.
static bool read_deform(deform *d, lowering *l) {
  const pir_attr_value *attrs = d->attrs;
  const pir_op *op = d->op;
  for (int i = DEFORM_X; i <= DEFORM_FILTER; i++)
    if (!has_rank(l, pir_op_operand(op, (size_t)i), 4))
      return false;
  if (!has_rank(l, pir_op_result(op, 0), 4) || (d->mask && !has_rank(l, d->mask, 4)))
    return false;
  const pir_fact *x = lower_fact(l, pir_op_operand(op, DEFORM_X)),
                 *filter = lower_fact(l, pir_op_operand(op, DEFORM_FILTER));
  return read_two(&attrs[DEFORM_STRIDES]) && read_two(&attrs[DEFORM_PADDINGS]) &&
         read_two(&attrs[DEFORM_DILATIONS]) &&
         pir_attr_value_int(&attrs[DEFORM_OFFSET_GROUPS], &d->offset_groups) &&
         pir_attr_value_int(&attrs[DEFORM_GROUPS], &d->groups) &&
         pir_dim_is_const(l->dims, x->shape[1], &d->channels) &&
         pir_dim_is_const(l->dims, filter->shape[0], &d->filters) &&
         pir_dim_is_const(l->dims, filter->shape[2], &d->taps[0]) &&
         pir_dim_is_const(l->dims, filter->shape[3], &d->taps[1]) && d->offset_groups > 0 &&
         d->groups > 0 && d->channels > 0 && d->filters > 0 && d->taps[0] > 0 &&
         d->taps[1] > 0 && d->channels % d->offset_groups == 0 &&
         d->channels % d->groups == 0 && d->filters % d->groups == 0;
}

static void expect_extents(const deform *d, const pir_value *v, pir_dim image,
                           int64_t channels) {
  lowering *l = d->n.l;
  const pir_fact *f = lower_fact(l, v), *out = lower_fact(l, pir_op_result(d->op, 0));
  lower_expect_equal(l, f->shape[0], image);
  lower_expect_equal(l, f->shape[1], pir_dim_const(l->dims, channels));
  lower_expect_equal(l, f->shape[2], out->shape[2]);
  lower_expect_equal(l, f->shape[3], out->shape[3]);
}

// Where one axis is sampled: the first of two positions, and how far behind it.
typedef struct place {
  loop_expr *first, *rest, *outside;
} place;

// The offset is divided in its whole part and the rest, which are exact in its type.
static place sample_place(const deform *d, loop_expr *at, loop_expr *tap, loop_expr *offset,
                          int a) {
  enum { FAR = 1 << 30 };
  const numbers *n = &d->n;
  loop_module *m = n->m;
  const pir_fact *x = lower_fact(n->l, pir_op_operand(d->op, DEFORM_X));
  loop_expr *whole = named(n, "whole", pir_loop_op(m, PIR_V_FLOOR, offset, NULL, NULL));
  loop_expr *near = named(n, "near",
                          lower_both(n->l, pir_loop_lt(m, real_of(n, -FAR), whole),
                                     pir_loop_lt(m, whole, real_of(n, FAR))));
  loop_expr *row = pir_loop_mul(m, at, pir_loop_int(m, d->attrs[DEFORM_STRIDES].ints[a]));
  row = pir_loop_sub(m, row, pir_loop_int(m, d->attrs[DEFORM_PADDINGS].ints[a]));
  row = pir_loop_add(m, row,
                     pir_loop_mul(m, tap, pir_loop_int(m, d->attrs[DEFORM_DILATIONS].ints[a])));
  loop_expr *moved =
      pir_loop_cast(m, pir_loop_select(m, near, whole, real_of(n, 0)), LOOP_INDEX);
  place p = {.first = named(n, "first", pir_loop_add(m, row, moved)),
             .rest = named(n, "rest", pir_loop_sub(m, offset, whole))};
  // Beyond the last element before the map, or on it: y <= -1.
  loop_expr *before = pir_loop_lt(m, p.first, pir_loop_int(m, -1)),
            *onto =
                lower_both(n->l, pir_loop_op(m, PIR_V_EQ, p.first, pir_loop_int(m, -1), NULL),
                           pir_loop_op(m, PIR_V_EQ, p.rest, real_of(n, 0), NULL));
  loop_expr *behind = at_least(n, p.first, lower_dim(n->l, x->shape[2 + a]));
  p.outside =
      pir_loop_op(m, PIR_V_OR, pir_loop_op(m, PIR_V_OR, before, onto, NULL), behind, NULL);
  p.outside =
      pir_loop_op(m, PIR_V_OR, p.outside, pir_loop_op(m, PIR_V_NOT, near, NULL, NULL), NULL);
  p.outside = named(n, "outside", p.outside);
  return p;
}

// The map between the four elements around a place; it is 0 outside.
static loop_expr *between_elements(const deform *d, loop_expr **index, const place places[2]) {
  const numbers *n = &d->n;
  loop_module *m = n->m;
  const pir_value *x = pir_op_operand(d->op, DEFORM_X);
  const pir_fact *f = lower_fact(n->l, x);
  loop_expr *sum = real_of(n, 0), *one = real_of(n, 1);
  loop_expr *out = pir_loop_op(m, PIR_V_OR, places[0].outside, places[1].outside, NULL),
            *in = named(n, "in", pir_loop_op(m, PIR_V_NOT, out, NULL, NULL));
  for (int i = 0; i < 4; i++) {
    loop_expr *weight[2], *here = in;
    for (int a = 0; a < 2; a++) {
      bool second = a ? i % 2 : i / 2;
      index[2 + a] = pir_loop_add(m, places[a].first, pir_loop_int(m, second));
      here = lower_both(n->l, here,
                        lower_in_range(n->l, index[2 + a], lower_dim(n->l, f->shape[2 + a])));
      weight[a] = second ? places[a].rest : pir_loop_sub(m, one, places[a].rest);
    }
    here = named(n, "here", here);
    loop_expr *e = pir_loop_mul(m, pir_loop_mul(m, weight[0], weight[1]),
                                converted(n, read_where(n->l, x, index, here)));
    sum = named(n, "sum", pir_loop_add(m, sum, pir_loop_select(m, here, e, real_of(n, 0))));
  }
  return sum;
}

static loop_expr *column_position(const deform *d, loop_expr *const *index) {
  loop_module *m = d->n.m;
  loop_expr *at = pir_loop_int(m, 0);
  for (int i = 0; i < COLUMN_AXES; i++)
    at =
        pir_loop_add(m, pir_loop_mul(m, at, lower_dim(d->n.l, d->columns.extent[i])), index[i]);
  return at;
}

static loop_buffer *column_buffer(const deform *d, bool read_only) {
  return pir_loop_arg(d->n.l->fn, "columns", d->n.type, d->slot,
                      (uint32_t)pir_dtype_size(d->n.type), read_only);
}

static void store_columns(deform *d, lower_stages *stages) {
  const numbers *n = &d->n;
  lowering *l = n->l;
  loop_module *m = n->m;
  const pir_value *offset = pir_op_operand(d->op, DEFORM_OFFSET);
  int64_t all = d->taps[0] * d->taps[1];
  place places[2];
  loop_block *block = lower_open_lanes(l, &d->columns, stages);
  lower_take_turns(l);
  loop_buffer *columns = column_buffer(d, false);
  lower_place outside = lower_enter(l, block);
  loop_expr **at = d->columns.index, *wide = pir_loop_int(m, d->taps[1]);
  loop_expr *taps[2] = {pir_loop_floordiv(m, at[COLUMN_TAP], wide),
                        pir_loop_mod(m, at[COLUMN_TAP], wide)};
  loop_expr *group =
      pir_loop_floordiv(m, at[COLUMN_CHANNEL], pir_loop_int(m, d->channels / d->offset_groups));
  loop_expr *tap =
      pir_loop_add(m, pir_loop_mul(m, group, pir_loop_int(m, all)), at[COLUMN_TAP]);
  loop_expr *index[PIR_MAX_RANK] = {at[COLUMN_IMAGE], NULL, at[COLUMN_Y], at[COLUMN_X]};
  for (int a = 0; a < 2; a++) {
    index[1] = pir_loop_add(m, pir_loop_mul(m, tap, pir_loop_int(m, 2)), pir_loop_int(m, a));
    places[a] = sample_place(d, at[COLUMN_Y + a], taps[a],
                             converted(n, lower_element(l, offset, index)), a);
  }
  index[1] = tap;
  loop_expr *weight = d->mask ? converted(n, lower_element(l, d->mask, index)) : real_of(n, 1);
  index[1] = at[COLUMN_CHANNEL];
  loop_expr *e = pir_loop_mul(m, between_elements(d, index, places), weight);
  pir_loop_store(l->fn, l->block, columns, column_position(d, at), e, NULL);
  lower_leave(l, outside);
}

static void multiply_columns(const deform *d, lower_stages *stages) {
  const numbers *n = &d->n;
  lowering *l = n->l;
  loop_module *m = n->m;
  const pir_value *out = pir_op_result(d->op, 0),
                  *filter = pir_op_operand(d->op, DEFORM_FILTER);
  int64_t depth = d->channels / d->groups;
  lower_axes at;
  loop_expr *zero = pir_loop_int(m, 0), *c, *k, *wide = pir_loop_int(m, d->taps[1]);
  lower_place outside = lower_open_elements(l, lower_fact(l, out), &at, stages);
  lower_take_turns(l);
  loop_buffer *columns = column_buffer(d, true),
              *sum = pir_loop_registers(l->fn, "sum", n->type, 1, 1);
  pir_loop_store(l->fn, l->block, sum, zero, real_of(n, 0), NULL);
  loop_expr *group = pir_loop_floordiv(m, at.index[1], pir_loop_int(m, d->filters / d->groups));
  lower_place channels = enter_samples(l, pir_loop_int(m, depth), &c),
              taps = enter_samples(l, pir_loop_int(m, d->taps[0] * d->taps[1]), &k);
  loop_expr *index[] = {at.index[1], c, pir_loop_floordiv(m, k, wide),
                        pir_loop_mod(m, k, wide)};
  loop_expr *column[COLUMN_AXES] = {
      at.index[0], pir_loop_add(m, pir_loop_mul(m, group, pir_loop_int(m, depth)), c), k,
      at.index[2], at.index[3]};
  loop_expr *e = converted(n, lower_element(l, filter, index)),
            *read = pir_loop_load(m, columns, column_position(d, column), 1, NULL);
  pir_loop_store(l->fn, l->block, sum, zero,
                 pir_loop_fma(m, e, read, pir_loop_load(m, sum, zero, 1, NULL)), NULL);
  lower_leave(l, taps);
  lower_leave(l, channels);
  lower_store_element(l, out, at.index, pir_loop_load(m, sum, zero, 1, NULL));
  lower_leave(l, outside);
}

void lower_deformable_conv(lowering *l, const pir_op *op, const pir_attr_value *attrs,
                           lower_stages *stages) {
  const pir_value *mask =
      pir_op_operands(op) > DEFORM_MASK ? pir_op_operand(op, DEFORM_MASK) : NULL;
  deform d = {.op = op, .attrs = attrs, .mask = mask};
  d.n = (numbers){l, l->m, type_of(lower_fact(l, pir_op_result(op, 0)))};
  if (!read_deform(&d, l)) {
    lower_fail(l, op, "extents that are not known, or that do not fit");
    return;
  }
  const pir_fact *x = lower_fact(l, pir_op_operand(op, DEFORM_X)),
                 *out = lower_fact(l, pir_op_result(op, 0));
  int64_t taps = d.taps[0] * d.taps[1];
  d.columns = (lower_axes){.count = COLUMN_AXES,
                           .extent = {x->shape[0], x->shape[1], pir_dim_const(l->dims, taps),
                                      out->shape[2], out->shape[3]}};
  expect_extents(&d, pir_op_operand(op, DEFORM_OFFSET), x->shape[0],
                 2 * taps * d.offset_groups);
  if (mask)
    expect_extents(&d, mask, x->shape[0], taps * d.offset_groups);
  lower_expect_equal(l, lower_fact(l, pir_op_operand(op, DEFORM_FILTER))->shape[1],
                     pir_dim_const(l->dims, d.channels / d.groups));
  pir_dim bytes = pir_dim_const(l->dims, (int64_t)pir_dtype_size(d.n.type));
  for (int i = 0; i < COLUMN_AXES; i++)
    bytes = pir_dim_mul(l->dims, bytes, d.columns.extent[i]);
  d.slot = lower_temporary(l, bytes);
  store_columns(&d, stages);
  multiply_columns(&d, stages);
}
