// Calls of models and sessions in any order: models of three programs, a few sessions, tensors
// of every type, shape and layout as inputs and outputs, all within memory that is there. A
// call succeeds, or fails with a message, and a run never writes an input.
#include "fuzz.h"

#include <pir/engine/model.h>

enum { MODELS = 3, SESSIONS = 4, ROOM = 1 << 14 };

// An addition that broadcasts, a concatenation of which every extent varies, and a loop.
static const char *const texts[MODELS] = {
    "{\n(%0) = \"pd_op.data\" () "
    "{dtype:float32,name:\"x\",place:Place(undefined:0),shape:[-1,3]} "
    ": () -> tensor<-1x3xf32>\n"
    "(%1) = \"pd_op.data\" () "
    "{dtype:float32,name:\"y\",place:Place(undefined:0),shape:[-1,-1]} "
    ": () -> tensor<-1x-1xf32>\n"
    "(%2) = \"pd_op.add\" (%0, %1) {} : (tensor<-1x3xf32>, tensor<-1x-1xf32>) -> "
    "tensor<-1x3xf32>\n"
    "() = \"builtin.shadow_output\" (%2) {output_name:\"z\"} : (tensor<-1x3xf32>) -> \n}\n",
    "{\n(%0) = \"pd_op.data\" () "
    "{dtype:int64,name:\"x\",place:Place(undefined:0),shape:[-1,-1]} : "
    "() -> tensor<-1x-1xi64>\n"
    "(%1) = \"pd_op.nonzero\" (%0) {} : (tensor<-1x-1xi64>) -> tensor<-1x2xi64>\n"
    "(%2) = \"pd_op.transpose\" (%0) {perm:[1,0]} : (tensor<-1x-1xi64>) -> tensor<-1x-1xi64>\n"
    "() = \"builtin.shadow_output\" (%1) {output_name:\"a\"} : (tensor<-1x2xi64>) -> \n"
    "() = \"builtin.shadow_output\" (%2) {output_name:\"b\"} : (tensor<-1x-1xi64>) -> \n}\n",
    "{\n(%0) = \"pd_op.data\" () "
    "{dtype:float32,name:\"x\",place:Place(undefined:0),shape:[2,3]} : "
    "() -> tensor<2x3xf32>\n"
    "(%1) = \"pd_op.softmax\" (%0) {axis:-1} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
    "() = \"builtin.shadow_output\" (%0) {output_name:\"same\"} : (tensor<2x3xf32>) -> \n"
    "() = \"builtin.shadow_output\" (%1) {output_name:\"z\"} : (tensor<2x3xf32>) -> \n}\n"};

typedef struct calls {
  const uint8_t *data;
  size_t size;
  pir_model *models[MODELS];
  pir_session *sessions[SESSIONS];
  uint8_t *inputs, *outputs;  // of ROOM bytes
  pir_atomic_int cancel;
} calls;

static unsigned next(calls *c, unsigned limit) {
  if (!c->size)
    return 0;
  c->size--;
  return *c->data++ % limit;
}

static void open_models(calls *c) {
  static pir_model *models[MODELS];
  for (int i = 0; i < MODELS; i++) {
    pir_model_options options = {
        .size = sizeof options, .pipeline = "kernels", .compile_threads = 1};
    pir_borrowed bytes = {.data = texts[i], .size = strlen(texts[i])};
    if (!models[i] && pir_model_load(bytes, (pir_borrowed){0}, &options, &models[i]))
      abort();
    c->models[i] = models[i];
  }
}

// Within `memory`, whatever its shape; strides may repeat elements or be out of order.
static pir_tensor any_tensor(calls *c, uint8_t *memory, bool dense) {
  static const pir_dtype often[] = {PIR_F32, PIR_I64, PIR_F64, PIR_BOOL};
  static const int64_t extents[] = {0, 1, 2, 3, 3, 5};
  int64_t shape[PIR_MAX_RANK];
  pir_tensor t = {0};
  int rank = (int)next(c, 4) ? 2 : (int)next(c, PIR_MAX_RANK + 1);
  size_t bytes = 0;
  for (int i = 0; i < rank; i++)
    shape[i] = extents[next(c, 6)];
  pir_dtype dtype = next(c, 4) ? often[next(c, 4)] : (pir_dtype)next(c, PIR_DTYPE_COUNT);
  if (rank > 4)
    shape[0] = 1;
  pir_tensor_set_dense(&t, dtype, shape, rank);
  if (pir_shape_bytes(shape, rank, dtype, &bytes) || bytes > ROOM / 4) {
    rank = 0;
    pir_tensor_set_dense(&t, dtype, shape, rank);
  }
  for (int i = 0; !dense && i < rank; i++)
    t.strides[i] = next(c, 4) ? t.strides[i] : (int64_t)next(c, 8);
  t.data = memory + next(c, 8) * (next(c, 3) ? 64 : 1);
  return t;
}

static void check(pir_status status, pir_session *session) {
  if (!session && status != PIR_INVALID && status != PIR_NOT_FOUND)
    abort();
  if (session && status && !*pir_session_message(session)) {
    fprintf(stderr, "status %d without a message\n", (int)status);
    abort();
  }
}

static void make_session(calls *c, unsigned i) {
  pir_session_options options = {.size = sizeof options,
                                 .threads = (int)next(c, 3),
                                 .cancel = next(c, 2) ? &c->cancel : NULL,
                                 .max_bytes = next(c, 4) ? 0 : next(c, 256)};
  pir_session_destroy(c->sessions[i]);
  c->sessions[i] = NULL;
  pir_ignore(pir_session_create(c->models[next(c, MODELS)], next(c, 3) ? &options : NULL,
                                &c->sessions[i]));
}

static void run(calls *c, pir_session *session) {
  uint8_t before[ROOM];
  memcpy(before, c->inputs, ROOM);
  check(pir_session_run(session), session);
  if (memcmp(before, c->inputs, ROOM) != 0) {
    fprintf(stderr, "a run wrote an input\n");
    abort();
  }
}

static void read_output(calls *c, pir_session *session) {
  pir_tensor out = {0};
  volatile char sum = 0;
  size_t bytes;
  pir_status status = pir_session_output(session, next(c, 4), &out);
  check(status, session);
  if (status || !session || pir_shape_bytes(out.shape, out.rank, out.dtype, &bytes))
    return;
  for (size_t i = 0; i < bytes; i++)
    sum ^= ((const char *)out.data)[i];
}

static void call_once(calls *c) {
  unsigned i = next(c, SESSIONS), port = next(c, 4);
  pir_session *session = c->sessions[i];
  pir_tensor t;
  switch (next(c, 12)) {
    case 0: make_session(c, i); break;
    case 1:
    case 2:
    case 3:
      t = any_tensor(c, c->inputs, false);
      check(pir_session_bind_input(session, port, next(c, 16) ? &t : NULL), session);
      break;
    case 4:
      t = any_tensor(c, c->outputs, true);
      check(pir_session_bind_output(session, port, next(c, 4) ? &t : NULL), session);
      break;
    case 5:
    case 6:
    case 7: run(c, session); break;
    case 8: read_output(c, session); break;
    case 9: check(pir_session_prepare(session), session); break;
    case 10: pir_session_trim(session); break;
    default: c->cancel = !next(c, 4); break;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  calls c = {.data = data, .size = size};
  open_models(&c);
  c.inputs = calloc(1, ROOM);
  c.outputs = calloc(1, ROOM);
  for (unsigned i = 0; i < SESSIONS && size; i++)
    make_session(&c, i);
  while (c.size)
    call_once(&c);
  for (unsigned i = 0; i < SESSIONS; i++)
    pir_session_destroy(c.sessions[i]);
  free(c.inputs);
  free(c.outputs);
  return 0;
}
