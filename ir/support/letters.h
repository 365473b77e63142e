// Words that files spell in upper or lower case.
#ifndef PIR_SUPPORT_LETTERS_H
#define PIR_SUPPORT_LETTERS_H

#include <pir/base.h>

#include <string.h>
#include <strings.h>

static inline bool same_letters(pir_str a, const char *b) {
  return a.size == strlen(b) && strncasecmp(a.data, b, a.size) == 0;
}

#endif
