// The file of measured figures in a cache folder: lines of text, of which the first states the
// version, the second the machine, and the last a checksum of the lines before it. Figures are
// kept, not the record that is made of them: formulas may change from one version of the
// library to the next, and the table with them.
#include "record.h"

#include <decimal.h>
#include <folder.h>
#include <read_all.h>

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

// Raised when probes measure something else.
#define FIRST_LINE "libpir measured machine, version "
#define VERSION 1

#define CHECKSUM "checksum "

static const char *line_end(const char *at, const char *end) {
  const char *newline = memchr(at, '\n', (size_t)(end - at));
  return newline ? newline : end;
}

pir_str pir_measured_write(const machine_key *key, const pir_measured *m,
                           char out[KEPT_BYTES]) {
  size_t n = pir_text_format(out, KEPT_BYTES, FIRST_LINE "%d\n%s\n", VERSION, key->text);
  for (size_t i = 0; pir_measured_figure(i); i++) {
    const measured_figure *f = pir_measured_figure(i);
    n += pir_text_format(out + n, KEPT_BYTES - n, "%s %.4g%s%s\n", f->name,
                         pir_measured_get(m, f), *f->unit ? " " : "", f->unit);
  }
  uint64_t sum = XXH3_64bits(out, n);
  n += pir_text_format(out + n, KEPT_BYTES - n, CHECKSUM "%llx\n", (unsigned long long)sum);
  return (pir_str){out, n};
}

// Splits off the last line, which has to be the checksum of the others.
static bool has_checksum(pir_str text, size_t *out_size) {
  char line[40];
  size_t at = text.size;
  if (!at || text.data[at - 1] != '\n')
    return false;
  for (at--; at && text.data[at - 1] != '\n'; at--) {}
  unsigned long long sum = XXH3_64bits(text.data, at);
  size_t n = pir_text_format(line, sizeof line, CHECKSUM "%llx\n", sum);
  *out_size = at;
  return text.size - at == n && !memcmp(text.data + at, line, n);
}

// Takes the figure of a line: the name, a space, a number that is finite and not negative.
static bool take_figure(const char *line, const char *end, const measured_figure *f,
                        pir_measured *out) {
  size_t name = strlen(f->name);
  char number[32];
  if ((size_t)(end - line) <= name || memcmp(line, f->name, name) != 0 || line[name] != ' ')
    return false;
  line += name + 1;
  const char *space = memchr(line, ' ', (size_t)(end - line));
  size_t size = (size_t)((space ? space : end) - line);
  if (!size || size >= sizeof number)
    return false;
  memcpy(number, line, size);
  number[size] = 0;
  char *rest;
  double value = pir_decimal_read(number, &rest);
  *(double *)((char *)out + f->at) = value;
  return !*rest && value >= 0 && value < 1e12;
}

static kept_state read_figures(const char *at, const char *end, pir_measured *out) {
  size_t i = 0;
  for (; at < end && pir_measured_figure(i); i++) {
    const char *stop = line_end(at, end);
    if (!take_figure(at, stop, pir_measured_figure(i), out))
      return KEPT_DAMAGED;
    at = stop + 1;
  }
  return at == end && !pir_measured_figure(i) ? KEPT : KEPT_DAMAGED;
}

kept_state pir_measured_read(const machine_key *key, pir_str text, pir_measured *out) {
  char version[64];
  size_t size, n = pir_text_format(version, sizeof version, FIRST_LINE "%d\n", VERSION);
  *out = (pir_measured){0};
  if (text.size < sizeof FIRST_LINE - 1 ||
      memcmp(text.data, FIRST_LINE, sizeof FIRST_LINE - 1) != 0)
    return KEPT_DAMAGED;
  if (text.size < n || memcmp(text.data, version, n) != 0)
    return KEPT_OF_ANOTHER_VERSION;
  if (!has_checksum(text, &size) || size < n)
    return KEPT_DAMAGED;
  const char *at = text.data + n, *end = text.data + size, *stop = line_end(at, end);
  size_t machine = strlen(key->text);
  if ((size_t)(stop - at) != machine || memcmp(at, key->text, machine) != 0)
    return KEPT_OF_ANOTHER_MACHINE;
  return stop < end ? read_figures(stop + 1, end, out) : KEPT_DAMAGED;
}

kept_state pir_measured_load(int folder, const machine_key *key, pir_measured *out) {
  char text[KEPT_BYTES];
  struct stat st;
  int fd = pir_folder_find(folder, key->file);
  if (fd < 0)
    return KEPT_NOWHERE;
  kept_state state = KEPT_DAMAGED;
  if (!fstat(fd, &st) && st.st_size <= KEPT_BYTES &&
      pir_read_all(fd, NULL, text, (size_t)st.st_size))
    state = pir_measured_read(key, (pir_str){text, (size_t)st.st_size}, out);
  close(fd);
  return state;
}
