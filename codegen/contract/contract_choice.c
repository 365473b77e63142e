// Chooses the code of a contraction by the record of tuned choices
// (docs/explain/contractions.md), and lists the candidates that a trial times: variants of the
// present choice in one respect each. The record names a class of contractions by everything on
// which their speed depends but memory and the ops around them.
#include "contract_choice.h"

#include <stdlib.h>
#include <string.h>

// What tuning may choose.
typedef struct choice {
  int outputs[2];       // of minimal filters along rows and columns; 0: plain products
  int patches, panels;  // of a unit, where there are filters
  int rows, vectors;    // of a tile, where there are none
  bool panel_inner;
  bool strips;
  contract_fetching fetches;
  int64_t block;
} choice;

static choice choice_of(const contract_form *f, const contract_winograd *w) {
  if (w)
    return (choice){.outputs = {w->slide[0].filter.outputs, w->slide[1].filter.outputs},
                    .patches = w->tiles,
                    .panels = w->panels};
  return (choice){.rows = f->rows,
                  .vectors = f->vectors,
                  .panel_inner = f->panel_inner,
                  .strips = f->strip_count > 0,
                  .fetches = f->fetches,
                  .block = f->block};
}

static bool same(const choice *a, const choice *b) {
  return a->outputs[0] == b->outputs[0] && a->outputs[1] == b->outputs[1] &&
         a->patches == b->patches && a->panels == b->panels && a->rows == b->rows &&
         a->vectors == b->vectors && a->panel_inner == b->panel_inner &&
         a->strips == b->strips && a->fetches == b->fetches && a->block == b->block;
}

// ---- as text

static const char *const FETCHES[] = {"nothing", "panel", "rows"};

static void print_choice(const choice *c, char *out, size_t size) {
  if (c->outputs[0])
    pir_text_format(out, size, "filter %d %d patches %d panels %d", c->outputs[0],
                    c->outputs[1], c->patches, c->panels);
  else
    pir_text_format(out, size, "tile %d %d inner %s strips %d fetch %s block %lld", c->rows,
                    c->vectors, c->panel_inner ? "panels" : "rows", c->strips,
                    FETCHES[c->fetches], (long long)c->block);
}

// Takes a word and the space behind it.
static bool take_word(const char **text, const char *word) {
  size_t size = strlen(word);
  if (strncmp(*text, word, size) != 0 || ((*text)[size] != ' ' && (*text)[size]))
    return false;
  *text += size + ((*text)[size] == ' ');
  return true;
}

static bool take_number(const char **text, int *out) {
  enum { MOST = 1 << 20 };
  char *end;
  long value = strtol(*text, &end, 10);
  if (end == *text || (*end && *end != ' ') || value < 0 || value > MOST)
    return false;
  *out = (int)value;
  *text = end + (*end == ' ');
  return true;
}

static bool take_fetches(const char **text, contract_fetching *out) {
  for (size_t i = 0; i < sizeof FETCHES / sizeof *FETCHES; i++)
    if (take_word(text, FETCHES[i])) {
      *out = (contract_fetching)i;
      return true;
    }
  return false;
}

static bool parse_tile(const char *text, choice *out) {
  int block, strips;
  if (!take_word(&text, "tile") || !take_number(&text, &out->rows) ||
      !take_number(&text, &out->vectors) || !take_word(&text, "inner"))
    return false;
  out->panel_inner = take_word(&text, "panels");
  if ((!out->panel_inner && !take_word(&text, "rows")) || !take_word(&text, "strips") ||
      !take_number(&text, &strips) || !take_word(&text, "fetch") ||
      !take_fetches(&text, &out->fetches) || !take_word(&text, "block") ||
      !take_number(&text, &block))
    return false;
  out->block = block;
  out->strips = strips;
  return !*text;
}

static bool parse_choice(const char *text, choice *out) {
  *out = (choice){0};
  if (!take_word(&text, "filter"))
    return parse_tile(text, out);
  return take_number(&text, &out->outputs[0]) && take_number(&text, &out->outputs[1]) &&
         take_word(&text, "patches") && take_number(&text, &out->patches) &&
         take_word(&text, "panels") && take_number(&text, &out->panels) && !*text &&
         out->outputs[0] && out->outputs[1];
}

// ---- classes

// Writes a number, or the known factor of one.
static size_t print_dim(const contract_form *f, pir_dim d, char *out, size_t size) {
  int64_t value;
  if (contract_const(f, d, &value))
    return pir_text_format(out, size, "%lld", (long long)value);
  return pir_text_format(out, size, "?%lld", (long long)contract_known_factor(f, d));
}

static size_t print_axis(const contract_form *f, int i, char *out, size_t size) {
  const contract_axis *a = &f->axes[i];
  size_t at = pir_text_format(out, size, " %c", "bmnk"[a->role]);
  at += print_dim(f, a->extent, out + at, size - at);
  const pir_dim steps[] = {a->step_a, a->step_b, a->step_out};
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
    at += pir_text_format(out + at, size - at, ":");
    at += print_dim(f, steps[k], out + at, size - at);
  }
  return at;
}

static size_t print_window(const contract_form *f, int i, char *out, size_t size) {
  const contract_window *w = &f->windows[i];
  size_t at =
      pir_text_format(out, size, " w%d,%d,%lld,%lld,%lld,", w->position, w->tap,
                      (long long)w->offset, (long long)w->stride, (long long)w->dilation);
  return at + print_dim(f, w->extent, out + at, size - at);
}

// Returns false if the class does not fit.
static bool print_class(const contract_form *f, const contract_env *env,
                        char out[PIR_TUNED_CLASS]) {
  const contraction *c = f->c;
  size_t size = PIR_TUNED_CLASS;
  size_t at = pir_text_format(out, size, "%s %s %s %s %s%s g%d", target_math_name(env->math),
                              pir_dtype_name(c->a.dtype), pir_dtype_name(c->b.dtype),
                              pir_dtype_name(c->out.dtype), c->b_constant ? "packed" : "given",
                              c->b.rounded ? " rounded" : "", f->group);
  if (c->scaled)
    at += pir_text_format(out + at, size - at, " scaled");
  for (int i = 0; i < f->axis_count; i++)
    at += print_axis(f, i, out + at, size - at);
  for (int i = 0; i < f->window_count; i++)
    at += print_window(f, i, out + at, size - at);
  return at + 1 < size;
}

// ---- taking a choice

static bool take_tile(contract_form *f, const contract_env *env, const choice *c) {
  contract_form g = *f;
  g.rows = c->rows;
  g.vectors = c->vectors;
  // Tile registers leave no choice; a record may be older than they are for this class.
  if (f->tile_groups || c->vectors < 1 || c->vectors > CONTRACT_MOST_VECTORS || c->rows < 1)
    return false;
  // A depthwise tile holds a row's sums and taps; the others, a line of the panel.
  int most = f->kind == CONTRACT_DEPTHWISE ? env->target->vector_registers / (c->vectors + 1)
                                           : contract_most_rows(env->target, c->vectors);
  if (c->rows > most || (f->kind == CONTRACT_DEPTHWISE && !c->panel_inner))
    return false;
  contract_arrange(&g, env->target, c->panel_inner);
  if (c->strips && !g.strip_count)
    return false;
  if (!c->strips)
    g.strip_count = 0;
  if (!contract_can_fetch(&g, env->target, c->fetches) || (c->block && c->panel_inner))
    return false;
  g.fetches = c->fetches;
  g.block = c->block && g.block ? c->block : 0;
  *f = g;
  return true;
}

// Sets the code to this choice; returns false and changes nothing if it is none for the form.
static bool take_choice(contract_form *f, const contract_env *env, const choice *c,
                        contract_winograd *w, bool *out_filters) {
  contract_winograd made;
  if (!c->outputs[0]) {
    if (!take_tile(f, env, c))
      return false;
    *out_filters = false;
    return true;
  }
  if (!contract_winograd_make(f, env, c->outputs, c->patches, c->panels, &made))
    return false;
  *w = made;
  *out_filters = true;
  return true;
}

// ---- candidates

enum { MOST_CANDIDATES = 24 };

typedef struct candidates {
  const contract_form *f;
  const contract_env *env;
  choice at[MOST_CANDIDATES];
  int count;
} candidates;

// Adds a choice that the form can take and that is not listed yet.
static void add_choice(candidates *list, choice c) {
  contract_form f = *list->f;
  contract_winograd w;
  bool filters;
  if (list->count == MOST_CANDIDATES || !take_choice(&f, list->env, &c, &w, &filters))
    return;
  c = choice_of(&f, filters ? &w : NULL);
  for (int i = 0; i < list->count; i++)
    if (same(&list->at[i], &c))
      return;
  list->at[list->count++] = c;
}

// A tile with the order of units, and the block and fetching that fit both.
static choice arranged(const candidates *list, int rows, int vectors, bool panel_inner) {
  contract_form f = *list->f;
  f.rows = rows;
  f.vectors = vectors;
  contract_arrange(&f, list->env->target, panel_inner);
  return choice_of(&f, NULL);
}

static void add_tiles(candidates *list, const choice *now) {
  contract_tiles tiles;
  contract_rank_tiles(list->f, list->env->target, &tiles);
  for (int i = 0; i < tiles.count; i++)
    add_choice(list, arranged(list, tiles.at[i].rows, tiles.at[i].vectors, now->panel_inner));
}

// Variants of a tile: the other order of units, other fetching, other blocks.
static void add_orders(candidates *list, const choice *now) {
  add_choice(list, arranged(list, now->rows, now->vectors, !now->panel_inner));
  for (int fetches = FETCH_NOTHING; fetches <= FETCH_ROWS; fetches++) {
    choice c = *now;
    c.fetches = (contract_fetching)fetches;
    add_choice(list, c);
    c.strips = false;
    add_choice(list, c);
  }
  const int64_t blocks[] = {0, now->block / 2, now->block * 2};
  for (size_t i = 0; now->block && i < sizeof blocks / sizeof *blocks; i++) {
    choice c = *now;
    c.block = blocks[i];
    add_choice(list, c);
  }
}

static void add_filters(candidates *list, const choice *now) {
  contract_filters filters;
  contract_rank_filters(list->f, list->env, &filters);
  for (int i = 0; i < filters.count; i++)
    add_choice(list, choice_of(list->f, &filters.at[i]));
  if (!now->outputs[0])
    return;
  static const int times[][2] = {{1, 2}, {2, 1}, {3, 2}, {3, 4}};  // of the size, n / m
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    choice c = *now;
    c.patches = now->patches * times[i][0] / times[i][1];
    add_choice(list, c);
    c = *now;
    c.panels = now->panels * times[i][0] / times[i][1];
    add_choice(list, c);
  }
}

// Lists the present choice and its variants.
static void gather_candidates(candidates *list, const choice *now) {
  list->at[list->count++] = *now;
  if (list->f->tile_groups)
    return;  // tile registers leave no choice
  if (now->outputs[0]) {
    add_filters(list, now);
    add_choice(list, choice_of(list->f, NULL));
  } else {
    add_tiles(list, now);
    add_orders(list, now);
    add_filters(list, now);
  }
}

// ---- the choice

bool contract_choose(contract_form *f, const contract_env *env, contract_winograd *w,
                     pir_tuned *out_tuned) {
  const pir_tuning *tuning = env->target->tuning;
  choice now;
  out_tuned->candidates = 0;
  contract_schedule(f, env->target);
  bool filters = contract_winograd_match(f, env, w);
  if (!tuning || !print_class(f, env, out_tuned->of_class))
    return filters;
  const char *kept = pir_tuning_find(tuning, out_tuned->of_class);
  if (kept && parse_choice(kept, &now))
    take_choice(f, env, &now, w, &filters);
  int trial = pir_tuning_trial(tuning);
  if (trial < 0)
    return filters;
  candidates list = {.f = f, .env = env};
  now = choice_of(f, filters ? w : NULL);
  gather_candidates(&list, &now);
  if (trial > 0 && trial < list.count)
    take_choice(f, env, &list.at[trial], w, &filters);
  now = choice_of(f, filters ? w : NULL);
  print_choice(&now, out_tuned->choice, sizeof out_tuned->choice);
  out_tuned->candidates = list.count;
  return filters;
}
