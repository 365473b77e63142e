#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

bool json_begin(json *j) {
  *j = (json){.fresh = true};
  j->out = open_memstream(&j->data, &j->size);
  return j->out != NULL;
}

void json_free(json *j) {
  if (j->out)
    fclose(j->out);
  free(j->data);
  *j = (json){0};
}

bool json_flush(json *j) {
  return fflush(j->out) == 0 && !ferror(j->out);
}

void json_reset(json *j) {
  rewind(j->out);
  j->fresh = true;
}

static void separate(json *j) {
  if (!j->fresh)
    fputc(',', j->out);
  j->fresh = false;
}

void json_open(json *j, char bracket) {
  separate(j);
  fputc(bracket, j->out);
  j->fresh = true;
}

void json_close(json *j, char bracket) {
  fputc(bracket, j->out);
  j->fresh = false;
}

// `<` is written as an escape, so that no text of a model closes the script element or opens a
// comment in it.
static void put_escaped(json *j, unsigned char c) {
  if (c < 0x20 || c == '<' || c == 0x7f)
    fprintf(j->out, "\\u%04x", c);
  else {
    if (c == '"' || c == '\\')
      fputc('\\', j->out);
    fputc(c, j->out);
  }
}

static void put_quoted(json *j, pir_str text) {
  fputc('"', j->out);
  for (size_t i = 0; i < text.size; i++)
    put_escaped(j, (unsigned char)text.data[i]);
  fputc('"', j->out);
}

void json_key(json *j, const char *key) {
  separate(j);
  put_quoted(j, pir_str_from(key));
  fputc(':', j->out);
  j->fresh = true;
}

void json_text(json *j, pir_str text) {
  separate(j);
  put_quoted(j, text);
}

void json_int(json *j, int64_t value) {
  separate(j);
  fprintf(j->out, "%" PRId64, value);
}

void json_number(json *j, double value) {
  separate(j);
  if (isfinite(value))
    fprintf(j->out, "%.9g", value);
  else
    fputs("null", j->out);
}

void json_raw(json *j, pir_str text) {
  separate(j);
  fwrite(text.data, 1, text.size, j->out);
}

static bool write_plain(void *user, const char *data, size_t size) {
  json *j = user;
  return fwrite(data, 1, size, j->out) == size;
}

pir_writer json_plain_writer(json *j) {
  return (pir_writer){write_plain, j};
}
