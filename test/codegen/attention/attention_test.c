// Compares attention with plain loops in double precision: every way to write it, lengths
// around its block sizes, masks that exclude everything, one key and none, on every level of
// the processor and on a device. Results are bitwise independent of the number of threads, and
// no score matrix is stored.
#include "../../../tools/ports.h"

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

#include <cmocka.h>

typedef enum mask_kind { NO_MASK, MASK_OF_KEYS, MASK_OF_ROWS, MASK_OF_ALL } mask_kind;

typedef struct style {
  const char *name;
  bool heads_inside;  // [batch, length, heads, width], else [batch, heads, length, width]
  mask_kind mask;
  const char *type;
  const char *inputs[4];  // q, k, v, mask; B, R, S: batch, rows, keys
  const char *body;       // values 0 to 3 are the inputs, %9 is the result; <B,2,R,8> is a type
} style;

#define MATMUL(x, y, turned, types)                                                            \
  "\"pd_op.matmul\" (" x ", " y ") {transpose_x:false,transpose_y:" turned                     \
  ",stop_gradient:[true]} : (" types "\n"
#define SOFTMAX(x, axis, type)                                                                 \
  "\"pd_op.softmax\" (" x ") {axis:" axis ",stop_gradient:[true]} : (" type ") -> " type "\n"
#define ADD(x, y, types) "\"pd_op.add\" (" x ", " y ") {stop_gradient:[true]} : (" types "\n"
#define TURN(x, perm, types)                                                                   \
  "\"pd_op.transpose\" (" x ") {perm:[" perm "],stop_gradient:[true]} : (" types "\n"

// clang-format off: a line an op
static const style styles[] = {
    {"heads before lengths", false, NO_MASK, "f32",
     {"<B,3,R,20>", "<B,3,S,20>", "<B,3,S,24>"},
     "(%4) = " MATMUL("%0", "%1", "true", "<B,3,R,20>, <B,3,S,20>) -> <B,3,R,S>")
     "(%5) = " SOFTMAX("%4", "-1", "<B,3,R,S>")
     "(%9) = " MATMUL("%5", "%2", "false", "<B,3,R,S>, <B,3,S,24>) -> <B,3,R,24>")},
    {"f64, keys transposed as an op", false, MASK_OF_ALL, "f64",
     {"<B,2,R,8>", "<B,2,S,8>", "<B,2,S,8>", "<B,2,R,S>"},
     "(%4) = " TURN("%1", "0,1,3,2", "<B,2,S,8>) -> <B,2,8,S>")
     "(%5) = " MATMUL("%0", "%4", "false", "<B,2,R,8>, <B,2,8,S>) -> <B,2,R,S>")
     "(%6) = " ADD("%5", "%3", "<B,2,R,S>, <B,2,R,S>) -> <B,2,R,S>")
     "(%7) = " SOFTMAX("%6", "-1", "<B,2,R,S>")
     "(%9) = " MATMUL("%7", "%2", "false", "<B,2,R,S>, <B,2,S,8>) -> <B,2,R,8>")},
    {"lengths before heads, a mask of keys", true, MASK_OF_KEYS, "f32",
     {"<B,R,3,64>", "<B,S,3,64>", "<B,S,3,64>", "<B,1,1,S>"},
     "(%4) = " TURN("%0", "0,2,1,3", "<B,R,3,64>) -> <B,3,R,64>")
     "(%5) = " TURN("%1", "0,2,1,3", "<B,S,3,64>) -> <B,3,S,64>")
     "(%6) = " TURN("%2", "0,2,1,3", "<B,S,3,64>) -> <B,3,S,64>")
     "(%7) = " MATMUL("%4", "%5", "true", "<B,3,R,64>, <B,3,S,64>) -> <B,3,R,S>")
     "(%8) = " ADD("%7", "%3", "<B,3,R,S>, <B,1,1,S>) -> <B,3,R,S>")
     "(%10) = " SOFTMAX("%8", "-1", "<B,3,R,S>")
     "(%11) = " MATMUL("%10", "%6", "false", "<B,3,R,S>, <B,3,S,64>) -> <B,3,R,64>")
     "(%9) = " TURN("%11", "0,2,1,3", "<B,3,R,64>) -> <B,R,3,64>")},
    {"a mask of rows", false, MASK_OF_ROWS, "f32",
     {"<B,2,R,33>", "<B,2,S,33>", "<B,2,S,17>", "<R,S>"},
     "(%4) = " MATMUL("%0", "%1", "true", "<B,2,R,33>, <B,2,S,33>) -> <B,2,R,S>")
     "(%5) = " ADD("%3", "%4", "<R,S>, <B,2,R,S>) -> <B,2,R,S>")
     "(%6) = " SOFTMAX("%5", "3", "<B,2,R,S>")
     "(%9) = " MATMUL("%6", "%2", "false", "<B,2,R,S>, <B,2,S,17>) -> <B,2,R,17>")},
};
// clang-format on

enum { KINDS = sizeof styles / sizeof *styles, Q = 0, K = 1, V = 2, MASK = 3 };

typedef struct sizes {
  int64_t batch, rows, keys;
} sizes;

static const sizes cases[] = {{1, 1, 1},     {2, 5, 1},   {1, 7, 0},     {2, 24, 16},
                              {1, 25, 33},   {1, 61, 64}, {1, 193, 130}, {2, 17, 255},
                              {1, 40, 1000}, {1, 9, 513}};

static void report(void *user, const pir_diag *diag) {
  print_message("%.*s\n", (int)diag->message.size, diag->message.data);
}

// ---- programs

// Appends the extents in `list` (up to its `>`), joined by `by`: a case's extents, or dynamic
// ones.
static size_t write_extents(char *out, const char *list, const sizes *z, char by) {
  size_t n = 0;
  for (const char *at = list + 1; *at != '>'; at++) {
    if (*at == 'B')
      n += (size_t)sprintf(out + n, "%lld", z ? (long long)z->batch : -1);
    else if (*at == 'R')
      n += (size_t)sprintf(out + n, "%lld", z ? (long long)z->rows : -1);
    else if (*at == 'S')
      n += (size_t)sprintf(out + n, "%lld", z ? (long long)z->keys : -1);
    else
      out[n++] = *at == ',' ? by : *at;
  }
  out[n] = 0;
  return n;
}

static size_t write_type(char *out, const char *list, const style *s, const sizes *z) {
  size_t n = (size_t)sprintf(out, "tensor<");
  n += write_extents(out + n, list, z, 'x');
  return n + (size_t)sprintf(out + n, "x%s>", s->type);
}

// The program for the extents of one case, or (NULL) for any.
static pir_program *parse(pir_context *ctx, const style *s, const sizes *z) {
  static char text[8192];
  const char *last = s->body;
  size_t n = (size_t)sprintf(text, "{\n");
  for (int i = 0; i < 4 && s->inputs[i]; i++) {
    n += (size_t)sprintf(text + n,
                         "(%%%d) = \"pd_op.data\" () "
                         "{dtype:float%s,name:\"x%d\",place:Place(undefined:0),shape:[",
                         i, s->type + 1, i);
    n += write_extents(text + n, s->inputs[i], z, ',');
    n += (size_t)sprintf(text + n, "],stop_gradient:[true]} : () -> ");
    n += write_type(text + n, s->inputs[i], s, z);
    n += (size_t)sprintf(text + n, "\n");
  }
  for (const char *c = s->body; *c; c++) {
    if (*c != '<') {
      text[n++] = *c;
      continue;
    }
    last = c;
    n += write_type(text + n, c, s, z);
    c = strchr(c, '>');
  }
  n += (size_t)sprintf(
      text + n, "(%%12) = \"pd_op.fetch\" (%%9) {col:0,name:\"y\",stop_gradient:[true]} : (");
  n += write_type(text + n, last, s, z);
  n += (size_t)sprintf(text + n, ") -> ");
  n += write_type(text + n, last, s, z);
  n += (size_t)sprintf(text + n, "\n}\n");
  pir_program *parsed = NULL;
  assert_int_equal(pir_program_parse(ctx, (pir_str){text, n}, NULL, &parsed), PIR_OK);
  return parsed;
}

// ---- data

static double draw(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / (1 << 23) - 1;
}

// Masks leave out every fifth key by -inf, and all keys of row 3 (of batch 1, where there are
// only keys).
static double mask_at(const style *s, const int64_t *shape, int rank, int64_t i) {
  int64_t key = i % shape[rank - 1], row = rank > 1 ? i / shape[rank - 1] % shape[rank - 2] : 0;
  bool none = s->mask == MASK_OF_KEYS ? i / shape[rank - 1] == 1 : row == 3;
  return none || key % 5 == 2 ? -INFINITY : key % 3 * 0.25;
}

static void fill(const style *s, int input, const sizes *z, pir_tensor *t) {
  char list[64];
  int64_t shape[PIR_MAX_RANK];
  int rank = 0;
  bool wide = !strcmp(s->type, "f64");
  write_extents(list, s->inputs[input], z, ',');
  for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
    shape[rank++] = strtoll(at, NULL, 10);
  pir_tensor_set_dense(t, wide ? PIR_F64 : PIR_F32, shape, rank);
  int64_t count = pir_tensor_numel(t);
  uint32_t state = 77u + (uint32_t)input;
  t->data = malloc((size_t)(count + 1) * (wide ? 8 : 4));
  for (int64_t i = 0; i < count; i++) {
    double x = input == MASK ? mask_at(s, shape, rank, i) : draw(&state);
    if (input == Q)
      x *= 2;
    if (wide)
      ((double *)t->data)[i] = x;
    else
      ((float *)t->data)[i] = (float)x;
  }
}

// ---- the reference

static double element(const style *s, const pir_tensor *t, int64_t b, int64_t h, int64_t at,
                      int64_t d) {
  int64_t i = s->heads_inside ? ((b * t->shape[1] + at) * t->shape[2] + h) * t->shape[3] + d
                              : ((b * t->shape[1] + h) * t->shape[2] + at) * t->shape[3] + d;
  return pir_tensor_float_at(t, i);
}

static double mask_of(const style *s, const pir_tensor *t, int64_t b, int64_t h, int64_t row,
                      int64_t key) {
  switch (s->mask) {
    case MASK_OF_KEYS: return pir_tensor_float_at(t, b * t->shape[3] + key);
    case MASK_OF_ROWS: return pir_tensor_float_at(t, row * t->shape[1] + key);
    case MASK_OF_ALL:
      return pir_tensor_float_at(t, ((b * t->shape[1] + h) * t->shape[2] + row) * t->shape[3] +
                                        key);
    default: return 0;
  }
}

static double near = 1e-5;  // how far a number may be off, and its part

static void check_row(const style *s, const pir_tensor *in, const pir_tensor *out, int64_t b,
                      int64_t h, int64_t row) {
  int axis = s->heads_inside ? 1 : 2;
  int64_t keys = in[K].shape[axis], depth = in[Q].shape[3], width = in[V].shape[3];
  double *w = calloc((size_t)keys + 1, sizeof *w), top = -INFINITY, sum = 0;
  for (int64_t j = 0; j < keys; j++) {
    for (int64_t d = 0; d < depth; d++)
      w[j] += element(s, &in[Q], b, h, row, d) * element(s, &in[K], b, h, j, d);
    w[j] += mask_of(s, &in[MASK], b, h, row, j);
    if (w[j] > top)
      top = w[j];
  }
  for (int64_t j = 0; j < keys; j++)
    sum += w[j] = exp(w[j] - top);
  for (int64_t c = 0; c < width; c++) {
    double x = 0, y = element(s, out, b, h, row, c);
    for (int64_t j = 0; j < keys; j++)
      x += w[j] / sum * element(s, &in[V], b, h, j, c);
    if (!(fabs(x - y) <= near + near * fabs(x)) && !(isnan(x) && isnan(y)))
      fail_msg("%s, %lld rows, %lld keys: row %lld of head %lld, column %lld: %g expected, %g "
               "computed",
               s->name, (long long)in[Q].shape[axis], (long long)keys, (long long)row,
               (long long)h, (long long)c, x, y);
  }
  free(w);
}

static void check(const style *s, const pir_tensor *in, const pir_tensor *out) {
  for (int64_t b = 0; b < in[Q].shape[0]; b++)
    for (int64_t h = 0; h < in[Q].shape[s->heads_inside ? 2 : 1]; h++)
      for (int64_t row = 0; row < in[Q].shape[s->heads_inside ? 1 : 2]; row++)
        check_row(s, in, out, b, h, row);
}

// ---- tests

static const char *math_mode;

static pir_model *compile(const pir_program *program, const char *target) {
  pir_model_options options = {
      .size = sizeof options, .target = target, .math = math_mode, .sink = {report, NULL}};
  pir_model *model;
  assert_int_equal(pir_model_create(program, &options, &model), PIR_OK);
  return model;
}

typedef struct account {
  size_t now, most;
} account;

static void *count_alloc(void *user, size_t size, size_t align) {
  account *a = user;
  a->now += size;
  if (a->now > a->most)
    a->most = a->now;
  return aligned_alloc(align, (size + align - 1) / align * align);
}

static void count_release(void *user, void *memory, size_t size) {
  ((account *)user)->now -= size;
  free(memory);
}

static pir_session *run(pir_model *model, int inputs, const pir_tensor *in, int threads,
                        account *memory, pir_tensor *out) {
  pir_session_options options = {.size = sizeof options, .threads = threads};
  if (memory)
    options.allocator = (pir_allocator){count_alloc, count_release, memory};
  pir_session *session;
  pir_status made = pir_session_create(model, &options, &session);
  assert_int_equal(made, PIR_OK);
  for (int i = 0; i < inputs; i++)
    assert_int_equal(pir_session_bind_input(session, (size_t)i, &in[i]), PIR_OK);
  pir_status status = pir_session_run(session);
  if (status)
    print_message("%s\n", pir_session_message(session));
  assert_int_equal(status, PIR_OK);
  assert_int_equal(pir_session_output(session, 0, out), PIR_OK);
  return session;
}

static void run_case(const style *s, pir_model *model, const sizes *z) {
  pir_tensor in[4] = {0}, out[2] = {0};
  pir_session *sessions[2];
  int inputs = s->mask ? 4 : 3;
  for (int i = 0; i < inputs; i++)
    fill(s, i, z, &in[i]);
  for (int t = 0; t < 2; t++)
    sessions[t] = run(model, inputs, in, t + 1, NULL, &out[t]);
  check(s, in, &out[0]);
  int64_t bytes = pir_tensor_numel(&out[0]) * (int64_t)pir_dtype_size(out[0].dtype);
  assert_memory_equal(out[0].data, out[1].data, (size_t)bytes);
  for (int t = 0; t < 2; t++)
    pir_session_destroy(sessions[t]);
  for (int i = 0; i < inputs; i++)
    free(in[i].data);
}

static pir_context *open_context(void) {
  pir_context *ctx = pir_context_create(NULL);
  pir_context_set_sink(ctx, (pir_diag_sink){report, NULL});
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  return ctx;
}

static void run_fixed(pir_context *ctx, const style *s, const sizes *z, const char *target) {
  pir_program *fixed = parse(ctx, s, z);
  pir_model *known = compile(fixed, target);
  run_case(s, known, z);
  pir_model_release(known);
  pir_program_destroy(fixed);
}

static void test_numbers(void **state) {
  static const char *const targets[] = {"x86-64", "x86-64-v3", "x86-64-v4", "native"};
  pir_context *ctx = open_context();
  for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
    pir_target target;
    if (pir_target_get(targets[t], &target))
      continue;
    for (int k = 0; k < KINDS; k++) {
      pir_program *open = parse(ctx, &styles[k], NULL);
      pir_model *model = compile(open, targets[t]);
      assert_int_equal(model_stats(model).kernels_compiled,
                       1);  // all of it is one group
      assert_int_equal(model_stats(model).kernels_called, 0);
      for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_case(&styles[k], model, &cases[i]);
        if (t == 3 && i % 3 == 0)  // the same with all sizes known
          run_fixed(ctx, &styles[k], &cases[i], targets[t]);
      }
      pir_model_release(model);
      pir_program_destroy(open);
    }
  }
  pir_context_destroy(ctx);
}

// Tile registers multiply operands that are rounded to bf16. Mixed rows, keys or columns would
// be further off.
static void test_tiles(void **state) {
  static const sizes many[] = {{1, 40, 1000}, {2, 17, 270}, {1, 100, 513}};
  pir_target target;
  (void)state;
  if (pir_target_get("native", &target) || !target.amx_bf16)
    skip();
  pir_context *ctx = open_context();
  const style *s = &styles[2];
  near = 0.03;
  math_mode = "bf16";
  pir_program *open = parse(ctx, s, NULL);
  pir_model *model = compile(open, "native");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    run_case(s, model, &cases[i]);
  for (size_t i = 0; i < sizeof many / sizeof *many; i++)
    run_fixed(ctx, s, &many[i], "native");
  near = 1e-5;
  math_mode = NULL;
  pir_model_release(model);
  pir_program_destroy(open);
  pir_context_destroy(ctx);
}

// The same by the device's kernel, which takes f32. cuda.py runs it on the stand-ins.
static void test_device(void **state) {
  pir_device *device;
  pir_message message;
  if (pir_device_open("cuda", 0, NULL, &device, &message))
    skip();
  pir_device_close(device);
  pir_context *ctx = open_context();
  for (int k = 0; k < KINDS; k++) {
    pir_program *open = parse(ctx, &styles[k], NULL);
    pir_model *model = compile(open, "cuda");
    if (!strcmp(styles[k].type, "f32"))
      assert_int_equal(model_stats(model).kernels_compiled, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
      run_case(&styles[k], model, &cases[i]);
    run_fixed(ctx, &styles[k], &cases[3], "cuda");
    pir_model_release(model);
    pir_program_destroy(open);
  }
  pir_context_destroy(ctx);
}

// 3 x 4096 x 4096 scores are 201 MB; the result is 1.2 MB.
static void test_memory(void **state) {
  const style *s = &styles[0];
  static const sizes long_case = {1, 4096, 4096};
  account memory = {0};
  pir_tensor in[4] = {0}, out;
  pir_context *ctx = pir_context_create(NULL);
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  pir_program *open = parse(ctx, s, NULL);
  pir_model *model = compile(open, "native");
  for (int i = 0; i < 3; i++)
    fill(s, i, &long_case, &in[i]);
  pir_session *session = run(model, 3, in, 2, &memory, &out);
  for (int64_t row = 0; row < 4096; row += 1365)
    check_row(s, in, &out, 0, row % 3, row);
  assert_in_range(memory.most, 1, 6 << 20);
  pir_session_destroy(session);
  assert_int_equal(memory.now, 0);
  for (int i = 0; i < 3; i++)
    free(in[i].data);
  pir_model_release(model);
  pir_program_destroy(open);
  pir_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers), cmocka_unit_test(test_tiles),
      cmocka_unit_test(test_device), cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
