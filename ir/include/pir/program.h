// A program: one builtin.module op with one region and one block, and the bytes of its named
// parameters.
#ifndef PIR_PROGRAM_H
#define PIR_PROGRAM_H

#include <pir/block.h>

PIR_BEGIN

typedef struct pir_program pir_program;

// NULL when out of memory, likewise pir_program_clone.
PIR_API pir_program *pir_program_create(pir_context *ctx);
PIR_API void pir_program_destroy(pir_program *program);
PIR_API pir_program *pir_program_clone(const pir_program *program);  // shares parameter bytes
PIR_API pir_context *pir_program_context(const pir_program *program);
PIR_API pir_op *pir_program_module(const pir_program *program);
PIR_API pir_block *pir_program_block(const pir_program *program);

// Where a program came from; writers keep it.
typedef struct pir_program_info {
  pir_str format;   // "json", "pdmodel", "text" or empty
  int64_t version;  // JSON base_code.version; the .pdmodel version field; text: 1 of 2023, 2 of
                    // 2024, 0 of today
  bool trainable;   // JSON base_code.trainable
} pir_program_info;
PIR_API pir_program_info pir_program_info_of(const pir_program *program);
PIR_API void pir_program_set_info(pir_program *program, pir_program_info info);

// The bytes of a parameter or constant. Row-major, little endian, alignment 1 (mapped files pad
// nothing). `release` is called when the last program or model that uses them goes; NULL means
// the bytes outlive everything.
typedef struct pir_param {
  pir_str name;
  pir_dtype dtype;
  pir_shape shape;
  const void *data;
  size_t size;
  void (*release)(void *user);
  void *user;
} pir_param;

// Copies name and shape, takes over the bytes. A second one of the same name replaces the
// first.
PIR_API void pir_program_adopt_param(pir_program *program, const pir_param *param);
PIR_API const pir_param *pir_program_param(const pir_program *program,
                                           pir_str name);  // NULL when missing
PIR_API size_t pir_program_params(const pir_program *program);
PIR_API const pir_param *pir_program_param_at(const pir_program *program,
                                              size_t i);  // in name order
PIR_API void pir_program_drop_param(pir_program *program, pir_str name);
// Keeps a parameter that a program gave beyond the program and its context; from any thread.
PIR_API void pir_param_retain(const pir_param *param);
PIR_API void pir_param_release(const pir_param *param);

PIR_END
#endif
