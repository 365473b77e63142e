// Queues. Work of a queue runs in order, so memory that was given back may be handed out again
// at once: what used it comes before what will. Blocks are kept by size class (four a power of
// two). Host memory is copied through pinned staging, a ring of slices; an event says when a
// slice is free again. Downloads stay in their slice until the queue is waited for.
#include "device_impl.h"

#include <stdlib.h>
#include <string.h>

enum { SLICES = 8, SLICE_BYTES = 1 << 20, SMALLEST = 256, CLASSES = 4 * 48 };

typedef struct slice {
  char *memory;
  cu_event done;
  bool busy;    // its copy may not have been made
  void *wants;  // where a download goes, or NULL
  size_t bytes;
} slice;

typedef struct block {
  struct block *next;
  cu_pointer memory;
} block;

struct pir_queue {
  pir_device *device;
  cu_stream stream;
  bool own_stream;
  char *staging;
  slice slices[SLICES];
  unsigned next;           // slice
  block *unused[CLASSES];  // memory nobody has
  pir_message message;
};

struct pir_device_graph {
  cu_graph_exec exec;
};

#define CALL(q, what, call)                                                                    \
  device_check((q)->device, IN_CONTEXT((q)->device, (call)), (what), &(q)->message)

// ---- making

static pir_status open_stream(pir_queue *q, void *stream) {
  const cuda *cu = &q->device->cu;
  q->stream = stream;
  if (!stream) {
    PIR_TRY(CALL(q, "making a stream", cu->stream_create(&q->stream, CU_STREAM_NON_BLOCKING)));
    q->own_stream = true;
  }
  void *staging = NULL;
  PIR_TRY(
      CALL(q, "taking pinned memory", cu->host_take(&staging, (size_t)SLICES * SLICE_BYTES)));
  q->staging = staging;
  for (int i = 0; i < SLICES; i++) {
    q->slices[i].memory = q->staging + (size_t)i * SLICE_BYTES;
    PIR_TRY(CALL(q, "making an event",
                 cu->event_create(&q->slices[i].done, CU_EVENT_DISABLE_TIMING)));
  }
  return PIR_OK;
}

pir_status pir_queue_create(pir_device *device, void *stream, pir_queue **out_queue,
                            pir_message *message) {
  *out_queue = NULL;
  pir_queue *q = calloc(1, sizeof *q);
  if (!q)
    return PIR_EXHAUSTED;
  q->device = device;
  pir_status status = open_stream(q, stream);
  *message = q->message;
  if (status)
    pir_queue_destroy(q);
  else
    *out_queue = q;
  return status;
}

void pir_queue_destroy(pir_queue *q) {
  if (!q)
    return;
  const cuda *cu = &q->device->cu;
  if (q->stream)
    (void)IN_CONTEXT(q->device, cu->stream_wait(q->stream));
  (void)pir_queue_trim(q);
  for (int i = 0; i < SLICES; i++)
    if (q->slices[i].done)
      (void)IN_CONTEXT(q->device, cu->event_destroy(q->slices[i].done));
  if (q->staging)
    (void)IN_CONTEXT(q->device, cu->host_give(q->staging));
  if (q->own_stream)
    (void)IN_CONTEXT(q->device, cu->stream_destroy(q->stream));
  free(q);
}

const char *pir_queue_message(const pir_queue *q) {
  return q->message.text;
}

// ---- memory

// The class of a size, and the bytes that blocks of it have.
static unsigned class_of(size_t bytes, size_t *out_bytes) {
  unsigned class = 0;
  size_t size = SMALLEST;
  while (size < bytes && class < CLASSES) {
    size_t base = (size_t)SMALLEST << class / 4;
    class ++;
    size = class % 4 ? base + base / 4 * (class % 4) : (size_t)SMALLEST << class / 4;
  }
  *out_bytes = size;
  return class;
}

pir_status pir_queue_take(pir_queue *q, size_t bytes, void **out_memory) {
  size_t size;
  unsigned class = class_of(bytes, &size);
  *out_memory = NULL;
  if (class >= CLASSES)
    return PIR_EXHAUSTED;
  block *b = q->unused[class];
  cu_pointer memory = 0;
  if (b) {
    q->unused[class] = b->next;
    memory = b->memory;
    free(b);
  } else {
    pir_status status = CALL(q, "taking memory", q->device->cu.memory_take(&memory, size));
    if (status == PIR_EXHAUSTED && pir_queue_trim(q))
      status = CALL(q, "taking memory", q->device->cu.memory_take(&memory, size));
    if (status)
      return status;
  }
  *out_memory = (void *)(uintptr_t)memory;
  return PIR_OK;
}

void pir_queue_give(pir_queue *q, void *memory, size_t bytes) {
  size_t size;
  if (!memory)
    return;
  unsigned class = class_of(bytes, &size);
  block *b = malloc(sizeof *b);
  if (!b) {  // memory_give waits for the device by itself
    (void)IN_CONTEXT(q->device, q->device->cu.memory_give((uintptr_t)memory));
    return;
  }
  *b = (block){q->unused[class], (uintptr_t)memory};
  q->unused[class] = b;
}

size_t pir_queue_trim(pir_queue *q) {
  size_t freed = 0;
  for (unsigned class = 0; class < CLASSES; class ++) {
    size_t base = (size_t)SMALLEST << class / 4, size = base + base / 4 * (class % 4);
    for (block *b = q->unused[class], *next; b; b = next) {
      next = b->next;
      (void)IN_CONTEXT(q->device, q->device->cu.memory_give(b->memory));
      free(b);
      freed += size;
    }
    q->unused[class] = NULL;
  }
  return freed;
}

// ---- copies

static pir_status finish_slice(pir_queue *q, slice *s) {
  if (!s->busy)
    return PIR_OK;
  PIR_TRY(CALL(q, "waiting", q->device->cu.event_wait(s->done)));
  s->busy = false;
  if (s->wants)
    memcpy(s->wants, s->memory, s->bytes);
  s->wants = NULL;
  return PIR_OK;
}

static pir_status next_slice(pir_queue *q, slice **out) {
  slice *s = *out = &q->slices[q->next];
  q->next = (q->next + 1) % SLICES;
  return finish_slice(q, s);
}

static pir_status copied(pir_queue *q, slice *s) {
  PIR_TRY(CALL(q, "recording an event", q->device->cu.event_record(s->done, q->stream)));
  s->busy = true;
  return PIR_OK;
}

pir_status pir_queue_upload(pir_queue *q, void *to, const void *from, size_t bytes) {
  const cuda *cu = &q->device->cu;
  for (size_t at = 0, n; at < bytes; at += n) {
    slice *s;
    n = bytes - at < SLICE_BYTES ? bytes - at : SLICE_BYTES;
    PIR_TRY(next_slice(q, &s));
    memcpy(s->memory, (const char *)from + at, n);
    PIR_TRY(CALL(q, "copying to the device",
                 cu->copy_up((uintptr_t)to + at, s->memory, n, q->stream)));
    PIR_TRY(copied(q, s));
  }
  return PIR_OK;
}

pir_status pir_queue_download(pir_queue *q, void *to, const void *from, size_t bytes) {
  const cuda *cu = &q->device->cu;
  for (size_t at = 0, n; at < bytes; at += n) {
    slice *s;
    n = bytes - at < SLICE_BYTES ? bytes - at : SLICE_BYTES;
    PIR_TRY(next_slice(q, &s));
    PIR_TRY(CALL(q, "copying from the device",
                 cu->copy_down(s->memory, (uintptr_t)from + at, n, q->stream)));
    s->wants = (char *)to + at;
    s->bytes = n;
    PIR_TRY(copied(q, s));
  }
  return PIR_OK;
}

pir_status pir_queue_wait(pir_queue *q) {
  PIR_TRY(CALL(q, "the work of the stream", q->device->cu.stream_wait(q->stream)));
  for (unsigned i = 0; i < SLICES; i++)
    PIR_TRY(finish_slice(q, &q->slices[(q->next + i) % SLICES]));
  return PIR_OK;
}

// ---- kernels

pir_status pir_queue_launch(pir_queue *q, const pir_device_kernel *kernel, int64_t blocks,
                            int threads, void **arguments) {
  if (blocks > kernel->most_blocks)
    blocks = kernel->most_blocks;
  return CALL(q, "launching a kernel",
              q->device->cu.launch(kernel->function, (unsigned)blocks, 1, 1, (unsigned)threads,
                                   1, 1, 0, q->stream, arguments, NULL));
}

pir_status pir_queue_mark(pir_queue *q, pir_device_mark *mark) {
  cu_event event = mark->event;
  if (!event)
    PIR_TRY(CALL(q, "making an event", q->device->cu.event_create(&event, 0)));
  mark->event = event;
  return CALL(q, "recording an event", q->device->cu.event_record(event, q->stream));
}

uint64_t pir_queue_between(pir_queue *q, const pir_device_mark *from,
                           const pir_device_mark *to) {
  float ms = 0;
  if (CALL(q, "reading a time", q->device->cu.event_between(&ms, from->event, to->event)) ||
      !(ms > 0))
    return 0;
  return (uint64_t)((double)ms * 1e6);
}

void pir_queue_drop_mark(pir_queue *q, pir_device_mark *mark) {
  if (mark->event)
    (void)IN_CONTEXT(q->device, q->device->cu.event_destroy(mark->event));
  mark->event = NULL;
}

// ---- graphs

pir_status pir_queue_begin_graph(pir_queue *q) {
  return CALL(q, "capturing a graph",
              q->device->cu.capture_begin(q->stream, CU_CAPTURE_THREAD_LOCAL));
}

pir_status pir_queue_end_graph(pir_queue *q, pir_device_graph **out_graph) {
  const cuda *cu = &q->device->cu;
  cu_graph graph = NULL;
  *out_graph = NULL;
  PIR_TRY(CALL(q, "capturing a graph", cu->capture_end(q->stream, &graph)));
  pir_device_graph *made = calloc(1, sizeof *made);
  pir_status status =
      made ? CALL(q, "making a graph", cu->graph_make(&made->exec, graph, 0)) : PIR_EXHAUSTED;
  (void)IN_CONTEXT(q->device, cu->graph_drop(graph));
  if (status)
    free(made);
  else
    *out_graph = made;
  return status;
}

pir_status pir_queue_run_graph(pir_queue *q, pir_device_graph *graph) {
  return CALL(q, "running a graph", q->device->cu.graph_launch(graph->exec, q->stream));
}

void pir_queue_drop_graph(pir_queue *q, pir_device_graph *graph) {
  if (!graph)
    return;
  (void)IN_CONTEXT(q->device, q->device->cu.graph_exec_drop(graph->exec));
  free(graph);
}
