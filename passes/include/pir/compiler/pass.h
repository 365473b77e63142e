// Passes and the manager that runs them (docs/steps/add-a-pass.md). One thread at a time uses a
// manager; built-in passes and pipelines are constant.
#ifndef PIR_PASS_H
#define PIR_PASS_H

#include <pir/compiler/infer.h>
#include <pir/compiler/program.h>
#include <pir/compiler/rewrite.h>

PIR_BEGIN

// ---- a pass, and one run of it

typedef struct pir_pass_run pir_pass_run;
typedef struct pir_rule_pass pir_rule_pass;  // pir/compiler/rules.h

// An option as pipeline text gives it: cse{max-ops=100}.
typedef struct pir_pass_option {
  // The value is empty when the text gives none.
  pir_str key, value;
} pir_pass_option;

// The values that an option takes.
typedef enum pir_option_kind {
  // A number >= 0.
  PIR_OPTION_NUMBER = 0,
  // true, false, or no value, which means true.
  PIR_OPTION_SWITCH = 1,
  // Names of ops with `|` between them, each with its dialect or without.
  PIR_OPTION_OPS = 2,
  // Any text; the pass checks it.
  PIR_OPTION_TEXT = 3
} pir_option_kind;

// Declares an option that a pass takes.
typedef struct pir_option_def {
  // The name in pipeline text ("max-ops").
  const char *key;
  // The values that it takes, which are checked when the pass joins a manager.
  pir_option_kind kind;
  // One line for people.
  const char *summary;
} pir_option_def;

// One run of one pass over one program. Valid during the call.
struct pir_pass_run {
  // The program to change.
  pir_program *program;
  // The only way to change it.
  pir_rewriter *rewriter;
  // Options of this run; pir_run_option reads them.
  const pir_pass_option *options;
  size_t option_count;
  // The pass manager's own.
  void *manager;
};

// A pass. Immutable; built-in ones live as long as the library.
typedef struct pir_pass {
  // As in Paddle ("constant_folding_pass"). Users may leave `_pass` off.
  const char *name;
  // "fold", or NULL.
  const char *short_name;
  // Paddle's level: 0 basic, 1 folding and merging, 2 fusion, 3 layout and memory, 4 changes
  // precision.
  uint8_t level;
  // One line for people.
  const char *summary;
  // Changes the program. A failure ends the pipeline and must have been reported.
  pir_status (*run)(pir_pass_run *run);
  // The rules of a pass that has some; without `run` they are the whole pass.
  const pir_rule_pass *rules;
  // The options that the pass takes, up to one without a key; NULL: none. An option that a rule
  // reads need not be among them.
  const pir_option_def *options;
} pir_pass;

// ---- for passes while they run

// Adds `n` to the statistics of this run under the name `what`, a constant.
PIR_API void pir_run_count(pir_pass_run *run, const char *what, uint64_t n);
// Returns the value of an option; empty when it is not given. It lives as long as the context.
PIR_API pir_str pir_run_option(const pir_pass_run *run, const char *key);
// Returns the value of an option declared as a number; `otherwise` when it is not given.
PIR_API int64_t pir_run_option_int(const pir_pass_run *run, const char *key, int64_t otherwise);
// Returns the value of an option declared as a switch; `otherwise` when it is not given.
PIR_API bool pir_run_option_bool(const pir_pass_run *run, const char *key, bool otherwise);
// Whether an option that lists names (a|b) has this one; one of an op with its dialect or
// without.
PIR_API bool pir_run_option_lists(const pir_pass_run *run, const char *key, pir_str op_name);
// Reports that the value of an option is not `expected` ("a number"); returns PIR_INVALID.
PIR_API PIR_NODISCARD pir_status pir_run_bad_option(const pir_pass_run *run, const char *key,
                                                    const char *expected);
// Returns `any_float` of the manager's options, or true after pir_run_allow_any_float.
PIR_API bool pir_run_any_float(const pir_pass_run *run);
// Allows 16-bit floats wherever f32 is allowed for the passes behind this one, which makes
// them.
PIR_API void pir_run_allow_any_float(pir_pass_run *run);
// Returns `target` of the manager's options; "native" where they have none.
PIR_API const char *pir_run_target(const pir_pass_run *run);
// Returns the facts of the program, which are derived at the first call and kept up to date by
// the rewriter; the manager owns them. NULL after a failure, which is reported.
PIR_API pir_facts *pir_run_facts(pir_pass_run *run);
// Returns the status of deriving facts, for a pass that got NULL.
PIR_API PIR_NODISCARD pir_status pir_run_facts_status(const pir_pass_run *run);

// ---- built-in passes and pipelines

// Returns the built-in pass with this name: long, without `_pass`, or short. NULL when there is
// none.
PIR_API const pir_pass *pir_pass_find(pir_str name);
// Returns the number of built-in passes.
PIR_API size_t pir_passes(void);
// Returns built-in pass i in the order of passes.def; NULL beyond the last.
PIR_API const pir_pass *pir_pass_at(size_t i);
// Returns the text of a named pipeline (none, clean, compile, kernels, ..), NULL when there is
// none. The text of a pipeline may name others.
PIR_API const char *pir_pipeline_text(pir_str name);
// Returns the number of named pipelines.
PIR_API size_t pir_pipelines(void);
// Returns the name of pipeline i; NULL beyond the last.
PIR_API const char *pir_pipeline_name(size_t i);

// ---- the manager

typedef struct pir_pass_manager pir_pass_manager;

// Callbacks around every pass; either may be NULL. A failure ends the run.
typedef struct pir_pass_instrument {
  // Called before a pass runs.
  pir_status (*before)(void *user, const pir_pass *pass, pir_program *program);
  // Called after a pass succeeded.
  pir_status (*after)(void *user, const pir_pass *pass, pir_program *program);
  // Handed to both.
  void *user;
} pir_pass_instrument;

// How a manager runs passes. Zero, but for `size`, runs them and prints nothing. Pointers must
// live as long as the manager.
typedef struct pir_pass_options {
  // sizeof(pir_pass_options) (pir/base.h).
  size_t size;
  // Verify the program after every pass.
  bool verify_each;
  // To the log: the ops that each pass added and removed; times; statistics; the program after
  // each pass.
  bool print_changed, timing, stats, print_after_all;
  // To the log: every rule that an op is the root of and that did not apply, with the reason.
  bool trace_refused;
  // To the log: every rewrite with its rule and place.
  bool trace_rewrites;
  // To the log: the times as one JSON object, in a line of its own.
  bool timing_json;
  // f16 and bf16 are allowed wherever f32 is, also where Paddle computes them on GPUs alone.
  bool any_float;
  // Names of passes before and after which the program is printed to the log.
  const char *const *print_before, *const *print_after;
  size_t print_before_count, print_after_count;
  // The log; a NULL `write` drops it.
  pir_writer log;
  // Callbacks, called in this order.
  const pir_pass_instrument *instruments;
  size_t instrument_count;
  // Passes of this level and higher are left out; 0: all run.
  uint8_t level_limit;
  // Threads that compute constants; 0: one. The numbers do not depend on it.
  size_t threads;
  // Name of the target that passes choose for where their own options name none; NULL:
  // "native". The text must outlive the manager.
  const char *target;
} pir_pass_options;

// Creates a manager without passes. `options` may be NULL and is copied. The caller destroys
// the manager, before the context. NULL, reported, when memory runs out or options have no
// size.
PIR_API pir_pass_manager *pir_pass_manager_create(pir_context *ctx,
                                                  const pir_pass_options *options);
// Destroys a manager. NULL does nothing.
PIR_API void pir_pass_manager_destroy(pir_pass_manager *manager);

// Adds a pass at the end, with options that are copied.
PIR_API PIR_NODISCARD pir_status pir_pass_manager_add(pir_pass_manager *manager,
                                                      const pir_pass *pass,
                                                      const pir_pass_option *options,
                                                      size_t count);
// Adds the passes of a pipeline text: "dce,cse{max-ops=10},fold". Bad text is reported
// (PIR_INVALID); passes in front of the error have been added then.
PIR_API PIR_NODISCARD pir_status pir_pass_manager_parse(pir_pass_manager *manager,
                                                        pir_str pipeline);
// Takes every occurrence of a pass out. PIR_INVALID, reported, when the name is unknown or the
// pass was not added.
PIR_API PIR_NODISCARD pir_status pir_pass_manager_delete(pir_pass_manager *manager,
                                                         pir_str name);
// Adds the passes of a text "NAME{options}[@PLACE]": at the front, or at PLACE, which is a
// position, before:NAME or after:NAME. Bad text is reported (PIR_INVALID).
PIR_API PIR_NODISCARD pir_status pir_pass_manager_insert(pir_pass_manager *manager,
                                                         pir_str item);
// Makes a pass known to texts that are parsed from now on; its name goes before a built-in one.
// The pass must outlive the manager.
PIR_API void pir_pass_manager_know(pir_pass_manager *manager, const pir_pass *pass);
// Whether a pass was added. It may still be left out by `level_limit`.
PIR_API bool pir_pass_manager_has(const pir_pass_manager *manager, const pir_pass *pass);
// Returns the number of passes that were added.
PIR_API size_t pir_pass_manager_count(const pir_pass_manager *manager);
// Writes the passes that remain as pipeline text; from the current one on while the manager
// runs, else all. `target` of the manager's options is written with the passes that go by it.
// PIR_IO when the writer stops.
PIR_API PIR_NODISCARD pir_status pir_pass_manager_print_rest(const pir_pass_manager *manager,
                                                             pir_writer out);
// Runs all passes in order over a program of the same context. The first failure ends the run
// and is returned; it was reported, and the program may be half changed.
PIR_API PIR_NODISCARD pir_status pir_pass_manager_run(pir_pass_manager *manager,
                                                      pir_program *program);

PIR_END
#endif
