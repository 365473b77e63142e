// The state of the pass manager, shared by manager.c, edit.c and pipeline.c.
#ifndef PIR_MANAGER_IMPL_H
#define PIR_MANAGER_IMPL_H

#include <pir/compiler/pass.h>

#include <pir/layer/nearest.h>
#include <strbuf.h>
#include <vec.h>

// A pass of the pipeline with its options.
typedef struct manager_entry {
  const pir_pass *pass;
  pir_pass_option *options;
  size_t option_count;
  double seconds;
} manager_entry;

typedef struct statistic {
  size_t entry;
  const char *what;
  uint64_t n;
  const char *origin;  // origin of a rule
} statistic;

struct pir_pass_manager {
  pir_context *ctx;
  pir_arena *arena;
  pir_pass_options options;
  PIR_VEC(manager_entry) entries;
  PIR_VEC(const pir_pass *) known;  // beside the built-in ones
  PIR_VEC(statistic) statistics;
  size_t current;  // the entry that runs
  pir_facts
      *facts;  // facts kept between passes of rules, which change programs only through the
               // rewriter
};

// Reports (PIR_INVALID) an option that the pass does not take, one that is given twice, and a
// value that the option does not take.
pir_status manager_check_options(const pir_pass_manager *manager, const pir_pass *pass,
                                 const pir_pass_option *options, size_t count);

// Whether a text may name the pass so: by its long name, without `_pass`, or by its short one.
bool pass_is_called(const pir_pass *pass, pir_str name);

// Finds a pass by name: one that the manager or its context knows, else a built-in one;
// NULL if there is none.
const pir_pass *pass_find_known(const pir_pass_manager *manager, pir_str name);
// The hint for a name that neither a pass nor a pipeline has.
pir_hint pass_hint(const pir_pass_manager *manager, pir_str name);

#endif
