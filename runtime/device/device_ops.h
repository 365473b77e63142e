// The record of a kind of device: the functions by which devices and queues drive it. A kind is
// a folder that defines one record, and a row of pir/layer/devices.def
// (docs/steps/add-a-device.md). The processor has no record: what runs there needs no
// transfers, queues or loading.
#ifndef PIR_DEVICE_OPS_H
#define PIR_DEVICE_OPS_H

#include <pir/engine/device.h>

typedef struct pir_device_ops pir_device_ops;

struct pir_device {
  const pir_device_ops *ops;
  void *state;  // the kind's state: `state_bytes` bytes, zeroed before `open`
  // These are filled by `open`.
  char name[128];   // product name
  char target[32];  // name of the target to compile for (pir_target_get)
  int driver;       // driver version, part of the key of compiled code
};

// Functions return 0 or an error of the driver, which `explain` translates. Handles are void
// pointers that only the kind looks into. Any number of threads call these functions at the
// same time; of one stream, one thread at a time. Functions that take a stream enqueue their
// work, but for `stream_wait` and `stream_ask`.
struct pir_device_ops {
  const char *name;    // the target, as in pir/layer/devices.def
  const char *title;   // begins messages, as "CUDA device"
  size_t state_bytes;  // size of pir_device.state

  // Opens the driver, and device number `ordinal` or the caller's `context` where it is not
  // NULL. A failure has its text in `message`; `close` is called then, too.
  pir_status (*open)(pir_device *device, int ordinal, void *context, pir_message *message);
  void (*close)(pir_device *device);
  // Returns the status of an error (PIR_EXHAUSTED, PIR_UNAVAILABLE, PIR_INVALID, PIR_IO, else
  // PIR_INTERNAL) and its text, or NULL.
  pir_status (*explain)(const pir_device *device, int error, const char **out_text);

  // Makes the device the calling thread's current one, for calls of other libraries of its
  // maker, and puts back the one before.
  int (*enter)(const pir_device *device);
  int (*leave)(const pir_device *device);

  // Memory of the device, aligned to 256 bytes. Freeing waits for work that uses it.
  int (*memory_take)(const pir_device *device, size_t bytes, void **out_memory);
  int (*memory_give)(const pir_device *device, void *memory);
  // Memory of the host for copies that run while the host does other work. Kernels may write
  // to it, by the same address.
  int (*staging_take)(const pir_device *device, size_t bytes, void **out_memory);
  int (*staging_give)(const pir_device *device, void *memory);

  // Code and its kernels; `most_blocks` is the number of blocks that saturates the device.
  int (*code_load)(const pir_device *device, const void *code, void **out_module);
  int (*code_unload)(const pir_device *device, void *module);
  int (*code_find)(const pir_device *device, void *module, const char *name, int block_threads,
                   pir_device_kernel *out_kernel);

  int (*stream_create)(const pir_device *device, void **out_stream);
  int (*stream_destroy)(const pir_device *device, void *stream);
  int (*stream_wait)(const pir_device *device, void *stream);
  // Whether the stream's work is done, without waiting.
  int (*stream_ask)(const pir_device *device, void *stream, bool *out_done);
  // Copies to, from and within the device; the host's side is memory of staging_take.
  int (*copy_up)(const pir_device *device, void *to, const void *from, size_t bytes,
                 void *stream);
  int (*copy_down)(const pir_device *device, void *to, const void *from, size_t bytes,
                   void *stream);
  int (*copy_within)(const pir_device *device, void *to, const void *from, size_t bytes,
                     void *stream);
  int (*launch)(const pir_device *device, void *function, int64_t blocks, int threads,
                void *stream, void **arguments);

  // Events: points in the order of a stream's work. event_between measures milliseconds and
  // needs `timed` events.
  int (*event_create)(const pir_device *device, bool timed, void **out_event);
  int (*event_destroy)(const pir_device *device, void *event);
  int (*event_record)(const pir_device *device, void *event, void *stream);
  int (*event_wait)(const pir_device *device, void *event);
  int (*event_between)(const pir_device *device, void *from, void *to, float *out_milliseconds);

  // Graphs: launches that are recorded once and enqueued together. A device without graphs
  // returns an error from graph_begin; kernels are then launched one by one.
  int (*graph_begin)(const pir_device *device, void *stream);
  int (*graph_end)(const pir_device *device, void *stream, void **out_graph);
  int (*graph_run)(const pir_device *device, void *graph, void *stream);
  int (*graph_drop)(const pir_device *device, void *graph);
};

#define DEVICE(name, ...) extern const pir_device_ops pir_device_##name;
#include <pir/layer/devices.def>
#undef DEVICE

// The records of all kinds, and NULL: of libpir in kinds.c, of the runtime library for compiled
// models, whose code is for processors, in no_kinds.c.
extern const pir_device_ops *const device_kinds[];

// Returns PIR_OK, or the status of `error` with a message that names the failed action.
pir_status device_check(const pir_device *device, int error, const char *action,
                        pir_message *message);

// Returns PIR_EXHAUSTED, with a message that names the failed action: a lack of memory that the
// driver was not asked for.
pir_status device_without_memory(const char *action, pir_message *message);

#endif
