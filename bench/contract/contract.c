// Measures the contraction generator, compared with the multiply-add peak probed in the same
// second. USAGE has the options.
#include "../../test/codegen/contract/contraction_cases.h"
#include "llvm_backend.h"
#include "../../tools/pir-run/peak.h"

#include <getopt.h>
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

enum { SHOW_LOOPS = 512, SHOW_LLVM, SHOW_ASM, SHOW_OBJECT };

static void show(const contract_run *run, const pir_target *target, int what) {
  pir_llvm_library llvm;
  pir_emitted text;
  char message[512];
  if (what == SHOW_LOOPS) {
    if (pir_loop_print(run->module, (pir_writer){write_out, stdout}))
      puts("cannot print");
    return;
  }
  if (pir_llvm_load(&llvm, message, sizeof message))
    return (void)puts(message);
  pir_code_form form = what == SHOW_ASM      ? PIR_CODE_ASSEMBLY
                       : what == SHOW_OBJECT ? PIR_CODE_OBJECT
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

static const char USAGE[] =
    "usage: contract-bench [options] [SUBSTRING]\n"
    "Measures the contractions whose names contain SUBSTRING, all without it.\n"
    "  --list                                names, and nothing is measured\n"
    "  --conv=C,H,W,O,KH,KW,STRIDE[,N]       one convolution, padded to keep its size, "
    "channels last\n"
    "  --as=KIND                             f32; f16; bf16, weights rounded when they are "
    "packed;\n"
    "                                        u8 and i8, times signed bytes\n"
    "  --math=MODE                           strict, fast or bf16\n"
    "  --weights=MIB                         packed weights in as many copies, used in turn, "
    "so that\n"
    "                                        none is in a cache\n"
    "  --target=NAME --threads=N --runs=N\n"
    "  --loops|--llvm|--asm|--object         the code, in place of its time\n"
    "Exit codes: 0; 1 where something fails, 2 for wrong arguments.\n";

typedef struct request {
  const char *only, *target, *kind;
  int runs, threads, weights;
  pir_math math;
  bool list;
  int form;  // the option that asks for code, or 0
  row own;   // of --conv; without a name otherwise
} request;

enum { LIST = 256, CONV_ROW, AS, MATH, WEIGHTS, TARGET, THREADS, RUNS, HELP };

static const struct option OPTIONS[] = {
    {"list", 0, NULL, LIST},
    {"conv", 1, NULL, CONV_ROW},
    {"as", 1, NULL, AS},
    {"math", 1, NULL, MATH},
    {"weights", 1, NULL, WEIGHTS},
    {"target", 1, NULL, TARGET},
    {"threads", 1, NULL, THREADS},
    {"runs", 1, NULL, RUNS},
    {"loops", 0, NULL, SHOW_LOOPS},
    {"llvm", 0, NULL, SHOW_LLVM},
    {"asm", 0, NULL, SHOW_ASM},
    {"object", 0, NULL, SHOW_OBJECT},
    {"help", 0, NULL, HELP},
    {0},
};

static bool parse_count(const char *text, int *out) {
  char *end;
  long value = strtol(text, &end, 10);
  *out = (int)value;
  return end != text && !*end && value > 0 && value <= 1 << 20;
}

static bool take_option(request *q, int option) {
  switch (option) {
    case LIST: q->list = true; return true;
    case CONV_ROW: return parse_conv(optarg, &q->own);
    case AS: q->kind = optarg; return true;
    case MATH: return !pir_math_named(optarg, &q->math);
    case WEIGHTS: return parse_count(optarg, &q->weights);
    case TARGET: q->target = optarg; return true;
    case THREADS: return parse_count(optarg, &q->threads);
    case RUNS: return parse_count(optarg, &q->runs);
    case SHOW_LOOPS:
    case SHOW_LLVM:
    case SHOW_ASM:
    case SHOW_OBJECT: q->form = option; return true;
    default: return false;
  }
}

// The exit code where nothing is left to do, else -1.
static int parse(int argc, char **argv, request *q) {
  *q = (request){.only = "", .kind = "f32", .runs = 100, .threads = 1, .math = PIR_MATH_STRICT};
  for (int option; (option = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1;) {
    if (option == HELP)
      return fputs(USAGE, stdout), 0;
    if (!take_option(q, option))
      return fprintf(stderr, "contract-bench: wrong option %s\n%s", argv[optind - 1], USAGE), 2;
  }
  if (argc - optind > 1)
    return fputs(USAGE, stderr), 2;
  if (optind < argc)
    q->only = argv[optind];
  return q->list ? list_rows(q->only) : -1;
}

static bool run_row(const row *r, const request *q, pir_code_store *store,
                    const pir_target *target, pir_parallel parallel) {
  pir_dims *dims = pir_dims_create(NULL);
  contraction c = r->is_conv ? make_conv(dims, &r->conv) : make_matmul(dims, &r->matmul);
  contract_run run = {.math = q->math};
  const conv_case *s = &r->conv;
  int64_t symbols[] = {s->n, s->h, s->w, conv_out(s->h, s->kh, s), conv_out(s->w, s->kw, s)};
  double start = now();
  bool known = set_kind(&c, &run, q->kind);
  if (!known) {
    fprintf(stderr, "contract-bench: no such kind: %s\n", q->kind);
  } else if (!run_compile(&run, store, target, &c)) {
    double compile = now() - start;
    sizes n = sizes_of(r);
    float *a = random_floats(n.a), *b = random_floats(n.b), *out = random_floats(n.out);
    run_bind(&run, a, b, out, symbols);
    copies in_turn = copy_weights(&run, (size_t)q->weights << 20);
    if (q->form)
      show(&run, target, q->form);
    else
      measure(r, &run, &in_turn, symbols, n.flops, q->runs, compile, parallel);
    free(in_turn.memory);
    free(a), free(b), free(out);
  } else {
    printf("%s: not compiled\n", r->name);
  }
  run_free(&run);
  pir_dims_destroy(dims);
  return known;
}

int main(int argc, char **argv) {
  request q;
  int code = parse(argc, argv, &q);
  if (code >= 0)
    return code;
  pir_target target;
  pir_context *ctx = pir_context_create(NULL);
  pir_code_store *store = NULL;
  pir_context_set_sink(ctx, (pir_diag_sink){report, NULL});
  if (pir_target_get(q.target, &target) || pir_code_store_create(ctx, &target, NULL, &store))
    return 1;
  pir_thread_pool *pool = NULL;
  if (q.threads > 1 && pir_thread_pool_create(q.threads, NULL, &pool))
    return 1;
  pir_parallel parallel = pool ? pir_thread_pool_parallel(pool) : pir_parallel_serial();
  if (!q.form)
    printf("%s, tuned for %s: %s\n", target.name, target.cpu, target.features);
  bool known = true;
  if (q.own.name)
    known = run_row(&q.own, &q, store, &target, parallel);
  for (size_t i = 0; known && !q.own.name && i < sizeof ROWS / sizeof *ROWS; i++)
    if (strstr(ROWS[i].name, q.only))
      known = run_row(&ROWS[i], &q, store, &target, parallel);
  if (pool)
    pir_thread_pool_destroy(pool);
  pir_code_store_destroy(store);
  pir_context_destroy(ctx);
  return known ? 0 : 2;
}
