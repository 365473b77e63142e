// Values that are known before the program runs, and the ops that their clause or kernel can
// compute on such values. Private to passes/.
#ifndef PIR_EVALUATE_H
#define PIR_EVALUATE_H

#include <pir/compiler/infer.h>
#include <pir/compiler/program.h>
#include <pir/compiler/rewrite.h>
#include <pir/engine/parallel.h>
#include <pir/engine/tensor.h>

#include <map.h>
#include <vec.h>

// Tensors of one value: several for a list value.
typedef struct known_value {
  size_t count;
  bool from_source;  // value of a constant or parameter op, not computed here
  bool stays;        // its op is kept although it is known (folding)
  const pir_value
      *source;  // the value of a constant or parameter op that it is a copy of; or NULL
  pir_tensor tensors[];
} known_value;

// Memory of a computed tensor, charged to the context's heap.
typedef struct known_buffer {
  void *data;
  size_t bytes;
} known_buffer;

typedef struct evaluator {
  pir_program *program;
  pir_facts *facts;
  pir_arena *arena;
  bool parameters;  // named parameters count as known
  pir_rewriter
      *rewriter;  // expands composite ops for as long as they are computed; NULL: they are not
  pir_status status;              // of the last expansion; a failure has been reported
  uint64_t max_bytes;             // a result may be larger than this only when its operands are
  uint64_t room;                  // bytes that further results may take, all together
  pir_map known;                  // pir_value -> known_value
  PIR_VEC(known_buffer) buffers;  // memory of computed tensors
  int threads;                    // that compute large results; 0: one
  pir_thread_pool *pool;          // theirs, once there was such a result
  pir_guard guard;
} evaluator;

// Stays where it is until it is freed.
void evaluator_init(evaluator *e, pir_program *program, pir_facts *facts);
void evaluator_free(evaluator *e);
const known_value *evaluator_find(const evaluator *e, const pir_value *value);
// Computes the results of an op if all its operands are known and its tables define it; else
// leaves them unknown.
void evaluator_visit(evaluator *e, const pir_op *op);

// Returns the bytes of a known tensor: its shape was sized before, so that the product fits.
static inline size_t known_tensor_bytes(const pir_tensor *tensor) {
  return (size_t)pir_tensor_numel(tensor) * pir_dtype_size(tensor->dtype);
}

// Transfers the data of a known tensor to the caller, who frees it with known_memory_give: the
// tensor's own the first time, then a copy, and a copy of a parameter's. It is a weight then,
// and no longer charged.
void *evaluator_take(evaluator *e, const pir_tensor *tensor);
// Forgets the results of an op that is erased, because new values may reuse their addresses.
void evaluator_forget(evaluator *e, const pir_op *op);
void evaluator_forget_value(evaluator *e, const pir_value *value);
// Gives `value` the known value of `from`.
void evaluator_copy(evaluator *e, const pir_value *value, const pir_value *from);

#endif
