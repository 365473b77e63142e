// Indices read from tensors, in and out of range: compiled code gives the kernels' results, or
// refuses the run as they do, and touches no memory out of range. Operands border on pages that
// cannot be read, before and behind, for code of every level of x86-64 that this processor has,
// and for a device where one is found, as on the stand-ins of test/cuda/shim. There launches
// become graphs.
#include "../../tools/ports.h"

#include <pir/layer/codegen.h>
#include <pir/compiler/dialects.h>
#include <pir/engine/device.h>
#include <pir/engine/model.h>
#include <pir/compiler/text.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#define COMPILED "canon,expand,group{few=0},dce,bind"

static const char *const levels[] = {"native",    "x86-64",    "x86-64-v2",
                                     "x86-64-v3", "x86-64-v4", "cuda"};

enum { ROWS = 9, COLUMNS = 13, MANY = 21, LEVELS = sizeof levels / sizeof *levels };

// ---- programs

// The ops between x (%0, ROWS x COLUMNS), an index (%1) and the result %9. $ stands for the
// type of x, # for the index's, & for that of any tensor of rank 2. The index has `rows` rows,
// or one axis (0), of `count` elements; numbers below `extent` are in range, and where they
// wrap around those from -extent on.
typedef struct index_case {
  const char *name, *op, *ops;
  int rows, count, extent;
  bool wraps;
} index_case;

#define AXIS(n)                                                                                \
  "(%2) = \"pd_op.full\" () {dtype:int32,place:Place(cpu),shape:[1],value:" n                  \
  "} : () -> tensor<1xi32>\n"
#define GATHER(out, x)                                                                         \
  "(%" out ") = \"pd_op.gather\" (%" x ", %1, %2) {} : (&, #, tensor<1xi32>) -> &\n"
#define UNARY(out, op, x, attrs)                                                               \
  "(%" out ") = \"pd_op." op "\" (%" x ") {" attrs "} : (&) -> &\n"
#define BINARY(out, op, x, y, attrs)                                                           \
  "(%" out ") = \"pd_op." op "\" (%" x ", %" y ") {" attrs "} : (&, &) -> &\n"
#define PADDED(out, x)                                                                         \
  "(%20) = \"pd_op.full\" () {dtype:float32,place:Place(cpu),shape:[1],value:0.5} : () -> "    \
  "tensor<1xf32>\n"                                                                            \
  "(%" out ") = \"pd_op.pad\" (%" x ", %20) {paddings:[2,1,0,0]} : (&, tensor<1xf32>) -> &\n"
#define INDEXED(out, op, attrs)                                                                \
  "(%" out ") = \"pd_op." op "\" (%0, %1) {" attrs "} : ($, #) -> &\n"

static const index_case cases[] = {
    {"rows", "gather", AXIS("0") GATHER("9", "0"), 0, MANY, ROWS, true},
    {"columns", "gather", AXIS("1") GATHER("9", "0"), 0, MANY, COLUMNS, true},
    {"selected rows", "index_select", INDEXED("9", "index_select", "axis:0"), 0, MANY, ROWS,
     true},
    {"selected columns", "index_select", INDEXED("9", "index_select", "axis:-1"), 0, MANY,
     COLUMNS, true},
    {"samples", "index_sample", INDEXED("9", "index_sample", ""), ROWS, MANY, COLUMNS, false},
    {"along columns", "take_along_axis", INDEXED("9", "take_along_axis", "axis:1"), ROWS, MANY,
     COLUMNS, true},
    {"along rows", "take_along_axis", INDEXED("9", "take_along_axis", "axis:0"), ROWS, COLUMNS,
     ROWS, true},
    {"of what is computed", "gather", AXIS("1") UNARY("3", "relu", "0", "") GATHER("9", "3"), 0,
     MANY, COLUMNS, true},
    {"of what is padded", "gather",
     AXIS("1") PADDED("3", "0") GATHER("4", "3") UNARY("9", "exp", "4", ""), 0, MANY, COLUMNS,
     true},
    {"padded", "gather", AXIS("0") GATHER("3", "0") PADDED("4", "3") UNARY("9", "exp", "4", ""),
     0, MANY, ROWS, true},
    {"added up in rows", "gather",
     AXIS("0") GATHER("3", "0") UNARY("9", "softmax", "3", "axis:-1"), 0, MANY, ROWS, true},
    {"added up in columns", "gather",
     AXIS("1") GATHER("3", "0") UNARY("9", "softmax", "3", "axis:0"), 0, MANY, COLUMNS, true},
    {"both ends of edges", "gather",
     "(%9) = \"pd_op.send_uv\" (%0, %0, %1, %1) {message_op:\"MUL\"} : ($, $, #, #) -> &\n", 0,
     MANY, ROWS, true},
    {"added to products", "index_sample",
     BINARY("3", "matmul", "0", "0", "transpose_x:false,transpose_y:true")
         INDEXED("4", "index_sample", "") BINARY("9", "add", "3", "4", ""),
     ROWS, ROWS, COLUMNS, false},
};

typedef struct text {
  char data[2048];
  size_t size;
} text;

static void put(text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  t->size += (size_t)vsnprintf(t->data + t->size, sizeof t->data - t->size, format, args);
  va_end(args);
  assert_true(t->size < sizeof t->data);
}

// The text with its types; of extents that only the run shows when it is dynamic.
static void put_ops(text *t, const index_case *c, bool dynamic, const char *ops) {
  for (const char *p = ops; *p; p++) {
    if (*p == '&')
      put(t, "tensor<-1x-1xf32>");
    else if (*p == '$')
      put(t, "tensor<%dx%dxf32>", dynamic ? -1 : ROWS, dynamic ? -1 : COLUMNS);
    else if (*p == '#' && c->rows)
      put(t, "tensor<%dx%dxi64>", dynamic ? -1 : c->rows, dynamic ? -1 : c->count);
    else if (*p == '#')
      put(t, "tensor<%dxi64>", dynamic ? -1 : c->count);
    else
      put(t, "%c", *p);
  }
}

static pir_program *parse(pir_context *ctx, const index_case *c, bool dynamic) {
  text t = {.size = 0};
  int unknown = -1, rows = dynamic ? unknown : ROWS, columns = dynamic ? unknown : COLUMNS;
  put(&t, "{\n(%%0) = \"pd_op.data\" () {dtype:float32,name:\"x\",place:Place(undefined:0),");
  put(&t, "shape:[%d,%d]", rows, columns);
  put_ops(&t, c, dynamic, "} : () -> $\n");
  put(&t, "(%%1) = \"pd_op.data\" () {dtype:int64,name:\"i\",place:Place(undefined:0),shape:[");
  if (c->rows)
    put(&t, "%d,", dynamic ? unknown : c->rows);
  put(&t, "%d]", dynamic ? unknown : c->count);
  put_ops(&t, c, dynamic, "} : () -> #\n");
  put_ops(&t, c, dynamic, c->ops);
  put_ops(&t, c, dynamic, "(%10) = \"pd_op.fetch\" (%9) {col:0,name:\"out\"} : (&) -> &\n}\n");
  pir_program *program;
  if (pir_program_parse(ctx, pir_str_from(t.data), NULL, &program))
    fail_msg("%s", t.data);
  return program;
}

// ---- memory

enum { PAGE = 4096 };

// A page between two that cannot be read.
typedef struct guarded {
  char *pages;
} guarded;

static guarded take_guarded(void) {
  char *pages = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(pages != MAP_FAILED);
  assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
  return (guarded){pages};
}

// `size` bytes of it, against its end or its beginning.
static void *bytes_of(guarded g, size_t size, bool at_end) {
  return g.pages + (at_end ? 2 * PAGE - size : PAGE);
}

// ---- runs

typedef struct fixture {
  guarded x, index;
  pir_tensor in[2];
} fixture;

static void report(void *user, const pir_diag *diag) {
  if (diag->severity == PIR_ERROR)
    print_error("%.*s\n", (int)diag->message.size, diag->message.data);
  (void)user;
}

static void place_inputs(fixture *f, const index_case *c, bool at_end, int64_t rows) {
  int64_t shape[] = {rows, COLUMNS}, matrix[] = {c->rows, c->count}, list[] = {c->count};
  pir_tensor_set_dense(&f->in[0], PIR_F32, shape, 2);
  pir_tensor_set_dense(&f->in[1], PIR_I64, c->rows ? matrix : list, c->rows ? 2 : 1);
  int64_t count = pir_tensor_numel(&f->in[1]);
  float *x = f->in[0].data = bytes_of(f->x, sizeof(float) * (size_t)(rows * COLUMNS), at_end);
  int64_t *index = f->in[1].data = bytes_of(f->index, sizeof *index * (size_t)count, at_end);
  for (int64_t i = 0; i < rows * COLUMNS; i++)
    x[i] = (float)(i % 17) / 8 - 1;
  for (int64_t i = 0; i < count; i++)
    index[i] = i * 7 % c->extent - (c->wraps && i % 3 == 1 ? c->extent : 0);
}

static pir_session *open(const pir_program *program, const index_case *c, const char *pipeline,
                         const char *target) {
  pir_model_options options = {
      .size = sizeof options, .pipeline = pipeline, .target = target, .sink = {report, NULL}};
  pir_session_options threads = {.size = sizeof threads, .threads = 2};
  pir_model *model;
  pir_session *session;
  assert_int_equal(pir_model_create(program, &options, &model), PIR_OK);
  pir_model_stats stats = model_stats(model);
  if (target && (!stats.kernels_compiled || stats.kernels_called))
    fail_msg("%s is not compiled for %s", c->name, target);
  assert_int_equal(pir_session_create(model, &threads, &session), PIR_OK);
  pir_model_release(model);
  return session;
}

static pir_status run(pir_session *session, const fixture *f) {
  for (size_t i = 0; i < 2; i++)
    assert_int_equal(pir_session_bind_input(session, i, &f->in[i]), PIR_OK);
  return pir_session_run(session);
}

static void check_equal(const char *what, pir_session *compiled, pir_session *called) {
  pir_tensor a, b;
  assert_int_equal(pir_session_output(compiled, 0, &a), PIR_OK);
  assert_int_equal(pir_session_output(called, 0, &b), PIR_OK);
  assert_int_equal(pir_tensor_numel(&a), pir_tensor_numel(&b));
  const float *x = a.data, *y = b.data;
  for (int64_t i = 0; i < pir_tensor_numel(&a); i++)
    if (!(fabsf(x[i] - y[i]) <= 1e-5f * (1 + fabsf(y[i]))))
      fail_msg("%s: element %lld is %g, not %g", what, (long long)i, (double)x[i],
               (double)y[i]);
}

static void check_refused(const char *what, const index_case *c, pir_session *compiled,
                          pir_session *called, const fixture *f, int64_t number) {
  pir_status got = run(compiled, f), expected = run(called, f);
  const char *a = pir_session_message(compiled), *b = pir_session_message(called);
  if (got != PIR_INVALID || expected != PIR_INVALID)
    fail_msg("%s: %lld is not refused, but %d and %d", what, (long long)number, got, expected);
  const char *place = strstr(a, " (at ");  // behind what the called kernel says more
  size_t size = place ? (size_t)(place - a) : strlen(a);
  if (!place || !strstr(a, c->op) || strncmp(a, b, size) != 0)
    fail_msg("%s: %lld: says \"%s\", not \"%s\"", what, (long long)number, a, b);
}

// Each bad number at the first, the middle and the last place.
static void check_outside(const char *what, const index_case *c, pir_session *compiled,
                          pir_session *called, const fixture *f) {
  int64_t below = c->wraps ? -c->extent - 1 : -1;
  const int64_t bad[] = {c->extent, c->extent + 1, below,     below - 1,
                         2 * PAGE,  -2 * PAGE,     INT32_MAX, INT32_MIN,
                         INT64_MAX, INT64_MAX / 4, INT64_MIN};
  int64_t *index = f->in[1].data, count = pir_tensor_numel(&f->in[1]);
  const int64_t places[] = {0, count / 2, count - 1};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
      int64_t good = index[places[i]];
      index[places[i]] = bad[k];
      check_refused(what, c, compiled, called, f, bad[k]);
      index[places[i]] = good;
    }
}

// Nothing can be read of a tensor without rows.
static void check_empty(const char *what, const index_case *c, pir_session *compiled,
                        pir_session *called, fixture *f, bool at_end) {
  place_inputs(f, c, at_end, 0);
  check_refused(what, c, compiled, called, f, 0);
  place_inputs(f, c, at_end, ROWS);
}

static bool is_here(const char *level) {
  pir_target unused;
  pir_device *device;
  pir_message why;
  if (!pir_device_is_kind(level))
    return !pir_target_get(level, &unused);
  if (pir_device_open(level, 0, NULL, &device, &why))
    return false;
  pir_device_close(device);
  return true;
}

static void check_case(const pir_program *program, const index_case *c, bool dynamic,
                       fixture *f) {
  char what[160];
  pir_session *called = open(program, c, "kernels", NULL);
  for (size_t k = 0; k < LEVELS; k++) {
    if (!is_here(levels[k]))
      continue;
    pir_session *compiled = open(program, c, COMPILED, levels[k]);
    for (int at_end = 0; at_end < 2; at_end++) {
      snprintf(what, sizeof what, "%s, %s, %s, at the %s", c->name, levels[k],
               dynamic ? "dynamic" : "static", at_end ? "end" : "beginning");
      place_inputs(f, c, at_end, ROWS);
      if (run(compiled, f) || run(called, f))
        fail_msg("%s: %s", what, pir_session_message(compiled));
      check_equal(what, compiled, called);
      check_outside(what, c, compiled, called, f);
      if (dynamic && !c->rows && c->extent == ROWS)
        check_empty(what, c, compiled, called, f, at_end);
      assert_int_equal(run(compiled, f), PIR_OK);
      assert_int_equal(run(called, f), PIR_OK);
      check_equal(what, compiled, called);
    }
    pir_session_destroy(compiled);
  }
  pir_session_destroy(called);
}

static void test_indices(void **state) {
  fixture f = {.x = take_guarded(), .index = take_guarded()};
  pir_context *ctx = pir_context_create(NULL);
  pir_context_set_sink(ctx, (pir_diag_sink){report, NULL});
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (int dynamic = 0; dynamic < 2; dynamic++) {
      pir_program *program = parse(ctx, &cases[k], dynamic);
      check_case(program, &cases[k], dynamic, &f);
      pir_program_destroy(program);
    }
  pir_context_destroy(ctx);
  munmap(f.x.pages, 3 * PAGE);
  munmap(f.index.pages, 3 * PAGE);
  (void)state;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_indices)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
