// Hours in little: threads run models of several shapes, on threads of their own or in a pool
// that all share, while other threads load the models again, from the cache and without it,
// and release the old ones; the process also forks. At the end the numbers never changed, the
// time of a run and the memory did not grow, and what was released is free.
//   soak [--seconds=N] [--threads=N] [--seed=N] [--no-fork] FOLDER
// FOLDER has the models. The seed draws the order. Ends with `N passed, N failed, ..`.
#include "../../tools/ports.h"

#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pir/engine/custom.h>
#include <pir/engine/model.h>

enum { SHAPES = 4, MOST_THREADS = 16, ROOM = 1 << 22, SAMPLES = 1 << 14, PARTS = 4 };

typedef struct subject {
  const char *name, *pipeline;
  const char *text;      // the program; NULL: in the folder, by its name
  pthread_mutex_t lock;  // of `model`
  pir_model *model;
  uint64_t digest[SHAPES];  // of the outputs, for each shape
} subject;

static const char doubled[] =
    "{\n"
    "(%0) = \"pd_op.data\" () {dtype:float32,name:\"x\",place:Place(cpu),shape:[-1,64]} : () "
    "-> tensor<-1x64xf32>\n"
    "(%1) = \"pd_op.exp\" (%0) {} : (tensor<-1x64xf32>) -> tensor<-1x64xf32>\n"
    "(%2) = \"custom_op.twice\" (%1) {} : (tensor<-1x64xf32>) -> tensor<-1x64xf32>\n"
    "(%3) = \"pd_op.tanh\" (%2) {} : (tensor<-1x64xf32>) -> tensor<-1x64xf32>\n"
    "(%4) = \"pd_op.fetch\" (%3) {col:0,name:\"y\"} : (tensor<-1x64xf32>) -> "
    "tensor<-1x64xf32>\n"
    "}\n";

static subject subjects[] = {
    {.name = "digits_cnn", .pipeline = "kernels"},
    {.name = "digits_cnn", .pipeline = "compile"},
    {.name = "mlp", .pipeline = "compile"},
    {.name = "lstm_classifier", .pipeline = "compile"},
    {.name = "while_decoder", .pipeline = "kernels"},
    {.name = "vit_tiny", .pipeline = "kernels"},
    {.name = "an op of the host", .pipeline = "compile", .text = doubled},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static const char *folder;
static char cache[64] = "/tmp/pir-soak-XXXXXX";
static double seconds = 60;
static int thread_count = 4;
static unsigned seed = 1;
static bool forks = true;
static atomic_int failures;
static atomic_long runs, loads, forked;
static atomic_bool over;
static pir_custom_set *own_ops;     // of all models
static pir_thread_pool *all_share;  // of sessions that have no threads of their own

// Times of runs of subject 0 with its first shape, by part of the soak.
static struct {
  pthread_mutex_t lock;
  double ns[PARTS][SAMPLES];
  size_t count[PARTS];
} times = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void fail(const subject *s, const char *what) {
  if (atomic_fetch_add(&failures, 1) < 20)
    printf("FAIL %s %s: %s\n", s ? s->name : "soak", s ? s->pipeline : "", what);
}

static double clock_of(clockid_t id) {
  struct timespec now;
  clock_gettime(id, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double started;

static double share_done(void) {
  return (clock_of(CLOCK_MONOTONIC) - started) / 1e9 / seconds;
}

// ---- one run

static uint64_t mix(uint64_t digest, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++)
    digest = (digest ^ bytes[i]) * 0x100000001B3u;
  return digest;
}

// Every run of a shape reads the same inputs: small numbers, so that integers are indices of
// few rows.
static pir_status bind(pir_session *session, const pir_model *model, int shape) {
  static const char zeros[ROOM];
  for (size_t i = 0; i < pir_model_inputs(model); i++) {
    pir_port port = input_port(model, i);
    pir_tensor tensor = {.data = (void *)(uintptr_t)zeros};
    for (int d = 0; d < port.rank; d++)
      if (port.shape[d] < 0)
        port.shape[d] = d ? 8 : 1 + shape;
    pir_tensor_set_dense(&tensor, port.dtype, port.shape, port.rank);
    PIR_TRY(pir_session_bind_input(session, i, &tensor));
  }
  return PIR_OK;
}

static pir_status run_once(pir_session *session, const pir_model *model, uint64_t *digest) {
  PIR_TRY(pir_session_run(session));
  *digest = 0;
  for (size_t i = 0; i < pir_model_outputs(model); i++) {
    pir_tensor out;
    size_t bytes = 0;
    PIR_TRY(pir_session_output(session, i, &out));
    PIR_TRY(pir_shape_bytes(out.shape, out.rank, out.dtype, &bytes));
    *digest = mix(*digest, out.data, pir_tensor_is_dense(&out) ? bytes : 0);
  }
  return PIR_OK;
}

static void keep_time(double ns) {
  double done = share_done();
  int part = done < 1 ? (int)(done * PARTS) : PARTS - 1;
  pthread_mutex_lock(&times.lock);
  if (times.count[part] < SAMPLES)
    times.ns[part][times.count[part]++] = ns;
  pthread_mutex_unlock(&times.lock);
}

// A session of its own runs one shape `turns` times; without threads, in the shared pool.
static bool use_model(subject *s, pir_model *model, int shape, int threads, int turns) {
  pir_session *session = NULL;
  pir_session_options how = {.size = sizeof how, .threads = threads};
  if (!threads)
    how.parallel = pir_thread_pool_parallel(all_share);
  pir_status status = pir_session_create(model, &how, &session);
  if (!status)
    status = bind(session, model, shape);
  bool same = true;
  for (int i = 0; i < turns && !status && same; i++) {
    uint64_t digest = 0;
    double before = clock_of(CLOCK_THREAD_CPUTIME_ID);
    status = run_once(session, model, &digest);
    if (s == subjects && !shape && threads == 1 && i)
      keep_time(clock_of(CLOCK_THREAD_CPUTIME_ID) - before);
    same = digest == s->digest[shape];
    atomic_fetch_add(&runs, 1);
  }
  if (status)
    fail(s, pir_session_message(session));
  else if (!same)
    fail(s, "other numbers");
  pir_session_destroy(session);
  return !status && same;
}

// ---- models

static int twice(const pir_tensor *x, pir_tensor *out) {
  const float *from = x->data;
  float *to = out->data;
  for (int64_t i = 0; i < x->shape[0] * x->shape[1]; i++)
    to[i] = 2 * from[i];
  return 0;
}

static bool declare_own_ops(void) {
  pir_custom_op op = {.name = "twice", .operands = "X", .results = "Out"};
  pir_message message;
  return !pir_custom_set_create(NULL, &own_ops) &&
         !pir_custom_set_add(own_ops, &op, (pir_custom_fn)twice, NULL, &message);
}

static pir_model *load(subject *s, bool cached, int compile_threads) {
  char path[512];
  pir_model *model = NULL;
  pir_model_options how = {.size = sizeof how,
                           .pipeline = s->pipeline,
                           .compile_threads = compile_threads,
                           .custom_ops = own_ops,
                           // Measured costs, as with a cache, may choose code with other bits.
                           .machine = "table",
                           .cache = cached ? cache : NULL};
  pir_borrowed text = {.data = s->text, .size = s->text ? strlen(s->text) : 0};
  snprintf(path, sizeof path, "%s/%s/model.json", folder, s->name);
  pir_status status = s->text ? pir_model_load(text, (pir_borrowed){0}, &how, &model)
                              : pir_model_load_file(path, NULL, &how, &model);
  if (status)
    fail(s, "cannot be loaded");
  atomic_fetch_add(&loads, 1);
  return model;
}

static pir_model *take_model(subject *s) {
  pthread_mutex_lock(&s->lock);
  pir_model *model = s->model;
  pir_model_retain(model);
  pthread_mutex_unlock(&s->lock);
  return model;
}

static void replace_model(subject *s, bool cached, int compile_threads) {
  pir_model *made = load(s, cached, compile_threads);
  if (!made)
    return;
  pthread_mutex_lock(&s->lock);
  pir_model *old = s->model;
  s->model = made;
  pthread_mutex_unlock(&s->lock);
  pir_model_release(old);
}

// The child uses the model alone, while the parent's threads go on.
static void run_in_child(subject *s, pir_model *model, int shape) {
  fflush(stdout);
  pid_t child = fork();
  if (!child) {
    alarm(120);
    _exit(!use_model(s, model, shape, 1, 1));
  }
  int how = 0;
  if (child < 0 || waitpid(child, &how, 0) != child || how)
    fail(s, "a child of the process fails");
  atomic_fetch_add(&forked, 1);
}

static void *work(void *user) {
  unsigned draw = seed * 1000 + (unsigned)(uintptr_t)user;
  while (share_done() < 1 && !atomic_load(&failures)) {
    subject *s = &subjects[rand_r(&draw) % SUBJECTS];
    int shape = rand_r(&draw) % SHAPES, threads = rand_r(&draw) % 4;
    unsigned action = (unsigned)rand_r(&draw) % 64;
    if (action < 4)
      replace_model(s, action & 1, 1 + (int)(action >> 1));
    pir_model *model = take_model(s);
    if (action == 63 && forks)
      run_in_child(s, model, shape);
    else
      use_model(s, model, shape, threads, 1 + rand_r(&draw) % 3);
    pir_model_release(model);
  }
  return NULL;
}

// ---- measures

static size_t resident_bytes(void) {
  size_t all = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%zu %zu", &all, &resident) != 2)
    resident = 0;
  if (file)
    fclose(file);
  return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static size_t open_files(void) {
  size_t count = 0;
  DIR *dir = opendir("/proc/self/fd");
  while (dir && readdir(dir))
    count++;
  if (dir)
    closedir(dir);
  return count;
}

// What the process holds while no model is loaded.
typedef struct holding {
  size_t files, bytes;
} holding;

static holding what_is_held(void) {
  return (holding){open_files(), mallinfo2().uordblks};
}

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The processor time that one in ten runs stays below: other work on the machine may slow most
// runs of a quarter, but hardly all.
static double undisturbed(int part) {
  size_t n = times.count[part];
  qsort(times.ns[part], n, sizeof(double), compare_numbers);
  return n ? times.ns[part][n / 10] : 0;
}

// The most memory of each part of the soak; the first is for warming up.
static void watch_memory(size_t peak[PARTS]) {
  while (!atomic_load(&over)) {
    double done = share_done();
    int part = done < 1 ? (int)(done * PARTS) : PARTS - 1;
    size_t now = resident_bytes();
    if (now > peak[part])
      peak[part] = now;
    usleep(20000);
  }
}

static void *watch(void *peak) {
  watch_memory(peak);
  return NULL;
}

static void check_growth(const size_t peak[PARTS]) {
  enum { ROOM_TO_GROW = 24 << 20 };
  double early = undisturbed(1), late = undisturbed(PARTS - 1);
  printf("memory of each quarter: %zu, %zu, %zu, %zu MB; a run: %.0f then %.0f us\n",
         peak[0] >> 20, peak[1] >> 20, peak[2] >> 20, peak[3] >> 20, early / 1e3, late / 1e3);
  size_t before = peak[1] > peak[2] ? peak[1] : peak[2];
  if (peak[3] > before + before / 10 + ROOM_TO_GROW)
    fail(NULL, "memory grows");
  if (early <= 0 || late <= 0)
    fail(NULL, "no run was timed");
  if (late > 2 * early)
    fail(NULL, "a run takes longer and longer");
}

// One byte a run that is lost would show: the C library's own lists of a thread are small.
static void check_released(holding before) {
  enum { OF_THREADS = 64 << 10 };
  holding now = what_is_held();
  printf("held when all is released: %zu descriptors and %zu KB, then %zu and %zu KB\n",
         before.files, before.bytes >> 10, now.files, now.bytes >> 10);
  if (now.files != before.files)
    fail(NULL, "descriptors are left open");
  if (now.bytes > before.bytes + OF_THREADS)
    fail(NULL, "memory is not freed");
}

// ---- the whole

static bool learn(subject *s) {
  s->model = load(s, true, 1);
  for (int shape = 0; shape < SHAPES && s->model; shape++) {
    pir_session *session = NULL;
    pir_status status = pir_session_create(s->model, NULL, &session);
    if (!status)
      status = bind(session, s->model, shape);
    if (!status)
      status = run_once(session, s->model, &s->digest[shape]);
    if (status)
      fail(s, pir_session_message(session));
    pir_session_destroy(session);
  }
  return s->model && !atomic_load(&failures);
}

static bool learn_all(void) {
  for (int i = 0; i < SUBJECTS; i++)
    if (!learn(&subjects[i]))
      return false;
  return true;
}

static void release_all(void) {
  for (int i = 0; i < SUBJECTS; i++) {
    pir_model_release(subjects[i].model);
    subjects[i].model = NULL;
  }
}

static void run_threads(void) {
  pthread_t workers[MOST_THREADS], watcher;
  size_t peak[PARTS] = {0};
  started = clock_of(CLOCK_MONOTONIC);
  if (pthread_create(&watcher, NULL, watch, peak))
    return fail(NULL, "no thread");
  for (int i = 0; i < thread_count; i++)
    if (pthread_create(&workers[i], NULL, work, (void *)(uintptr_t)i))
      thread_count = i;
  for (int i = 0; i < thread_count; i++)
    pthread_join(workers[i], NULL);
  atomic_store(&over, true);
  pthread_join(watcher, NULL);
  check_growth(peak);
}

// All is loaded and released once before it counts: what libraries keep is kept then.
static void soak(void) {
  bool learned = learn_all();
  release_all();
  holding before = what_is_held();
  if (learned && learn_all())
    run_threads();
  release_all();
  if (learned)
    check_released(before);
}

static void remove_cache(void) {
  DIR *dir = opendir(cache);
  for (struct dirent *e; dir && (e = readdir(dir));)
    (void)unlinkat(dirfd(dir), e->d_name, 0);
  if (dir)
    closedir(dir);
  rmdir(cache);
}

static bool read_options(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (sscanf(argv[i], "--seconds=%lf", &seconds) == 1 ||
        sscanf(argv[i], "--threads=%d", &thread_count) == 1 ||
        sscanf(argv[i], "--seed=%u", &seed) == 1)
      continue;
    if (!strcmp(argv[i], "--no-fork"))
      forks = false;
    else
      folder = argv[i];
  }
  return folder && thread_count >= 1 && thread_count <= MOST_THREADS;
}

int main(int argc, char **argv) {
  if (!read_options(argc, argv) || !mkdtemp(cache) || !declare_own_ops() ||
      pir_thread_pool_create(3, NULL, &all_share))
    return 2;
  for (int i = 0; i < SUBJECTS; i++)
    pthread_mutex_init(&subjects[i].lock, NULL);
  soak();
  pir_thread_pool_destroy(all_share);
  pir_custom_set_destroy(own_ops);
  remove_cache();
  int failed = atomic_load(&failures);
  printf("%ld runs, %ld loads, %ld forks\n", atomic_load(&runs), atomic_load(&loads),
         atomic_load(&forked));
  printf("%d passed, %d failed, 0 skipped\n", !failed, failed);
  return failed > 0;
}
