// Text that grows in memory of malloc, for callers without an arena. Its writer is
// (pir_writer){pir_grow_text, &text}.
#ifndef PIR_SUPPORT_GROWN_TEXT_H
#define PIR_SUPPORT_GROWN_TEXT_H

#include <pir/base.h>

// The zero value is empty. The owner frees `data`.
typedef struct pir_grown_text {
  char *data;
  size_t size, room;
} pir_grown_text;

// Appends to a pir_grown_text; false when memory runs out.
bool pir_grow_text(void *text, const char *data, size_t size);

#endif
