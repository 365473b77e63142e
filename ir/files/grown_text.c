#include "grown_text.h"

#include <stdlib.h>
#include <string.h>

bool pir_grow_text(void *text, const char *data, size_t size) {
  pir_grown_text *t = text;
  if (size > t->room - t->size) {
    size_t room = (t->room + size) * 2 + 4096;
    char *grown = realloc(t->data, room);
    if (!grown)
      return false;
    t->data = grown;
    t->room = room;
  }
  memcpy(t->data + t->size, data, size);
  t->size += size;
  return true;
}
