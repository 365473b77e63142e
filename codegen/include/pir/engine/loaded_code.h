// Compiled code as it is loaded into memory and unloaded: for debuggers and profilers, which
// otherwise see addresses without names (docs/explain/compile.md#debuggers-and-profilers). The
// options of pir_model_load and pir_model_open take a listener.
#ifndef PIR_LOADED_CODE_H
#define PIR_LOADED_CODE_H

#include <pir/base.h>

PIR_BEGIN

// A function of an image.
typedef struct pir_code_symbol {
  // Its name in the object.
  const char *name;
  // Its first byte.
  const void *address;
  // In bytes.
  size_t size;
} pir_code_symbol;

// One loaded object. It and all that it points to live until it was reported as unloaded.
typedef struct pir_code_image {
  // sizeof(pir_code_image) of the library (pir/base.h).
  size_t size;
  // The executable memory.
  const void *code;
  // Its size.
  size_t code_bytes;
  // Its functions.
  const pir_code_symbol *symbols;
  size_t symbol_count;
  // The relocatable ELF object, whose section headers have the addresses in memory: the form
  // that GDB's interface for compiled code takes.
  const void *elf;
  // Its size.
  size_t elf_bytes;
} pir_code_image;

// Hears of code. Both functions are called from any thread, also from several at a time; either
// may be NULL.
typedef struct pir_code_listener {
  // sizeof(pir_code_listener) (pir/base.h).
  size_t size;
  // Called when an image may run from now on.
  void (*loaded)(void *user, const pir_code_image *image);
  // Called before an image goes, with the pointer that `loaded` got.
  void (*unloaded)(void *user, const pir_code_image *image);
  // Handed to both. It must outlive all models whose code is reported.
  void *user;
} pir_code_listener;

PIR_END
#endif
