// Converts numbers to and from text, independent of the locale: the C library produces digits
// without a decimal point and reads an integer with an exponent. The shortest digits are found
// by trying 15, 16 and 17 (6 to 9 for floats). A decimal of up to 15 digits survives the trip
// through a double, so if 15 suffice, dropping their trailing zeros gives the shortest.
// Denormal numbers have fewer digits, so they start at 1.
#include "text_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Rounds to `count` digits; value = 0.d1d2.. x 10^point. Returns the number of digits without
// trailing zeros.
static int round_digits(double value, int count, char *digits, int *out_point) {
  char format[8] = "%.00e", text[48];
  format[2] = (char)('0' + (count - 1) / 10);
  format[3] = (char)('0' + (count - 1) % 10);
  int size = strfromd(text, sizeof text, format, value), n = 0, i = 0;
  for (; i < size && text[i] != 'e'; i++)
    if (text[i] >= '0' && text[i] <= '9')
      digits[n++] = text[i];
  *out_point = atoi(text + i + 1) + 1;
  while (n > 1 && digits[n - 1] == '0')
    n--;
  return n;
}

static bool survives(double value, bool single, const char *digits, int count, int point) {
  char text[40];
  memcpy(text, digits, (size_t)count);
  text[count] = 'e';
  int exponent = point - count, at = count + 1;
  if (exponent < 0)
    text[at++] = '-';
  unsigned size = (unsigned)abs(exponent);
  char reversed[8];
  int n = 0;
  do
    reversed[n++] = (char)('0' + size % 10);
  while (size /= 10);
  while (n)
    text[at++] = reversed[--n];
  text[at] = 0;
  double read =
      strtod(text, NULL);  // a float is read as a double and rounded, here as in the reader
  return single ? (float)read == (float)value : read == value;
}

static void lay_out(pir_strbuf *out, const char *digits, int count, int point, bool json) {
  if (count <= point && point <= 15) {
    pir_strbuf_put(out, digits, (size_t)count);
    pir_strbuf_fill(out, '0', (size_t)(point - count));
    if (json)
      pir_strbuf_lit(out, ".0");
  } else if (0 < point && point <= 15) {
    pir_strbuf_put(out, digits, (size_t)point);
    pir_strbuf_char(out, '.');
    pir_strbuf_put(out, digits + point, (size_t)(count - point));
  } else if (-4 < point && point <= 0) {
    pir_strbuf_lit(out, "0.");
    pir_strbuf_fill(out, '0', (size_t)-point);
    pir_strbuf_put(out, digits, (size_t)count);
  } else {
    pir_strbuf_char(out, digits[0]);
    if (count > 1)
      pir_strbuf_char(out, '.');
    pir_strbuf_put(out, digits + 1, (size_t)(count - 1));
    int exponent = point - 1;
    pir_strbuf_char(out, 'e');
    pir_strbuf_char(out, exponent < 0 ? '-' : '+');
    if (abs(exponent) < 10)
      pir_strbuf_char(out, '0');
    pir_strbuf_int(out, abs(exponent));
  }
}

static void print_nan(pir_strbuf *out, double value) {
  uint64_t bits, quiet = UINT64_C(0x7ff8000000000000);
  memcpy(&bits, &value, sizeof bits);
  if ((bits & ~(UINT64_C(1) << 63)) == quiet)
    pir_strbuf_lit(out, "nan");
  else
    pir_strbuf_format(out, "nan(0x%llx)", (unsigned long long)(bits & ~(UINT64_C(1) << 63)));
}

void pir_text_exact_float(pir_strbuf *out, double value, bool single, bool json) {
  if (signbit(value))
    pir_strbuf_char(out, '-');
  if (isnan(value)) {
    print_nan(out, value);
    return;
  }
  value = fabs(value);
  if (isinf(value)) {
    pir_strbuf_lit(out, "inf");
    return;
  }
  char digits[24];
  bool subnormal = value < (single ? 0x1p-126 : 0x1p-1022);
  int point = 1, count = 1;
  int wanted = single ? 6 : 15, most = single ? 9 : 17;
  if (subnormal)
    wanted = 1;
  if (value == 0) {
    digits[0] = '0';
  } else {
    do
      count = round_digits(value, wanted, digits, &point);
    while (wanted++ < most && !survives(value, single, digits, count, point));
  }
  lay_out(out, digits, count, point, json);
}

bool pir_text_read_int(pir_str text, int64_t *out_value) {
  bool negative = text.size && text.data[0] == '-';
  uint64_t value = 0, limit = negative ? (uint64_t)INT64_MAX + 1 : INT64_MAX;
  size_t i = negative;
  if (i == text.size)
    return false;
  for (; i < text.size; i++) {
    unsigned digit = (unsigned)(text.data[i] - '0');
    if (digit > 9 || value > (limit - digit) / 10)
      return false;
    value = value * 10 + digit;
  }
  *out_value = (int64_t)(negative ? 0 - value : value);
  return true;
}

// Collects sign, digits and point of a decimal number as an integer with an exponent. Digits
// beyond the buffer can affect the nearest double only by being nonzero.
typedef struct decimal {
  char digits[800];
  int count;
  int64_t exponent;
} decimal;

static bool scan_exponent(const char *at, const char *end, int64_t *out_exponent) {
  bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+'))
    at++;
  if (at == end)
    return false;
  int64_t value = 0;
  for (; at < end; at++) {
    if (*at < '0' || *at > '9')
      return false;
    if (value < 100000)
      value = value * 10 + (*at - '0');
  }
  *out_exponent = negative ? -value : value;
  return true;
}

static bool scan_decimal(const char *at, const char *end, decimal *out) {
  bool point = false, any = false;
  out->count = 0;
  out->exponent = 0;
  for (; at < end && *at != 'e' && *at != 'E'; at++) {
    if (*at == '.' && !point) {
      point = true;
      continue;
    }
    if (*at < '0' || *at > '9')
      return false;
    any = true;
    if (*at == '0' && !out->count)
      out->exponent -= point;
    else if (out->count < 770) {
      out->digits[out->count++] = *at;
      out->exponent -= point;
    } else {
      if (*at != '0')
        out->digits[769] = '1';
      out->exponent += !point;
    }
  }
  int64_t exponent = 0;
  if (!any || (at < end && !scan_exponent(at + 1, end, &exponent)))
    return false;
  out->exponent += exponent;
  return true;
}

bool pir_text_read_float(pir_str text, double *out_value) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char *at = text.data, *end = at + text.size;
  bool negative = at < end && *at == '-';
  decimal number;
  if (!scan_decimal(at + negative, end, &number))
    return false;
  double value = 0;
  if (number.count && number.count <= 15 && number.exponent >= -22 && number.exponent <= 22) {
    int64_t mantissa = 0;  // exact, and so is the power: one rounding
    for (int i = 0; i < number.count; i++)
      mantissa = mantissa * 10 + (number.digits[i] - '0');
    value = number.exponent < 0 ? (double)mantissa / powers[-number.exponent]
                                : (double)mantissa * powers[number.exponent];
  } else if (number.count) {
    if (number.exponent > 100000)
      return false;
    char *tail = number.digits + number.count;
    *tail++ = 'e';
    if (number.exponent < 0)
      *tail++ = '-';
    char reversed[24];
    int n = 0;
    uint64_t left = (uint64_t)(number.exponent < 0 ? -number.exponent : number.exponent);
    do
      reversed[n++] = (char)('0' + left % 10);
    while (left /= 10);
    while (n)
      *tail++ = reversed[--n];
    *tail = 0;
    value = strtod(number.digits, NULL);
    if (isinf(value))
      return false;
  }
  *out_value = negative ? -value : value;
  return true;
}
