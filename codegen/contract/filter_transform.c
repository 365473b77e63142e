// Emits the transforms of minimal filtering: products of a filter's matrices with vectors of
// loop values. Rows that are the sum and the difference of the same two parts share the parts.
// Columns that every row uses with equal or opposite factors are replaced by their sum and
// difference. So the transforms need few additions.
#include "contract_words.h"

static loop_expr *name_value(const contract_emission *e, loop_block *block, loop_expr *value) {
  return contract_let(e, block, "w", value);
}

// Returns sum + by * x. A `sum` of NULL counts as 0.
static loop_expr *add_scaled(const contract_emission *e, double by, loop_expr *x,
                             loop_expr *sum) {
  if (by == 1)
    return sum ? contract_add(e, sum, x) : x;
  if (by == -1 && sum)
    return contract_sub(e, sum, x);
  loop_expr *factor = pir_loop_const_float(e->m, (pir_dtype)x->dtype, by);
  factor = contract_broadcast(e, factor, x->lanes);
  return sum ? contract_product(e, x, factor, sum) : contract_mul(e, x, factor);
}

// Returns the sum of row[j] * in[j] over all j with use[j]. The first term has factor 1 if any
// has, which saves a multiplication.
static loop_expr *weighted_sum(const contract_emission *e, loop_block *block, const double *row,
                               const bool *use, int count, loop_expr *const *in) {
  int begin = -1;
  for (int j = 0; j < count; j++) {
    bool better = begin < 0 || (row[j] == 1 && row[begin] != 1);
    if (use[j] && row[j] != 0 && better)
      begin = j;
  }
  loop_expr *sum = add_scaled(e, row[begin], in[begin], NULL);
  for (int j = 0; j < count; j++)
    if (use[j] && row[j] != 0 && j != begin)
      sum = add_scaled(e, row[j], in[j], sum);
  return name_value(e, block, sum);
}

typedef struct columns {
  bool use[CONTRACT_MAX_POINTS];
} columns;

// Whether rows i and k have the forms x + y and x - y; `even` and `odd` mark the columns of x
// and y. Such rows share both parts.
static bool is_sum_and_difference(const contract_matrix *m, int i, int k, columns *even,
                                  columns *odd) {
  int evens = 0, odds = 0;
  for (int j = 0; j < m->columns; j++) {
    double a = m->at[i][j], b = m->at[k][j];
    even->use[j] = a != 0 && a == b;
    odd->use[j] = a != 0 && a == -b;
    if (a != b && a != -b)
      return false;
    evens += even->use[j];
    odds += odd->use[j];
  }
  return evens && odds;
}

static void multiply_rows(const contract_emission *e, loop_block *block,
                          const contract_matrix *m, loop_expr *const *in, loop_expr **out,
                          int step) {
  static const columns all = {{true, true, true, true, true, true, true}};
  columns even, odd;
  bool done[CONTRACT_MAX_POINTS] = {false};
  for (int i = 0; i < m->rows; i++) {
    int k = i + 1;
    if (done[i])
      continue;
    while (k < m->rows && (done[k] || !is_sum_and_difference(m, i, k, &even, &odd)))
      k++;
    if (k == m->rows) {
      out[i * step] = weighted_sum(e, block, m->at[i], all.use, m->columns, in);
      continue;
    }
    loop_expr *x = weighted_sum(e, block, m->at[i], even.use, m->columns, in);
    loop_expr *y = weighted_sum(e, block, m->at[i], odd.use, m->columns, in);
    out[i * step] = name_value(e, block, contract_add(e, x, y));
    out[k * step] = name_value(e, block, contract_sub(e, x, y));
    done[k] = true;
  }
}

// Whether every row uses columns j and k with equal or opposite factors, some with equal and
// some with opposite ones, and enough rows use them to pay for a sum and a difference.
static bool are_joinable(const contract_matrix *m, int j, int k) {
  int same = 0, opposite = 0;
  for (int i = 0; i < m->rows; i++) {
    double a = m->at[i][j], b = m->at[i][k];
    if (a == 0 && b == 0)
      continue;
    if (a != b && a != -b)
      return false;
    same += a == b;
    opposite += a != b;
  }
  return same && opposite && same + opposite >= 3;
}

// Replaces all such pairs of columns by their sum and their difference.
static void join_columns(const contract_emission *e, loop_block *block, contract_matrix *m,
                         loop_expr **in) {
  for (int j = 0; j < m->columns; j++)
    for (int k = j + 1; k < m->columns; k++) {
      if (!are_joinable(m, j, k))
        continue;
      loop_expr *sum = name_value(e, block, contract_add(e, in[j], in[k]));
      in[k] = name_value(e, block, contract_sub(e, in[j], in[k]));
      in[j] = sum;
      for (int i = 0; i < m->rows; i++) {
        double a = m->at[i][j];
        bool alike = a == m->at[i][k];
        m->at[i][j] = alike ? a : 0;
        m->at[i][k] = alike ? 0 : a;
      }
    }
}

// out = m in, for vectors that are `step` and `out_step` apart.
static void multiply_vectors(const contract_emission *e, loop_block *block,
                             const contract_matrix *m, loop_expr *const *in, int step,
                             loop_expr **out, int out_step) {
  contract_matrix left = *m;
  loop_expr *x[CONTRACT_MAX_POINTS];
  for (int j = 0; j < m->columns; j++)
    x[j] = in[j * step];
  join_columns(e, block, &left, x);
  multiply_rows(e, block, &left, x, out, out_step);
}

void contract_transform(const contract_emission *e, loop_block *block, const contract_matrix *m,
                        const contract_matrix *n, loop_expr *const *in, loop_expr **out) {
  loop_expr *half[CONTRACT_MAX_POINTS * CONTRACT_MAX_POINTS];
  for (int j = 0; j < n->columns; j++)
    multiply_vectors(e, block, m, in + j, n->columns, half + j, n->columns);
  for (int i = 0; i < m->rows; i++)
    multiply_vectors(e, block, n, half + i * n->columns, 1, out + i * n->rows, 1);
}
