// Types and functions that the files of custom ops share.
#ifndef PIR_CUSTOM_IMPL_H
#define PIR_CUSTOM_IMPL_H

#include "frame.h"
#include <arena.h>
#include <pir/compiler/dialect.h>
#include <pir/engine/custom.h>
#include <stdatomic.h>

// The numbers of dialects in the ids of ops: of all C functions, and of the first text. The
// lists of libpir's ops go up to 255.
enum { CUSTOM_FUNCTIONS = 12, CUSTOM_FIRST_TEXT = 256, CUSTOM_MOST_TEXTS = 64 };

// The ops that one text declares.
typedef struct custom_text {
  struct custom_text *next;
  pir_heap heap;
  pir_arena memory;
  pir_dialect dialect;
} custom_text;

struct pir_custom_set {
  atomic_int holders;  // the caller, and models that were made with it
  pir_allocator allocator;
  pir_arena memory;
  pir_opdef defs[UINT8_MAX];
  void *libraries[UINT8_MAX];
  size_t count, library_count;
  pir_dialect dialect;  // of the ops with C functions
  custom_text *texts, **last_text;
  size_t text_count;
  atomic_bool registered;  // contexts read the set, perhaps on several threads: nothing else is
                           // written any more
};

// Finds an op of the set by its full name; NULL if there is none. `set` is a pir_custom_set.
const pir_opdef *pir_custom_find(void *set, const char *name);
// Registers the texts of a set, and destroys them.
pir_status pir_custom_texts_register(const pir_custom_set *set, pir_context *ctx);
void pir_custom_texts_destroy(pir_custom_set *set);
// Another holder of a set; pir_custom_set_destroy releases it.
void pir_custom_set_hold(pir_custom_set *set);

// Builds an op's table from its declaration (custom_decl.c): names, operands, attributes and
// results, at most `most` of each. The other fields of `out` are unchanged. All memory comes
// from `memory`.
pir_status pir_custom_declare(pir_arena *memory, const pir_custom_op *from, int most,
                              pir_opdef *out, pir_message *message);

#endif
