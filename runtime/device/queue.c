// Queues. The work of a queue runs in order, so freed memory may be reused at once: its former
// user runs before the next one. Blocks are kept by size class (four for each power of two).
// Host memory is copied through pinned staging memory, a ring of slices; an event reports when
// a slice is free again. Downloads stay in their slice until the queue is waited for. The
// report lies behind the slices, where kernels write it only if a check fails, and the host
// reads it without a copy.
#include "device_ops.h"

#include <stdlib.h>
#include <string.h>

enum { SLICES = 8, SLICE_BYTES = 1 << 20, SMALLEST = 256, CLASSES = 4 * 48 };

typedef struct slice {
  char *memory;
  void *done;   // event
  bool busy;    // its copy may not be complete
  void *wants;  // destination of a download, or NULL
  size_t bytes;
} slice;

typedef struct block {
  struct block *next;
  void *memory;
} block;

struct pir_queue {
  pir_device *device;
  void *stream;
  bool own_stream;
  char *staging;
  pir_device_report *report;
  slice slices[SLICES];
  unsigned next;           // slice
  block *unused[CLASSES];  // memory nobody has
  pir_message message;
};

// Calls a function of the queue's device; `action` names it in messages.
#define CALL(q, action, function, ...)                                                         \
  device_check((q)->device, (q)->device->ops->function((q)->device, __VA_ARGS__), (action),    \
               &(q)->message)

// ---- making

static pir_status open_stream(pir_queue *q, void *stream) {
  q->stream = stream;
  if (!stream) {
    PIR_TRY(CALL(q, "making a stream", stream_create, &q->stream));
    q->own_stream = true;
  }
  void *staging = NULL;
  PIR_TRY(CALL(q, "taking pinned memory", staging_take,
               (size_t)SLICES * SLICE_BYTES + sizeof *q->report, &staging));
  q->staging = staging;
  q->report = (pir_device_report *)(q->staging + (size_t)SLICES * SLICE_BYTES);
  *q->report = (pir_device_report){0};
  for (int i = 0; i < SLICES; i++) {
    q->slices[i].memory = q->staging + (size_t)i * SLICE_BYTES;
    PIR_TRY(CALL(q, "making an event", event_create, false, &q->slices[i].done));
  }
  return PIR_OK;
}

pir_status pir_queue_create(pir_device *device, void *stream, pir_queue **out_queue,
                            pir_message *message) {
  *out_queue = NULL;
  pir_queue *q = calloc(1, sizeof *q);
  if (!q)
    return device_without_memory("making a queue", message);
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
  const pir_device *d = q->device;
  if (q->stream)
    (void)d->ops->stream_wait(d, q->stream);
  (void)pir_queue_trim(q);
  for (int i = 0; i < SLICES; i++)
    if (q->slices[i].done)
      (void)d->ops->event_destroy(d, q->slices[i].done);
  if (q->staging)
    (void)d->ops->staging_give(d, q->staging);
  if (q->own_stream)
    (void)d->ops->stream_destroy(d, q->stream);
  free(q);
}

const char *pir_queue_message(const pir_queue *q) {
  return q->message.text;
}

// ---- memory

// Returns the size class, and the block size of the class.
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
    return device_without_memory("taking memory", &q->message);
  block *b = q->unused[class];
  if (b) {
    q->unused[class] = b->next;
    *out_memory = b->memory;
    free(b);
    return PIR_OK;
  }
  pir_status status = CALL(q, "taking memory", memory_take, size, out_memory);
  if (status == PIR_EXHAUSTED && pir_queue_trim(q))
    status = CALL(q, "taking memory", memory_take, size, out_memory);
  if (status)
    *out_memory = NULL;
  return status;
}

void pir_queue_give(pir_queue *q, void *memory, size_t bytes) {
  size_t size;
  if (!memory)
    return;
  unsigned class = class_of(bytes, &size);
  block *b = malloc(sizeof *b);
  if (!b) {  // memory_give waits for the device by itself
    (void)q->device->ops->memory_give(q->device, memory);
    return;
  }
  *b = (block){q->unused[class], memory};
  q->unused[class] = b;
}

size_t pir_queue_trim(pir_queue *q) {
  size_t freed = 0;
  for (unsigned class = 0; class < CLASSES; class ++) {
    size_t base = (size_t)SMALLEST << class / 4, size = base + base / 4 * (class % 4);
    for (block *b = q->unused[class], *next; b; b = next) {
      next = b->next;
      (void)q->device->ops->memory_give(q->device, b->memory);
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
  PIR_TRY(CALL(q, "waiting", event_wait, s->done));
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
  PIR_TRY(CALL(q, "recording an event", event_record, s->done, q->stream));
  s->busy = true;
  return PIR_OK;
}

pir_status pir_queue_upload(pir_queue *q, void *to, const void *from, size_t bytes) {
  for (size_t at = 0, n; at < bytes; at += n) {
    slice *s;
    n = bytes - at < SLICE_BYTES ? bytes - at : SLICE_BYTES;
    PIR_TRY(next_slice(q, &s));
    memcpy(s->memory, (const char *)from + at, n);
    PIR_TRY(
        CALL(q, "copying to the device", copy_up, (char *)to + at, s->memory, n, q->stream));
    PIR_TRY(copied(q, s));
  }
  return PIR_OK;
}

pir_status pir_queue_download(pir_queue *q, void *to, const void *from, size_t bytes) {
  for (size_t at = 0, n; at < bytes; at += n) {
    slice *s;
    n = bytes - at < SLICE_BYTES ? bytes - at : SLICE_BYTES;
    PIR_TRY(next_slice(q, &s));
    PIR_TRY(CALL(q, "copying from the device", copy_down, s->memory, (const char *)from + at, n,
                 q->stream));
    s->wants = (char *)to + at;
    s->bytes = n;
    PIR_TRY(copied(q, s));
  }
  return PIR_OK;
}

pir_status pir_queue_copy(pir_queue *q, void *to, const void *from, size_t bytes) {
  return CALL(q, "copying on the device", copy_within, to, from, bytes, q->stream);
}

pir_status pir_queue_wait(pir_queue *q) {
  PIR_TRY(CALL(q, "the work of the stream", stream_wait, q->stream));
  for (unsigned i = 0; i < SLICES; i++)
    PIR_TRY(finish_slice(q, &q->slices[(q->next + i) % SLICES]));
  return PIR_OK;
}

void pir_queue_abandon(pir_queue *q) {
  (void)q->device->ops->stream_wait(q->device, q->stream);
  for (unsigned i = 0; i < SLICES; i++) {
    q->slices[i].busy = false;
    q->slices[i].wants = NULL;
  }
  *q->report = (pir_device_report){0};
}

pir_device_report *pir_queue_report(pir_queue *q) {
  return q->report;
}

// ---- kernels

pir_status pir_queue_launch(pir_queue *q, const pir_device_kernel *kernel, int64_t blocks,
                            int threads, void **arguments) {
  if (blocks > kernel->most_blocks)
    blocks = kernel->most_blocks;
  return CALL(q, "launching a kernel", launch, kernel->function, blocks, threads, q->stream,
              arguments);
}

pir_status pir_queue_mark(pir_queue *q, pir_device_mark *mark) {
  if (!mark->event)
    PIR_TRY(CALL(q, "making an event", event_create, true, &mark->event));
  return CALL(q, "recording an event", event_record, mark->event, q->stream);
}

uint64_t pir_queue_between(pir_queue *q, const pir_device_mark *from,
                           const pir_device_mark *to) {
  float ms = 0;
  if (CALL(q, "reading a time", event_between, from->event, to->event, &ms) || !(ms > 0))
    return 0;
  return (uint64_t)((double)ms * 1e6);
}

void pir_queue_drop_mark(pir_queue *q, pir_device_mark *mark) {
  if (mark->event)
    (void)q->device->ops->event_destroy(q->device, mark->event);
  mark->event = NULL;
}

// ---- graphs

pir_status pir_queue_begin_graph(pir_queue *q) {
  return CALL(q, "beginning a graph", graph_begin, q->stream);
}

pir_status pir_queue_end_graph(pir_queue *q, pir_device_graph **out_graph) {
  void *graph = NULL;
  pir_status status = CALL(q, "making a graph", graph_end, q->stream, &graph);
  *out_graph = status ? NULL : graph;
  return status;
}

pir_status pir_queue_run_graph(pir_queue *q, pir_device_graph *graph) {
  return CALL(q, "running a graph", graph_run, graph, q->stream);
}

void pir_queue_drop_graph(pir_queue *q, pir_device_graph *graph) {
  if (graph)
    (void)q->device->ops->graph_drop(q->device, graph);
}
