// A context owns everything uniqued (types, attributes, names), the arenas of the IR and the
// loaded dialects. Not thread-safe: one thread at a time per context; contexts share nothing
// written.
#ifndef PIR_CONTEXT_H
#define PIR_CONTEXT_H

#include <pir/base.h>
#include <pir/diag.h>

PIR_BEGIN

typedef struct pir_opdef pir_opdef;
typedef struct pir_dialect pir_dialect;

// Bounds on what readers accept. Zero means the default in brackets.
typedef struct pir_limits {
  uint64_t max_ops;    // [16 M]
  uint64_t max_depth;  // nesting of regions, types, attributes [256 k regions; 64 types and
                       // attributes]
  uint64_t max_attr_items;  // elements of one array attribute [64 M]
  uint64_t max_bytes;  // memory of the context and what is made of its programs, weights apart
                       // [unlimited]
} pir_limits;

typedef struct pir_context_options {
  size_t size;  // sizeof(pir_context_options); 0 is taken as this version
  pir_allocator allocator;
  // Called when memory runs out, outside of pir_context_protect; must not return. Default:
  // functions that return a status return PIR_EXHAUSTED, functions that create a program or a
  // manager NULL, all others trap.
  void (*out_of_memory)(void *user);
  void *out_of_memory_user;
  pir_limits limits;
} pir_context_options;

// Creates a context with no dialect loaded (pir_dialects_load_all in pir/dialects.h loads
// ours). `options` may be NULL. NULL when there is no memory.
PIR_API pir_context *pir_context_create(const pir_context_options *options);
PIR_API void pir_context_destroy(pir_context *ctx);

PIR_API const pir_limits *pir_context_limits(const pir_context *ctx);
PIR_API size_t pir_context_bytes(const pir_context *ctx);  // memory held now

// Running out of memory. A function that returns a status reports it and returns PIR_EXHAUSTED.
// Other functions (those that make types, attributes and ops) leave by a jump to the outermost
// such function that runs, so code that makes IR by hand runs in this: it calls body(user) and
// returns what that returns, or PIR_EXHAUSTED, reported, when memory ran out below. What body
// owns by then and is not the context's is to be found in `user`, for the caller to give back.
// No object of C++ that needs its destructor may be alive in a frame that is left. A program
// that was being changed can still be destroyed; what else was taken goes with the context.
PIR_API PIR_NODISCARD pir_status pir_context_protect(pir_context *ctx,
                                                     pir_status (*body)(void *user),
                                                     void *user);

// An interned name: equal names are equal pointers. NUL-terminated; lives as long as the
// context.
typedef const struct pir_name_entry pir_name;
PIR_API pir_name *pir_name_get(pir_context *ctx, pir_str text);
PIR_API pir_str pir_name_str(pir_name *name);

// The definition of an op by full name ("pd_op.matmul"). Never NULL: an unknown name gets a
// definition without PIR_REGISTERED, made once per context.
PIR_API const pir_opdef *pir_context_opdef(pir_context *ctx, pir_str name);
// By number (PD_MATMUL, ... from pir/dialect/*.h). NULL when its dialect is not registered.
PIR_API const pir_opdef *pir_context_op(const pir_context *ctx, uint32_t op_id);

PIR_END
#endif
