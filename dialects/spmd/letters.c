// Rules of letters: finds the letters of every tensor's dims, takes how the given tensors are
// split, and splits all of them alike.
#include "spmd_impl.h"

#include <string.h>

// A rule at work.
typedef struct matching {
  pir_spmd *spmd;
  const pir_spmd_rule *rule;
  spmd_letters letters;
  int32_t run_rank[26];  // dims of a run; the most of all tensors
  bool run_known[26];
  bool optional[26];                            // small letters marked '?' that some tensor has
  spmd_dims first;                              // of the first term's tensor
  bool over[PIR_MAX_RANK], drop[PIR_MAX_RANK];  // its dims that results lack
  bool all_over, keep;
} matching;

static bool is_run(char c) {
  return c >= 'A' && c <= 'Z';
}

static int16_t letter_of(char c) {
  return c == '1' ? SPMD_WHOLE : (int16_t)(c - 'a');
}

static bool is_flag(const pir_spmd *spmd, pir_spmd_ref ref) {
  int64_t value = 0;
  return spmd_read_int(spmd, ref, &value) && value;
}

// ---- lengths of runs
// Counts the dims of a term that are no part of a run, leaving out as many of its optional ones
// as the rank lacks.
static int32_t count_single(const pir_spmd_term *t, int32_t rank, int32_t *out_left_out) {
  int32_t count = 0, optional = 0;
  for (const char *c = t->axes; *c; c++) {
    count += !is_run(*c) && *c != '?';
    optional += *c == '?';
  }
  *out_left_out = 0;
  if (count > rank)
    *out_left_out = count - rank < optional ? count - rank : optional;
  return count - *out_left_out;
}

// The dims in front of the letter that `at` places.
static pir_status find_position(matching *m, const pir_spmd_term *t, int32_t rank,
                                int32_t *out) {
  int64_t at = 0;
  bool single = m->rule->at_letter >= 'a' && !strchr(t->axes, m->rule->at_letter);
  int32_t total = rank + single;
  if (!spmd_read_int(m->spmd, m->rule->at, &at))
    return spmd_fail(m->spmd, "an axis is no number");
  if (at < -total || at > total)
    return spmd_fail(m->spmd, "axis %lld of a tensor of rank %d", (long long)at, rank);
  *out = (int32_t)(at < 0 ? at + total : at);
  return PIR_OK;
}

// Writes the lengths of the term's runs, in their order.
static pir_status measure_runs(matching *m, const pir_spmd_term *t, int32_t rank,
                               int32_t lengths[2], int32_t *out_left_out) {
  int32_t single = count_single(t, rank, out_left_out), runs = 0, front = 0,
          known[2] = {-1, -1};
  for (const char *c = t->axes; *c; c++)
    if (is_run(*c)) {
      known[runs] = m->run_known[*c - 'A'] ? m->run_rank[*c - 'A'] : -1;
      runs++;
    }
  if (single > rank || (!runs && single != rank))
    return spmd_fail(m->spmd, "a tensor of rank %d where the rule has %d", rank, single);
  lengths[0] = rank - single;
  lengths[1] = 0;
  if (runs < 2)
    return PIR_OK;
  bool both = known[0] >= 0 && known[1] >= 0;
  if (both && rank == known[0] + known[1] + single - 1 && strchr(t->axes, '?')) {
    (*out_left_out)++;
    single--;
  }
  if (both ? rank == known[0] + known[1] + single : !m->rule->at_letter) {
    lengths[0] = known[0] >= 0 ? known[0] : rank - single - known[1];
    lengths[1] = rank - single - lengths[0];
    if (lengths[0] >= 0 && lengths[1] >= 0 && (known[0] >= 0 || known[1] >= 0))
      return PIR_OK;
  }
  if (!m->rule->at_letter)
    return spmd_fail(m->spmd, "the dims of a tensor of rank %d are not told apart", rank);
  pir_status status = find_position(m, t, rank, &front);
  if (status)
    return status;
  if (front > rank - single)
    return spmd_fail(m->spmd, "axis %d of a tensor of rank %d", front, rank);
  lengths[0] = front;
  lengths[1] = rank - single - front;
  return PIR_OK;
}

static int count_runs(const pir_spmd_term *t) {
  int count = 0;
  for (const char *c = t->axes; *c; c++)
    count += is_run(*c);
  return count;
}

static pir_status learn_runs(matching *m, const pir_spmd_term *t, int32_t rank) {
  int32_t lengths[2], left_out;
  pir_status status = measure_runs(m, t, rank, lengths, &left_out);
  int at = 0;
  for (const char *c = t->axes; !status && *c; c++) {
    if (is_run(*c)) {
      int32_t *longest = &m->run_rank[*c - 'A'], length = lengths[at++];
      *longest = *longest < length ? length : *longest;
      m->run_known[*c - 'A'] = true;
    } else if (c[1] == '?' && left_out-- <= 0) {
      m->optional[*c - 'a'] = true;
    }
  }
  return status;
}

// ---- letters of dims
static void put_dim(spmd_dims *dims, int16_t letter) {
  if (dims->rank < PIR_MAX_RANK)
    dims->letter[dims->rank++] = letter;
}

// A shorter run has the last dims of a longer one.
static void put_run(const matching *m, spmd_dims *dims, char run, int32_t length) {
  int32_t whole = m->run_rank[run - 'A'];
  for (int32_t i = whole - length; i < whole; i++)
    put_dim(dims, (int16_t)(26 + (run - 'A') * PIR_MAX_RANK + i));
}

static pir_status find_dims(matching *m, const pir_spmd_term *t, int32_t rank, spmd_dims *out) {
  int32_t lengths[2], left_out;
  pir_status status = measure_runs(m, t, rank, lengths, &left_out);
  int at = 0;
  out->rank = 0;
  for (const char *c = t->axes; !status && *c; c++) {
    if (is_run(*c))
      put_run(m, out, *c, lengths[at++]);
    else if (*c != '?' && (c[1] != '?' || left_out-- <= 0))
      put_dim(out, letter_of(*c));
  }
  if (!status && is_flag(m->spmd, t->swap) && out->rank >= 2) {
    int16_t last = out->letter[out->rank - 1];
    out->letter[out->rank - 1] = out->letter[out->rank - 2];
    out->letter[out->rank - 2] = last;
  }
  return status;
}

// The dims of a result, all of whose runs are known.
static void find_result_dims(const matching *m, const pir_spmd_term *t, spmd_dims *out) {
  out->rank = 0;
  for (const char *c = t->axes; *c; c++) {
    if (is_run(*c))
      put_run(m, out, *c, m->run_rank[*c - 'A']);
    else if (*c != '?' && (c[1] != '?' || m->optional[*c - 'a']))
      put_dim(out, letter_of(*c));
  }
}

static int32_t find_letter(const spmd_dims *dims, int16_t letter) {
  for (int32_t d = 0; d < dims->rank; d++)
    if (dims->letter[d] == letter)
      return d;
  return -1;
}

// Takes out of a result's dims what `over` and `drop` name.
static void reduce_dims(const matching *m, spmd_dims *dims) {
  spmd_dims kept = {.rank = 0};
  bool reduces = m->rule->over != PIR_SPMD_NONE;
  for (int32_t d = 0; d < dims->rank; d++) {
    int32_t at = dims->letter[d] == SPMD_WHOLE ? -1 : find_letter(&m->first, dims->letter[d]);
    bool over = at >= 0 && reduces && (m->all_over || m->over[at]);
    if (over && m->keep)
      put_dim(&kept, SPMD_WHOLE);
    else if (!over && !(at >= 0 && m->drop[at]))
      put_dim(&kept, dims->letter[d]);
  }
  *dims = kept;
}

static pir_status order_dims(const matching *m, spmd_dims *dims) {
  const int64_t *order;
  size_t count;
  if (!spmd_read_list(m->spmd, m->rule->order, &order, &count))
    return PIR_OK;
  spmd_dims ordered = {.rank = 0};
  bool marks[PIR_MAX_RANK] = {0};
  if (count != (size_t)dims->rank)
    return spmd_fail(m->spmd, "%zu axes of a tensor of rank %d", count, dims->rank);
  pir_status status = spmd_mark_axes(m->spmd, m->rule->order, dims->rank, marks);
  for (int32_t d = 0; !status && d < dims->rank; d++)
    if (!marks[d])
      return spmd_fail(m->spmd, "an order of axes without axis %d", d);
  for (size_t i = 0; !status && i < count; i++)
    put_dim(&ordered, dims->letter[order[i] < 0 ? order[i] + dims->rank : order[i]]);
  *dims = ordered;
  return status;
}

static pir_status find_final_dims(matching *m, const pir_spmd_term *t, int32_t rank,
                                  spmd_dims *out) {
  find_result_dims(m, t, out);
  reduce_dims(m, out);
  pir_status status = order_dims(m, out);
  // A flat result of an op without `over` has one dim, of which nothing is split.
  if (!status && out->rank != rank && m->all_over && m->rule->over == PIR_SPMD_NONE)
    for (out->rank = 0; out->rank < rank;)
      put_dim(out, SPMD_WHOLE);
  if (!status && out->rank != rank)
    return spmd_fail(m->spmd, "the rule gives a result of rank %d, the op one of rank %d",
                     out->rank, rank);
  return status;
}

// ---- the steps
static const pir_spmd_term *operand_term(const matching *m, uint8_t i) {
  return &m->rule->terms[i];
}
static const pir_spmd_term *result_term(const matching *m, uint8_t i) {
  return &m->rule->terms[m->rule->operand_terms + i];
}

// Whether one of two runs is known, or placed by `at`.
static bool is_told_apart(const matching *m, const pir_spmd_term *t) {
  bool known = m->rule->at_letter != 0;
  for (const char *c = t->axes; *c; c++)
    known |= is_run(*c) && m->run_known[*c - 'A'];
  return known;
}

// With `two`, of operands with two runs; else of the others.
static pir_status learn_operands(matching *m, bool two) {
  for (uint8_t i = 0; i < m->rule->operand_terms; i++) {
    const pir_spmd_term *t = operand_term(m, i);
    const pir_placements *x = &m->spmd->operands[t->place];
    if ((count_runs(t) == 2) != two || (two && !is_told_apart(m, t)))
      continue;
    for (size_t k = 0; k < x->count; k++) {
      pir_status status = learn_runs(m, t, x->items[k].rank);
      if (status)
        return status;
    }
  }
  return PIR_OK;
}

// A run that the operands do not tell gets the rest of a result's dims; and so does the only
// run of a result that has more dims than they.
static void learn_results(matching *m) {
  for (uint8_t i = 0; i < m->rule->result_terms; i++) {
    const pir_spmd_term *t = result_term(m, i);
    const pir_placements *x = &m->spmd->results[t->place];
    spmd_dims dims;
    char open = 0;
    int unknown = 0;
    for (const char *c = t->axes; *c; c++)
      if (is_run(*c) && (!m->run_known[*c - 'A'] || count_runs(t) == 1)) {
        open = *c;
        unknown++;
      }
    find_result_dims(m, t, &dims);
    if (unknown != 1 || !x->count || x->items[0].rank < dims.rank)
      continue;
    m->run_rank[open - 'A'] += x->items[0].rank - dims.rank;
    m->run_known[open - 'A'] = true;
  }
}

static void compare_extents(matching *m, const pir_spmd_term *t, const spmd_dims *result,
                            const pir_placement *y) {
  const pir_placements *x = &m->spmd->operands[t->place];
  spmd_dims dims;
  if (!x->count || (t->flags & PIR_SPMD_FOLLOWS) || find_dims(m, t, x->items[0].rank, &dims))
    return;
  for (int32_t d = 0; d < result->rank && d < y->rank; d++) {
    int32_t at = result->letter[d] == SPMD_WHOLE ? -1 : find_letter(&dims, result->letter[d]);
    if (result->letter[d] != SPMD_WHOLE && (at < 0 || x->items[0].shape[at] != y->shape[d]))
      m->letters.whole[result->letter[d]] = true;
  }
}

// How strong the claim of each small letter and run to a mesh dim is.
static void find_claims(matching *m) {
  for (int letter = 0; letter < SPMD_LETTERS; letter++) {
    char name = (char)(letter < 26 ? 'a' + letter : 'A' + (letter - 26) / PIR_MAX_RANK);
    int operands = 0, results = 0;
    for (uint8_t i = 0; i < m->rule->operand_terms; i++)
      operands += strchr(operand_term(m, i)->axes, name) != NULL;
    for (uint8_t i = 0; i < m->rule->result_terms; i++)
      results += strchr(result_term(m, i)->axes, name) != NULL;
    m->letters.claim[letter] = (uint8_t)(!results ? 2 : operands < 2);
  }
}

// Makes dims whole whose extent in the result `same` is another.
static void mark_changed(matching *m) {
  const pir_spmd_rule *r = m->rule;
  for (uint8_t i = 0; r->same >= 0 && i < r->result_terms; i++) {
    const pir_placements *y = &m->spmd->results[r->same];
    spmd_dims dims;
    if (result_term(m, i)->place != r->same || !y->count)
      continue;
    find_result_dims(m, result_term(m, i), &dims);
    for (uint8_t k = 0; k < r->operand_terms; k++)
      compare_extents(m, operand_term(m, k), &dims, &y->items[0]);
  }
}

static void mark_whole(matching *m, const char *letters) {
  for (const char *c = letters; *c; c++) {
    if (!is_run(*c))
      m->letters.whole[letter_of(*c)] = true;
    for (int i = 0; is_run(*c) && i < PIR_MAX_RANK; i++)
      m->letters.whole[26 + (*c - 'A') * PIR_MAX_RANK + i] = true;
  }
}

// Marks the dims of the first term that options name.
static pir_status mark_dims(matching *m) {
  const pir_spmd_rule *r = m->rule;
  const pir_placements *x = &m->spmd->operands[r->terms[0].place];
  bool whole[PIR_MAX_RANK] = {0};
  const int64_t *list;
  size_t count = 1;
  if (!x->count)
    return PIR_OK;
  pir_status status = find_dims(m, &r->terms[0], x->items[0].rank, &m->first);
  if (!status)
    status = spmd_mark_axes(m->spmd, r->drop, m->first.rank, m->drop);
  m->all_over = spmd_is_flat(m->spmd, r->flat) ||
                (spmd_read_list(m->spmd, r->over, &list, &count) && !count);
  m->keep = is_flag(m->spmd, r->keep);
  if (!status && !m->all_over)
    status = spmd_mark_axes(m->spmd, r->over, m->first.rank, m->over);
  bool flat = r->whole_axes == r->over || r->over == PIR_SPMD_NONE;
  if (!status && m->all_over && flat)
    memset(whole, true, sizeof whole);
  else if (!status)
    status = spmd_mark_axes(m->spmd, r->whole_axes, m->first.rank, whole);
  for (int32_t d = 0; !status && d < m->first.rank; d++)
    if (whole[d] && m->first.letter[d] != SPMD_WHOLE)
      m->letters.whole[m->first.letter[d]] = true;
  mark_whole(m, r->whole);
  if (!m->spmd->wide)
    mark_whole(m, r->static_whole);
  mark_changed(m);
  return status;
}

// A dim of extent 1 of a run that several operands have may be repeated: its split says
// nothing of the others.
static void skip_repeated(const matching *m, const spmd_dims *dims, const pir_placement *x,
                          spmd_dims *out) {
  *out = *dims;
  for (int32_t d = 0; d < dims->rank; d++) {
    int run = dims->letter[d] < 26 ? -1 : (dims->letter[d] - 26) / PIR_MAX_RANK, terms = 0;
    for (uint8_t i = 0; run >= 0 && i < m->rule->operand_terms; i++)
      terms += strchr(operand_term(m, i)->axes, 'A' + run) != NULL;
    bool repeated = m->rule->same >= 0 || terms > 1;
    if (repeated && x->shape[d] == 1)
      out->letter[d] = SPMD_WHOLE;
  }
}

static pir_status visit_operands(matching *m, bool put) {
  bool may_unite = m->rule->clash == PIR_SPMD_UNITE;
  for (uint8_t i = 0; i < m->rule->operand_terms; i++) {
    const pir_spmd_term *t = operand_term(m, i);
    const pir_placements *x = &m->spmd->operands[t->place];
    for (size_t k = 0; k < x->count; k++) {
      spmd_dims found, dims;
      pir_status status = find_dims(m, t, x->items[k].rank, &found);
      if (status)
        return status;
      skip_repeated(m, &found, &x->items[k], &dims);
      if (put)
        spmd_put_splits(&m->letters, &dims, &x->items[k]);
      else if (m->rule->clash == PIR_SPMD_ALIGN)
        spmd_align(m->spmd, &m->letters, &dims, x);
      else if (!(t->flags & PIR_SPMD_FOLLOWS))
        status = spmd_take_splits(m->spmd, &m->letters, &dims, &x->items[k], may_unite);
      if (status)
        return status;
    }
  }
  return PIR_OK;
}

static pir_status visit_results(matching *m, bool put) {
  for (uint8_t i = 0; i < m->rule->result_terms; i++) {
    const pir_spmd_term *t = result_term(m, i);
    const pir_placements *x = &m->spmd->results[t->place];
    for (size_t k = 0; k < x->count; k++) {
      spmd_dims dims;
      pir_status status = find_final_dims(m, t, x->items[k].rank, &dims);
      if (!status && put)
        spmd_put_splits(&m->letters, &dims, &x->items[k]);
      else if (!status)
        status = spmd_take_splits(m->spmd, &m->letters, &dims, &x->items[k], false);
      if (status)
        return status;
    }
  }
  return PIR_OK;
}

static void set_partial(const pir_placements *x, uint8_t mesh, uint8_t reduction) {
  for (size_t k = 0; k < x->count; k++)
    x->items[k].partial[mesh] = (uint8_t)(1 + reduction);
}

static void put_partial(matching *m, uint8_t mesh) {
  for (uint8_t i = 0; i < m->rule->result_terms; i++)
    set_partial(&m->spmd->results[result_term(m, i)->place], mesh, m->rule->leaves);
  for (uint8_t i = 0; i < m->rule->operand_terms; i++)
    if (operand_term(m, i)->flags & PIR_SPMD_SUMMAND)
      set_partial(&m->spmd->operands[operand_term(m, i)->place], mesh, m->rule->leaves);
}

// The results are partial over the mesh dims of letters that no result has.
static void leave_partial(matching *m) {
  bool held[SPMD_LETTERS] = {0};
  for (uint8_t i = 0; i < m->rule->result_terms; i++) {
    spmd_dims dims;
    find_result_dims(m, result_term(m, i), &dims);
    reduce_dims(m, &dims);
    for (int32_t d = 0; d < dims.rank; d++)
      if (dims.letter[d] != SPMD_WHOLE)
        held[dims.letter[d]] = true;
  }
  for (int i = 0; i < m->letters.count; i++) {
    int16_t letter = m->letters.order[i];
    const pir_split *split = &m->letters.split[letter];
    for (uint8_t k = 0; !held[letter] && k < split->count; k++)
      put_partial(m, split->mesh[k]);
  }
}

pir_status spmd_by_letters(pir_spmd *spmd, const pir_spmd_rule *rule) {
  matching m = {.spmd = spmd, .rule = rule};
  pir_status status = learn_operands(&m, false);
  if (!status)
    learn_results(&m);
  for (int i = 0; !status && i < 2; i++)  // one such operand may tell a run of another
    status = learn_operands(&m, true);
  if (!status)
    status = mark_dims(&m);
  if (!status)
    find_claims(&m);
  if (!status)
    status = spmd->backward ? visit_results(&m, false) : visit_operands(&m, false);
  if (!status)
    status = spmd_settle(spmd, &m.letters, rule->clash);
  mark_whole(&m, rule->late_whole);
  if (!status)
    status = visit_operands(&m, true);
  if (!status && !(spmd->backward && rule->clash == PIR_SPMD_ALIGN))
    status = visit_results(&m, true);
  if (!status && !spmd->backward)
    leave_partial(&m);
  return status;
}
