// Threads of pools and sessions on the processors that the caller names. Run from the root of
// the checkout.
#include <pir/engine/async.h>
#include <pir/engine/model.h>

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_TASKS = 64 };

// The last processor that this process may use.
static int last_processor(void) {
  cpu_set_t all;
  assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
  for (int i = CPU_SETSIZE; i-- > 0;)
    if (CPU_ISSET(i, &all))
      return i;
  fail();
  return -1;
}

static bool runs_on(pid_t thread, int processor) {
  cpu_set_t found, wanted;
  CPU_ZERO(&wanted);
  CPU_SET(processor, &wanted);
  assert_int_equal(sched_getaffinity(thread, sizeof found, &found), 0);
  return CPU_EQUAL(&found, &wanted);
}

// Threads of this process.
typedef struct tasks {
  pid_t ids[MOST_TASKS];
  int count;
} tasks;

static tasks list_tasks(void) {
  tasks all = {.count = 0};
  DIR *folder = opendir("/proc/self/task");
  assert_non_null(folder);
  for (struct dirent *e; (e = readdir(folder));)
    if (e->d_name[0] != '.' && all.count < MOST_TASKS)
      all.ids[all.count++] = atoi(e->d_name);
  closedir(folder);
  return all;
}

static bool has_task(const tasks *all, pid_t id) {
  for (int i = 0; i < all->count; i++)
    if (all->ids[i] == id)
      return true;
  return false;
}

// Checks the threads that are new, and returns their number.
static int check_new_tasks(const tasks *before, int processor) {
  tasks now = list_tasks();
  int count = 0;
  for (int i = 0; i < now.count; i++)
    if (!has_task(before, now.ids[i])) {
      assert_true(runs_on(now.ids[i], processor));
      count++;
    }
  return count;
}

static void workers_run_where_they_are_put(void **unused) {
  int processor = last_processor();
  cpu_set_t own, after;
  pir_thread_pool *pool;
  (void)unused;
  assert_int_equal(sched_getaffinity(0, sizeof own, &own), 0);
  tasks before = list_tasks();
  assert_int_equal(pir_thread_pool_create_on(4, &processor, 1, NULL, &pool), PIR_OK);
  assert_int_equal(check_new_tasks(&before, processor), 3);
  assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
  assert_true(CPU_EQUAL(&own, &after));  // the caller stays where it is
  pir_thread_pool_destroy(pool);
}

static void bad_processors_are_refused(void **unused) {
  static const int bad[] = {-1, CPU_SETSIZE - 1, CPU_SETSIZE, 1 << 30};
  pir_thread_pool *pool;
  (void)unused;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    int some[] = {last_processor(), bad[i]};
    for (int threads = 1; threads < 3; threads++) {
      assert_int_equal(pir_thread_pool_create_on(threads, some, 2, NULL, &pool), PIR_INVALID);
      assert_null(pool);
    }
  }
  assert_int_equal(pir_thread_pool_create_on(2, NULL, 1, NULL, &pool), PIR_INVALID);
}

// ---- sessions

typedef struct heard {
  int processor, count;
  char message[256];
} heard;

static void keep_message(void *user, const pir_diag *diag) {
  heard *h = user;
  size_t size = diag->message.size < 255 ? diag->message.size : 255;
  memcpy(h->message, diag->message.data, size);
  h->message[size] = 0;
}

static void look(void *user, pir_session *session, pir_status status) {
  heard *h = user;
  (void)session;
  assert_int_equal(status, PIR_OK);
  h->count += runs_on(0, h->processor);
}

static pir_model *load(void) {
  pir_model *model;
  assert_int_equal(pir_model_load_file("test/models/digits_cnn/model.json", NULL, NULL, &model),
                   PIR_OK);
  return model;
}

static void a_session_runs_where_it_is_put(void **unused) {
  static float pixels[4 * 64];
  heard h = {.processor = last_processor()};
  int given = h.processor;
  pir_session_options how = {.size = sizeof how, .threads = 3, .cpus = &given, .cpu_count = 1};
  pir_model *model = load();
  pir_session *session;
  pir_tensor in = {.data = pixels};
  (void)unused;
  pir_tensor_set_dense(&in, PIR_F32, (const int64_t[]){4, 1, 8, 8}, 4);
  tasks before = list_tasks();
  assert_int_equal(pir_session_create(model, &how, &session), PIR_OK);
  assert_int_equal(check_new_tasks(&before, h.processor), 2);
  given = CPU_SETSIZE;  // the session has a list of its own
  assert_int_equal(pir_session_bind_input(session, 0, &in), PIR_OK);
  assert_int_equal(pir_session_run(session), PIR_OK);
  assert_int_equal(pir_session_run_async(session, NULL, look, &h), PIR_OK);
  assert_int_equal(pir_session_wait(session), PIR_OK);
  assert_int_equal(h.count, 1);
  pir_session_destroy(session);
  pir_model_release(model);
}

static void a_session_names_bad_processors(void **unused) {
  heard h = {.count = 0};
  const int bad = CPU_SETSIZE;
  pir_session_options how = {
      .size = sizeof how, .cpus = &bad, .cpu_count = 1, .sink = {keep_message, &h}};
  pir_model *model = load();
  pir_session *session;
  (void)unused;
  assert_int_equal(pir_session_create(model, &how, &session), PIR_INVALID);
  assert_null(session);
  assert_string_equal(h.message,
                      "a processor of `cpus` does not exist, or the process may not use it");
  pir_model_release(model);
}

static void *do_nothing(void *unused) {
  return unused;
}

// A sanitizer starts a thread of its own with the first one of the process, which is not to be
// taken for one of ours.
static void start_first_thread(void) {
  pthread_t thread;
  if (!pthread_create(&thread, NULL, do_nothing, NULL))
    pthread_join(thread, NULL);
}

int main(void) {
  start_first_thread();
  const struct CMUnitTest tests[] = {cmocka_unit_test(workers_run_where_they_are_put),
                                     cmocka_unit_test(bad_processors_are_refused),
                                     cmocka_unit_test(a_session_runs_where_it_is_put),
                                     cmocka_unit_test(a_session_names_bad_processors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
