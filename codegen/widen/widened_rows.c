// Stages that widen the elements of a before they are multiplied.
#include "widened_rows.h"

#include "contract_words.h"

bool contract_is_dense(pir_dims *dims, const contract_tensor *t) {
  for (int d = 0; d < t->rank; d++)
    if (!pir_dim_equal(dims, t->room[d], t->shape[d]))
      return false;
  return true;
}

// Every panel broadcasts the pairs of a: four instructions for a pair of bytes, one for words
// in memory. So bytes that are multiplied as words are widened once.
bool contract_widens_a(const contract_form *f) {
  const contract_tensor *a = &f->c->a;
  return f->compute == PIR_I32 && f->group == 2 && pir_dtype_size(a->dtype) == 1 &&
         contract_is_dense(f->c->dims, a);
}

enum { WIDENED_RUN = 4096 };  // elements that a unit widens

static void widen_elements(contract_emission *e, loop_block *block, loop_buffer *wide,
                           loop_expr *from, loop_expr *end, int lanes) {
  loop_var *v = pir_loop_var_create(e->fn, "i", LOOP_INDEX, 1);
  loop_expr *at = pir_loop_use(e->m, v), *step = contract_int(e, lanes);
  block = pir_loop_for(e->fn, block, LOOP_SERIAL, v, from, end, step);
  loop_expr *x = contract_load(e, e->a, at, lanes, NULL);
  contract_store(e, block, wide, at, pir_loop_cast(e->m, x, wide->dtype));
}

void contract_widen_a(const contract_form *f, const contract_env *env, const char *name,
                      const char *suffix, const contract_tensor *a, pir_dtype to,
                      contract_tensor *widened, contract_stage *out_stage) {
  contract_emission e = contract_begin(f, env, name, suffix);
  pir_dims *dims = f->c->dims;
  pir_dim count = pir_dim_const(dims, 1);
  int64_t size = (int64_t)pir_dtype_size(to);
  int lanes = env->target->vector_bytes / (int)size;
  for (int d = 0; d < a->rank; d++)
    count = pir_dim_mul(dims, count, a->shape[d]);
  pir_dim bytes = pir_dim_mul(dims, count, pir_dim_const(dims, size));
  uint16_t slot = env->temporary(env->user, bytes);
  e.a = pir_loop_arg(e.fn, "a", a->dtype, a->slot, a->align, true);
  loop_buffer *wide = pir_loop_arg(e.fn, "wide", to, slot, PACKED_ALIGN, false);
  loop_expr *unit;
  loop_block *block = contract_open_units(&e, "unit", &unit);
  loop_expr *from = contract_let(&e, block, "from", contract_times(&e, unit, WIDENED_RUN));
  loop_expr *end =
      contract_min(&e, contract_plus(&e, from, WIDENED_RUN), contract_dim(&e, count));
  end = contract_let(&e, block, "end", end);
  loop_expr *whole = contract_div(&e, contract_sub(&e, end, from), contract_int(&e, lanes));
  whole = contract_let(&e, block, "whole",
                       contract_add(&e, from, contract_times(&e, whole, lanes)));
  widen_elements(&e, block, wide, from, whole, lanes);
  widen_elements(&e, block, wide, whole, end, 1);
  *out_stage =
      (contract_stage){e.fn, pir_dim_ceildiv(dims, count, pir_dim_const(dims, WIDENED_RUN))};
  widened->rounded = pir_dtype_is_integer(to) ? a->dtype : PIR_UNDEFINED;
  widened->dtype = to;
  widened->slot = slot;
  widened->align = PACKED_ALIGN;
}
