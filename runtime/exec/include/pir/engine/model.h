// Running programs: a model is compiled once and immutable; sessions run it
// (docs/explain/execution.md).
//
// Threads: any number of threads may use a model at the same time; one thread at a time uses a
// session. NULL for a model, session, tensor or `out_` pointer returns PIR_INVALID or 0.
// Failures of models are reported to the sink of their options, or else of the program's
// context; failures to create a session to the sink of its options; failures of a session are
// in pir_session_message.
#ifndef PIR_MODEL_H
#define PIR_MODEL_H

#include <pir/base.h>
#include <pir/diag.h>
#include <pir/limits.h>
#include <pir/progress.h>
#include <pir/engine/session_options.h>
#include <pir/engine/tensor.h>
#include <pir/stop.h>

PIR_BEGIN

typedef struct pir_model pir_model;
typedef struct pir_program pir_program;  // pir/compiler/program.h
typedef struct pir_session pir_session;

// ---- making a model

// How a model is made. The zero value, but for `size`, means all defaults. Nothing is kept but
// `allocator` and `device_context`, which must outlive the model, and `custom_ops`, which the
// model holds.
typedef struct pir_model_options {
  // sizeof(pir_model_options) (pir/base.h).
  size_t size;
  // "compile" (default), "kernels", or pipeline text.
  const char *pipeline;
  // A processor, "native" (default), "x86-64", "x86-64-v3", "aarch64", .., or a kind of device.
  const char *target;
  // "strict" (default), "fast", "bf16" or "int8" (docs/explain/execution.md#modes).
  const char *math;
  // Folder of compiled code and prepared models; NULL: none.
  const char *cache;
  // Threads that compile and load; 0: the number of processors.
  int compile_threads;
  // The receiver of diagnostics while a program is loaded; none by default.
  pir_diag_sink sink;
  // The source of the model's memory, called on any thread.
  pir_allocator allocator;
  // Ops known to the programs that pir_model_load reads (pir/engine/custom.h); may be NULL.
  struct pir_custom_set *custom_ops;
  // f16 and bf16 compute wherever f32 does. Without it an op that Paddle computes on GPUs alone
  // in such a type is refused, as Paddle's CPU build refuses it.
  bool any_float;
  // On a device: the caller's context of the driver's API, or NULL for the device's own.
  void *device_context;
  // On a device without a context of the caller's: number of the device.
  int device_number;
  // Where LLVM runs: "server" (default), a process of its own if pir-compile-server stands
  // beside libpir; "process", this one (docs/explain/compile.md#where-llvm-runs).
  const char *compiler;
  // Limits of programs that pir_model_load and pir_model_load_file read, and of the memory that
  // reading and compiling takes. Zero means the defaults of pir_limits (pir/limits.h).
  pir_limits limits;
  // Watches how the model is made.
  pir_progress_sink progress;
  // When making the model ends early, with PIR_CANCELLED: reading, passes, folding, compiling
  // and loading of weights look at the flag and at the time. Default: after an hour.
  pir_stop stop;
  // Values of the program that become outputs too, behind its own, under these names: numbers
  // ("%12") as pir-opt prints the program, and names of inputs, parameters and, where the model
  // is loaded from a .pdmodel, of variables. A value that is an output of that name stays one.
  const char *const *show;
  // Entries of `show`.
  size_t show_count;
  // Parameters can be given other values later (pir/engine/weights.h). No pass computes with
  // them, so the model may be slower, and it is not stored in the cache folder.
  bool replaceable;
  // Passes that `pipeline` may name, of pir_model_load and pir_model_load_file
  // (pir/compiler/pass_library.h); may be NULL. It must outlive the call. A model that is made
  // with them is not stored in the cache folder.
  struct pir_pass_set *passes;
  // Hears of the code of models that pir_model_load and pir_model_load_file make
  // (pir/engine/loaded_code.h); NULL: nobody. The struct is copied.
  const struct pir_code_listener *code_listener;
  // How much `sink` hears while a program is loaded. PIR_LOG_REMARKS tells which ops became one
  // kernel, and why others did not.
  pir_log_level log_level;
  // By which costs of this processor code is chosen, where `target` is the native one
  // (docs/explain/targets.md#a-machine-that-is-measured). NULL: with a cache folder measured
  // ones, which takes up to 150 ms once and is kept there; without a folder the library's
  // table. "table": always the table. "measured": measured ones also without a folder. A colon
  // and a number behind a name ("table:64") have code divide its work for so many processors.
  const char *machine;
} pir_model_options;

// Verifies a program (pir/compiler/verify.h) and compiles it. The program is cloned, so the
// caller's stays as it is, but its parameter bytes are used in place. `options` may be NULL. On
// success the caller holds one reference to *out_model, else it is NULL. Failures: PIR_INVALID
// for a bad program or option, PIR_UNSUPPORTED for ops that nothing computes and for a target
// that is not known, PIR_UNAVAILABLE for a missing library, instruction set or device,
// PIR_EXHAUSTED when memory runs out or a limit was hit, PIR_CANCELLED when it had to end.
PIR_API PIR_NODISCARD pir_status pir_model_create(const pir_program *program,
                                                  const pir_model_options *options,
                                                  pir_model **out_model);
// Loads a program of any format from memory with its combined parameter file (`params.data` is
// NULL when the program has none) and compiles it. Both are released when they are no longer
// needed, also on failure. Fails as pir_program_load and pir_model_create do.
PIR_API PIR_NODISCARD pir_status pir_model_load(pir_borrowed program, pir_borrowed params,
                                                const pir_model_options *options,
                                                pir_model **out_model);
// Does the same from files, which are mapped. `params` is a file or a folder; NULL looks beside
// the program (pir_params_find).
PIR_API PIR_NODISCARD pir_status pir_model_load_file(const char *path, const char *params,
                                                     const pir_model_options *options,
                                                     pir_model **out_model);
// Compiles a program for another machine: fills the folder `cache` with all code that a model
// of the same program and options needs there. A libpir of the same sources then needs no LLVM.
// `target` is any processor; code for devices is PIR_UNSUPPORTED.
PIR_API PIR_NODISCARD pir_status pir_model_compile_ahead(const pir_program *program,
                                                         const pir_model_options *options);

// Adds a reference. From any thread.
PIR_API void pir_model_retain(pir_model *model);
// Drops a reference; the last one destroys the model. From any thread. Sessions hold references
// of their own.
PIR_API void pir_model_release(pir_model *model);

// ---- questions to a model

// An input or output. The name lives as long as the model.
typedef struct pir_port {
  // sizeof(pir_port), set by the caller (pir/base.h).
  size_t size;
  pir_str name;
  // Element type.
  pir_dtype dtype;
  // -1: only the run shows it.
  int32_t rank;
  // Extents; -1 where one varies.
  int64_t shape[PIR_MAX_RANK];
  // Names of the extents that vary, which live as long as the model. Extents of one name, of
  // whatever ports, are equal in every run that succeeds. A name is a symbol ("S0", or the
  // name that the program states in sym_shape_str), or an expression of symbols
  // ("2*S0 + 1"). Empty where the extent is fixed, or nothing is known of it.
  pir_str dims[PIR_MAX_RANK];
  // The least and the largest extent with which a run can succeed, as far as the ops tell it;
  // INT64_MAX: no bound is known. Both are the extent where it is fixed.
  int64_t least[PIR_MAX_RANK], most[PIR_MAX_RANK];
} pir_port;

// Returns the number of inputs, which a run needs bound.
PIR_API size_t pir_model_inputs(const pir_model *model);
// Sets *out_port to input i in the order of the program. PIR_NOT_FOUND: there is no such input.
// PIR_INVALID: *out_port has no size.
PIR_API PIR_NODISCARD pir_status pir_model_input(const pir_model *model, size_t i,
                                                 pir_port *out_port);
// Returns the number of outputs of a run.
PIR_API size_t pir_model_outputs(const pir_model *model);
// Sets *out_port to output i in the order of the program. Fails as pir_model_input does.
PIR_API PIR_NODISCARD pir_status pir_model_output(const pir_model *model, size_t i,
                                                  pir_port *out_port);

// Numbers about a model.
typedef struct pir_model_stats {
  // sizeof(pir_model_stats), set by the caller (pir/base.h).
  size_t size;
  // Ops of the lowered program; instructions of its plan that a run executes; kernels that were
  // generated; instructions that call a kernel; generated kernels that the cache had.
  uint64_t ops, instructions, kernels_compiled, kernels_called, cache_hits;
  // Time from program to model in nanoseconds; bytes of constants that were copied; bytes of
  // packed constants; bytes of machine code.
  uint64_t compile_ns, weight_bytes, packed_bytes, code_bytes;
  // Time to read the program, by pir_model_load and pir_model_load_file, in nanoseconds.
  uint64_t load_ns;
  // Bytes mapped from a prepared model, which replaced all that; 0: none was in the cache.
  uint64_t prepared_bytes;
} pir_model_stats;

// Sets *out_stats to the numbers of a model, which do not change. PIR_INVALID: *out_stats has
// no size.
PIR_API PIR_NODISCARD pir_status pir_model_stats_of(const pir_model *model,
                                                    pir_model_stats *out_stats);

// ---- making a session

// Creates a session, which holds a reference to its model. `options` may be NULL. On success
// the caller destroys *out_session, else it is NULL. PIR_EXHAUSTED when memory or threads
// cannot be had, PIR_UNAVAILABLE when the device fails, PIR_INVALID for a processor that
// threads cannot run on, PIR_UNSUPPORTED for `cpus` on another system than Linux.
PIR_API PIR_NODISCARD pir_status pir_session_create(pir_model *model,
                                                    const pir_session_options *options,
                                                    pir_session **out_session);
// Destroys a session with the memory of its outputs. NULL does nothing.
PIR_API void pir_session_destroy(pir_session *session);

// ---- running

// Binds memory of the caller as input i. The tensor is copied, its elements and offsets are
// not: they must stay valid until the input is bound again or the session destroyed, and
// unchanged during runs. Dense, aligned elements are read in place, others, and strings with
// their bytes, are copied by each run. After a failure the input is not bound. PIR_INVALID:
// element type, rank or an extent differ from the port. PIR_NOT_FOUND: no such input.
PIR_API PIR_NODISCARD pir_status pir_session_bind_input(pir_session *session, size_t i,
                                                        const pir_tensor *tensor);
// Binds memory of the caller for output i: dense, aligned, and of the shape that the run will
// give. NULL ends the binding: the session then owns the output. Memory that overlaps an input
// is written last, by a copy; a run refuses two outputs whose memory overlaps. Of strings the
// elements are written there, and the session keeps the bytes until its next run. Fails as
// pir_session_bind_input does.
PIR_API PIR_NODISCARD pir_status pir_session_bind_output(pir_session *session, size_t i,
                                                         const pir_tensor *tensor);
// As the input of pir_session_alias: ends the alias of the output. Memory that the session had
// for it is freed, so there are no outputs until the next run, and an input or output that is
// bound in that memory is not bound any more.
#define PIR_NO_INPUT ((size_t)-1)
// Makes an output the input of the next run: a cache that each run extends. After a run that
// succeeded, input `input` is bound to the output, without a copy; binding it again starts
// anew. Its place depends on how the program makes the output of the input:
// - an op that works in place (masked_multihead_attention_, block_multihead_attention_) writes
//   into the memory that is bound as the input, which must be dense and aligned, and may be
//   changed by a run that fails;
// - concat(input, rows): in memory of the session. It has room for `most` elements along the
//   joined axis, so that a run writes the new rows alone; with `most` 0 the room grows by
//   doubling, or as needed where `max_bytes` does not allow that. A tensor that is bound is
//   copied there once. The session's own memory may be bound again, with fewer rows. Where an
//   axis before the joined one has several elements (sequences, heads), each has room of its
//   own, and the output has strides; this needs readers that are called and take strides
//   (attention kernels, evaluated clauses), not compiled code.
// If the program reads the input after the op has written, it works on another copy.
// PIR_UNSUPPORTED: the program makes the output otherwise, or the model runs on a device.
// PIR_INVALID: types or shapes differ, one of both is aliased already, the output is bound,
// `most` is negative, or the output does not grow and `most` is not 0. PIR_NOT_FOUND: no such
// input or output. PIR_EXHAUSTED: no memory. A run returns PIR_EXHAUSTED where the output would
// exceed `most` or `max_bytes`, PIR_UNSUPPORTED where an axis before the joined one has more
// elements than one and compiled code reads the output, or the joined axis was not known before
// the run, and PIR_INVALID where something else is bound in memory of the alias, or an input
// that is written in place is not dense and aligned.
PIR_API PIR_NODISCARD pir_status pir_session_alias(pir_session *session, size_t output,
                                                   size_t input, int64_t most);
// Runs the model on the bound inputs. PIR_INVALID: an input is not bound, shapes contradict
// each other, an op refuses its operands, or another session runs in the arena that this one
// shares. PIR_EXHAUSTED: no memory, or `max_bytes`. PIR_CANCELLED: the flag was set. After a
// failure there are no outputs and the session can run again.
PIR_API PIR_NODISCARD pir_status pir_session_run(pir_session *session);
// Sets *out_tensor to output i of the last run, whatever was bound since. The memory is the
// session's (or the bound one) and valid until the next run or destroy. PIR_NOT_FOUND: no such
// output, or no run that succeeded.
PIR_API PIR_NODISCARD pir_status pir_session_output(pir_session *session, size_t i,
                                                    pir_tensor *out_tensor);
// Plans for the shapes of the bound inputs without running, and allocates the arena, so that
// the first run takes no longer than others. Fails as pir_session_run does.
PIR_API PIR_NODISCARD pir_status pir_session_prepare(pir_session *session);
// Frees memory that the last shapes do not need, but for a shared arena; returns the bytes.
PIR_API size_t pir_session_trim(pir_session *session);
// Returns the text of the last call that failed, empty when the last call succeeded. It lives
// until the next call.
PIR_API const char *pir_session_message(const pir_session *session);

// Numbers about a session.
typedef struct pir_session_stats {
  // sizeof(pir_session_stats), set by the caller (pir/base.h).
  size_t size;
  // Bytes of the arena, where it is shared at the session's last run, and of outputs that the
  // session owns. Runs that succeeded, plans made for new shapes, and compilations after the
  // model was made, which is always 0.
  uint64_t arena_bytes, output_bytes, runs, plans, recompiles;
  // For the shapes that ran last: bytes that the plan takes of the arena, and the most bytes
  // that are in use at the same time, which is a lower bound for every plan.
  uint64_t plan_bytes, live_peak_bytes;
} pir_session_stats;

// Sets *out_stats to the numbers of a session so far. PIR_INVALID: *out_stats has no size.
PIR_API PIR_NODISCARD pir_status pir_session_stats_of(const pir_session *session,
                                                      pir_session_stats *out_stats);

PIR_END
#endif
