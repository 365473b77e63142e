// Reads IR text: every printed form from T0 to T3 and the typed form. A flex scanner makes the
// tokens. The grammar is written by hand, because the forms differ in the middle of an op and
// an invalid op must not affect the rest of the file (docs/reference/ir-text.md). This file
// handles blocks, regions and recovery; parse_op.c handles the phrases of one op. Nested
// regions are frames on a list: depth costs memory, not stack.
//
// After an error the reader continues at the next line that begins an op. The results of a
// failed op are defined without a type, so their uses cause no further errors. Cost: linear in
// the text.
#include <hash.h>
#include <report_progress.h>
#include <sized.h>

#include "context_impl.h"
#include "op_impl.h"
#include "parse_op_impl.h"

typedef void *yyscan_t;
struct yy_buffer_state;
int pir_lex_lex_init_extra(pir_lexer *lexer, yyscan_t *out_scanner);
int pir_lex_lex_destroy(yyscan_t scanner);
struct yy_buffer_state *pir_lex__scan_buffer(char *text, size_t size, yyscan_t scanner);

// ---- reports

static pir_loc loc_of(pir_parser *p, pir_parse_place place) {
  return pir_loc_text(p->ctx, p->file, place.line, place.column);
}

// Returns the line of a recently passed location, in the caller's text.
static pir_str line_at(const pir_parser *p, pir_parse_place place) {
  const char *base = p->source.data, *end = base + p->source.size;
  const char *at = base + (p->lexer.line_start - p->copy);
  for (uint32_t line = p->lexer.line; line > place.line && at > base; line--) {
    at--;
    while (at > base && at[-1] != '\n')
      at--;
  }
  const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
  if (at > end)
    return (pir_str){0};
  return (pir_str){at, (size_t)((stop ? stop : end) - at)};
}

static void emit(pir_parser *p, pir_severity severity, pir_parse_place place, pir_str message) {
  pir_diag diag = {.size = sizeof diag,
                   .severity = severity,
                   .message = message,
                   .source_line = line_at(p, place)};
  diag.place = (pir_loc_parts){.file = p->file, .line = place.line, .column = place.column};
  pir_diag_emit(p->ctx, &diag);
}

static void emit_format(pir_parser *p, pir_severity severity, pir_parse_place place,
                        const char *format, va_list args) {
  pir_strbuf message;
  pir_strbuf_init(&message, p->arena);
  pir_strbuf_vformat(&message, format, args);
  emit(p, severity, place, pir_strbuf_view(&message));
  pir_strbuf_free(&message);
}

bool pir_parse_fail_at(pir_parser *p, pir_parse_place place, pir_status status,
                       const char *format, ...) {
  va_list args;
  va_start(args, format);
  emit_format(p, PIR_ERROR, place, format, args);
  va_end(args);
  if (p->status != PIR_EXHAUSTED)
    p->status = status;
  p->errors++;
  return false;
}

void pir_parse_warn_at(pir_parser *p, pir_parse_place place, const char *format, ...) {
  va_list args;
  va_start(args, format);
  emit_format(p, PIR_WARNING, place, format, args);
  va_end(args);
}

bool pir_parse_note_at(pir_parser *p, pir_parse_place place, const char *format, ...) {
  va_list args;
  va_start(args, format);
  emit_format(p, PIR_NOTE, place, format, args);
  va_end(args);
  return false;
}

bool pir_parse_expected(pir_parser *p, const char *what) {
  if (p->token == PIR_TOK_END)
    return pir_parse_fail(p, "expected %s, found the end of the text", what);
  if (p->token == PIR_TOK_BAD && *p->text.data == '"')
    return pir_parse_fail(p, "the string does not end");
  int size = p->text.size > 40 ? 40 : (int)p->text.size;
  return pir_parse_fail(p, "expected %s, found '%.*s'%s", what, size, p->text.data,
                        p->text.size > 40 ? ".." : "");
}

bool pir_parse_take(pir_parser *p, int token) {
  if (p->token == token) {
    pir_parse_next(p);
    return true;
  }
  const char what[] = {'\'', (char)token, '\'', 0};
  return pir_parse_expected(p, token == PIR_TOK_ARROW ? "'->'" : what);
}

bool pir_parse_try(pir_parser *p, int token) {
  if (p->token != token)
    return false;
  pir_parse_next(p);
  return true;
}

bool pir_parse_enter(pir_parser *p) {
  if (p->nesting >= PIR_PARSE_MAX_NESTING)
    return pir_parse_fail_at(p, pir_parse_here(p), PIR_EXHAUSTED,
                             "types and attributes nest deeper than %d levels",
                             PIR_PARSE_MAX_NESTING);
  p->nesting++;
  return true;
}

// ---- values

// Where a value is defined, for notes.
static void note_definition(pir_op_reader *r, const pir_value *value) {
  const pir_op *op = pir_value_is_argument(value) ? pir_block_parent_op(pir_value_block(value))
                                                  : pir_value_op(value);
  pir_loc_parts place = pir_loc_unpack(r->p.ctx, op ? pir_op_loc(op) : PIR_LOC_UNKNOWN);
  if (place.line && pir_str_equal(place.file, r->p.file))
    pir_parse_note_at(&r->p, (pir_parse_place){place.line, place.column},
                      "defined here before");
}

static void define_name(pir_op_reader *r, pir_mention name, pir_value *value) {
  // Lines of a fragment may come from several prints, each with numbers of its own.
  pir_value *before = pir_parse_names_define(&r->p, &r->names, name.name, value, r->fragment);
  if (!before || r->fragment)
    return;
  pir_parse_fail_at(&r->p, name.place, PIR_INVALID, "%.*s is defined twice",
                    (int)name.name.size, name.name.data);
  note_definition(r, before);
}

// Looks for the line that defines a name further down: "(.. %5 ..) =".
static bool find_later(pir_op_reader *r, pir_str name, pir_parse_place *out_place) {
  const char *base = r->p.source.data, *end = base + r->p.source.size,
             *line = base + (r->p.lexer.line_start - r->p.copy);
  for (uint32_t number = r->p.lexer.line; line < end; number++) {
    const char *stop = memchr(line, '\n', (size_t)(end - line)), *at = line;
    if (!stop)
      stop = end;
    while (at < stop && (*at == ' ' || *at == '\t'))
      at++;
    const char *close = at < stop && *at == '(' ? memchr(at, ')', (size_t)(stop - at)) : NULL;
    for (const char *c = at; close && c + name.size <= close; c++) {
      char after = c[name.size];
      if (memcmp(c, name.data, name.size) != 0 || (after != ',' && after != ')'))
        continue;
      *out_place = (pir_parse_place){number, (uint32_t)(c - line) + 1};
      return true;
    }
    line = stop + 1;
  }
  return false;
}

static pir_value *undefined_value(pir_op_reader *r, pir_mention use, const pir_type *type) {
  if (r->fragment) {
    pir_value *value = pir_block_add_argument(pir_program_block(r->program), type);
    pir_parse_names_define(&r->p, &r->names, use.name, value, true);
    return value;
  }
  pir_parse_place later;
  pir_parse_fail_at(&r->p, use.place, PIR_INVALID, "%.*s is not defined before this use",
                    (int)use.name.size, use.name.data);
  if (find_later(r, use.name, &later))
    pir_parse_note_at(&r->p, later, "defined here, after its use");
  return NULL;
}

// Resolves the operands' names to values. Some forms state their types before, some after.
static void resolve_operands(pir_op_reader *r) {
  for (size_t i = 0; i < r->uses.count; i++) {
    pir_mention use = r->uses.items[i];
    pir_value *value = use.name.size ? pir_parse_names_find(&r->p, &r->names, use.name) : NULL;
    const pir_type *type = i < r->operand_types.count ? r->operand_types.items[i] : NULL;
    if (use.name.size && !value)
      value = undefined_value(r, use, type);
    pir_vec_push(r->p.arena, &r->operands, value);
  }
}

static void begin_scratch(pir_op_reader *r) {
  r->results.count = r->uses.count = r->operands.count = 0;
  r->operand_types.count = r->result_types.count = r->attrs.count = 0;
  r->has_operand_types = false;
  r->p.nesting = 0;
}

// Reports a type in front of an operand that differs from the value's type.
static void check_operand_types(pir_op_reader *r, pir_op *op) {
  for (size_t i = 0; r->has_operand_types && i < r->operands.count; i++) {
    const pir_value *value = r->operands.items[i];
    if (!value || !pir_value_type(value) || pir_value_type(value) == r->operand_types.items[i])
      continue;
    pir_strbuf text;
    pir_strbuf_init(&text, r->p.arena);
    pir_strbuf_format(&text, "operand %zu is ", i);
    pir_text_type(&text, pir_value_type(value), PIR_TEXT_T3);
    pir_strbuf_lit(&text, ", not ");
    pir_text_type(&text, r->operand_types.items[i], PIR_TEXT_T3);
    pir_str message = pir_strbuf_view(&text);
    pir_warning(op, "%.*s", (int)message.size, message.data);
    pir_strbuf_free(&text);
  }
}

static pir_op *create_op(pir_op_reader *r, const pir_opdef *def, pir_block *block,
                         size_t regions) {
  pir_op_spec spec = {.def = def,
                      .loc = r->loc,
                      .operands = r->operands.items,
                      .operand_count = r->operands.count,
                      .result_types = r->result_types.items,
                      .result_count = r->result_types.count,
                      .attrs = r->attrs.items,
                      .attr_count = r->attrs.count,
                      .region_count = regions};
  pir_op *op = pir_op_create(r->p.ctx, &spec);
  pir_block_append(block, op);
  return op;
}

static void define_results(pir_op_reader *r, const pir_mention *names, size_t count,
                           pir_op *op) {
  for (size_t i = 0; i < count; i++)
    define_name(r, names[i], pir_op_result(op, i));
}

// Changes the number of an op's regions by creating the op again; nothing uses its results yet.
static pir_op *resize_regions(pir_op_reader *r, pir_region_frame *f, size_t regions) {
  pir_op *old = f->op;
  pir_arena *arena = r->p.arena;
  size_t kept = pir_op_regions(old) < regions ? pir_op_regions(old) : regions;
  begin_scratch(r);
  for (size_t i = 0; i < pir_op_operands(old); i++)
    pir_vec_push(arena, &r->operands, pir_op_operand(old, i));
  for (size_t i = 0; i < pir_op_results(old); i++)
    pir_vec_push(arena, &r->result_types, pir_value_type(pir_op_result(old, i)));
  pir_vec_reserve(arena, &r->attrs, pir_op_attrs(old) + 1);
  r->attrs.count = pir_op_attrs_sorted(old, r->attrs.items, r->attrs.capacity);
  r->loc = pir_op_loc(old);
  pir_op *op = create_op(r, pir_op_def(old), pir_op_block(old), regions);
  for (size_t i = 0; i < kept; i++) {
    pir_region *from = pir_op_region(old, i), *to = pir_op_region(op, i);
    to->first = from->first;
    to->last = from->last;
    from->first = from->last = NULL;
    for (pir_block *block = to->first; block; block = pir_block_next(block))
      block->region = to;
  }
  pir_op_erase(old);
  f->op = op;
  return op;
}

// ---- regions

static bool push_frame(pir_op_reader *r, pir_op *op, pir_region_style style,
                       pir_parse_place place) {
  pir_arena *arena = r->p.arena;
  uint64_t limit = pir_context_limits(r->p.ctx)->max_depth;
  if (r->frames.count >= limit)
    return pir_parse_fail_at(&r->p, place, PIR_EXHAUSTED,
                             "regions nest deeper than %llu levels", (unsigned long long)limit);
  pir_region_frame f = {.op = op,
                        .block = pir_region_append_block(pir_op_region(op, 0)),
                        .style = style,
                        .place = place};
  f.result_count = r->results.count;
  f.results = pir_arena_copy(arena, r->results.items, r->results.count * sizeof *f.results);
  pir_vec_push(arena, &r->frames, f);
  return true;
}

static pir_region_frame *top(pir_op_reader *r) {
  return &r->frames.items[r->frames.count - 1];
}

static void pop_frame(pir_op_reader *r) {
  pir_region_frame f = pir_vec_pop(&r->frames);
  define_results(r, f.results, f.result_count, f.op);
  pir_arena_free(r->p.arena, f.results, f.result_count * sizeof *f.results);
}

// Opens the next region of the innermost op.
static void open_region(pir_op_reader *r) {
  pir_region_frame *f = top(r);
  f->region++;
  if (f->region == pir_op_regions(f->op))
    resize_regions(r, f, f->region * 2);
  f->block = pir_region_append_block(pir_op_region(f->op, f->region));
}

// In the general form, an op with one region may show several blocks of it.
static void open_general(pir_op_reader *r) {
  pir_region_frame *f = top(r);
  if (pir_op_has(f->op, PIR_REGISTERED) && pir_op_def(f->op)->region_count == 1)
    f->block = pir_region_append_block(pir_op_region(f->op, 0));
  else
    open_region(r);
}

static void close_frame(pir_op_reader *r) {
  pir_region_frame *f = top(r);
  if (pir_op_regions(f->op) != f->region + 1)
    resize_regions(r, f, f->region + 1);
  pop_frame(r);
}

// ^%arg_0 {}, %arg_1 {}: the loop values of a while, typed like its inputs.
static bool parse_while_arguments(pir_op_reader *r) {
  pir_parser *p = &r->p;
  pir_region_frame *f = top(r);
  bool broken = f->style == STYLE_BROKEN;  // then nothing is known of the inputs
  size_t inputs = broken ? SIZE_MAX : pir_op_operands(f->op) - 1, count = 0;
  while (p->token == PIR_TOK_VALUE) {
    pir_mention name;
    if (!pir_parse_mention(r, "an argument", &name))
      return false;
    if (count >= inputs)
      return pir_parse_fail_at(p, name.place, PIR_INVALID, "more arguments than the %zu inputs",
                               inputs);
    pir_value *input = broken ? NULL : pir_op_operand(f->op, count + 1);
    count++;
    pir_value *argument =
        pir_block_add_argument(f->block, input ? pir_value_type(input) : NULL);
    define_name(r, name, argument);
    if (p->token == '{' && !pir_parse_argument_attrs(r, argument))
      return false;
    if (!pir_parse_try(p, ','))
      break;
  }
  if (count == inputs || broken)
    return true;
  return pir_parse_fail(p, "%zu arguments, but %zu inputs", count, inputs);
}

static pir_value *add_named_argument(pir_region_frame *f, pir_str name, const pir_type *type) {
  static const char keyword[] = "%kwarg_";
  size_t size = sizeof keyword - 1;
  if (name.size <= size || memcmp(name.data, keyword, size) != 0)
    return pir_block_add_argument(f->block, type);
  return pir_block_add_keyword_argument(f->block, (pir_str){name.data + size, name.size - size},
                                        type);
}

// ^(%arg_0: T {..}, ..): of the typed form; a second one begins another block.
static bool parse_block_header(pir_op_reader *r) {
  pir_parser *p = &r->p;
  pir_region_frame *f = top(r);
  bool used = pir_block_first(f->block) || pir_block_arguments(f->block) ||
              pir_op_mark(f->op) == SAW_HEADER;
  if (used)
    f->block = pir_region_append_block(pir_block_region(f->block));
  if (f->style != STYLE_MODULE)
    pir_op_set_mark(f->op, SAW_HEADER);  // so that an empty block is one
  pir_parse_next(p);
  while (p->token != ')') {
    pir_mention name;
    const pir_type *type;
    if (!pir_parse_mention(r, "an argument", &name) || !pir_parse_take(p, ':') ||
        !pir_parse_type(p, &type))
      return false;
    pir_value *argument = add_named_argument(f, name.name, type);
    define_name(r, name, argument);
    if (p->token == '{' && !pir_parse_argument_attrs(r, argument))
      return false;
    if (p->token != ')' && !pir_parse_take(p, ','))
      return false;
  }
  pir_parse_next(p);
  return pir_parse_take(p, ':');
}

// ^kw: followed by lines %kwarg_name {..}; their types are not printed.
static bool parse_keywords(pir_op_reader *r) {
  pir_parser *p = &r->p;
  pir_parse_next(p);
  if (!pir_parse_take(p, ':'))
    return false;
  while (p->token == PIR_TOK_VALUE) {
    pir_mention name;
    if (!pir_parse_mention(r, "an argument", &name))
      return false;
    pir_value *argument = add_named_argument(top(r), name.name, NULL);
    define_name(r, name, argument);
    if (p->token == '{' && !pir_parse_argument_attrs(r, argument))
      return false;
  }
  return true;
}

static bool parse_caret(pir_op_reader *r) {
  pir_parser *p = &r->p;
  pir_parse_next(p);
  if (p->token == '(' && !p->fresh)  // else an op behind the line of a loop without values
    return parse_block_header(r);
  if (pir_parse_is_word(p, "kw"))
    return parse_keywords(r);
  if (top(r)->style == STYLE_WHILE || top(r)->style == STYLE_BROKEN)
    return parse_while_arguments(r);
  return pir_parse_expected(p, "'(' or kw");
}

// A region of the typed form that is `{}` has no block at all.
static void drop_absent_block(pir_region_frame *f) {
  pir_block *block = f->block;
  if (f->style != STYLE_TYPED || pir_block_first(block) || pir_block_arguments(block) ||
      pir_op_mark(f->op) == SAW_HEADER)
    return;
  pir_region *region = pir_block_region(block);
  region->first = region->last = NULL;
  pir_block_release(pir_op_context(f->op), block);
}

// A fragment may close regions that it did not open: "}" or "} else {".
static bool pass_unopened(pir_op_reader *r) {
  pir_parser *p = &r->p;
  if (!pir_parse_is_word(p, "else"))
    return true;
  pir_parse_next(p);
  return pir_parse_take(p, '{');
}

static bool parse_close(pir_op_reader *r) {
  pir_parser *p = &r->p;
  pir_region_frame *f = top(r);
  pir_parse_next(p);
  switch (f->style) {
    case STYLE_MODULE:
      if (r->fragment && p->token != PIR_TOK_END)
        return pass_unopened(r);
      r->frames.count--;
      return true;
    case STYLE_BROKEN:
      if (pir_parse_is_word(p, "else") || p->token == ',') {
        pir_parse_next(p);
        if (!pir_parse_take(p, '{'))
          return false;
        open_region(r);
        return true;
      }
      pir_parse_try(p, ')');
      break;
    case STYLE_IF:
      if (pir_parse_is_word(p, "else")) {
        pir_parse_next(p);
        if (!pir_parse_take(p, '{'))
          return false;
        open_region(r);
        return true;
      }
      pir_parse_skip_shapes(r);
      break;
    case STYLE_GENERAL:
      if (p->token == '{') {
        pir_parse_next(p);
        open_general(r);
        return true;
      }
      break;
    case STYLE_TYPED: {
      bool more = pir_parse_try(p, ',');
      if (!pir_parse_take(p, more ? '{' : ')'))
        return false;
      drop_absent_block(f);
      pir_op_set_mark(f->op, 0);
      if (!more)
        break;
      open_region(r);
      return true;
    }
    case STYLE_ONE:
    case STYLE_WHILE: pir_parse_skip_shapes(r); break;
  }
  close_frame(r);
  return true;
}

// Reads the opening of the first region after a header; false if there is none.
static bool takes_regions(pir_op_reader *r, pir_region_style style) {
  pir_parser *p = &r->p;
  if (style == STYLE_TYPED)
    pir_parse_next(p);
  return pir_parse_try(p, '{');
}

// ---- driver

static bool count_op(pir_op_reader *r) {
  uint64_t limit = pir_context_limits(r->p.ctx)->max_ops;
  pir_progress_read(pir_context_progress(r->p.ctx), r->ops + 1);
  if (++r->ops <= limit)
    return true;
  return pir_parse_fail_at(&r->p, pir_parse_here(&r->p), PIR_EXHAUSTED,
                           "the program has more than %llu ops", (unsigned long long)limit);
}

static bool parse_op(pir_op_reader *r) {
  pir_parser *p = &r->p;
  const pir_opdef *def = NULL;
  pir_region_style style = STYLE_GENERAL;
  pir_parse_place place = pir_parse_here(p);
  begin_scratch(r);
  r->loc = loc_of(p, place);
  pir_context_note_place(p->ctx, r->loc);
  if (!count_op(r) || !pir_parse_header(r, &def, &style))
    return false;
  resolve_operands(r);
  if (style == STYLE_WHILE)
    for (size_t i = 1; i < r->operands.count; i++)
      pir_vec_push(p->arena, &r->result_types,
                   r->operands.items[i] ? pir_value_type(r->operands.items[i]) : NULL);
  size_t regions = 0;
  if (takes_regions(r, style))
    regions = style == STYLE_IF ? 2 : 1;
  pir_op *op = create_op(r, def, top(r)->block, regions);
  check_operand_types(r, op);
  if (regions)
    return push_frame(r, op, style, place);
  define_results(r, r->results.items, r->results.count, op);
  return style != STYLE_WHILE || pir_parse_expected(p, "'{'");
}

// Skips to the next line that begins an op or closes a region. The results of the failed op are
// defined without a type. If its line opened a region, a placeholder op opens it.
static void recover(pir_op_reader *r, bool in_op) {
  pir_parser *p = &r->p;
  int last = 0;
  while (p->token != PIR_TOK_END &&
         !(p->fresh && (p->token == '(' || p->token == '}' || p->token == '^'))) {
    last = p->token;
    pir_parse_next(p);
  }
  if (!in_op)
    return;
  r->operands.count = r->attrs.count = r->result_types.count = 0;
  for (size_t i = 0; i < r->results.count; i++)
    pir_vec_push(p->arena, &r->result_types, NULL);
  pir_op *op = create_op(r, pir_context_opdef(p->ctx, PIR_STR("")), top(r)->block, last == '{');
  if (last == '{')
    push_frame(r, op, STYLE_BROKEN, pir_parse_here(p));
  else
    define_results(r, r->results.items, r->results.count, op);
}

// Reads one item of the innermost block.
static void parse_item(pir_op_reader *r) {
  pir_parser *p = &r->p;
  if (p->token == '(') {
    if (!parse_op(r) && p->status != PIR_EXHAUSTED)
      recover(r, true);
  } else if (p->token == '}') {
    if (!parse_close(r))
      recover(r, false);
  } else if (p->token == '^') {
    if (!parse_caret(r))
      recover(r, false);
  } else {
    pir_parse_expected(p, "an op or '}'");
    pir_parse_next(p);
    recover(r, false);
  }
}

// program {format:"json",trainable:true,version:4}
static bool parse_info(pir_op_reader *r) {
  pir_parser *p = &r->p;
  pir_program_info info = {0};
  if (!pir_parse_is_word(p, "program"))
    return true;
  pir_parse_next(p);
  begin_scratch(r);
  if (!pir_parse_attrs(r, pir_context_opdef(p->ctx, PIR_STR(""))))
    return false;
  for (size_t i = 0; i < r->attrs.count; i++) {
    pir_str name = pir_name_str(r->attrs.items[i].name);
    const pir_attr *value = r->attrs.items[i].value;
    int64_t number = 0;
    if (pir_str_equal(name, PIR_STR("format")))
      info.format = pir_attr_as_str(value);
    else if (pir_str_equal(name, PIR_STR("version")) && pir_attr_as_int(value, &number))
      info.version = number;
    else if (pir_str_equal(name, PIR_STR("trainable")) && pir_attr_as_int(value, &number))
      info.trainable = number != 0;
    else
      return pir_parse_fail(p, "a program has format, trainable and version, not '%s'",
                            name.data);
  }
  if (info.format.size && !pir_text_is_word(info.format))
    return pir_parse_fail(p, "the format of a program is a word");
  pir_program_set_info(r->program, info);
  r->has_info = true;
  return true;
}

static void parse_program(pir_op_reader *r) {
  pir_parser *p = &r->p;
  pir_parse_next(p);
  if (!parse_info(r))
    return;
  bool braces = p->token == '{';
  if (!braces && !r->fragment) {
    pir_parse_expected(p, "'{'");
    return;
  }
  if (braces)
    pir_parse_next(p);
  pir_region_frame module = {.op = pir_program_module(r->program),
                             .block = pir_program_block(r->program),
                             .style = STYLE_MODULE};
  pir_vec_push(p->arena, &r->frames, module);
  while (r->frames.count && p->token != PIR_TOK_END && p->errors < PIR_PARSE_MAX_ERRORS &&
         p->status != PIR_EXHAUSTED)
    parse_item(r);
  if (p->status == PIR_EXHAUSTED || p->errors >= PIR_PARSE_MAX_ERRORS)
    return;
  if (r->frames.count && !r->fragment) {
    pir_parse_expected(p, "'}'");
    if (top(r)->style != STYLE_MODULE)
      pir_parse_note_at(p, top(r)->place, "of the op that begins here");
  } else if (!r->frames.count && p->token != PIR_TOK_END && !r->fragment) {
    pir_parse_expected(p, "the end of the text");
  }
}

// Ops whose regions a fragment truncates count as complete.
static void finish_frames(pir_op_reader *r) {
  while (r->frames.count > 1)
    close_frame(r);
  r->frames.count = 0;
}

static void free_scratch(pir_op_reader *r) {
  pir_arena *arena = r->p.arena;
  pir_vec_free(arena, &r->frames);
  pir_vec_free(arena, &r->results);
  pir_vec_free(arena, &r->uses);
  pir_vec_free(arena, &r->operands);
  pir_vec_free(arena, &r->operand_types);
  pir_vec_free(arena, &r->result_types);
  pir_vec_free(arena, &r->attrs);
  pir_parse_names_free(&r->p, &r->names);
}

// The scanner changes its text in place and wants two NULs behind it.
static void open_scanner(pir_parser *p, pir_context *ctx, pir_str text,
                         const pir_parse_options *options) {
  p->ctx = ctx;
  p->arena = &ctx->arena;
  p->source = text;
  p->file = options->file;
  p->copy = pir_arena_alloc(p->arena, text.size + 2);
  if (text.size)
    memcpy(p->copy, text.data, text.size);
  p->copy[text.size] = p->copy[text.size + 1] = 0;
  p->lexer = (pir_lexer){.arena = p->arena,
                         .end = p->copy + text.size,
                         .line = options->first_line ? options->first_line : 1,
                         .line_start = p->copy,
                         .fresh_line = true};
  pir_lex_lex_init_extra(&p->lexer, &p->scanner);
  pir_lex__scan_buffer(p->copy, text.size + 2, p->scanner);
}

static void close_scanner(pir_parser *p) {
  pir_lex_lex_destroy(p->scanner);
  pir_arena_free(p->arena, p->copy, p->source.size + 2);
}

// The target of reading: one of the three is set.
typedef struct parse_call {
  pir_context *ctx;
  pir_str text;
  pir_parse_options options;
  pir_program **out_program;
  const pir_type **out_type;
  const pir_attr **out_attr;
} parse_call;

static pir_status read_program(void *user) {
  const parse_call *call = user;
  pir_op_reader r = {.fragment = call->options.fragment};
  pir_parser *p = &r.p;
  pir_guard guard;
  open_scanner(p, call->ctx, call->text, &call->options);
  pir_context_note_task(call->ctx, "reading ", p->file);
  r.program = pir_program_create(call->ctx);
  pir_program_guard(r.program, &guard);
  pir_program_set_info(r.program, (pir_program_info){.format = PIR_STR("text")});
  parse_program(&r);
  finish_frames(&r);
  if (p->generation && !r.has_info)
    pir_program_set_info(
        r.program, (pir_program_info){.format = PIR_STR("text"), .version = p->generation});
  free_scratch(&r);
  close_scanner(p);
  pir_guard_close(&guard);
  if (p->status)
    pir_program_destroy(r.program);
  else
    *call->out_program = r.program;
  return p->status;
}

pir_status pir_program_parse(pir_context *ctx, pir_str text, const pir_parse_options *options,
                             pir_program **out_program) {
  parse_call call = {.ctx = ctx, .text = text, .out_program = out_program};
  if (!ctx || !out_program)
    return pir_refuse_null(ctx, __func__);
  *out_program = NULL;
  origins_clear(ctx);
  PIR_TRY(PIR_TAKE(ctx, pir_parse_options, &call.options, options));
  return pir_context_enter(ctx, read_program, &call);
}

// Readers of a part of a program that is the whole text.

static pir_status read_type(void *user) {
  const parse_call *call = user;
  pir_parser p = {0};
  open_scanner(&p, call->ctx, call->text, &call->options);
  pir_parse_next(&p);
  p.fresh = false;
  if (pir_parse_type(&p, call->out_type) && p.token != PIR_TOK_END)
    pir_parse_expected(&p, "the end of the text");
  close_scanner(&p);
  return p.status;
}

pir_status pir_type_parse(pir_context *ctx, pir_str text, const pir_parse_options *options,
                          const pir_type **out_type) {
  parse_call call = {.ctx = ctx, .text = text, .out_type = out_type};
  if (!ctx || !out_type)
    return pir_refuse_null(ctx, __func__);
  *out_type = NULL;
  PIR_TRY(PIR_TAKE(ctx, pir_parse_options, &call.options, options));
  return pir_context_enter(ctx, read_type, &call);
}

static pir_status read_attr(void *user) {
  const parse_call *call = user;
  pir_parser p = {0};
  open_scanner(&p, call->ctx, call->text, &call->options);
  pir_parse_next(&p);
  const pir_attr *attr = pir_parse_attr(&p, NULL);
  if (attr && p.token != PIR_TOK_END)
    pir_parse_expected(&p, "the end of the text");
  close_scanner(&p);
  *call->out_attr = attr;
  return p.status;
}

pir_status pir_attr_parse(pir_context *ctx, pir_str text, const pir_parse_options *options,
                          const pir_attr **out_attr) {
  parse_call call = {.ctx = ctx, .text = text, .out_attr = out_attr};
  if (!ctx || !out_attr)
    return pir_refuse_null(ctx, __func__);
  *out_attr = NULL;
  PIR_TRY(PIR_TAKE(ctx, pir_parse_options, &call.options, options));
  return pir_context_enter(ctx, read_attr, &call);
}
