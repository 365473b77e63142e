// Watching long work: its stages, and how much of each is done.
#ifndef PIR_PROGRESS_H
#define PIR_PROGRESS_H

#include <pir/base.h>

PIR_BEGIN

// The stages of work. Making a model goes through the first four, in this order; stages that
// have nothing to do are left out. With a cache, COMPILE comes twice: for the code that the
// cache has, and for the rest.
typedef enum pir_progress_stage {
  // A program is read: counts ops, whose number is not known before.
  PIR_STAGE_READ = 0,
  // Passes change it: counts passes.
  PIR_STAGE_PASSES = 1,
  // Groups are compiled: counts pieces of code, those that a cache has included.
  PIR_STAGE_COMPILE = 2,
  // Constants are computed and packed: counts instructions and constants. weight_only_pass
  // narrows weights: counts them.
  PIR_STAGE_WEIGHTS = 3,
  // A session runs: counts instructions.
  PIR_STAGE_RUN = 4,
  // Choices of code are timed (pir/engine/tune.h): counts models that are made for it.
  PIR_STAGE_TUNE = 5,
  // A pass runs the program on samples (docs/explain/quantise.md): counts samples.
  PIR_STAGE_SAMPLES = 6
} pir_progress_stage;

// Returns one word for people ("compile"), a constant; "work" for a stage of a later version.
PIR_API const char *pir_stage_name(pir_progress_stage stage);

// One report.
typedef struct pir_progress {
  // sizeof(pir_progress) of the library (pir/base.h).
  size_t size;
  // The kind of parts that are counted.
  pir_progress_stage stage;
  // The part that comes next: name of a pass, ops of an instruction; may be empty. Lives during
  // the call.
  const char *what;
  // Parts that are done, and all of them; `of` is 0 when that is not known.
  uint64_t done, of;
} pir_progress;

// A receiver of reports.
typedef struct pir_progress_sink {
  // Called on the thread that called the library, never on another one: at the beginning of
  // each stage, while it goes on, and when all of it is done (`done` == `of`). It must not call
  // functions of the same model, session, program or context; it may set the flag that cancels
  // the work. NULL: nobody watches.
  void (*report)(void *user, const pir_progress *progress);
  // Handed to `report`.
  void *user;
} pir_progress_sink;

PIR_END
#endif
