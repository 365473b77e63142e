// Diagnostics: what went wrong, where, and where the other party is. Libraries never print;
// they report to the context's sink. A run may report several errors.
#ifndef PIR_DIAG_H
#define PIR_DIAG_H

#include <pir/base.h>

PIR_BEGIN

typedef struct pir_context pir_context;
typedef struct pir_op pir_op;

// A place in a source: packed file number with line and column (text) or byte offset (binary).
// 0 is "unknown". File names are interned in the context.
typedef uint64_t pir_loc;

#define PIR_LOC_UNKNOWN ((pir_loc)0)

PIR_API pir_loc pir_loc_text(pir_context *ctx, pir_str file, uint32_t line, uint32_t column);
PIR_API pir_loc pir_loc_offset(pir_context *ctx, pir_str file, uint64_t offset);

typedef struct pir_loc_parts {
  pir_str file;    // empty when unknown
  bool is_offset;  // else line and column, from 1; a column of 0 means the whole line
  uint32_t line, column;
  uint64_t offset;
} pir_loc_parts;

PIR_API pir_loc_parts pir_loc_unpack(const pir_context *ctx, pir_loc loc);

// A remark says what a pass or the generator chose to do and why; nothing is wrong.
typedef enum pir_severity { PIR_ERROR, PIR_WARNING, PIR_NOTE, PIR_REMARK } pir_severity;

typedef struct pir_diag {
  pir_severity severity;
  pir_loc_parts place;
  pir_str message;      // one line, lower case, no full stop
  pir_str source_line;  // the text line at `place`, when the reader has it; else empty
  pir_str op_path;      // "block 0, op 17 conv2d" for binary input; else empty
} pir_diag;

// Receives diagnostics in order; a note belongs to the error or warning before it. `diag` and
// its strings live only during the call.
typedef struct pir_diag_sink {
  void (*report)(void *user, const pir_diag *diag);
  void *user;
} pir_diag_sink;

PIR_API void pir_context_set_sink(pir_context *ctx, pir_diag_sink sink);

// Reports and returns PIR_INVALID, so that a check is one line:
//   if (n != 2) return pir_error(op, "expects 2 operands, has %zu", n);
// The message is prefixed with the op's quoted name.
PIR_API pir_status pir_error(const pir_op *op, const char *format, ...) PIR_PRINTF(2, 3);
PIR_API void pir_note(const pir_op *op, const char *format, ...) PIR_PRINTF(2, 3);
PIR_API void pir_warning(const pir_op *op, const char *format, ...) PIR_PRINTF(2, 3);

// Remarks are made only for who asks; off at first. pir_remark does nothing where they are off;
// who gathers more than a format's arguments asks pir_context_remarks first.
PIR_API void pir_context_set_remarks(pir_context *ctx, bool wanted);
PIR_API bool pir_context_remarks(const pir_context *ctx);
PIR_API void pir_remark(const pir_op *op, const char *format, ...) PIR_PRINTF(2, 3);

// Reports at a place and returns `status`.
PIR_API pir_status pir_report(pir_context *ctx, pir_status status, pir_severity severity,
                              pir_loc loc, const char *format, ...) PIR_PRINTF(5, 6);
// The same with everything spelled out (source line, op path).
PIR_API void pir_diag_emit(pir_context *ctx, const pir_diag *diag);
PIR_API size_t pir_context_error_count(const pir_context *ctx);

PIR_END
#endif
