// Texts of a page, each once: ops name them by number.
#ifndef PIR_TOOLS_VIEW_STRINGS_H
#define PIR_TOOLS_VIEW_STRINGS_H

#include <pir/base.h>

typedef struct view_string {
  char *data;
  size_t size;
  uint64_t hash;
} view_string;

typedef struct view_strings {
  view_string *items;
  uint32_t *table;  // number of an item + 1; 0: free. A power of two of them
  size_t count, capacity, slots;
  bool failed;  // memory ran out; numbers mean nothing then
} view_strings;

// Returns the number of a text, which is copied when it is new.
size_t view_strings_number(view_strings *s, pir_str text);
void view_strings_free(view_strings *s);

// FNV-1a: for tables of texts and for telling records apart.
uint64_t view_hash(pir_str text);

#endif
