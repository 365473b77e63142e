// IR text in and out. docs/reference/ir-text.md has the grammar. One thread at a time, as for
// the context.
#ifndef PIR_TEXT_H
#define PIR_TEXT_H

#include <pir/compiler/program.h>

PIR_BEGIN

// The forms that are printed.
typedef enum pir_text_form {
  // Paddle 3.3's print form, byte for byte.
  PIR_TEXT_T3 = 0,
  // The tagged form of 2024.
  PIR_TEXT_T2 = 1,
  // The library's own form, which loses nothing.
  PIR_TEXT_TYPED = 2
} pir_text_form;

// ---- printing. All functions return PIR_IO when the writer stops, else PIR_OK.

// How programs and ops are printed. Zero, but for `size`, is T3.
typedef struct pir_print_options {
  // sizeof(pir_print_options) (pir/base.h).
  size_t size;
  // The form of the text.
  pir_text_form form;
  // Typed form: no locations.
  bool strip_debug;
} pir_print_options;

// Prints a program. `options` may be NULL. Cost: linear in the output.
PIR_API PIR_NODISCARD pir_status pir_program_print(const pir_program *program,
                                                   const pir_print_options *options,
                                                   pir_writer out);
// Prints one op with its regions; values are numbered from 0. `options` may be NULL.
PIR_API PIR_NODISCARD pir_status pir_op_print(const pir_op *op,
                                              const pir_print_options *options, pir_writer out);
// Prints a type in form T3. NULL prints as <<NULL TYPE>>.
PIR_API PIR_NODISCARD pir_status pir_type_print(const pir_type *type, pir_writer out);
// Prints a type in any form.
PIR_API PIR_NODISCARD pir_status pir_type_print_as(const pir_type *type, pir_text_form form,
                                                   pir_writer out);
// Prints an attribute in any form.
PIR_API PIR_NODISCARD pir_status pir_attr_print_as(const pir_attr *attr, pir_text_form form,
                                                   pir_writer out);

// ---- parsing. Any form is read; no option says which.

// How text is read. Zero, but for `size`, reads a whole program without a file name.
typedef struct pir_parse_options {
  // sizeof(pir_parse_options) (pir/base.h).
  size_t size;
  // The name in diagnostics and locations; copied.
  pir_str file;
  // The number of the text's first line in that file; 0 means 1.
  uint32_t first_line;
  // The text is a piece of a program: braces may be missing, and values that it does not define
  // become arguments of the block.
  bool fragment;
} pir_parse_options;

// Reads a program. On success *out_program is the caller's, else NULL. Reports every error it
// can, up to a limit, and returns PIR_INVALID; PIR_EXHAUSTED when a limit of the context is
// met. `text` need not outlive the call. `options` may be NULL. Cost: linear.
PIR_API PIR_NODISCARD pir_status pir_program_parse(pir_context *ctx, pir_str text,
                                                   const pir_parse_options *options,
                                                   pir_program **out_program);
// Reads one type; *out_type is NULL for the null type, and means nothing after a failure.
// Errors are reported as above. `options` may be NULL.
PIR_API PIR_NODISCARD pir_status pir_type_parse(pir_context *ctx, pir_str text,
                                                const pir_parse_options *options,
                                                const pir_type **out_type);
// Reads one attribute; *out_attr means nothing after a failure. Errors are reported as above.
PIR_API PIR_NODISCARD pir_status pir_attr_parse(pir_context *ctx, pir_str text,
                                                const pir_parse_options *options,
                                                const pir_attr **out_attr);

PIR_END
#endif
