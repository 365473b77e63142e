// Pieces of JSON in memory, safe inside a script element of a page: no text can end it.
#ifndef PIR_TOOLS_VIEW_JSON_H
#define PIR_TOOLS_VIEW_JSON_H

#include <pir/base.h>
#include <stdio.h>

// Text that grows. Failures of memory show in json_failed and nowhere else.
typedef struct json {
  FILE *out;  // a stream in memory
  char *data;
  size_t size;
  bool fresh;  // nothing stands yet behind the last opening bracket
} json;

// Begins an empty text; free with json_free, also after a failure.
bool json_begin(json *j);
void json_free(json *j);
// Ends pending writes, so that `data` and `size` are the text. False when memory ran out.
bool json_flush(json *j);
// Empties the text.
void json_reset(json *j);

void json_open(json *j, char bracket);
void json_close(json *j, char bracket);
void json_key(json *j, const char *key);
void json_text(json *j, pir_str text);
void json_int(json *j, int64_t value);
// A number that JSON has; others are null.
void json_number(json *j, double value);
// A piece that is JSON already.
void json_raw(json *j, pir_str text);
// Takes what the library prints as it is.
pir_writer json_plain_writer(json *j);

#endif
