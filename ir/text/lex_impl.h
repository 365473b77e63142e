// The interface of the scanner of IR text for its parser. Private to ir/.
#ifndef PIR_LEX_IMPL_H
#define PIR_LEX_IMPL_H

#include <arena.h>

// A token of one character is that character.
enum pir_token {
  PIR_TOK_END = 0,
  PIR_TOK_VALUE = 256,  // %0, %arg_1, %kwarg_x, %stack_0
  PIR_TOK_STRING,       // "..", only \" is an escape
  PIR_TOK_ESCAPED,      // (str)"..", with C escapes
  PIR_TOK_OPAQUE_TYPE,  // !".."
  PIR_TOK_LOC,          // loc("file":1:2) or loc("file":+0x10)
  PIR_TOK_NUMBER,
  PIR_TOK_SPECIAL,  // inf, -inf, nan, nan(0x..)
  PIR_TOK_HEX,
  PIR_TOK_DIMS,     // 2x-1xf32
  PIR_TOK_COMPLEX,  // real:1 imag:2
  PIR_TOK_PLACE,    // Place(gpu:0)
  PIR_TOK_WORD,
  PIR_TOK_TYPE,        // word<..> without nested brackets or strings
  PIR_TOK_KERNEL_KEY,  // <backend:CPU|layout:NCHW|dtype:float32>
  PIR_TOK_NULL_VALUE,
  PIR_TOK_NULL_TYPE,
  PIR_TOK_NULL_ATTR,  // <#AttrNull> and the like
  PIR_TOK_ARROW,
  PIR_TOK_BAD
};

// State in addition to the generated scanner: the last token, and the starts of lines.
typedef struct pir_lexer {
  pir_arena *arena;
  const char *end;  // end of the text
  const char *start;
  size_t size;
  uint32_t line;
  const char *line_start;
  bool fresh_line;  // set at each line end; the parser clears it
} pir_lexer;

#endif
