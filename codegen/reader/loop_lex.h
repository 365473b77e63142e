// Words, numbers and signs of the text of loop IR.
#ifndef PIR_LOOP_LEX_H
#define PIR_LOOP_LEX_H

#include <pir/base.h>

typedef enum loop_token_kind {
  LOOP_TOKEN_END,
  LOOP_TOKEN_WORD,    // a letter or _, then letters, digits and _
  LOOP_TOKEN_NUMBER,  // digits, maybe with a sign, a point and an exponent; also "-inf"
  LOOP_TOKEN_SIGN,    // one of ( ) [ ] { } , : . = + - * / < and == != <=
  LOOP_TOKEN_UNKNOWN
} loop_token_kind;

typedef struct loop_token {
  loop_token_kind kind;
  pir_str text;
  uint32_t line, column;
} loop_token;

typedef struct loop_lexer {
  const char *at, *end, *line_start;
  uint32_t line;
} loop_lexer;

loop_lexer loop_lexer_of(pir_str text, uint32_t first_line);
// Spaces, line ends and comments (`//` to the end of the line) separate tokens.
loop_token loop_next_token(loop_lexer *lexer);
// The rest of the line behind the token read last, without the spaces around it.
pir_str loop_rest_of_line(loop_lexer *lexer);

#endif
