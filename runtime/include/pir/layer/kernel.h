// Kernels: C functions that compute an op on tensors whose results are already shaped and
// allocated. There is a table of built-in kernels; custom ops bring their own.
#ifndef PIR_KERNEL_H
#define PIR_KERNEL_H

#include <pir/compiler/clause.h>
#include <pir/engine/parallel.h>
#include <pir/comm.h>
#include <pir/stop.h>
#include <pir/layer/random.h>
#include <pir/engine/tensor.h>

PIR_BEGIN

// Level-of-detail offsets that a kernel made for a result. The run owns and frees the block.
typedef struct pir_lod_block {
  struct pir_lod_block *next;
  // Size of the block.
  size_t bytes;
  // The `lod` of a tensor: pointers into `offsets`.
  const uint64_t *levels[2];
  // The `lod_sizes` of a tensor.
  size_t sizes[2];
  // The offsets of all levels.
  uint64_t offsets[];
} pir_lod_block;

// Bytes of strings that a kernel made. The run owns and frees the block.
typedef struct pir_text_block {
  struct pir_text_block *next;
  // Size of the block.
  size_t bytes;
  // The bytes.
  char text[];
} pir_text_block;

// An array of tensors. A tensor whose element type is PIR_UNDEFINED has one as its `data`.
typedef struct pir_tensor_array {
  // How many slots of a run refer to it.
  uint32_t holders;
  // Whether it is a stack, whose items may be arrays.
  bool is_stack;
  // The tensors, each with memory of its own, dense. Without data: not written yet.
  pir_tensor *items;
  // Their number, and the room for them.
  size_t count, capacity;
} pir_tensor_array;

// Returns the address of element i, counted row-major over the shape.
void *pir_tensor_element(const pir_tensor *tensor, int64_t i);

typedef struct pir_kernel pir_kernel;

// The argument of a kernel; it lives during the call. Operands and results are in the order of
// the op's definition. A variadic one takes an entry for each member, an absent optional one
// takes one entry, NULL.
typedef struct pir_kernel_call {
  // Name of the op, for messages.
  const char *op;
  // Operands. They must not be written, unless the op is an in-place twin whose result is the
  // same memory.
  const pir_tensor *const *in;
  // For each declared operand the number of members: 1, the members of a vec, 0 when absent.
  const int32_t *in_members;
  // For each declared operand its first entry in `in`.
  const int32_t *in_first;
  int32_t operand_count;
  // Results, to be written.
  pir_tensor *const *out;
  // For each declared result the number of members, and its first entry in `out`.
  const int32_t *out_members, *out_first;
  int32_t result_count;
  // Attributes by position in the definition, defaults filled in.
  const pir_attr_value *attrs;
  int32_t attr_count;
  // The clause of the op, or NULL.
  const pir_clause *clause;
  // The kernel that is called.
  const pir_kernel *kernel;
  // The session's random numbers; NULL outside of a session.
  pir_generator *generator;
  // The session's rings; NULL: every ring has one rank.
  const pir_rings *rings;
  // How loops are run.
  pir_parallel parallel;
  // For scratch, and for results whose shape only the kernel knows.
  const pir_allocator *allocator;
  // Most bytes that a block of scratch, or a result whose shape only the kernel knows, may
  // take; 0: no limit.
  size_t most_bytes;
  // List to which new offsets of results are added; NULL outside of a run.
  pir_lod_block **lods;
  // List to which bytes of strings in results are added; NULL outside of a run.
  pir_text_block **texts;
  // Filled when the kernel fails.
  pir_message *message;
  // A value other than 0 asks the kernel to stop with PIR_CANCELLED; NULL: nobody asks. Kernels
  // look where an attribute decides how long they run (pir_kernel_cancelled).
  const pir_atomic_int *cancel;
  // When the run ends early, on CLOCK_MONOTONIC, in nanoseconds; 0: never. For kernels that
  // wait.
  uint64_t deadline_ns;
  // Not 0 after the kernel has read an attribute as another kind. pir_kernel_run sets it; NULL:
  // nothing is recorded.
  int *misread;
} pir_kernel_call;

// Computes the results. It keeps nothing of the call, and may run on any thread. A failure ends
// the run with the status and the message.
typedef pir_status (*pir_kernel_fn)(const pir_kernel_call *call);

// A kernel.
struct pir_kernel {
  // As in `kernel NAME` of the .ops entry.
  const char *name;
  // The function.
  pir_kernel_fn run;
  // Whether it allocates its results itself (nonzero, unique, ..): it then sets data, shape and
  // strides, with memory of the call's allocator that the run takes over.
  bool shapes_results;
};

// Returns the built-in kernel with this name; NULL when there is none. From any thread.
PIR_API const pir_kernel *pir_kernel_find(pir_str name);
// Returns the kernels that few models call, in name order, and sets their number. libpir_rt
// finds this function in libpir_rt_kernels.
PIR_API const pir_kernel *pir_rare_kernels(size_t *out_count);
// Whether results of a built-in kernel may lie where the operands lie that they continue.
PIR_API bool pir_kernel_in_place(const pir_kernel *kernel);
// Whether a built-in kernel reads operands by the strides of all axes but the last one, which
// must be 1.
PIR_API bool pir_kernel_takes_apart(const pir_kernel *kernel);
// Whether operands of a built-in kernel may be arrays of tensors.
PIR_API bool pir_kernel_takes_arrays(const pir_kernel *kernel);
// Runs the call's kernel, or evaluates its clause when it names none. Returns PIR_INVALID, with
// a message, when the kernel has read an attribute as another kind; else the kernel's status.
PIR_API PIR_NODISCARD pir_status pir_kernel_run(const pir_kernel_call *call);
// Whether the call is asked to stop. From any thread.
PIR_API bool pir_kernel_cancelled(const pir_kernel_call *call);
// Writes the call's message and returns `status`.
PIR_API PIR_NODISCARD pir_status pir_kernel_fail(const pir_kernel_call *call, pir_status status,
                                                 const char *format, ...) PIR_PRINTF(3, 4);

// Evaluates `call->clause`: the reference meaning of every clause. Its numbers are the standard
// for compiled code, which is much faster. Returns PIR_INVALID when an index lies outside of a
// tensor or a trap is met, PIR_UNSUPPORTED for types that the clause does not define, and
// PIR_EXHAUSTED when scratch cannot be had.
PIR_API PIR_NODISCARD pir_status pir_clause_run(const pir_kernel_call *call);

PIR_END
#endif
