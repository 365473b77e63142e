// Devices beside the processor, of every kind that libpir knows (docs/explain/cuda.md,
// docs/steps/add-a-device.md). A device's driver is opened at run time: nothing of it is needed
// to build or install the library.
//
// A pir_device is a context with the code loaded into it; a pir_queue is a stream with a memory
// pool and staging memory. Any number of threads may use a device, one thread at a time a
// queue. Functions that take a queue only enqueue work, but for pir_queue_wait. Their failures
// are in pir_queue_message: PIR_EXHAUSTED when the device's memory runs out, PIR_INVALID for an
// invalid context or stream of the caller's, PIR_IO for broken memory, else PIR_INTERNAL.
#ifndef PIR_DEVICE_H
#define PIR_DEVICE_H

#include <pir/base.h>

PIR_BEGIN

typedef struct pir_device pir_device;
typedef struct pir_queue pir_queue;
typedef struct pir_device_code pir_device_code;
typedef struct pir_device_graph pir_device_graph;

// ---- devices

// Returns whether `target` names a kind of device: "cuda" does, "native" and "sm_90" do not.
PIR_API bool pir_device_is_kind(const char *target);
// Opens device number `ordinal` of a kind, or uses the caller's context (of the driver's API, a
// CUcontext, say) when it is not NULL. The caller closes the device. PIR_UNAVAILABLE when there
// is no driver or no device: `message` names the missing part. PIR_INVALID: no such kind.
PIR_API PIR_NODISCARD pir_status pir_device_open(const char *kind, int ordinal, void *context,
                                                 pir_device **out_device, pir_message *message);
// Closes a device without code and queues; a context of the caller's stays. NULL does nothing.
PIR_API void pir_device_close(pir_device *device);
// Returns the name of the target that code for this very device is compiled for, "sm_90", say;
// it lives as long as the device.
PIR_API const char *pir_device_target(const pir_device *device);
// Returns the version of the driver, by the driver's own count.
PIR_API int pir_device_driver(const pir_device *device);
// Returns the product's name, which lives as long as the device.
PIR_API const char *pir_device_name(const pir_device *device);

// ---- code

// A kernel of loaded code; it is valid as long as the code.
typedef struct pir_device_kernel {
  // The driver's handle.
  void *function;
  // The number of blocks that fills the device; more are not launched.
  int most_blocks;
} pir_device_kernel;

// Loads compiled code, which need not outlive the call. The caller unloads it.
PIR_API PIR_NODISCARD pir_status pir_device_load(pir_device *device, const void *code,
                                                 pir_device_code **out_code,
                                                 pir_message *message);
// Looks a kernel up by name, for blocks of `block_threads` threads.
PIR_API PIR_NODISCARD pir_status pir_device_find(pir_device_code *code, const char *name,
                                                 int block_threads,
                                                 pir_device_kernel *out_kernel,
                                                 pir_message *message);
// Unloads code that no queue runs any more. NULL does nothing.
PIR_API void pir_device_unload(pir_device_code *code);

// ---- queues and their memory

// Creates a queue on the caller's stream (of the driver's API), or on one of its own when it is
// NULL. The caller destroys it.
PIR_API PIR_NODISCARD pir_status pir_queue_create(pir_device *device, void *stream,
                                                  pir_queue **out_queue, pir_message *message);
// Waits for the queue's work and destroys it; a stream of the caller's stays. NULL does
// nothing.
PIR_API void pir_queue_destroy(pir_queue *queue);

// Allocates device memory, aligned to 256 bytes. Freed memory is reused at once, because work
// runs in order.
PIR_API PIR_NODISCARD pir_status pir_queue_take(pir_queue *queue, size_t bytes,
                                                void **out_memory);
// Frees memory of pir_queue_take, with the size it was allocated with; work that uses it may
// still be enqueued. NULL does nothing.
PIR_API void pir_queue_give(pir_queue *queue, void *memory, size_t bytes);
// Frees the unused memory of the pool for other queues and programs; returns the bytes.
PIR_API size_t pir_queue_trim(pir_queue *queue);

// ---- work

// Copies from host memory, which may change when the call returns, to the device.
PIR_API PIR_NODISCARD pir_status pir_queue_upload(pir_queue *queue, void *to, const void *from,
                                                  size_t bytes);
// Copies from the device to host memory, which holds the bytes after the next pir_queue_wait
// and must live until then.
PIR_API PIR_NODISCARD pir_status pir_queue_download(pir_queue *queue, void *to,
                                                    const void *from, size_t bytes);
// Copies within the device; the memory must not overlap.
PIR_API PIR_NODISCARD pir_status pir_queue_copy(pir_queue *queue, void *to, const void *from,
                                                size_t bytes);
// Starts a kernel with at most `blocks` blocks of `threads` threads. `arguments` are pointers
// to its parameters, which are copied.
PIR_API PIR_NODISCARD pir_status pir_queue_launch(pir_queue *queue,
                                                  const pir_device_kernel *kernel,
                                                  int64_t blocks, int threads,
                                                  void **arguments);
// Waits until all work of the queue is done, and reports what failed on the way.
PIR_API PIR_NODISCARD pir_status pir_queue_wait(pir_queue *queue);
// After a failure: waits until no work of the queue runs, drops its downloads, whose host
// memory may go then, and empties its report.
PIR_API void pir_queue_abandon(pir_queue *queue);

// A check of its data that failed in a kernel.
typedef struct pir_device_report {
  // Number of the launch, which the host gave the kernel.
  uint64_t launch;
  // Number of the check in the kernel's group, from 1 on; 0: none failed.
  uint64_t check;
} pir_device_report;

// Returns the report of the first check that failed in the queue's work since the report was
// emptied, by setting it to 0. Kernels write it by this address, which is valid as long as the
// queue; the host may read it after pir_queue_wait.
PIR_API pir_device_report *pir_queue_report(pir_queue *queue);
// Returns the text of the queue's last failure; it lives until the next one.
PIR_API const char *pir_queue_message(const pir_queue *queue);

// ---- time on the device

// A point in the order of a queue's work. Zero it before it is first set.
typedef struct pir_device_mark {
  // The driver's handle.
  void *event;
} pir_device_mark;

// Sets a mark behind the work that is enqueued; a mark may be set again.
PIR_API PIR_NODISCARD pir_status pir_queue_mark(pir_queue *queue, pir_device_mark *mark);
// Returns the nanoseconds between two marks that were both reached; 0 when they were not.
PIR_API uint64_t pir_queue_between(pir_queue *queue, const pir_device_mark *from,
                                   const pir_device_mark *to);
// Frees a mark, and zeroes it.
PIR_API void pir_queue_drop_mark(pir_queue *queue, pir_device_mark *mark);

// ---- graphs

// Begins to record launches instead of running them.
PIR_API PIR_NODISCARD pir_status pir_queue_begin_graph(pir_queue *queue);
// Ends the recording and makes a graph of it, which the caller drops.
PIR_API PIR_NODISCARD pir_status pir_queue_end_graph(pir_queue *queue,
                                                     pir_device_graph **out_graph);
// Enqueues all launches of a graph at once, with the arguments that were recorded.
PIR_API PIR_NODISCARD pir_status pir_queue_run_graph(pir_queue *queue, pir_device_graph *graph);
// Frees a graph that does not run any more. NULL does nothing.
PIR_API void pir_queue_drop_graph(pir_queue *queue, pir_device_graph *graph);

PIR_END
#endif
