// Passes and the manager that runs them.
#ifndef PIR_PASS_H
#define PIR_PASS_H

#include <pir/infer.h>
#include <pir/program.h>
#include <pir/rewrite.h>

PIR_BEGIN

typedef struct pir_pass_run pir_pass_run;

// An option as given in pipeline text: cse{max-ops=100}.
typedef struct pir_pass_option {
  pir_str key, value;
} pir_pass_option;

// One run of one pass over one program. Valid during the call.
struct pir_pass_run {
  pir_program *program;
  pir_rewriter *rewriter;  // the only way to change the program
  const pir_pass_option *options;
  size_t option_count;
  void *manager;  // opaque
};

typedef struct pir_rule_pass pir_rule_pass;  // pir/rules.h

typedef struct pir_pass {
  const char *name;        // as in Paddle ("constant_folding_pass"); `_pass` may be left off
  const char *short_name;  // "fold", or NULL
  uint8_t level;  // Paddle's: 0 basic, 1 folding and merging, 2 fusion, 3 layout and memory, 4
                  // changes precision
  const char *summary;
  pir_status (*run)(pir_pass_run *run);
  const pir_rule_pass
      *rules;  // of a pass that is declared by rules; without `run` they are all of it
} pir_pass;

PIR_API void pir_run_count(pir_pass_run *run, const char *what, uint64_t n);  // statistics
PIR_API pir_str pir_run_option(const pir_pass_run *run,
                               const char *key);  // empty when not given
// An option as a number or a switch (true, false, or given without a value). A bad value is
// reported.
PIR_API pir_status pir_run_option_int(const pir_pass_run *run, const char *key,
                                      int64_t otherwise, int64_t *out_value);
PIR_API pir_status pir_run_option_bool(const pir_pass_run *run, const char *key, bool otherwise,
                                       bool *out_value);
PIR_API bool pir_run_any_float(const pir_pass_run *run);  // of the manager's options
PIR_API void
pir_run_allow_any_float(pir_pass_run *run);  // for the passes behind this one: it makes halves
// Whether an option that lists ops, a|b, names this one, with its dialect or without.
PIR_API bool pir_run_option_lists(const pir_pass_run *run, const char *key, pir_str op_name);
PIR_API pir_status
pir_run_check_list(const pir_pass_run *run,
                   const char *key);  // reports names that no dialect declares
// Reports that the value of an option is not what it expects.
PIR_API pir_status pir_run_bad_option(const pir_pass_run *run, const char *key,
                                      const char *expected);
// Facts of the program, made on first use and kept up to date by the rewriter. NULL after an
// error was reported.
PIR_API pir_facts *pir_run_facts(pir_pass_run *run);
PIR_API pir_status pir_run_facts_status(const pir_pass_run *run);  // what making them returned

PIR_API const pir_pass *pir_pass_find(pir_str name);
PIR_API size_t pir_passes(void);
PIR_API const pir_pass *pir_pass_at(size_t i);

typedef struct pir_pass_manager pir_pass_manager;

// Called around every pass; a failure ends the run. Either may be NULL.
typedef struct pir_pass_instrument {
  pir_status (*before)(void *user, const pir_pass *pass, pir_program *program);
  pir_status (*after)(void *user, const pir_pass *pass, pir_program *program);
  void *user;
} pir_pass_instrument;

typedef struct pir_pass_options {
  bool verify_each;
  bool print_changed, timing, stats, print_after_all;
  bool trace_refused;   // every rule that an op is the root of and that did not apply, with why
  bool trace_rewrites;  // every rewrite with its rule and place
  bool timing_json;     // the times as one JSON object, in a line of its own
  bool any_float;  // f16 and bf16 pass wherever f32 does, also where Paddle computes them on
                   // GPUs alone
  const char *const *print_before, *const *print_after;  // pass names
  size_t print_before_count, print_after_count;
  pir_writer log;  // where the above goes
  const pir_pass_instrument *instruments;
  size_t instrument_count;
  uint8_t level_limit;  // passes of this level and higher are left out; 0: none is
} pir_pass_options;

// NULL when out of memory.
PIR_API pir_pass_manager *pir_pass_manager_create(pir_context *ctx,
                                                  const pir_pass_options *options);
PIR_API void pir_pass_manager_destroy(pir_pass_manager *manager);
PIR_API pir_status pir_pass_manager_add(pir_pass_manager *manager, const pir_pass *pass,
                                        const pir_pass_option *options, size_t count);
// Adds the passes of a pipeline text: "dce,cse{max-ops=10},fold".
PIR_API pir_status pir_pass_manager_parse(pir_pass_manager *manager, pir_str pipeline);
// Takes a pass out of what was added, wherever it stands.
PIR_API pir_status pir_pass_manager_delete(pir_pass_manager *manager, pir_str name);
// Adds passes of a text "NAME{options}[@PLACE]" at the front, or at PLACE: a position,
// before:NAME, after:NAME.
PIR_API pir_status pir_pass_manager_insert(pir_pass_manager *manager, pir_str item);
// Passes that texts parsed from now on may name besides the built-in ones, and before them. It
// must outlive the manager.
PIR_API void pir_pass_manager_know(pir_pass_manager *manager, const pir_pass *pass);
PIR_API bool pir_pass_manager_has(const pir_pass_manager *manager,
                                  const pir_pass *pass);  // whether it will run
// While it runs: the passes from the current one on, as pipeline text.
PIR_API pir_status pir_pass_manager_print_rest(const pir_pass_manager *manager, pir_writer out);
// A named pipeline: none, clean, compile, kernels, ... Returns NULL when unknown, else its
// text. A pipeline text may name another pipeline.
PIR_API const char *pir_pipeline_text(pir_str name);
PIR_API size_t pir_pipelines(void);
PIR_API const char *pir_pipeline_name(size_t i);
PIR_API pir_status pir_pass_manager_run(pir_pass_manager *manager, pir_program *program);

PIR_END
#endif
