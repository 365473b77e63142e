// Tuning: a cost model chooses the code of a model's contractions; here several choices for
// each are timed on this machine, and the fastest are kept
// (docs/explain/contractions.md#tuning).
#ifndef PIR_ENGINE_TUNE_H
#define PIR_ENGINE_TUNE_H

#include <pir/engine/model.h>

PIR_BEGIN

// The outcome for one class of contractions.
typedef struct pir_tuned_class {
  // sizeof(pir_tuned_class) of the library.
  size_t size;
  // The class, the choice of the cost model or of an earlier tuning, and the fastest one found;
  // they live during the call.
  const char *of_class, *before, *after;
  // Nanoseconds that the groups of the class took in the fastest of several runs.
  uint64_t before_ns, after_ns;
} pir_tuned_class;

// How to tune. The zero value, but for `size`, means all defaults.
typedef struct pir_tune_options {
  // sizeof(pir_tune_options) (pir/base.h).
  size_t size;
  // Nanoseconds that it may take; 0: one minute. Choices that were found until then are kept.
  uint64_t max_ns;
  // Threads of the runs that are timed; 0: one.
  int threads;
  // Ends tuning soon, with PIR_CANCELLED, when another thread sets it; NULL: nobody.
  const pir_atomic_int *cancel;
  // Hears of each class when tuning ends; may be NULL.
  void (*found)(void *user, const pir_tuned_class *outcome);
  // Watches the rounds (PIR_STAGE_TUNE).
  pir_progress_sink progress;
  // Handed to `found`.
  void *user;
} pir_tune_options;

// What tuning came to.
typedef struct pir_tune_report {
  // sizeof(pir_tune_report), set by the caller (pir/base.h).
  size_t size;
  // Classes of contractions that the model has; those that have another choice now; models that
  // were made and run for it.
  size_t classes, changed, rounds;
  // Nanoseconds of a run, the fastest of several, with the choices before and after.
  uint64_t before_ns, after_ns;
  // Whether the time ended it.
  bool is_cut;
} pir_tune_report;

// Tunes the model of these files for inputs like the given ones, and keeps the choices in the
// cache folder of `options`: from then on they are used there for every contraction of the same
// class on the same processor, and models that are made with them may give other bits, because
// sums are added in another order. `input_count` inputs are in the model's order, and are read
// during the call. `tune` and `out_report` may be NULL. Fails as pir_model_load_file and
// pir_session_run do; PIR_INVALID without a cache folder, and for a wrong number of inputs;
// PIR_UNSUPPORTED for devices.
PIR_API PIR_NODISCARD pir_status pir_model_tune(const char *path, const char *params,
                                                const pir_model_options *options,
                                                const pir_tensor *inputs, size_t input_count,
                                                const pir_tune_options *tune,
                                                pir_tune_report *out_report);

PIR_END
#endif
