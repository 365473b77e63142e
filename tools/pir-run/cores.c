// pir-run --cores: how evenly a model's loops divide among so many cores, on a machine that may
// have fewer. The model runs a few times on one thread that plays the pool of so many: each
// loop is cut into the pool's chunks, and each chunk is timed, the fastest run counts. Then
// what every thread would do is replayed with these times. So the partition alone is foreseen:
// caches, memory and clocks that cores share are not.
#include "run.h"

#include <pir/layer/loop_shares.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CORES = 1024, RUNS = 8, WORST = 2 };

// Nanoseconds: the fastest of the runs so far. The same run again has the same loops.
typedef struct time_list {
  double *ns;
  size_t count, capacity, at;  // `at`: the next one of this run
} time_list;

typedef struct instruction {
  const char *label;
  size_t loops;   // that it ran
  int64_t units;  // of the loop with the most
  double lost;    // time in which cores wait
} instruction;

typedef struct core_pool {
  int cores;
  bool busy;          // a loop is running: another one inside of it is run by one thread
  bool failed;        // memory ran out
  time_list chunks;   // of all loops in turn
  time_list outside;  // of loops, for each instruction
  int64_t *loops;     // units of each
  size_t loop_count, loop_capacity, loop_at;
  instruction *instructions;
  size_t instruction_count, instruction_capacity, instruction_at;
  size_t since;      // the first loop of the instruction that runs
  double in_chunks;  // of that instruction, in this run
  // What replaying finds, in all loops.
  double alone;    // of one thread
  double longest;  // of the thread that is done last
} core_pool;

// Makes room for one more element. Returns false without memory.
static bool has_room(core_pool *p, void *items, size_t count, size_t *capacity, size_t size) {
  void **list = items;
  if (count < *capacity)
    return true;
  size_t more = *capacity ? 2 * *capacity : 256;
  void *grown = realloc(*list, more * size);
  if (!grown) {
    p->failed = true;
    return false;
  }
  *list = grown;
  *capacity = more;
  return true;
}

static void take_time(core_pool *p, time_list *t, double ns) {
  size_t at = t->at++;
  if (at < t->count) {
    t->ns[at] = ns < t->ns[at] ? ns : t->ns[at];
  } else if (has_room(p, &t->ns, t->count, &t->capacity, sizeof *t->ns)) {
    t->ns[t->count++] = ns;
  }
}

// ---- one run

static void time_chunks(core_pool *p, int64_t n, pir_range_fn fn, void *user) {
  for (int i = 0; i < p->cores; i++)
    for (int k = 0; k < pir_share_chunks(n, p->cores, i); k++) {
      double before = run_now_ms();
      fn(user, pir_chunk_begin(n, p->cores, i, k), pir_chunk_begin(n, p->cores, i, k + 1), i);
      double ns = (run_now_ms() - before) * 1e6;
      take_time(p, &p->chunks, ns);
      p->in_chunks += ns;
    }
}

static void run_loop(void *pool, int64_t n, pir_range_fn fn, void *user) {
  core_pool *p = pool;
  if (n <= 0)
    return;
  if (p->busy || n == 1) {
    fn(user, 0, n, 0);
    return;
  }
  p->busy = true;
  time_chunks(p, n, fn, user);
  p->busy = false;
  if (p->loop_at++ == p->loop_count &&
      has_room(p, &p->loops, p->loop_count, &p->loop_capacity, sizeof *p->loops))
    p->loops[p->loop_count++] = n;
}

static void end_instruction(void *user, const pir_span *span) {
  core_pool *p = user;
  double outside = (double)(span->end_ns - span->start_ns) - p->in_chunks;
  take_time(p, &p->outside, outside > 0 ? outside : 0);
  if (p->instruction_at++ == p->instruction_count &&
      has_room(p, &p->instructions, p->instruction_count, &p->instruction_capacity,
               sizeof *p->instructions))
    p->instructions[p->instruction_count++] =
        (instruction){.label = span->label, .loops = p->loop_at - p->since};
  p->since = p->loop_at;
  p->in_chunks = 0;
}

static pir_status run_again(core_pool *p, pir_session *session) {
  p->chunks.at = p->outside.at = p->loop_at = p->instruction_at = p->since = 0;
  pir_status status = pir_session_run(session);
  return !status && p->failed ? PIR_EXHAUSTED : status;
}

static int play(run *r, core_pool *p) {
  pir_session_options options = {
      .parallel = {run_loop, p, p->cores}, .trace = end_instruction, .trace_user = p};
  pir_session *session = NULL;
  pir_status status = run_new_session(r, &options, &session);
  for (int i = 0; i < RUNS && !status; i++)
    status = run_again(p, session);
  const char *why = session && !p->failed ? pir_session_message(session) : "no memory";
  int code = status ? cli_fail(r->cli, cli_exit_code(status), "%s", why) : 0;
  pir_session_destroy(session);
  return code;
}

// ---- replaying

// A loop while it is replayed: for each thread the chunks of its share that are left, the first
// of them, and when the thread is done.
typedef struct replayed {
  int left[MOST_CORES];
  const double *next[MOST_CORES];
  double until[MOST_CORES];
} replayed;

// Returns the share from which the thread takes its next chunk: its own, then the next ones;
// -1 if none is left.
static int next_share(const replayed *l, int cores, int thread) {
  for (int i = 0; i < cores; i++)
    if (l->left[(thread + i) % cores])
      return (thread + i) % cores;
  return -1;
}

// Replays what the threads do: the one that is done first takes the next chunk. Returns the
// time behind the last chunk.
static const double *replay(core_pool *p, replayed *l, int64_t n, const double *times) {
  double longest = 0;
  for (int i = 0; i < p->cores; i++) {
    l->left[i] = pir_share_chunks(n, p->cores, i);
    l->next[i] = times;
    l->until[i] = 0;
    times += l->left[i];
  }
  for (;;) {
    int first = 0;
    for (int i = 1; i < p->cores; i++)
      first = l->until[i] < l->until[first] ? i : first;
    int share = next_share(l, p->cores, first);
    if (share < 0)
      break;
    double took = *l->next[share]++;
    l->left[share]--;
    l->until[first] += took;
    p->alone += took;
    longest = l->until[first] > longest ? l->until[first] : longest;
  }
  p->longest += longest;
  return times;
}

static void replay_all(core_pool *p, replayed *l) {
  const double *times = p->chunks.ns;
  size_t loop = 0;
  for (size_t i = 0; i < p->instruction_count; i++) {
    instruction *x = &p->instructions[i];
    double alone = p->alone, longest = p->longest, outside = p->outside.ns[i];
    for (size_t k = 0; k < x->loops; k++, loop++) {
      times = replay(p, l, p->loops[loop], times);
      x->units = p->loops[loop] > x->units ? p->loops[loop] : x->units;
    }
    x->lost = p->longest - longest + outside - (p->alone - alone + outside) / p->cores;
  }
}

// ---- the report

static double sum_of(const time_list *t) {
  double sum = 0;
  for (size_t i = 0; i < t->count; i++)
    sum += t->ns[i];
  return sum;
}

static int by_loss(const void *a, const void *b) {
  double x = ((const instruction *)a)->lost, y = ((const instruction *)b)->lost;
  return (x < y) - (x > y);
}

static void print_cores(const run *r, core_pool *p) {
  double outside = sum_of(&p->outside), all = p->alone + outside;
  double foreseen = p->longest + outside, even = p->alone / p->cores;
  double imbalance = even > 0 ? p->longest / even - 1 : 0;
  double speedup = foreseen > 0 ? all / foreseen : 1, share = all > 0 ? outside / all : 0;
  if (r->json) {
    printf("{\"cores\":%d,\"alone_ms\":%.4f,\"foreseen_ms\":%.4f,\"speedup\":%.3f,"
           "\"imbalance\":%.4f,\"outside\":%.4f}\n",
           p->cores, all * 1e-6, foreseen * 1e-6, speedup, imbalance, share);
    return;
  }
  printf("%5d %9.3f %12.3f %8.2f %9.1f %% %7.1f %%  ", p->cores, all * 1e-6, foreseen * 1e-6,
         speedup, 100 * imbalance, 100 * share);
  qsort(p->instructions, p->instruction_count, sizeof *p->instructions, by_loss);
  for (size_t i = 0; i < WORST && i < p->instruction_count; i++)
    printf("%s%.40s %.3f (%lld units)", i ? ", " : "", p->instructions[i].label,
           p->instructions[i].lost * 1e-6, (long long)p->instructions[i].units);
  printf("\n");
}

static int play_and_print(run *r, int cores) {
  core_pool p = {.cores = cores};
  replayed *l = malloc(sizeof *l);
  int code = l ? play(r, &p) : cli_fail(r->cli, CLI_LIMIT, "no memory");
  if (!code) {
    replay_all(&p, l);
    print_cores(r, &p);
  }
  free(l);
  free(p.chunks.ns);
  free(p.outside.ns);
  free(p.loops);
  free(p.instructions);
  return code;
}

// Reads the next number of a list with commas between. Returns NULL if there is none.
static const char *read_cores(const char *at, int *out_cores) {
  char *end;
  long cores = strtol(at, &end, 10);
  *out_cores = (int)cores;
  bool good = end != at && cores >= 1 && cores <= MOST_CORES && (!*end || *end == ',');
  return good ? end + (*end == ',' && end[1]) : NULL;
}

int run_check_cores(const run *r) {
  const char *text = cli_value(r->cli, OPT_CORES, NULL), *at = text;
  int cores;
  while (at && *at)
    if (!(at = read_cores(at, &cores)) || *at == ',')
      return cli_bad_value(r->cli, "cores", text,
                           "numbers from 1 to 1024, with commas between");
  return text && !*text ? cli_bad_value(r->cli, "cores", text, "a number") : 0;
}

int run_cores(run *r) {
  const char *at = cli_value(r->cli, OPT_CORES, NULL);
  int code = 0, cores;
  if (!r->json)
    printf("cores  alone ms  foreseen ms  speedup  imbalance   outside  waits longest (ms)\n");
  while (!code && *at) {
    at = read_cores(at, &cores);
    code = play_and_print(r, cores);
  }
  return code;
}
