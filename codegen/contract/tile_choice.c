// Chooses the register tile: the number of rows and vectors of sums that stay in registers
// during the reduction loop. Candidates are the tiles that fit the register file. The cost of a
// step is the maximum of four times: multiply-adds, loads, the latency that the sums must hide,
// and reading a line of a panel from the L2 cache. Edges count as the smaller tiles that they
// need. All sizes are compile-time constants.
#include "contract_ways.h"
#include "contract_choice.h"

#include <string.h>

// Assumptions about programs: likely rows of a tensor of dynamic extent; the smallest constant
// factor of it that is a plausible number of rows.
enum { LIKELY_ROWS = 512, FEW_ROWS = 16, LIKELY_VECTORS = 4, HELD_ROWS = 4 };

// Keeps the multiply-adders busy by the smallest power of two that does. A larger tile would
// load less for each product, but every size is code to compile.
int contract_rest_tile(const pir_machine *machine, int most, int vectors) {
  int size = 1;
  while (size * 2 < most && size * vectors < machine->core.chains)
    size *= 2;
  return size;
}

// Registers needed in addition to the sums: one line of the panel and two broadcasts; three if
// multiply-adds cannot read memory. The scheduler loads the next broadcast early, so a tile
// that leaves room for only one spills.
int contract_most_rows(const pir_target *target, int vectors) {
  const pir_machine *machine = target->machine;
  int spare = target->vector_registers - vectors - machine->core.broadcasts;
  int rows = (spare - !target->fma - !target->memory_operands) / vectors;
  int limit = vectors == 1 ? machine->tile.narrow_rows : machine->tile.rows;
  return rows > limit ? limit : rows;
}

// The rows of a tile for which whole numbers are widened: beside the sums, a line of the panel
// stays while its numbers are taken out of it one by one.
static int most_rows(const contract_form *f, const pir_target *target, int vectors) {
  enum { WIDENING = 4 };  // registers with a table, a mask and two constants
  int rows = contract_most_rows(target, vectors);
  if (!f->numbers)
    return rows;
  int room = target->vector_registers - 2 * vectors - WIDENING;
  int most = (room - target->machine->core.broadcasts) / vectors;
  most = most < 1 ? 1 : most;
  return most < rows ? most : rows;
}

// Bytes of b that are multiplied with one row of a, for so many lanes of b.
static int64_t bytes_of_taps(const contract_form *f, int64_t lanes) {
  int64_t bytes = lanes * (int64_t)pir_dtype_size(f->compute), taps;
  for (int i = 0; i < f->tap_count; i++) {
    bool known = contract_const(f, f->axes[f->taps[i]].extent, &taps);
    bytes = known && bytes < INT64_MAX / (taps + 1) ? bytes * taps : INT64_MAX;
  }
  return bytes / f->group;
}

// Bytes of one line of a panel that come from the L2 cache: each tile reads the panel again,
// and half of the L1 cache does not hold it.
static int64_t fed_bytes(const contract_form *f, const pir_machine *machine, int64_t vectors) {
  int64_t lanes = vectors * f->vector;
  if (bytes_of_taps(f, lanes) <= (int64_t)machine->cache.l1_bytes / 2)
    return 0;
  return lanes * (int64_t)pir_dtype_size(f->compute);
}

// Time in which a vector of a line is widened, in products: two instructions, which start at
// twice the rate of products. Numbers of 4 bits that no table holds take four and a scale.
static int64_t widening_cost(const contract_form *f) {
  enum { TABLE = 16 };
  return f->numbers && f->vector < TABLE ? 3 : 1;
}

// Time of one step of a tile. What the L2 cache feeds takes place beside the products, but for
// the part that shows.
static int64_t step_cost(const contract_form *f, const pir_machine *machine, int64_t rows,
                         int64_t vectors) {
  int64_t cost = rows * vectors, chains = machine->core.chains;
  if (f->held)
    cost += vectors * widening_cost(f);
  int64_t loads = (rows + vectors) * machine->core.products / machine->core.loads;
  if (loads > cost)
    cost = loads;
  int64_t fed = fed_bytes(f, machine, vectors), feed = fed / machine->cache.l2_feed;
  if (feed > cost)
    cost = feed;
  if (chains > cost)
    cost = chains;
  return cost * CONTRACT_COST_PARTS + fed * machine->cache.l2_shows / machine->cache.l2_feed;
}

static int64_t tile_cost(const contract_form *f, const pir_machine *machine, int64_t rows,
                         int64_t vectors) {
  return rows ? machine->tile.edge * step_cost(f, machine, rows, vectors) + CONTRACT_COST_PARTS
              : 0;
}

// Cost of `rows` rows in tiles; each tile also has a fixed cost for its start and end. The rest
// of an open number of rows is done by tiles of powers of two; two small ones take about as
// long as one of twice the size.
static int64_t rows_cost(const contract_form *f, const pir_machine *machine, int64_t rows,
                         int64_t tile, int64_t vectors) {
  int64_t cost = rows / tile * tile_cost(f, machine, tile, vectors), rest = rows % tile, known;
  if (f->tile < 0 || contract_const(f, f->axes[f->tile].extent, &known))
    return cost + tile_cost(f, machine, rest, vectors);
  for (int64_t size = 1; size <= rest; size *= 2)
    if (rest & size)
      cost += tile_cost(f, machine, size, vectors);
  return cost;
}

int64_t contract_rows_cost(const contract_form *f, const pir_machine *machine, int64_t rows) {
  return rows_cost(f, machine, rows, f->rows, f->vectors);
}

// Cost of all lanes: panels of `vectors` vectors, and the remainder.
static int64_t panels_cost(const contract_form *f, const pir_machine *machine, int64_t lanes,
                           int64_t rows, int64_t tile, int64_t vectors) {
  int64_t width = vectors * f->vector, rest = (lanes % width + f->vector - 1) / f->vector;
  int64_t cost = lanes / width * rows_cost(f, machine, rows, tile, vectors);
  return rest ? cost + rows_cost(f, machine, rows, tile, rest) : cost;
}

// Whether rows of `a` map to the same sets of the L1 cache.
static bool rows_collide(const contract_form *f, const pir_machine *machine) {
  int64_t step, bytes = (int64_t)pir_dtype_size(f->c->a.dtype);
  return f->tile >= 0 && contract_const(f, f->axes[f->tile].step_a, &step) && step &&
         step * bytes % machine->cache.set_bytes == 0;
}

// Returns the largest known constant divisor of an extent: 49 for batch * 49.
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

// Whether the form is the one for few rows of an open number, beside which there is one for
// many (contract_widen.c).
static bool is_open_and_held(const contract_form *f) {
  int64_t rows;
  return f->held && f->tile >= 0 && !contract_const(f, contract_rows(f), &rows) &&
         contract_known_factor(f, contract_rows(f)) < FEW_ROWS;
}

// Inserts a tile before those that cost more.
static void rank_tile(contract_tiles *list, int rows, int vectors, int64_t cost) {
  int at = list->count;
  while (at > 0 && cost < list->at[at - 1].cost)
    at--;
  if (at == CONTRACT_MOST_RANKED)
    return;
  if (list->count < CONTRACT_MOST_RANKED)
    list->count++;
  memmove(&list->at[at + 1], &list->at[at], (size_t)(list->count - 1 - at) * sizeof *list->at);
  list->at[at] = (contract_ranked_tile){rows, vectors, cost};
}

// Tries tiles of up to the registers' rows for panels of `vectors` vectors.
static void rank_rows(const contract_form *f, const pir_target *target, int64_t rows,
                      int64_t lanes, int vectors, contract_tiles *list) {
  const pir_machine *machine = target->machine;
  int most = most_rows(f, target, vectors), first = most < rows ? most : (int)rows;
  for (int tile = first; tile >= 1 && (tile == first || tile * 2 > most); tile--) {
    int64_t cost = panels_cost(f, machine, lanes, rows, tile, vectors);
    if (is_open_and_held(f))
      cost += rows * panels_cost(f, machine, lanes, 1, tile, vectors);
    if (tile > machine->tile.colliding_rows && rows_collide(f, machine))
      cost = cost * machine->tile.colliding_halves / 2;
    rank_tile(list, tile, vectors, cost);
  }
}

// Rows of the tile axis, and lanes: at least 1; likely numbers for dynamic extents.
static int64_t likely_rows(const contract_form *f) {
  int64_t rows = 1;
  if (f->tile >= 0 && !contract_const(f, contract_rows(f), &rows)) {
    rows = contract_known_factor(f, contract_rows(f));
    if (rows < FEW_ROWS)
      rows = is_open_and_held(f) ? HELD_ROWS : LIKELY_ROWS;
  }
  return rows < 1 ? 1 : rows;
}

static int64_t likely_lanes(const contract_form *f) {
  int64_t lanes = 1;
  if (f->lane >= 0 && !contract_const(f, f->axes[f->lane].extent, &lanes))
    lanes = (int64_t)LIKELY_VECTORS * f->vector;
  return lanes < 1 ? 1 : lanes;
}

// How often each element of b is read, if tiles are two vectors wide.
static int64_t passes_over_b(const contract_form *f, const pir_target *target) {
  int64_t passes = likely_rows(f) / contract_most_rows(target, 2), extent;
  for (int i = 0; i < f->outer_count; i++)
    if (!contract_in_b(f, f->outer[i]) &&
        contract_const(f, f->axes[f->outer[i]].extent, &extent) && extent > 0)
      passes = passes < INT32_MAX / extent ? passes * extent : INT32_MAX;
  return passes;
}

// Bytes of b that the L2 cache keeps for panels of two vectors in place. Lines at a distance
// that a power of two divides share sets of the cache; beyond a page it is the pages that are
// anywhere.
static int64_t room_in_place(const contract_form *f, const pir_target *target) {
  enum { PAGE = 4096 };
  int64_t room = (int64_t)target->l2_bytes / target->machine->cache.l2_kept, step = 1;
  int64_t size = (int64_t)pir_dtype_size(f->compute), width = 2 * f->vector * size;
  bool known = f->tap_count &&
               contract_const(f, f->axes[f->taps[f->tap_count - 1]].step_b, &step) && step > 0;
  int64_t apart = known ? (step & -step) * size : PAGE;
  apart = apart < PAGE ? apart : PAGE;
  return width < apart ? room * width / apart : room;
}

// Reads b in place if its lanes are adjacent and fill whole vectors, and packing does not pay:
// it reads and writes b once more, so that b is read in place if few tiles read it, or if it
// stays in the cache as it is.
static bool in_place(const contract_form *f, const pir_target *target) {
  enum { FEW_PASSES = 8 };
  int64_t step, lanes;
  bool can = !f->c->b_constant && f->group == 1 && !f->c->b.rounded && f->lane >= 0 &&
             f->c->b.dtype == f->compute && contract_const(f, f->axes[f->lane].step_b, &step) &&
             step == 1 && contract_const(f, f->axes[f->lane].extent, &lanes) &&
             lanes % f->vector == 0;
  return can && (passes_over_b(f, target) <= FEW_PASSES ||
                 bytes_of_taps(f, lanes) <= room_in_place(f, target));
}

// Depthwise tiles: all sums of a row of a tile are in registers, beside what its taps need.
static void rank_depthwise(const contract_form *f, const pir_target *target, int64_t rows,
                           int64_t lanes, contract_tiles *list) {
  const pir_machine *machine = target->machine;
  int best = lanes > f->vector ? machine->tile.depthwise_vectors : 1;
  for (int vectors = 1; vectors <= CONTRACT_MOST_VECTORS; vectors++) {
    int tile = target->vector_registers / (vectors + machine->tile.depthwise_spare);
    if (vectors == 1 || (int64_t)(vectors - 1) * f->vector < lanes)
      rank_tile(list, tile < rows ? tile : (int)rows, vectors, vectors != best);
  }
}

void contract_rank_tiles(const contract_form *f, const pir_target *target,
                         contract_tiles *list) {
  int64_t rows = likely_rows(f), lanes = likely_lanes(f);
  list->count = 0;
  if (f->kind == CONTRACT_DEPTHWISE) {
    rank_depthwise(f, target, rows, lanes, list);
    return;
  }
  for (int vectors = CONTRACT_MOST_VECTORS; vectors >= 1; vectors--)
    // Fewer vectors hold all lanes as well.
    if (vectors == 1 || (int64_t)(vectors - 1) * f->vector < lanes)
      rank_rows(f, target, rows, lanes, vectors, list);
}

// Bytes of a. Of a dynamic extent its constant factor counts.
static int64_t bytes_of_a(const contract_form *f) {
  int64_t bytes = (int64_t)pir_dtype_size(f->c->a.dtype);
  for (int i = 0; i < f->c->a.rank; i++) {
    int64_t extent = contract_known_factor(f, f->c->a.shape[i]);
    if (extent > 0)
      bytes = bytes < INT64_MAX / extent ? bytes * extent : INT64_MAX;
  }
  return bytes;
}

// Whether rows that the L2 cache does not hold come again while tiles are computed. A tile
// reads a few lines of `a` at a steady pace, one after the other, which the processor fetches
// ahead; the first tile of a panel of `b` waits for all of it. The pace may be half of what
// arrives.
static bool rows_come_in_passing(const contract_form *f, const pir_target *target) {
  const pir_machine *machine = target->machine;
  int64_t kept = (int64_t)target->l3_bytes / machine->cache.l3_kept;
  int64_t pace = (int64_t)pir_dtype_size(f->c->a.dtype) * f->group;  // times vectors
  int feed = bytes_of_a(f) <= kept ? machine->cache.l3_feed : machine->cache.memory_bytes;
  return !f->tile_groups && 2 * pace <= (int64_t)feed * f->vectors;
}

// Returns how many tiles form a block if neither all panels nor all rows stay in the L2 cache:
// so many that their rows stay there, beside the panel in use and the next one. Without blocks
// every panel reads all rows again; with them every block reads all panels again. 0: all tiles
// are one block, as their number is open, or blocks would read more or wait longer. Tile
// registers take so much less time for a row than its reading from the last-level cache that
// blocks pay for an open number of rows, too, and may fill nearly all of the L2 cache.
static int64_t choose_row_block(const contract_form *f, const pir_target *target, int64_t rows,
                                int64_t lanes) {
  int64_t elements = 1, taps, l2 = (int64_t)target->l2_bytes;
  bool known = f->tile >= 0 && contract_const(f, contract_rows(f), &rows);
  bool alone = f->tile >= 0 && f->axes[f->tile].window < 0 && (known || f->tile_groups);
  for (int i = 0; i < f->outer_count; i++)
    alone &= contract_in_b(f, f->outer[i]);
  for (int i = 0; i < f->tap_count && alone; i++) {
    alone = contract_const(f, f->axes[f->taps[i]].extent, &taps) && taps > 0 && taps < l2;
    elements *= alone ? taps : 1;
    alone &= elements < l2;
  }
  if (!alone || f->panel_inner || !f->b_packed)
    return 0;
  int64_t size = (int64_t)pir_dtype_size(f->compute) / (f->tile_groups ? f->group : 1);
  int64_t panel = elements * f->vectors * f->vector * size;
  int64_t room = l2 - l2 / 4 - 2 * panel;
  if (room < l2 / 4)
    room = l2 / 4;
  if (f->tile_groups)
    room = l2 - l2 / 8;
  int64_t tile = elements * f->rows * (int64_t)pir_dtype_size(f->c->a.dtype);
  int64_t tiles = (rows + f->rows - 1) / f->rows, most = room / tile;
  bool less = most * f->rows >= 2 * (int64_t)f->vectors * f->vector;
  if (!known && less)
    return most;
  if (!less || most >= tiles || lanes <= f->vectors * f->vector ||
      rows_come_in_passing(f, target))
    return 0;
  int64_t blocks = (tiles + most - 1) / most;
  return (tiles + blocks - 1) / blocks;
}

bool contract_in_strip(const contract_form *f, int axis) {
  for (int i = 0; i < f->strip_count; i++)
    if (f->strip[i] == axis)
      return true;
  return false;
}

int64_t contract_strip_points(const contract_form *f) {
  int64_t points = 1, extent = 1;
  for (int i = 0; i < f->strip_count; i++)
    points *= contract_const(f, f->axes[f->strip[i]].extent, &extent) ? extent : 1;
  return points;
}

// Returns the number of units without strips; 0: it is open.
static int64_t known_units(const contract_form *f) {
  int64_t units, extent;
  if (!contract_const(f, contract_panels(f), &units))
    return 0;
  for (int i = 0; i < f->outer_count; i++) {
    if (!contract_const(f, f->axes[f->outer[i]].extent, &extent) || extent < 1 ||
        units > INT32_MAX / extent)
      return 0;
    units *= extent;
  }
  if (f->tile < 0)
    return units;
  if (!contract_const(f, contract_rows(f), &extent) || units > INT32_MAX)
    return 0;
  return units * ((extent + f->rows - 1) / f->rows);
}

// Whether each chunk of a reduction can be done for several points: its sums are added in
// chunks, and every point reads the same panel, which the L2 cache does not hold.
static bool can_have_strips(const contract_form *f, const pir_target *target) {
  int64_t panel = bytes_of_taps(f, contract_panel_lanes(f));
  return f->kind == CONTRACT_PANEL && f->compute == PIR_F32 && f->group == 1 && f->scaled < 0 &&
         !f->tile_groups && f->b_packed && !f->held && !f->panel_inner &&
         (f->tile < 0 || f->axes[f->tile].window < 0) && panel < INT64_MAX &&
         panel > (int64_t)target->l2_bytes / target->machine->cache.l2_kept;
}

// The fewest units that strips may leave. A panel that comes from memory for every unit gains
// more than some threads lose by unequal shares.
static int64_t fewest_units(const contract_form *f, const pir_target *target) {
  enum { FROM_MEMORY = 6 };
  int64_t kept = (int64_t)target->l3_bytes / target->machine->cache.l3_kept;
  bool far = bytes_of_taps(f, contract_panel_lanes(f)) > kept;
  return far ? FROM_MEMORY : target->machine->pair.units;
}

// Takes axes into the strip, innermost first, while enough units remain and the totals of all
// points stay in the L1 cache beside a chunk.
static void choose_strip(contract_form *f, const pir_target *target) {
  f->strip_count = 0;
  if (!can_have_strips(f, target))
    return;
  int64_t units = known_units(f), fewest = fewest_units(f, target), extent;
  int64_t point = f->rows * contract_panel_lanes(f) * (int64_t)pir_dtype_size(f->compute);
  int64_t room = (int64_t)target->machine->cache.l1_bytes / 4 / point;
  for (int i = f->outer_count; i--;) {
    int axis = f->outer[i];
    bool known = contract_const(f, f->axes[axis].extent, &extent) && extent > 1;
    if (!known || contract_in_b(f, axis) || units / extent < fewest || extent > room)
      continue;
    f->strip[f->strip_count++] = axis;
    units /= extent;
    room /= extent;
  }
}

// Whether the panel changes fastest: a tile of a then meets every panel while it is in the L1
// cache.
static bool panels_innermost(const contract_form *f, const pir_target *target, int64_t lanes) {
  const pir_machine *machine = target->machine;
  int64_t taps = bytes_of_taps(f, lanes), l2 = (int64_t)target->l2_bytes;
  int64_t kept = l2 / machine->cache.l2_kept;
  return taps <= l2 / machine->cache.l2_panels || (taps <= kept && bytes_of_a(f) > kept);
}

// Whether the rows of consecutive tiles are one run of memory, over half of the L2 cache.
static bool rows_stream(const contract_form *f, const pir_target *target) {
  int64_t step, elements;
  return f->tile >= 0 && f->axes[f->tile].window < 0 && f->tap_count == 1 && f->group == 1 &&
         contract_const(f, f->axes[f->tile].step_a, &step) &&
         contract_const(f, f->axes[f->taps[0]].extent, &elements) && step == elements &&
         bytes_of_a(f) > (int64_t)target->l2_bytes / target->machine->cache.l2_kept;
}

bool contract_can_fetch(const contract_form *f, const pir_target *target,
                        contract_fetching fetches) {
  if (fetches == FETCH_NOTHING)
    return true;
  if (f->kind == CONTRACT_DEPTHWISE || !f->b_packed || f->strip_count)
    return false;
  if (f->tile_groups)
    return fetches == FETCH_PANEL && !f->panel_inner;
  return fetches == FETCH_PANEL ? !f->panel_inner : f->panel_inner && rows_stream(f, target);
}

void contract_arrange(contract_form *f, const pir_target *target, bool panel_inner) {
  contract_fetching fetches = panel_inner ? FETCH_ROWS : FETCH_PANEL;
  const pir_machine *machine = target->machine;
  bool gains = panel_inner ? machine->cache.fetches_rows : machine->cache.fetches_panels;
  f->panel_inner = panel_inner;
  choose_strip(f, target);
  f->block = choose_row_block(f, target, likely_rows(f), likely_lanes(f));
  f->fetches = gains && contract_can_fetch(f, target, fetches) ? fetches : FETCH_NOTHING;
}

// Chooses the type in which packed b is held. The product of few rows takes the time of reading
// b, so that half of the bytes is half of the time. With many rows each line is widened again
// for each tile, which costs more than it saves.
static pir_dtype choose_held(const contract_form *f) {
  pir_dtype dtype = contract_factor(&f->c->b);
  bool narrow = pir_dtype_size(dtype) < pir_dtype_size(f->compute) && f->compute != PIR_F64;
  bool widens = f->group == (f->compute == PIR_I32 ? 2 : 1);
  int64_t rows = f->tile < 0 ? 1 : contract_known_factor(f, f->axes[f->tile].extent);
  bool can = f->kind == CONTRACT_PANEL && f->c->b_constant && f->b_packed && widens &&
             !f->tile_groups && f->lane >= 0;
  return can && narrow && (rows <= FEW_ROWS || f->rounded_rows) ? dtype : PIR_UNDEFINED;
}

// Whether packed b holds numbers of 4 bits, so many in a lane of 32: the steps along the last
// reduced axis fill whole lanes, and are neighbours in `a`.
static bool holds_numbers(const contract_form *f, int group) {
  int64_t steps, apart;
  if (f->held != PIR_I8 || f->c->bits != 32 / group || !f->tap_count || f->window_count)
    return false;
  const contract_axis *last = &f->axes[f->taps[f->tap_count - 1]];
  return contract_const(f, last->extent, &steps) && steps % group == 0 &&
         contract_const(f, last->step_a, &apart) && apart == 1;
}

enum { NUMBERS = 8 };

void contract_schedule(contract_form *f, const pir_target *target) {
  contract_tiles tiles;
  f->vector = f->lane < 0 ? 1 : target->vector_bytes / (int)pir_dtype_size(f->compute);
  f->b_packed = f->kind == CONTRACT_DEPTHWISE || !in_place(f, target);
  f->held = choose_held(f);
  f->numbers = holds_numbers(f, NUMBERS);
  if (f->numbers)
    f->group = NUMBERS;
  bool panel_inner =
      f->kind == CONTRACT_DEPTHWISE || panels_innermost(f, target, likely_lanes(f));
  if (f->tile_groups) {
    contract_schedule_tiles(f, target, likely_lanes(f), panel_inner);
  } else {
    contract_rank_tiles(f, target, &tiles);
    f->rows = tiles.at[0].rows;
    f->vectors = tiles.at[0].vectors;
  }
  contract_arrange(f, target, panel_inner);
}
