// PIR JSON (`inference.json`): reads versions 1 to 4, writes version 4.
#ifndef PIR_SERIALIZE_H
#define PIR_SERIALIZE_H

#include <pir/program.h>

PIR_BEGIN

PIR_API pir_status pir_program_read_json(pir_context *ctx, pir_str text, pir_str file,
                                         pir_program **out_program);

typedef struct pir_json_options {
  bool indent;  // 4 spaces, as Paddle's readable option
} pir_json_options;

PIR_API pir_status pir_program_write_json(const pir_program *program,
                                          const pir_json_options *options, pir_writer out);

// What a file holds, by its first bytes; names do not matter. 4096 are enough unless comments
// come first.
//   JSON     behind spaces and `//` lines: `{`, then `"`
//   TEXT     behind the same: `{` and anything else, `program`, or an op (`(%0) =`, `() =`): a
//   piece of a text (fragment) PDMODEL  the first field of a ProgramDesc (its blocks or its
//   version), and bytes that no text has PARAMS a record of parameters: version, no levels,
//   version, a description UNKNOWN  anything else, the empty file too
// It says which reader to ask, not that the file is sound: the readers of JSON and .pdmodel
// refuse other JSON and other protobuf messages with a reason.
typedef enum pir_format {
  PIR_FORMAT_UNKNOWN,
  PIR_FORMAT_JSON,
  PIR_FORMAT_TEXT,
  PIR_FORMAT_PDMODEL,
  PIR_FORMAT_PARAMS
} pir_format;
PIR_API pir_format pir_detect_format(pir_str head);

PIR_END
#endif
