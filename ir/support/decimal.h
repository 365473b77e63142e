// Numbers in text, read as in the C locale, whatever the host's locale is.
#ifndef PIR_SUPPORT_DECIMAL_H
#define PIR_SUPPORT_DECIMAL_H

#include <locale.h>
#include <stdlib.h>

// strtod independent of the locale: in the host's locale the decimal point may be a comma.
static inline double pir_decimal_read(const char *text, char **out_end) {
  locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  double value = c ? strtod_l(text, out_end, c) : strtod(text, out_end);
  if (c)
    freelocale(c);
  return value;
}

#endif
