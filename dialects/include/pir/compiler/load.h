// Loading: the entry for program files of every format, recognised by content. One thread at a
// time, as for the context.
//
// A program that is loaded is verified (pir/compiler/verify.h): ops that contradict their
// declarations are refused, and attributes that nothing reads are warnings. The readers of
// single formats (pir/compiler/text.h, pir/compiler/serialize.h, pir/compiler/legacy.h) take a
// program as it stands in its file.
//
// Functions that make a program set *out_program to NULL on failure and report the reason to
// the context's sink: PIR_NOT_FOUND and PIR_IO for files, PIR_INVALID for damaged ones,
// PIR_UNSUPPORTED for formats and ops that cannot be read, PIR_EXHAUSTED for limits. The caller
// owns the program.
#ifndef PIR_LOAD_H
#define PIR_LOAD_H

#include <pir/compiler/program.h>

PIR_BEGIN

// Finds the program file that `path` means: the path itself, or in a folder the only file that
// has a program's name (*.json, *.pdmodel, *.pir, __model__, model) and holds a program.
// Nothing is reported. PIR_NOT_FOUND: there is none. PIR_INVALID: there are several, and
// *out_path lists their names for a message. Free *out_path with free in either case.
PIR_API PIR_NODISCARD pir_status pir_program_find(const char *path, char **out_path);

// Reads a program (JSON, text or .pdmodel) without its parameters. `file` names it in messages;
// `bytes` need not outlive the call.
PIR_API PIR_NODISCARD pir_status pir_program_read(pir_context *ctx, pir_str bytes, pir_str file,
                                                  pir_program **out_program);
// Reads a program from a file, or from a folder (pir_program_find), without its parameters.
PIR_API PIR_NODISCARD pir_status pir_program_read_file(pir_context *ctx, const char *path,
                                                       pir_program **out_program);

// Reads a program with its parameters and upgrades an older one. `path` is a file or a folder.
// `params` is a combined file or a folder of separate files; NULL looks beside the program
// (pir_params_find). The parameter bytes are mapped and must not change while they are used. A
// program that needs parameters and finds none is refused (PIR_NOT_FOUND).
PIR_API PIR_NODISCARD pir_status pir_program_load_file(pir_context *ctx, const char *path,
                                                       const char *params,
                                                       pir_program **out_program);

// Does the same and sets *out_params to the path that the parameters were read from, or to NULL
// when the program has none. Free it with free.
PIR_API PIR_NODISCARD pir_status pir_program_load_found(pir_context *ctx, const char *path,
                                                        const char *params,
                                                        pir_program **out_program,
                                                        char **out_params);

// Does the same from memory. The program's bytes are released before it returns, the bytes of
// the combined parameter file (`params.data` is NULL when there is none) with their last user.
// Both are released on failure too.
PIR_API PIR_NODISCARD pir_status pir_program_load(pir_context *ctx, pir_borrowed bytes,
                                                  pir_borrowed params, pir_str file,
                                                  pir_program **out_program);

// Whether a program comes from text of 2023 or 2024, whose ops may differ from the declarations
// of today.
PIR_API bool pir_program_is_older(const pir_program *program);
// Upgrades an older program to the present declarations: attributes that became operands become
// constants, attributes get their present names, and results that no longer exist are removed
// if nothing uses them. The verifier reports all remaining differences. Functions that load
// with parameters call it.
PIR_API PIR_NODISCARD pir_status pir_program_upgrade(pir_program *program);

PIR_END
#endif
