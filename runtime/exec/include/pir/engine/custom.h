// Custom ops: operators of the user, declared by a few words and computed by C functions, which
// are given as pointers or by name from a shared library (docs/steps/custom-ops.md). Functions
// are called through libffi with the arguments that the declaration names, in its order:
//
//   int kernel(operands.., results.., attributes..)    0: done; any other number stops the run
//   int infer(operands.., results.., attributes..)     with an error that shows the number
//
//   operand            const pir_tensor *              dense; NULL when absent
//   operand, a list    const pir_tensor *const *, size_t
//   result             pir_tensor *                    dense, shaped and allocated
//   attribute          bool, int32_t, int64_t, float, double, const char *
//   attribute, a list  a pointer and size_t; the elements are int64_t (also of bool and i32),
//                      double, or pir_str
//
// For `infer` tensors have no data, and an extent that is not known yet is -1. It sets element
// type and shape of the results, which come as copies of the first operand. An extent that
// depends on an unknown one is -1 too; the function is asked again when all are known. Without
// `infer` the results are like the first operand. Both functions may be called from any thread.
#ifndef PIR_CUSTOM_H
#define PIR_CUSTOM_H

#include <pir/diag.h>
#include <pir/engine/tensor.h>

PIR_BEGIN

// The declaration of one op. A library exports `const pir_custom_op pir_custom_ops[]`, which
// ends with an entry whose name is NULL.
typedef struct pir_custom_op {
  // "gap": custom_op.gap in programs, gap in .pdmodel files.
  const char *name;
  // "X, Mask?, Rest*": slots of .pdmodel files; ? may be absent, * is a list.
  const char *operands;
  // "axis: i32 = 1, sizes: i64[]": in their order in JSON, with kinds bool i32 i64 f32 f64 str
  // and lists of them, and defaults.
  const char *attrs;
  // "Out".
  const char *results;
  // Name of the function that computes, in the library.
  const char *kernel;
  // Name of the function that gives shapes, or NULL.
  const char *infer;
} pir_custom_op;

// Any of the functions above, cast to one type.
typedef void (*pir_custom_fn)(void);

// Declared ops, to be registered in contexts and given to models. It must outlive the contexts;
// models that are loaded with it keep it alive. One thread at a time adds ops; afterwards any
// thread may register the set and load models with it. Sets share nothing: contexts with other
// sets may be used at the same time.
typedef struct pir_custom_set pir_custom_set;

// Creates an empty set. `allocator` may be NULL. Returns PIR_EXHAUSTED when memory runs out.
PIR_API PIR_NODISCARD pir_status pir_custom_set_create(const pir_allocator *allocator,
                                                       pir_custom_set **out_set);
// Gives up the caller's hold of a set, which no context may use then. Its libraries are closed
// and its memory is freed with the last model that was loaded with it. NULL does nothing.
PIR_API void pir_custom_set_destroy(pir_custom_set *set);
// Adds an op with its functions; `infer` may be NULL. Texts of `op` are copied. PIR_INVALID,
// with a reason in `message`: a bad declaration, a second op of the name, or a set that has
// been registered already. PIR_EXHAUSTED: more than 255 ops, or no memory.
PIR_API PIR_NODISCARD pir_status pir_custom_set_add(pir_custom_set *set,
                                                    const pir_custom_op *op,
                                                    pir_custom_fn kernel, pir_custom_fn infer,
                                                    pir_message *message);
// Opens a shared library by path and adds all ops that it exports; the set keeps it open. Fails
// as pir_custom_set_add does, and with PIR_INVALID for a library that cannot be opened or lacks
// a function.
PIR_API PIR_NODISCARD pir_status pir_custom_set_load(pir_custom_set *set, const char *library,
                                                     pir_message *message);

// How a text of declarations is read. Zero, but for `size`, is a file "ops" without includes
// and without a sink.
typedef struct pir_ops_options {
  // sizeof(pir_ops_options) (pir/base.h).
  size_t size;
  // The name in diagnostics; included files are sought beside it.
  pir_str file;
  // Finds the text of an included file, which must live until the call returns. NULL: includes
  // are refused.
  pir_status (*read)(void *user, pir_str path, pir_str *out_text);
  // Handed to `read`.
  void *user;
  // The receiver of all errors of the text, with file, line and column.
  pir_diag_sink sink;
} pir_ops_options;

// Adds the ops that a text declares in the language of `.ops` files (docs/steps/user-ops.md).
// They have no C functions: libpir infers, compiles and evaluates them from their declarations,
// as it does its own. All or none are added. `options` may be NULL; `text` need not outlive the
// call. PIR_INVALID: the text has errors, of which `message` has the first with its place, or
// an op is declared already, or the set has been registered. PIR_EXHAUSTED: more than 64 texts,
// a text of more than 1 MB, or no memory.
PIR_API PIR_NODISCARD pir_status pir_custom_set_declare(pir_custom_set *set, pir_str text,
                                                        const pir_ops_options *options,
                                                        pir_message *message);
// Makes the ops known to a context. Fails as pir_context_register does; the context may know
// some of the ops then. A context takes one set.
PIR_API PIR_NODISCARD pir_status pir_custom_set_register(pir_custom_set *set, pir_context *ctx);

PIR_END
#endif
