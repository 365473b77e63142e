// Placement inference where text does not reach: dims that several mesh dims split, which PIR's
// types cannot state, and questions that no program makes.
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/opdef.h>
#include <pir/compiler/spmd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

// A product of two matrices on a mesh, as plain data.
typedef struct product {
  pir_spmd spmd;
  pir_placement x, y, out;
  pir_placements operands[2], results[1];
  pir_attr_value attrs[2], contents[2];
} product;

// Definitions are constant tables: they outlive the context that finds them.
static const pir_opdef *find_matmul(void) {
  pir_context *ctx = pir_context_create(NULL);
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  const pir_opdef *def = pir_context_op(ctx, PD_MATMUL);
  pir_context_destroy(ctx);
  assert_non_null(def);
  return def;
}

static pir_placement matrix(int64_t rows, int64_t columns) {
  return (pir_placement){.rank = 2, .shape = {rows, columns}};
}

static void ask_product(product *p, int64_t m, int64_t k, int64_t n) {
  *p = (product){.x = matrix(m, k), .y = matrix(k, n), .out = matrix(m, n)};
  p->operands[0] = (pir_placements){&p->x, 1};
  p->operands[1] = (pir_placements){&p->y, 1};
  p->results[0] = (pir_placements){&p->out, 1};
  p->attrs[0].kind = p->attrs[1].kind = PIR_VALUE_INT;
  p->spmd = (pir_spmd){.def = find_matmul(),
                       .mesh = {2, 3},
                       .mesh_rank = 2,
                       .attrs = p->attrs,
                       .contents = p->contents,
                       .operands = p->operands,
                       .results = p->results};
}

static void split(pir_placement *x, int dim, uint8_t mesh) {
  x->split[dim].mesh[x->split[dim].count++] = mesh;
}

static void assert_split(const pir_placement *x, int dim, int count, int first, int second) {
  assert_int_equal(x->split[dim].count, count);
  if (count > 0)
    assert_int_equal(x->split[dim].mesh[0], first);
  if (count > 1)
    assert_int_equal(x->split[dim].mesh[1], second);
}

// The operands split k by different mesh dims: both split it, the larger one outside.
static void unites_splits(void **state) {
  (void)state;
  product p;
  ask_product(&p, 48, 36, 48);
  split(&p.x, 1, 0);
  split(&p.y, 0, 1);
  assert_int_equal(pir_spmd_infer(&p.spmd), PIR_OK);
  assert_split(&p.x, 1, 2, 1, 0);
  assert_split(&p.y, 0, 2, 1, 0);
  assert_int_equal(p.out.partial[0], 1);
  assert_int_equal(p.out.partial[1], 1);
}

// Six parts of a dim of 9 would not be alike: the first operand's split remains.
static void unites_what_divides(void **state) {
  (void)state;
  product p;
  ask_product(&p, 48, 9, 48);
  split(&p.x, 1, 1);
  split(&p.y, 0, 0);
  assert_int_equal(pir_spmd_infer(&p.spmd), PIR_OK);
  assert_split(&p.x, 1, 1, 1, 0);
  assert_split(&p.y, 0, 1, 1, 0);
  assert_int_equal(p.out.partial[0], 0);
}

// From the result to the operands; k is whole.
static void goes_backward(void **state) {
  (void)state;
  product p;
  ask_product(&p, 48, 36, 48);
  p.spmd.backward = true;
  split(&p.out, 0, 1);
  split(&p.out, 0, 0);
  assert_int_equal(pir_spmd_infer(&p.spmd), PIR_OK);
  assert_split(&p.x, 0, 2, 1, 0);
  assert_split(&p.x, 1, 0, 0, 0);
  assert_split(&p.y, 1, 0, 0, 0);
}

static void refuses_bad_questions(void **state) {
  (void)state;
  product p;
  ask_product(&p, 48, 36, 48);
  p.spmd.mesh_rank = PIR_MESH_RANK + 1;
  assert_int_equal(pir_spmd_infer(&p.spmd), PIR_UNSUPPORTED);
  assert_non_null(strstr(p.spmd.message, "unsupported: a mesh of more than 8 dims"));
  ask_product(&p, 48, 36, 48);
  p.x.rank = PIR_MAX_RANK + 1;
  assert_int_equal(pir_spmd_infer(&p.spmd), PIR_INVALID);
  ask_product(&p, 48, 36, 48);
  p.spmd.mesh[1] = 0;
  assert_int_equal(pir_spmd_infer(&p.spmd), PIR_INVALID);
  ask_product(&p, 48, 36, 48);
  split(&p.x, 0, 200);
  assert_int_equal(pir_spmd_infer(&p.spmd), PIR_INVALID);
  assert_non_null(strstr(p.spmd.message, "mesh dim 200"));
  ask_product(&p, 48, 36, 48);
  split(&p.x, 0, 1);
  split(&p.x, 1, 1);
  assert_int_equal(pir_spmd_infer(&p.spmd), PIR_INVALID);
}

// An attribute that is not known leaves everything whole.
static void replicates_the_unknown(void **state) {
  (void)state;
  product p;
  ask_product(&p, 48, 36, 48);
  p.attrs[0].kind = PIR_VALUE_NONE;
  split(&p.x, 0, 0);
  assert_int_equal(pir_spmd_infer(&p.spmd), PIR_OK);
  assert_split(&p.x, 0, 0, 0, 0);
  assert_split(&p.out, 0, 0, 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unites_splits),          cmocka_unit_test(unites_what_divides),
      cmocka_unit_test(goes_backward),          cmocka_unit_test(refuses_bad_questions),
      cmocka_unit_test(replicates_the_unknown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
