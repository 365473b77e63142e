// Rewrite rules as data. A `.drr` file (docs/rules.md) becomes constant tables, at build time
// by drrc or at run time by pir_rules_load; both come from one front end, and one matcher
// interprets them.
#ifndef PIR_RULES_H
#define PIR_RULES_H

#include <pir/pass.h>

PIR_BEGIN

// ---- values of `where` and `let`

typedef enum pir_rule_kind {
  PIR_RULE_UNKNOWN,  // not known before the run: no test on it holds
  PIR_RULE_BOOL,     // `i`
  PIR_RULE_INT,      // `i`
  PIR_RULE_FLOAT,    // `f`
  PIR_RULE_TEXT,     // `text`
  PIR_RULE_DTYPE,    // `i`: a pir_dtype
  PIR_RULE_PLACE,    // `i`: kind of a pir_place
  PIR_RULE_DIM,      // `i`: a symbolic pir_dim
  PIR_RULE_LIST,     // `items`, `count`
  PIR_RULE_ATTR,     // any other attribute: `attr`
  PIR_RULE_VALUE,    // argument of a helper: `value`, NULL when absent
  PIR_RULE_VALUES    // argument of a helper: `values`, `count`
} pir_rule_kind;

typedef struct pir_rule_value pir_rule_value;
struct pir_rule_value {
  uint8_t kind;  // pir_rule_kind
  int64_t i;
  double f;
  pir_str text;
  const pir_attr *attr;  // where the value was read from, when it was an attribute
  const pir_rule_value *items;
  pir_value *value;
  pir_value *const *values;
  size_t count;
};

// ---- helpers in C: `extern @name(%x, $n)`

typedef struct pir_rule_call {
  pir_rewriter *rewriter;  // for its context; a helper changes nothing
  pir_facts *facts;
  pir_op *root;
  const pir_rule_value *args;
  size_t arg_count;
  // Memory for a list to return, valid while the rule is tried; NULL when there is no more.
  pir_rule_value *(*list)(void *user, size_t count);
  // An option of the pass, of the kind of what stands in when it is not given: a number or a
  // text.
  pir_rule_value (*option)(void *user, pir_str name, const pir_rule_value *otherwise);
  void *user;
} pir_rule_call;

typedef pir_rule_value (*pir_rule_helper_fn)(const pir_rule_call *call);

typedef struct pir_rule_helper {
  const char *name;
  uint8_t arg_count;
  pir_rule_helper_fn fn;
} pir_rule_helper;

// ---- rules of a pass

// Applies rules, and patterns in C beside them, until nothing changes.
PIR_API pir_status pir_rules_run(pir_pass_run *run, const pir_rule_pass *rules,
                                 const pir_pattern *patterns, size_t pattern_count);

// ---- rules one by one, to check them

typedef struct pir_rule_info {
  const char *name, *origin;
  const char *unchecked;  // why the file says it cannot be checked on numbers; or NULL
  uint32_t within;  // percent of the largest number by which results may differ: it rounds
} pir_rule_info;

PIR_API size_t pir_rule_pass_rules(const pir_rule_pass *rules);
PIR_API pir_rule_info pir_rule_pass_rule(const pir_rule_pass *rules, size_t i);
// A small program that the rule matches, with random shapes, types and attributes; the same for
// one seed. Its outputs are what the rule replaces; parameters are zeros. PIR_NOT_FOUND, with
// the reason, when none was found. What inference refuses on the way goes to the context's
// sink.
PIR_API pir_status pir_rule_sample(pir_context *ctx, const pir_rule_pass *rules, size_t i,
                                   uint64_t seed, pir_program **out_program, char *out_why,
                                   size_t why_size);
// Applies that rule alone; `*out_count` is how often.
PIR_API pir_status pir_rule_apply(pir_program *program, const pir_rule_pass *rules, size_t i,
                                  uint64_t *out_count);

// ---- rules loaded at run time

typedef struct pir_rules pir_rules;

typedef struct pir_rules_options {
  pir_str
      file;  // name for diagnostics; rules outside a pass form one that is called as the file
  const pir_rule_helper *helpers;  // beside the built-in ones
  size_t helper_count;
  // Text of an imported file, borrowed until the load returns. NULL: imports are refused.
  pir_status (*read)(void *user, pir_str path, pir_str *out_text);
  void *user;
} pir_rules_options;

// Reads, checks and compiles a text. Reports every bad rule and returns PIR_INVALID. The rules
// hold definitions of the context, which must outlive them; the helpers must too.
PIR_API pir_status pir_rules_load(pir_context *ctx, pir_str text,
                                  const pir_rules_options *options, pir_rules **out_rules);
PIR_API void pir_rules_destroy(pir_rules *rules);
PIR_API size_t pir_rules_passes(const pir_rules *rules);
PIR_API const pir_pass *pir_rules_pass(const pir_rules *rules, size_t i);

PIR_END
#endif
