// Ops of files by their places (pir/layer/origin.h). Entries stand in the order of the file;
// the first report sorts an index of them by place.
#include <pir/compiler/walk.h>
#include <pir/layer/origin.h>

#include <op_impl.h>

#include <stdlib.h>
#include <string.h>

// ---- Python frames

// Removes `prefix`; false if the text does not start with it.
static bool skip_prefix(pir_str *text, pir_str prefix) {
  if (text->size < prefix.size || memcmp(text->data, prefix.data, prefix.size))
    return false;
  text->data += prefix.size;
  text->size -= prefix.size;
  return true;
}

// Whether a file is Paddle's own, or invented by Python ("<decorator-gen-50>").
static bool is_library(pir_str file) {
  return !file.size || *file.data == '<' || memmem(file.data, file.size, "/paddle/", 8) ||
         memmem(file.data, file.size, "/decorator.py", 13);
}

bool pir_attr_says_origin(pir_str name) {
  static const char *const names[] = {"struct_name", "op_callstack", "sym_shape_str",
                                      "op_namescope", "origin_id"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (pir_str_equal(name, pir_str_from(names[i])))
      return true;
  return false;
}

bool pir_python_frame(pir_str text, pir_str *out_file, uint32_t *out_line) {
  while (text.size && *text.data == ' ') {
    text.data++;
    text.size--;
  }
  if (!skip_prefix(&text, PIR_STR("File \"")))
    return false;
  const char *quote = text.size ? memchr(text.data, '"', text.size) : NULL;
  if (!quote)
    return false;
  *out_file = (pir_str){text.data, (size_t)(quote - text.data)};
  text = (pir_str){quote, text.size - out_file->size};
  if (is_library(*out_file) || !skip_prefix(&text, PIR_STR("\", line ")))
    return false;
  *out_line = 0;
  for (; text.size && *text.data >= '0' && *text.data <= '9' && *out_line < 100000000;
       text.data++, text.size--)
    *out_line = *out_line * 10 + (uint32_t)(*text.data - '0');
  return *out_line > 0;
}

// ---- notes

void origins_clear(pir_context *ctx) {
  ctx->names_ops = false;
  ctx->origins.count = 0;
  pir_vec_free(&ctx->arena, &ctx->origin_order);
}

void pir_origins_begin(pir_context *ctx) {
  origins_clear(ctx);
  ctx->names_ops = true;
}

static void note(pir_context *ctx, const pir_origin *origin, uint32_t parent) {
  pir_origin_entry entry = {.loc = origin->loc,
                            .name = pir_name_get(ctx, origin->name),
                            .block = origin->block,
                            .position = origin->position,
                            .parent = parent};
  if (origin->parameter.size)
    entry.parameter = pir_name_get(ctx, origin->parameter);
  pir_vec_push(&ctx->arena, &ctx->origins, entry);
}

// A place with a line is the user's: .pdmodel has none of its own.
void pir_origin_note(pir_context *ctx, const pir_origin *origin) {
  pir_loc_parts place = pir_loc_unpack(ctx, origin->loc);
  note(ctx, origin, 0);
  pir_origin_entry *entry = &ctx->origins.items[ctx->origins.count - 1];
  entry->line = place.line;
  if (place.line)
    entry->file = pir_name_get(ctx, place.file);
}

// The user's innermost frame of an op's attribute op_callstack, a list of lines.
static void note_frame(pir_context *ctx, const pir_op *op) {
  const pir_attr *lines = pir_op_attr(op, ctx->op_callstack);
  size_t count =
      lines && pir_attr_kind_of(lines) == PIR_ATTR_ARRAY ? pir_attr_elements(lines) : 0;
  pir_origin_entry *entry = &ctx->origins.items[ctx->origins.count - 1];
  pir_str file;
  for (size_t i = count; i-- > 0;) {
    const pir_attr *line = pir_attr_element(lines, i);
    if (pir_attr_kind_of(line) != PIR_ATTR_STR ||
        !pir_python_frame(pir_attr_as_str(line), &file, &entry->line))
      continue;
    entry->file = pir_name_get(ctx, file);
    return;
  }
  entry->line = 0;
}

// The mark of an op is the number of its entry, from 1; ops come in front of those inside.
static pir_walk_result note_file_op(pir_op *op, void *user) {
  pir_context *ctx = user;
  const pir_op *parent = pir_op_parent(op), *before = pir_op_prev(op);
  if (!parent)  // the module, whose mark is 0
    return PIR_WALK_CONTINUE;
  pir_origin origin = {.loc = op->loc,
                       .name = pir_op_name(op),
                       .parameter = pir_op_parameter(op),
                       .block = (uint32_t)op->block->number};
  if (before)
    origin.position = ctx->origins.items[pir_op_mark(before) - 1].position + 1;
  note(ctx, &origin, (uint32_t)pir_op_mark(parent));
  note_frame(ctx, op);
  pir_op_set_mark(op, (uint32_t)ctx->origins.count);
  return PIR_WALK_CONTINUE;
}

static pir_walk_result drop_mark(pir_op *op, void *user) {
  (void)user;
  pir_op_set_mark(op, 0);
  return PIR_WALK_CONTINUE;
}

void pir_origins_note_program(pir_program *program) {
  pir_context *ctx = pir_program_context(program);
  pir_origins_begin(ctx);
  ctx->op_callstack = pir_name_get(ctx, PIR_STR("op_callstack"));
  pir_op_set_mark(pir_program_module(program), 0);
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, note_file_op, ctx);
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, drop_mark, NULL);
}

// ---- search

static int order_keys(const void *a, const void *b) {
  const pir_origin_key *x = a, *y = b;
  if (x->loc != y->loc)
    return x->loc < y->loc ? -1 : 1;
  return (x->entry > y->entry) - (x->entry < y->entry);
}

static void sort_entries(pir_context *ctx) {
  pir_vec_reserve(&ctx->arena, &ctx->origin_order, ctx->origins.count);
  for (size_t i = 0; i < ctx->origins.count; i++)
    ctx->origin_order.items[i] = (pir_origin_key){ctx->origins.items[i].loc, (uint32_t)i};
  ctx->origin_order.count = ctx->origins.count;
  qsort(ctx->origin_order.items, ctx->origin_order.count, sizeof *ctx->origin_order.items,
        order_keys);
}

// Whether an op of a file is of that kind: the names of the older format have no dialect.
static bool is_of_kind(const pir_origin_entry *entry, pir_str name) {
  pir_str kind = pir_name_str(entry->name);
  return kind.size <= name.size && kind.size &&
         !memcmp(name.data + name.size - kind.size, kind.data, kind.size) &&
         (kind.size == name.size || name.data[name.size - kind.size - 1] == '.');
}

const pir_origin_entry *pir_origin_find(pir_context *ctx, pir_loc loc, pir_str name) {
  if (!ctx->origins.count || !loc)
    return NULL;
  if (!ctx->origin_order.count)
    sort_entries(ctx);
  size_t low = 0, high = ctx->origin_order.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ctx->origin_order.items[middle].loc < loc)
      low = middle + 1;
    else
      high = middle;
  }
  const pir_origin_entry *first = NULL;
  for (; low < ctx->origin_order.count && ctx->origin_order.items[low].loc == loc; low++) {
    const pir_origin_entry *entry = &ctx->origins.items[ctx->origin_order.items[low].entry];
    if (is_of_kind(entry, name))
      return entry;
    if (!first)
      first = entry;
  }
  return first;
}
