// Runs contractions: matrix products and convolutions with any strides, paddings, dilations and
// groups.
//
// Coordinates have four roles: row (moves only x), column (only y), batch (both) and reduced. x
// is packed once into panels of tile height, [rows x reduced]. The columns of y are packed
// panel by panel, by the thread that needs them, in depths that fit the L2 cache, so a
// convolution gathers its patches during packing. Indices outside their axis are packed as 0.
// If there are too few rows for a tile (depthwise convolution, vector times matrix), y is not
// packed: each run along the last column coordinate is a sum of scaled runs, clipped to the
// valid index range.
//
// A vector times a transposed matrix is one dot product for each column. Sums accumulate in the
// lanes of the element type over at most DEPTH products before they are added up. Memory:
// packed x, and one panel for each thread.
#include <stdlib.h>
#include <string.h>

#include "contraction.h"
#include "convert.h"
#include "kernels.h"

#include <pir/compiler/index_nodes.h>

enum {
  DEPTH = 384,
  THIN_ROWS = 3,
  THIN_RUN = 1024,
  THIN_STEP = 4,
  PIECE = 16,
  MAX_PACK = 32 << 20
};

// The coordinates of one role, flattened row-major.
typedef struct group {
  int coords[AFFINE_COORDS], count;
  int64_t size;
} group;

// The contributions of the reduced positions to the offset, and to each bounded index.
typedef struct depth_table {
  int64_t *offset, *index[CONTRACT_BOUNDS];
  bool run;  // the offsets count up by one
} depth_table;

typedef struct contract_run {
  contract k;
  contract_tile tile;
  group batch, rows, columns, depth;
  depth_table dx, dy;
  pir_tensor *out;
  int64_t row_panels, column_panels;
  int64_t first_batch, batches;  // that x is packed for
  char *x_packed;
  size_t lane;  // bytes of one
  char *scratch;
  size_t scratch_size;  // scratch bytes of one thread
} contract_run;

static void add_to_group(group *g, const contract *k, int coord) {
  g->coords[g->count++] = coord;
  g->size *= k->extent[coord];
}

static bool moves(const contract_operand *o, int coord) {
  if (o->offset.step[coord])
    return true;
  for (int i = 0; i < o->bounds; i++)
    if (o->index[i].step[coord])
      return true;
  return false;
}

// Adds the coordinate values of position `at` of a group to a form.
static int64_t at_position(const affine_form *f, const contract *k, const group *g,
                           int64_t at) {
  int64_t sum = 0;
  for (int i = g->count - 1; i >= 0; i--) {
    int64_t extent = k->extent[g->coords[i]];
    sum += at % extent * f->step[g->coords[i]];
    at /= extent;
  }
  return sum;
}

// Computes one form at `n` positions of a group, starting at `from`.
static void positions(const affine_form *f, const contract *k, const group *g, int64_t from,
                      int64_t n, int64_t *out) {
  int64_t index[AFFINE_COORDS], rest = from, sum = 0;
  if (n <= 0)
    return;
  for (int i = g->count - 1; i >= 0; i--) {
    int64_t extent = k->extent[g->coords[i]];
    index[i] = rest % extent;
    rest /= extent;
    sum += index[i] * f->step[g->coords[i]];
  }
  for (int64_t j = 0; j < n; j++) {
    out[j] = sum;
    for (int i = g->count - 1; i >= 0; i--) {
      int64_t extent = k->extent[g->coords[i]];
      int64_t step = f->step[g->coords[i]];
      sum += step;
      if (++index[i] < extent)
        break;
      sum -= step * extent;
      index[i] = 0;
    }
  }
}

// ---- packing

// `width` positions of one side, relative to a batch: their contributions to offsets and
// bounded indices.
typedef struct panel {
  const contract_operand *o;
  const depth_table *depth;
  const char *data;  // start of the operand for the batch
  size_t size;       // size of an element
  int width, used;   // the panel's width; the number of its real positions, the others are 0
  bool run;          // their elements are adjacent
  int64_t offset[TILE_COLUMNS], index[CONTRACT_BOUNDS][TILE_COLUMNS];
  int64_t lowest[CONTRACT_BOUNDS], highest[CONTRACT_BOUNDS];
} panel;

static void set_panel(panel *p, const contract_run *r, const contract_operand *o,
                      const depth_table *depth, const group *g, int64_t batch, int64_t from,
                      int width) {
  const contract *k = &r->k;
  p->o = o;
  p->depth = depth;
  p->size = pir_dtype_size(o->tensor->dtype);
  p->width = width;
  p->used = (int)(g->size - from < width ? g->size - from : width);
  p->data = (const char *)o->tensor->data +
            (o->offset.start + at_position(&o->offset, k, &r->batch, batch)) * (int64_t)p->size;
  positions(&o->offset, k, g, from, p->used, p->offset);
  p->run = p->used == width;
  for (int j = 1; j < p->used; j++)
    p->run &= p->offset[j] == p->offset[0] + j;
  for (int i = 0; i < o->bounds; i++) {
    int64_t start = o->index[i].start + at_position(&o->index[i], k, &r->batch, batch);
    positions(&o->index[i], k, g, from, p->used, p->index[i]);
    for (int j = 0; j < p->used; j++) {
      int64_t x = p->index[i][j] += start;
      p->lowest[i] = j == 0 || x < p->lowest[i] ? x : p->lowest[i];
      p->highest[i] = j == 0 || x > p->highest[i] ? x : p->highest[i];
    }
  }
}

static float element(const panel *p, int64_t offset) {
  const void *at = p->data + offset * (int64_t)p->size;
  uint16_t bits;
  float f;
  if (p->size == 4) {
    memcpy(&f, at, 4);
    return f;
  }
  memcpy(&bits, at, 2);
  return p->o->tensor->dtype == PIR_BF16 ? pir_bf16_to_f32(bits) : pir_f16_to_f32(bits);
}

// Whether every position of the panel is inside at depth k, and whether none is.
static bool all_inside(const panel *p, int64_t k, bool *out_none) {
  bool all = true;
  *out_none = false;
  for (int i = 0; i < p->o->bounds; i++) {
    int64_t lowest = p->lowest[i] + p->depth->index[i][k];
    int64_t highest = p->highest[i] + p->depth->index[i][k];
    all &= lowest >= 0 && highest < p->o->extent[i];
    *out_none |= highest < 0 || lowest >= p->o->extent[i];
  }
  return all;
}

static bool is_inside(const panel *p, int64_t k, int j) {
  for (int i = 0; i < p->o->bounds; i++) {
    int64_t x = p->index[i][j] + p->depth->index[i][k];
    if (x < 0 || x >= p->o->extent[i])
      return false;
  }
  return true;
}

// Packs positions that are far apart while the depth is contiguous (a transposed matrix): reads
// PIECE depths of each position at once, so that whole cache lines are used.
static void pack_across(const panel *p, int64_t from, int64_t to, float *out) {
  const float *floats = (const float *)p->data;
  if (p->used < p->width)
    memset(out, 0, (size_t)(to - from) * (size_t)p->width * sizeof *out);
  for (int64_t k = from; k < to; k += PIECE, out += (int64_t)PIECE * p->width) {
    int64_t n = to - k < PIECE ? to - k : PIECE;
    for (int j = 0; j < p->used; j++) {
      const float *in = floats + p->offset[j] + p->depth->offset[k];
      for (int64_t i = 0; i < n; i++)
        out[i * p->width + j] = in[i];
    }
  }
}

// Packs lanes of types other than f32.
static void pack_wide(const panel *p, pir_dtype lanes, int64_t from, int64_t to, char *out) {
  pir_dtype dtype = p->o->tensor->dtype;
  size_t lane = pir_dtype_size(lanes), bytes = (size_t)p->width * lane;
  for (int64_t k = from; k < to; k++, out += bytes) {
    const char *data = p->data + p->depth->offset[k] * (int64_t)p->size;
    bool none, all = all_inside(p, k, &none);
    if (p->used < p->width || !all)
      memset(out, 0, bytes);
    if (none)
      continue;
    if (all && p->run) {
      pir_convert(lanes, out, 1, dtype, data + p->offset[0] * (int64_t)p->size, 1, p->used);
      continue;
    }
    for (int j = 0; j < p->used; j++) {
      const char *at = data + p->offset[j] * (int64_t)p->size;
      if (!all && !is_inside(p, k, j))
        continue;
      if (dtype == lanes)
        memcpy(out + (size_t)j * lane, at, lane);
      else
        pir_convert(lanes, out + (size_t)j * lane, 1, dtype, at, 1, 1);
    }
  }
}

// Packs depths [from, to) of a panel, `width` numbers each.
static void pack_floats(const panel *p, int64_t from, int64_t to, float *out) {
  size_t bytes = (size_t)p->width * sizeof *out;
  const float *floats = (const float *)p->data;
  bool aligned = (uintptr_t)p->data % sizeof(float) == 0 && p->size == 4;
  if (aligned && !p->run && !p->o->bounds && p->depth->run) {
    pack_across(p, from, to, out);
    return;
  }
  for (int64_t k = from; k < to; k++, out += p->width) {
    int64_t shift = p->depth->offset[k];
    bool none, all = all_inside(p, k, &none);
    if (p->used < p->width || !all)
      memset(out, 0, bytes);
    if (none)
      continue;
    if (all && p->run && p->size == 4)
      memcpy(out, p->data + (p->offset[0] + shift) * 4, bytes);
    else if (all && aligned)
      for (int j = 0; j < p->used; j++)
        out[j] = floats[p->offset[j] + shift];
    else
      for (int j = 0; j < p->used; j++)
        if (all || is_inside(p, k, j))
          out[j] = element(p, p->offset[j] + shift);
  }
}

static void pack(const contract_run *r, const panel *p, int64_t from, int64_t to, char *out) {
  if (r->k.lanes == PIR_F32)
    pack_floats(p, from, to, (float *)out);
  else
    pack_wide(p, r->k.lanes, from, to, out);
}

static void pack_rows(void *user, int64_t begin, int64_t end, int thread) {
  contract_run *r = user;
  int64_t depth = r->depth.size;
  panel p;
  for (int64_t u = begin; u < end; u++) {
    int64_t batch = u / r->row_panels, at = u % r->row_panels;
    set_panel(&p, r, &r->k.x, &r->dx, &r->rows, r->first_batch + batch, at * r->tile.rows,
              r->tile.rows);
    pack(r, &p, 0, depth, r->x_packed + (size_t)(u * depth * r->tile.rows) * r->lane);
  }
}

// ---- tiles

static void store_panel(const contract_run *r, int64_t batch, int64_t from, int used,
                        const char *sums) {
  const affine_form *f = &r->k.out;
  pir_dtype dtype = r->out->dtype;
  int64_t size = (int64_t)pir_dtype_size(dtype);
  int64_t columns[TILE_COLUMNS], rows[64];
  int64_t start = f->start + at_position(f, &r->k, &r->batch, batch);
  positions(f, &r->k, &r->columns, from, used, columns);
  int64_t step = used > 1 ? columns[1] - columns[0] : 1;
  bool even = true;
  for (int j = 1; j < used; j++)
    even &= columns[j] == columns[0] + step * j;
  for (int64_t first = 0; first < r->rows.size; first += 64) {
    int64_t n = r->rows.size - first < 64 ? r->rows.size - first : 64;
    positions(f, &r->k, &r->rows, first, n, rows);
    for (int64_t i = 0; i < n; i++, sums += (size_t)r->tile.columns * r->lane) {
      char *at = (char *)r->out->data + (start + rows[i]) * size;
      if (even)
        pir_convert(dtype, at + columns[0] * size, step, r->k.lanes, sums, 1, used);
      else
        for (int j = 0; j < used; j++)
          pir_convert(dtype, at + columns[j] * size, 1, r->k.lanes, sums + (size_t)j * r->lane,
                      1, 1);
    }
  }
}

static void run_panels(void *user, int64_t begin, int64_t end, int thread) {
  contract_run *r = user;
  const contract_tile *t = &r->tile;
  int64_t depth = r->depth.size;
  char *packed = r->scratch + (size_t)thread * r->scratch_size;
  char *sums = packed + (size_t)(DEPTH * t->columns) * r->lane;
  panel p;
  for (int64_t u = begin; u < end; u++) {
    int64_t batch = u / r->column_panels;
    int64_t from = u % r->column_panels * t->columns;
    const char *x = r->x_packed + (size_t)(batch * r->row_panels * depth * t->rows) * r->lane;
    set_panel(&p, r, &r->k.y, &r->dy, &r->columns, r->first_batch + batch, from, t->columns);
    for (int64_t k = 0; k == 0 || k < depth; k += DEPTH) {
      int64_t n = depth - k < DEPTH ? depth - k : DEPTH;
      pack(r, &p, k, k + n, packed);
      for (int64_t i = 0; i < r->row_panels; i++)
        t->run(n, x + (size_t)((i * depth + k) * t->rows) * r->lane, packed,
               sums + (size_t)(i * t->rows * t->columns) * r->lane, t->columns, k > 0);
    }
    store_panel(r, r->first_batch + batch, from, p.used, sums);
  }
}

static pir_status run_tiled(contract_run *r, const pir_kernel_call *call) {
  const contract_tile *t = &r->tile;
  const pir_parallel *parallel = &call->parallel;
  r->row_panels = (r->rows.size + t->rows - 1) / t->rows;
  r->column_panels = (r->columns.size + t->columns - 1) / t->columns;
  int64_t one = r->row_panels * t->rows * r->depth.size;  // packed floats a batch
  int64_t chunk = one < MAX_PACK ? MAX_PACK / (one + 1) : 1;
  if (chunk > r->batch.size)
    chunk = r->batch.size;
  int threads = parallel->threads > 1 ? parallel->threads : 1;
  r->scratch_size =
      ((size_t)(DEPTH + r->row_panels * t->rows) * (size_t)t->columns * r->lane + 63) / 64 * 64;
  size_t packed = (size_t)(one * chunk) * r->lane;
  size_t scratch = r->scratch_size * (size_t)threads;
  r->x_packed = pir_kernel_alloc(call, packed);
  r->scratch = pir_kernel_alloc(call, scratch);
  pir_status status = r->x_packed && r->scratch ? PIR_OK : PIR_EXHAUSTED;
  double work = (double)r->rows.size * (double)r->columns.size * (double)r->depth.size;
  for (r->first_batch = 0; !status && r->first_batch < r->batch.size; r->first_batch += chunk) {
    r->batches =
        r->batch.size - r->first_batch < chunk ? r->batch.size - r->first_batch : chunk;
    int64_t packs = r->batches * r->row_panels;
    int64_t panels = r->batches * r->column_panels;
    if (!parallel->parallel_for || work * (double)r->batches < 1 << 16) {
      pack_rows(r, 0, packs, 0);
      run_panels(r, 0, panels, 0);
    } else {
      parallel->parallel_for(parallel->pool, packs, pack_rows, r);
      parallel->parallel_for(parallel->pool, panels, run_panels, r);
    }
  }
  pir_kernel_free(call, r->x_packed, packed);
  pir_kernel_free(call, r->scratch, scratch);
  return status;
}

// ---- few rows

// Clips [*lo, *hi) to the j for which start + step * j is within [0, extent).
static void clip(int64_t start, int64_t step, int64_t extent, int64_t *lo, int64_t *hi) {
  int64_t first = 0, end = *hi;
  if (step == 0) {
    if (start < 0 || start >= extent)
      end = 0;
  } else if (step > 0) {
    first = -pir_index_floordiv(start, step);  // ceil(-start / step)
    end = pir_index_floordiv(extent - 1 - start, step) + 1;
  } else {
    first = -pir_index_floordiv(extent - 1 - start, -step);  // the same, mirrored
    end = pir_index_floordiv(start, -step) + 1;
    first = first < 0 ? 0 : first;
  }
  if (first > *lo)
    *lo = first;
  if (end < *hi)
    *hi = end;
}

// One run of `n` results along the last column coordinate, starting at `from`; `starts` holds
// the other coordinates.
typedef struct thin_run {
  int64_t x, y, x_index[CONTRACT_BOUNDS], y_index[CONTRACT_BOUNDS];
  int64_t from, n;
  int last;  // the coordinate, or -1
} thin_run;

static void sum_run(const contract_run *r, const thin_run *t, float *sums) {
  const contract *k = &r->k;
  const float *x = k->x.tensor->data;
  const float *y = k->y.tensor->data;
  int64_t step = t->last >= 0 ? k->y.offset.step[t->last] : 0;
  for (int64_t d = 0; d < r->depth.size; d++) {
    int64_t lo = 0, hi = t->n;
    for (int i = 0; i < k->x.bounds; i++)
      clip(t->x_index[i] + r->dx.index[i][d], 0, k->x.extent[i], &lo, &hi);
    for (int i = 0; i < k->y.bounds; i++) {
      int64_t by = t->last >= 0 ? k->y.index[i].step[t->last] : 0;
      clip(t->y_index[i] + by * t->from + r->dy.index[i][d], by, k->y.extent[i], &lo, &hi);
    }
    if (lo >= hi)
      continue;
    float a = x[t->x + r->dx.offset[d]];
    const float *from = y + t->y + r->dy.offset[d] + step * (t->from + lo);
    if (step == 1)
      r->tile.axpy(hi - lo, a, from, sums + lo);
    else
      for (int64_t j = 0; j < hi - lo; j++)
        sums[lo + j] += a * from[j * step];
  }
}

// A unit is one position of batch, rows and all column coordinates except the last.
static void run_thin(void *user, int64_t begin, int64_t end, int thread) {
  contract_run *r = user;
  const contract *k = &r->k;
  group outer = r->columns;
  thin_run t = {.last = outer.count ? outer.coords[--outer.count] : -1};
  int64_t length = t.last >= 0 ? k->extent[t.last] : 1;
  int64_t outer_size = r->columns.size / length;
  int64_t out_step = t.last >= 0 ? k->out.step[t.last] : 1;
  int64_t size = (int64_t)pir_dtype_size(r->out->dtype);
  float sums[THIN_RUN];
#define START(form)                                                                            \
  ((form).start + at_position(&(form), k, &r->batch, batch) +                                  \
   at_position(&(form), k, &r->rows, row) + at_position(&(form), k, &outer, column))
  for (int64_t u = begin; u < end; u++) {
    int64_t column = u % outer_size;
    int64_t row = u / outer_size % r->rows.size;
    int64_t batch = u / outer_size / r->rows.size;
    t.x = START(k->x.offset);
    t.y = START(k->y.offset);
    for (int i = 0; i < k->x.bounds; i++)
      t.x_index[i] = START(k->x.index[i]);
    for (int i = 0; i < k->y.bounds; i++)
      t.y_index[i] = START(k->y.index[i]);
    char *out = (char *)r->out->data + START(k->out) * size;
    for (t.from = 0; t.from < length; t.from += t.n) {
      t.n = length - t.from < THIN_RUN ? length - t.from : THIN_RUN;
      memset(sums, 0, (size_t)t.n * sizeof *sums);
      sum_run(r, &t, sums);
      pir_convert(r->out->dtype, out + t.from * out_step * size, out_step, PIR_F32, sums, 1,
                  t.n);
    }
  }
#undef START
}

// A unit is one column of one batch, for all rows; both operands are contiguous along the
// depth.
static void run_dots(void *user, int64_t begin, int64_t end, int thread) {
  contract_run *r = user;
  const contract *k = &r->k;
  int64_t size = (int64_t)pir_dtype_size(r->out->dtype);
#define START(form, sort, at)                                                                  \
  ((form).start + at_position(&(form), k, &r->batch, batch) +                                  \
   at_position(&(form), k, &r->sort, at))
  for (int64_t u = begin; u < end; u++) {
    int64_t batch = u / r->columns.size;
    int64_t column = u % r->columns.size;
    const float *y = (const float *)k->y.tensor->data + START(k->y.offset, columns, column) +
                     r->dy.offset[0];
    for (int64_t row = 0; row < r->rows.size; row++) {
      const float *x =
          (const float *)k->x.tensor->data + START(k->x.offset, rows, row) + r->dx.offset[0];
      int64_t to = START(k->out, columns, column) + at_position(&k->out, k, &r->rows, row);
      float sum = r->tile.dot(r->depth.size, x, y);
      pir_convert(r->out->dtype, (char *)r->out->data + to * size, 1, PIR_F32, &sum, 1, 1);
    }
  }
#undef START
}

static void run_units(contract_run *r, const pir_kernel_call *call, int64_t units,
                      pir_range_fn fn) {
  double work = (double)r->depth.size * (double)r->rows.size * (double)r->columns.size *
                (double)r->batch.size;
  if (call->parallel.parallel_for && units > 1 && work > 1 << 15)
    call->parallel.parallel_for(call->parallel.pool, units, fn, r);
  else
    fn(r, 0, units, 0);
}

// ---- setting up

static void sort_coords(contract_run *r) {
  contract *k = &r->k;
  r->batch = r->rows = r->columns = r->depth = (group){.size = 1};
  for (int c = 0; c < k->coords; c++) {
    bool x = moves(&k->x, c);
    bool y = moves(&k->y, c);
    if (k->reduced[c])
      add_to_group(&r->depth, k, c);
    else if (k->extent[c] == 1)
      continue;
    else if (x == y)
      add_to_group(&r->batch, k, c);
    else
      add_to_group(x ? &r->rows : &r->columns, k, c);
  }
}

static bool contiguous(const contract *k, const group *g) {
  return g->count && k->out.step[g->coords[g->count - 1]] == 1;
}

// Packs by panels the side whose results are adjacent, unless packing the other side as a whole
// would be far larger.
static void choose_sides(contract_run *r) {
  sort_coords(r);
  bool better = contiguous(&r->k, &r->rows) > contiguous(&r->k, &r->columns);
  bool equal = contiguous(&r->k, &r->rows) == contiguous(&r->k, &r->columns) &&
               r->rows.size > r->columns.size;
  int64_t rows = r->rows.size, columns = r->columns.size;
  bool thin = columns <= THIN_ROWS && rows > columns;
  bool huge = columns * r->depth.size > MAX_PACK && columns > rows;
  bool too_tall = rows * r->depth.size > MAX_PACK && rows > columns;
  if (!((better || equal || thin || too_tall) && !huge))
    return;
  contract_operand x = r->k.x;
  r->k.x = r->k.y;
  r->k.y = x;
  sort_coords(r);
}

static void fill_depth(const contract_run *r, const contract_operand *o, depth_table *t,
                       int64_t **memory) {
  int64_t n = r->depth.size;
  t->offset = *memory;
  positions(&o->offset, &r->k, &r->depth, 0, n, t->offset);
  *memory += n;
  t->run = true;
  for (int64_t k = 1; k < n; k++)
    t->run &= t->offset[k] == t->offset[k - 1] + 1;
  for (int i = 0; i < o->bounds; i++, *memory += n) {
    t->index[i] = *memory;
    positions(&o->index[i], &r->k, &r->depth, 0, n, t->index[i]);
  }
}

static bool reads_floats(const contract_operand *o) {
  return o->tensor->dtype == PIR_F32 && (uintptr_t)o->tensor->data % sizeof(float) == 0;
}

// Whether there are few rows, and columns are close enough that a pass depth by depth uses
// whole cache lines.
static bool is_thin(const contract_run *r) {
  int last = r->columns.count ? r->columns.coords[r->columns.count - 1] : -1;
  int64_t step = last >= 0 ? r->k.y.offset.step[last] : 0;
  return r->rows.size <= THIN_ROWS && step >= -THIN_STEP && step <= THIN_STEP &&
         reads_floats(&r->k.x) && reads_floats(&r->k.y);
}

static bool is_dots(const contract_run *r) {
  return r->rows.size <= THIN_ROWS && r->depth.size >= PIECE && r->dx.run && r->dy.run &&
         !r->k.x.bounds && !r->k.y.bounds && reads_floats(&r->k.x) && reads_floats(&r->k.y);
}

static pir_status run_phase(contract_run *r, const clause_bind *b) {
  int64_t *tables, *memory;
  r->tile = pir_contract_tile(r->k.lanes);
  r->lane = pir_dtype_size(r->k.lanes);
  choose_sides(r);
  if (r->batch.size * r->rows.size * r->columns.size == 0)
    return PIR_OK;
  size_t count = (size_t)(2 + r->k.x.bounds + r->k.y.bounds);
  count *= (size_t)(r->depth.size + 1) * sizeof *tables;
  memory = tables = pir_kernel_alloc(b->call, count);
  if (!tables)
    return PIR_EXHAUSTED;
  fill_depth(r, &r->k.x, &r->dx, &memory);
  fill_depth(r, &r->k.y, &r->dy, &memory);
  int64_t last = r->columns.count ? r->k.extent[r->columns.coords[r->columns.count - 1]] : 1;
  pir_status status = PIR_OK;
  if (is_dots(r))
    run_units(r, b->call, r->batch.size * r->columns.size, run_dots);
  else if (is_thin(r))
    run_units(r, b->call, r->batch.size * r->rows.size * (r->columns.size / last), run_thin);
  else
    status = run_tiled(r, b->call);
  pir_kernel_free(b->call, tables, count);
  return status;
}

pir_status pir_clause_contract(const clause_bind *b) {
  contract_run *r = malloc(sizeof *r);
  if (!r)
    return PIR_EXHAUSTED;
  pir_status status = PIR_OK;
  int phases = 1;
  r->out = b->out;
  for (int phase = 0; !status && phase < phases; phase++)
    status = pir_contract_find(b, phase, &r->k, &phases) ? run_phase(r, b) : PIR_UNSUPPORTED;
  free(r);
  return status;
}
