// Compiled models: a program compiled ahead of time, in one file with its weights. Opening one
// needs no compiler: libpir_rt (docs/explain/compiled.md) runs it as libpir does.
//
// A compiled model holds code, which runs with the rights of the process. Its bytes are checked
// for damage before any of the code runs; nothing protects against forged bytes. So who can
// write the file can run code.
#ifndef PIR_COMPILED_H
#define PIR_COMPILED_H

#include <pir/engine/model.h>

PIR_BEGIN

// How a compiled model is opened. The zero value, but for `size`, means all defaults.
typedef struct pir_open_options {
  // sizeof(pir_open_options) (pir/base.h).
  size_t size;
  // Which of the file's targets to take, by name; NULL: of those whose code this processor
  // runs, the one with the most instruction sets.
  const char *target;
  // The receiver of diagnostics; none by default.
  pir_diag_sink sink;
  // The source of the model's memory, called on any thread. It must outlive the model.
  pir_allocator allocator;
  // Opens also a file that neither root nor the user of the process owns, or that group or
  // others may write.
  bool any_owner;
  // Hears of the model's code (pir/engine/loaded_code.h); NULL: nobody. The struct is copied.
  const struct pir_code_listener *code_listener;
  // Path of the file of weights, of a model that has them in one; NULL: the file that the model
  // names, in the model's folder.
  const char *weights;
  // Threads that compute and pack weights, of a file that has them as the program has them, now
  // and when weights are replaced; 0: the number of processors.
  int threads;
} pir_open_options;

// Opens a compiled model. The file, and its file of weights, are mapped, and must stay as they
// are while the model exists. `options` may be NULL. On success the caller holds one reference
// to *out_model, else it is NULL. PIR_NOT_FOUND: no such file, or no such file of weights.
// PIR_INVALID: one is damaged or not safe from others, the first is no compiled model, or the
// second has other weights. PIR_UNSUPPORTED: it was written by another version of libpir.
// PIR_UNAVAILABLE: it has no code that this processor runs, or calls a kernel of a library that
// is not installed. PIR_EXHAUSTED: no memory. PIR_IO:
// the system refuses.
PIR_API PIR_NODISCARD pir_status pir_model_open_file(const char *path,
                                                     const pir_open_options *options,
                                                     pir_model **out_model);
// Opens a compiled model from memory, which is used in place when it is aligned to 4096, else
// copied. It is released when it is no longer needed, also on failure. Fails as
// pir_model_open_file does, and with PIR_NOT_FOUND for a model that has its weights in a file
// which the options do not name.
PIR_API PIR_NODISCARD pir_status pir_model_open(pir_borrowed file,
                                                const pir_open_options *options,
                                                pir_model **out_model);

// Compiles a program for each of `targets` (NULL: for this processor alone) and writes one
// compiled model. Takes the options of pir_model_create, but for `target`. Not in libpir_rt.
// Fails as pir_model_create does; PIR_UNSUPPORTED also for custom ops and devices; PIR_IO:
// `out` returned false.
PIR_API PIR_NODISCARD pir_status pir_model_compile(const pir_program *program,
                                                   const pir_model_options *options,
                                                   const char *const *targets,
                                                   size_t target_count, pir_writer out);

// Does the same, but writes packed weights and constants to `weights`. The model names them by
// size and digest, and by the name of the file that they will be: one part of a path of at most
// 255 bytes. Models whose weights are the same bytes can use one file.
PIR_API PIR_NODISCARD pir_status pir_model_compile_apart(
    const pir_program *program, const pir_model_options *options, const char *const *targets,
    size_t target_count, const char *weights_name, pir_writer weights, pir_writer out);

PIR_END
#endif
