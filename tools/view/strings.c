#include "strings.h"

#include <stdlib.h>
#include <string.h>

uint64_t view_hash(pir_str text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < text.size; i++)
    hash = (hash ^ (unsigned char)text.data[i]) * 0x100000001b3u;
  return hash;
}

static void insert(view_strings *s, size_t number) {
  size_t at = s->items[number].hash & (s->slots - 1);
  while (s->table[at])
    at = (at + 1) & (s->slots - 1);
  s->table[at] = (uint32_t)number + 1;
}

// At most half of the slots are taken.
static bool make_room(view_strings *s) {
  if (s->count < s->capacity)
    return true;
  size_t capacity = s->capacity ? s->capacity * 2 : 512;
  view_string *items = realloc(s->items, capacity * sizeof *items);
  if (!items)
    return false;
  s->items = items;
  uint32_t *table = calloc(capacity * 2, sizeof *table);
  if (!table)
    return false;
  free(s->table);
  s->table = table;
  s->capacity = capacity;
  s->slots = capacity * 2;
  for (size_t i = 0; i < s->count; i++)
    insert(s, i);
  return true;
}

static bool find(const view_strings *s, pir_str text, uint64_t hash, size_t *out_number) {
  for (size_t at = hash; s->slots; at++) {
    uint32_t entry = s->table[at & (s->slots - 1)];
    if (!entry)
      return false;
    const view_string *item = &s->items[entry - 1];
    if (item->hash == hash && item->size == text.size &&
        memcmp(item->data, text.data, text.size) == 0) {
      *out_number = entry - 1;
      return true;
    }
  }
  return false;
}

size_t view_strings_number(view_strings *s, pir_str text) {
  uint64_t hash = view_hash(text);
  size_t number = 0;
  if (find(s, text, hash, &number))
    return number;
  char *data = make_room(s) ? malloc(text.size + 1) : NULL;
  if (!data) {
    s->failed = true;
    return 0;
  }
  memcpy(data, text.data, text.size);
  data[text.size] = 0;
  s->items[s->count] = (view_string){data, text.size, hash};
  insert(s, s->count);
  return s->count++;
}

void view_strings_free(view_strings *s) {
  for (size_t i = 0; i < s->count; i++)
    free(s->items[i].data);
  free(s->items);
  free(s->table);
  *s = (view_strings){0};
}
