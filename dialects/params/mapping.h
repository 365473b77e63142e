// Files as bytes, and the records in them.
#ifndef PIR_PARAMS_MAPPING_H
#define PIR_PARAMS_MAPPING_H

#include <pir/compiler/params.h>

// Maps a regular file for reading; `folder` is a directory handle or AT_FDCWD. Symbolic links
// are followed only in the caller's own path, not below a folder. Returns 0 or an errno. An
// empty file is an empty mapping.
int map_file(int folder, const char *name, bool follow, pir_borrowed *out_bytes);
// Whether map_file mapped these bytes.
bool is_mapped_file(pir_borrowed bytes);
// The status of an errno that a file gave.
pir_status status_of_errno(int error);

// Whether the records match `decls`, to the last byte; reports nothing (records.c). If
// `nearly`, they may differ as those that Paddle quantised do, for any readers.
bool records_fit(pir_borrowed bytes, const pir_param_decl *decls, size_t count, bool nearly);

// Returns the name of the parameter that builtin.parameter, builtin.constant or
// builtin.set_parameter refers to; empty for other ops (files.c).
pir_str params_name(const pir_op *op);

// Finds the parameter file beside a program (find_params.c): the file with the program's name,
// unless its tensors differ and exactly one other file fits. Reports when several fit.
// PIR_NOT_FOUND without a report when there is none. Free with free.
pir_status params_choose(pir_context *ctx, const char *model_path, const pir_param_decl *decls,
                         size_t count, char **out_path);

#endif
