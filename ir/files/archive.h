// Converts values to bytes and back. One function describes a structure for both directions, so
// writer and reader cannot disagree. A failure is sticky; check it at the end. Writing never
// changes the values, also when it fails. The bytes are valid on this machine and build only:
// they are for files that the same library reads again.
#ifndef PIR_SUPPORT_ARCHIVE_H
#define PIR_SUPPORT_ARCHIVE_H

#include <pir/base.h>

typedef struct pir_archive {
  bool writing, failed;
  bool exhausted;                          // writing: it failed because memory ran out
  char *data;                              // writing: from malloc, the caller's to free
  size_t size, capacity;                   // capacity: writing
  size_t at;                               // reading
  void *(*take)(void *user, size_t size);  // reading: memory of arrays, aligned to 8, never
                                           // freed; NULL: none left
  void *user;
  const char *missing;  // reading: a name that could not be found, which made it fail
} pir_archive;

// Writing: memory ran out.
void pir_archive_exhaust(pir_archive *a);
// Writing: how it ended; `why` is the status of a failure for which memory is no reason.
PIR_NODISCARD static inline pir_status pir_archive_status(const pir_archive *a,
                                                          pir_status why) {
  if (!a->failed)
    return PIR_OK;
  return a->exhausted ? PIR_EXHAUSTED : why;
}

void pir_archive_bytes(pir_archive *a, void *data, size_t size);
#define PIR_ARCHIVE(a, place) pir_archive_bytes((a), &(place), sizeof(place))

// `array` is the address of a pointer to `count` elements; reading takes memory for them.
void pir_archive_array(pir_archive *a, void *array, size_t count, size_t element);
// Stores an array preceded by its count, a uint32_t.
void pir_archive_list(pir_archive *a, void *array, uint32_t *count, size_t element);
// Reading: takes memory for `count` elements that are stored one by one, and for one more. The
// archive has failed if it is too short for them. Writing: returns `items`.
void *pir_archive_items(pir_archive *a, void *items, size_t count, size_t element);
void pir_archive_text(pir_archive *a, const char **text);  // NUL-terminated, not NULL
void pir_archive_str(pir_archive *a, pir_str *text);       // read ones are NUL-terminated

#endif
