// Definitions of ops as bytes.
#ifndef PIR_EXEC_STORED_DEF_H
#define PIR_EXEC_STORED_DEF_H

#include <archive.h>
#include <pir/compiler/opdef.h>

// The definitions that a plan needs to run without the tables of the dialects: of the ops that
// it calls, and of the ops that their lower blocks make.
typedef struct stored_defs {
  const pir_opdef **items;  // writing: of malloc
  uint32_t count, capacity;
} stored_defs;

// Adds a definition, and those that it is made of, unless they are there; false if memory runs
// out.
bool pir_defs_add(stored_defs *defs, const pir_opdef *def);
// Returns the number of a definition that was added; UINT32_MAX if it was not.
uint32_t pir_defs_find(const stored_defs *defs, const pir_opdef *def);
void pir_defs_drop(stored_defs *defs);  // after writing

// Writes or reads all definitions; a->failed tells whether it failed. A definition holds what a
// run asks for: names, operands, results, defaults of attributes, meaning, conditions, and the
// hook of inference by its name. Custom ops are not written.
void pir_defs_store(pir_archive *a, stored_defs *defs);

#endif
