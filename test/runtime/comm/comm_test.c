// Communicators of threads, and those over NCCL: results, and failures that every rank learns
// of without a hang. NCCL is the stand-in of test/cuda/shim, if LD_LIBRARY_PATH names it
// (test/cuda/cuda.py does), else its tests are skipped.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <pir/comm.h>
#include <pir/engine/model.h>

enum { MAX = 4 };

typedef struct rank_run {
  pir_comm *comm;
  pir_status (*body)(pir_comm *comm, const pir_comm_call *call);
  pir_status status;
  pir_message message;
  pir_atomic_int *cancel;
} rank_run;

static rank_run runs[MAX];
static bool by_nccl;  // the ranks' tensors move so
static bool nccl_is_there;
static uint64_t nccl_limit_ns;  // of an exchange; 0: the usual one

// Whether the library, the driver and a device are there.
static bool has_nccl(void) {
  pir_comm *host, *made = NULL;
  pir_message why = {""};
  pir_comm_call call = {.size = sizeof call, .message = &why};
  assert_int_equal(pir_comm_create_self(&host), PIR_OK);
  pir_status status = pir_comm_create_nccl(host, NULL, &call, &made);
  if (status && (status != PIR_UNAVAILABLE || !why.text[0]))
    fail_msg("status %d: %s", (int)status, why.text);
  (made ? made : host)->free(made ? made : host);
  return !status;
}

static pir_status connect_by_nccl(rank_run *r, const pir_comm_call *call) {
  pir_nccl_options how = {.size = sizeof how, .timeout_ns = nccl_limit_ns};
  pir_comm *made;
  how.device_number = r->comm->rank;
  PIR_TRY(pir_comm_create_nccl(r->comm, &how, call, &made));
  r->comm = made;
  return PIR_OK;
}

static void *run_rank(void *user) {
  rank_run *r = user;
  pir_comm_call call = {.size = sizeof call, .message = &r->message, .cancel = r->cancel};
  r->status = by_nccl ? connect_by_nccl(r, &call) : PIR_OK;
  if (!r->status)
    r->status = r->body(r->comm, &call);
  r->comm->free(r->comm);
  return NULL;
}

// Runs the body on every rank; a call waits for so long, or by default.
static void on_ranks(int ranks, pir_status (*body)(pir_comm *, const pir_comm_call *),
                     pir_atomic_int *cancel, uint64_t timeout_ns) {
  pir_comm *comms[MAX];
  pthread_t threads[MAX];
  if (by_nccl && !nccl_is_there)
    skip();
  pir_comm_options how = {.size = sizeof how, .timeout_ns = timeout_ns};
  assert_int_equal(pir_comm_create_threads(ranks, &how, comms), PIR_OK);
  for (int r = 0; r < ranks; r++) {
    runs[r] = (rank_run){.comm = comms[r], .body = body, .cancel = cancel};
    assert_int_equal(pthread_create(&threads[r], NULL, run_rank, &runs[r]), 0);
  }
  for (int r = 0; r < ranks; r++)
    pthread_join(threads[r], NULL);
}

static void assert_string_contains(const char *text, const char *part) {
  if (!strstr(text, part))
    fail_msg("'%s' is not in '%s'", part, text);
}

static void expect(int ranks, pir_status status, const char *message) {
  for (int r = 0; r < ranks; r++) {
    assert_int_equal(runs[r].status, status);
    if (message)
      assert_string_contains(runs[r].message.text, message);
  }
}

#define CHECK(condition)                                                                       \
  if (!(condition)) {                                                                          \
    fprintf(stderr, "rank %d, line %d: %s\n", comm->rank, __LINE__, #condition);               \
    return PIR_INTERNAL;                                                                       \
  }

// ---- results

static pir_status combine_floats(pir_comm *comm, const pir_comm_call *call) {
  float x[3] = {(float)comm->rank, 0.25f, -1}, sum[3], most[3], mean[3];
  PIR_TRY(comm->all_reduce(comm, call, x, sum, 3, PIR_F32, PIR_REDUCE_SUM));
  PIR_TRY(comm->all_reduce(comm, call, x, most, 3, PIR_F32, PIR_REDUCE_MAX));
  PIR_TRY(comm->all_reduce(comm, call, x, mean, 3, PIR_F32, PIR_REDUCE_AVERAGE));
  CHECK(sum[0] == 6 && sum[1] == 1 && sum[2] == -4);
  CHECK(most[0] == 3 && most[1] == 0.25f && most[2] == -1);
  CHECK(mean[0] == 1.5f && mean[1] == 0.25f && mean[2] == -1);
  PIR_TRY(comm->all_reduce(comm, call, x, x, 3, PIR_F32, PIR_REDUCE_PRODUCT));  // in place
  CHECK(x[0] == 0 && x[1] == 0.00390625f && x[2] == 1);
  return PIR_OK;
}

// The sum 2048 + 1 + 1 + 1 is 2051 in f32, and 2048 where every sum is rounded to f16.
static pir_status combine_others(pir_comm *comm, const pir_comm_call *call) {
  uint16_t half = comm->rank ? 0x3c00 : 0x6800;
  int8_t small = comm->rank ? 1 : 127;
  uint64_t large = comm->rank ? 1 : UINT64_MAX;
  bool truth = comm->rank == 2;
  PIR_TRY(comm->all_reduce(comm, call, &half, &half, 1, PIR_F16, PIR_REDUCE_SUM));
  PIR_TRY(comm->all_reduce(comm, call, &small, &small, 1, PIR_I8, PIR_REDUCE_SUM));
  PIR_TRY(comm->all_reduce(comm, call, &large, &large, 1, PIR_U64, PIR_REDUCE_MAX));
  PIR_TRY(comm->all_reduce(comm, call, &truth, &truth, 1, PIR_BOOL, PIR_REDUCE_SUM));
  // 2052: 2051 lies between two numbers, and the even one is taken. NCCL rounds every sum.
  CHECK(half == (by_nccl ? 0x6800 : 0x6802));
  CHECK(small == -126 && large == UINT64_MAX && truth);
  float pair[2] = {1, (float)comm->rank};
  PIR_TRY(comm->all_reduce(comm, call, pair, pair, 1, PIR_C64, PIR_REDUCE_SUM));
  CHECK(pair[0] == 4 && pair[1] == 6);
  CHECK(comm->all_reduce(comm, call, pair, pair, 1, PIR_C64, PIR_REDUCE_MAX) ==
        PIR_UNSUPPORTED);
  return PIR_OK;
}

static pir_status move_all(pir_comm *comm, const pir_comm_call *call) {
  int32_t own[4], all[16], back[4], one, part;
  for (int i = 0; i < 4; i++)
    own[i] = comm->rank * 10 + i;
  PIR_TRY(comm->all_gather(comm, call, own, all, 4, PIR_I32));
  for (int i = 0; i < 16; i++)
    CHECK(all[i] == i / 4 * 10 + i % 4);
  PIR_TRY(comm->all_to_all(comm, call, own, back, 1, PIR_I32));
  for (int i = 0; i < 4; i++)
    CHECK(back[i] == i * 10 + comm->rank);
  PIR_TRY(comm->reduce_scatter(comm, call, own, &part, 1, PIR_I32, PIR_REDUCE_SUM));
  CHECK(part == 60 + 4 * comm->rank);
  one = comm->rank;
  PIR_TRY(comm->broadcast(comm, call, &one, &one, 1, PIR_I32, 2));
  CHECK(one == 2);
  one = comm->rank;
  PIR_TRY(comm->reduce(comm, call, &one, &one, 1, PIR_I32, PIR_REDUCE_MIN, 3));
  CHECK(one == (comm->rank == 3 ? 0 : comm->rank));
  PIR_TRY(comm->barrier(comm, call));
  return comm->all_gather(comm, call, NULL, NULL, 0, PIR_I32);
}

static pir_status pass_around(pir_comm *comm, const pir_comm_call *call) {
  int32_t next = (comm->rank + 1) % comm->ranks, before = (comm->rank + 3) % comm->ranks;
  double sent[2] = {comm->rank, 0.5}, got[2];
  for (int turn = 0; turn < 3; turn++)
    PIR_TRY(comm->send(comm, call, sent, (size_t)(turn % 2 + 1), PIR_F64, next));
  for (int turn = 0; turn < 3; turn++) {
    PIR_TRY(comm->recv(comm, call, got, (size_t)(turn % 2 + 1), PIR_F64, before));
    CHECK(got[0] == before);
  }
  return PIR_OK;
}

static pir_status split_twice(pir_comm *comm, const pir_comm_call *call) {
  pir_comm *part, *none;
  int32_t sum = 1 << comm->rank;
  PIR_TRY(comm->split(comm, call, comm->rank % 2, -comm->rank, &part));
  CHECK(part && part->ranks == 2 && part->rank == (comm->rank < 2));
  pir_status status = part->all_reduce(part, call, &sum, &sum, 1, PIR_I32, PIR_REDUCE_SUM);
  part->free(part);
  PIR_TRY(status);
  CHECK(sum == (comm->rank % 2 ? 10 : 5));
  PIR_TRY(comm->split(comm, call, comm->rank == 1 ? 0 : -1, 0, &none));
  CHECK((none != NULL) == (comm->rank == 1));
  if (none)
    none->free(none);
  return PIR_OK;
}

static void results(void **state) {
  pir_status (*const bodies[])(pir_comm *, const pir_comm_call *) = {
      combine_floats, combine_others, move_all, pass_around, split_twice};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    on_ranks(4, bodies[i], NULL, 0);
    expect(4, PIR_OK, NULL);
  }
}

// ---- failures

static pir_status call_differently(pir_comm *comm, const pir_comm_call *call) {
  float x = 1;
  if (comm->rank == 2)
    return comm->broadcast(comm, call, &x, &x, 1, PIR_F32, 1);
  return comm->all_reduce(comm, call, &x, &x, 1, PIR_F32, PIR_REDUCE_SUM);
}

static pir_status count_differently(pir_comm *comm, const pir_comm_call *call) {
  float x[2] = {1, 2};
  return comm->all_reduce(comm, call, x, x, comm->rank == 1 ? 2 : 1, PIR_F32, PIR_REDUCE_SUM);
}

static pir_status end_early(pir_comm *comm, const pir_comm_call *call) {
  pir_status status = PIR_IO;
  if (comm->rank != 1)
    status = comm->barrier(comm, call);
  else
    pir_text_format(call->message->text, sizeof call->message->text, "rank 1 has ended");
  return status;
}

static pir_status receive_from_all(pir_comm *comm, const pir_comm_call *call) {
  float x;
  return comm->recv(comm, call, &x, 1, PIR_F32, (comm->rank + 1) % comm->ranks);
}

static pir_status send_another(pir_comm *comm, const pir_comm_call *call) {
  int32_t x[2] = {0};
  if (comm->rank == 0)
    PIR_TRY(comm->send(comm, call, x, 2, PIR_I32, 1));
  else
    return comm->recv(comm, call, x, 2, PIR_F32, 0);
  return comm->barrier(comm, call);
}

static void disagreement(void **state) {
  on_ranks(4, call_differently, NULL, 0);
  expect(4, PIR_INVALID,
         "rank 0 calls all_reduce (sum) of 1 x f32, and rank 2 calls broadcast with root 1");
  on_ranks(4, count_differently, NULL, 0);
  expect(4, PIR_INVALID, "all_reduce (sum) of 2 x f32");
  on_ranks(2, send_another, NULL, 0);
  expect(2, PIR_INVALID, "rank 1 receives 2 x f32, and rank 0 sent 2 x i32");
  on_ranks(3, receive_from_all, NULL, 0);
  expect(3, PIR_INVALID, "all ranks wait for each other");
}

static void lost_rank(void **state) {
  on_ranks(4, end_early, NULL, 0);
  expect(4, PIR_IO, "rank 1 has ended");
}

static pir_status come_late(pir_comm *comm, const pir_comm_call *call) {
  if (comm->rank == 1)
    usleep(1500 * 1000);
  return comm->barrier(comm, call);
}

static void time_limit(void **state) {
  on_ranks(3, come_late, NULL, 500 * 1000 * 1000);
  expect(3, PIR_IO, "rank 1 did not come within 0.5 s");
}

static pir_status cancel_and_wait(pir_comm *comm, const pir_comm_call *call) {
  if (comm->rank == 0)
    return comm->barrier(comm, call);
  usleep(50 * 1000);
  atomic_store(runs[0].cancel, 1);
  pir_status status = PIR_OK;
  for (int i = 0; i < 100 && !status; i++) {  // the ring fails when rank 0 has noticed
    usleep(20 * 1000);
    status = comm->send(comm, call, "", 0, PIR_U8, 1);
  }
  return status;
}

static void cancellation(void **state) {
  pir_atomic_int cancel = 0;
  on_ranks(2, cancel_and_wait, &cancel, 0);
  expect(2, PIR_CANCELLED, "rank 0 was cancelled");
}

static pir_status wait_until(pir_comm *comm, const pir_comm_call *given) {
  pir_comm_call call = *given;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  call.deadline_ns = (uint64_t)(now.tv_sec * 1000000000 + now.tv_nsec) + 100 * 1000 * 1000;
  return comm->rank ? comm->recv(comm, &call, NULL, 0, PIR_U8, 0)
                    : comm->recv(comm, given, NULL, 0, PIR_U8, 2);
}

static pir_status end_at_time(pir_comm *comm, const pir_comm_call *call) {
  if (comm->rank != 2)
    return wait_until(comm, call);
  usleep(600 * 1000);
  return comm->barrier(comm, call);
}

static void deadline(void **state) {
  on_ranks(3, end_at_time, NULL, 0);
  expect(3, PIR_CANCELLED, "rank 1 was cancelled");
}

static pir_status bad_arguments(pir_comm *comm, const pir_comm_call *call) {
  float x = 0;
  CHECK(comm->send(comm, call, &x, 1, PIR_F32, 2) == PIR_INVALID);
  CHECK(comm->broadcast(comm, call, &x, &x, 1, PIR_F32, -1) == PIR_INVALID);
  CHECK(comm->all_gather(comm, call, &x, &x, SIZE_MAX / 4, PIR_F32) == PIR_EXHAUSTED);
  CHECK(comm->all_reduce(comm, call, &x, &x, 1, PIR_PSTRING, PIR_REDUCE_SUM) ==
        PIR_UNSUPPORTED);
  CHECK(comm->all_reduce(comm, call, &x, &x, 1, PIR_F32, (pir_reduction)7) == PIR_UNSUPPORTED);
  return PIR_OK;
}

static void arguments(void **state) {
  pir_comm *comms[2];
  assert_int_equal(pir_comm_create_threads(0, NULL, comms), PIR_INVALID);
  assert_int_equal(pir_comm_create_threads(1025, NULL, comms), PIR_INVALID);
  assert_int_equal(pir_comm_create_threads(2, NULL, NULL), PIR_INVALID);
  assert_int_equal(pir_comm_create_self(NULL), PIR_INVALID);
  on_ranks(2, bad_arguments, NULL, 0);
  expect(2, PIR_OK, NULL);
}

// ---- rings

static const char *rings_text;

static pir_status read_rings(pir_comm *comm, const pir_comm_call *call) {
  pir_rings *rings;
  pir_comm *world;
  // The rings own their world, and the test the communicator it was given.
  PIR_TRY(comm->split(comm, call, 0, comm->rank, &world));
  PIR_TRY(pir_rings_create(world, &rings));
  pir_status status = pir_rings_read(rings, pir_str_from(rings_text), call);
  pir_comm *pair = pir_rings_get(rings, 12), *alone = pir_rings_get(rings, 13);
  bool good = status || (pir_rings_get(rings, 0) == world && !pir_rings_get(rings, 3) && pair &&
                         pair->ranks == 2 && pair->rank == comm->rank / 2 &&
                         (alone != NULL) == (comm->rank == 3));
  int32_t sum = comm->rank;
  if (good && !status)
    status = pair->all_reduce(pair, call, &sum, &sum, 1, PIR_I32, PIR_REDUCE_SUM);
  pir_rings_destroy(rings);
  CHECK(good);
  CHECK(status || sum == (comm->rank % 2 ? 4 : 2));
  return status;
}

static void rings(void **state) {
  static const struct {
    const char *text, *message;
  } bad[] = {
      {"", "line 1: expected [ring_id -> ranks]"},
      {"12,0,1\n", "line 1: expected [ring_id -> ranks]"},
      {"[ring_id -> ranks]\n12\n", "line 2: expected a number and its list"},
      {"[ring_id -> ranks]\n12,0,x\n", "line 2: expected numbers"},
      {"[ring_id -> ranks]\n12,0,99999999999\n", "line 2: expected numbers"},
      {"[ring_id -> ranks]\n\n12,0,4\n", "line 3: there is no such rank"},
      {"[ring_id -> ranks]\n12,0,0\n", "line 2: a rank is twice"},
      {"[ring_id -> ranks]\n12,0,1\n12,1,2\n", "line 3: a rank is twice"},
      {"[ring_id -> ranks]\n12,0,1\n[rank -> ring_ids]\n2,12\n",
       "line 4: the lines of the rings do not have this rank"},
      {"[ring_id -> ranks]\n12,0,1\n[rank -> ring_ids]\n4,0\n",
       "line 4: there is no such rank"},
      {"[ring_id -> ranks]\n[ring_id -> ranks]\n", "line 2: expected"},
  };
  rings_text = "[ring_id -> ranks]\n12,0,2\r\n 12, 1, 3\n13,3\n\n[rank -> ring_ids]\n0,0,12\n";
  on_ranks(4, read_rings, NULL, 0);
  expect(4, PIR_OK, NULL);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    rings_text = bad[i].text;
    on_ranks(4, read_rings, NULL, 0);
    expect(4, PIR_INVALID, bad[i].message);
  }
}

static void rings_by_hand(void **state) {
  pir_comm *world, *other, empty = {.size = sizeof empty, .ranks = 1};
  pir_rings *made;
  assert_int_equal(pir_rings_create(&empty, &made), PIR_INVALID);  // it has no functions
  assert_int_equal(pir_rings_create(NULL, &made), PIR_INVALID);
  assert_int_equal(pir_comm_create_self(&world), PIR_OK);
  assert_int_equal(pir_comm_create_self(&other), PIR_OK);
  assert_int_equal(pir_rings_create(world, &made), PIR_OK);
  assert_ptr_equal(pir_rings_get(made, 99), world);
  assert_int_equal(pir_rings_set(made, 99, other), PIR_OK);
  assert_ptr_equal(pir_rings_get(made, 99), other);
  assert_ptr_equal(pir_rings_get(made, 98), world);
  assert_int_equal(pir_rings_set(made, 98, &empty), PIR_INVALID);
  assert_int_equal(pir_rings_set(made, 99, NULL), PIR_OK);  // frees `other`
  assert_null(pir_rings_get(made, 99));
  // One communicator for two ids, the same one again, and the world's by another id.
  assert_int_equal(pir_comm_create_self(&other), PIR_OK);
  for (int64_t id = 1; id < 3; id++)
    for (int again = 0; again < 2; again++)
      assert_int_equal(pir_rings_set(made, id, other), PIR_OK);
  assert_int_equal(pir_rings_set(made, 3, world), PIR_OK);
  assert_int_equal(pir_rings_set(made, 3, NULL), PIR_OK);
  assert_int_equal(pir_rings_set(made, 4, world), PIR_OK);
  assert_int_equal(pir_rings_set(made, 1, NULL), PIR_OK);
  assert_int_equal(other->rank, 0);  // it still serves an id
  pir_rings_destroy(made);
}

// A run that fails between two sums: rank 0 reads an element that there is not. The next runs
// would pair its first sum with the second one of rank 1.
static const char two_sums[] =
    "{\n"
    "    (%0) = \"pd_op.data\" () "
    "{dtype:float32,name:\"x\",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>\n"
    "    (%1) = \"pd_op.data\" () "
    "{dtype:int64,name:\"i\",place:Place(undefined:0),shape:[2]} : () -> tensor<2xi64>\n"
    "    (%2) = \"pd_op.all_reduce\" (%0) {reduce_type:0,ring_id:0} : "
    "(tensor<2xf32>) -> tensor<2xf32>\n"
    "    (%3) = \"pd_op.full\" () {dtype:int32,place:Place(cpu),shape:[1],value:0} : "
    "() -> tensor<1xi32>\n"
    "    (%4) = \"pd_op.gather\" (%2, %1, %3) {} : "
    "(tensor<2xf32>, tensor<2xi64>, tensor<1xi32>) -> tensor<2xf32>\n"
    "    (%5) = \"pd_op.all_reduce\" (%4) {reduce_type:0,ring_id:0} : "
    "(tensor<2xf32>) -> tensor<2xf32>\n"
    "    (%6) = \"pd_op.fetch\" (%5) {col:0,name:\"out\"} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "}\n";

typedef struct failing_rank {
  pir_comm *comm;
  bool fails, good;
  char messages[2][sizeof(pir_message)];
} failing_rank;

static void *run_twice(void *user) {
  failing_rank *f = user;
  pir_nccl_options on = {.size = sizeof on, .device_number = f->comm->rank};
  pir_rings *rings = NULL;
  pir_model *model = NULL;
  pir_session *session = NULL;
  float x[2] = {1, 1};
  int64_t i[2] = {0, f->fails ? 5 : 1};
  pir_tensor in[2] = {{.data = x}, {.data = i}};
  pir_tensor_set_dense(&in[0], PIR_F32, (int64_t[]){2}, 1);
  pir_tensor_set_dense(&in[1], PIR_I64, (int64_t[]){2}, 1);
  pir_borrowed program = {.data = two_sums, .size = sizeof two_sums - 1}, none = {0};
  pir_session_options how = {.size = sizeof how};
  f->good = (!by_nccl || !pir_comm_create_nccl(f->comm, &on, NULL, &f->comm)) &&
            !pir_rings_create(f->comm, &rings) &&
            !pir_model_load(program, none, NULL, &model) &&
            (how.rings = rings, !pir_session_create(model, &how, &session)) &&
            !pir_session_bind_input(session, 0, &in[0]) &&
            !pir_session_bind_input(session, 1, &in[1]);
  for (int run = 0; f->good && run < 2; run++) {
    f->good = pir_session_run(session) != PIR_OK;
    snprintf(f->messages[run], sizeof f->messages[run], "%s", pir_session_message(session));
    i[1] = 1;
  }
  pir_session_destroy(session);
  pir_model_release(model);
  pir_rings_destroy(rings);
  return NULL;
}

static void failed_run(void **state) {
  pir_comm *comms[2];
  pthread_t threads[2];
  failing_rank ranks[2];
  if (by_nccl && !nccl_is_there)
    skip();
  assert_int_equal(pir_comm_create_threads(2, NULL, comms), PIR_OK);
  for (int r = 0; r < 2; r++) {
    ranks[r] = (failing_rank){.comm = comms[r], .fails = r == 0};
    assert_int_equal(pthread_create(&threads[r], NULL, run_twice, &ranks[r]), 0);
  }
  for (int r = 0; r < 2; r++)
    pthread_join(threads[r], NULL);
  assert_true(ranks[0].good && ranks[1].good);
  assert_string_contains(ranks[0].messages[0], "pd_op.gather");
  assert_string_contains(ranks[0].messages[1], "rank 0 failed: pd_op.gather");
  assert_string_contains(ranks[1].messages[0], "rank 0 failed: pd_op.gather");
  assert_string_contains(ranks[1].messages[1], "rank 0 failed: pd_op.gather");
}

// ---- NCCL

static pir_status sum_large(pir_comm *comm, const pir_comm_call *call) {
  enum { COUNT = 60000 };  // more than a slice of staging memory, of all ranks
  float *x = calloc(5 * COUNT, sizeof *x);
  for (int i = 0; i < COUNT; i++)
    x[i] = (float)(comm->rank + i % 7);
  pir_status status = comm->all_gather(comm, call, x, x + COUNT, COUNT, PIR_F32);
  if (!status)
    status = comm->all_reduce(comm, call, x, x, COUNT, PIR_F32, PIR_REDUCE_SUM);
  bool good = status || (x[6] == 30 && x[COUNT + 5] == 5 && x[5 * COUNT - 1] == 3 + 59999 % 7);
  free(x);
  CHECK(good);
  return status;
}

static pir_status average(pir_comm *comm, const pir_comm_call *call) {
  int32_t whole = comm->rank - 3;
  uint16_t half = comm->rank ? 0x3f80 : 0x4380;  // 1 and 256
  PIR_TRY(comm->all_reduce(comm, call, &whole, &whole, 1, PIR_I32, PIR_REDUCE_AVERAGE));
  PIR_TRY(comm->all_reduce(comm, call, &half, &half, 1, PIR_BF16, PIR_REDUCE_SUM));
  CHECK(whole == -2 && half == 0x4380);
  return PIR_OK;
}

static pir_status sum_one(pir_comm *comm, const pir_comm_call *call) {
  float x = 1;
  return comm->all_reduce(comm, call, &x, &x, 1, PIR_F32, PIR_REDUCE_SUM);
}

// As much as the weights of a layer.
static pir_status sum_of_megabytes(pir_comm *comm, const pir_comm_call *call) {
  enum { COUNT = 3 << 20 };
  float *x = calloc(COUNT, sizeof *x);
  x[COUNT - 1] = (float)comm->rank + 1;
  pir_status status = comm->all_reduce(comm, call, x, x, COUNT, PIR_F32, PIR_REDUCE_SUM);
  float last = x[COUNT - 1];
  free(x);
  CHECK(status || last == 3);
  return status;
}

static pir_status swap_parts(pir_comm *comm, const pir_comm_call *call) {
  int32_t from[2] = {10 * comm->rank, 10 * comm->rank + 1}, to[2] = {-1, -1};
  PIR_TRY(comm->all_to_all(comm, call, from, to, 1, PIR_I32));
  CHECK(to[0] == comm->rank && to[1] == 10 + comm->rank);
  return PIR_OK;
}

static void nccl_results(void **state) {
  on_ranks(4, sum_large, NULL, 0);
  expect(4, PIR_OK, NULL);
  on_ranks(2, average, NULL, 0);
  expect(2, PIR_OK, NULL);
  on_ranks(2, sum_of_megabytes, NULL, 0);
  expect(2, PIR_OK, NULL);
  setenv("PIR_SHIM_NCCL", "busy", 1);
  on_ranks(2, swap_parts, NULL, 0);
  unsetenv("PIR_SHIM_NCCL");
  expect(2, PIR_OK, NULL);
}

// Runs two sums of one, where the stand-in does as `what` says.
static void with_stand_in(const char *what) {
  setenv("PIR_SHIM_NCCL", what, 1);
  nccl_limit_ns = 300 * 1000 * 1000;
  on_ranks(2, sum_one, NULL, 0);
  nccl_limit_ns = 0;
  unsetenv("PIR_SHIM_NCCL");
}

static void nccl_failures(void **state) {
  with_stand_in("lost:1");
  expect(2, PIR_IO, "NCCL: an exchange did not end within 0.3 s");
  with_stand_in("absent:1");
  expect(2, PIR_IO, "NCCL: making a ring did not end within 0.3 s");
  with_stand_in("error:1");
  assert_string_contains(runs[1].message.text, "NCCL: an exchange failed: remote process");
  assert_int_equal(runs[0].status, PIR_IO);
  with_stand_in("old");
  expect(2, PIR_UNAVAILABLE, "NCCL of version 21304 is too old");
  setenv("PIR_SHIM_DEVICES", "1", 1);
  on_ranks(2, sum_one, NULL, 0);
  setenv("PIR_SHIM_DEVICES", "4", 1);
  expect(2, PIR_UNAVAILABLE, "opening the device failed");
  assert_string_contains(runs[0].message.text, "rank 1: CUDA device: ");
}

static void nccl_arguments(void **state) {
  pir_comm *host, *made;
  pir_nccl_options bad = {.size = sizeof bad, .device_number = -1};
  assert_int_equal(pir_comm_create_self(&host), PIR_OK);
  assert_int_equal(pir_comm_create_nccl(NULL, NULL, NULL, &made), PIR_INVALID);
  assert_int_equal(pir_comm_create_nccl(host, NULL, NULL, NULL), PIR_INVALID);
  assert_int_equal(pir_comm_create_nccl(host, &bad, NULL, &made), PIR_INVALID);
  bad = (pir_nccl_options){.size = 0};
  assert_int_equal(pir_comm_create_nccl(host, &bad, NULL, &made), PIR_INVALID);
  // A version without the number: device 0. Fields of a later version follow.
  bad = (pir_nccl_options){.size = offsetof(pir_nccl_options, device_number),
                           .device_number = -1};
  for (int later = 0; later < 2 && nccl_is_there; later++) {
    struct {
      pir_nccl_options known;
      uint64_t more;
    } how = {later ? (pir_nccl_options){.size = sizeof how} : bad, 0};
    assert_int_equal(pir_comm_create_nccl(host, &how.known, NULL, &made), PIR_OK);
    made->free(made);
    assert_int_equal(pir_comm_create_self(&host), PIR_OK);
  }
  host->free(host);
}

static int choose_nccl(void **state) {
  setenv("PIR_SHIM_DEVICES", "4", 1);
  nccl_is_there = has_nccl();
  by_nccl = true;
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results),       cmocka_unit_test(disagreement),
      cmocka_unit_test(lost_rank),     cmocka_unit_test(time_limit),
      cmocka_unit_test(cancellation),  cmocka_unit_test(deadline),
      cmocka_unit_test(arguments),     cmocka_unit_test(rings),
      cmocka_unit_test(rings_by_hand), cmocka_unit_test(failed_run),
  };
  const struct CMUnitTest again[] = {
      cmocka_unit_test(results),       cmocka_unit_test(nccl_results),
      cmocka_unit_test(disagreement),  cmocka_unit_test(lost_rank),
      cmocka_unit_test(time_limit),    cmocka_unit_test(cancellation),
      cmocka_unit_test(deadline),      cmocka_unit_test(arguments),
      cmocka_unit_test(rings),         cmocka_unit_test(failed_run),
      cmocka_unit_test(nccl_failures), cmocka_unit_test(nccl_arguments),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return cmocka_run_group_tests(again, choose_nccl, NULL) + failed;
}
