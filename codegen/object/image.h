// Machine code in memory: a loaded relocatable object. Immutable once loaded; any thread may
// call it.
#ifndef PIR_IMAGE_H
#define PIR_IMAGE_H

#include "image_report.h"

typedef struct pir_image pir_image;

// Loads an ELF object for this processor. Every offset in it is checked. It may call only a
// fixed list of functions of libc and libm. On failure `*out_why` states the reason:
// PIR_EXHAUSTED if memory is the reason, else PIR_INVALID.
pir_status pir_image_load(const void *object, size_t size, pir_image **out_image,
                          const char **out_why);
// Does the same, and tells `listener`, which may be NULL, as long as the image is loaded.
pir_status pir_image_load_reported(const void *object, size_t size,
                                   const pir_code_listener *listener, pir_image **out_image,
                                   const char **out_why);
// Keeps device code as bytes: it has no symbols here, and the device's driver loads it.
pir_status pir_image_keep(const void *code, size_t size, pir_image **out_image);
const void *pir_image_code(const pir_image *image, size_t *out_size);
void pir_image_unload(pir_image *image);
void *pir_image_symbol(const pir_image *image, const char *name);  // NULL when it has none
size_t pir_image_bytes(const pir_image *image);

#endif
