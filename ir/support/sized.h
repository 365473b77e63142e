// Structs that a caller fills and that later versions make longer: they begin with their size
// (docs/reference/compatibility.md).
#ifndef PIR_SIZED_H
#define PIR_SIZED_H

#include <pir/diag.h>

// A struct that names itself in messages.
typedef struct sized_text {
  char text[160];
} sized_text;

// Copies the struct `from` of a caller over the `size` bytes at `to`; bytes beyond the caller's
// are zero. NULL counts as all zero. Returns PIR_INVALID without a sensible size, and
// PIR_UNSUPPORTED where bytes that this version does not know are not zero: `why` says so,
// and nothing was copied.
pir_status pir_sized_read(const char *name, void *to, size_t size, const void *from,
                          sized_text *why);
// Does the same and reports a failure to the context.
pir_status pir_sized_take(pir_context *ctx, const char *name, void *to, size_t size,
                          const void *from);
// Reads options of a type: PIR_TAKE(ctx, pir_print_options, &options, given).
#define PIR_TAKE(ctx, type, to, from)                                                          \
  pir_sized_take((ctx), #type, (to), sizeof(type), (1 ? (from) : (const type *)NULL))

// Reports that an argument of the function is NULL and returns PIR_INVALID. The context may be
// the argument.
pir_status pir_refuse_null(pir_context *ctx, const char *function);

// Copies `from`, a struct of `size` bytes, to the struct `to` of a caller, as much of it as the
// caller's has; bytes that this version does not know become zero. The caller's size stays.
// Returns PIR_INVALID, and writes nothing, for NULL and without a sensible size.
pir_status pir_sized_write(void *to, const void *from, size_t size);

#endif
