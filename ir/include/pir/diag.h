// Diagnostics: the message of a failure, its place, and the place of the other party. Libraries
// never print; they report to the context's sink. One call may report several errors, and one
// that fails with a status reports one at least.
//
// Functions that take a context or an op follow the context's rule: one thread at a time. The
// sink is called on the thread that reports.
#ifndef PIR_DIAG_H
#define PIR_DIAG_H

#include <pir/base.h>

PIR_BEGIN

typedef struct pir_context pir_context;
typedef struct pir_op pir_op;

// ---- places

// A place in a source: file number with line and column (text) or with a byte offset (binary),
// packed in 64 bits. File names are interned in the context.
typedef uint64_t pir_loc;

// No place is known. The zero value.
#define PIR_LOC_UNKNOWN ((pir_loc)0)

// Returns the place of a line and column, both counted from 1; column 0 means the whole line.
// `file` is copied. Numbers beyond 29 and 20 bits become the largest that fit. With more than
// 16,000 file names the place is unknown.
PIR_API pir_loc pir_loc_text(pir_context *ctx, pir_str file, uint32_t line, uint32_t column);
// Returns the place of a byte offset in a binary file, cut to 49 bits.
PIR_API pir_loc pir_loc_offset(pir_context *ctx, pir_str file, uint64_t offset);

// The parts of a place.
typedef struct pir_loc_parts {
  // Empty when the place is unknown. Lives as long as the context.
  pir_str file;
  // Whether `offset` counts; else `line` and `column` do.
  bool is_offset;
  // From 1; a column of 0 means the whole line.
  uint32_t line, column;
  // In bytes.
  uint64_t offset;
} pir_loc_parts;

// Takes a place of this context apart.
PIR_API pir_loc_parts pir_loc_unpack(const pir_context *ctx, pir_loc loc);

// ---- messages

// An error ends the call that reports it. A note belongs to the error or warning before it. A
// remark states a choice of a pass or the generator and its reason; nothing is wrong.
typedef enum pir_severity {
  PIR_ERROR = 0,
  PIR_WARNING = 1,
  PIR_NOTE = 2,
  PIR_REMARK = 3
} pir_severity;

// One diagnostic.
typedef struct pir_diag {
  // sizeof(pir_diag) (pir/base.h).
  size_t size;
  // How serious it is.
  pir_severity severity;
  // Where in the source.
  pir_loc_parts place;
  // One line, lower case, no full stop.
  pir_str message;
  // The text line at `place`, when the reader has it; else empty.
  pir_str source_line;
  // "block 0, op 17 pd_op.conv2d of conv2d_3.w_0" for an op of JSON or of binary input, with a
  // parameter that it reads; else empty.
  pir_str op_path;
} pir_diag;

// Receives diagnostics in order. `diag` and its strings live only during the call. It must not
// change the program or the context.
typedef struct pir_diag_sink {
  // NULL drops all diagnostics.
  void (*report)(void *user, const pir_diag *diag);
  // Handed to `report`.
  void *user;
} pir_diag_sink;

// How much a sink hears. A level includes those above it; nothing is written for the others.
typedef enum pir_log_level {
  // The same as PIR_LOG_WARNINGS.
  PIR_LOG_DEFAULT = 0,
  // Errors with their notes.
  PIR_LOG_ERRORS = 1,
  // Also warnings with their notes, and notes that belong to nothing.
  PIR_LOG_WARNINGS = 2,
  // Also remarks. A number beyond this one counts as this one.
  PIR_LOG_REMARKS = 3
} pir_log_level;

// Sets the receiver of the context's diagnostics; at first it is the one in the options.
PIR_API void pir_context_set_sink(pir_context *ctx, pir_diag_sink sink);
// Sets how much the receiver hears; at first it is the level in the options.
PIR_API void pir_context_set_log_level(pir_context *ctx, pir_log_level level);

// ---- reporting about an op

// Reports an error at the op's place, prefixed with the op's quoted name, and returns
// PIR_INVALID, so that a check is one line:
//   if (n != 2) return pir_error(op, "expects 2 operands, has %zu", n);
PIR_API PIR_NODISCARD pir_status pir_error(const pir_op *op, const char *format, ...)
    PIR_PRINTF(2, 3);
// Reports a note at the op's place, about the error or warning reported last.
PIR_API void pir_note(const pir_op *op, const char *format, ...) PIR_PRINTF(2, 3);
// Reports a warning at the op's place.
PIR_API void pir_warning(const pir_op *op, const char *format, ...) PIR_PRINTF(2, 3);

// Sets the level PIR_LOG_REMARKS, or, where that is set, PIR_LOG_WARNINGS.
PIR_API void pir_context_set_remarks(pir_context *ctx, bool wanted);
// Whether the level is PIR_LOG_REMARKS. A caller that has to gather more than a format's
// arguments asks this first.
PIR_API bool pir_context_remarks(const pir_context *ctx);
// Reports a remark at the op's place; does nothing below PIR_LOG_REMARKS.
PIR_API void pir_remark(const pir_op *op, const char *format, ...) PIR_PRINTF(2, 3);
// Reports at an op without its name in front, and returns `status` unchanged.
PIR_API PIR_NODISCARD pir_status pir_report_op(const pir_op *op, pir_status status,
                                               pir_severity severity, const char *format, ...)
    PIR_PRINTF(4, 5);

// ---- reporting without an op

// Reports at a place and returns `status` unchanged.
PIR_API PIR_NODISCARD pir_status pir_report(pir_context *ctx, pir_status status,
                                            pir_severity severity, pir_loc loc,
                                            const char *format, ...) PIR_PRINTF(5, 6);
// Reports a diagnostic whose fields the caller has filled in, `size` included, if the level
// admits it. Its strings are not kept.
PIR_API void pir_diag_emit(pir_context *ctx, const pir_diag *diag);
// Returns the number of errors reported to this context so far, with or without a sink.
PIR_API size_t pir_context_error_count(const pir_context *ctx);

PIR_END
#endif
