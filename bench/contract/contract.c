// Measures the contraction generator, compared with the multiply-add peak probed in the same
// second.
//   contract-bench [--target=NAME] [--threads=N] [--runs=N] [--as=KIND] [SUBSTRING]
//       rows whose name contains SUBSTRING; KIND: f32; f16; bf16, weights rounded when they are
//       packed; u8 and i8, times signed bytes
//   contract-bench --conv=C,H,W,O,KH,KW,STRIDE[,N]
//       one convolution, padded to keep its size, channels last
//   contract-bench --math=fast ..
//   contract-bench --weights=MIB ..
//       packed weights in as many copies, used in turn, so that none is in a cache
//   contract-bench --asm|--loops|--llvm|--object NAME
//       the code of one row
//   contract-bench --list [SUBSTRING]
//       the names of the rows
#include "../../test/codegen/contract/contraction_cases.h"
#include "llvm_backend.h"
#include "../../tools/pir-run/peak.h"

#include <pir/compiler/context.h>
#include <pir/engine/parallel.h>
#include <stdio.h>
#include <sys/mman.h>

typedef struct row {
  const char *name;
  bool is_conv;
  matmul_case matmul;
  conv_case conv;
} row;

#define GEMM(m, n, k) {"gemm_" #m "x" #n "x" #k, false, {1, m, n, k, false, true, false}, {0}}
#define BATCH(name, b, m, n, k, t) {name, false, {b, m, n, k, t, false, false}, {0}}
#define CONV(c, hw, o, k, s)                                                                   \
  {                                                                                            \
    "conv_" #c "_" #hw "_" #o "_k" #k "s" #s, true, {0}, {                                     \
      1, c, hw, hw, o, k, k, s, k / 2, 1, 1, false, false, false, true, false                  \
    }                                                                                          \
  }
#define VARY(c, hw, o, k, s)                                                                   \
  {                                                                                            \
    "vary_" #c "_" #hw "_" #o "_k" #k "s" #s, true, {0}, {                                     \
      1, c, hw, hw, o, k, k, s, k / 2, 1, 1, false, false, true, false, false                  \
    }                                                                                          \
  }
#define FIRST(c, hw, o, k, s)                                                                  \
  {                                                                                            \
    "first_" #c "_" #hw "_" #o "_k" #k "s" #s, true, {0}, {                                    \
      1, c, hw, hw, o, k, k, s, k / 2, 1, 1, true, false, false, true, false                   \
    }                                                                                          \
  }
#define DEPTH(c, hw, k, s)                                                                     \
  {                                                                                            \
    "depth_" #c "_" #hw "_k" #k "s" #s, true, {0}, {                                           \
      1, c, hw, hw, c, k, k, s, k / 2, 1, c, false, false, false, true, false                  \
    }                                                                                          \
  }

static const row ROWS[] = {
    GEMM(512, 512, 512),
    GEMM(1024, 1024, 1024),
    GEMM(128, 768, 768),
    GEMM(128, 3072, 768),
    GEMM(128, 768, 3072),
    GEMM(384, 768, 768),
    GEMM(1, 1000, 2048),
    GEMM(1, 4096, 4096),
    GEMM(3136, 64, 64),
    BATCH("attention_qk", 12, 128, 128, 64, true),
    BATCH("attention_pv", 12, 128, 64, 128, false),
    CONV(64, 56, 64, 1, 1),
    CONV(64, 56, 64, 3, 1),
    CONV(64, 56, 256, 1, 1),
    CONV(256, 56, 64, 1, 1),
    CONV(256, 56, 128, 1, 1),
    CONV(128, 56, 128, 3, 2),
    CONV(128, 28, 512, 1, 1),
    CONV(256, 56, 512, 1, 2),
    CONV(512, 28, 128, 1, 1),
    CONV(128, 28, 128, 3, 1),
    CONV(512, 28, 256, 1, 1),
    CONV(256, 28, 256, 3, 2),
    CONV(256, 14, 1024, 1, 1),
    CONV(512, 28, 1024, 1, 2),
    CONV(1024, 14, 256, 1, 1),
    CONV(256, 14, 256, 3, 1),
    CONV(1024, 14, 512, 1, 1),
    CONV(512, 14, 512, 3, 2),
    CONV(512, 7, 2048, 1, 1),
    CONV(1024, 14, 2048, 1, 2),
    CONV(2048, 7, 512, 1, 1),
    CONV(512, 7, 512, 3, 1),
    CONV(32, 112, 64, 1, 1),
    CONV(64, 56, 128, 1, 1),
    CONV(128, 56, 128, 1, 1),
    CONV(512, 14, 512, 1, 1),
    CONV(1024, 7, 1024, 1, 1),
    FIRST(3, 224, 64, 7, 2),
    FIRST(3, 224, 32, 3, 2),
    VARY(512, 14, 512, 1, 1),
    VARY(1024, 7, 1024, 1, 1),
    VARY(128, 56, 128, 1, 1),
    VARY(256, 14, 256, 3, 1),
    VARY(512, 7, 512, 3, 1),
    VARY(64, 56, 64, 3, 1),
    VARY(24, 80, 24, 3, 1),
    CONV(24, 80, 24, 3, 1),
    CONV(40, 40, 120, 1, 1),
    CONV(96, 40, 24, 1, 1),
    DEPTH(32, 112, 3, 1),
    DEPTH(64, 112, 3, 2),
    DEPTH(128, 56, 3, 1),
    DEPTH(128, 56, 3, 2),
    DEPTH(256, 28, 3, 1),
    DEPTH(512, 14, 3, 1),
    DEPTH(1024, 7, 3, 1),
};

typedef struct sizes {
  int64_t a, b, out;
  double flops;
} sizes;

static sizes sizes_of(const row *r) {
  const matmul_case *m = &r->matmul;
  const conv_case *s = &r->conv;
  if (!r->is_conv)
    return (sizes){m->batch * m->m * m->k, (m->constant_b ? 1 : m->batch) * m->n * m->k,
                   m->batch * m->m * m->n, 2.0 * (double)(m->batch * m->m * m->n * m->k)};
  int64_t oh = conv_out(s->h, s->kh, s), ow = conv_out(s->w, s->kw, s),
          taps = s->c / s->groups * s->kh * s->kw;
  return (sizes){s->n * s->c * s->h * s->w, s->o * taps, s->n * s->o * oh * ow,
                 2.0 * (double)(s->n * s->o * oh * ow * taps)};
}

static bool parse_conv(const char *text, row *out) {
  int64_t v[8] = {0};
  int read = sscanf(text, "%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld", &v[0], &v[1], &v[2], &v[3], &v[4],
                    &v[5], &v[6], &v[7]);
  if (read < 7)
    return false;
  *out = (row){.name = text, .is_conv = true};
  out->conv = (conv_case){.n = read > 7 ? v[7] : 1,
                          .c = v[0],
                          .h = v[1],
                          .w = v[2],
                          .o = v[3],
                          .kh = v[4],
                          .kw = v[5],
                          .stride = v[6],
                          .dilation = 1,
                          .groups = 1,
                          .same = true};
  return true;
}

// Memory on huge pages, as a session's: on small ones, whose places in the second cache are
// drawn by chance, the time of a product depends on the process (Zen 3: 1.7 or 3.1 ms). NULL
// for nothing.
static void *huge_pages(size_t size) {
  size_t page = 2 << 20, whole = (size + page - 1) / page * page;
  void *memory = size ? aligned_alloc(page, whole) : NULL;
  if (memory)
    madvise(memory, whole, MADV_HUGEPAGE);
  return memory;
}

static float *random_floats(int64_t n) {
  float *x = huge_pages((size_t)n * 4 + 64);
  for (int64_t i = 0; x && i < n; i++)
    x[i] = (float)((i * 7919 + 13) % 255 - 127) / 128;
  return x;
}

typedef struct piece {
  const contract_run *run;
  int stage;
} piece;

static void run_range(void *user, int64_t begin, int64_t end, int thread) {
  const piece *p = user;
  run_call(p->run, p->stage, begin, end, thread);
}

static void run_all(const contract_run *run, const int64_t *symbols, pir_parallel pool) {
  for (int s = 0; s < run->code.stage_count; s++) {
    piece p = {run, s};
    if (pool.threads > 1)
      pool.parallel_for(pool.pool, run_units(run, s, symbols), run_range, &p);
    else
      run_call(run, s, 0, run_units(run, s, symbols), 0);
  }
}

// Copies of packed weights that are used in turn.
typedef struct copies {
  char *memory;
  size_t bytes;  // of one
  int count, next;
} copies;

// Makes copies that fill `total` bytes, at least one; none if the weights are not packed.
static copies copy_weights(const contract_run *run, size_t total) {
  copies c = {.bytes = ((size_t)run->code.packed_bytes + 127) / 64 * 64};
  size_t count = total / c.bytes;
  c.count = !run->packing ? 0 : count ? (int)count : 1;
  c.memory = huge_pages((size_t)c.count * c.bytes);
  if (!c.memory)
    return (copies){0};
  for (int i = 0; i < c.count; i++)
    memcpy(c.memory + (size_t)i * c.bytes, run->buffers[1], (size_t)run->code.packed_bytes);
  return c;
}

static void *next_weights(copies *c) {
  c->next = (c->next + 1) % c->count;
  return c->memory + (size_t)c->next * c->bytes;
}

static void measure(const row *r, contract_run *run, copies *weights, const int64_t *symbols,
                    double flops, int runs, double compile, pir_parallel pool) {
  double best = 1e9, peak = 0, start = now();
  void *packed = run->buffers[1];
  for (int i = 0; i < runs && (i < 3 || now() - start < 1); i++) {
    if (i % 8 == 0) {
      double p = peak_gflops() * pool.threads;
      if (p > peak)
        peak = p;
    }
    if (weights->count)
      run->buffers[1] = next_weights(weights);
    double t = now();
    run_all(run, symbols, pool);
    t = now() - t;
    if (t < best)
      best = t;
  }
  run->buffers[1] = packed;
  printf("%-28s %9.1f us %7.1f GFLOP/s %5.1f %% of %.1f, compiled in %.0f ms: %s\n", r->name,
         best * 1e6, flops / best * 1e-9, flops / best * 1e-7 / peak, peak, compile * 1e3,
         run->code.how);
  fflush(stdout);
}

static bool write_out(void *user, const char *data, size_t size) {
  return fwrite(data, 1, size, user) == size;
}

static void show(const contract_run *run, const pir_target *target, const char *what) {
  pir_llvm_library llvm;
  pir_emitted text;
  char message[512];
  if (!strcmp(what, "--loops")) {
    if (pir_loop_print(run->module, (pir_writer){write_out, stdout}))
      puts("cannot print");
    return;
  }
  if (pir_llvm_load(&llvm, message, sizeof message))
    return (void)puts(message);
  pir_code_form form = !strcmp(what, "--asm")      ? PIR_CODE_ASSEMBLY
                       : !strcmp(what, "--object") ? PIR_CODE_OBJECT
                                                   : PIR_CODE_LLVM;
  if (llvm.backend->emit(run->module, target, form, &text, message, sizeof message))
    return (void)puts(message);
  fwrite(text.data, 1, text.size, stdout);
  free(text.data);
}

static void report(void *user, const pir_diag *diag) {
  (void)user;
  fprintf(stderr, "%.*s\n", (int)diag->message.size, diag->message.data);
}

static bool set_kind(contraction *c, contract_run *run, const char *kind) {
  bool is_bf16 = !strcmp(kind, "bf16"), is_bytes = !strcmp(kind, "u8") || !strcmp(kind, "i8");
  if (is_bf16)
    c->a.dtype = c->b.rounded = PIR_BF16, run->math = PIR_MATH_BF16;
  if (is_bf16 && !c->b_constant)
    c->b.dtype = PIR_BF16;
  bool is_half = !strcmp(kind, "f16");
  if (is_half)
    c->a.dtype = c->b.dtype = c->out.dtype = PIR_F16;
  if (is_bytes)
    c->a.dtype = kind[0] == 'u' ? PIR_U8 : PIR_I8, c->b.dtype = PIR_I8, c->out.dtype = PIR_I32;
  return is_bf16 || is_bytes || is_half || !strcmp(kind, "f32");
}

static int list_rows(const char *only) {
  for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
    if (strstr(ROWS[i].name, only))
      puts(ROWS[i].name);
  return 0;
}

int main(int argc, char **argv) {
  const char *only = "", *mode = NULL, *name = NULL, *kind = "f32";
  int runs = 100, threads = 1, weights = 0;
  pir_math math = PIR_MATH_STRICT;
  row own = {0};
  for (int i = 1; i < argc; i++) {
    if (!strncmp(argv[i], "--target=", 9))
      name = argv[i] + 9;
    else if (!strncmp(argv[i], "--as=", 5))
      kind = argv[i] + 5;
    else if (!strncmp(argv[i], "--runs=", 7))
      runs = atoi(argv[i] + 7);
    else if (!strncmp(argv[i], "--threads=", 10))
      threads = atoi(argv[i] + 10);
    else if (!strncmp(argv[i], "--weights=", 10))
      weights = atoi(argv[i] + 10);
    else if (!strncmp(argv[i], "--conv=", 7) && parse_conv(argv[i] + 7, &own))
      continue;
    else if (!strncmp(argv[i], "--math=", 7) && !pir_math_named(argv[i] + 7, &math))
      continue;
    else if (argv[i][0] == '-')
      mode = argv[i];
    else
      only = argv[i];
  }
  if (mode && !strcmp(mode, "--list"))
    return list_rows(only);
  pir_target target;
  pir_context *ctx = pir_context_create(NULL);
  pir_code_store *store = NULL;
  pir_context_set_sink(ctx, (pir_diag_sink){report, NULL});
  if (pir_target_get(name, &target) || pir_code_store_create(ctx, &target, NULL, &store))
    return 1;
  pir_thread_pool *pool = NULL;
  if (threads > 1 && pir_thread_pool_create(threads, NULL, &pool))
    return 1;
  pir_parallel parallel = pool ? pir_thread_pool_parallel(pool) : pir_parallel_serial();
  if (!mode)
    printf("%s, tuned for %s: %s\n", target.name, target.cpu, target.features);
  for (size_t i = 0; i < (own.name ? 1 : sizeof ROWS / sizeof *ROWS); i++) {
    const row *r = own.name ? &own : &ROWS[i];
    if (!own.name && !strstr(r->name, only))
      continue;
    pir_dims *dims = pir_dims_create(NULL);
    contraction c = r->is_conv ? make_conv(dims, &r->conv) : make_matmul(dims, &r->matmul);
    contract_run run = {.math = math};
    const conv_case *s = &r->conv;
    int64_t symbols[] = {s->n, s->h, s->w, conv_out(s->h, s->kh, s), conv_out(s->w, s->kw, s)};
    double start = now();
    if (!set_kind(&c, &run, kind))
      return fprintf(stderr, "no such kind: %s\n", kind), 1;
    if (!run_compile(&run, store, &target, &c)) {
      double compile = now() - start;
      sizes n = sizes_of(r);
      float *a = random_floats(n.a), *b = random_floats(n.b), *out = random_floats(n.out);
      run_bind(&run, a, b, out, symbols);
      copies in_turn = copy_weights(&run, (size_t)weights << 20);
      if (mode)
        show(&run, &target, mode);
      else
        measure(r, &run, &in_turn, symbols, n.flops, runs, compile, parallel);
      free(in_turn.memory);
      free(a), free(b), free(out);
    } else {
      printf("%s: not compiled\n", r->name);
    }
    run_free(&run);
    pir_dims_destroy(dims);
  }
  if (pool)
    pir_thread_pool_destroy(pool);
  pir_code_store_destroy(store);
  pir_context_destroy(ctx);
}
