// Compares programs by colour refinement, as graph isomorphism tests do. The first colour of an
// op is a hash of its name, attributes, result types, and its position among ops with ordered
// effects. Forward sweeps in program order mix in the colours of the operands and the enclosing
// op. Backward sweeps mix in the colours of the users, the nested ops, and all ops that name
// the same parameter. A forward sweep sees all of an op's past at once and a backward sweep all
// of its future, so a few sweeps separate ops that are not symmetric. Programs are equal if
// their multisets of colours are equal. Colours are 64-bit hashes. Equal programs always
// compare equal. Different programs compare equal with probability 2^-64, or if they defeat
// colour refinement, which takes regular graphs. Cost: O(sweeps x (ops + operands)) and one
// sort.
#include <pir/compiler/compare.h>
#include <pir/layer/origin.h>
#include <pir/compiler/text.h>
#include <pir/compiler/walk.h>

#include <hash.h>
#include <sized.h>
#include <stdlib.h>

#include "op_impl.h"
#include "text_impl.h"

enum { SWEEPS = 3 };

// One program's ops in pre-order with their colours.
typedef struct side {
  const pir_program *program;
  pir_context *ctx;
  PIR_VEC(const pir_op *) ops;
  PIR_VEC(uint64_t) local;    // colour of the op itself
  PIR_VEC(uint64_t) forward;  // colour after the first sweep
  PIR_VEC(uint64_t) colors;
  pir_map index;     // op -> position
  pir_map versions;  // value -> how often an in-place op has written it
  uint64_t effects;
  bool loose;       // compare what Paddle's text shows of types and attributes
  pir_strbuf text;  // scratch
} side;

// ---- local colours

// The attribute that names a parameter or constant; its value is only a symbol.
static bool is_symbol(const pir_op *op, pir_str name) {
  if (pir_str_equal(name, PIR_STR("parameter_name")))
    return true;
  const pir_opdef *def = pir_op_def(op);
  return pir_op_has(op, PIR_PARAMETER) && def->attr_count &&
         pir_str_equal(name, pir_str_from(def->attrs[0].name));
}

static const pir_attr *symbol_of(const pir_op *op) {
  const pir_attr *attr = pir_op_attr_str(op, "parameter_name");
  if (attr || !pir_op_has(op, PIR_PARAMETER) || !pir_op_def(op)->attr_count)
    return attr;
  return pir_op_attr_at(op, 0);
}

// Effects whose order is visible from outside. The order of in-place writes follows from the
// versions of the values they write.
static bool has_ordered_effect(const pir_op *op) {
  if (pir_op_has(op, PIR_RANDOM))
    return true;
  return pir_op_has(op, PIR_REGISTERED) && !pir_op_has(op, PIR_PURE) &&
         !pir_op_has(op, PIR_INPUT) && !pir_op_has(op, PIR_TERMINATOR) &&
         !pir_op_has(op, PIR_INPLACE) && !pir_op_has(op, PIR_CONTROL);
}

static uint64_t word_of(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

// Types and attributes are unique in the context, so their addresses represent them. Paddle's
// text has neither kinds of numbers nor more than six digits; for a program read from it, the
// text is compared.
static uint64_t attr_color(side *s, const pir_attr *attr) {
  if (!s->loose)
    return word_of(attr);
  s->text.size = 0;
  pir_text_attr(&s->text, attr, PIR_TEXT_T3);
  return pir_hash_bytes(s->text.data, s->text.size);
}

static uint64_t type_color(side *s, const pir_type *type) {
  if (!s->loose)
    return word_of(type);
  s->text.size = 0;
  pir_text_type(&s->text, type, PIR_TEXT_T3);
  return pir_hash_bytes(s->text.data, s->text.size);
}

// Attributes that the text of an op omits (pir_op_form) are not compared in that case.
static uint64_t local_color(side *s, const pir_op *op) {
  uint64_t color = word_of(op->info);
  uint8_t form = pir_op_def(op)->form;
  bool shows_attrs = !s->loose || (form != PIR_FORM_WHILE && form != PIR_FORM_GROUP);
  bool shows_types = !s->loose || form != PIR_FORM_WHILE;
  size_t count = shows_attrs ? pir_op_attrs(op) : 0;
  pir_named_attr *attrs = pir_arena_alloc(&s->ctx->arena, (count + 1) * sizeof *attrs);
  if (count)
    pir_op_attrs_sorted(op, attrs, count);
  for (size_t i = 0; i < count; i++) {
    pir_str name = pir_name_str(attrs[i].name);
    if (pir_attr_says_origin(name))
      continue;
    color = pir_hash_join(color, word_of(attrs[i].name));
    color = pir_hash_join(color, is_symbol(op, name) ? 0 : attr_color(s, attrs[i].value));
  }
  pir_arena_free(&s->ctx->arena, attrs, (count + 1) * sizeof *attrs);
  for (size_t i = 0; i < pir_op_results(op) && shows_types; i++)
    color = pir_hash_join(color, type_color(s, pir_value_type(pir_op_result(op, i))));
  if (pir_op_block(op) && pir_op_parent(op))
    color = pir_hash_join(color, pir_region_index(pir_block_region(pir_op_block(op))));
  return has_ordered_effect(op) ? pir_hash_join(color, ++s->effects) : color;
}

static pir_walk_result collect(pir_op *op, void *user) {
  side *s = user;
  if (op == pir_program_module(s->program))
    return PIR_WALK_CONTINUE;
  pir_arena *arena = &s->ctx->arena;
  pir_map_put(arena, &s->index, op, s->ops.count);
  pir_vec_push(arena, &s->ops, op);
  uint64_t color = local_color(s, op);
  pir_vec_push(arena, &s->local, color);
  pir_vec_push(arena, &s->forward, color);
  pir_vec_push(arena, &s->colors, color);
  return PIR_WALK_CONTINUE;
}

// ---- sweeps

static uint64_t color_of_op(const side *s, const pir_op *op) {
  const uint64_t *at = op ? pir_map_find(&s->index, op) : NULL;
  return at ? s->colors.items[*at] : 1;
}

// Position of a block among its siblings.
static size_t block_number(const pir_block *block) {
  size_t number = 0;
  for (const pir_block *b = pir_region_first(pir_block_region(block)); b != block;
       b = pir_block_next(b))
    number++;
  return number;
}

static uint64_t color_of_value(side *s, const pir_value *value) {
  if (!value)
    return 2;
  if (!pir_value_is_argument(value))
    return pir_hash_join(color_of_op(s, pir_value_op(value)), pir_value_index(value));
  const pir_block *block = pir_value_block(value);
  uint64_t color = pir_hash_join(color_of_op(s, pir_block_parent_op(block)),
                                 type_color(s, pir_value_type(value)) + 3);
  color = pir_hash_join(color,
                        pir_region_index(pir_block_region(block)) << 32 | block_number(block));
  return pir_hash_join(color, pir_value_index(value));
}

// In-place ops give the written value a new version, which distinguishes readers before and
// after.
static void write_in_place(side *s, const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  for (size_t i = 0; i < def->inplace_count; i++) {
    size_t operand = def->inplace[i].operand;
    const pir_value *value = operand < pir_op_operands(op) ? pir_op_operand(op, operand) : NULL;
    if (value)
      ++*pir_map_place(&s->ctx->arena, &s->versions, value, 0);
  }
}

static void sweep_forward(side *s) {
  pir_map_clear(&s->versions);
  for (size_t i = 0; i < s->ops.count; i++) {
    const pir_op *op = s->ops.items[i];
    uint64_t color = pir_hash_join(s->colors.items[i], color_of_op(s, pir_op_parent(op)));
    bool commutes = pir_op_has(op, PIR_COMMUTATIVE) && pir_op_operands(op) >= 2;
    for (size_t k = 0; k < pir_op_operands(op); k++) {
      const pir_value *value = pir_op_operand(op, k);
      const uint64_t *version = value ? pir_map_find(&s->versions, value) : NULL;
      uint64_t operand = pir_hash_join(color_of_value(s, value), version ? *version : 0);
      if (commutes && k == 0)
        color += pir_hash_word(operand);
      else if (commutes && k == 1)
        color = pir_hash_word(color + pir_hash_word(operand));
      else
        color = pir_hash_join(color, operand);
    }
    s->colors.items[i] = color;
    if (pir_op_has(op, PIR_INPLACE))
      write_in_place(s, op);
  }
}

// Sums do not depend on the order in which users are listed.
static uint64_t users_color(const side *s, const pir_op *op) {
  uint64_t sum = 0;
  for (size_t i = 0; i < pir_op_results(op); i++)
    for (pir_use *use = pir_value_first_use(pir_op_result(op, i)); use;
         use = pir_use_next(use)) {
      const pir_op *user = pir_use_owner(use);
      size_t slot = pir_use_operand_index(use);
      if (pir_op_has(user, PIR_COMMUTATIVE) && slot == 1)
        slot = 0;
      sum += pir_hash_join(pir_hash_join(color_of_op(s, user), slot), i);
    }
  return sum;
}

static void sweep_backward(side *s) {
  pir_arena *arena = &s->ctx->arena;
  uint64_t *inside = pir_arena_zalloc(arena, (s->ops.count + 1) * sizeof *inside);
  pir_map symbols = {0};
  for (size_t i = s->ops.count; i-- > 0;) {
    const pir_op *op = s->ops.items[i], *parent = pir_op_parent(op);
    uint64_t color =
        pir_hash_join(pir_hash_join(s->colors.items[i], users_color(s, op)), inside[i]);
    s->colors.items[i] = color;
    const uint64_t *at = parent ? pir_map_find(&s->index, parent) : NULL;
    if (at)
      inside[*at] += pir_hash_word(color);
    const pir_attr *symbol = symbol_of(op);
    if (symbol)
      *pir_map_place(arena, &symbols, symbol, 0) += pir_hash_word(color);
  }
  for (size_t i = 0; i < s->ops.count; i++) {
    const pir_attr *symbol = symbol_of(s->ops.items[i]);
    if (symbol)
      s->colors.items[i] = pir_hash_join(s->colors.items[i], *pir_map_find(&symbols, symbol));
  }
  pir_map_free(arena, &symbols);
  pir_arena_free(arena, inside, (s->ops.count + 1) * sizeof *inside);
}

static void color(side *s, const pir_program *program, bool loose) {
  *s = (side){.program = program, .ctx = pir_program_context(program), .loose = loose};
  pir_strbuf_init(&s->text, &s->ctx->arena);
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, collect, s);
  for (int i = 0; i < SWEEPS; i++) {
    sweep_forward(s);
    if (i == 0 && s->ops.count)
      memcpy(s->forward.items, s->colors.items, s->ops.count * sizeof *s->colors.items);
    sweep_backward(s);
  }
  sweep_forward(s);
}

static void release_side(side *s) {
  pir_arena *arena = &s->ctx->arena;
  pir_vec_free(arena, &s->ops);
  pir_vec_free(arena, &s->local);
  pir_vec_free(arena, &s->forward);
  pir_vec_free(arena, &s->colors);
  pir_map_free(arena, &s->index);
  pir_map_free(arena, &s->versions);
  pir_strbuf_free(&s->text);
}

// ---- matching

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static uint64_t *sorted(side *s, const uint64_t *colors) {
  uint64_t *copy = pir_arena_alloc(&s->ctx->arena, (s->ops.count + 1) * sizeof *copy);
  if (s->ops.count)
    memcpy(copy, colors, s->ops.count * sizeof *copy);
  qsort(copy, s->ops.count, sizeof *copy, by_value);
  return copy;
}

static bool same_colors(side *a, const uint64_t *of_a, side *b, const uint64_t *of_b) {
  if (a->ops.count != b->ops.count)
    return false;
  uint64_t *x = sorted(a, of_a), *y = sorted(b, of_b);
  bool same = memcmp(x, y, a->ops.count * sizeof *x) == 0;
  pir_arena_free(&a->ctx->arena, x, (a->ops.count + 1) * sizeof *x);
  pir_arena_free(&a->ctx->arena, y, (a->ops.count + 1) * sizeof *y);
  return same;
}

static pir_status write_text(pir_writer out, pir_str text) {
  return out.write(out.user, text.data, text.size) ? PIR_OK : PIR_IO;
}

// Prints one line: sign, location, and the first line of the op's text.
static pir_status report_op(const side *s, const pir_op *op, char sign, pir_writer out) {
  pir_strbuf text;
  pir_strbuf_init(&text, &s->ctx->arena);
  pir_loc_parts place = pir_loc_unpack(s->ctx, pir_op_loc(op));
  pir_strbuf_format(&text, "%c ", sign);
  if (place.file.size && !place.is_offset)
    pir_strbuf_format(&text, "%.*s:%u:%u: ", (int)place.file.size, place.file.data, place.line,
                      place.column);
  pir_text_op_line(&text, op);
  pir_strbuf_char(&text, '\n');
  pir_status status = write_text(out, pir_strbuf_view(&text));
  pir_strbuf_free(&text);
  return status;
}

// Reports the ops of `a` whose colour is missing or rarer in `b`.
static pir_status report_missing(side *a, const uint64_t *of_a, side *b, const uint64_t *of_b,
                                 char sign, size_t most, pir_writer out) {
  pir_map left = {0};
  pir_arena *arena = &a->ctx->arena;
  for (size_t i = 0; i < b->ops.count; i++)
    ++*pir_map_place(arena, &left, (const void *)(uintptr_t)(of_b[i] | 1), 0);
  size_t missing = 0;
  pir_status status = PIR_OK;
  for (size_t i = 0; i < a->ops.count && !status; i++) {
    uint64_t *count = pir_map_find(&left, (const void *)(uintptr_t)(of_a[i] | 1));
    if (count && *count)
      --*count;
    else if (missing++ < most)
      status = report_op(a, a->ops.items[i], sign, out);
  }
  pir_map_free(arena, &left);
  if (status || missing <= most)
    return status;
  pir_strbuf text;
  pir_strbuf_init(&text, arena);
  pir_strbuf_format(&text, "%c .. and %zu more\n", sign, missing - most);
  status = write_text(out, pir_strbuf_view(&text));
  pir_strbuf_free(&text);
  return status;
}

// Reports at the first stage in which the programs differ: the ops themselves, their operands,
// their users. Later stages would also report everything around a difference.
static pir_status report_difference(side *a, side *b, size_t most, pir_writer out) {
  static const char *const stages[] = {
      "ops differ:\n", "the same ops, but not of the same operands:\n",
      "the same ops of the same operands, but not used alike:\n"};
  const uint64_t *of_a[] = {a->local.items, a->forward.items, a->colors.items};
  const uint64_t *of_b[] = {b->local.items, b->forward.items, b->colors.items};
  int stage = 0;
  while (stage < 2 && same_colors(a, of_a[stage], b, of_b[stage]))
    stage++;
  PIR_TRY(write_text(out, pir_str_from(stages[stage])));
  PIR_TRY(report_missing(a, of_a[stage], b, of_b[stage], '-', most, out));
  return report_missing(b, of_b[stage], a, of_a[stage], '+', most, out);
}

static bool is_paddle_text(const pir_program *program) {
  return pir_str_equal(pir_program_info_of(program).format, PIR_STR("text"));
}

typedef struct compare_call {
  const pir_program *a, *b;
  size_t max_report;
  pir_writer out;
  bool same;
} compare_call;

static pir_status compare(void *user) {
  compare_call *call = user;
  side sides[2];
  bool loose = is_paddle_text(call->a) || is_paddle_text(call->b);
  color(&sides[0], call->a, loose);
  color(&sides[1], call->b, loose);
  call->same = same_colors(&sides[0], sides[0].colors.items, &sides[1], sides[1].colors.items);
  pir_status status = PIR_OK;
  if (!call->same && call->out.write)
    status = report_difference(&sides[0], &sides[1], call->max_report, call->out);
  release_side(&sides[0]);
  release_side(&sides[1]);
  return status;
}

// The programs may belong to two contexts; exhausted memory in either ends the comparison.
pir_status pir_program_compare(const pir_program *a, const pir_program *b,
                               const pir_compare_options *given, pir_writer out,
                               bool *out_same) {
  pir_compare_options options;
  if (!a || !b || !out_same)
    return pir_refuse_null(a ? pir_program_context(a) : NULL, __func__);
  PIR_TRY(PIR_TAKE(pir_program_context(a), pir_compare_options, &options, given));
  size_t most = options.max_report ? options.max_report : 10;
  compare_call call = {.a = a, .b = b, .max_report = most, .out = out};
  pir_context *first = pir_program_context(a), *second = pir_program_context(b);
  bool joined = first != second && !second->heap.catch;
  if (joined)
    second->heap.outer = &first->heap;
  pir_status status = pir_context_enter(first, compare, &call);
  if (joined)
    second->heap.outer = NULL;
  *out_same = call.same;
  return status;
}
