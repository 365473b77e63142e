// Parameter files: `.pdiparams` (all records in one file) and folders with one record a file. A
// record says its element type and shape, not its name; names come from the program, in
// bytewise order.
//
// Bytes are mapped or lent, never copied: every parameter of the program points into them with
// alignment 1, and they are given back when the last program or model that uses one of them
// goes.
#ifndef PIR_PARAMS_H
#define PIR_PARAMS_H

#include <pir/program.h>
#include <pir/serialize.h>

PIR_BEGIN

// A parameter that a program saves: one record of its file. Memory belongs to the context.
typedef struct pir_param_decl {
  pir_str name;
  pir_dtype dtype;
  pir_shape shape;
  pir_loc loc;  // of the declaration
} pir_param_decl;

// The parameters and constants that the program's ops declare and a file holds (`persistable`
// is not false), by name. Returns their number and fills `out_decls`; when that is more than
// `capacity`, fills nothing usable and returns how many entries are enough.
PIR_API size_t pir_program_param_decls(const pir_program *program, pir_param_decl *out_decls,
                                       size_t capacity);

// Attaches the records of a combined file, which must be those of `decls` (in name order) to
// the last byte; every difference is reported with the parameter's name and both shapes.
// `bytes` is consumed whatever happens; `file` names it in messages.
PIR_API PIR_NODISCARD pir_status pir_program_adopt_records(pir_program *program,
                                                           const pir_param_decl *decls,
                                                           size_t count, pir_borrowed bytes,
                                                           pir_str file);

// The same from `path`: a combined file, or a folder with one file of one record for each
// parameter. Files are opened inside the folder only: a name with '/' or of dots is refused.
PIR_API PIR_NODISCARD pir_status pir_program_map_params(pir_program *program,
                                                        const pir_param_decl *decls,
                                                        size_t count, const char *path);

// Where the parameters of a model file lie: the same stem with `.pdiparams`, else the only
// `.pdiparams` of the folder, else `__params__` or `params` beside `__model__` or `model`, else
// the folder itself (separate files). PIR_NOT_FOUND when there is nothing. Free the path with
// free.
PIR_API PIR_NODISCARD pir_status pir_params_find(const char *model_path, char **out_path);

// Gives a program that passes changed the form in which Paddle runs it from a file of `format`.
// Paddle attaches the parameters of JSON to builtin.parameter alone, so constants become such.
// Its predictor knows outputs by pd_op.fetch: where a program of JSON or .pdmodel has none,
// what it hands out by builtin.shadow_output is fetched, in the order of the ops; a parameter
// that is only kept that way is kept no more.
PIR_API void pir_program_settle(pir_program *program, pir_format format);

// The parameters that belong in a file beside the program when it is written as text, as JSON
// or as .pdmodel (whose file also holds what the program only writes), in the order of a
// combined file. Every one without a value is reported (PIR_NOT_FOUND). Free the list with
// free; what it points to is the program's.
PIR_API PIR_NODISCARD pir_status pir_program_saved_params(const pir_program *program,
                                                          pir_format format,
                                                          const pir_param ***out_params,
                                                          size_t *out_count);
// Writes one record: a whole separate file, or the next part of a combined one.
// PIR_UNSUPPORTED: an element type that records do not have. PIR_IO when `out` stops.
PIR_API PIR_NODISCARD pir_status pir_param_write(const pir_param *param, pir_writer out);

PIR_END
#endif
