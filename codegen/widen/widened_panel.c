#include "widened_panel.h"

#include "contract_choice.h"
#include "contract_words.h"

#include <string.h>

// ---- the choice

// Time in which one vector of a line is widened and stored, in products of a vector. Half of it
// is what widening takes where it is done for each tile (tile_choice.c).
enum { WIDENING = 2 };

// Rows up to which a kernel for few rows may be the faster one.
enum { MOST_FEW_ROWS = 64 };

// Returns the most rows for which the kernel that widens each line for each tile is expected to
// be faster, or MOST_FEW_ROWS.
static int64_t few_rows(const contract_form *few, const contract_form *many,
                        const pir_machine *machine) {
  int64_t rows = MOST_FEW_ROWS;
  // Vectors of a common multiple of both panels.
  int64_t times = many->vectors / few->vectors;
  int64_t once = machine->tile.edge * WIDENING * many->vectors;
  while (rows > 0 && times * contract_rows_cost(few, machine, rows) >=
                         contract_rows_cost(many, machine, rows) + once)
    rows--;
  return rows;
}

// Chooses the tile for many rows; its panels consist of whole panels of packed b.
static bool choose_tile(contract_form *many, const pir_target *target) {
  const contract_form *few = many->narrow;
  contract_tiles tiles;
  contract_rank_tiles(many, target, &tiles);
  for (int i = 0; i < tiles.count; i++) {
    if (tiles.at[i].vectors % few->vectors)
      continue;
    many->rows = tiles.at[i].rows;
    many->vectors = tiles.at[i].vectors;
    return true;
  }
  return false;
}

// The form whose panels are widened once: of whole elements that have been multiplied by their
// scales.
static contract_form widened(const contract_form *few) {
  contract_form many = *few;
  many.narrow = few;
  many.held = PIR_UNDEFINED;
  if (few->numbers)
    many.group = 1;
  many.numbers = false;
  many.scaled = -1;
  many.panel_inner = false;
  many.fetches = FETCH_NOTHING;
  many.block = 0;
  many.strip_count = 0;
  return many;
}

// Lines of a panel, whose number is known, because b is packed at load.
static int64_t known_lines(const contract_form *f) {
  pir_dim lines = pir_dim_const(f->c->dims, 1);
  int64_t known;
  for (int i = 0; i < f->tap_count; i++)
    lines = pir_dim_mul(f->c->dims, lines, contract_lines_dim(f, i));
  return contract_const(f, lines, &known) ? known : 0;
}

// Whether there may be many rows.
static bool may_have_many(const contract_form *f) {
  int64_t known;
  return f->held && f->tile >= 0 && f->above < 0 && !f->window_count && !f->strip_count &&
         !contract_const(f, contract_rows(f), &known);
}

// Whether the caches keep a widened panel. Elsewhere it would be written to memory.
static bool keeps_panel(const contract_form *many, const pir_target *target) {
  int64_t line =
      contract_panel_lanes(many) * (int64_t)pir_dtype_size(contract_lane_dtype(many));
  int64_t lines = known_lines(many);
  int64_t kept = (int64_t)target->l3_bytes / target->machine->cache.l3_kept;
  return lines > 0 && lines <= kept / line;
}

// ---- the stage

void contract_open_widened(contract_emission *e, uint16_t b_slot) {
  const contract_form *f = e->form;
  pir_dtype from = contract_lane_dtype(f->narrow), to = contract_lane_dtype(f);
  int64_t count = known_lines(f) * contract_panel_lanes(f);
  e->packed = pir_loop_arg(e->fn, "packed", from, b_slot, PACKED_ALIGN, true);
  e->b = pir_loop_scratch(e->fn, "panel", to, count);
}

// One vector of the panel: where it begins in packed b and in scratch, and its scales.
typedef struct panel_vector {
  loop_expr *from;
  int64_t to;
  loop_expr *first;  // its first lane of all
  loop_expr *scale;  // NULL: none
} panel_vector;

// Where packed b has fewer panels than the vectors of a panel stand for, the last one counts.
static loop_expr *narrow_panel(const contract_emission *e, const contract_form *many,
                               loop_expr *panel, int v) {
  const contract_form *few = many->narrow;
  int64_t times = many->vectors / few->vectors, have = 0, all = 0;
  loop_expr *at = contract_times(e, panel, times);
  at = contract_plus(e, at, v / few->vectors);
  contract_const(few, contract_panels(few), &have);
  contract_const(many, contract_panels(many), &all);
  return all * times == have ? at : contract_min(e, at, contract_int(e, have - 1));
}

static void load_scales(const contract_emission *e, loop_block *block, loop_expr *k,
                        panel_vector *v) {
  const contract_form *f = e->form;
  int64_t lanes;
  loop_expr *mask = NULL, *extent = contract_extent(e, f->lane);
  if (!pir_loop_is_int(extent, &lanes) || lanes % contract_panel_lanes(f))
    mask = contract_mask(e, block, contract_sub(e, extent, v->first), f->vector);
  loop_expr *at = contract_mul(e, k, contract_dim(e, f->step_scale));
  at = contract_add(e, at, v->first);
  v->scale = contract_let(e, block, "scale", contract_load(e, e->scale, at, f->vector, mask));
}

static void store_wide(const contract_emission *e, loop_block *block, loop_buffer *to,
                       loop_expr *at, loop_expr *x, const panel_vector *v) {
  if (v->scale)
    x = contract_mul(e, x, v->scale);
  contract_store(e, block, to, contract_plus(e, at, v->to), x);
}

// Widens `lines` lines of every vector from line `line` on.
static void widen_lines(const contract_emission *e, loop_block *block,
                        const contract_emission *of, loop_expr *first, loop_expr *lines,
                        const panel_vector *vectors) {
  const contract_form *f = e->form, *many = of->form;
  loop_expr *k;
  int64_t width = contract_panel_lanes(many);
  int group = f->numbers ? f->group : 1;
  block = contract_count(e, block, "line", lines, 1, &k);
  loop_expr *line = contract_add(e, first, k);
  loop_expr *from =
      contract_let(e, block, "from", contract_times(e, line, contract_panel_lanes(f)));
  loop_expr *to = contract_let(e, block, "to", contract_times(e, line, width * group));
  for (int v = 0; v < many->vectors; v++) {
    loop_expr *at = contract_add(e, vectors[v].from, from);
    loop_expr *x = contract_load(e, e->b, at, f->vector, NULL);
    if (!f->numbers) {
      store_wide(e, block, of->b, to, contract_widen_line(e, x), &vectors[v]);
      continue;
    }
    x = contract_let(e, block, "b", x);
    for (int i = 0; i < f->group; i++)
      store_wide(e, block, of->b, contract_plus(e, to, i * width), contract_number(e, x, i),
                 &vectors[v]);
  }
}

void contract_widen_panel(const contract_emission *of, loop_block *block, loop_expr *panel,
                          loop_expr *unit, loop_expr *const *values, int count) {
  const contract_form *many = of->form, *few = many->narrow;
  contract_emission e = *of;
  panel_vector vectors[CONTRACT_MOST_VECTORS];
  loop_expr *since = contract_sub(of, unit, pir_loop_use(of->m, of->fn->begin));
  loop_expr *behind = contract_int(of, 0), *k;
  for (int i = 0; i < count; i++)
    behind = contract_add(of, behind, values[i]);
  loop_expr *some = contract_lt(of, contract_min(of, behind, since), contract_int(of, 1));
  block = contract_if(of, block, some, NULL);
  e.form = few;
  e.b = of->packed;
  for (int v = 0; v < many->vectors; v++) {
    loop_expr *from = contract_panel_base(&e, narrow_panel(&e, many, panel, v));
    from = contract_plus(&e, from, v % few->vectors * few->vector);
    loop_expr *first = contract_times(&e, panel, contract_panel_lanes(many));
    vectors[v] = (panel_vector){.from = contract_let(&e, block, "from", from),
                                .to = (int64_t)v * few->vector,
                                .first = contract_plus(&e, first, (int64_t)v * few->vector)};
  }
  if (few->scaled < 0) {
    widen_lines(&e, block, of, contract_int(&e, 0),
                contract_lines_below(&e, -1, contract_int(&e, 1)), vectors);
    return;
  }
  block = contract_count(&e, block, "k", contract_extent(&e, few->scaled), 1, &k);
  for (int v = 0; v < many->vectors; v++)
    load_scales(&e, block, k, &vectors[v]);
  loop_expr *lines = contract_lines_below(&e, 0, contract_int(&e, 1));
  widen_lines(&e, block, of, contract_mul(&e, k, lines), lines, vectors);
}

pir_status contract_add_many_rows(const contract_form *few, const contract_env *env,
                                  const char *name, uint16_t b_slot, contract_code *code) {
  contract_form many = widened(few);
  pir_dims *dims = few->c->dims;
  if (!may_have_many(few) || !choose_tile(&many, env->target) ||
      !keeps_panel(&many, env->target))
    return PIR_OK;
  int64_t most = few_rows(few, &many, env->target->machine);
  if (most == MOST_FEW_ROWS)
    return PIR_OK;
  contract_stage *last = &code->stages[code->stage_count - 1];
  contract_stage *stage = &code->stages[code->stage_count++];
  PIR_TRY(contract_emit_panels(&many, env, name, b_slot, stage));
  pir_dim one = pir_dim_const(dims, 1), more = pir_dim_const(dims, most + 1);
  pir_dim are_many = pir_dim_min(dims, one, pir_dim_floordiv(dims, contract_rows(few), more));
  last->units = pir_dim_mul(dims, last->units, pir_dim_sub(dims, one, are_many));
  stage->units = pir_dim_mul(dims, stage->units, are_many);
  size_t at = strlen(code->how);
  pir_text_format(code->how + at, sizeof code->how - at,
                  "; above %lld rows of %d x %d, each panel widened once", (long long)most,
                  many.rows, many.vectors);
  return PIR_OK;
}
