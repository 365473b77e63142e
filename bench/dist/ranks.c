// Times what ranks do (scale.py), in seconds:
//   ranks probe MODE RANKS SECONDS BYTES..          each collective call of so many bytes
//   ranks step MODE RANKS SECONDS THREADS MODEL PARAMS SHAPE..   steps with inputs of ones
//   ranks alone COPIES RANKS SECONDS THREADS MODEL PARAMS SHAPE..
// MODE is threads, or the name of the MPI whose launcher started the process. MODEL names the
// program of a rank, with %r for its number. Ranks that are alone answer their collective calls
// themselves, so that a program of any number of ranks runs: COPIES of them at the same time,
// as on a machine with so many ranks. Their calls are listed, and take no part in the time. A
// step is then the sum, over the parts between calls, of the slowest rank's time: ranks wait
// for each other in each call (Valiant: A bridging model for parallel computation, 1990).
#include <pir/comm.h>
#include <pir/engine/model.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_RANKS = 64, MOST_CALLS = 4096, MOST_TIMES = 100000, BATCHES = 9 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void check(bool good, const char *why) {
  if (good)
    return;
  fprintf(stderr, "ranks: %s\n", why);
  exit(1);
}

static void *room(size_t bytes) {
  void *made = calloc(1, bytes + 64);
  check(made, "no memory");
  return made;
}

static int compare_times(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *times, size_t count) {
  qsort(times, count, sizeof *times, compare_times);
  return times[count / 2];
}

// ---- a rank that is alone
static const char *const kinds[] = {
    "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "send"};
enum { KINDS = sizeof kinds / sizeof *kinds };
typedef enum call_kind {
  ALL_REDUCE,
  ALL_GATHER,
  REDUCE_SCATTER,
  ALL_TO_ALL,
  BROADCAST,
  REDUCE,
  SEND
} call_kind;

typedef struct lone_call {
  call_kind kind;
  size_t bytes;   // of the whole tensor: of all ranks' parts together
  double before;  // seconds of work since the call before
} lone_call;

typedef struct lone {
  pir_comm base;
  lone_call calls[MOST_CALLS];  // of the step
  size_t count;
  double since;  // when the last call ended, or the step began
} lone;

// The rank's own elements stand for those of others, `parts` times.
static pir_status answer(pir_comm *comm, call_kind kind, const void *in, void *out,
                         size_t bytes, size_t whole, int32_t parts) {
  lone *me = (lone *)comm;
  check(me->count < MOST_CALLS - 1, "too many calls");
  me->calls[me->count++] = (lone_call){kind, whole, now() - me->since};
  for (int32_t i = 0; i < parts && in != out; i++)
    memcpy((char *)out + (size_t)i * bytes, in, bytes);
  me->since = now();
  return PIR_OK;
}

static pir_status lone_split(pir_comm *comm, const pir_comm_call *call, int32_t color,
                             int32_t key, pir_comm **out_comm) {
  (void)comm, (void)call, (void)color, (void)key;
  *out_comm = NULL;
  return PIR_UNSUPPORTED;
}

static pir_status lone_all_reduce(pir_comm *comm, const pir_comm_call *call, const void *in,
                                  void *out, size_t count, pir_dtype dtype, pir_reduction how) {
  (void)call, (void)how;
  size_t bytes = count * pir_dtype_size(dtype);
  return answer(comm, ALL_REDUCE, in, out, bytes, bytes, 1);
}

static pir_status lone_all_gather(pir_comm *comm, const pir_comm_call *call, const void *in,
                                  void *out, size_t count, pir_dtype dtype) {
  (void)call;
  size_t bytes = count * pir_dtype_size(dtype);
  return answer(comm, ALL_GATHER, in, out, bytes, bytes * (size_t)comm->ranks, comm->ranks);
}

static pir_status lone_reduce_scatter(pir_comm *comm, const pir_comm_call *call, const void *in,
                                      void *out, size_t count, pir_dtype dtype,
                                      pir_reduction how) {
  (void)call, (void)how;
  size_t bytes = count * pir_dtype_size(dtype);
  return answer(comm, REDUCE_SCATTER, in, out, bytes, bytes * (size_t)comm->ranks, 1);
}

static pir_status lone_all_to_all(pir_comm *comm, const pir_comm_call *call, const void *in,
                                  void *out, size_t count, pir_dtype dtype) {
  (void)call;
  size_t bytes = count * pir_dtype_size(dtype) * (size_t)comm->ranks;
  return answer(comm, ALL_TO_ALL, in, out, bytes, bytes, 1);
}

static pir_status lone_broadcast(pir_comm *comm, const pir_comm_call *call, const void *in,
                                 void *out, size_t count, pir_dtype dtype, int32_t root) {
  (void)call, (void)root;
  size_t bytes = count * pir_dtype_size(dtype);
  return answer(comm, BROADCAST, in, out, bytes, bytes, 1);
}

static pir_status lone_reduce(pir_comm *comm, const pir_comm_call *call, const void *in,
                              void *out, size_t count, pir_dtype dtype, pir_reduction how,
                              int32_t root) {
  (void)call, (void)how, (void)root;
  size_t bytes = count * pir_dtype_size(dtype);
  return answer(comm, REDUCE, in, out, bytes, bytes, 1);
}

static pir_status lone_send(pir_comm *comm, const pir_comm_call *call, const void *in,
                            size_t count, pir_dtype dtype, int32_t peer) {
  (void)call, (void)peer;
  return answer(comm, SEND, in, NULL, 0, count * pir_dtype_size(dtype), 0);
}

static pir_status lone_recv(pir_comm *comm, const pir_comm_call *call, void *out, size_t count,
                            pir_dtype dtype, int32_t peer) {
  (void)comm, (void)call, (void)peer;
  memset(out, 0, count * pir_dtype_size(dtype));
  return PIR_OK;
}

static pir_status lone_barrier(pir_comm *comm, const pir_comm_call *call) {
  (void)comm, (void)call;
  return PIR_OK;
}

static void lone_fail(pir_comm *comm, const char *reason) {
  (void)comm, (void)reason;
}

static void lone_free(pir_comm *comm) {
  free(comm);
}

static lone *make_lone(int32_t rank, int32_t ranks) {
  lone *made = room(sizeof *made);
  made->base = (pir_comm){.size = sizeof made->base,
                          .rank = rank,
                          .ranks = ranks,
                          .split = lone_split,
                          .all_reduce = lone_all_reduce,
                          .all_gather = lone_all_gather,
                          .reduce_scatter = lone_reduce_scatter,
                          .all_to_all = lone_all_to_all,
                          .broadcast = lone_broadcast,
                          .reduce = lone_reduce,
                          .send = lone_send,
                          .recv = lone_recv,
                          .barrier = lone_barrier,
                          .fail = lone_fail,
                          .free = lone_free};
  return made;
}

// ---- what a rank does
typedef struct task {
  pir_comm *comm;
  lone *alone;            // NULL: the rank has peers
  pthread_barrier_t *go;  // of copies
  struct task *copies;    // all of them; the first one says whether another step follows
  int copy_count;
  bool goes_on;
  int count;  // arguments from SECONDS on
  char **args;
  double seconds;  // a step
  double spread;   // the slowest tenth of the steps over the fastest one
  pthread_t thread;
} task;

static pir_status make_call(pir_comm *c, call_kind kind, char *in, char *out, size_t bytes) {
  pir_message why = {""};
  pir_comm_call call = {.size = sizeof call, .message = &why};
  size_t whole = bytes / 4, part = whole / (size_t)c->ranks;
  switch (kind) {
    case ALL_REDUCE: return c->all_reduce(c, &call, in, out, whole, PIR_F32, PIR_REDUCE_SUM);
    case ALL_GATHER: return c->all_gather(c, &call, in, out, part, PIR_F32);
    case REDUCE_SCATTER:
      return c->reduce_scatter(c, &call, in, out, part, PIR_F32, PIR_REDUCE_SUM);
    case ALL_TO_ALL: return c->all_to_all(c, &call, in, out, part, PIR_F32);
    case BROADCAST: return c->broadcast(c, &call, in, out, whole, PIR_F32, 0);
    case REDUCE: return c->reduce(c, &call, in, out, whole, PIR_F32, PIR_REDUCE_SUM, 0);
    default: break;
  }
  // Two ranks send to each other in turn: half of a round trip is a message, so two are made.
  int32_t peer = c->rank ^ 1;
  if (peer >= c->ranks)
    return PIR_OK;
  if (c->rank & 1 && c->recv(c, &call, out, whole, PIR_F32, peer))
    return PIR_IO;
  if (c->send(c, &call, in, whole, PIR_F32, peer))
    return PIR_IO;
  return c->rank & 1 ? PIR_OK : c->recv(c, &call, out, whole, PIR_F32, peer);
}

// Medians of batches of calls; a batch is equally long on every rank.
static void probe_size(task *t, call_kind kind, size_t bytes) {
  char *in = room(bytes), *out = room(bytes);
  double times[BATCHES], each = strtod(t->args[0], NULL) / BATCHES;
  int64_t repeats = (int64_t)(each / (2e-5 + (double)bytes * 1e-9)) + 1;
  pir_comm_call call = {.size = sizeof call};
  for (int b = -1; b < BATCHES; b++) {
    check(!t->comm->barrier(t->comm, &call), "a barrier failed");
    double begin = now();
    for (int64_t i = 0; i < repeats; i++)
      check(!make_call(t->comm, kind, in, out, bytes), "a call failed");
    if (b >= 0)
      times[b] = (now() - begin) / (double)repeats;
  }
  if (!t->comm->rank)
    printf("%s %zu %.9f\n", kinds[kind], bytes,
           median(times, BATCHES) / (kind == SEND ? 2 : 1));
  free(in);
  free(out);
}

static void *probe(void *user) {
  task *t = user;
  for (int i = 1; i < t->count; i++)
    for (int kind = 0; kind < KINDS; kind++)
      probe_size(t, (call_kind)kind, strtoull(t->args[i], NULL, 10));
  t->comm->free(t->comm);
  return NULL;
}

// The rank's number for %r.
static void name_model(const char *pattern, int32_t rank, char *out, size_t size) {
  const char *at = strstr(pattern, "%r");
  int n = at ? snprintf(out, size, "%.*s%d%s", (int)(at - pattern), pattern, (int)rank, at + 2)
             : snprintf(out, size, "%s", pattern);
  check(n > 0 && (size_t)n < size, "the name of the model is too long");
}

// Returns the memory that is bound, for the caller to free behind the session.
static void *bind_ones(pir_session *session, const pir_model *model, size_t i,
                       const char *text) {
  pir_port port = {.size = sizeof port};
  pir_tensor tensor = {0};
  size_t bytes;
  check(!pir_model_input(model, i, &port) && port.rank >= 0, "an input has no rank");
  for (int32_t d = 0; d < port.rank; d++) {
    char *end;
    port.shape[d] = strtoll(text, &end, 10);
    check(end != text && *end == (d + 1 < port.rank ? 'x' : 0), "a shape is no 1x128, ..");
    text = end + 1;
  }
  check(!pir_shape_bytes(port.shape, port.rank, port.dtype, &bytes), "an input is too large");
  pir_tensor_set_dense(&tensor, port.dtype, port.shape, port.rank);
  tensor.data = room(bytes);
  size_t width = pir_dtype_size(port.dtype);
  for (size_t at = 0; at + width <= bytes; at += width)
    if (port.dtype == PIR_F32)
      memcpy((char *)tensor.data + at, &(float){1}, sizeof(float));
    else
      ((char *)tensor.data)[at] = 1;
  check(!pir_session_bind_input(session, i, &tensor), "an input is refused");
  return tensor.data;
}

static void begin_step(task *t) {
  pir_comm_call call = {.size = sizeof call};
  check(!t->comm->barrier(t->comm, &call), "a barrier failed");
  if (!t->alone)
    return;
  pthread_barrier_wait(t->go);
  t->alone->count = 0;
  t->alone->since = now();
}

// The end of the step, as a last call that is not listed.
static void end_step(task *t) {
  if (t->alone)
    t->alone->calls[t->alone->count].before = now() - t->alone->since;
}

// Each part of the step takes as long as on the slowest copy.
static double step_of_copies(const task *t) {
  double sum = 0;
  for (size_t i = 0; i <= t->alone->count; i++) {
    double most = 0;
    for (int r = 0; r < t->copy_count; r++) {
      const lone *other = t->copies[r].alone;
      check(other->count == t->alone->count, "ranks make different calls");
      most = other->calls[i].before > most ? other->calls[i].before : most;
    }
    sum += most;
  }
  return sum;
}

// The first rank says whether another step follows, outside of the time.
static void time_steps(task *t, pir_session *session) {
  static const double share = 0.9;
  double *times = room(MOST_TIMES * sizeof *times), spent = 0, most = strtod(t->args[0], NULL);
  pir_comm_call call = {.size = sizeof call};
  size_t count = 0;
  int32_t more = 1;
  while (more) {
    begin_step(t);
    double begin = now();
    if (pir_session_run(session)) {
      fprintf(stderr, "ranks: %s\n", pir_session_message(session));
      exit(1);
    }
    end_step(t);
    times[count++] = now() - begin;
    spent += now() - begin;
    more = t->goes_on = count < 7 || (spent < most && count < MOST_TIMES);
    if (t->alone) {
      pthread_barrier_wait(t->go);
      more = t->copies[0].goes_on;
      times[count - 1] = step_of_copies(t);
    } else {
      check(!t->comm->broadcast(t->comm, &call, &more, &more, 1, PIR_I32, 0),
            "a broadcast failed");
    }
  }
  // Copies look at each other's calls until here.
  if (t->alone)
    pthread_barrier_wait(t->go);
  // The first two make plans and touch memory.
  t->seconds = median(times + 2, count - 2);
  t->spread = times[2 + (size_t)((double)(count - 2) * share)] / times[2];
  free(times);
}

static void *step(void *user) {
  task *t = user;
  char path[4096];
  pir_model *model;
  pir_session *session;
  pir_rings *rings;
  pir_model_options how = {.size = sizeof how, .cache = getenv("RANKS_CACHE")};
  check(t->count >= 4, "too few arguments");
  name_model(t->args[2], t->comm->rank, path, sizeof path);
  pir_comm *comm = t->comm;
  check(!pir_rings_create(comm, &rings), "no rings");
  check(!pir_model_load_file(path, t->args[3], &how, &model), "the model is refused");
  pir_session_options options = {
      .size = sizeof options, .threads = atoi(t->args[1]), .rings = rings};
  check(!pir_session_create(model, &options, &session), "no session");
  size_t inputs = (size_t)(t->count - 4);
  check(pir_model_inputs(model) == inputs, "each input needs a shape");
  void **bound = room(inputs * sizeof *bound);
  for (size_t i = 0; i < inputs; i++)
    bound[i] = bind_ones(session, model, i, t->args[4 + i]);
  time_steps(t, session);
  if (t->alone && !comm->rank)
    for (size_t i = 0; i < t->alone->count; i++)
      printf("call %s %zu\n", kinds[t->alone->calls[i].kind], t->alone->calls[i].bytes);
  pir_session_destroy(session);
  for (size_t i = 0; i < inputs; i++)
    free(bound[i]);
  free(bound);
  pir_model_release(model);
  pir_rings_destroy(rings);
  return NULL;
}

// ---- ranks
static int make_comms(const char *mode, int ranks, task *tasks) {
  pir_comm *comms[MOST_RANKS];
  if (!strcmp(mode, "threads")) {
    check(!pir_comm_create_threads(ranks, NULL, comms), "no ranks");
    for (int r = 0; r < ranks; r++)
      tasks[r].comm = comms[r];
    return ranks;
  }
  pir_message why = {""};
  pir_comm_call call = {.size = sizeof call, .message = &why};
  check(!pir_comm_create_mpi(mode, NULL, &call, &tasks[0].comm), why.text);
  check(tasks[0].comm->ranks == ranks, "the launcher has another number of ranks");
  return 1;
}

int main(int argc, char **argv) {
  task tasks[MOST_RANKS] = {{0}};
  pthread_barrier_t go;
  check(argc > 5, "see the head of bench/dist/ranks.c");
  bool alone = !strcmp(argv[1], "alone");
  int ranks = atoi(argv[3]), here = alone ? atoi(argv[2]) : ranks;
  check(ranks > 0 && here > 0 && here <= MOST_RANKS && here <= ranks,
        "no such number of ranks");
  if (!alone)
    here = make_comms(argv[2], ranks, tasks);
  check(!pthread_barrier_init(&go, NULL, (unsigned)here), "no barrier");
  for (int r = 0; r < here; r++) {
    tasks[r].count = argc - 4;
    tasks[r].args = argv + 4;
    if (alone) {
      tasks[r].alone = make_lone(r, ranks);
      tasks[r].comm = &tasks[r].alone->base;
      tasks[r].go = &go;
      tasks[r].copies = tasks;
      tasks[r].copy_count = here;
    }
    check(!pthread_create(&tasks[r].thread, NULL, strcmp(argv[1], "probe") ? step : probe,
                          &tasks[r]),
          "no thread");
  }
  double seconds = 0, spread = 0;
  for (int r = 0; r < here; r++) {
    pthread_join(tasks[r].thread, NULL);
    seconds = tasks[r].seconds > seconds ? tasks[r].seconds : seconds;
    spread = tasks[r].spread > spread ? tasks[r].spread : spread;
  }
  pthread_barrier_destroy(&go);
  if (seconds > 0)
    printf("step %.9f %.3f\n", seconds, spread);
  return 0;
}
