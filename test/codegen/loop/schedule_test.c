// Schedule primitives: each is applied to a loop nest; both nests are compiled and run, and the
// numbers are bitwise equal (elements are small integers, so sums in any order are exact). A
// primitive that would change numbers is refused with a reason and leaves the loops unchanged.
#include "code.h"
#include "schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pir/engine/tensor.h>

enum { ROWS = 13, COLUMNS = 37, TAPS = 29, SIZE = 40 * 40 };

// ---- nests

typedef struct nest {
  loop_module *m;
  loop_fn *fn;
  loop_buffer *a, *b, *out, *other;  // arguments; scratch or registers
  loop_stmt *i, *j, *k;
} nest;

static loop_expr *number(nest *n, int64_t x) {
  return pir_loop_int(n->m, x);
}
static loop_expr *at(nest *n, const loop_stmt *i, int64_t step, const loop_stmt *j) {
  return pir_loop_add(n->m,
                      pir_loop_mul(n->m, pir_loop_use(n->m, i->loop.var), number(n, step)),
                      pir_loop_use(n->m, j->loop.var));
}
static loop_expr *load(nest *n, loop_buffer *b, loop_expr *index) {
  return pir_loop_load(n->m, b, index, 1, NULL);
}

static loop_stmt *loop(nest *n, loop_block **block, const char *name, int64_t count) {
  loop_block *around = *block;
  loop_var *v = pir_loop_var_create(n->fn, name, LOOP_INDEX, 1);
  *block = pir_loop_for(n->fn, around, LOOP_SERIAL, v, number(n, 0), number(n, count), NULL);
  return around->last;
}

// out[i, j] = a[i, j] * 2 + b[j]
static void elements(nest *n) {
  loop_block *block = &n->fn->body;
  n->i = loop(n, &block, "i", ROWS);
  n->j = loop(n, &block, "j", COLUMNS);
  loop_expr *here = at(n, n->i, COLUMNS, n->j), *x = load(n, n->a, here);
  loop_expr *y = load(n, n->b, pir_loop_use(n->m, n->j->loop.var));
  pir_loop_store(n->fn, block, n->out, here, pir_loop_add(n->m, pir_loop_add(n->m, x, x), y),
                 NULL);
}

// out[i, j] += a[i, k] * b[k, j], in memory
static void product(nest *n) {
  loop_block *block = &n->fn->body;
  n->i = loop(n, &block, "i", ROWS);
  n->j = loop(n, &block, "j", COLUMNS);
  n->k = loop(n, &block, "k", TAPS);
  loop_expr *here = at(n, n->i, COLUMNS, n->j);
  loop_expr *x = pir_loop_mul(n->m, load(n, n->a, at(n, n->i, TAPS, n->k)),
                              load(n, n->b, at(n, n->k, COLUMNS, n->j)));
  pir_loop_store(n->fn, block, n->out, here, pir_loop_add(n->m, load(n, n->out, here), x),
                 NULL);
}

// out[i] = the sum of a[i, j], in a register
static void rows(nest *n) {
  loop_block *block = &n->fn->body, *inner;
  n->other = pir_loop_registers(n->fn, "sum", PIR_F32, 1, 1);
  n->i = loop(n, &block, "i", ROWS);
  pir_loop_store(n->fn, block, n->other, number(n, 0), pir_loop_const_float(n->m, PIR_F32, 0),
                 NULL);
  inner = block;
  n->j = loop(n, &inner, "j", COLUMNS);
  pir_loop_accumulate(n->fn, inner, n->other, number(n, 0), PIR_COMBINE_ADD,
                      load(n, n->a, at(n, n->i, COLUMNS, n->j)));
  pir_loop_store(n->fn, block, n->out, pir_loop_use(n->m, n->i->loop.var),
                 load(n, n->other, number(n, 0)), NULL);
}

// out[i + 1, j] = out[i, j + 1] + a[i, j]: each iteration needs what an earlier one made
static void wave(nest *n) {
  loop_block *block = &n->fn->body;
  n->i = loop(n, &block, "i", ROWS);
  n->j = loop(n, &block, "j", COLUMNS);
  loop_expr *here = at(n, n->i, COLUMNS + 1, n->j);
  loop_expr *from = load(n, n->out, pir_loop_add(n->m, here, number(n, 1)));
  pir_loop_store(n->fn, block, n->out, pir_loop_add(n->m, here, number(n, COLUMNS + 1)),
                 pir_loop_add(n->m, from, load(n, n->a, at(n, n->i, COLUMNS, n->j))), NULL);
}

// ---- schedules

static const char *split_exact(nest *n) {
  loop_stmt *outer;
  return pir_schedule_split(n->fn, n->k, TAPS, NULL, &outer);
}
static const char *split_rest(nest *n) {
  loop_stmt *outer;
  return pir_schedule_split(n->fn, n->j, 8, NULL, &outer);
}
static const char *fuse(nest *n) {
  return pir_schedule_fuse(n->fn, n->i, 3);
}
static const char *fuse_rows(nest *n) {
  return pir_schedule_fuse(n->fn, n->i, 2);
}
static const char *parallel(nest *n) {
  return pir_schedule_parallel(n->fn, n->i, 1);
}
static const char *parallel_parts(nest *n) {
  loop_stmt *outer;
  const char *why = pir_schedule_split(n->fn, n->i, 5, NULL, &outer);
  return why ? why : pir_schedule_parallel(n->fn, outer, 1);
}
static const char *parallel_inner(nest *n) {
  return pir_schedule_parallel(n->fn, n->j, 1);
}
static const char *parallel_points(nest *n) {
  return pir_schedule_parallel(n->fn, n->i, 2);
}
static const char *vectorise(nest *n) {
  return pir_schedule_vectorise(n->fn, n->j);
}
static const char *vectorise_taps(nest *n) {
  return pir_schedule_vectorise(n->fn, n->k);
}

static const struct {
  const char *name;
  void (*make)(nest *);
  const char *(*apply)(nest *);
  int64_t units;    // 0: not shared among threads
  const char *why;  // of a refusal
} cases[] = {
    {"split, exact", product, split_exact, 0, NULL},
    {"split, with a rest", product, split_rest, 0, NULL},
    {"fuse", product, fuse, 0, NULL},
    {"fuse what is no nest", rows, fuse_rows, 0, "not the only statement"},
    {"parallel", product, parallel, ROWS, NULL},
    {"parallel, with a register of its own", rows, parallel, ROWS, NULL},
    {"parallel parts of a loop", product, parallel_parts, 3, NULL},
    {"parallel points of two loops", product, parallel_points, ROWS *COLUMNS, NULL},
    {"parallel points that share a register", rows, parallel_points, 0, "does not consist"},
    {"parallel what is carried", wave, parallel, 0, "may touch one element"},
    {"parallel within another loop", product, parallel_inner, 0,
     "not all that the function does"},
    {"vectorise", elements, vectorise, 0, NULL},
    {"vectorise a sum in a register", rows, vectorise, 0, NULL},
    {"vectorise a sum in memory", product, vectorise_taps, 0, "may touch one element"},
};

// ---- running

typedef struct fixture {
  pir_context *ctx;
  pir_target target;
  pir_code_store *store;
} fixture;

static void start(nest *n, void (*make)(nest *)) {
  *n = (nest){.m = pir_loop_module_create()};
  n->m->verify = true;
  n->fn = pir_loop_fn_create(n->m, "stage0");
  n->a = pir_loop_arg(n->fn, "a", PIR_F32, 0, 4, true);
  n->b = pir_loop_arg(n->fn, "b", PIR_F32, 1, 4, true);
  n->out = pir_loop_arg(n->fn, "out", PIR_F32, 2, 4, false);
  make(n);
}

static void run(fixture *f, nest *n, int64_t units, float *out) {
  static float a[SIZE], b[SIZE];
  const loop_module *modules[] = {n->m};
  const pir_image *image = NULL;
  void *buffers[] = {a, b, out},
       *scratch = aligned_alloc(64, (size_t)n->fn->scratch_bytes + 64);
  pir_group_args args = {.buffers = buffers, .dims = NULL};
  pir_stage_fn fn;
  assert_int_equal(pir_loop_vectorise(n->fn, &f->target), PIR_OK);
  assert_null(n->m->fault);
  assert_int_equal(pir_code_store_build(f->store, modules, NULL, 1, 1, &image), PIR_OK);
  void *symbol = pir_image_symbol(image, "stage0");
  memcpy(&fn, &symbol, sizeof fn);
  for (int i = 0; i < SIZE; i++) {
    a[i] = (float)(i * 7 % 11 - 4);
    b[i] = (float)(i * 5 % 13 - 6);
    out[i] = (float)(i % 3);
  }
  for (int64_t u = units; u-- > 1;)
    fn(&args, u, u + 1, scratch);  // backwards, and the first one alone
  fn(&args, 0, 1, scratch);
  free(scratch);
  pir_loop_module_destroy(n->m);
}

static void test_primitives(void **state) {
  fixture *f = *state;
  static float want[SIZE], got[SIZE];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    nest plain, changed;
    start(&plain, cases[i].make);
    start(&changed, cases[i].make);
    const char *why = cases[i].apply(&changed);
    if (why ? !cases[i].why || !strstr(why, cases[i].why) : cases[i].why != NULL)
      fail_msg("%s: %s", cases[i].name, why ? why : "was not refused");
    run(f, &plain, 0, want);
    run(f, &changed, cases[i].units, got);
    for (int k = 0; k < SIZE; k++)
      if (memcmp(&got[k], &want[k], sizeof *got))
        fail_msg("%s: element %d is %g, not %g", cases[i].name, k, (double)got[k],
                 (double)want[k]);
  }
}

static void report(void *user, const pir_diag *diag) {
  print_message("%.*s\n", (int)diag->message.size, diag->message.data);
}

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  f->ctx = pir_context_create(NULL);
  pir_context_set_sink(f->ctx, (pir_diag_sink){report, NULL});
  assert_int_equal(pir_target_get(NULL, &f->target), PIR_OK);
  assert_int_equal(pir_code_store_create(f->ctx, &f->target, NULL, &f->store), PIR_OK);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  pir_code_store_destroy(f->store);
  pir_context_destroy(f->ctx);
  free(f);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_primitives, set_up, tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
