// Structs that begin with their size.
#include <sized.h>

#include <string.h>

// No struct of options is longer. A size beyond it was never set.
enum { LONGEST_STRUCT = 4096 };

static size_t size_of(const void *sized) {
  size_t size;
  memcpy(&size, sized, sizeof size);
  return size;
}

static bool is_sensible(size_t size) {
  return size >= sizeof(size_t) && size <= LONGEST_STRUCT;
}

static bool is_zero(const unsigned char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (bytes[i])
      return false;
  return true;
}

pir_status pir_sized_read(const char *name, void *to, size_t size, const void *from,
                          sized_text *why) {
  memset(to, 0, size);
  if (!from)
    return PIR_OK;
  size_t given = size_of(from), known = given < size ? given : size;
  if (!is_sensible(given)) {
    pir_text_format(why->text, sizeof why->text, "%s: size is %zu, expects sizeof(%s)", name,
                    given, name);
    return PIR_INVALID;
  }
  if (!is_zero((const unsigned char *)from + known, given - known)) {
    pir_text_format(why->text, sizeof why->text,
                    "unsupported: %s sets a field of a later version than %d.%d.%d", name,
                    PIR_VERSION_MAJOR, PIR_VERSION_MINOR, PIR_VERSION_PATCH);
    return PIR_UNSUPPORTED;
  }
  memcpy(to, from, known);
  return PIR_OK;
}

pir_status pir_sized_write(void *to, const void *from, size_t size) {
  size_t given = to ? size_of(to) : 0, known = given < size ? given : size;
  if (!is_sensible(given))
    return PIR_INVALID;
  memset(to, 0, given);
  memcpy(to, from, known);
  memcpy(to, &given, sizeof given);
  return PIR_OK;
}
