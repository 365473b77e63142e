// Packed dot products: one instruction multiplies the two bf16 pairs (or four byte pairs) in
// each 32-bit lane of two vectors and adds the products to the lane's f32 (i32) sum.
//
// A lane holds a group of neighbours along the last reduced axis: the inner dim of a matrix
// product, or the channels of an image. One step along that axis therefore handles one group.
// From `a` it loads 32 bits and broadcasts them; `b` is packed lane by lane. The rest of the
// kernel is the plain vector kernel. An incomplete last group is padded with zeros.
//
// Byte products are unsigned times signed. A signed `a` gets 128 added to each byte by flipping
// the top bit. The resulting error of the sums depends on `b` alone, so packing stores it in
// one extra line behind each run of groups, and the kernel subtracts it after the run.
// Reduction steps in the padding are skipped on both sides, so they need no correction.
//
// Whole numbers of 4 bits whose factors are floats are packed in the same way, raised by 8 so
// that they are not negative. A register of 16 lanes is a table of their floats (vpermps); else
// a number becomes, where its bits stand, a part of a float in which its last bit counts 1, and
// that float less the same of a raised zero is the number. Both are exact.
#include "contract_ways.h"
#include "contract_words.h"

#include <string.h>

static bool is_bf16(const contract_form *f, const contract_env *env) {
  const contraction *c = f->c;
  return env->math == PIR_MATH_BF16 && env->target->avx512_bf16 && f->compute == PIR_F32 &&
         c->a.dtype == PIR_BF16 && (c->b.dtype == PIR_BF16 || c->b.rounded == PIR_BF16);
}

static bool is_bytes(const contract_form *f, const contract_env *env) {
  const contraction *c = f->c;
  return env->target->avx512_vnni && f->compute == PIR_I32 &&
         (c->a.dtype == PIR_I8 || c->a.dtype == PIR_U8) && contract_factor(&c->b) == PIR_I8;
}

// Whether one instruction multiplies and adds two words, as on every x86-64 processor.
static bool has_words(const pir_target *target) {
  return strstr(target->features, "+sse2") != NULL;
}

enum { PAIR = 2, FOUR = 4 };

int contract_bytes_at_once(const pir_target *target) {
  if (target->avx512_vnni)
    return FOUR;
  return has_words(target) ? PAIR : 1;
}

bool pir_contract_multiplies_bytes(const pir_target *target) {
  return contract_bytes_at_once(target) > 1;
}

static bool is_words(const contract_form *f, const contract_env *env) {
  pir_dtype a = contract_factor(&f->c->a);
  return !env->target->avx512_vnni && has_words(env->target) && f->compute == PIR_I32 &&
         (a == PIR_I8 || a == PIR_U8) &&
         (f->c->b.rounded || pir_dtype_size(f->c->b.dtype) == 1);
}

enum { LANE_WIDTH = 32, NUMBERS_WIDTH = 4 };

static int number_width(const contract_form *f) {
  return LANE_WIDTH / f->group;
}

// Numbers that can be a part of a float where they stand; those above are shifted first.
enum { PLACES = 5, RAISED = 8, EXPONENT = 23, EXPONENT_BIAS = 127 };

static loop_expr *of_lanes(const contract_emission *e, uint32_t bits) {
  return pir_loop_const_int(e->m, PIR_I32, (int32_t)bits);
}

// A float whose bit `at` counts 1 holds the number where it stands; less the same of a raised
// zero it is the number.
static loop_expr *number_in_place(const contract_emission *e, loop_expr *lanes, int at) {
  uint32_t mine = ((1U << number_width(e->form)) - 1) << at;
  uint32_t base = (uint32_t)(EXPONENT_BIAS + EXPONENT - at) << EXPONENT;
  double zero = (double)(1 << (EXPONENT - at)) + RAISED;
  lanes = pir_loop_op(e->m, PIR_V_AND, lanes, of_lanes(e, mine), NULL);
  lanes = pir_loop_op(e->m, PIR_V_OR, lanes, of_lanes(e, base), NULL);
  lanes = pir_loop_bitcast(e->m, lanes, PIR_F32);
  return contract_sub(e, lanes, pir_loop_const_float(e->m, PIR_F32, zero));
}

// Whether a register holds the floats of all numbers, and one instruction looks them up by the
// lower bits of each lane.
static bool looks_up(const contract_emission *e, int lanes) {
  return lanes == 1 << number_width(e->form) && strstr(e->env->target->features, "+avx512f");
}

loop_expr *contract_number(const contract_emission *e, loop_expr *lanes, int i) {
  int width = number_width(e->form);
  bool tables = looks_up(e, lanes->lanes), by_table = tables && i % 2 == 0;
  int places = tables ? 2 : PLACES, down = i / places * places;
  if (down)
    lanes = pir_loop_op(e->m, PIR_V_SHR, lanes, of_lanes(e, (uint32_t)(width * down)), NULL);
  if (!by_table)
    return number_in_place(e, lanes, width * (i - down));
  loop_expr *all = pir_loop_ramp(e->m, pir_loop_const_int(e->m, PIR_I32, -RAISED),
                                 pir_loop_const_int(e->m, PIR_I32, 1), lanes->lanes);
  return pir_loop_lookup(e->m, pir_loop_cast(e->m, all, PIR_F32), lanes);
}

bool contract_gains_by_group(const contract_form *f, const pir_target *target) {
  bool pairs = f->compute == PIR_F32 && f->group == PAIR && !f->tile_groups;
  return f->group > 1 && (!pairs || target->machine->core.bf16_cost < PAIR);
}

loop_expr *contract_number_bytes(const contract_emission *e, loop_expr *lanes, int half) {
  enum { MASK = 0x0f0f0f0f };
  if (half)
    lanes = pir_loop_op(e->m, PIR_V_SHR, lanes, of_lanes(e, NUMBERS_WIDTH), NULL);
  return pir_loop_op(e->m, PIR_V_AND, lanes, of_lanes(e, MASK), NULL);
}

// Emits one step of eight numbers in each lane, times rows of bytes in the order of numbers 0,
// 2, 4, 6, 1, 3, 5 and 7 (contract_widen.c).
static void emit_number_bytes(const panel_tile *t, loop_block *block, const contract_walk *w) {
  enum { HALVES = 2 };
  const contract_emission *e = &t->p->e;
  loop_expr *line[CONTRACT_MOST_VECTORS], *bytes[CONTRACT_MOST_VECTORS];
  panel_tile one = *t;
  for (int v = 0; v < t->p->vectors; v++) {
    loop_expr *at = contract_plus(e, w->b, v * e->form->vector);
    line[v] = contract_let(e, block, "b", contract_load(e, e->b, at, t->p->lanes[v], NULL));
  }
  for (int half = 0; half < HALVES; half++) {
    one.part = half % t->parts;
    for (int v = 0; v < t->p->vectors; v++)
      bytes[v] = contract_let(e, block, "bytes", contract_number_bytes(e, line[v], half));
    for (int row = w->low; row < w->high; row++) {
      loop_expr *at = contract_add(e, w->a, contract_times(e, t->row_step, row));
      loop_expr *x = contract_load(e, e->a, contract_plus(e, at, half * FOUR), FOUR, NULL);
      x = contract_let(e, block, "a", pir_loop_bitcast(e->m, x, PIR_I32));
      for (int v = 0; v < t->p->vectors; v++) {
        loop_expr *all = contract_broadcast(e, x, t->p->lanes[v]);
        loop_expr *sum = contract_load_sum(&one, row, v);
        contract_store_sum(&one, block, row, v,
                           pir_loop_dot(e->m, LOOP_DOT_U8S8, bytes[v], all, sum));
      }
    }
  }
}

void contract_add_numbers(const panel_tile *t, loop_block *block, const contract_walk *w) {
  const contract_emission *e = &t->p->e;
  if (e->form->compute == PIR_I32) {
    emit_number_bytes(t, block, w);
    return;
  }
  const contract_form *f = e->form;
  loop_expr *line[CONTRACT_MOST_VECTORS], *level[CONTRACT_MOST_VECTORS];
  panel_tile one = *t;
  for (int v = 0; v < t->p->vectors; v++) {
    loop_expr *at = contract_plus(e, w->b, v * f->vector);
    line[v] = contract_let(e, block, "b", contract_load(e, e->b, at, t->p->lanes[v], NULL));
  }
  for (int i = 0; i < f->group; i++) {
    one.part = i % t->parts;
    for (int v = 0; v < t->p->vectors; v++)
      level[v] = contract_let(e, block, "level", contract_number(e, line[v], i));
    for (int row = w->low; row < w->high; row++) {
      loop_expr *at = contract_add(e, w->a, contract_times(e, t->row_step, row));
      loop_expr *x = contract_load(e, e->a, contract_plus(e, at, i), 1, NULL);
      x = contract_let(e, block, "a", pir_loop_cast(e->m, x, f->compute));
      for (int v = 0; v < t->p->vectors; v++) {
        loop_expr *all = contract_broadcast(e, x, t->p->lanes[v]);
        contract_add_product(&one, block, row, v, all, level[v]);
      }
    }
  }
}

void contract_choose_group(contract_form *f, const contract_env *env) {
  int64_t step, extent;
  f->group = 1;
  f->numbers = false;
  f->tile_groups = 0;
  if (f->kind != CONTRACT_PANEL || f->lane < 0 || !f->tap_count)
    return;
  const contract_axis *last = &f->axes[f->taps[f->tap_count - 1]];
  if (last->window >= 0 || !contract_const(f, last->step_a, &step) || step != 1)
    return;
  if (is_bf16(f, env) || is_words(f, env))
    f->group = PAIR;
  if (is_bytes(f, env) && contract_const(f, last->extent, &extent) && extent % FOUR == 0)
    f->group = FOUR;
  contract_choose_tile_groups(f, env->target);
}

// Whether packed b holds the bytes of words that are multiplied in pairs.
static bool holds_pairs(const contract_form *f) {
  return f->held && f->group == 2;
}

pir_dtype contract_lane_dtype(const contract_form *f) {
  if (holds_pairs(f))
    return PIR_I16;
  if (f->group > 1)
    return PIR_I32;
  return f->held ? f->held : f->compute;
}

loop_expr *contract_widen_line(const contract_emission *e, loop_expr *lanes) {
  const contract_form *f = e->form;
  if (!f->held)
    return lanes;
  if (!holds_pairs(f))
    return pir_loop_cast(e->m, lanes, f->compute);
  loop_expr *words = pir_loop_cast(e->m, pir_loop_bitcast(e->m, lanes, f->held), PIR_I16);
  return pir_loop_bitcast(e->m, words, PIR_I32);
}

int contract_step_size(const contract_form *f, int level) {
  return level == f->tap_count - 1 ? f->group : 1;
}

pir_dim contract_lines_dim(const contract_form *f, int level) {
  pir_dims *dims = f->c->dims;
  pir_dim size = pir_dim_const(dims, contract_step_size(f, level));
  pir_dim steps = pir_dim_ceildiv(dims, f->axes[f->taps[level]].extent, size);
  return level == f->tap_count - 1 && contract_is_corrected(f)
             ? pir_dim_add(dims, steps, pir_dim_const(dims, 1))
             : steps;
}

loop_expr *contract_steps(const contract_emission *e, int level) {
  int size = contract_step_size(e->form, level);
  loop_expr *extent = contract_extent(e, e->form->taps[level]);
  if (size == 1)
    return extent;
  return contract_div(e, contract_plus(e, extent, size - 1), contract_int(e, size));
}

loop_expr *contract_lines(const contract_emission *e, int level) {
  bool corrected = level == e->form->tap_count - 1 && contract_is_corrected(e->form);
  return contract_plus(e, contract_steps(e, level), corrected);
}

bool contract_is_corrected(const contract_form *f) {
  return f->group > 2 && !f->numbers && !f->tile_groups && f->c->a.dtype == PIR_I8;
}

// ---- a

// The element type inside a lane: bf16, words or bytes.
static loop_expr *small(const contract_emission *e, loop_expr *x) {
  return e->form->compute == PIR_I32 && e->form->group == 2 ? pir_loop_cast(e->m, x, PIR_I16)
                                                            : x;
}

static loop_expr *bits(const contract_emission *e, loop_expr *x) {
  loop_expr *same = pir_loop_bitcast(e->m, x, pir_dtype_size(x->dtype) == 2 ? PIR_U16 : PIR_U8);
  return pir_loop_cast(e->m, same, PIR_I32);
}

loop_expr *contract_load_a(const contract_emission *e, loop_expr *at, int count) {
  const contract_form *f = e->form;
  if (f->group == 1)
    return pir_loop_cast(e->m, contract_load(e, e->a, at, 1, NULL), f->compute);
  if (count < f->group)
    return bits(e, small(e, contract_load(e, e->a, at, 1, NULL)));
  loop_expr *x = small(e, contract_load(e, e->a, at, f->group, NULL));
  x = pir_loop_bitcast(e->m, x, PIR_I32);
  if (!contract_is_corrected(f))
    return x;
  return pir_loop_op(e->m, PIR_V_XOR, x, pir_loop_const_int(e->m, PIR_I32, (int32_t)0x80808080),
                     NULL);
}

// ---- b

static loop_expr *number_bits(const contract_emission *e, loop_expr *x) {
  int32_t mask = (1 << number_width(e->form)) - 1;
  x = pir_loop_cast(e->m, x, PIR_I32);
  x = contract_add(e, x, pir_loop_const_int(e->m, PIR_I32, RAISED));
  return pir_loop_op(e->m, PIR_V_AND, x, pir_loop_const_int(e->m, PIR_I32, mask), NULL);
}

// An element of b as its part of a lane.
static loop_expr *part_of_lane(const contract_emission *e, loop_expr *x) {
  if (e->form->numbers)
    return number_bits(e, x);
  return bits(e, e->form->held ? x : small(e, x));
}

loop_expr *contract_pack_lanes(contract_emission *e, loop_block *block, loop_expr *k,
                               loop_expr *at, loop_expr *mask) {
  const contract_form *f = e->form;
  pir_dtype rounded = contract_factor(&f->c->b);
  if (f->group == 1)
    return pir_loop_cast(e->m, pir_loop_cast(e->m, contract_load_lanes(e, at, mask), rounded),
                         contract_lane_dtype(f));
  int last = f->taps[f->tap_count - 1];
  loop_expr *all = NULL, *extent = contract_extent(e, last);
  bool whole = pir_loop_multiple(extent) % f->group == 0;
  int width = (holds_pairs(f) ? LANE_WIDTH / 2 : LANE_WIDTH) / f->group;
  for (int i = 0; i < f->group; i++) {
    loop_expr *from = contract_plus(e, contract_times(e, k, f->group), i);
    loop_expr *exists = i && !whole ? contract_lt(e, from, extent) : NULL;
    if (f->pixel) {
      loop_expr *pixel = contract_int(e, f->pixel);
      if (f->joined >= 0)
        e->value[f->joined] = contract_let(e, block, "pixel", contract_div(e, from, pixel));
      from = contract_let(e, block, "channel", contract_mod(e, from, pixel));
      exists = contract_lt(e, from, contract_int(e, f->filled));
    }
    loop_expr *here = exists ? contract_broadcast(e, exists, f->vector) : mask;
    if (exists && mask)
      here = pir_loop_op(e->m, PIR_V_AND, here, mask, NULL);
    e->value[last] = from;
    loop_expr *x = pir_loop_cast(e->m, contract_load_lanes(e, at, here), rounded);
    x = part_of_lane(e, x);
    if (i)
      x = pir_loop_op(e->m, PIR_V_SHL, x, pir_loop_const_int(e->m, PIR_I32, i * width), NULL);
    x = contract_let(e, block, "part", x);
    all = all ? pir_loop_op(e->m, PIR_V_OR, all, x, NULL) : x;
  }
  return contract_let(e, block, "group", pir_loop_cast(e->m, all, contract_lane_dtype(f)));
}

loop_expr *contract_correction(const contract_emission *e, loop_expr *lanes, loop_expr *sum) {
  loop_expr *offset = pir_loop_const_int(e->m, PIR_I32, (int32_t)0x80808080);
  loop_expr *zero = contract_broadcast(e, pir_loop_const_int(e->m, PIR_I32, 0), lanes->lanes);
  return contract_sub(e, sum, pir_loop_dot(e->m, LOOP_DOT_U8S8, offset, lanes, zero));
}
