// A growing block of bytes (writing), or a block whose reads are checked against the remaining
// size.
#include <archive.h>

#include <stdlib.h>
#include <string.h>

void pir_archive_exhaust(pir_archive *a) {
  a->failed = true;
  a->exhausted = true;
}

static void append(pir_archive *a, const void *data, size_t size) {
  if (size > a->capacity - a->size) {
    size_t capacity =
        a->size < SIZE_MAX / 4 && size < SIZE_MAX / 4 ? (a->size + size) * 2 + 4096 : 0;
    char *grown = capacity ? realloc(a->data, capacity) : NULL;
    if (!grown) {
      pir_archive_exhaust(a);
      return;
    }
    a->data = grown;
    a->capacity = capacity;
  }
  if (size)
    memcpy(a->data + a->size, data, size);
  a->size += size;
}

void pir_archive_bytes(pir_archive *a, void *data, size_t size) {
  if (a->writing) {
    if (!a->failed)
      append(a, data, size);
  } else if (!a->failed && size <= a->size - a->at) {
    if (size)
      memcpy(data, a->data + a->at, size);
    a->at += size;
  } else {
    a->failed = true;
    memset(data, 0, size);
  }
}

void pir_archive_array(pir_archive *a, void *array, size_t count, size_t element) {
  void *items = NULL;
  size_t size;
  if (__builtin_mul_overflow(count, element, &size))
    a->failed = true;
  if (a->failed)
    size = 0;
  if (a->writing) {
    memcpy(&items, array, sizeof items);
    pir_archive_bytes(a, items, size);
    return;
  }
  if (!a->failed && size <= a->size - a->at)
    items = a->take(a->user, size ? size : 1);
  if (items)
    pir_archive_bytes(a, items, size);
  else
    a->failed = true;
  memcpy(array, &items, sizeof items);
}

void pir_archive_list(pir_archive *a, void *array, uint32_t *count, size_t element) {
  PIR_ARCHIVE(a, *count);
  pir_archive_array(a, array, *count, element);
  if (a->failed && !a->writing)
    *count = 0;
}

void *pir_archive_items(pir_archive *a, void *items, size_t count, size_t element) {
  if (a->writing)
    return items;
  bool fits = !a->failed && count < a->size && a->size < SIZE_MAX / element;
  items = fits ? a->take(a->user, (count + 1) * element) : NULL;
  if (!items)
    a->failed = true;
  return items;
}

void pir_archive_str(pir_archive *a, pir_str *text) {
  uint64_t size = text->size;
  PIR_ARCHIVE(a, size);
  if (a->writing) {
    append(a, text->data, text->size);
    append(a, "", 1);
    return;
  }
  char *data = NULL;
  if (size >= a->size - a->at) {
    a->failed = true;
    size = 0;
  }
  pir_archive_array(a, &data, size + 1, 1);
  *text = data ? (pir_str){data, size} : PIR_STR("");
  if (data && data[size]) {
    a->failed = true;
    data[size] = 0;
  }
}

void pir_archive_text(pir_archive *a, const char **text) {
  pir_str str = a->writing ? pir_str_from(*text) : (pir_str){0};
  pir_archive_str(a, &str);
  if (!a->writing)
    *text = str.data;
}
