// Rewrite rules as data. A `.drr` file (docs/reference/rules.md) becomes constant tables, at
// build time by drrc or at run time by pir_rules_load; both use one front end, and one matcher
// interprets them. One thread at a time, as for the context.
#ifndef PIR_RULES_H
#define PIR_RULES_H

#include <pir/compiler/pass.h>

PIR_BEGIN

// ---- values of `where` and `let`

// The kinds of values, and the fields of pir_rule_value that hold them.
typedef enum pir_rule_kind {
  PIR_RULE_UNKNOWN = 0,  // not known before the run: no test on it holds
  PIR_RULE_BOOL = 1,     // `i`
  PIR_RULE_INT = 2,      // `i`
  PIR_RULE_FLOAT = 3,    // `f`
  PIR_RULE_TEXT = 4,     // `text`
  PIR_RULE_DTYPE = 5,    // `i`: a pir_dtype
  PIR_RULE_PLACE = 6,    // `i`: the kind of a pir_place
  PIR_RULE_DIM = 7,      // `i`: a symbolic pir_dim
  PIR_RULE_LIST = 8,     // `items`, `count`
  PIR_RULE_ATTR = 9,     // any other attribute: `attr`
  PIR_RULE_VALUE = 10,   // argument of a helper: `value`, NULL when absent
  PIR_RULE_VALUES = 11   // argument of a helper: `values`, `count`
} pir_rule_kind;

// A value. Pointers are borrowed for as long as the rule is tried.
typedef struct pir_rule_value pir_rule_value;
struct pir_rule_value {
  // A pir_rule_kind.
  uint8_t kind;
  // Of a BOOL, INT, DTYPE, PLACE or DIM.
  int64_t i;
  // Of a FLOAT.
  double f;
  // Of a TEXT.
  pir_str text;
  // The attribute that the value was read from, or NULL.
  const pir_attr *attr;
  // Of a LIST.
  const pir_rule_value *items;
  // Of a VALUE.
  pir_value *value;
  // Of VALUES.
  pir_value *const *values;
  // Number of `items` or `values`.
  size_t count;
};

// ---- helpers in C: `extern @name(%x, $n)`

// A call of a helper.
typedef struct pir_rule_call {
  // For its context; a helper changes nothing.
  pir_rewriter *rewriter;
  // The facts of the program.
  pir_facts *facts;
  // The op at which the rule is tried.
  pir_op *root;
  // The arguments, in order.
  const pir_rule_value *args;
  size_t arg_count;
  // Returns memory for a list to return, valid while the rule is tried; NULL when there is
  // none.
  pir_rule_value *(*list)(void *user, size_t count);
  // Returns an option of the pass, a number or a text as `otherwise` is; `otherwise` itself
  // when the option is not given.
  pir_rule_value (*option)(void *user, pir_str name, const pir_rule_value *otherwise);
  // Handed to both.
  void *user;
} pir_rule_call;

// Computes a value from the arguments; PIR_RULE_UNKNOWN when it cannot be told.
typedef pir_rule_value (*pir_rule_helper_fn)(const pir_rule_call *call);

// A helper that rules may call.
typedef struct pir_rule_helper {
  // Without '@'.
  const char *name;
  // The number of arguments that every call has.
  uint8_t arg_count;
  // The function.
  pir_rule_helper_fn fn;
} pir_rule_helper;

// ---- rules of a pass

// Applies the rules of a pass, and patterns in C beside them, until nothing changes. Fails as
// pir_rewrite_greedy does.
PIR_API PIR_NODISCARD pir_status pir_rules_run(pir_pass_run *run, const pir_rule_pass *rules,
                                               const pir_pattern *patterns,
                                               size_t pattern_count);

// ---- single rules, for checks

// What a file says about a rule; texts live as long as the rules.
typedef struct pir_rule_info {
  // sizeof(pir_rule_info), set by the caller (pir/base.h).
  size_t size;
  // The name, and the place "silu.drr:8".
  const char *name, *origin;
  // Why the rule cannot be checked on numbers, in the file's words; NULL: it can.
  const char *unchecked;
  // Percent of the largest number by which results may differ, for a rule that rounds.
  uint32_t within;
} pir_rule_info;

// Returns the number of rules of a pass: rule i of the functions below is smaller.
PIR_API size_t pir_rule_pass_rules(const pir_rule_pass *rules);
// Describes rule i. PIR_NOT_FOUND: there is no such rule. PIR_INVALID: *out_info has no size.
PIR_API PIR_NODISCARD pir_status pir_rule_pass_rule(const pir_rule_pass *rules, size_t i,
                                                    pir_rule_info *out_info);
// Makes a small program that rule i matches, with random shapes, types and attributes; one seed
// gives one program. Its outputs are the values that the rule replaces; parameters are zeros.
// The caller destroys *out_program. PIR_NOT_FOUND, with the reason in `out_why`, when no
// program was found: *out_program is NULL then. Programs that inference refuses on the way are
// reported to the context's sink.
PIR_API PIR_NODISCARD pir_status pir_rule_sample(pir_context *ctx, const pir_rule_pass *rules,
                                                 size_t i, uint64_t seed,
                                                 pir_program **out_program, char *out_why,
                                                 size_t why_size);
// Applies rule i alone until it no longer matches, and sets *out_count to the number of
// rewrites. Fails as pir_rewrite_greedy does, and with PIR_NOT_FOUND when there is no rule i.
PIR_API PIR_NODISCARD pir_status pir_rule_apply(pir_program *program,
                                                const pir_rule_pass *rules, size_t i,
                                                uint64_t *out_count);

// ---- rules loaded at run time

typedef struct pir_rules pir_rules;

// How a text of rules is read. Zero, but for `size`, is a file "rules" without imports and
// helpers.
typedef struct pir_rules_options {
  // sizeof(pir_rules_options) (pir/base.h).
  size_t size;
  // The name in diagnostics; rules outside of a pass form a pass with the file's name.
  pir_str file;
  // Helpers besides the built-in ones. They must outlive the rules.
  const pir_rule_helper *helpers;
  size_t helper_count;
  // Finds the text of an imported file, which must live until the load returns. NULL: imports
  // are refused.
  pir_status (*read)(void *user, pir_str path, pir_str *out_text);
  // Handed to `read`.
  void *user;
} pir_rules_options;

// Reads, checks and compiles a text. Every bad rule is reported (PIR_INVALID; *out_rules is
// NULL then). `options` may be NULL; `text` need not outlive the call. The caller destroys the
// rules, before the context, whose definitions they hold.
PIR_API PIR_NODISCARD pir_status pir_rules_load(pir_context *ctx, pir_str text,
                                                const pir_rules_options *options,
                                                pir_rules **out_rules);
// Destroys rules and their passes, which no manager may use then. NULL does nothing.
PIR_API void pir_rules_destroy(pir_rules *rules);
// Returns the number of passes that the text declares.
PIR_API size_t pir_rules_passes(const pir_rules *rules);
// Returns pass i, which lives as long as the rules; NULL beyond the last.
PIR_API const pir_pass *pir_rules_pass(const pir_rules *rules, size_t i);

PIR_END
#endif
