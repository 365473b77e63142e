// Threads that run on some processors alone. Linux takes a set that has one usable processor
// at least, and leaves out the others without a word, so a thread is started that compares the
// set it runs on with the wanted one.
#include <pir/layer/bound_thread.h>

#include <errno.h>

#ifdef __linux__
#include <sched.h>

static bool fill_set(pir_processors on, cpu_set_t *out) {
  CPU_ZERO(out);
  for (size_t i = 0; i < on.count; i++) {
    if (on.numbers[i] < 0 || on.numbers[i] >= CPU_SETSIZE)
      return false;
    CPU_SET(on.numbers[i], out);
  }
  return true;
}

static int start_bound(pir_processors on, void *(*run)(void *argument), void *argument,
                       pthread_t *out_thread) {
  pthread_attr_t how;
  cpu_set_t set;
  int error = fill_set(on, &set) ? pthread_attr_init(&how) : EINVAL;
  if (error)
    return error;
  error = pthread_attr_setaffinity_np(&how, sizeof set, &set);
  if (!error)
    error = pthread_create(out_thread, &how, run, argument);
  pthread_attr_destroy(&how);
  return error;
}

typedef struct comparison {
  cpu_set_t wanted;
  bool fits;
} comparison;

static void *compare_sets(void *argument) {
  comparison *c = argument;
  cpu_set_t found;
  c->fits = !sched_getaffinity(0, sizeof found, &found) && CPU_EQUAL(&found, &c->wanted);
  return NULL;
}

pir_status pir_processors_check(pir_processors on) {
  comparison c = {.fits = false};
  pthread_t thread;
  if (!on.count)
    return PIR_OK;
  if (!on.numbers || !fill_set(on, &c.wanted))
    return PIR_INVALID;
  int error = start_bound(on, compare_sets, &c, &thread);
  if (error)
    return error == EINVAL ? PIR_INVALID : PIR_EXHAUSTED;
  pthread_join(thread, NULL);
  return c.fits ? PIR_OK : PIR_INVALID;
}

#else

static int start_bound(pir_processors on, void *(*run)(void *argument), void *argument,
                       pthread_t *out_thread) {
  return ENOTSUP;
}

pir_status pir_processors_check(pir_processors on) {
  return on.count ? PIR_UNSUPPORTED : PIR_OK;
}

#endif

pir_status pir_bound_thread_start(pir_processors on, void *(*run)(void *argument),
                                  void *argument, pthread_t *out_thread) {
  int error = on.count ? start_bound(on, run, argument, out_thread)
                       : pthread_create(out_thread, NULL, run, argument);
  return error ? PIR_EXHAUSTED : PIR_OK;
}
