// Compiled objects, as a cache or the compile server hands them over: every offset is checked,
// and the object is refused with a reason, or loaded and described to a listener. Nothing in it
// is run.
#include "../../codegen/object/image.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void read_report(void *user, const pir_code_image *image) {
  size_t *read = user;
  for (size_t i = 0; i < image->symbol_count; i++)
    *read += strlen(image->symbols[i].name);
  for (size_t i = 0; i < image->elf_bytes; i++)
    *read += ((const uint8_t *)image->elf)[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"", "group_0", "group_1", "kernel"};
  const char *why = NULL;
  pir_image *image = NULL;
  size_t read = 0;
  pir_code_listener listener = {
      .size = sizeof listener, .loaded = read_report, .unloaded = read_report, .user = &read};
  if (pir_image_load_reported(data, size, &listener, &image, &why)) {
    if (image || !why || !*why)
      abort();
    return 0;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    (void)pir_image_symbol(image, names[i]);
  if (pir_image_bytes(image) == 0)
    abort();
  pir_image_unload(image);
  if (read == 0)
    abort();
  return 0;
}
