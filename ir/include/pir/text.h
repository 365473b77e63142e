// IR text in and out: Paddle 3.3's print form (T3), the older tagged form (T2) and the typed
// form, which loses nothing. docs/ir-text.md has the grammar.
#ifndef PIR_TEXT_H
#define PIR_TEXT_H

#include <pir/program.h>

PIR_BEGIN

typedef enum pir_text_form { PIR_TEXT_T3, PIR_TEXT_T2, PIR_TEXT_TYPED } pir_text_form;

typedef struct pir_print_options {
  pir_text_form form;
  bool strip_debug;  // typed: no locations
} pir_print_options;

// Prints a program, to the byte what Paddle 3.3.1 prints (T3). `options` may be NULL. PIR_IO
// when the writer stops.
PIR_API pir_status pir_program_print(const pir_program *program,
                                     const pir_print_options *options, pir_writer out);
// Prints one op with fresh numbers.
PIR_API pir_status pir_op_print(const pir_op *op, const pir_print_options *options,
                                pir_writer out);
// Types and attributes as T3 prints them, and in any form.
PIR_API pir_status pir_type_print(const pir_type *type, pir_writer out);
PIR_API pir_status pir_attr_print(const pir_attr *attr, pir_writer out);
PIR_API pir_status pir_type_print_as(const pir_type *type, pir_text_form form, pir_writer out);
PIR_API pir_status pir_attr_print_as(const pir_attr *attr, pir_text_form form, pir_writer out);

typedef struct pir_parse_options {
  pir_str file;         // name for diagnostics
  uint32_t first_line;  // of the text in that file; 0 means 1
  bool fragment;        // ops without surrounding braces, or a text cut short; undefined values
                        // become arguments
} pir_parse_options;

// Reads T1, T2, T3 or typed text into a new program. Reports every error it can and returns
// PIR_INVALID.
PIR_API pir_status pir_program_parse(pir_context *ctx, pir_str text,
                                     const pir_parse_options *options,
                                     pir_program **out_program);
// Reads one type or attribute, in any form. `options` may be NULL; `*out_type` is NULL for the
// null type.
PIR_API pir_status pir_type_parse(pir_context *ctx, pir_str text,
                                  const pir_parse_options *options, const pir_type **out_type);
PIR_API pir_status pir_attr_parse(pir_context *ctx, pir_str text,
                                  const pir_parse_options *options, const pir_attr **out_attr);

PIR_END
#endif
