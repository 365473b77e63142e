// Spaces and comments in front of JSON and text: files that people keep often begin with some.
#ifndef PIR_BLANK_H
#define PIR_BLANK_H

#include <string.h>

static inline const char *skip_spaces(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r' || *at == '\f'))
    at++;
  return at;
}

// Returns the first character behind spaces and `//` comments, or `end`.
static inline const char *skip_blank(const char *at, const char *end) {
  for (;;) {
    at = skip_spaces(at, end);
    if (end - at < 2 || at[0] != '/' || at[1] != '/')
      return at;
    const char *line = memchr(at, '\n', (size_t)(end - at));
    at = line ? line : end;
  }
}

#endif
