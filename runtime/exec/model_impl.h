// A model: a plan with its constants, packed weights and code. Immutable once made.
#ifndef PIR_MODEL_IMPL_H
#define PIR_MODEL_IMPL_H

#include "frame.h"
#include <stdatomic.h>

typedef struct owned_block {
  void *data;
  size_t bytes;
} owned_block;

struct pir_model {
  atomic_int holders;
  pir_allocator allocator;
  plan plan;
  pir_compiler *compiler;  // owns the code; NULL when nothing was compiled
  const void **constants;  // by const
  owned_block *copies;     // by const: what the model allocated
  const pir_param **lent;  // by const: parameters read in place
  void **packed;           // by pack, in `packs`
  owned_block packs;
  pir_model_stats stats;
};

// Makes constants and packed weights from the parameters (weights.c).
pir_status pir_weights_load(pir_model *model, int threads, pir_message *message);
void pir_weights_release(pir_model *model);

#endif
