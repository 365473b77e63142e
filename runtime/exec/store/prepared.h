// A prepared model: the result of starting a model from its files, stored in one file that
// later starts map.
#ifndef PIR_EXEC_PREPARED_H
#define PIR_EXEC_PREPARED_H

#include "model_impl.h"

// What a file was when it was looked at. All zero: there is none.
typedef struct file_identity {
  uint64_t device, inode, size;
  int64_t modified, modified_ns, changed, changed_ns;
} file_identity;

typedef struct file_digest {
  uint64_t low, high;
} file_digest;

// ---- identity.c

file_digest pir_digest_of(const void *data, size_t size);
bool pir_file_identify(const char *path,
                       file_identity *out_identity);  // false: no regular file
// Of all its bytes. One that `folder` (-1: none) remembers for this very file is taken for it;
// a new one is remembered, unless the file was changed so lately that another change might not
// show.
bool pir_file_digest(int folder, const char *path, file_identity *out_identity,
                     file_digest *out_digest);

// ---- prepared.c

typedef struct prepared {
  int folder;  // -1: nothing is kept
  file_digest key;
  char *program, *params;  // files; NULL: none
  file_identity program_identity, params_identity;
} prepared;

// Finds out what the model is called in the folder of the options. To be released.
void pir_prepared_begin(const pir_model_options *options, const char *path, const char *params,
                        prepared *out);
void pir_prepared_begin_bytes(const pir_model_options *options, pir_borrowed program,
                              pir_borrowed params, prepared *out);
void pir_prepared_release(prepared *p);

// Makes the model from the folder; PIR_NOT_FOUND: it is not there.
pir_status pir_prepared_load(const prepared *p, const pir_model_options *options,
                             pir_model **out_model);
// Keeps the model, whose parameters were read from `params` (NULL: it has none). Failures leave
// things as they are.
void pir_prepared_save(const prepared *p, const pir_model *model, const char *params);

#endif
