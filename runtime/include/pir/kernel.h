// Kernels: C functions that compute an op on tensors whose results are already shaped and
// allocated. A table of built-in ones, and one table a model for the user's.
#ifndef PIR_KERNEL_H
#define PIR_KERNEL_H

#include <pir/clause.h>
#include <pir/parallel.h>
#include <pir/random.h>
#include <pir/tensor.h>

PIR_BEGIN

// An error text of bounded size, for code that has no context to report to.
typedef struct pir_message {
  char text[400];
} pir_message;

// Offsets of sequences that a kernel made for a result; the run that they belong to keeps them.
typedef struct pir_lod_block {
  struct pir_lod_block *next;
  size_t bytes;
  const uint64_t *levels[2];
  size_t sizes[2];
  uint64_t offsets[];
} pir_lod_block;

// Everything a kernel sees. Operands and results are in the order of the op's definition; a
// variadic one takes as many entries as it has members (`in_members`), an absent optional one
// is NULL.
typedef struct pir_kernel pir_kernel;
typedef struct pir_kernel_call {
  const char *op;  // for messages
  const pir_tensor *const *in;
  const int32_t *in_members;  // per declared operand: 1, members of a vec, or 0 when absent
  const int32_t *in_first;    // per declared operand: its first entry in `in`
  int32_t operand_count;
  pir_tensor *const *out;
  const int32_t *out_members, *out_first;
  int32_t result_count;
  const pir_attr_value *attrs;  // by position in the definition; defaults filled in
  int32_t attr_count;
  const pir_clause *clause;  // of the op, or NULL
  const pir_kernel *kernel;  // the one that is called
  pir_generator *generator;  // the session's random numbers; NULL outside of one
  pir_parallel parallel;
  const pir_allocator *allocator;  // for results whose shape only the kernel knows
  pir_lod_block **lods;            // where new offsets of results go; NULL outside of a run
  pir_message *message;            // filled in on failure
} pir_kernel_call;

typedef pir_status (*pir_kernel_fn)(const pir_kernel_call *call);

struct pir_kernel {
  const char *name;  // as in `kernel NAME` of the .ops entry
  pir_kernel_fn run;
  bool shapes_results;  // allocates its results itself (nonzero, unique, ...): sets data and
                        // shape
};

PIR_API const pir_kernel *pir_kernel_find(pir_str name);  // built-in; NULL when there is none
// Writes the message and returns `status`.
PIR_API pir_status pir_kernel_fail(const pir_kernel_call *call, pir_status status,
                                   const char *format, ...) PIR_PRINTF(3, 4);

// The reference meaning of every clause: evaluates `call->clause`. Slow beside compiled code,
// and right.
PIR_API pir_status pir_clause_run(const pir_kernel_call *call);

PIR_END
#endif
