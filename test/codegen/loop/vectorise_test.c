// Loops from text, vectorised for a processor with vectors of 32 bytes. A row states the body
// and a line of what becomes of it, or that it stays as it is.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "read_loops.h"

static const char frame[] = "s: stage (v0, v1)\n"
                            "  b0: arg 0 in f32 align 4\n"
                            "  b1: arg 1 out f32 align 4\n"
                            "  b2: registers 1 f32\n"
                            "  b3: registers 1 f32\n"
                            "  b4: arg 2 in i32 align 4\n"
                            "  b5: arg 3 in b align 1\n"
                            "  b6: arg 4 out i8 align 1\n"
                            "  b7: registers 1 u8\n"
                            "  b8: registers 1 u64\n"
                            "  b9: registers 1 b\n"
                            "  b10: arg 5 in u64 align 8%s {\n"
                            "%s"
                            "}\n";

static loop_module *read_body(pir_context *ctx, const char *more, const char *body) {
  static char text[8192];
  snprintf(text, sizeof text, frame, more, body);
  return read_loops(ctx, text);
}

typedef struct printed {
  char text[16384];
  size_t size;
} printed;

static bool write_text(void *user, const char *data, size_t size) {
  printed *p = user;
  if (size >= sizeof p->text - p->size)
    return false;
  memcpy(p->text + p->size, data, size);
  p->size += size;
  return true;
}

static const char *print(const loop_module *m) {
  static printed p;
  memset(&p, 0, sizeof p);
  assert_int_equal(pir_loop_print(m, (pir_writer){write_text, &p}), PIR_OK);
  return p.text;
}

typedef struct row {
  const char *body;
  const char *line;  // of the vectors; NULL: the loop is not vectorised
} row;

#define LOOP(body) "vectorised v2 below dim0 = 0 to dim0 by 1 {\n" body "}\n"
#define SHORT(n, body) "vectorised v2 below " n " = 0 to " n " by 1 {\n" body "}\n"

static const row rows[] = {
    {LOOP("b1[v2] = b0.f32(v2)\n"), "] = b0.f32x8(v"},
    {LOOP("b1[v2] = b0.f32(v2) where b5.b(v2)\n"), " where b5.bx8(v"},
    {LOOP("b1[(v2 * 3)] = b0.f32(v2)\n"), "b1.scatter["},
    {LOOP("b1[v2] = b0.f32((v2 * 2))\n"), ", 2))"},
    {LOOP("b1[v2] = b0.f32(0 where b5.b(v2))\n"), "b0.gather8(x8(0) where b5.bx8("},
    {LOOP("b1[v2] = b0.f32(index(b4.i32(v2)))\n"), "b0.gather8("},
    // One element, or adjacent ones: a condition that holds for all lanes decides.
    {LOOP("b1[v2] = b0.f32(select(b5.b(0), v2, 0))\n"),
     "select(x8(b5.b(0)), b0.f32x8(v3 where x8(b5.b(0))), x8(b0.f32(0)))"},
    {LOOP("b1[v2] = b0.f32(select(b5.b(0), v2, 0) where b5.b(v2))\n"), "b0.gather8("},
    {LOOP("b1[v2] = b0.f32(select((v2 < 3), v2, select(b5.b(0), (v2 + 1), 0)))\n"),
     "b0.gather8("},
    {LOOP("b1[v2] = b0.f32((v2 + select(b5.b(0), v2, 0)))\n"), "b0.gather8("},
    // Registers that the body sets are private to a lane.
    {LOOP("b2[0] = b0.f32(v2)\nb2[0] = exp(b2.f32(0))\nb1[v2] = b2.f32(0)\n"),
     " = exp(b11.f32x8(0))"},
    {LOOP("b1[v2] = (b0.f32(v2) + b3.f32(0))\n"), "b0.f32x8(v3) + x8(b3.f32(0))"},
    {LOOP("b2[0] add= b0.f32(v2)\nb2[0] add= 1:f32\n"), "b2[v6] add= fold_add(b11.f32x8(v6))"},
    {LOOP("b7[0] min= u8(b4.i32(v2))\n"), "[v3] = x8(255:u8)"},
    {LOOP("b8[0] min= b10.u64(v2)\n"), "[v3] = x4(-1:u64)"},
    {LOOP("b8[0] max= b10.u64(v2)\n"), "[v3] = x4(0:u64)"},
    {LOOP("b8[0] and= b10.u64(v2)\n"), "[v3] = x4(-1:u64)"},
    {LOOP("b9[0] min= b5.b(v2)\n"), "[v3] = x32(1:b)"},
    {LOOP("b9[0] max= b5.b(v2)\n"), "[v3] = x32(0:b)"},
    // Casts and bits keep their lanes.
    {LOOP("b1[v2] = bits:f32(b4.i32(v2))\n"), "bits:f32x8(b4.i32x8("},
    {LOOP("b1[v2] = fused(b0.f32(v2), 2:f32, 1:f32)\n"), "fused(b0.f32x8("},
    {LOOP("b6[v2] = i8(b4.i32(v2))\n"), "i8x8(b4.i32x8("},
    // What all lanes share stays scalar.
    {LOOP("v3: index = (v1 * 2)\nb1[v2] = b0.f32((v2 + v3))\n"), "v3: index = (v1 * 2)"},
    {LOOP("v3: f32 = (b0.f32(v2) + b0.f32(v2))\nb1[v2] = (v3 * v3)\n"), ": f32x8 = (b0.f32x8("},
    {LOOP("prefetch b0[(v2 + 64)]\nb1[v2] = b0.f32(v2)\n"), "prefetch b0[(v"},
    {LOOP("if b5.b(0) {\nb1[v2] = b0.f32(v2)\n}\n"), "if b5.b(0) {"},
    {LOOP("if b5.b(0) {\nb1[v2] = b0.f32(v2)\n}\nelse {\nb1[v2] = 0:f32\n}\n"), "else {"},
    {LOOP("for v3 = 0 to v1 by 1 {\nb1[v2] = b0.f32((v2 + (v3 * dim0)))\n}\n"),
     "for v3 = 0 to v1 by 1 {"},
    {LOOP("unrolled v3 = 0 to 2 by 1 {\nb1[v2] = b0.f32((v2 + (v3 * dim0)))\n}\n"),
     "unrolled v3 = 0 to 2 by 1 {"},
    {LOOP("trap 1 where (index(b4.i32(v2)) < 0)\nb1[v2] = b0.f32(v2)\n"), "trap 1 where "},
    // Known numbers of iterations: no part that does not run.
    {SHORT("8", "b1[v2] = b0.f32(v2)\n"), "b0.f32x8(v"},
    {SHORT("3", "b1[v2] = b0.f32(v2)\n"), "b0.f32x4(0 where "},
    {SHORT("11", "b1[v2] = b0.f32(v2)\n"), "b0.f32x8(8 where "},
    {SHORT("1", "b1[v2] = b0.f32(v2)\n"), "b1[v2] = b0.f32(v2)"},
    // Rows side by side.
    {SHORT("64", "for v3 = 0 to dim1 by 1 {\nb2[0] = b0.f32((v2 + (v3 * 64)))\nb1[v2] = "
                 "b2.f32(0)\n}\n"),
     "b0.f32x32((v4 + (v3 * 64)))"},
    // Lanes that would not agree.
    {LOOP("b1[0] = b0.f32(v2)\n"), NULL},
    {LOOP("if b5.b(v2) {\nb1[v2] = b0.f32(v2)\n}\n"), NULL},
    {LOOP("for v3 = v2 to dim1 by 1 {\nb1[v2] = b0.f32(v3)\n}\n"), NULL},
    {LOOP("for v3 = 0 to v2 by 1 {\nb1[v2] = b0.f32(v3)\n}\n"), NULL},
    {LOOP("for v3 = 0 to dim1 by (v2 + 1) {\nb1[v2] = b0.f32(v3)\n}\n"), NULL},
    {LOOP("b1[v2] = fold_add(x8(b0.f32(v2)))\n"), NULL},
    {LOOP("barrier\nb1[v2] = b0.f32(v2)\n"), NULL},
    {LOOP("tile_zero 0\nb1[v2] = b0.f32(v2)\n"), NULL},
    {LOOP("if b5.b(0) {\nif b5.b(v2) {\nb1[v2] = b0.f32(v2)\n}\nb1[v2] = 0:f32\n}\n"), NULL},
};

static void bodies_become_vectors(void **unused) {
  pir_target target;
  assert_int_equal(pir_target_describe("x86-64-v3", &target), PIR_OK);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    pir_context *ctx = pir_context_create(NULL);
    loop_module *m = read_body(ctx, "", rows[i].body);
    pir_status status = pir_loop_vectorise(m->first, &target);
    const char *found = status ? "it is not vectorised" : print(m);
    assert_null(m->fault);
    if (rows[i].line ? !strstr(found, rows[i].line) : status != PIR_UNSUPPORTED)
      fail_msg("row %zu: %s\nwithout %s: %s", i, rows[i].body,
               rows[i].line ? rows[i].line : "a refusal", found);
    pir_context_destroy(ctx);
  }
}

// Sums into more registers than have partial results; two copies of the body hide latency.
static void partial_results_have_a_limit(void **unused) {
  pir_target target;
  assert_int_equal(pir_target_describe("x86-64-v3", &target), PIR_OK);
  for (int registers = 16; registers <= 17; registers++) {
    char more[1024], body[1024];
    int n = 0, k = snprintf(body, sizeof body, "vectorised v2 below dim0 = 0 to dim0 by 1 {\n");
    for (int i = 0; i < registers; i++) {
      n += snprintf(more + n, sizeof more - (size_t)n, "\n  b%d: registers 1 f32", 11 + i);
      k += snprintf(body + k, sizeof body - (size_t)k, "b%d[0] add= b0.f32(v2)\n", 11 + i);
    }
    snprintf(body + k, sizeof body - (size_t)k, "}\n");
    pir_context *ctx = pir_context_create(NULL);
    loop_module *m = read_body(ctx, more, body);
    assert_int_equal(pir_loop_vectorise(m->first, &target),
                     registers <= 16 ? PIR_OK : PIR_UNSUPPORTED);
    pir_context_destroy(ctx);
  }
}

// The body of a loop at one place: as vectors under a mask, and one element after the other.
static void bodies_are_widened(void **unused) {
  static const char body[] = "for v2 = 0 to 8 by 1 {\nb1[v2] = b0.f32(v2)\n}\n"
                             "for v3 = 0 to 8 by 1 {\nb2[0] add= b0.f32(v3)\n}\n"
                             "for v4 = 0 to 8 by 1 {\n}\n";
  static const char *const wanted[] = {
      "b1[v0] = b0.f32x4(v0 where x4(1:b)) where x4(1:b)",
      "if b5.b(0) {\n    v2: index below 8 = v0\n    b1[v2] = b0.f32(v2)"};
  for (int scalar = 0; scalar < 2; scalar++) {
    pir_context *ctx = pir_context_create(NULL);
    loop_module *m = read_body(ctx, "", body);
    loop_fn *fn = m->first;
    const loop_stmt *plain = fn->body.first, *sum = plain->next, *empty = sum->next;
    loop_expr *at = pir_loop_use(m, fn->begin), *yes = pir_loop_const_int(m, PIR_BOOL, 1);
    loop_expr *mask = scalar ? pir_loop_load(m, fn->buffers[5], pir_loop_int(m, 0), 1, NULL)
                             : pir_loop_broadcast(m, yes, 4);
    loop_block out = {0};
    uint16_t lanes = scalar ? 1 : 4;
    assert_int_equal(pir_loop_widen(fn, &out, &plain->loop.body, plain->loop.var, at, lanes,
                                    mask, NULL, NULL, 0),
                     PIR_OK);
    // A sum over lanes has no place where they are joined.
    assert_int_equal(pir_loop_widen(fn, &out, &sum->loop.body, sum->loop.var, at, lanes, NULL,
                                    NULL, NULL, 0),
                     scalar ? PIR_OK : PIR_UNSUPPORTED);
    assert_int_equal(pir_loop_widen(fn, &out, &empty->loop.body, empty->loop.var, at, lanes,
                                    NULL, NULL, NULL, 0),
                     PIR_OK);
    fn->body = out;
    if (!strstr(print(m), wanted[scalar]))
      fail_msg("without %s: %s", wanted[scalar], print(m));
    pir_context_destroy(ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_become_vectors),
      cmocka_unit_test(partial_results_have_a_limit),
      cmocka_unit_test(bodies_are_widened),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
