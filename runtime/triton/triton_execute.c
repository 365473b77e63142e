// Runs the requests of one call. Requests whose tensors differ in axis 0 alone run together:
// their inputs are joined, and each gets its rows of the outputs. When such a run fails, its
// requests run one by one, so that only the one that is wrong gets the error.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "triton_backend.h"

// One request of a call.
typedef struct call_part {
  TRITONBACKEND_Request *request;
  // Elements of axis 0 of a model with batches; else 1.
  int64_t rows;
  // Whether a response was sent, and whether it had outputs.
  bool is_answered, has_outputs;
  // When its run began and ended.
  uint64_t run_start, run_end;
} call_part;

// Parts that run together.
typedef struct batch_run {
  triton_instance *instance;
  call_part *parts;
  size_t count;
  // The sum of the parts' rows.
  int64_t rows;
  // Why it failed.
  pir_message message;
} batch_run;

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static pir_status status_of(triton_error_code code) {
  switch (code) {
    case TRITON_ERROR_NOT_FOUND: return PIR_NOT_FOUND;
    case TRITON_ERROR_INVALID_ARG:
    case TRITON_ERROR_ALREADY_EXISTS: return PIR_INVALID;
    case TRITON_ERROR_UNAVAILABLE: return PIR_UNAVAILABLE;
    case TRITON_ERROR_UNSUPPORTED: return PIR_UNSUPPORTED;
    case TRITON_ERROR_CANCELLED: return PIR_CANCELLED;
    default: return PIR_INTERNAL;
  }
}

// Turns an error of the server's into a status and a text; NULL is PIR_OK.
static pir_status take_error(TRITONSERVER_Error *error, pir_message *message) {
  if (!error)
    return PIR_OK;
  pir_status status = status_of(TRITONSERVER_ErrorCode(error));
  triton_fail(message, status, "%s", TRITONSERVER_ErrorMessage(error));
  TRITONSERVER_ErrorDelete(error);
  return status;
}

// Drops an error for which the server has no answer to give.
static void drop_error(TRITONSERVER_Error *error) {
  TRITONSERVER_ErrorDelete(error);
}

// The client's status of a run that failed: one that refuses its inputs, or needs more memory
// for them than a session may take, was asked for too much.
static pir_status blame_of(pir_status status) {
  return status == PIR_UNSUPPORTED || status == PIR_EXHAUSTED ? PIR_INVALID : status;
}

static void answer_error(call_part *part, pir_status status, const char *text) {
  TRITONBACKEND_Response *response;
  part->is_answered = true;
  TRITONSERVER_Error *failed = TRITONBACKEND_ResponseNew(&response, part->request);
  if (failed) {
    drop_error(failed);
    return;
  }
  TRITONSERVER_Error *error = triton_error(status, text);
  drop_error(TRITONBACKEND_ResponseSend(response, TRITON_RESPONSE_FINAL, error));
  TRITONSERVER_ErrorDelete(error);
}

// ---- inputs

// An input of a request.
typedef struct input_view {
  TRITONBACKEND_Input *input;
  // Element type and shape, without memory.
  pir_tensor tensor;
  // Bytes that came, and the pieces that they are in.
  uint64_t bytes;
  uint32_t pieces;
} input_view;

static pir_status view_input(TRITONBACKEND_Request *request, const pir_port *port,
                             input_view *out, pir_message *message) {
  const int64_t *shape;
  int dtype;
  uint32_t rank;
  PIR_TRY(
      take_error(TRITONBACKEND_RequestInput(request, port->name.data, &out->input), message));
  PIR_TRY(take_error(TRITONBACKEND_InputProperties(out->input, NULL, &dtype, &shape, &rank,
                                                   &out->bytes, &out->pieces),
                     message));
  if (rank > PIR_MAX_RANK)
    return triton_fail(message, PIR_INVALID,
                       "input \"%s\" has %u axes, at most %d are possible", port->name.data,
                       rank, PIR_MAX_RANK);
  memset(&out->tensor, 0, sizeof out->tensor);
  size_t need;
  pir_dtype type = triton_dtype_to(dtype);
  if (pir_shape_bytes(shape, (int32_t)rank, type, &need) || need != out->bytes)
    return triton_fail(message, PIR_INVALID,
                       "input \"%s\" has %llu bytes, which its shape and "
                       "element type do not take",
                       port->name.data, (unsigned long long)out->bytes);
  if (port->rank == 0 && rank == 1 && shape[0] == 1)
    rank = 0;
  pir_tensor_set_dense(&out->tensor, type, shape, (int32_t)rank);
  return PIR_OK;
}

static pir_port input_at(const triton_instance *instance, size_t i) {
  pir_port port = {.size = sizeof port};
  pir_ignore(pir_model_input(instance->model->model, i, &port));
  return port;
}

// Counts the rows of a request, which every input has.
static pir_status count_rows(const triton_instance *instance, call_part *part,
                             pir_message *message) {
  int64_t most = instance->model->settings.max_batch;
  part->rows = 1;
  if (most <= 0)
    return PIR_OK;
  for (size_t i = 0; i < pir_model_inputs(instance->model->model); i++) {
    pir_port port = input_at(instance, i);
    input_view view;
    PIR_TRY(view_input(part->request, &port, &view, message));
    if (view.tensor.rank < 1 || (i && view.tensor.shape[0] != part->rows))
      return triton_fail(message, PIR_INVALID, "input \"%s\" has another batch than the first",
                         port.name.data);
    part->rows = view.tensor.shape[0];
  }
  if (part->rows > most)
    return triton_fail(message, PIR_INVALID, "a batch of %lld, at most %lld are possible",
                       (long long)part->rows, (long long)most);
  return PIR_OK;
}

// Whether the inputs of two requests differ in axis 0 at most.
static bool are_alike(const triton_instance *instance, const call_part *a, const call_part *b) {
  pir_message unused;
  for (size_t i = 0; i < pir_model_inputs(instance->model->model); i++) {
    pir_port port = input_at(instance, i);
    input_view va, vb;
    if (view_input(a->request, &port, &va, &unused) ||
        view_input(b->request, &port, &vb, &unused))
      return false;
    size_t tail = (size_t)(va.tensor.rank - 1) * sizeof *va.tensor.shape;
    if (va.tensor.dtype != vb.tensor.dtype || va.tensor.rank != vb.tensor.rank ||
        memcmp(va.tensor.shape + 1, vb.tensor.shape + 1, tail) != 0)
      return false;
  }
  return true;
}

// Finds piece `i` of an input, in the memory of the host.
static pir_status locate_piece(const input_view *view, const pir_port *port, uint32_t i,
                               const void **out, uint64_t *bytes, pir_message *message) {
  triton_memory memory = TRITON_CPU;
  int64_t id = 0;
  PIR_TRY(
      take_error(TRITONBACKEND_InputBuffer(view->input, i, out, bytes, &memory, &id), message));
  if (memory == TRITON_GPU)
    return triton_fail(message, PIR_UNSUPPORTED,
                       "unsupported: input \"%s\" in the memory of a GPU", port->name.data);
  return PIR_OK;
}

// Joins the pieces of an input.
static pir_status copy_pieces(const input_view *view, const pir_port *port, char *to,
                              pir_message *message) {
  uint64_t done = 0;
  for (uint32_t i = 0; i < view->pieces; i++) {
    const void *piece;
    uint64_t bytes;
    PIR_TRY(locate_piece(view, port, i, &piece, &bytes, message));
    if (bytes > view->bytes - done)
      return triton_fail(message, PIR_INVALID, "input \"%s\" has more bytes than stated",
                         port->name.data);
    if (bytes)
      memcpy(to + done, piece, bytes);
    done += bytes;
  }
  if (done != view->bytes)
    return triton_fail(message, PIR_INVALID, "input \"%s\" has fewer bytes than stated",
                       port->name.data);
  return PIR_OK;
}

static bool grow_bytes(triton_bytes *bytes, size_t need) {
  if (bytes->size >= need && bytes->data)
    return true;
  // Aligned for vectors, so that a run reads the elements in place.
  size_t rounded = need < SIZE_MAX - 64 ? (need + 64) / 64 * 64 : 0;
  void *data = rounded ? aligned_alloc(64, rounded) : NULL;
  if (!data)
    return false;
  free(bytes->data);
  *bytes = (triton_bytes){data, rounded};
  return true;
}

// Copies input i of all parts into the instance's memory.
static pir_status gather(batch_run *run, size_t i, const pir_port *port, pir_tensor *tensor) {
  triton_bytes *room = &run->instance->gathered[i];
  size_t need, done = 0;
  if (pir_shape_bytes(tensor->shape, tensor->rank, tensor->dtype, &need) ||
      !grow_bytes(room, need))
    return triton_fail(&run->message, PIR_EXHAUSTED, "out of memory for input \"%s\"",
                       port->name.data);
  for (size_t k = 0; k < run->count; k++) {
    input_view view;
    PIR_TRY(view_input(run->parts[k].request, port, &view, &run->message));
    PIR_TRY(copy_pieces(&view, port, (char *)room->data + done, &run->message));
    done += view.bytes;
  }
  tensor->data = room->data;
  return PIR_OK;
}

static pir_status bind_input(batch_run *run, size_t i) {
  triton_instance *instance = run->instance;
  pir_port port = input_at(instance, i);
  input_view view;
  PIR_TRY(view_input(run->parts[0].request, &port, &view, &run->message));
  pir_tensor tensor = view.tensor;
  if (instance->model->settings.max_batch > 0) {
    tensor.shape[0] = run->rows;
    pir_tensor_set_dense(&tensor, tensor.dtype, tensor.shape, tensor.rank);
  }
  if (run->count == 1 && view.pieces == 1) {
    const void *piece;
    uint64_t bytes;
    PIR_TRY(locate_piece(&view, &port, 0, &piece, &bytes, &run->message));
    if (bytes < view.bytes)
      return triton_fail(&run->message, PIR_INVALID, "input \"%s\" has fewer bytes than stated",
                         port.name.data);
    tensor.data = (void *)piece;
  } else {
    PIR_TRY(gather(run, i, &port, &tensor));
  }
  pir_status status = pir_session_bind_input(instance->session, i, &tensor);
  if (status)
    triton_fail(&run->message, status, "%s", pir_session_message(instance->session));
  return status;
}

// ---- outputs

// Sets *out where a request asks for an output.
static pir_status find_requested(TRITONBACKEND_Request *request, const char *name, bool *out,
                                 pir_message *message) {
  uint32_t count;
  PIR_TRY(take_error(TRITONBACKEND_RequestOutputCount(request, &count), message));
  for (uint32_t i = 0; i < count && !*out; i++) {
    const char *one;
    PIR_TRY(take_error(TRITONBACKEND_RequestOutputName(request, i, &one), message));
    *out = !strcmp(one, name);
  }
  return PIR_OK;
}

// Whether the outputs can be given to the parts by rows.
static pir_status check_row_counts(batch_run *run) {
  const triton_instance *instance = run->instance;
  for (size_t i = 0; run->count > 1 && i < pir_model_outputs(instance->model->model); i++) {
    pir_port port = {.size = sizeof port};
    pir_tensor tensor;
    PIR_TRY(pir_model_output(instance->model->model, i, &port));
    bool is_requested = false;
    for (size_t k = 0; k < run->count; k++)
      PIR_TRY(
          find_requested(run->parts[k].request, port.name.data, &is_requested, &run->message));
    if (!is_requested)
      continue;
    PIR_TRY(pir_session_output(instance->session, i, &tensor));
    if (tensor.rank < 1 || tensor.shape[0] != run->rows)
      return triton_fail(&run->message, PIR_UNSUPPORTED,
                         "unsupported: output \"%s\" has other rows than the batch",
                         port.name.data);
  }
  return PIR_OK;
}

// Writes `rows` of an output, from row `first` on, into a response.
static pir_status write_output(TRITONBACKEND_Response *response, const char *name,
                               const pir_tensor *whole, const batch_run *run,
                               const call_part *part, int64_t first, pir_message *message) {
  pir_tensor rows = *whole, tensor;
  size_t bytes;
  TRITONBACKEND_Output *output;
  void *to;
  triton_memory memory = TRITON_CPU;
  int64_t id = 0;
  if (run->count > 1)
    rows.shape[0] = part->rows;
  PIR_TRY(pir_shape_bytes(rows.shape, rows.rank, rows.dtype, &bytes));
  // Rows without elements may have no memory to point into.
  if (run->count > 1 && bytes)
    rows.data =
        (char *)whole->data + first * whole->strides[0] * (int64_t)pir_dtype_size(rows.dtype);
  memset(&tensor, 0, sizeof tensor);
  pir_tensor_set_dense(&tensor, rows.dtype, rows.shape, rows.rank);
  int64_t one = 1;
  PIR_TRY(take_error(TRITONBACKEND_ResponseOutput(
                         response, &output, name, triton_dtype_of(rows.dtype),
                         rows.rank ? rows.shape : &one, rows.rank ? (uint32_t)rows.rank : 1),
                     message));
  PIR_TRY(take_error(TRITONBACKEND_OutputBuffer(output, &to, bytes, &memory, &id), message));
  if (memory == TRITON_GPU)
    return triton_fail(message, PIR_UNSUPPORTED,
                       "unsupported: output \"%s\" in the memory of a GPU", name);
  if (!bytes)
    return PIR_OK;
  tensor.data = to;
  return pir_tensor_copy(&rows, &tensor);
}

static pir_status write_outputs(TRITONBACKEND_Response *response, const batch_run *run,
                                const call_part *part, int64_t first, pir_message *message) {
  const triton_instance *instance = run->instance;
  for (size_t i = 0; i < pir_model_outputs(instance->model->model); i++) {
    pir_port port = {.size = sizeof port};
    pir_tensor tensor;
    PIR_TRY(pir_model_output(instance->model->model, i, &port));
    bool is_requested = false;
    PIR_TRY(find_requested(part->request, port.name.data, &is_requested, message));
    if (!is_requested)
      continue;
    PIR_TRY(pir_session_output(instance->session, i, &tensor));
    PIR_TRY(write_output(response, port.name.data, &tensor, run, part, first, message));
  }
  return PIR_OK;
}

static void answer_outputs(batch_run *run, call_part *part, int64_t first) {
  TRITONBACKEND_Response *response;
  pir_message message = {{0}};
  TRITONSERVER_Error *failed = TRITONBACKEND_ResponseNew(&response, part->request);
  part->is_answered = true;
  if (failed) {
    drop_error(failed);
    return;
  }
  pir_status status = write_outputs(response, run, part, first, &message);
  TRITONSERVER_Error *error = status ? triton_error(status, message.text) : NULL;
  failed = TRITONBACKEND_ResponseSend(response, TRITON_RESPONSE_FINAL, error);
  TRITONSERVER_ErrorDelete(error);
  part->has_outputs = !status && !failed;
  drop_error(failed);
}

// ---- runs

static pir_status run_once(batch_run *run) {
  triton_instance *instance = run->instance;
  run->message.text[0] = 0;
  for (size_t i = 0; i < pir_model_inputs(instance->model->model); i++)
    PIR_TRY(bind_input(run, i));
  uint64_t start = now_ns();
  pir_status status = pir_session_run(instance->session);
  uint64_t end = now_ns();
  for (size_t k = 0; k < run->count; k++) {
    run->parts[k].run_start = start;
    run->parts[k].run_end = end;
  }
  if (status)
    return triton_fail(&run->message, blame_of(status), "%s",
                       pir_session_message(instance->session));
  return check_row_counts(run);
}

// Runs parts together and answers them all. Returns whether they ran together.
static bool run_batch(triton_instance *instance, call_part *parts, size_t count, int64_t rows,
                      uint64_t start) {
  batch_run run = {.instance = instance, .parts = parts, .count = count, .rows = rows};
  pir_status status = run_once(&run);
  if (status && count > 1)
    return false;
  if (status) {
    answer_error(parts, status, run.message.text);
    return true;
  }
  int64_t first = 0;
  for (size_t k = 0; k < count; k++) {
    answer_outputs(&run, &parts[k], first);
    first += parts[k].rows;
  }
  drop_error(TRITONBACKEND_ModelInstanceReportBatchStatistics(
      instance->handle, (uint64_t)rows, start, parts->run_start, parts->run_end, now_ns()));
  return true;
}

// Runs the first parts that are alike, and returns their number.
static size_t run_alike(triton_instance *instance, call_part *parts, size_t count,
                        uint64_t start) {
  int64_t most = instance->model->settings.max_batch, rows = parts->rows;
  size_t n = 1;
  while (n < count && !parts[n].is_answered && rows + parts[n].rows <= most &&
         are_alike(instance, parts, &parts[n]))
    rows += parts[n++].rows;
  if (!run_batch(instance, parts, n, rows, start))
    for (size_t k = 0; k < n; k++)
      run_batch(instance, &parts[k], 1, parts[k].rows, start);
  return n;
}

// Answers a request that cannot run.
static void check_request(triton_instance *instance, call_part *part) {
  bool is_cancelled = false;
  pir_message message;
  drop_error(TRITONBACKEND_RequestIsCancelled(part->request, &is_cancelled));
  if (is_cancelled) {
    answer_error(part, PIR_CANCELLED, "the request was cancelled");
    return;
  }
  pir_status status = count_rows(instance, part, &message);
  if (status)
    answer_error(part, status, message.text);
}

bool triton_execute(triton_instance *instance, TRITONBACKEND_Request **requests,
                    uint32_t count) {
  uint64_t start = now_ns();
  call_part *parts = calloc(count, sizeof *parts);
  if (!parts)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    parts[i] = (call_part){.request = requests[i], .run_start = start, .run_end = start};
    check_request(instance, &parts[i]);
  }
  for (uint32_t i = 0; i < count;)
    i += parts[i].is_answered ? 1 : (uint32_t)run_alike(instance, &parts[i], count - i, start);
  uint64_t end = now_ns();
  for (uint32_t i = 0; i < count; i++) {
    drop_error(TRITONBACKEND_ModelInstanceReportStatistics(
        instance->handle, parts[i].request, parts[i].has_outputs, start, parts[i].run_start,
        parts[i].run_end, end));
    drop_error(TRITONBACKEND_RequestRelease(parts[i].request, TRITON_RELEASE_ALL));
  }
  free(parts);
  return true;
}
