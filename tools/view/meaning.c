// Entries begin at the start of a line with "op" or "form" and end with a line "}".
#include "meaning.h"

#include <string.h>

#include "assets.h"

static pir_str line_at(pir_str text, size_t at) {
  const char *begin = text.data + at, *end = memchr(begin, '\n', text.size - at);
  return (pir_str){begin, end ? (size_t)(end - begin) : text.size - at};
}

static bool begins_with(pir_str text, const char *with) {
  size_t size = strlen(with);
  return text.size >= size && memcmp(text.data, with, size) == 0;
}

static bool same(pir_str a, const char *b, size_t size) {
  return a.size == size && memcmp(a.data, b, size) == 0;
}

// The files of a dialect.
static pir_str dialect_text(pir_str dialect) {
  pir_str all = VIEW_ASSET(view_ops), found = {NULL, 0};
  for (size_t at = 0; at < all.size;) {
    pir_str line = line_at(all, at);
    bool head = begins_with(line, "@ ");
    if (head && found.data)
      return (pir_str){found.data, (size_t)(line.data - found.data)};
    at += line.size + 1;
    if (head && same(dialect, line.data + 2, line.size - 2))
      found = (pir_str){all.data + at, all.size - at};
  }
  return found;
}

// Reads the next name of a list such as "isnan, isinf like"; empty behind its last.
static pir_str next_name(pir_str line, size_t *at) {
  while (*at < line.size && (line.data[*at] == ' ' || line.data[*at] == ','))
    ++*at;
  size_t begin = *at;
  while (*at < line.size && !strchr(" ,\"{", line.data[*at]))
    ++*at;
  return (pir_str){line.data + begin, *at - begin};
}

// Whether the head of an entry declares `name`: "op a, b like form".
static bool declares(pir_str line, const char *keyword, pir_str name) {
  if (!begins_with(line, keyword))
    return false;
  size_t at = strlen(keyword);
  for (;;) {
    pir_str word = next_name(line, &at);
    if (!word.size || same(word, "like", 4))
      return false;
    if (same(word, name.data, name.size))
      return true;
  }
}

static pir_str find_entry(pir_str text, const char *keyword, pir_str name) {
  pir_str found = {NULL, 0};
  for (size_t at = 0; at < text.size;) {
    pir_str line = line_at(text, at);
    if (!found.data && declares(line, keyword, name))
      found.data = line.data;
    bool closed = line.size && line.data[line.size - 1] == '}' &&
                  (line.size == 1 || line.data == found.data);
    if (found.data && closed)
      return (pir_str){found.data, (size_t)(line.data + line.size - found.data)};
    at += line.size + 1;
  }
  return (pir_str){"", 0};
}

static pir_str dialect_of(pir_str op_name) {
  const char *dot = memchr(op_name.data, '.', op_name.size);
  return (pir_str){op_name.data, dot ? (size_t)(dot - op_name.data) : op_name.size};
}

pir_str view_meaning(pir_str op_name) {
  pir_str dialect = dialect_of(op_name);
  if (dialect.size == op_name.size)
    return (pir_str){"", 0};
  pir_str name = {op_name.data + dialect.size + 1, op_name.size - dialect.size - 1};
  pir_str entry = find_entry(dialect_text(dialect), "op ", name);
  // The twin in place is declared with the op.
  if (!entry.size && name.size > 1 && name.data[name.size - 1] == '_')
    entry = find_entry(dialect_text(dialect), "op ", (pir_str){name.data, name.size - 1});
  return entry;
}

pir_str view_meaning_form(pir_str op_name, pir_str entry, size_t i) {
  pir_str head = line_at(entry, 0), word;
  size_t at = 0;
  do
    word = next_name(head, &at);
  while (word.size && !same(word, "like", 4));
  for (size_t k = 0; word.size && k <= i; k++)
    word = next_name(head, &at);
  return word.size ? find_entry(dialect_text(dialect_of(op_name)), "form ", word)
                   : (pir_str){"", 0};
}
