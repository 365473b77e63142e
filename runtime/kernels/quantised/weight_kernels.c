// Weight-only quantisation: weights of products as 8-bit or 4-bit integers, with a scale for
// each column, or for each group of rows of a column (pir/layer/packed_weights.h). Columns are
// quantised in parallel, and rows brought back.
#include <pir/layer/packed_weights.h>

#include "kernels.h"

static bool is_small(const pir_kernel_call *call) {
  return pir_str_equal(pir_kernel_text(call, 0), PIR_STR("weight_only_int4"));
}

static pir_status read_algo(const pir_kernel_call *call, int64_t rows, int64_t columns,
                            pir_packed_form *form) {
  pir_str algo = pir_kernel_text(call, 0);
  bool small = is_small(call);
  bool plain = pir_str_equal(algo, PIR_STR("llm.int8"));
  *form = (pir_packed_form){.rows = rows,
                            .columns = columns,
                            .group = rows,
                            .bits = small ? 4 : 8,
                            .plain = plain,
                            .scale_dtype = PIR_F32};
  if (!plain && !small && !pir_str_equal(algo, PIR_STR("weight_only_int8")))
    return pir_kernel_fail(call, PIR_UNSUPPORTED,
                           "unsupported: %s with another algo than llm.int8, weight_only_int8 "
                           "and weight_only_int4",
                           call->op);
  if (!plain && (rows % PIR_PACKED_TILE || columns % (16 / form->bits)))
    return pir_kernel_fail(
        call, PIR_INVALID,
        "%s: x: expects multiples of 64 rows and %d columns, found [%lld, %lld]", call->op,
        16 / form->bits, (long long)rows, (long long)columns);
  return PIR_OK;
}

static pir_status read_form(const pir_kernel_call *call, int64_t rows, int64_t columns,
                            pir_packed_form *form) {
  const pir_tensor *scale = pir_kernel_out(call, 1);
  PIR_TRY(read_algo(call, rows, columns, form));
  form->in_order = !form->plain && pir_kernel_int(call, 1) == 70;
  form->group = pir_kernel_int(call, 2) > 0 ? pir_kernel_int(call, 2) : rows;
  if (!form->plain && scale)
    form->scale_dtype = scale->dtype;
  return PIR_OK;
}

// One call of either kernel.
typedef struct packing {
  pir_packed_form form;
  pir_float_matrix floats;
  uint8_t *packed;
  float *scales;
  int8_t *levels;
} packing;

static void quantise_columns(void *user, int64_t begin, int64_t end, int thread) {
  const packing *p = user;
  (void)thread;
  for (int64_t i = begin; i < end; i++)
    pir_packed_quantise(&p->form, &p->floats, i * PIR_PACKED_TILE, p->packed, p->scales);
}

static int64_t tiles_in(int64_t extent) {
  return extent / PIR_PACKED_TILE + (extent % PIR_PACKED_TILE > 0);
}

// operand: x [rows, columns]; attributes: algo, arch, group_size; results: out, scale [columns]
// or [groups, columns]
pir_status pir_kernel_weight_quantize(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F32}, out[] = {PIR_I8, PIR_F32};
  PIR_TRY(pir_kernel_expect_rank(call, 0, "x", 2));
  const pir_tensor *x = pir_kernel_in(call, 0);
  packing p = {0};
  PIR_TRY(read_form(call, x->shape[0], x->shape[1], &p.form));
  int64_t columns = p.form.columns, group = p.form.group;
  int64_t groups = group > 0 ? p.form.rows / group + (p.form.rows % group > 0) : 0;
  pir_tensor t[3];
  pir_status status = pir_kernel_open(call, in, 1, out, 2, t);
  if (!status)
    status = pir_kernel_need(call, PIR_F32, (int64_t[]){groups, columns}, 2, &t[2]);
  p.floats = (pir_float_matrix){t[0].data, columns, 1};
  p.packed = t[1].data;
  p.scales = t[2].data;
  if (!status && p.form.in_order)
    quantise_columns(&p, 0, tiles_in(columns), 0);
  else if (!status)
    pir_kernel_each(call, tiles_in(columns), quantise_columns, &p);
  return pir_kernel_close(call, status, 1, 2, t);
}

static void bring_back(void *user, int64_t begin, int64_t end, int thread) {
  const packing *p = user;
  int64_t columns = p->form.columns;
  (void)thread;
  for (int64_t i = begin; i < end; i++)
    for (int64_t column = 0; column < columns; column += PIR_PACKED_TILE) {
      pir_packed_part part =
          pir_packed_part_at(&p->form, i * PIR_PACKED_TILE, column, p->form.rows);
      pir_packed_levels(&p->form, p->packed, &part, p->levels + part.row * columns + column,
                        columns);
    }
}

// operand: x [columns, rows], or half as many columns of two weights a byte; attribute: algo;
// result: [rows, columns]
pir_status pir_kernel_weight_levels(const pir_kernel_call *call) {
  static const uint8_t types[] = {PIR_I8};
  PIR_TRY(pir_kernel_expect_rank(call, 0, "x", 2));
  const pir_tensor *x = pir_kernel_in(call, 0);
  int64_t rows = x->shape[1], columns = x->shape[0] * (is_small(call) ? 2 : 1);
  packing p = {0};
  PIR_TRY(read_algo(call, rows, columns, &p.form));
  pir_tensor t[2];
  pir_status status = pir_kernel_open(call, types, 1, types, 1, t);
  if (!status)
    status = pir_kernel_need(call, PIR_I8, (int64_t[]){rows, columns}, 2, &t[1]);
  p.packed = t[0].data;
  p.levels = t[1].data;
  if (!status)
    pir_kernel_each(call, tiles_in(rows), bring_back, &p);
  return pir_kernel_close(call, status, 1, 1, t);
}
