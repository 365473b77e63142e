// A context owns everything uniqued (types, attributes, names), the memory of the IR and the
// loaded dialects. One thread uses a context, and everything made in it, at a time; contexts
// share nothing that is written, so each thread may have its own.
#ifndef PIR_CONTEXT_H
#define PIR_CONTEXT_H

#include <pir/base.h>
#include <pir/diag.h>
#include <pir/limits.h>
#include <pir/progress.h>
#include <pir/stop.h>

PIR_BEGIN

typedef struct pir_opdef pir_opdef;
typedef struct pir_dialect pir_dialect;

// How a context is made. The zero value, but for `size`, means all defaults.
typedef struct pir_context_options {
  // sizeof(pir_context_options) (pir/base.h).
  size_t size;
  // The source of all memory of the context, called on the thread that uses the context.
  pir_allocator allocator;
  // Called when memory runs out, but not below pir_context_protect. It must not return: it
  // jumps out or ends the process. NULL: functions that return a status return PIR_EXHAUSTED,
  // functions that create a program or a manager return NULL, all others trap.
  void (*out_of_memory)(void *user);
  // Handed to `out_of_memory`.
  void *out_of_memory_user;
  // Bounds for readers.
  pir_limits limits;
  // The first receiver of diagnostics; it also hears why a context cannot be created.
  pir_diag_sink sink;
  // How much it hears.
  pir_log_level log_level;
} pir_context_options;

// Creates a context without dialects; pir_dialects_load_all (pir/compiler/dialects.h) loads the
// library's. `options` may be NULL. The caller destroys it. NULL, reported, when there is no
// memory or the options have no size.
PIR_API pir_context *pir_context_create(const pir_context_options *options);
// Destroys a context and everything made in it. Programs must have been destroyed before, since
// they give parameter bytes back. NULL does nothing.
PIR_API void pir_context_destroy(pir_context *ctx);

// Sets the receiver of reports from readers, passes and code generation; at first there is
// none.
PIR_API void pir_context_set_progress(pir_context *ctx, pir_progress_sink sink);
// Returns the receiver that pir_context_set_progress set, or one without a function.
PIR_API pir_progress_sink pir_context_progress(const pir_context *ctx);

// Returns the limits in force, defaults filled in; they live as long as the context.
PIR_API const pir_limits *pir_context_limits(const pir_context *ctx);
// Returns the bytes that the context has allocated and not freed.
PIR_API size_t pir_context_bytes(const pir_context *ctx);

// Runs code that makes IR by hand: calls body(user) and returns its status, or PIR_EXHAUSTED,
// reported, when memory runs out on the way.
//
// A function that returns a status does that by itself. Others (those that make types,
// attributes and ops) then leave by a jump to the outermost pir_context_protect or function
// with a status that runs. `body` therefore keeps in `user` all that it owns and the context
// does not, so that the caller can release it; no C++ object that needs its destructor may live
// in a frame that the jump leaves. A program that was being changed can still be destroyed;
// other memory is freed with the context.
PIR_API PIR_NODISCARD pir_status pir_context_protect(pir_context *ctx,
                                                     pir_status (*body)(void *user),
                                                     void *user);

// Ends work early: from now on functions of this context that return a status poll the flag and
// the time, which counts from here, and return PIR_CANCELLED, reported, once they have to end.
// Readers poll for every op, passes for every op that they visit, folding and inference for
// every op that they compute. What such a call has allocated is freed with the context. NULL:
// nothing ends early (default).
PIR_API void pir_context_set_stop(pir_context *ctx, const pir_stop *stop);

// An interned name: equal names are equal pointers. NUL-terminated; lives as long as the
// context.
typedef const struct pir_name_entry pir_name;
// Returns the name with this text, interning a copy of it when it is new.
PIR_API pir_name *pir_name_get(pir_context *ctx, pir_str text);
// Returns the characters of a name, NUL-terminated; they live as long as the context.
PIR_API pir_str pir_name_str(pir_name *name);

// Returns the definition of the op with this full name ("pd_op.matmul"). Never NULL: an unknown
// name gets a definition without the trait PIR_REGISTERED, made once and kept by the context.
PIR_API const pir_opdef *pir_context_opdef(pir_context *ctx, pir_str name);
// Returns the definition with this number (PD_MATMUL, .. from pir/compiler/dialect/*.h), or
// NULL when its dialect is not registered.
PIR_API const pir_opdef *pir_context_op(const pir_context *ctx, uint32_t op_id);

PIR_END
#endif
