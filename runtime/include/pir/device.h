// CUDA devices, by the driver API that is opened at run time: nothing of CUDA is needed to
// build or install libpir.
//
// A pir_device is a context with the code loaded into it; a pir_queue is a stream with a memory
// pool and staging memory. A device may be used from any number of threads, a queue from one at
// a time. Calls that take a queue only enqueue, but for pir_queue_wait.
#ifndef PIR_DEVICE_H
#define PIR_DEVICE_H

#include <pir/base.h>
#include <pir/kernel.h>

PIR_BEGIN

typedef struct pir_device pir_device;
typedef struct pir_queue pir_queue;
typedef struct pir_device_code pir_device_code;
typedef struct pir_device_graph pir_device_graph;

// Opens device `ordinal`, or takes the caller's context (a CUcontext) when it is not NULL.
// PIR_UNAVAILABLE, with a sentence that says what is missing, where there is no driver or no
// device.
PIR_API pir_status pir_device_open(int ordinal, void *context, pir_device **out_device,
                                   pir_message *message);
PIR_API void pir_device_close(pir_device *device);
PIR_API int pir_device_arch(const pir_device *device);  // 90 for compute capability 9.0
PIR_API int
pir_device_driver(const pir_device *device);  // version of the driver's CUDA, as 13000
PIR_API const char *pir_device_name(const pir_device *device);

// Loads a CUBIN. Kernels belong to their code.
typedef struct pir_device_kernel {
  void *function;
  int most_blocks;  // that fill the device
} pir_device_kernel;
PIR_API pir_status pir_device_load(pir_device *device, const void *code,
                                   pir_device_code **out_code, pir_message *message);
PIR_API pir_status pir_device_find(pir_device_code *code, const char *name, int block_threads,
                                   pir_device_kernel *out_kernel, pir_message *message);
PIR_API void pir_device_unload(pir_device_code *code);

// `stream`: the caller's CUstream, or NULL for one of its own.
PIR_API pir_status pir_queue_create(pir_device *device, void *stream, pir_queue **out_queue,
                                    pir_message *message);
PIR_API void pir_queue_destroy(pir_queue *queue);

// Memory whose last use is on this queue is taken again at once: work runs in order. Aligned to
// 256 bytes.
PIR_API pir_status pir_queue_take(pir_queue *queue, size_t bytes, void **out_memory);
PIR_API void pir_queue_give(pir_queue *queue, void *memory, size_t bytes);
PIR_API size_t
pir_queue_trim(pir_queue *queue);  // gives unused memory back to the device; returns the bytes

// The source may change when this returns.
PIR_API pir_status pir_queue_upload(pir_queue *queue, void *to, const void *from, size_t bytes);
// The destination holds the bytes after the next pir_queue_wait.
PIR_API pir_status pir_queue_download(pir_queue *queue, void *to, const void *from,
                                      size_t bytes);
PIR_API pir_status pir_queue_launch(pir_queue *queue, const pir_device_kernel *kernel,
                                    int64_t blocks, int threads, void **arguments);
// Until everything enqueued has been done.
PIR_API pir_status pir_queue_wait(pir_queue *queue);
PIR_API const char *pir_queue_message(const pir_queue *queue);  // of the last failure

// Nanoseconds on the device between two marks, once both were reached.
typedef struct pir_device_mark {
  void *event;
} pir_device_mark;
PIR_API pir_status pir_queue_mark(pir_queue *queue, pir_device_mark *mark);
PIR_API uint64_t pir_queue_between(pir_queue *queue, const pir_device_mark *from,
                                   const pir_device_mark *to);
PIR_API void pir_queue_drop_mark(pir_queue *queue, pir_device_mark *mark);

// What is launched between begin and end is kept as a graph, not run.
PIR_API pir_status pir_queue_begin_graph(pir_queue *queue);
PIR_API pir_status pir_queue_end_graph(pir_queue *queue, pir_device_graph **out_graph);
PIR_API pir_status pir_queue_run_graph(pir_queue *queue, pir_device_graph *graph);
PIR_API void pir_queue_drop_graph(pir_queue *queue, pir_device_graph *graph);

PIR_END
#endif
