// A made model as bytes: a description (plan and code), and data: its constants and packed
// weights, which a file holds page-aligned, so that a start maps them.
#ifndef PIR_EXEC_STORED_MODEL_H
#define PIR_EXEC_STORED_MODEL_H

#include "digest.h"
#include "model_impl.h"

#include <archive.h>

enum { STORED_PAGE = 4096, STORED_ALIGN = 64 };
#define STORED_ABSENT UINT64_MAX  // the place of a constant that no run reads

// Writes or reads a description: statistics, `code` (no data: nothing was compiled), the plan,
// and the place of each constant and of each packed one in the data. a->failed tells whether it
// failed. Reading makes the model's code.
void pir_stored_describe(pir_archive *a, pir_model *model, pir_str *code, uint64_t **places);

// Writes or reads the names and types of replaceable weights, after the plan
// (stored_weights.c).
void pir_weights_store(pir_archive *a, pir_model *model);
// Makes parameters of the constants of an opened model, one reference each in `out_made`, which
// has zeros, and holds the replaceable weights. Also after a failure the caller releases these.
pir_status pir_weights_adopt(pir_model *model, const pir_param **out_made);

// Makes a new model of its description and of the data, which must outlive it. Runs within a
// catch of the model's heap. False: the description is damaged, or
// names a kernel that is not here: *out_missing (out_missing may be NULL), else NULL.
bool pir_stored_restore(pir_model *model, pir_str description, const char *data,
                        uint64_t data_bytes, const char **out_missing);

// ---- writing (write_model.c)

typedef struct stored_image {
  pir_archive text;     // the description; its bytes are malloc's
  uint64_t data_bytes;  // size of the data
  uint64_t alignment;   // where they should begin: blocks of large pages have large packs
} stored_image;

// Describes a model that was made of a program. PIR_UNSUPPORTED if it cannot be stored,
// PIR_EXHAUSTED if memory runs out. `out` is to be dropped in any case.
PIR_NODISCARD pir_status pir_stored_image(const pir_model *model, stored_image *out);
void pir_stored_image_drop(stored_image *image);

// Writes the data in order and in pieces; false when `put` returns false.
typedef bool (*stored_put)(void *user, const void *bytes, size_t size);
bool pir_stored_put_data(const pir_model *model, stored_put put, void *user);
// Rounds up to a multiple of `align`.
uint64_t pir_stored_round(uint64_t size, uint64_t align);
// Writes zeros, from `size` bytes on up to the next multiple of `align`, which is above 0.
bool pir_stored_pad(uint64_t size, uint64_t align, stored_put put, void *user);

#endif
