// A prepared model: the result of starting a model from its files, stored in one file that
// later starts map.
#ifndef PIR_EXEC_PREPARED_H
#define PIR_EXEC_PREPARED_H

#include "digest.h"
#include "model_impl.h"

// The state of a file when it was examined. All zero: there is none.
typedef struct file_identity {
  uint64_t device, inode, size;
  int64_t modified, modified_ns, changed, changed_ns;
} file_identity;

// ---- identity.c

bool pir_file_identify(const char *path,
                       file_identity *out_identity);  // false: no regular file
// Computes the digest of a file's bytes. If `folder` (-1: none) caches the digest of this
// unchanged file, that is used. A new digest is cached, unless the file changed so recently
// that another change might not show.
bool pir_file_digest(int folder, const char *path, file_identity *out_identity,
                     file_digest *out_digest);

// ---- prepared.c

enum { ORIGIN_BYTES = 2048 };

typedef struct prepared {
  int folder;  // -1: nothing is kept
  file_digest key;
  char origin[ORIGIN_BYTES];  // the key's text: versions, processor, options, digests of inputs
  char *program, *params;     // files; NULL: none
  file_identity program_identity, params_identity;
} prepared;

// Computes the model's name in the folder of the options, with the costs of `machine` (NULL:
// the table's). Must be released.
void pir_prepared_begin(const pir_model_options *options,
                        const struct pir_machine_record *machine, const char *path,
                        const char *params, prepared *out);
void pir_prepared_begin_bytes(const pir_model_options *options,
                              const struct pir_machine_record *machine, pir_borrowed program,
                              pir_borrowed params, prepared *out);
void pir_prepared_release(prepared *p);

// Makes the model from the folder; PIR_NOT_FOUND: it is not there.
pir_status pir_prepared_load(const prepared *p, const pir_model_options *options,
                             pir_model **out_model);
// Stores the model, whose parameters were read from `params` (NULL: it has none). A failure
// changes nothing.
void pir_prepared_save(const prepared *p, const pir_model *model, const char *params);

#endif
