// Asynchronous runs: on a thread of the session's own and on executors of the caller; chained,
// cancelled, waited for from several threads, destroyed on the way. Run from the root of the
// checkout.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>
#include <pir/engine/async.h>

// Multiplies by 1 as long as x < 1: for ever from 0, not at all from 1.
static const char loop[] =
    "{\n"
    "(%0) = \"pd_op.data\" () {dtype:int64,name:\"x\",place:Place(undefined:0),shape:[1]} : () "
    "-> tensor<1xi64>\n"
    "(%1) = \"pd_op.full\" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> "
    "tensor<1xi64>\n"
    "(%2) = \"pd_op.less_than\" (%0, %1) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>\n"
    "(%3) = \"pd_op.while\" (cond=%2, inputs=%0) {\n"
    "^%arg_0\n"
    "(%4) = \"pd_op.multiply\" (%arg_0, %1) {} : (tensor<1xi64>, tensor<1xi64>) -> "
    "tensor<1xi64>\n"
    "(%5) = \"pd_op.less_than\" (%4, %1) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>\n"
    "() = \"cf.yield\" (%5, %4) {} : (tensor<1xb>, tensor<1xi64>) -> \n"
    "}\n"
    "() = \"builtin.shadow_output\" (%3) {output_name:\"n\"} : (tensor<1xi64>) -> \n"
    "}";

enum { CHAIN = 50 };

static pir_model *model;

static int set_up(void **unused) {
  pir_model_options options = {.size = sizeof options, .pipeline = "kernels"};
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = NULL;
  (void)unused;
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  assert_int_equal(pir_program_read(ctx, pir_str_from(loop), PIR_STR("loop"), &program),
                   PIR_OK);
  assert_int_equal(pir_model_create(program, &options, &model), PIR_OK);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
  return 0;
}

static int tear_down(void **unused) {
  (void)unused;
  pir_model_release(model);
  return 0;
}

// A session whose input is `number`.
typedef struct job {
  pir_session *session;
  int64_t number, found;
  int runs;  // that on_done heard of
  pir_status status;
} job;

static void open_job(job *j, int64_t number, const pir_session_options *options) {
  pir_tensor in = {.data = &j->number};
  *j = (job){.number = number};
  assert_int_equal(pir_session_create(model, options, &j->session), PIR_OK);
  in.data = &j->number;
  pir_tensor_set_dense(&in, PIR_I64, (int64_t[]){1}, 1);
  assert_int_equal(pir_session_bind_input(j->session, 0, &in), PIR_OK);
}

static void note(void *user, pir_session *session, pir_status status) {
  job *j = user;
  pir_tensor out;
  j->runs++;
  j->status = status;
  if (!status && !pir_session_output(session, 0, &out))
    j->found = *(const int64_t *)out.data;
}

// Starts the next run as soon as one has ended.
static void go_on(void *user, pir_session *session, pir_status status) {
  job *j = user;
  note(user, session, status);
  j->number++;
  if (j->runs < CHAIN && pir_session_run_async(session, NULL, go_on, user))
    j->runs = -1;
}

static void the_session_has_a_thread(void **unused) {
  job j;
  (void)unused;
  open_job(&j, 7, NULL);
  assert_int_equal(pir_session_wait(j.session), PIR_NOT_FOUND);
  for (int i = 1; i <= 3; i++) {
    assert_int_equal(pir_session_run_async(j.session, NULL, note, &j), PIR_OK);
    assert_int_equal(pir_session_wait(j.session), PIR_OK);
    assert_true(j.runs == i && j.found == 7 && j.status == PIR_OK);
  }
  assert_int_equal(pir_session_run_async(j.session, NULL, NULL, NULL), PIR_OK);
  assert_int_equal(pir_session_wait(j.session), PIR_OK);
  assert_int_equal(pir_session_run(j.session), PIR_OK);
  pir_session_destroy(j.session);
  assert_int_equal(pir_session_run_async(NULL, NULL, NULL, NULL), PIR_INVALID);
  assert_int_equal(pir_session_run_async(j.session, &(pir_executor){0}, note, &j), PIR_INVALID);
  assert_int_equal(pir_session_wait(NULL), PIR_INVALID);
  assert_int_equal(pir_session_cancel(NULL), PIR_INVALID);
}

static void runs_are_chained(void **unused) {
  job j;
  (void)unused;
  open_job(&j, 1, NULL);
  assert_int_equal(pir_session_run_async(j.session, NULL, go_on, &j), PIR_OK);
  assert_int_equal(pir_session_wait(j.session), PIR_OK);
  assert_int_equal(j.runs, CHAIN);
  assert_int_equal(j.found, CHAIN);
  pir_session_destroy(j.session);
}

static void *wait_for(void *session) {
  return (void *)(uintptr_t)pir_session_wait(session);
}

static void a_run_is_cancelled(void **unused) {
  job j;
  pthread_t threads[2];
  (void)unused;
  open_job(&j, 0, NULL);
  assert_int_equal(pir_session_cancel(j.session), PIR_OK);
  assert_int_equal(pir_session_run_async(j.session, NULL, note, &j), PIR_OK);
  assert_int_equal(pir_session_run_async(j.session, NULL, note, &j), PIR_INVALID);
  for (int i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, wait_for, j.session), 0);
  assert_int_equal(pir_session_cancel(j.session), PIR_OK);
  for (int i = 0; i < 2; i++) {
    void *status = NULL;
    assert_int_equal(pthread_join(threads[i], &status), 0);
    assert_int_equal((uintptr_t)status, PIR_CANCELLED);
  }
  assert_true(j.runs == 1 && j.status == PIR_CANCELLED);
  j.number = 3;
  assert_int_equal(pir_session_run_async(j.session, NULL, note, &j), PIR_OK);
  assert_int_equal(pir_session_wait(j.session), PIR_OK);
  assert_int_equal(j.found, 3);
  pir_session_destroy(j.session);
}

static void destroying_ends_the_run(void **unused) {
  job j;
  (void)unused;
  open_job(&j, 0, NULL);
  assert_int_equal(pir_session_run_async(j.session, NULL, note, &j), PIR_OK);
  pir_session_destroy(j.session);
  assert_true(j.runs == 1 && j.status == PIR_CANCELLED);
}

static void a_flag_of_the_caller_cancels(void **unused) {
  pir_atomic_int flag;
  atomic_init(&flag, 0);
  pir_session_options options = {.size = sizeof options, .cancel = &flag};
  job j;
  (void)unused;
  open_job(&j, 0, &options);
  assert_int_equal(pir_session_cancel(j.session), PIR_INVALID);
  assert_int_equal(pir_session_run_async(j.session, NULL, note, &j), PIR_OK);
  atomic_store(&flag, 1);
  assert_int_equal(pir_session_wait(j.session), PIR_CANCELLED);
  pir_session_destroy(j.session);
}

// ---- executors

static bool call_now(void *user, void (*task)(void *argument), void *argument) {
  ++*(int *)user;
  task(argument);
  return true;
}

static bool refuse(void *user, void (*task)(void *argument), void *argument) {
  (void)task;
  (void)argument;
  ++*(int *)user;
  return false;
}

typedef struct kept_task {
  void (*task)(void *argument);
  void *argument;
} kept_task;

static bool keep(void *user, void (*task)(void *argument), void *argument) {
  *(kept_task *)user = (kept_task){task, argument};
  return true;
}

static void *run_kept(void *kept) {
  kept_task *k = kept;
  k->task(k->argument);
  return NULL;
}

static void executors_run_the_task(void **unused) {
  int calls = 0;
  kept_task kept;
  pthread_t thread;
  job j;
  (void)unused;
  open_job(&j, 5, NULL);
  assert_int_equal(pir_session_run_async(j.session, &(pir_executor){refuse, &calls}, note, &j),
                   PIR_EXHAUSTED);
  assert_string_equal(pir_session_message(j.session), "the executor refuses the run");
  assert_int_equal(pir_session_wait(j.session), PIR_NOT_FOUND);
  assert_int_equal(
      pir_session_run_async(j.session, &(pir_executor){call_now, &calls}, note, &j), PIR_OK);
  assert_true(calls == 2 && j.runs == 1 && j.found == 5);
  assert_int_equal(pir_session_run_async(j.session, &(pir_executor){keep, &kept}, note, &j),
                   PIR_OK);
  assert_int_equal(j.runs, 1);
  assert_int_equal(pthread_create(&thread, NULL, run_kept, &kept), 0);
  assert_int_equal(pir_session_wait(j.session), PIR_OK);
  assert_int_equal(j.runs, 2);
  assert_int_equal(pthread_join(thread, NULL), 0);
  pir_session_destroy(j.session);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_session_has_a_thread),     cmocka_unit_test(runs_are_chained),
      cmocka_unit_test(a_run_is_cancelled),           cmocka_unit_test(destroying_ends_the_run),
      cmocka_unit_test(a_flag_of_the_caller_cancels), cmocka_unit_test(executors_run_the_task),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
