// Declarations that the reader's files share. `token` is the next token. After the first error
// every function returns at once, and nobody uses its result.
#ifndef PIR_LOOP_PARSE_IMPL_H
#define PIR_LOOP_PARSE_IMPL_H

#include "loop_impl.h"
#include "loop_lex.h"
#include "loop_names.h"
#include "loop_parse.h"

#include <map.h>
#include <vec.h>

typedef struct loop_reader {
  pir_context *ctx;
  const pir_loops_source *source;
  loop_lexer lexer;
  loop_token token;  // the next one
  loop_module *m;
  loop_fn *fn;
  pir_map *places;
  PIR_VEC(loop_var *) vars;  // of the function, by number; NULL: not met
  int nested;                // statements and expressions around
  bool failed;
} loop_reader;

// A type: "f32x8".
typedef struct loop_type {
  uint8_t dtype;
  uint16_t lanes;
} loop_type;

// ---- tokens

void loop_read_next(loop_reader *r);
// Report an error at the next token, or at an earlier one.
void loop_read_fail(loop_reader *r, const char *format, ...) PIR_PRINTF(2, 3);
void loop_read_fail_at(loop_reader *r, const loop_token *token, const char *format, ...)
    PIR_PRINTF(3, 4);
bool loop_at_word(const loop_reader *r, const char *word);
bool loop_at_sign(const loop_reader *r, const char *sign);
// Take the word or sign if it is the next token.
bool loop_take_word(loop_reader *r, const char *word);
bool loop_take_sign(loop_reader *r, const char *sign);
void loop_expect_word(loop_reader *r, const char *word);
void loop_expect_sign(loop_reader *r, const char *sign);
// An integer from `low` to `high`.
int64_t loop_expect_int(loop_reader *r, int64_t low, int64_t high);
int64_t loop_int_of(loop_reader *r, const loop_token *number);
uint16_t loop_lanes_of(loop_reader *r, int64_t lanes);
// Returns the number of a word like v12 (`stem` is "v"); -1 if the next token is no such word.
int64_t loop_numbered(const loop_reader *r, const char *stem);
// The number that the word's digits state from `stem` on, or -1. There are no leading zeros, so
// that a number is spelled in one way.
int64_t loop_number_behind(pir_str word, size_t stem);
loop_type loop_expect_type(loop_reader *r);

// Opens a level of nesting until loop_leave. False if the limit is reached.
bool loop_enter(loop_reader *r);
void loop_leave(loop_reader *r);

// Returns the place of the next token, where a node begins.
pir_loc loop_here(const loop_reader *r);
void loop_set_place(loop_reader *r, const void *node, pir_loc place);

// ---- nodes

loop_expr *loop_read_expr(loop_reader *r);
// A buffer that is declared: b3.
loop_buffer *loop_read_buffer(loop_reader *r);
// `where` and a mask, or NULL.
loop_expr *loop_read_mask(loop_reader *r);

#endif
