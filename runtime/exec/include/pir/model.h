// Running programs: a model is compiled once and immutable; sessions run it, one a thread. A
// model, session or tensor that is NULL is PIR_INVALID, or none; where results go to (`out_`)
// must be given.
//
// Thread safety: a pir_model may be used from any number of threads; a pir_session from one at
// a time.
#ifndef PIR_MODEL_H
#define PIR_MODEL_H

#include <pir/base.h>
#include <pir/diag.h>
#include <pir/parallel.h>
#include <pir/program.h>
#include <pir/tensor.h>

// An int that one thread may write while another reads it.
#ifdef __cplusplus
#include <atomic>
typedef std::atomic<int> pir_atomic_int;
#else
#include <stdatomic.h>
typedef atomic_int pir_atomic_int;
#endif

PIR_BEGIN

typedef struct pir_model pir_model;
typedef struct pir_session pir_session;

typedef struct pir_model_options {
  size_t size;           // sizeof(pir_model_options)
  const char *pipeline;  // "compile" (default), "kernels", or pass pipeline text
  const char
      *target;  // "native" (default), "x86-64", "x86-64-v3", "x86-64-v4", "aarch64", "cuda"
  const char *math;     // "strict" (default), "fast", "bf16"
  const char *cache;    // folder of compiled code and prepared models; NULL: none
  int compile_threads;  // 0: as many as the machine has
  pir_diag_sink sink;   // where diagnostics go; none by default
  pir_allocator allocator;
  struct pir_custom_set *custom_ops;  // known to the programs that pir_model_load reads
                                      // (pir/custom.h); may be NULL
  // f16 and bf16 compute wherever f32 does. Without it an op that Paddle computes on GPUs alone
  // in such a type is refused, as Paddle's CPU build refuses it.
  bool any_float;
  void *cuda_context;  // target "cuda": the caller's CUcontext, or NULL for the device's
                       // primary one
  int cuda_device;     // without a context: which
} pir_model_options;

// Verifies a program (pir/verify.h) and compiles it; it is cloned, so the caller's stays as it
// is. `options` may be NULL.
PIR_API pir_status pir_model_create(const pir_program *program,
                                    const pir_model_options *options, pir_model **out_model);

// Loads a program of any format from memory with its combined parameter file (`params.data` may
// be NULL when the program has none) and compiles it.
PIR_API pir_status pir_model_load(pir_borrowed program, pir_borrowed params,
                                  const pir_model_options *options, pir_model **out_model);
// The same from files, mapped. `params` NULL: beside the model (same stem, else the only
// .pdiparams), or a folder.
PIR_API pir_status pir_model_load_file(const char *path, const char *params,
                                       const pir_model_options *options, pir_model **out_model);
// Compiles the program for another machine: what is put in the folder `cache` is all the code
// that a model of the same program and options is made of there, by a libpir of the same
// sources, without LLVM. `target` is any processor.
PIR_API pir_status pir_model_compile_ahead(const pir_program *program,
                                           const pir_model_options *options);

PIR_API void pir_model_retain(pir_model *model);
PIR_API void pir_model_release(pir_model *model);

typedef struct pir_port {
  pir_str name;
  pir_dtype dtype;
  int32_t rank;
  int64_t shape[PIR_MAX_RANK];  // -1 where it varies
} pir_port;

// Beyond the last: a port without name and element type, of rank -1.
PIR_API size_t pir_model_inputs(const pir_model *model);
PIR_API pir_port pir_model_input(const pir_model *model, size_t i);
PIR_API size_t pir_model_outputs(const pir_model *model);
PIR_API pir_port pir_model_output(const pir_model *model, size_t i);

typedef struct pir_model_stats {
  uint64_t ops, instructions, kernels_compiled, kernels_called, cache_hits;
  uint64_t compile_ns, weight_bytes, packed_bytes, code_bytes;
  uint64_t load_ns;         // reading the program, by pir_model_load and pir_model_load_file
  uint64_t prepared_bytes;  // mapped from the cache in place of all that; 0: it was not there
} pir_model_stats;
PIR_API pir_model_stats pir_model_stats_of(const pir_model *model);

// One instruction of a run, told when it ends. `label` names its ops and lives as long as the
// model; `bytes` are those of its operands and results, `flops` the arithmetic operations its
// ops ask for (2 a multiply-add; 0 unknown).
typedef struct pir_span {
  const char *label;
  bool compiled;
  uint64_t start_ns, end_ns;  // of CLOCK_MONOTONIC
  uint64_t bytes, flops;
} pir_span;

typedef struct pir_session_options {
  size_t size;            // sizeof(pir_session_options)
  int threads;            // of the session's own pool; 0 and 1: the calling thread alone
  pir_parallel parallel;  // the caller's, when parallel_for is not NULL
  pir_allocator allocator;
  const pir_atomic_int *cancel;  // non-zero stops a run soon, with PIR_CANCELLED; or NULL
  size_t max_bytes;              // of arena and results; 0: unlimited
  void (*trace)(void *user, const pir_span *span);  // on the thread that runs; may be NULL
  void *trace_user;
  uint64_t seed;      // of random ops without one of their own; 0: the same for every session
  void *cuda_stream;  // target "cuda": the caller's CUstream, or NULL for one of the session's
                      // own
} pir_session_options;

PIR_API pir_status pir_session_create(pir_model *model, const pir_session_options *options,
                                      pir_session **out_session);
PIR_API void pir_session_destroy(pir_session *session);

// Binds caller memory, read in place; it must stay valid and unchanged until the next bind or
// destroy.
PIR_API pir_status pir_session_bind_input(pir_session *session, size_t i,
                                          const pir_tensor *tensor);
// Binds caller memory for an output (dense). Without it the session owns the output. Memory
// that overlaps an input is written last, by a copy; two outputs in one place are refused by
// the run.
PIR_API pir_status pir_session_bind_output(pir_session *session, size_t i,
                                           const pir_tensor *tensor);
PIR_API pir_status pir_session_run(pir_session *session);
// The output of the last run, whatever was bound or prepared since; its memory is the session's
// (or the caller's) and valid until the next.
PIR_API pir_status pir_session_output(pir_session *session, size_t i, pir_tensor *out_tensor);
// Plans for the bound shapes without running; allocates what a run will need.
PIR_API pir_status pir_session_prepare(pir_session *session);
// Gives memory back that the last shapes do not need; returns the bytes.
PIR_API size_t pir_session_trim(pir_session *session);
// Text of the last failure; empty when there was none.
PIR_API const char *pir_session_message(const pir_session *session);

typedef struct pir_session_stats {
  uint64_t arena_bytes, output_bytes, runs, plans, recompiles;
  // For the shapes that ran last: what they need of the arena, and the most of it that lives
  // together, which nothing can go below.
  uint64_t plan_bytes, live_peak_bytes;
} pir_session_stats;
PIR_API pir_session_stats pir_session_stats_of(const pir_session *session);

PIR_END
#endif
