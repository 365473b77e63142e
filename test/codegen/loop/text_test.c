// Loop IR from text: what expressions fold to, and which loops may be reordered. A row states a
// text and what becomes of it.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "read_loops.h"
#include "schedule.h"

// ---- folding

typedef struct fold {
  const char *type, *text, *folded;  // NULL: it stays
} fold;

// v2 counts to 8 and v3 to an extent; v4 is any index, v5 a multiple of 8.
static const char frame[] = "s: stage (v0, v1)\n"
                            "  b0: arg 0 in i32 align 4\n"
                            "  b1: arg 1 in u64 align 8\n"
                            "  b2: arg 2 in f32 align 4\n"
                            "  b3: arg 3 in b align 1 {\n"
                            "  for v2 below 8 = 0 to 8 by 1 {\n"
                            "    for v3 below dim0 = 0 to dim0 by 1 {\n"
                            "      v4: index = index(b0.i32(v2))\n"
                            "      v5: index multiple 8 = (v2 * 8)\n"
                            "      v6: %s = %s\n"
                            "    }\n"
                            "  }\n"
                            "}\n";

static loop_expr *rebuild(loop_module *m, loop_expr *e) {
  if (!e)
    return NULL;
  loop_expr *a = rebuild(m, e->a), *b = rebuild(m, e->b), *c = rebuild(m, e->c);
  return pir_loop_rebuild(m, e, a, b, c, rebuild(m, e->mask));
}

static void expressions_fold(void **unused) {
  static const fold rows[] = {
#include "folds.inc"
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[2048], found[1024];
    pir_context *ctx = pir_context_create(NULL);
    snprintf(text, sizeof text, frame, rows[i].type, rows[i].text);
    loop_module *m = read_loops(ctx, text);
    const loop_stmt *outer = m->first->body.first, *inner = outer->loop.body.first;
    pir_loop_describe(NULL, rebuild(m, inner->loop.body.last->let.value), found, sizeof found);
    const char *wanted = rows[i].folded ? rows[i].folded : rows[i].text;
    if (strcmp(found, wanted) != 0)
      fail_msg("%s: expected %s, found %s", rows[i].text, wanted, found);
    pir_context_destroy(ctx);
  }
}

// ---- loops that may be reordered

typedef enum primitive {
  VECTORISE,
  PARALLEL,
  PARALLEL_2,
  SPLIT,
  SPLIT_0,
  FUSE,
  FUSE_0
} primitive;

typedef struct schedule {
  primitive how;
  const char *body, *why;  // NULL: it applies
} schedule;

static const char buffers[] = "s: stage (v0, v1)\n"
                              "  b0: arg 0 in f32 align 4\n"
                              "  b1: arg 1 out f32 align 4\n"
                              "  b2: registers 1 f32\n"
                              "  b3: registers 8 f32\n"
                              "  b4: arg 2 in i32 align 4\n"
                              "  b5: arg 3 in b align 1 {\n%s}\n";

static const char *apply(loop_fn *fn, primitive how) {
  loop_stmt *outer, *loop = fn->body.first;
  while (loop->kind != LOOP_FOR)
    loop = loop->next;
  switch (how) {
    case VECTORISE: return pir_schedule_vectorise(fn, loop);
    case PARALLEL: return pir_schedule_parallel(fn, loop, 1);
    case PARALLEL_2: return pir_schedule_parallel(fn, loop, 2);
    case SPLIT: return pir_schedule_split(fn, loop, 4, NULL, &outer);
    case SPLIT_0: return pir_schedule_split(fn, loop, 0, NULL, &outer);
    case FUSE: return pir_schedule_fuse(fn, loop, 2);
    default: return pir_schedule_fuse(fn, loop, 0);
  }
}

static void loops_apply_or_say_why(void **unused) {
  static const schedule rows[] = {
#include "schedules.inc"
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[2048];
    pir_context *ctx = pir_context_create(NULL);
    snprintf(text, sizeof text, buffers, rows[i].body);
    loop_module *m = read_loops(ctx, text);
    const char *why = apply(m->first, rows[i].how);
    const char *wanted = rows[i].why ? rows[i].why : "it applies",
               *found = why ? why : "it applies";
    if (strcmp(found, wanted) != 0)
      fail_msg("row %zu: %s\nexpected %s, found %s", i, rows[i].body, wanted, found);
    pir_context_destroy(ctx);
  }
}

// A body with more stores, names, loops or registers than are looked at.
static void large_bodies_are_refused(void **unused) {
  static const char *const forms[] = {
      "b1[((v2 * 512) + %d)] = 1:f32\n", "v%d: index = (v2 * 2)\n",
      "for v%d below 8 = 0 to 8 by 1 {\n}\n", "b%d[0] = b0.f32(v2)\n"};
  static const int counts[] = {130, 70, 20, 20}, first[] = {0, 3, 3, 2};
  for (int k = 0; k < 4; k++) {
    static char text[16384];
    int n = snprintf(text, sizeof text,
                     "s: stage (v0, v1)\n  b0: arg 0 in f32 align 4\n"
                     "  b1: arg 1 out f32 align 4");
    for (int i = 0; i < counts[k]; i++)
      n += snprintf(text + n, sizeof text - (size_t)n, "\n  b%d: registers 1 f32", i + 2);
    n += snprintf(text + n, sizeof text - (size_t)n,
                  " {\nfor v2 below dim0 = 0 to dim0 by 1 {\n");
    for (int i = 0; i < counts[k]; i++)
      n += snprintf(text + n, sizeof text - (size_t)n, forms[k], i + first[k]);
    snprintf(text + n, sizeof text - (size_t)n, "}\n}\n");
    pir_context *ctx = pir_context_create(NULL);
    loop_module *m = read_loops(ctx, text);
    assert_string_equal(apply(m->first, VECTORISE), "its body is too large");
    pir_context_destroy(ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expressions_fold),
      cmocka_unit_test(loops_apply_or_say_why),
      cmocka_unit_test(large_bodies_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
