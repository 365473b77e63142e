// Operators that users declare in the language of `.ops` files (docs/reference/ops.md), read at
// run time: the front end of opsc, whose result stays in memory instead of becoming C. Nothing
// is shared: several threads may read at a time.
#ifndef PIR_USER_OPS_H
#define PIR_USER_OPS_H

#include <pir/compiler/dialect.h>
#include <pir/diag.h>

PIR_BEGIN

// A text of declarations, and the ops that they may not repeat.
typedef struct pir_user_ops_text {
  // The declarations, and the name of their file in diagnostics.
  pir_str text, file;
  // Finds the text of an included file, as pir_ops_options does; NULL: includes are refused.
  pir_status (*read)(void *user, pir_str path, pir_str *out_text);
  // Handed to `read`.
  void *user;
  // The receiver of all errors.
  pir_diag_sink sink;
  // The number of the dialect in the ids of its ops.
  uint32_t dialect;
  // Finds an op that was declared before the text, besides the ops of libpir; may be NULL.
  const pir_opdef *(*find)(void *owner, const char *name);
  // Handed to `find`.
  void *owner;
} pir_user_ops_text;

// Most operands, attributes and results of an op, and most bytes of a text.
enum { PIR_USER_OP_PARTS = 24, PIR_USER_OPS_BYTES = 1 << 20 };

struct pir_arena;

// Reads, checks and compiles a text. All memory of the result is in `memory`, an arena of a
// heap, which leaves by a jump when memory runs out. The sink receives every error; `message`
// gets the first, with its place. Returns PIR_INVALID for a text with errors, and PIR_EXHAUSTED
// for one that is too long. `text` need not outlive the call.
PIR_API PIR_NODISCARD pir_status pir_user_ops_read(const pir_user_ops_text *text,
                                                   struct pir_arena *memory,
                                                   pir_dialect *out_dialect,
                                                   pir_message *message);

PIR_END
#endif
