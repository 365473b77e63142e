// The record of CUDA devices (docs/explain/cuda.md), by the driver API. The driver's library
// stays open while a device does. Every call makes the device's context current and puts back
// the one that was: the caller's own is never disturbed.
#include "cuda_abi.h"

#include "device_ops.h"

typedef struct cuda_state {
  cuda cu;
  cu_device device;
  cu_context context;
  bool own_context;  // the primary one, retained
  int processors;
} cuda_state;

static cuda_state *state_of(const pir_device *d) {
  return d->state;
}

static const cuda *driver_of(const pir_device *d) {
  return &state_of(d)->cu;
}

static int enter_context(const pir_device *d) {
  return driver_of(d)->context_push(state_of(d)->context);
}

static int leave_context(const pir_device *d, int error) {
  cu_context current;
  int popped = driver_of(d)->context_pop(&current);
  return error ? error : popped;
}

static int cuda_leave(const pir_device *d) {
  return leave_context(d, 0);
}

#define IN_CONTEXT(d, call)                                                                    \
  (enter_context(d) ? CU_ERROR_INVALID_CONTEXT : leave_context((d), (call)))

// Maps driver errors. A missing part can be installed (PIR_UNAVAILABLE), a caller's argument
// can be changed (PIR_INVALID). Any other error, such as an illegal address in a kernel, is a
// defect of this library.
static pir_status cuda_explain(const pir_device *d, int error, const char **out_text) {
  if (state_of(d)->cu.error_text(error, out_text))
    *out_text = NULL;
  switch (error) {
    case CU_ERROR_OUT_OF_MEMORY: return PIR_EXHAUSTED;
    case CU_ERROR_NOT_INITIALIZED:
    case CU_ERROR_DEINITIALIZED:
    case CU_ERROR_STUB_LIBRARY:
    case CU_ERROR_DEVICE_UNAVAILABLE:
    case CU_ERROR_NO_DEVICE:
    case CU_ERROR_INVALID_DEVICE:
    case CU_ERROR_DEVICE_NOT_LICENSED:
    case CU_ERROR_NO_BINARY_FOR_GPU:
    case CU_ERROR_SYSTEM_NOT_READY:
    case CU_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CU_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE: return PIR_UNAVAILABLE;
    case CU_ERROR_INVALID_CONTEXT:
    case CU_ERROR_INVALID_HANDLE:
    case CU_ERROR_CONTEXT_IS_DESTROYED: return PIR_INVALID;
    case CU_ERROR_ECC_UNCORRECTABLE:
    case CU_ERROR_NVLINK_UNCORRECTABLE:
    case CU_ERROR_HARDWARE_STACK_ERROR: return PIR_IO;
    default: return PIR_INTERNAL;
  }
}

// ---- opening

static pir_status open_driver(pir_device *d, pir_message *message) {
  cuda *cu = &state_of(d)->cu;
  const char *missing = cuda_open(cu);
  if (missing) {
    pir_text_format(message->text, sizeof message->text,
                    "target cuda needs NVIDIA's driver: %s is missing; install the driver "
                    "package of the graphics card "
                    "(libcuda.so.1 comes with it), or choose another target",
                    missing);
    return PIR_UNAVAILABLE;
  }
  int count = 0, error = cu->init(0);
  if (!error)
    error = cu->device_count(&count);
  if (!error && !count)
    error = CU_ERROR_NO_DEVICE;
  return device_check(
      d, error, "looking for a device (is the driver loaded, and a card present?)", message);
}

static int describe_device(pir_device *d) {
  cuda_state *s = state_of(d);
  int major = 0, minor = 0;
  int error = s->cu.device_attribute(&major, CU_DEVICE_MAJOR, s->device);
  if (!error)
    error = s->cu.device_attribute(&minor, CU_DEVICE_MINOR, s->device);
  if (!error)
    error = s->cu.device_attribute(&s->processors, CU_DEVICE_PROCESSORS, s->device);
  if (!error)
    error = s->cu.device_name(d->name, sizeof d->name, s->device);
  if (!error)
    error = s->cu.version(&d->driver);
  pir_text_format(d->target, sizeof d->target, "sm_%d", major * 10 + minor);
  return error;
}

static int open_context(pir_device *d, int ordinal, void *context) {
  cuda_state *s = state_of(d);
  s->context = context;
  if (context)
    return IN_CONTEXT(d, s->cu.context_device(&s->device));
  int error = s->cu.device_get(&s->device, ordinal);
  if (!error)
    error = s->cu.primary_retain(&s->context, s->device);
  s->own_context = !error;
  return error;
}

static pir_status cuda_device_open(pir_device *d, int ordinal, void *context,
                                   pir_message *message) {
  PIR_TRY(open_driver(d, message));
  int error = open_context(d, ordinal, context);
  if (!error)
    error = describe_device(d);
  return device_check(d, error, "opening the device", message);
}

static void cuda_device_close(pir_device *d) {
  cuda_state *s = state_of(d);
  if (s->own_context)
    s->cu.primary_release(s->device);
  cuda_close(&s->cu);
}

// ---- memory

static int cuda_memory_take(const pir_device *d, size_t bytes, void **out_memory) {
  cu_pointer memory = 0;
  int error = IN_CONTEXT(d, driver_of(d)->memory_take(&memory, bytes));
  *out_memory = (void *)(uintptr_t)memory;
  return error;
}
static int cuda_memory_give(const pir_device *d, void *memory) {
  return IN_CONTEXT(d, driver_of(d)->memory_give((uintptr_t)memory));
}
static int cuda_staging_take(const pir_device *d, size_t bytes, void **out_memory) {
  return IN_CONTEXT(d, driver_of(d)->host_take(out_memory, bytes));
}
static int cuda_staging_give(const pir_device *d, void *memory) {
  return IN_CONTEXT(d, driver_of(d)->host_give(memory));
}

// ---- code

static int cuda_code_load(const pir_device *d, const void *code, void **out_module) {
  return IN_CONTEXT(d, driver_of(d)->module_load(out_module, code));
}
static int cuda_code_unload(const pir_device *d, void *module) {
  return IN_CONTEXT(d, driver_of(d)->module_unload(module));
}

static int cuda_code_find(const pir_device *d, void *module, const char *name,
                          int block_threads, pir_device_kernel *out_kernel) {
  cu_function function = NULL;
  const cuda *cu = driver_of(d);
  int blocks = 1, error = IN_CONTEXT(d, cu->module_function(&function, module, name));
  if (!error)
    error = IN_CONTEXT(d, cu->occupancy(&blocks, function, block_threads, 0));
  // Twice the number of resident blocks, so that new blocks replace those that end early.
  int most = 2 * state_of(d)->processors * (blocks > 0 ? blocks : 1);
  *out_kernel = (pir_device_kernel){function, most};
  return error;
}

// ---- streams

static int cuda_stream_create(const pir_device *d, void **out_stream) {
  return IN_CONTEXT(d, driver_of(d)->stream_create(out_stream, CU_STREAM_NON_BLOCKING));
}
static int cuda_stream_destroy(const pir_device *d, void *stream) {
  return IN_CONTEXT(d, driver_of(d)->stream_destroy(stream));
}
static int cuda_stream_wait(const pir_device *d, void *stream) {
  return IN_CONTEXT(d, driver_of(d)->stream_wait(stream));
}
static int cuda_stream_ask(const pir_device *d, void *stream, bool *out_done) {
  int error = IN_CONTEXT(d, driver_of(d)->stream_query(stream));
  *out_done = !error;
  return error == CU_ERROR_NOT_READY ? 0 : error;
}
static int cuda_copy_up(const pir_device *d, void *to, const void *from, size_t bytes,
                        void *stream) {
  return IN_CONTEXT(d, driver_of(d)->copy_up((uintptr_t)to, from, bytes, stream));
}
static int cuda_copy_down(const pir_device *d, void *to, const void *from, size_t bytes,
                          void *stream) {
  return IN_CONTEXT(d, driver_of(d)->copy_down(to, (uintptr_t)from, bytes, stream));
}
static int cuda_copy_within(const pir_device *d, void *to, const void *from, size_t bytes,
                            void *stream) {
  return IN_CONTEXT(d,
                    driver_of(d)->copy_within((uintptr_t)to, (uintptr_t)from, bytes, stream));
}
static int cuda_launch(const pir_device *d, void *function, int64_t blocks, int threads,
                       void *stream, void **arguments) {
  return IN_CONTEXT(d, driver_of(d)->launch(function, (unsigned)blocks, 1, 1, (unsigned)threads,
                                            1, 1, 0, stream, arguments, NULL));
}

// ---- events

static int cuda_event_create(const pir_device *d, bool timed, void **out_event) {
  return IN_CONTEXT(d,
                    driver_of(d)->event_create(out_event, timed ? 0 : CU_EVENT_DISABLE_TIMING));
}
static int cuda_event_destroy(const pir_device *d, void *event) {
  return IN_CONTEXT(d, driver_of(d)->event_destroy(event));
}
static int cuda_event_record(const pir_device *d, void *event, void *stream) {
  return IN_CONTEXT(d, driver_of(d)->event_record(event, stream));
}
static int cuda_event_wait(const pir_device *d, void *event) {
  return IN_CONTEXT(d, driver_of(d)->event_wait(event));
}
static int cuda_event_between(const pir_device *d, void *from, void *to,
                              float *out_milliseconds) {
  return IN_CONTEXT(d, driver_of(d)->event_between(out_milliseconds, from, to));
}

// ---- graphs

static int cuda_graph_begin(const pir_device *d, void *stream) {
  return IN_CONTEXT(d, driver_of(d)->capture_begin(stream, CU_CAPTURE_THREAD_LOCAL));
}

static int cuda_graph_end(const pir_device *d, void *stream, void **out_graph) {
  cu_graph graph = NULL;
  const cuda *cu = driver_of(d);
  int error = IN_CONTEXT(d, cu->capture_end(stream, &graph));
  if (error)
    return error;
  error = IN_CONTEXT(d, cu->graph_make(out_graph, graph, 0));
  (void)IN_CONTEXT(d, cu->graph_drop(graph));
  return error;
}

static int cuda_graph_run(const pir_device *d, void *graph, void *stream) {
  return IN_CONTEXT(d, driver_of(d)->graph_launch(graph, stream));
}
static int cuda_graph_drop(const pir_device *d, void *graph) {
  return IN_CONTEXT(d, driver_of(d)->graph_exec_drop(graph));
}

const pir_device_ops pir_device_cuda = {
    .name = "cuda",
    .title = "CUDA device",
    .state_bytes = sizeof(cuda_state),
    .open = cuda_device_open,
    .close = cuda_device_close,
    .explain = cuda_explain,
    .enter = enter_context,
    .leave = cuda_leave,
    .memory_take = cuda_memory_take,
    .memory_give = cuda_memory_give,
    .staging_take = cuda_staging_take,
    .staging_give = cuda_staging_give,
    .code_load = cuda_code_load,
    .code_unload = cuda_code_unload,
    .code_find = cuda_code_find,
    .stream_create = cuda_stream_create,
    .stream_destroy = cuda_stream_destroy,
    .stream_wait = cuda_stream_wait,
    .stream_ask = cuda_stream_ask,
    .copy_up = cuda_copy_up,
    .copy_down = cuda_copy_down,
    .copy_within = cuda_copy_within,
    .launch = cuda_launch,
    .event_create = cuda_event_create,
    .event_destroy = cuda_event_destroy,
    .event_record = cuda_event_record,
    .event_wait = cuda_event_wait,
    .event_between = cuda_event_between,
    .graph_begin = cuda_graph_begin,
    .graph_end = cuda_graph_end,
    .graph_run = cuda_graph_run,
    .graph_drop = cuda_graph_drop,
};
