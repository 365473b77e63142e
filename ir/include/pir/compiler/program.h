// A program: one builtin.module op with one region and one block, and the bytes of its named
// parameters. One thread at a time, as for its context; only pir_param_retain and
// pir_param_release may be called from any thread.
#ifndef PIR_PROGRAM_H
#define PIR_PROGRAM_H

#include <pir/compiler/block.h>

PIR_BEGIN

typedef struct pir_program pir_program;

// Creates an empty program. The caller destroys it, before its context. NULL when memory runs
// out.
PIR_API pir_program *pir_program_create(pir_context *ctx);
// Destroys a program with all its ops and drops its parameters. NULL does nothing.
PIR_API void pir_program_destroy(pir_program *program);
// Copies a program within its context; both share the parameter bytes. NULL when memory runs
// out. O(ops).
PIR_API pir_program *pir_program_clone(const pir_program *program);

// Returns the context that the program was made in.
PIR_API pir_context *pir_program_context(const pir_program *program);
// Returns the builtin.module op, which the program owns.
PIR_API pir_op *pir_program_module(const pir_program *program);
// Returns the block that holds the program's ops.
PIR_API pir_block *pir_program_block(const pir_program *program);

// ---- origin

// Where a program came from; writers keep it.
typedef struct pir_program_info {
  // "json", "pdmodel", "text" or empty. The program copies it.
  pir_str format;
  // JSON: base_code.version. .pdmodel: the version field. Text: 1 for the forms of 2023, 2 for
  // 2024, 0 for today's.
  int64_t version;
  // JSON: base_code.trainable.
  bool trainable;
} pir_program_info;

// Returns the origin; `format` lives as long as the context.
PIR_API pir_program_info pir_program_info_of(const pir_program *program);
// Sets the origin, copying its text.
PIR_API void pir_program_set_info(pir_program *program, pir_program_info info);

// ---- parameters

// A parameter or constant with its bytes: row-major, little endian, alignment 1, since mapped
// files pad nothing.
typedef struct pir_param {
  // Unique in the program.
  pir_str name;
  // Element type.
  pir_dtype dtype;
  // All extents are known.
  pir_shape shape;
  // `size` bytes. They must not change while a program or model uses them.
  const void *data;
  size_t size;
  // Called once when the last program or model that uses the bytes drops them, on that thread.
  // NULL: the bytes outlive all users.
  void (*release)(void *user);
  // Handed to `release`.
  void *user;
} pir_param;

// Adds a parameter: copies name and shape, and takes over the bytes. It replaces a parameter
// with the same name, whose bytes are dropped.
PIR_API void pir_program_adopt_param(pir_program *program, const pir_param *param);
// Returns the parameter with this name, or NULL. The pointer stays valid until the parameter is
// dropped or replaced, or the program destroyed.
PIR_API const pir_param *pir_program_param(const pir_program *program, pir_str name);
// Returns the number of parameters.
PIR_API size_t pir_program_params(const pir_program *program);
// Returns parameter i in bytewise order of names; NULL beyond the last.
PIR_API const pir_param *pir_program_param_at(const pir_program *program, size_t i);
// Removes a parameter and drops its bytes. A name that does not exist does nothing.
PIR_API void pir_program_drop_param(pir_program *program, pir_str name);

// Keeps a parameter that pir_program_param returned, name and shape included, beyond its
// program and context. From any thread; the program must still hold it.
PIR_API void pir_param_retain(const pir_param *param);
// Ends one pir_param_retain; the last user releases the bytes. From any thread.
PIR_API void pir_param_release(const pir_param *param);

PIR_END
#endif
