// Asynchronous runs: a run is one task, for the caller's executor or for a thread of the
// session's own. The lock orders the caller's bindings before the run, and the run before
// a thread that waits for it.
#include "session_impl.h"

void pir_async_init(async_state *a, const pir_atomic_int *flag) {
  pthread_mutex_init(&a->lock, NULL);
  pthread_cond_init(&a->changed, NULL);
  atomic_init(&a->cancelled, 0);
  a->has_flag = flag;
}

// Ends the session's use by the run before `on_done` is called, which may start the next one.
static void run_task(void *argument) {
  pir_session *s = argument;
  async_state *a = &s->async;
  if (!a->has_flag)
    s->stop.cancel = &a->cancelled;
  pir_status status = pir_session_run(s);
  if (!a->has_flag)
    s->stop.cancel = NULL;
  pthread_mutex_lock(&a->lock);
  pir_done_fn on_done = a->on_done;
  void *user = a->user;
  a->status = status;
  a->has_run = true;
  a->is_busy = false;
  atomic_store(&a->cancelled, 0);
  pthread_mutex_unlock(&a->lock);
  if (on_done)
    on_done(user, s, status);
  pthread_mutex_lock(&a->lock);
  a->unfinished--;
  pthread_cond_broadcast(&a->changed);
  pthread_mutex_unlock(&a->lock);
}

static void *work(void *argument) {
  pir_session *s = argument;
  async_state *a = &s->async;
  pthread_mutex_lock(&a->lock);
  while (!a->ends) {
    if (!a->is_given) {
      pthread_cond_wait(&a->changed, &a->lock);
      continue;
    }
    a->is_given = false;
    pthread_mutex_unlock(&a->lock);
    run_task(s);
    pthread_mutex_lock(&a->lock);
  }
  pthread_mutex_unlock(&a->lock);
  return NULL;
}

// Called with the lock held.
static bool give_to_worker(pir_session *s) {
  async_state *a = &s->async;
  if (!a->has_worker)
    a->has_worker = !pir_bound_thread_start(s->on, work, s, &a->worker);
  a->is_given = a->has_worker;
  pthread_cond_broadcast(&a->changed);
  return a->has_worker;
}

// Takes back a run that did not start.
static pir_status take_back(pir_session *s, const char *why) {
  async_state *a = &s->async;
  pthread_mutex_lock(&a->lock);
  pir_exec_fail(&s->frame.message, PIR_EXHAUSTED, "%s", why);
  a->is_busy = false;
  a->unfinished--;
  pthread_cond_broadcast(&a->changed);
  pthread_mutex_unlock(&a->lock);
  return PIR_EXHAUSTED;
}

pir_status pir_session_run_async(pir_session *s, const pir_executor *executor,
                                 pir_done_fn on_done, void *user) {
  if (!s || (executor && !executor->submit))
    return PIR_INVALID;
  async_state *a = &s->async;
  pthread_mutex_lock(&a->lock);
  bool is_free = !a->is_busy, started = true;
  if (is_free) {
    a->is_busy = true;
    a->unfinished++;
    a->on_done = on_done;
    a->user = user;
    started = executor || give_to_worker(s);
  }
  pthread_mutex_unlock(&a->lock);
  if (!is_free)
    return PIR_INVALID;
  if (started && executor)
    started = executor->submit(executor->user, run_task, s);
  if (started)
    return PIR_OK;
  return take_back(s, executor ? "the executor refuses the run" : "no thread can be started");
}

pir_status pir_session_wait(pir_session *s) {
  if (!s)
    return PIR_INVALID;
  async_state *a = &s->async;
  pthread_mutex_lock(&a->lock);
  while (a->unfinished)
    pthread_cond_wait(&a->changed, &a->lock);
  pir_status status = a->has_run ? a->status : PIR_NOT_FOUND;
  pthread_mutex_unlock(&a->lock);
  return status;
}

static void cancel(async_state *a) {
  pthread_mutex_lock(&a->lock);
  if (a->is_busy)
    atomic_store(&a->cancelled, 1);
  pthread_mutex_unlock(&a->lock);
}

pir_status pir_session_cancel(pir_session *s) {
  if (!s || s->async.has_flag)
    return PIR_INVALID;
  cancel(&s->async);
  return PIR_OK;
}

void pir_async_end(async_state *a) {
  cancel(a);
  pthread_mutex_lock(&a->lock);
  while (a->unfinished)
    pthread_cond_wait(&a->changed, &a->lock);
  a->ends = true;
  pthread_cond_broadcast(&a->changed);
  pthread_mutex_unlock(&a->lock);
  if (a->has_worker)
    pthread_join(a->worker, NULL);
  pthread_cond_destroy(&a->changed);
  pthread_mutex_destroy(&a->lock);
}
