// Chooses between plain products and minimal filtering (contract_winograd.c), and the sizes of
// the latter: outputs of a filter along each axis, patches and panels of a unit. The cost of a
// choice is the time of its products, transforms and bytes; the cheapest is taken. All sizes
// are compile-time constants.
#include "contract_choice.h"
#include "contract_ways.h"

// Assumptions about programs: likely rows and columns of an image with dynamic extents; the
// longest axis whose taps in the padding are counted. About filters: most outputs along an
// axis, and most patches of a unit.
enum { LIKELY_EXTENT = 28, LONGEST_AXIS = 4096, MOST_OUTPUTS = 4, MOST_PATCHES = 512 };

// ---- the axes of a filter

static bool is_step(const contract_form *f, pir_dim step, int64_t want) {
  int64_t value;
  return contract_const(f, step, &value) && value == want;
}

static bool is_float(const contract_form *f) {
  const contraction *c = f->c;
  bool widened = c->a.dtype == PIR_BF16 && c->b.rounded;
  bool reads = c->a.dtype == PIR_F32 || widened;
  return reads && c->b.dtype == PIR_F32 && c->out.dtype == PIR_F32;
}

// Returns the axis of the form that consists of this variable alone; -1 if the variable is
// always 0, -2 if it was merged with another.
static int axis_alone(const contract_form *f, int var) {
  for (int i = 0; i < f->axis_count; i++)
    for (int p = 0; p < f->axes[i].part_count; p++)
      if (f->axes[i].parts[p] == var)
        return f->axes[i].part_count == 1 ? i : -2;
  return -1;
}

static contract_slide no_slide(void) {
  return (contract_slide){.position = -1, .tap = -1, .stride = 1};
}

// Records a variable of an axis of `a` as the slide's tap or position.
static bool take_variable(const contract_form *f, int axis, int64_t factor,
                          contract_slide *out) {
  contract_role role = f->axes[axis].role;
  if (role == ROLE_K && out->tap < 0 && factor == 1) {
    out->tap = axis;
    return true;
  }
  if (role != ROLE_M || out->position >= 0)
    return false;
  out->position = axis;
  out->stride = factor;
  return true;
}

// Whether this axis of `a` is indexed by one position and one tap and nothing else.
static bool find_slide(const contract_form *f, int axis, contract_slide *out) {
  const contract_map *map = &f->c->a.map[axis];
  *out = no_slide();
  out->offset = map->offset;
  out->extent = f->c->a.shape[axis];
  for (int v = 0; v < f->c->var_count; v++) {
    int i = map->factor[v] ? axis_alone(f, v) : -1;
    if (i == -2 || (i >= 0 && !take_variable(f, i, map->factor[v], out)))
      return false;
  }
  return out->position >= 0 && out->tap >= 0;
}

static void swap_slides(contract_slide s[2]) {
  contract_slide rows = s[1];
  s[1] = s[0];
  s[0] = rows;
}

// Finds images and channels: the axes other than slides and lanes. A second slide that does not
// slide takes an axis of positions.
static bool find_other_axes(const contract_form *f, contract_winograd *w) {
  contract_slide *s = w->slide;
  w->image = w->channel = -1;
  for (int i = 0; i < f->axis_count; i++) {
    contract_role role = f->axes[i].role;
    bool slides = i == s[0].position || i == s[1].position || i == s[0].tap || i == s[1].tap;
    if (slides || i == f->lane)
      continue;
    if (role == ROLE_M && s[1].position < 0)
      s[1].position = i;
    else if (role == ROLE_M && w->image < 0)
      w->image = i;
    else if (role == ROLE_K && w->channel < 0)
      w->channel = i;
    else
      return false;
  }
  return w->channel >= 0 && s[1].position >= 0;
}

static bool windows_slide(const contract_form *f, const contract_slide s[2]) {
  for (int i = 0; i < f->window_count; i++)
    if (f->windows[i].tap != s[0].tap && f->windows[i].tap != s[1].tap)
      return false;
  return true;
}

// Finds the axes: two sliding ones, rows first (or one, the other single), images, channels and
// lanes. False if there are others.
static bool find_filter_axes(const contract_form *f, contract_winograd *w) {
  int slides = 0;
  contract_slide *s = w->slide;
  s[1] = no_slide();
  for (int axis = 0; axis < f->c->a.rank; axis++) {
    contract_slide found;
    if (find_slide(f, axis, &found) && slides < 2)
      s[slides++] = found;
  }
  if (!slides || !find_other_axes(f, w) || !windows_slide(f, s))
    return false;
  const contract_axis *axes = f->axes;
  int single = s[1].position;
  if (slides == 1 && w->image >= 0 && axes[w->image].place_a > axes[single].place_a) {
    s[1].position = w->image;
    w->image = single;
  }
  if (axes[s[0].position].place_a > axes[s[1].position].place_a)
    swap_slides(s);
  return true;
}

// ---- sizes

// Returns the widest power of two, at most a register, that divides the extent; 0 if that is
// less than half a register.
static int lanes_for(int64_t extent, int vector) {
  int lanes = vector;
  while (lanes > 1 && extent % lanes)
    lanes /= 2;
  return lanes * 2 >= vector ? lanes : 0;
}

// Chooses the vectors of a panel from few widths, such that none needs a mask.
static int panel_vectors(const pir_machine *machine, int64_t lanes, int vector) {
  for (const int *width = machine->filter.widths; *width; width++)
    if (lanes % (*width * vector) == 0)
      return *width;
  return 0;
}

// Returns a likely value of an extent. If the extent varies with the batch, this is its value
// for one image.
static int64_t likely_extent(const contract_form *f, int axis, int64_t otherwise, bool *known) {
  int64_t value = contract_known_factor(f, f->axes[axis].extent);
  if (contract_const(f, f->axes[axis].extent, &value))
    return value > 0 ? value : 1;
  if (value > 1)
    return value;
  *known = false;
  return otherwise;
}

static int64_t likely_positions(const contract_form *f, const contract_slide *s, bool *known) {
  return likely_extent(f, s->position, LIKELY_EXTENT, known);
}

static int64_t all_lanes(const contract_form *f) {
  int64_t lanes = 1;
  contract_const(f, f->axes[f->lane].extent, &lanes);
  return lanes;
}

// ---- costs, in products

static double bytes_when_packed(const contract_form *f, const contract_winograd *w) {
  double points = w->slide[0].filter.points * w->slide[1].filter.points;
  return points * (double)w->channels * (double)all_lanes(f) * sizeof(float);
}

static double groups_of_panels(const contract_form *f, const contract_winograd *w) {
  return (double)contract_ceil(all_lanes(f), (int64_t)w->panels * w->vectors * w->vector);
}

// Whether a unit's taps stay in the L2 cache from one block to the next.
static bool taps_stay(const contract_form *f, const contract_winograd *w,
                      const pir_target *target) {
  double kept = (double)target->l2_bytes / target->machine->cache.l2_kept;
  return bytes_when_packed(f, w) / groups_of_panels(f, w) <= kept;
}

// Cost of the products and transforms of one patch. Products of tiles with few sums are bound
// by latency, and each tile has a fixed cost; transforms load, add and store.
static double work_of_patch(const contract_form *f, const contract_winograd *w,
                            const pir_machine *machine, double tile) {
  const contract_filter *r = &w->slide[0].filter, *c = &w->slide[1].filter;
  double points = r->points * c->points, inputs = r->inputs * c->inputs,
         outputs = r->outputs * c->outputs, channels = (double)w->channels;
  double vectors = (double)all_lanes(f) / w->vector, panels = vectors / w->vectors;
  double part = (double)w->vector / f->vector, busy = tile * w->vectors;
  double chains = machine->core.chains, wait = busy < chains ? chains / busy : 1;
  double groups = groups_of_panels(f, w);
  double products =
      points * (channels * vectors * part * wait + panels * machine->filter.tile_cost / tile);
  double into = groups * channels / w->wide * (inputs + 3 * points);
  double out = vectors * (3 * points + 2 * outputs);
  return products + into + out;
}

// Time to read packed taps once from the last-level cache or memory.
static double far_reading(const pir_target *target, double bytes) {
  const pir_machine *machine = target->machine;
  bool in_l3 = bytes <= (double)target->l3_bytes / machine->cache.l3_kept;
  return bytes / (in_l3 ? machine->cache.l3_feed : machine->cache.memory_bytes);
}

// Computing and reading overlap.
static double overlapped(const pir_target *target, double work, double reading) {
  int overlap = target->machine->cache.overlap;
  return work > reading ? work + reading / overlap : reading + work / overlap;
}

// Time to move the bytes of all patches. Packed taps are loaded from memory or the last-level
// cache, again for every block if a unit's taps exceed the L2 cache; and from the L2 cache for
// every tile.
static double reading_of_patches(const contract_form *f, const contract_winograd *w,
                                 const pir_target *target, double tile, double patches) {
  const pir_machine *machine = target->machine;
  double bytes = bytes_when_packed(f, w), blocks = patches / w->tiles;
  double far = far_reading(target, bytes);
  if (!taps_stay(f, w, target))
    far += (blocks - 1) * bytes / machine->cache.l3_feed;
  return far + bytes * patches / tile / machine->cache.l2_feed;
}

// Time to transform the taps in every run, in double precision: loads, one for each lane where
// lanes are apart in memory, products, and stores.
static double packing_cost(const contract_form *f, const contract_winograd *w) {
  const contract_filter *r = &w->slide[0].filter, *c = &w->slide[1].filter;
  double taps = r->taps * c->taps, points = r->points * c->points;
  double loads = is_step(f, f->axes[f->lane].step_b, 1) ? taps : taps * w->vector;
  double vectors = (double)all_lanes(f) / w->vector * (double)w->channels;
  return f->c->b_constant ? 0 : vectors * (loads + 2 * 3 * points + points);
}

static double filter_cost(const contract_form *f, const contract_winograd *w,
                          const pir_target *target, double patches) {
  double tile = (double)w->tiles / (double)contract_ceil(w->tiles, w->rows_of_tile);
  double work = patches * work_of_patch(f, w, target->machine, tile);
  double reading = reading_of_patches(f, w, target, tile, patches);
  return overlapped(target, work, reading);
}

// Returns by which fraction the busiest thread exceeds its fair share, averaged over the
// machine's team sizes.
static double imbalance(const pir_machine *machine, int64_t units) {
  int first = machine->core.teams[0], second = machine->core.teams[1];
  double of_first = (double)contract_ceil(units, first) * first / (double)units;
  double of_second = (double)contract_ceil(units, second) * second / (double)units;
  return (of_first + of_second) / 2 - 1;
}

// Returns the largest number of patches of a block. With their sums they take only a part of
// the L2 cache, because the image, the result and packed taps pass through it as well.
static int64_t most_patches(const contract_form *f, const contract_winograd *w,
                            const pir_target *target, int rows) {
  const pir_machine *machine = target->machine;
  int points = w->slide[0].filter.points * w->slide[1].filter.points;
  int64_t width = (int64_t)w->vectors * w->vector;
  int64_t floats = points * (w->channels + f->vector + width);
  int64_t room = (int64_t)target->l2_bytes / machine->cache.l2_shared;
  int64_t most = room / (floats * (int64_t)sizeof(float));
  if (most > machine->filter.patches)
    most = machine->filter.patches;
  return most < rows ? rows : most;
}

// The number of patches, and the cheapest sizes so far.
typedef struct size_search {
  const contract_form *f;
  const pir_target *target;
  int64_t patches, panels;
  bool known;  // the number of patches
  double least;
} size_search;

// Tries units with `tiles` patches in a block, with all panels or fewer.
static void try_shares(size_search *s, contract_winograd *tried, contract_winograd *best) {
  const pir_machine *machine = s->target->machine;
  int64_t width = (int64_t)tried->vectors * tried->vector;
  int64_t all = contract_ceil(s->patches, tried->tiles), before = 0;
  for (int64_t share = s->panels; share != before; share = contract_ceil(share, 2)) {
    before = share;
    if (share < s->panels && share * width < machine->filter.unit_lanes)
      break;
    tried->panels = (int)share;
    int64_t units = all * contract_ceil(s->panels, share);
    double uneven = s->known ? imbalance(machine, units) : 0;
    double cost = filter_cost(s->f, tried, s->target, (double)(all * tried->tiles));
    cost *= 1 + uneven;
    if (s->least >= 0 && cost >= s->least)
      continue;
    s->least = cost;
    *best = *tried;
  }
}

// Chooses the sizes of blocks and units, and returns the cost of all patches. If the number of
// patches is known, the cost decides how much smaller than the maximum a block is, and how many
// panels a unit has.
static double choose_block(const contract_form *f, contract_winograd *w,
                           const pir_target *target, int64_t patches, bool known) {
  const pir_machine *machine = target->machine;
  int rows = contract_most_rows(target, w->vectors);
  int64_t most = most_patches(f, w, target, rows);
  // Smaller tiles fit more numbers of patches.
  if (!known && rows * w->vectors > machine->filter.open_sums)
    rows = machine->filter.open_sums / w->vectors;
  w->rows_of_tile = rows;
  int64_t panels = all_lanes(f) / ((int64_t)w->vectors * w->vector);
  size_search s = {f, target, patches, panels, known, -1};
  int64_t fewest = contract_ceil(patches, most), tries = known ? machine->filter.tries : 1;
  contract_winograd tried = *w;
  for (int64_t n = fewest; n < fewest + tries && n <= patches; n++) {
    tried.tiles = (int)(known ? contract_ceil(patches, n) : most / rows * rows);
    try_shares(&s, &tried, w);
  }
  return s.least;
}

// ---- the choice

// Counts the taps inside the image over all positions along an axis.
static double taps_inside(const contract_form *f, const contract_slide *s, int64_t positions) {
  int64_t extent = 0, inside = 0;
  if (s->tap < 0)
    return (double)positions;
  extent = contract_known_factor(f, s->extent);
  if (extent <= 1 || positions > LONGEST_AXIS)
    return (double)positions * s->filter.taps;
  for (int64_t i = 0; i < positions; i++)
    for (int64_t k = 0; k < s->filter.taps; k++) {
      int64_t at = i * s->stride + s->offset + k;
      inside += at >= 0 && at < extent;
    }
  return (double)inside;
}

static bool make_filter(const contract_form *f, contract_slide *s, pir_math math, int outputs) {
  int64_t taps = 1;
  if (s->tap >= 0 && !contract_const(f, f->axes[s->tap].extent, &taps))
    return false;
  if (taps > CONTRACT_MAX_POINTS || s->stride > CONTRACT_MAX_POINTS)
    return false;
  return contract_filter_make(outputs, (int)taps, (int)s->stride, math, &s->filter);
}

// Makes the filters for the given number of outputs along each axis, and estimates their cost.
static bool try_filters(const contract_form *f, contract_winograd *w, const contract_env *env,
                        const int outputs[2], double *out_cost) {
  bool known = true, one = true;
  int64_t patches = w->image < 0 ? 1 : likely_extent(f, w->image, 1, &one);
  for (int i = 0; i < 2; i++) {
    if (!make_filter(f, &w->slide[i], env->math, outputs[i]))
      return false;
    patches *= contract_ceil(likely_positions(f, &w->slide[i], &known), outputs[i]);
  }
  if (w->slide[0].filter.points == 1 && w->slide[1].filter.points == 1)
    return false;
  *out_cost = choose_block(f, w, env->target, patches, known) + packing_cost(f, w);
  return true;
}

static double plain_cost(const contract_form *f, const contract_winograd *w,
                         const pir_target *target) {
  bool known;
  double work = (double)w->channels * (double)contract_ceil(all_lanes(f), f->vector);
  double bytes = (double)w->channels * (double)all_lanes(f) * sizeof(float);
  if (w->image >= 0)
    work *= (double)likely_extent(f, w->image, 1, &known);
  for (int i = 0; i < 2; i++) {
    work *= taps_inside(f, &w->slide[i], likely_positions(f, &w->slide[i], &known));
    bytes *= w->slide[i].filter.taps;
  }
  return overlapped(target, work, far_reading(target, bytes));
}

static void rank_filter(contract_filters *list, const contract_winograd *tried, double cost) {
  int at = list->count;
  while (at > 0 && cost < list->cost[at - 1])
    at--;
  if (at == CONTRACT_MOST_RANKED)
    return;
  if (list->count < CONTRACT_MOST_RANKED)
    list->count++;
  for (int i = list->count - 1; i > at; i--) {
    list->at[i] = list->at[i - 1];
    list->cost[i] = list->cost[i - 1];
  }
  list->at[at] = *tried;
  list->cost[at] = cost;
}

// Whether these numbers of outputs give each axis with taps a filter, and no other one.
static bool filters_fit(const contract_winograd *w, const int outputs[2]) {
  return (w->slide[0].tap < 0) == (outputs[0] == 1) &&
         (w->slide[1].tap < 0) == (outputs[1] == 1);
}

// Taps are transformed when b is packed: constant weights once, others in every run. Patches
// are transformed in whole vectors, so channels must be contiguous in a and in out.
static bool find_filter_form(const contract_form *f, const contract_env *env,
                             contract_winograd *w) {
  int64_t lanes;
  *w = (contract_winograd){.channel = -1};
  bool packed = f->b_packed && f->lane >= 0 && !f->tile_groups;
  if (f->kind != CONTRACT_PANEL || !is_float(f) || !packed || !find_filter_axes(f, w))
    return false;
  const contract_axis *channel = &f->axes[w->channel], *lane = &f->axes[f->lane];
  if (!contract_const(f, channel->extent, &w->channels) ||
      !contract_const(f, lane->extent, &lanes) || w->channels < 1 || lanes < 1)
    return false;
  if (!is_step(f, channel->step_a, 1) || !is_step(f, lane->step_out, 1))
    return false;
  w->wide = lanes_for(w->channels, f->vector);
  w->vector = lanes_for(lanes, f->vector);
  if (!w->wide || !w->vector)
    return false;
  w->vectors = panel_vectors(env->target->machine, lanes, w->vector);
  return w->vectors > 0;
}

static bool fetches_taps(const contract_form *f, const contract_env *env,
                         const contract_winograd *w) {
  return env->target->machine->cache.fetches_panels && !taps_stay(f, w, env->target);
}

void contract_rank_filters(const contract_form *f, const contract_env *env,
                           contract_filters *list) {
  contract_winograd form;
  double cost;
  list->count = 0;
  if (!find_filter_form(f, env, &form))
    return;
  for (int r = 1; r <= MOST_OUTPUTS; r++)
    for (int c = 1; c <= MOST_OUTPUTS; c++) {
      contract_winograd tried = form;
      if (!filters_fit(&form, (int[]){r, c}) ||
          !try_filters(f, &tried, env, (int[]){r, c}, &cost))
        continue;
      rank_filter(list, &tried, cost);
    }
  for (int i = 0; i < list->count; i++)
    list->at[i].fetches = fetches_taps(f, env, &list->at[i]);
  // The filters differ in their outputs, which plain products have none of.
  if (list->count)
    list->plain_cost = plain_cost(f, &list->at[0], env->target);
}

bool contract_winograd_match(const contract_form *f, const contract_env *env,
                             contract_winograd *w) {
  contract_filters list;
  contract_rank_filters(f, env, &list);
  if (!list.count || list.cost[0] >= env->target->machine->filter.gain * list.plain_cost)
    return false;
  *w = list.at[0];
  return true;
}

bool contract_winograd_make(const contract_form *f, const contract_env *env,
                            const int outputs[2], int patches, int panels,
                            contract_winograd *w) {
  double cost;
  if (!find_filter_form(f, env, w) || !filters_fit(w, outputs) ||
      !try_filters(f, w, env, outputs, &cost))
    return false;
  int64_t all = all_lanes(f) / ((int64_t)w->vectors * w->vector);
  if (patches < 1 || patches > MOST_PATCHES || panels < 1 || panels > all)
    return false;
  w->tiles = patches;
  w->panels = panels;
  w->fetches = fetches_taps(f, env, w);
  return true;
}

// Time to copy a and the result between the channels-last order and another one: squares of
// vectors are transposed in registers, in log2(lanes) steps.
static double turning_cost(const contract_form *f, const contract_winograd *w,
                           const pir_target *target) {
  bool known;
  double images = w->image < 0 ? 1 : (double)likely_extent(f, w->image, 1, &known);
  double in = images * (double)w->channels, out = images * (double)all_lanes(f), steps = 2;
  for (int i = 0; i < 2; i++) {
    const contract_slide *s = &w->slide[i];
    int64_t positions = likely_positions(f, s, &known);
    int64_t extent = s->tap < 0 ? positions : contract_known_factor(f, s->extent);
    in *= (double)(extent > 1 ? extent : positions * s->stride);
    out *= (double)positions;
  }
  for (int lanes = f->vector; lanes > 1; lanes /= 2)
    steps++;
  double bytes = 2 * (in + out) * sizeof(float);
  return overlapped(target, (in + out) / f->vector * steps, far_reading(target, bytes));
}

bool pir_contract_filters_turned(const contraction *c, const contract_env *env) {
  contract_form f;
  contract_filters list;
  if (env->target->device || !contract_normalise(c, &f))
    return false;
  contract_choose_group(&f, env);
  contract_schedule(&f, env->target);
  contract_rank_filters(&f, env, &list);
  if (!list.count || f.group > 1)
    return false;
  double cost = list.cost[0] + turning_cost(&f, &list.at[0], env->target);
  return cost < env->target->machine->filter.gain * list.plain_cost;
}
