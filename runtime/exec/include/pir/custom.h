// Operators of the user: declared by a few words, computed by C functions, given as pointers or
// by name from a shared library. Functions are called through libffi with what the declaration
// says, in its order:
//
//   int kernel(operands.., results.., attributes..)      0: done; else the run stops, and says
//   which number int infer(operands.., results.., attributes..)
//
//   operand         const pir_tensor *                         dense; NULL when it is optional
//   and absent operand, list   const pir_tensor *const *, size_t result          pir_tensor *
//   dense, shaped and allocated attribute       bool, int32_t, int64_t, float, double, const
//   char *; of a list: pointer and size_t, the
//                   elements int64_t (also of bool and i32), double, or pir_str
//
// For `infer` tensors have no data, and an extent that is not known yet is -1. It sets element
// type and shape of the results, which come as copies of the first operand; what depends on
// such an extent is -1 too, and it is asked again when all are known. Without `infer` the
// results are like the first operand.
#ifndef PIR_CUSTOM_H
#define PIR_CUSTOM_H

#include <pir/context.h>
#include <pir/kernel.h>

PIR_BEGIN

// What a library exports: `const pir_custom_op pir_custom_ops[]`, ending with an entry whose
// name is NULL.
typedef struct pir_custom_op {
  const char *name;      // "gap": custom_op.gap in programs, gap in .pdmodel files
  const char *operands;  // "X, Mask?, Rest*": as the slots of .pdmodel files are called
  const char *attrs;    // "axis: i32 = 1, sizes: i64[]": in their order in JSON; kinds bool i32
                        // i64 f32 f64 str, lists
  const char *results;  // "Out"
  const char *kernel;   // names of functions in the library; `infer` may be NULL
  const char *infer;
} pir_custom_op;

typedef void (*pir_custom_fn)(void);  // any of the above, cast

// Declared ops, to be registered in contexts and given to models. It must outlive both.
typedef struct pir_custom_set pir_custom_set;

PIR_API pir_status pir_custom_set_create(const pir_allocator *allocator,
                                         pir_custom_set **out_set);
PIR_API void pir_custom_set_destroy(pir_custom_set *set);
// All before the first registration. What was wrong is in `message`.
PIR_API pir_status pir_custom_set_add(pir_custom_set *set, const pir_custom_op *op,
                                      pir_custom_fn kernel, pir_custom_fn infer,
                                      pir_message *message);
PIR_API pir_status pir_custom_set_load(pir_custom_set *set, const char *library,
                                       pir_message *message);
// Makes the ops known to a context, beside those of the dialects. Callable from several threads
// at once, as is pir_model_load with one set.
PIR_API pir_status pir_custom_set_register(pir_custom_set *set, pir_context *ctx);

PIR_END
#endif
