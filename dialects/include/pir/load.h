// Loading: the one entry for program files of any format, recognised by content. What is loaded
// is verified (pir/verify.h): a program whose ops are not as they are declared is refused, and
// of attributes that nothing reads there is a warning. Who wants it as it stands in the file
// takes the reader of its format (pir/text.h, pir/serialize.h, pir/legacy.h).
#ifndef PIR_LOAD_H
#define PIR_LOAD_H

#include <pir/program.h>

PIR_BEGIN

// The program file that `path` means: itself, or for a folder the only file in it that is
// called like a program
// (*.json,
// *.pdmodel, *.pir, __model__, model) and holds one. PIR_NOT_FOUND: there is none. PIR_INVALID:
// there are several;
// `*out_path` is then a list of their names for messages. Free it with free.
PIR_API PIR_NODISCARD pir_status pir_program_find(const char *path, char **out_path);

// Reads a program (JSON, text or .pdmodel) without its parameters. `file` names it in messages;
// `bytes` need not outlive the call.
PIR_API PIR_NODISCARD pir_status pir_program_read(pir_context *ctx, pir_str bytes, pir_str file,
                                                  pir_program **out_program);
PIR_API PIR_NODISCARD pir_status pir_program_read_file(pir_context *ctx, const char *path,
                                                       pir_program **out_program);

// `path` may be a folder in both (pir_program_find).
// Reads a program with its parameters, mapped from `params` (a file or a folder; NULL: found
// beside the model, pir_params_find). A program that needs parameters and finds none is refused
// (PIR_NOT_FOUND).
PIR_API PIR_NODISCARD pir_status pir_program_load_file(pir_context *ctx, const char *path,
                                                       const char *params,
                                                       pir_program **out_program);

// The same; `out_params` gets the path the parameters were read from, NULL when the program has
// none. Free it with free.
PIR_API PIR_NODISCARD pir_status pir_program_load_found(pir_context *ctx, const char *path,
                                                        const char *params,
                                                        pir_program **out_program,
                                                        char **out_params);

// The same from memory. The program's bytes are given back on return; those of the combined
// parameter file (`params.data` NULL when there is none) when their last user goes. Both are
// consumed even on failure.
PIR_API PIR_NODISCARD pir_status pir_program_load(pir_context *ctx, pir_borrowed bytes,
                                                  pir_borrowed params, pir_str file,
                                                  pir_program **out_program);

// Whether a program comes from text of 2023 or 2024, whose ops may not be what they are
// declared as today.
PIR_API bool pir_program_is_older(const pir_program *program);
// Makes them so: operands that were attributes become constants, attributes get their names of
// today, results that are gone go when nothing uses them. What stays different is for the
// verifier. Loading with parameters does it.
PIR_API PIR_NODISCARD pir_status pir_program_upgrade(pir_program *program);

PIR_END
#endif
