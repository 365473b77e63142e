// Parameter files: `.pdiparams` (all records in one file) and folders with one record in each
// file. A record holds element type, shape and bytes, but no name; names come from the program,
// in bytewise order (docs/reference/legacy.md).
//
// Bytes are mapped or lent, never copied: every parameter of the program points into them with
// alignment 1, and they are released when the last program or model that uses one of them is
// destroyed. Failures are reported to the context's sink. One thread at a time, as for the
// context.
#ifndef PIR_PARAMS_H
#define PIR_PARAMS_H

#include <pir/compiler/program.h>
#include <pir/compiler/formats.h>

PIR_BEGIN

// A parameter that a program saves: one record of its file. Memory belongs to the context.
typedef struct pir_param_decl {
  pir_str name;
  // Element type.
  pir_dtype dtype;
  // All extents are known.
  pir_shape shape;
  // Where the program declares it.
  pir_loc loc;
} pir_param_decl;

// Lists the parameters that the program declares and a file holds (`persistable` is not false),
// in bytewise order of names. Returns their number and fills `out_decls`. A result greater than
// `capacity` is the capacity that a second call needs; the entries mean nothing then.
PIR_API size_t pir_program_param_decls(const pir_program *program, pir_param_decl *out_decls,
                                       size_t capacity);

// Attaches the records of a combined file. They must match `decls` (`count` of them, in
// bytewise order of names) to the last byte; every difference is reported with the parameter's
// name and both shapes (PIR_INVALID), and then nothing is attached.
//
// A dense tensor that quantize_linear and dequantize_linear read, and nothing else uses, may
// have other extents of 1. One that dequantize_linear alone reads, as its `x`, may be bytes for
// f32: its ops get the type of the record and a cast behind them. So list the declarations anew
// before another call for the program; records are compared with the types that ops have now.
// `bytes` is consumed whatever happens; `file` names it in messages.
PIR_API PIR_NODISCARD pir_status pir_program_adopt_records(pir_program *program,
                                                           const pir_param_decl *decls,
                                                           size_t count, pir_borrowed bytes,
                                                           pir_str file);

// Does the same for the file `path`, which is mapped, or file by file for a folder with one for
// each parameter. Only files inside the folder are opened: a name with '/' or of dots, and a
// symbolic link, are refused. PIR_NOT_FOUND and PIR_IO for files that cannot be read.
PIR_API PIR_NODISCARD pir_status pir_program_map_params(pir_program *program,
                                                        const pir_param_decl *decls,
                                                        size_t count, const char *path);

// Finds the parameters beside a model file by name: the same stem with `.pdiparams`, else the
// only `.pdiparams` of the folder, else `__params__` or `params` beside `__model__` or `model`,
// else the folder itself (separate files). Free *out_path with free. PIR_NOT_FOUND when there
// is nothing, PIR_EXHAUSTED when memory runs out; not reported.
PIR_API PIR_NODISCARD pir_status pir_params_find(const char *model_path, char **out_path);

// Brings a program that passes changed into the form in which Paddle runs it from a file of
// `format`. Paddle attaches the parameters of JSON to builtin.parameter alone, so constants
// become such ops. Its predictor finds outputs by pd_op.fetch: if a program of JSON or .pdmodel
// has none, the operands of builtin.shadow_output are fetched, in the order of the ops, and a
// parameter that only a shadow_output keeps is dropped.
PIR_API void pir_program_settle(pir_program *program, pir_format format);

// Lists the parameters that belong in a file beside the program when it is written as text,
// JSON or .pdmodel, in the order of a combined file. (The file of a .pdmodel also holds
// variables that the program only writes.) Each one without bytes is reported
// (PIR_NOT_FOUND). Free the list with free; the parameters are the program's.
PIR_API PIR_NODISCARD pir_status pir_program_saved_params(const pir_program *program,
                                                          pir_format format,
                                                          const pir_param ***out_params,
                                                          size_t *out_count);
// Writes one record: a whole separate file, or the next part of a combined one. Not reported:
// PIR_UNSUPPORTED for an element type that records do not have, PIR_IO when `out` stops.
PIR_API PIR_NODISCARD pir_status pir_param_write(const pir_param *param, pir_writer out);

PIR_END
#endif
