// The state of the IR text reader, and the functions that its files share. Private to ir/.
//
// Functions that read something return false (or NULL) after reporting. The caller then
// abandons the op, and parse.c continues at the next line that starts an op.
#ifndef PIR_PARSE_IMPL_H
#define PIR_PARSE_IMPL_H

#include <pir/compiler/block.h>

#include "context_impl.h"
#include "lex_impl.h"
#include "text_impl.h"

// The number of errors after which reading stops.
#define PIR_PARSE_MAX_ERRORS 64
// Nesting of types and attributes.
#define PIR_PARSE_MAX_NESTING 64
// Entries of the caches of recently read types and names.
#define PIR_PARSE_CACHE 256

typedef struct pir_parse_place {
  uint32_t line, column;
} pir_parse_place;

// A recently read attribute: its text, and the kinds declared for it and its elements.
typedef struct pir_parse_attr_entry {
  pir_str text;
  uint32_t kinds;
  const pir_attr *attr;
} pir_parse_attr_entry;

typedef struct pir_parser {
  pir_context *ctx;
  pir_arena *arena;
  void *scanner;
  pir_lexer lexer;
  char *copy;      // the text that the scanner works on
  pir_str source;  // the caller's text
  pir_str file;
  int token;         // the current one
  pir_str text;      // its text; lies in `copy`
  bool fresh;        // it is the first of its line
  uint32_t nesting;  // nesting depth of types and attributes
  size_t errors;
  pir_status status;  // PIR_INVALID or PIR_EXHAUSTED after an error
  int generation;     // generation of the text, recognised by its types: 1 (T0, T1), 2 (T2), 0
                      // (current)
  struct {
    pir_str text;
    const pir_type *type;
  } types[PIR_PARSE_CACHE];          // types lately read, by a hash of their text
  pir_name *names[PIR_PARSE_CACHE];  // names of attributes and ops lately read
  struct {
    pir_name *name;
    const pir_opdef *def;
  } ops[PIR_PARSE_CACHE];
  pir_parse_attr_entry attrs[PIR_PARSE_CACHE];
} pir_parser;

int pir_lex_next(void *scanner);
// Continues after the first `size` bytes of the last token.
void pir_lex_skip(void *scanner, size_t size);

// Moves to the next token.
static inline void pir_parse_next(pir_parser *p) {
  if (p->token == PIR_TOK_STRING)
    for (const char *at = p->text.data, *end = at + p->text.size;
         (at = memchr(at, '\n', (size_t)(end - at)));) {
      p->lexer.line++;
      p->lexer.line_start = ++at;
    }
  p->token = pir_lex_next(p->scanner);
  p->text = (pir_str){p->lexer.start, p->lexer.size};
  if (p->token == PIR_TOK_END)
    p->text = (pir_str){p->copy + p->source.size, 0};
  p->fresh = p->lexer.fresh_line;
  p->lexer.fresh_line = false;
}

static inline pir_parse_place pir_parse_here(const pir_parser *p) {
  return (pir_parse_place){p->lexer.line, (uint32_t)(p->text.data - p->lexer.line_start) + 1};
}

// Returns the caller's text from the current token on. (The scanner's copy has a NUL after the
// token.)
static inline pir_str pir_parse_rest(const pir_parser *p) {
  size_t at = (size_t)(p->text.data - p->copy);
  return (pir_str){p->source.data + at, p->source.size - at};
}

static inline bool pir_parse_is_word(const pir_parser *p, const char *word) {
  return p->token == PIR_TOK_WORD && *p->text.data == *word &&
         pir_str_equal(p->text, pir_str_from(word));
}

// The interned name of a text. Programs repeat few names, so most are found without hashing.
pir_name *pir_parse_name(pir_parser *p, pir_str text);
const pir_opdef *pir_parse_opdef(pir_parser *p, pir_str text);

// Reports at a place (the current token) and returns false.
bool pir_parse_fail_at(pir_parser *p, pir_parse_place place, pir_status status,
                       const char *format, ...) PIR_PRINTF(4, 5);
void pir_parse_warn_at(pir_parser *p, pir_parse_place place, const char *format, ...)
    PIR_PRINTF(3, 4);
bool pir_parse_note_at(pir_parser *p, pir_parse_place place, const char *format, ...)
    PIR_PRINTF(3, 4);
#define pir_parse_fail(p, ...)                                                                 \
  pir_parse_fail_at((p), pir_parse_here(p), PIR_INVALID, __VA_ARGS__)
// "expected WHAT, found ..".
bool pir_parse_expected(pir_parser *p, const char *what);
// If the current token is `token` (one character), moves to the next.
bool pir_parse_take(pir_parser *p, int token);
bool pir_parse_try(pir_parser *p, int token);
bool pir_parse_enter(
    pir_parser *p);  // one level of nesting; the caller leaves it with p->nesting--

// pir_parse_at_type tells whether a type may start here. pir_parse_type reads one; NULL is
// the null type.
bool pir_parse_at_type(const pir_parser *p);
bool pir_parse_type(pir_parser *p, const pir_type **out_type);
// [1,2]; memory of the arena, `*out_count` + 1 entries
bool pir_parse_ints(pir_parser *p, int64_t **out_values, size_t *out_count);
static inline void pir_parse_free_ints(pir_parser *p, int64_t *values, size_t count) {
  pir_arena_free(p->arena, values, (count + 1) * sizeof *values);
}

// Reads an attribute's value. `declared` states its kind if the text does not; NULL if unknown.
const pir_attr *pir_parse_attr(pir_parser *p, const pir_attr_def *declared);
// The body of a distribution as types print it: mesh_shape:[..],..,dims_mappings:[..]. `mesh`
// is used where the text names none; may be NULL.
const pir_attr *pir_parse_tensor_dist(pir_parser *p, const pir_attr *mesh);

// Unescapes a string token into the arena; `*out_size` bytes are allocated.
bool pir_parse_unescape(pir_parser *p, pir_str quoted, char **out_text, size_t *out_size);
// Skips a value that is kept as text, and returns the text: up to a `,`, `}`, `]` or `>` of its
// own level.
pir_str pir_parse_raw(pir_parser *p);

#endif
