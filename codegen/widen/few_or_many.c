// Which stages multiply: for few rows, for many, or for both.
#include "contract_choice.h"
#include "contract_words.h"
#include "widened_panel.h"
#include "widened_rows.h"

#include <string.h>

// ---- the choice

// Time in which one vector of a line is widened and stored, in products of a vector. Half of it
// is what widening takes where it is done for each tile (tile_choice.c).
enum { WIDENING = 2 };

// Rows up to which a kernel for few rows may be the faster one.
enum { MOST_FEW_ROWS = 64 };

// Returns the most rows for which the kernel that widens each line for each tile is expected to
// be faster, or MOST_FEW_ROWS.
static int64_t few_rows(const contract_form *many, const pir_machine *machine) {
  const contract_form *few = many->narrow;
  int64_t rows = MOST_FEW_ROWS;
  // For as many lanes, and as many elements of the reduction.
  int64_t elements = contract_makes_groups(many) ? many->group : 1;
  int64_t times = many->vectors / few->vectors * elements;
  int64_t once = machine->tile.edge * WIDENING * many->vectors * elements;
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

// The form whose panels are widened once: to whole elements that have been multiplied by their
// scales, or to groups of whole numbers that the rows of bytes of `rounded` multiply.
static contract_form widened(const contract_form *few, const contraction *rounded,
                             const pir_target *target) {
  contract_form many = *few;
  many.narrow = few;
  many.held = PIR_UNDEFINED;
  many.panel_inner = false;
  many.fetches = FETCH_NOTHING;
  many.block = 0;
  many.strip_count = 0;
  many.numbers = false;
  if (rounded) {
    many.c = rounded;
    many.compute = PIR_I32;
    many.group = contract_bytes_at_once(target);
    return many;
  }
  if (few->numbers)
    many.group = 1;
  many.scaled = -1;
  return many;
}

int64_t contract_known_lines(const contract_form *f) {
  pir_dim lines = pir_dim_const(f->c->dims, 1);
  int64_t known;
  for (int i = 0; i < f->tap_count; i++)
    lines = pir_dim_mul(f->c->dims, lines, contract_lines_dim(f, i));
  return contract_const(f, lines, &known) ? known : 0;
}

// Whether the caches keep a widened panel. Elsewhere it would be written to memory.
static bool keeps_panel(const contract_form *many, const pir_target *target) {
  int64_t size = (int64_t)pir_dtype_size(contract_lane_dtype(many));
  int64_t line = contract_panel_lanes(many) * size, lines = contract_known_lines(many);
  int64_t kept = (int64_t)target->l3_bytes / target->machine->cache.l3_kept;
  return lines > 0 && lines <= kept / line;
}

// Chooses the form for many rows, and the most rows that are few. Returns false if all are. A
// known number of rows is many only where rows are rounded: else b was widened when it was
// packed.
static bool choose_many(const contract_form *few, const contraction *rounded,
                        const pir_target *target, contract_form *out, int64_t *out_most) {
  int64_t rows;
  if (!few->held || few->tile < 0 || few->above >= 0 || few->window_count || few->strip_count)
    return false;
  bool known = contract_const(few, contract_rows(few), &rows);
  *out = widened(few, rounded, target);
  if ((known && !rounded) || !choose_tile(out, target) || !keeps_panel(out, target))
    return false;
  *out_most = few_rows(out, target->machine);
  return *out_most < MOST_FEW_ROWS && !(known && rows <= *out_most);
}

// Whole numbers whose products and sums fit 32 bits, and groups without a rest.
static bool fits_groups(const contract_form *f) {
  enum { MOST_OF_BYTE = 256, FOUR = 4 };
  int64_t steps, most = f->c->bits ? INT64_C(1) << (f->c->bits - 1) : MOST_OF_BYTE / 2;
  pir_dim last = f->axes[f->taps[f->tap_count - 1]].extent;
  return contract_const(f, last, &steps) && steps % FOUR == 0 &&
         steps <= INT32_MAX / MOST_OF_BYTE / most;
}

bool contract_has_rounded_rows(const contract_form *f, const pir_target *target) {
  const contraction *c = f->c;
  bool bytes = c->a.dtype == PIR_I8 && contract_factor(&c->b) == PIR_I8 && !c->a.rounded;
  int64_t step;
  if (!bytes || f->compute != PIR_F32 || f->kind != CONTRACT_PANEL || !c->b_constant ||
      f->lane < 0 || f->window_count || contract_bytes_at_once(target) < 2)
    return false;
  if (f->tap_count != (f->scaled < 0 ? 1 : 2) || !contract_is_dense(c->dims, &c->a))
    return false;
  return contract_const(f, f->axes[f->taps[f->tap_count - 1]].step_a, &step) && step == 1 &&
         fits_groups(f);
}

// ---- the stages

typedef struct row_stages {
  const contract_form *few;
  const contract_env *env;
  const char *name;
  uint16_t b_slot;
  contract_code *code;
} row_stages;

static contract_stage *add_stage(const row_stages *s) {
  return &s->code->stages[s->code->stage_count++];
}

static pir_status emit_few(const row_stages *s, contraction *floats, const contraction *c) {
  if (floats)
    contract_widen_a(s->few, s->env, s->name, "_floats", &c->a, PIR_F32, &floats->a,
                     add_stage(s));
  return contract_emit_panels(s->few, s->env, s->name, s->b_slot, add_stage(s));
}

static pir_status emit_many(const row_stages *s, contract_form *many, bool rounded) {
  contraction words = *many->c;
  if (rounded && many->group == 2) {
    contract_widen_a(s->few, s->env, s->name, "_widen", &many->c->a, PIR_I16, &words.a,
                     add_stage(s));
    many->c = &words;
  }
  return contract_emit_panels(many, s->env, s->name, s->b_slot, add_stage(s));
}

static void describe(const row_stages *s, const contract_form *many, int64_t most) {
  char *how = s->code->how;
  size_t size = sizeof s->code->how, at = strlen(how);
  const char *groups = many->group == 2 ? " by pairs of words" : " by fours of bytes";
  if (most)
    at += pir_text_format(how + at, size - at, "; above %lld rows: ", (long long)most);
  else
    at += pir_text_format(how + at, size - at, "; for all rows: ");
  at += pir_text_format(how + at, size - at, "%d rows x %d vectors%s", many->rows,
                        many->vectors, contract_makes_groups(many) ? groups : "");
  pir_text_format(how + at, size - at, ", each panel widened once");
}

pir_status contract_emit_rows(const contract_form *few, contraction *floats,
                              const contraction *c, const contract_env *env, const char *name,
                              uint16_t b_slot, contract_code *code) {
  row_stages s = {few, env, name, b_slot, code};
  contract_form many;
  int64_t most, rows;
  pir_dims *dims = c->dims;
  int first = code->stage_count;
  if (!choose_many(few, floats ? c : NULL, env->target, &many, &most))
    return emit_few(&s, floats, c);
  describe(&s, &many, most);
  if (!most || contract_const(few, contract_rows(few), &rows))
    return emit_many(&s, &many, floats);
  PIR_TRY(emit_few(&s, floats, c));
  int second = code->stage_count;
  PIR_TRY(emit_many(&s, &many, floats));
  pir_dim one = pir_dim_const(dims, 1), more = pir_dim_const(dims, most + 1);
  pir_dim are_many = pir_dim_min(dims, one, pir_dim_floordiv(dims, contract_rows(few), more));
  pir_dim are_few = pir_dim_sub(dims, one, are_many);
  for (int i = first; i < code->stage_count; i++)
    code->stages[i].units =
        pir_dim_mul(dims, code->stages[i].units, i < second ? are_few : are_many);
  return PIR_OK;
}
