// Statements, buffers and functions. A variable is made where it is bound first; where a copy
// of a body binds it again, its type and facts must be the same. Cost: one pass.
#include "loop_parse_impl.h"

#include "loop_verify.h"

#include <string.h>

static void read_block(loop_reader *r, loop_block *block);

// ---- variables

static loop_var *make_var(loop_reader *r, int64_t number, loop_type type) {
  while ((size_t)number >= r->vars.count)
    pir_vec_push(&r->m->arena, &r->vars, NULL);
  loop_var *var = pir_loop_alloc(r->m, sizeof *var);
  *var =
      (loop_var){.name = "v", .dtype = type.dtype, .lanes = type.lanes, .id = (uint32_t)number};
  r->vars.items[number] = var;
  if (r->fn->var_count <= number)
    r->fn->var_count = (uint32_t)number + 1;
  return var;
}

static int64_t expect_var(loop_reader *r) {
  int64_t number = loop_numbered(r, "v");
  if (number < 0)
    loop_read_fail(r, "a variable is expected: v and its number");
  else if (number >= LOOP_MOST_VARIABLES)
    loop_read_fail(r, "a function has up to %d variables", LOOP_MOST_VARIABLES);
  loop_read_next(r);
  return number;
}

// Facts about a variable: `given multiple 4 below (dim0 * 8)`.
typedef struct var_facts {
  bool given, bounded;  // bounded: `below` stands there
  int64_t multiple;
  loop_expr *extent;  // NULL also for `below none`
} var_facts;

static var_facts read_facts(loop_reader *r) {
  var_facts facts = {.given = loop_take_word(r, "given")};
  if (loop_take_word(r, "multiple"))
    facts.multiple = loop_expect_int(r, 2, INT64_MAX);
  facts.bounded = loop_take_word(r, "below");
  if (facts.bounded && !loop_take_word(r, "none"))
    facts.extent = loop_read_expr(r);
  return facts;
}

// A variable, bound here for the first time or once more.
static loop_var *bound_var(loop_reader *r, int64_t number, loop_type type,
                           const var_facts *facts) {
  if (r->failed)
    return NULL;
  loop_var *var = (size_t)number < r->vars.count ? r->vars.items[number] : NULL;
  if (!var) {
    var = make_var(r, number, type);
    var->given = facts->given;
    var->multiple = facts->multiple;
    var->extent = facts->extent;
  } else if (var->dtype != type.dtype || var->lanes != type.lanes ||
             var->given != facts->given || var->multiple != facts->multiple ||
             !pir_loop_equal(var->extent, facts->extent)) {
    loop_read_fail(r, "v%u had another type or other facts where it was bound first", var->id);
  }
  return var;
}

// ---- statements

static bool takes_for_kind(loop_reader *r, loop_for_kind *out_kind) {
  for (int kind = 0; loop_for_text((loop_for_kind)kind); kind++)
    if (loop_take_word(r, loop_for_text((loop_for_kind)kind))) {
      *out_kind = (loop_for_kind)kind;
      return true;
    }
  return false;
}

static void read_for(loop_reader *r, loop_block *block, loop_for_kind kind) {
  static const loop_type index = {LOOP_INDEX, 1};
  int64_t number = expect_var(r);
  var_facts facts = read_facts(r);
  loop_expect_sign(r, "=");
  loop_expr *begin = loop_read_expr(r);
  loop_expect_word(r, "to");
  loop_expr *end = loop_read_expr(r);
  loop_expect_word(r, "by");
  loop_expr *step = loop_read_expr(r);
  if (!facts.bounded)
    facts.extent = pir_loop_usual_extent(kind, begin, end);
  loop_var *var = bound_var(r, number, index, &facts);
  if (r->failed)
    return;
  loop_block *body = pir_loop_for(r->fn, block, kind, var, begin, end, step);
  loop_stmt *s = block->last;
  var->extent = facts.extent;
  if (loop_take_word(r, "unroll"))
    s->loop.unroll = (uint16_t)loop_expect_int(r, 1, UINT16_MAX);
  s->loop.apart = loop_take_word(r, "apart");
  read_block(r, body);
}

static void read_if(loop_reader *r, loop_block *block) {
  loop_block *other, *body = pir_loop_if(r->fn, block, loop_read_expr(r), &other);
  read_block(r, body);
  if (loop_take_word(r, "else"))
    read_block(r, other);
}

static void read_let(loop_reader *r, loop_block *block) {
  int64_t number = expect_var(r);
  loop_expect_sign(r, ":");
  loop_type type = loop_expect_type(r);
  var_facts facts = read_facts(r);
  loop_expect_sign(r, "=");
  loop_expr *value = loop_read_expr(r);
  loop_var *var = bound_var(r, number, type, &facts);
  if (!r->failed)
    pir_loop_bind(r->fn, block, var, value);
}

loop_buffer *loop_read_buffer(loop_reader *r) {
  int64_t number = loop_numbered(r, "b");
  if (number < 0 || number >= r->fn->buffer_count) {
    loop_read_fail(r, "a declared buffer is expected");
    return NULL;
  }
  loop_read_next(r);
  return r->fn->buffers[number];
}

loop_expr *loop_read_mask(loop_reader *r) {
  return loop_take_word(r, "where") ? loop_read_expr(r) : NULL;
}

// [index]
static loop_expr *read_index(loop_reader *r) {
  loop_expect_sign(r, "[");
  loop_expr *index = loop_read_expr(r);
  loop_expect_sign(r, "]");
  return index;
}

// b2[index] = value, =nt value, max= value, and b2.scatter[indices] = value
static void read_store(loop_reader *r, loop_block *block) {
  loop_buffer *buffer = loop_read_buffer(r);
  bool scatters = loop_take_sign(r, ".");
  if (scatters)
    loop_expect_word(r, "scatter");
  loop_expr *index = read_index(r);
  pir_combine combine = PIR_COMBINE_NONE;
  if (r->token.kind == LOOP_TOKEN_WORD && !scatters) {
    combine = loop_combine_named(r->token.text);
    if (!combine)
      loop_read_fail(r, "'=' is expected");
    loop_read_next(r);
  }
  loop_expect_sign(r, "=");
  bool nontemporal = !combine && !scatters && loop_take_word(r, "nt");
  loop_expr *value = loop_read_expr(r), *mask = combine ? NULL : loop_read_mask(r);
  if (r->failed)
    return;
  if (combine) {
    pir_loop_accumulate(r->fn, block, buffer, index, combine, value);
  } else if (scatters) {
    pir_loop_scatter(r->fn, block, buffer, index, value, mask);
  } else {
    pir_loop_store(r->fn, block, buffer, index, value, mask);
    block->last->store.nontemporal = nontemporal;
  }
}

static void read_prefetch(loop_reader *r, loop_block *block) {
  bool far = loop_take_word(r, "far");
  loop_buffer *buffer = loop_read_buffer(r);
  pir_loop_prefetch(r->fn, block, buffer, read_index(r), far);
}

// b3.f32(index) by 4 32 1 512
static loop_fragment read_fragment(loop_reader *r) {
  loop_fragment f = {.at = loop_read_expr(r)};
  loop_expect_word(r, "by");
  f.row = loop_expect_int(r, 1, INT32_MAX);
  f.eight = loop_expect_int(r, 1, INT32_MAX);
  f.term = loop_expect_int(r, 1, INT32_MAX);
  f.half = loop_expect_int(r, 1, INT32_MAX);
  return f;
}

// mma b4[index] += left, right
static void read_mma(loop_reader *r, loop_block *block) {
  loop_buffer *buffer = loop_read_buffer(r);
  loop_expr *index = read_index(r);
  loop_expect_sign(r, "+");
  loop_expect_sign(r, "=");
  loop_fragment left = read_fragment(r);
  loop_expect_sign(r, ",");
  pir_loop_mma(r->fn, block, buffer, index, left, read_fragment(r));
}

// take 5 of count in b4[index] from at, rank
// order 5 of count in b4[index]
static void read_take(loop_reader *r, loop_block *block, bool orders) {
  int64_t kept = loop_expect_int(r, 1, INT32_MAX);
  loop_expect_word(r, "of");
  loop_expr *count = loop_read_expr(r), *at = NULL, *rank = NULL;
  loop_expect_word(r, "in");
  loop_buffer *buffer = loop_read_buffer(r);
  loop_expr *index = read_index(r);
  if (!orders) {
    loop_expect_word(r, "from");
    at = loop_read_expr(r);
    loop_expect_sign(r, ",");
    rank = loop_read_expr(r);
  }
  pir_loop_take(r->fn, block, buffer, index, kept, count, at, rank);
}

// copy b4[index] = b0.f32x4(index where mask)
static void read_copy(loop_reader *r, loop_block *block) {
  loop_buffer *buffer = loop_read_buffer(r);
  loop_expr *index = read_index(r);
  loop_expect_sign(r, "=");
  pir_loop_copy(r->fn, block, buffer, index, loop_read_expr(r));
}

// trap 1 where mask
static void read_trap(loop_reader *r, loop_block *block) {
  uint32_t number = (uint32_t)loop_expect_int(r, 1, UINT16_MAX);
  loop_expect_word(r, "where");
  pir_loop_trap(r->fn, block, number, loop_read_expr(r));
}

// tile_load 1 b3[index] by stride
static void read_tile(loop_reader *r, loop_block *block, loop_tile_op op) {
  int tiles[3] = {0};
  loop_buffer *buffer = NULL;
  loop_expr *index = NULL, *stride = NULL;
  loop_read_next(r);
  for (int i = 0; i < loop_tile_registers(op); i++) {
    if (i)
      loop_expect_sign(r, ",");
    tiles[i] = (int)loop_expect_int(r, 0, UINT8_MAX);
  }
  if (loop_tile_has_place(op)) {
    buffer = loop_read_buffer(r);
    index = read_index(r);
  }
  if (loop_tile_has_rows(op)) {
    loop_expect_word(r, "by");
    stride = loop_read_expr(r);
  }
  pir_loop_tile(r->fn, block, op, buffer, index, stride, tiles[0], tiles[1], tiles[2]);
}

static int tile_at_hand(const loop_reader *r) {
  pir_str word = r->token.text;
  const size_t stem = strlen("tile_");
  if (r->token.kind != LOOP_TOKEN_WORD || word.size <= stem ||
      memcmp(word.data, "tile_", stem) != 0)
    return -1;
  pir_str name = {word.data + stem, word.size - stem};
  for (int op = 0; loop_tile_text((loop_tile_op)op); op++)
    if (pir_str_equal(pir_str_from(loop_tile_text((loop_tile_op)op)), name))
      return op;
  return -1;
}

static void read_any(loop_reader *r, loop_block *block) {
  loop_for_kind kind;
  int tile = tile_at_hand(r);
  if (takes_for_kind(r, &kind))
    read_for(r, block, kind);
  else if (loop_take_word(r, "if"))
    read_if(r, block);
  else if (loop_numbered(r, "v") >= 0)
    read_let(r, block);
  else if (loop_numbered(r, "b") >= 0)
    read_store(r, block);
  else if (loop_take_word(r, "prefetch"))
    read_prefetch(r, block);
  else if (loop_take_word(r, "mma"))
    read_mma(r, block);
  else if (loop_take_word(r, "trap"))
    read_trap(r, block);
  else if (tile >= 0)
    read_tile(r, block, (loop_tile_op)tile);
  else if (loop_take_word(r, "take"))
    read_take(r, block, false);
  else if (loop_take_word(r, "order"))
    read_take(r, block, true);
  else if (loop_take_word(r, "copy"))
    read_copy(r, block);
  else if (loop_take_word(r, "commit"))
    pir_loop_commit(r->fn, block);
  else if (loop_take_word(r, "wait"))
    pir_loop_wait(r->fn, block, (uint32_t)loop_expect_int(r, 0, LOOP_MOST_GROUPS));
  else if (loop_take_word(r, "barrier"))
    pir_loop_barrier(r->fn, block);
  else
    loop_read_fail(r, "a statement or '}' is expected");
}

static void read_block(loop_reader *r, loop_block *block) {
  loop_expect_sign(r, "{");
  if (!loop_enter(r))
    return;
  while (!r->failed && !loop_at_sign(r, "}")) {
    pir_loc place = loop_here(r);
    loop_stmt *before = block->last;
    read_any(r, block);
    if (block->last != before)
      loop_set_place(r, before ? before->next : block->first, place);
  }
  loop_leave(r);
  loop_expect_sign(r, "}");
}

// ---- buffers

// arg 2 out f32 align 4, large if (4194304 < (dim0 * 32))
static loop_buffer *read_arg(loop_reader *r) {
  uint16_t slot = (uint16_t)loop_expect_int(r, 0, UINT16_MAX);
  bool read_only = loop_take_word(r, "in");
  if (!read_only)
    loop_expect_word(r, "out");
  loop_type type = loop_expect_type(r);
  loop_expect_word(r, "align");
  uint32_t align = (uint32_t)loop_expect_int(r, 1, 1 << 20);
  loop_buffer *b = pir_loop_arg(r->fn, "b", type.dtype, slot, align, read_only);
  b->lanes = type.lanes;
  if (!loop_take_sign(r, ","))
    return b;
  loop_expect_word(r, "large");
  loop_expect_word(r, "if");
  b->large = loop_read_expr(r);
  return b;
}

static bool takes_space(loop_reader *r, loop_space *out_space) {
  for (int space = 0; loop_space_text((loop_space)space); space++)
    if (loop_take_word(r, loop_space_text((loop_space)space))) {
      *out_space = (loop_space)space;
      return true;
    }
  loop_read_fail(r, "a kind of buffer is expected");
  return false;
}

// registers 4 f32x8, registers 4 index multiple 8, scratch 512 f32, scratch 64 f32 stays
static loop_buffer *read_own(loop_reader *r, loop_space space) {
  int64_t count = loop_expect_int(r, 1, LOOP_MOST_ELEMENTS);
  loop_type type = loop_expect_type(r);
  loop_buffer *b = pir_loop_buffer(r->fn, "b", space, type.dtype, count);
  b->lanes = type.lanes;
  if (loop_take_word(r, "multiple"))
    b->multiple = loop_expect_int(r, 2, INT64_MAX);
  b->stays = space == LOOP_SCRATCH && loop_take_word(r, "stays");
  return b;
}

// b3: ...
static void read_buffer_line(loop_reader *r) {
  pir_loc place = loop_here(r);
  loop_space space;
  if (loop_numbered(r, "b") != r->fn->buffer_count || r->fn->buffer_count == UINT16_MAX) {
    loop_read_fail(r, "'{' or buffer b%u is expected", r->fn->buffer_count);
    return;
  }
  loop_read_next(r);
  loop_expect_sign(r, ":");
  if (takes_space(r, &space))
    loop_set_place(r, space == LOOP_ARG ? read_arg(r) : read_own(r, space), place);
}

// ---- functions

static loop_var *read_end_of_range(loop_reader *r) {
  static const loop_type index = {LOOP_INDEX, 1};
  int64_t number = expect_var(r);
  var_facts facts = read_facts(r);
  return bound_var(r, number, index, &facts);
}

// g0_stage0: stage (v0, v1) by 32 threads, buffers, and the body
static void read_fn(loop_reader *r, const char *name) {
  pir_loc place = loop_here(r);
  loop_expect_word(r, "stage");
  if (r->m->fn_count == LOOP_MOST_FUNCTIONS)
    loop_read_fail(r, "a module has up to %d functions", LOOP_MOST_FUNCTIONS);
  r->fn = pir_loop_fn_create(r->m, name);
  r->fn->var_count = 0;
  r->vars.count = 0;
  loop_set_place(r, r->fn, place);
  loop_expect_sign(r, "(");
  r->fn->begin = read_end_of_range(r);
  loop_expect_sign(r, ",");
  r->fn->end = read_end_of_range(r);
  loop_expect_sign(r, ")");
  if (loop_take_word(r, "by")) {
    r->fn->threads = (int)loop_expect_int(r, 1, INT16_MAX);
    loop_expect_word(r, "threads");
  }
  while (!r->failed && !loop_at_sign(r, "{"))
    read_buffer_line(r);
  read_block(r, &r->fn->body);
}

static const char *copy_token(loop_reader *r, pir_str text) {
  char *copy = pir_loop_alloc(r->m, text.size + 1);
  memcpy(copy, text.data, text.size);
  return copy;
}

static const char *expect_name(loop_reader *r) {
  if (r->token.kind != LOOP_TOKEN_WORD)
    loop_read_fail(r, "the name of a group or of a function is expected");
  const char *name = copy_token(r, r->token.text);
  loop_read_next(r);
  if (!loop_at_sign(r, ":"))
    loop_read_fail(r, "':' is expected");
  return name;
}

// group g0: pd_op.add, pd_op.exp
static void read_group(loop_reader *r) {
  const char *name = expect_name(r);
  pir_str ops = loop_rest_of_line(&r->lexer);
  if (ops.size && memchr(ops.data, 0, ops.size))
    loop_read_fail(r, "a character that loop IR has not");
  if (!r->failed)
    pir_loop_group(r->m, name, copy_token(r, ops));
  loop_read_next(r);
}

static void read_module(loop_reader *r) {
  loop_read_next(r);
  while (!r->failed && r->token.kind != LOOP_TOKEN_END) {
    if (loop_take_word(r, "group")) {
      read_group(r);
      continue;
    }
    const char *name = expect_name(r);
    loop_read_next(r);
    read_fn(r, name);
  }
  if (!r->failed && !r->m->first && !r->m->groups)
    loop_read_fail(r, "the text holds no loop IR");
}

pir_status pir_loop_parse(pir_context *ctx, const pir_loops_source *source, loop_module **out) {
  loop_reader r = {.ctx = ctx,
                   .source = source,
                   .lexer = loop_lexer_of(source->text, source->first_line),
                   .m = pir_loop_module_create_in(pir_context_heap(ctx))};
  r.m->places = r.places = pir_loop_alloc(r.m, sizeof *r.places);
  read_module(&r);
  *out = r.m;
  if (!r.failed)
    return PIR_OK;
  pir_loop_module_destroy(r.m);
  *out = NULL;
  return PIR_INVALID;
}

bool pir_loop_is_text(pir_str text) {
  loop_lexer lexer = loop_lexer_of(text, 1);
  loop_token first = loop_next_token(&lexer), colon = loop_next_token(&lexer),
             word = loop_next_token(&lexer);
  if (first.kind != LOOP_TOKEN_WORD)
    return false;
  if (pir_str_equal(first.text, PIR_STR("group")))
    return colon.kind == LOOP_TOKEN_WORD;
  return pir_str_equal(colon.text, PIR_STR(":")) && pir_str_equal(word.text, PIR_STR("stage"));
}
