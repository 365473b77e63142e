// Chooses the register tile: the number of rows and vectors of sums that stay in registers
// during the reduction loop. Candidates are the tiles that fit the register file. The cost of a
// step is the maximum of three times: multiply-adds, loads, and the latency that the sums must
// hide. Edges count as the smaller tiles that they need. All sizes are compile-time constants.
#include "contract_impl.h"

enum { UNKNOWN_ROWS = 512, FEW_ROWS = 16, LATENCY = 4 };

// Beside the sums: a line of the panel, and two broadcasts (the scheduler likes to have the
// next one early; a tile that leaves room for one spills), three where multiply-adds cannot
// read memory.
int contract_most_rows(const pir_target *target, int vectors) {
  int spare = target->vector_registers - vectors - 2 - !target->fma - !target->memory_operands;
  int rows = spare / vectors;
  int limit = vectors == 1 ? 12 : 14;
  return rows > limit ? limit : rows;
}

// Half cycles of one step of a tile: two loads and two multiply-adds a cycle.
static int64_t step_cost(int64_t rows, int64_t vectors) {
  int64_t cost = rows * vectors, loads = rows + vectors;
  if (loads > cost)
    cost = loads;
  return cost > 2 * LATENCY ? cost : 2 * LATENCY;
}

// Of `rows` rows in tiles; each tile also costs a start and an end.
static int64_t rows_cost(int64_t rows, int64_t tile, int64_t vectors) {
  int64_t rest = rows % tile;
  return rows / tile * (8 * step_cost(tile, vectors) + 1) +
         (rest ? 8 * step_cost(rest, vectors) + 1 : 0);
}

// Rows whose distance is a multiple of a page share the sets of the first cache.
static bool rows_collide(const contract_form *f, int64_t bytes) {
  int64_t step;
  return f->tile >= 0 && contract_const(f, f->axes[f->tile].step_a, &step) && step &&
         step * bytes % 4096 == 0;
}

static void choose_tile(contract_form *f, const pir_target *target, int64_t rows,
                        int64_t lanes) {
  int64_t best = INT64_MAX, bytes = (int64_t)pir_dtype_size(f->c->a.dtype);
  for (int vectors = 4; vectors >= 1; vectors--) {
    int64_t width = (int64_t)vectors * f->vector;
    if (vectors > 1 && width - f->vector >= lanes)
      continue;  // narrower holds all lanes
    int64_t panels = lanes / width, rest = (lanes % width + f->vector - 1) / f->vector;
    int most = contract_most_rows(target, vectors);
    for (int tile = most < rows ? most : (int)rows; tile >= 1 && tile * 2 > most; tile--) {
      int64_t cost =
          panels * rows_cost(rows, tile, vectors) + (rest ? rows_cost(rows, tile, rest) : 0);
      if (tile > 7 && rows_collide(f, bytes))
        cost = cost * 3 / 2;
      if (cost >= best)
        continue;
      best = cost;
      f->rows = tile;
      f->vectors = vectors;
    }
    if (rows * 2 <= most) {
      int64_t cost =
          panels * rows_cost(rows, rows, vectors) + (rest ? rows_cost(rows, rows, rest) : 0);
      if (cost < best) {
        best = cost;
        f->rows = (int)rows;
        f->vectors = vectors;
      }
    }
  }
}

// b is read in place where its lanes are adjacent and fill whole vectors, and packing would
// touch it as often as the product does.
static bool in_place(const contract_form *f) {
  int64_t step, lanes;
  return !f->c->b_constant && f->group == 1 && !f->c->b.rounded && f->lane >= 0 &&
         f->c->b.dtype == f->compute && contract_const(f, f->axes[f->lane].step_b, &step) &&
         step == 1 && contract_const(f, f->axes[f->lane].extent, &lanes) &&
         lanes % f->vector == 0;
}

// The constant that divides an extent, as far as is known: 49 of batch * 49.
int64_t contract_known_factor(const contract_form *f, pir_dim d) {
  pir_dims *dims = f->c->dims;
  int64_t factor = 1, value;
  if (contract_const(f, d, &value))
    return value;
  d = pir_dim_canonical(dims, d);
  if (pir_dim_kind_of(dims, d) != PIR_DIM_MUL)
    return 1;
  for (size_t i = 0; i < pir_dim_operands(dims, d); i++)
    if (contract_const(f, pir_dim_operand(dims, d, i), &value) && value > 0)
      factor *= value;
  return factor;
}

void contract_schedule(contract_form *f, const pir_target *target) {
  int64_t rows = 1, lanes = 1, taps;
  f->vector = f->lane < 0 ? 1 : target->vector_bytes / (int)pir_dtype_size(f->compute);
  if (f->tile >= 0 && !contract_const(f, f->axes[f->tile].extent, &rows)) {
    rows = contract_known_factor(f, f->axes[f->tile].extent);
    if (rows < FEW_ROWS)
      rows = UNKNOWN_ROWS;
  }
  if (f->lane >= 0 && !contract_const(f, f->axes[f->lane].extent, &lanes))
    lanes = 4 * f->vector;
  if (rows < 1)
    rows = 1;
  if (lanes < 1)
    lanes = 1;
  if (f->kind == CONTRACT_DEPTHWISE) {
    f->vectors = lanes > f->vector ? 2 : 1;
    f->rows = target->vector_registers / (f->vectors > 1 ? 4 : 3);
    if (f->rows > rows)
      f->rows = (int)rows;
    f->b_packed = true;
    f->panel_inner = true;
    return;
  }
  if (f->tile_groups)
    contract_schedule_tiles(f, lanes);
  else
    choose_tile(f, target, rows, lanes);
  f->b_packed = !in_place(f);
  // With all of b in half of the second cache, a tile of a meets every panel while it is in the
  // first.
  int64_t bytes = lanes * (int64_t)pir_dtype_size(f->compute);
  for (int i = 0; i < f->tap_count; i++)
    bytes =
        contract_const(f, f->axes[f->taps[i]].extent, &taps) && bytes < INT64_MAX / (taps + 1)
            ? bytes * taps
            : INT64_MAX;
  bytes /= f->group;
  f->panel_inner = bytes <= (int64_t)target->l2_bytes / 2;
}
