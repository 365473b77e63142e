// Reads JSON by jansson, safely without memory. jansson passes over a failure to enlarge the
// buffer of its tokens: it loses bytes of the token, and reads behind the buffer if the closing
// quote is among them. So the buffer is enlarged by a string of our own before anything of the
// file is read: jansson gets ["AAA..", the file, and ]. That string is as long as the longest
// token of the file, and a byte that it lacks afterwards tells that memory had run out.
#include <serialize_impl.h>

#include <string.h>

typedef struct padded_text {
  pir_str head, text, tail;
  size_t fill;  // letters between head and text
  size_t at;    // of all bytes
  const pir_watch *watch;
  bool stopped;
} padded_text;

// Copies up to `room` bytes of a part; `*io_skip` bytes of the whole lie before the next one.
static size_t copy_part(char *to, size_t room, pir_str part, size_t *io_skip) {
  if (*io_skip >= part.size) {
    *io_skip -= part.size;
    return 0;
  }
  size_t rest = part.size - *io_skip, n = rest < room ? rest : room;
  memcpy(to, part.data + *io_skip, n);
  *io_skip = 0;
  return n;
}

static size_t copy_letters(char *to, size_t room, size_t fill, size_t *io_skip) {
  if (*io_skip >= fill) {
    *io_skip -= fill;
    return 0;
  }
  size_t rest = fill - *io_skip, n = rest < room ? rest : room;
  memset(to, 'A', n);
  *io_skip = 0;
  return n;
}

// Work that ends early ends the text.
static size_t hand_over(void *buffer, size_t room, void *user) {
  enum { POLL_BYTES = 1 << 16 };
  padded_text *p = user;
  char *to = buffer;
  if (p->at % POLL_BYTES < room)
    p->stopped |= pir_watch_ended(p->watch);
  if (p->stopped)
    return 0;
  size_t skip = p->at, n = 0;
  n += copy_part(to + n, room - n, p->head, &skip);
  n += copy_letters(to + n, room - n, p->fill, &skip);
  n += copy_part(to + n, room - n, PIR_STR("\",\n"), &skip);
  n += copy_part(to + n, room - n, p->text, &skip);
  n += copy_part(to + n, room - n, p->tail, &skip);
  p->at += n;
  return n;
}

// The bytes of a string from its opening quote to its closing one.
static size_t string_bytes(const char *at, const char *end) {
  const char *from = at++;
  while (at < end && *at != '"')
    at += *at == '\\' && at + 1 < end ? 2 : 1;
  return (size_t)(at - from) + (at < end);
}

static size_t longest_token(pir_str text) {
  const char *end = text.data + text.size;
  size_t longest = 0, run = 0;
  for (const char *at = text.data; at < end;) {
    size_t size = *at == '"' ? string_bytes(at, end) : 1;
    bool ends = *at == '"' || memchr(" \t\r\n,:[]{}", *at, 10);
    run = ends ? 0 : run + 1;
    size_t token = *at == '"' ? size : run;
    longest = token > longest ? token : longest;
    at += size;
  }
  return longest;
}

// jansson enlarges the buffer before the bytes 2^k - 1; the closing quote must be another one.
static size_t letters_for(size_t longest) {
  size_t bytes = longest < 16 ? 16 : longest;
  return bytes & (bytes - 1) ? bytes - 2 : bytes - 1;
}

// jansson reports exhausted memory with varying codes.
static bool may_mean_memory(enum json_error_code code) {
  return code == json_error_unknown || code == json_error_out_of_memory ||
         code == json_error_invalid_syntax || code == json_error_premature_end_of_input;
}

static bool means_memory(pir_str text, const json_error_t *error) {
  return may_mean_memory(json_error_code(error)) && pir_json_is_well_formed(text);
}

json_t *pir_json_load(pir_str text, const pir_watch *watch, json_error_t *error,
                      bool *out_starved) {
  padded_text p = {.head = PIR_STR("[\""),
                   .watch = watch,
                   .text = text,
                   .tail = PIR_STR("]"),
                   .fill = letters_for(longest_token(text))};
  *error = (json_error_t){0};  // jansson leaves its code as it is where it gives no reason
  json_t *list = json_load_callback(hand_over, &p, JSON_REJECT_DUPLICATES, error), *root = NULL;
  *out_starved = false;
  if (p.stopped) {
    json_decref(list);
    return NULL;
  }
  *out_starved =
      list ? json_string_length(json_array_get(list, 0)) != p.fill : means_memory(text, error);
  if (!*out_starved && json_array_size(list) == 2)
    root = json_incref(json_array_get(list, 1));
  json_decref(list);
  if (root || *out_starved)
    return root;
  // The file is not JSON: jansson's places and words are about the file alone.
  *error = (json_error_t){0};
  root = json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, error);
  *out_starved = !root && means_memory(text, error);
  return root;
}
