// Loading steps that depend on the processor: relocations and call stubs. On both processors a
// stub has IMAGE_STUB_BYTES bytes; the last 8 hold the function's address.
#ifndef PIR_IMAGE_PATCH_H
#define PIR_IMAGE_PATCH_H

#include <pir/base.h>

enum { IMAGE_STUB_BYTES = 16 };

bool image_is_ours(uint16_t elf_machine);  // code for this processor's architecture
bool image_wants_slot(uint32_t type);      // refers to a place that holds the symbol's address
size_t image_patch_width(uint32_t type);   // bytes it changes
void image_write_stub(uint8_t *at, uint64_t address);
// Patches the place `at` to refer to `value`, symbol + addend. Returns false after setting
// `*out_why`.
bool image_patch(uint32_t type, uint8_t *at, uint64_t value, const char **out_why);
// Makes written code visible to instruction fetch.
void image_flush(uint8_t *begin, size_t size);

#endif
