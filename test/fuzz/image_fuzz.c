// Compiled objects, as a cache or the compile server hands them over: every offset is checked,
// and the object is refused with a reason, or loaded. Nothing in it is run.
#include "../../codegen/object/image.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"", "group_0", "group_1", "kernel"};
  const char *why = NULL;
  pir_image *image = NULL;
  if (pir_image_load(data, size, &image, &why)) {
    if (image || !why || !*why)
      abort();
    return 0;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    (void)pir_image_symbol(image, names[i]);
  if (pir_image_bytes(image) == 0)
    abort();
  pir_image_unload(image);
  return 0;
}
