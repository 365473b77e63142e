// Prints programs as text. Values get their numbers when first printed: the results of an op
// before its operands, regions after the header, as in Paddle. The numbers live in a map beside
// the IR, so printing does not change the program. Nested regions are walked with an explicit
// stack. Cost: the characters written and one map look-up for each value mentioned.
#include <pir/compiler/block.h>
#include <pir/compiler/text.h>

#include <map.h>
#include <sized.h>
#include <vec.h>

#include <pir/layer/value_names.h>
#include "context_impl.h"
#include "text_impl.h"

#define WRITE_BUFFER 16384
#define INDENT 4
// Deeper regions are not indented further, or the text would grow quadratically in the depth.
#define MAX_INDENT 64
#define TYPE_CACHE 64
#define TYPE_TEXTS 16384

// A region being printed: its next op, and its depth.
typedef struct frame {
  const pir_op *op;
  size_t region;
  const pir_block *block;
  const pir_op *next;
  uint32_t depth;  // nesting depth of the ops
} frame;

typedef struct printer {
  pir_strbuf out;
  pir_text_form form;
  bool locations;
  pir_context *ctx;
  pir_map numbers;  // value -> number + 1, or -number - 1 of a stack triple
  uint64_t next_result, next_argument, next_stack;
  pir_name *hidden[2];
  pir_strbuf type_texts;  // texts of the types printed lately, one after the other
  struct {
    const pir_type *type;
    uint32_t start, size;
  } types[TYPE_CACHE];
  pir_named_attr *attrs;  // scratch, sorted attributes of one op
  size_t attr_capacity;
  PIR_VEC(frame) frames;
} printer;

// ---- values

// An array where the op declares an IntArray, as which it would be read without a tag.
static bool needs_array_tag(const printer *p, const pir_op *op, const pir_named_attr *attr) {
  const pir_opdef *def = op && p->form == PIR_TEXT_TYPED ? pir_op_def(op) : NULL;
  if (!def || !attr->value || pir_attr_kind_of(attr->value) != PIR_ATTR_ARRAY)
    return false;
  int at = pir_opdef_attr(def, pir_name_str(attr->name));
  return at >= 0 && def->attrs[at].kind == PIR_ATTR_INT_ARRAY;
}

// `op` is NULL for attributes that no op declares.
static void print_attr_entries(printer *p, const pir_op *op, const pir_named_attr *attrs,
                               size_t count) {
  bool first = true;
  pir_strbuf_char(&p->out, '{');
  for (size_t i = 0; i < count; i++) {
    bool hidden = attrs[i].name == p->hidden[0] || attrs[i].name == p->hidden[1];
    if (hidden && p->form != PIR_TEXT_TYPED)
      continue;
    if (!first)
      pir_strbuf_char(&p->out, ',');
    first = false;
    pir_strbuf_str(&p->out, pir_name_str(attrs[i].name));
    pir_strbuf_char(&p->out, ':');
    if (needs_array_tag(p, op, &attrs[i]))
      pir_strbuf_lit(&p->out, "(" PIR_TAG_ARRAY ")");
    pir_text_attr(&p->out, attrs[i].value, p->form);
  }
  pir_strbuf_char(&p->out, '}');
}

static void reserve_attrs(printer *p, size_t count) {
  if (count <= p->attr_capacity)
    return;
  p->attrs = pir_arena_resize(&p->ctx->arena, p->attrs, p->attr_capacity * sizeof *p->attrs,
                              count * sizeof *p->attrs);
  p->attr_capacity = count;
}

static void print_argument_attrs(printer *p, const pir_value *argument) {
  size_t count = pir_block_argument_attrs(argument);
  pir_strbuf_char(&p->out, ' ');
  pir_strbuf_char(&p->out, '{');
  for (size_t i = 0; i < count; i++) {
    pir_named_attr attr = pir_block_argument_attr(argument, i);
    if (i)
      pir_strbuf_char(&p->out, ',');
    pir_strbuf_str(&p->out, pir_name_str(attr.name));
    pir_strbuf_char(&p->out, ':');
    pir_text_attr(&p->out, attr.value, p->form);
  }
  pir_strbuf_char(&p->out, '}');
}

// Paddle prints an argument's attributes where it is first mentioned.
static void print_argument(printer *p, const pir_value *value) {
  pir_str keyword = pir_block_argument_keyword(pir_value_block(value), pir_value_index(value));
  uint64_t *place = pir_map_place(&p->ctx->arena, &p->numbers, value, 0);
  bool first = *place == 0;
  if (first)
    *place = keyword.size ? 1 : ++p->next_argument;
  if (keyword.size) {
    pir_strbuf_lit(&p->out, "%kwarg_");
    pir_strbuf_str(&p->out, keyword);
  } else {
    pir_strbuf_lit(&p->out, "%arg_");
    pir_strbuf_uint(&p->out, *place - 1);
  }
  if (first && p->form == PIR_TEXT_T3)
    print_argument_attrs(p, value);
}

// The three results of an op that makes a stack are named by their types and share one number.
static bool print_stack_value(printer *p, const pir_value *value) {
  const pir_type *type = pir_value_type(value);
  pir_type_kind kind = type ? pir_type_kind_of(type) : PIR_TYPE_TENSOR;
  if (kind != PIR_TYPE_STACK && kind != PIR_TYPE_INLET && kind != PIR_TYPE_OUTLET)
    return false;
  const pir_op *op = pir_value_op(value);
  if (pir_op_results(op) != 3 || !pir_value_type(pir_op_result(op, 0)) ||
      pir_type_kind_of(pir_value_type(pir_op_result(op, 0))) != PIR_TYPE_STACK)
    return false;
  uint64_t *place = pir_map_place(&p->ctx->arena, &p->numbers, pir_op_result(op, 0), 0);
  if (!*place)
    *place = ++p->next_stack;
  if (kind == PIR_TYPE_STACK)
    pir_strbuf_lit(&p->out, "%stack_");
  else if (kind == PIR_TYPE_INLET)
    pir_strbuf_lit(&p->out, "%inlet_");
  else
    pir_strbuf_lit(&p->out, "%outlet_");
  pir_strbuf_uint(&p->out, *place - 1);
  return true;
}

static void print_value(printer *p, const pir_value *value) {
  if (!value) {
    pir_strbuf_lit(&p->out, "<<NULL VALUE>>");
    return;
  }
  if (pir_value_is_argument(value)) {
    print_argument(p, value);
    return;
  }
  if (print_stack_value(p, value))
    return;
  uint64_t *place = pir_map_place(&p->ctx->arena, &p->numbers, value, 0);
  if (!*place)
    *place = ++p->next_result;
  pir_strbuf_char(&p->out, '%');
  pir_strbuf_uint(&p->out, *place - 1);
}

// ---- headers

static void indent(printer *p, uint32_t depth) {
  pir_strbuf_fill(&p->out, ' ', (depth < MAX_INDENT ? (size_t)depth : MAX_INDENT) * INDENT);
}

static void print_results(printer *p, const pir_op *op) {
  size_t count = pir_op_results(op);
  pir_strbuf_char(&p->out, '(');
  for (size_t i = 0; i < count; i++) {
    if (i)
      pir_strbuf_lit(&p->out, ", ");
    print_value(p, pir_op_result(op, i));
  }
  pir_strbuf_lit(&p->out, ") = \"");
  pir_strbuf_str(&p->out, pir_op_name(op));
  pir_strbuf_lit(&p->out, "\" ");
}

static void print_operands(printer *p, const pir_op *op, size_t from) {
  size_t count = pir_op_operands(op);
  for (size_t i = from; i < count; i++) {
    if (i > from)
      pir_strbuf_lit(&p->out, ", ");
    print_value(p, pir_op_operand(op, i));
  }
  pir_strbuf_char(&p->out, ')');
}

static void print_attrs(printer *p, const pir_op *op) {
  reserve_attrs(p, pir_op_attrs(op));
  size_t count = pir_op_attrs_sorted(op, p->attrs, p->attr_capacity);
  print_attr_entries(p, op, p->attrs, count);
}

// Programs have few types and mention them often, so their texts are kept.
static void print_type(printer *p, const pir_type *type) {
  size_t slot = (size_t)((uintptr_t)type >> 4) % TYPE_CACHE;
  if (p->types[slot].type != type || !type) {
    if (p->type_texts.size > TYPE_TEXTS) {
      memset(p->types, 0, sizeof p->types);
      p->type_texts.size = 0;
    }
    p->types[slot].type = type;
    p->types[slot].start = (uint32_t)p->type_texts.size;
    pir_text_type(&p->type_texts, type, p->form);
    p->types[slot].size = (uint32_t)p->type_texts.size - p->types[slot].start;
  }
  pir_strbuf_put(&p->out, p->type_texts.data + p->types[slot].start, p->types[slot].size);
}

static void print_operand_types(printer *p, const pir_op *op) {
  size_t count = pir_op_operands(op);
  pir_strbuf_lit(&p->out, " : (");
  for (size_t i = 0; i < count; i++) {
    if (i)
      pir_strbuf_lit(&p->out, ", ");
    const pir_value *operand = pir_op_operand(op, i);
    print_type(p, operand ? pir_value_type(operand) : NULL);
  }
  pir_strbuf_char(&p->out, ')');
}

static void print_result_types(printer *p, const pir_op *op) {
  size_t count = pir_op_results(op);
  pir_strbuf_lit(&p->out, " -> ");
  for (size_t i = 0; i < count; i++) {
    if (i)
      pir_strbuf_lit(&p->out, ", ");
    print_type(p, pir_value_type(pir_op_result(op, i)));
  }
}

static void print_location(printer *p, const pir_op *op) {
  pir_loc_parts place = pir_loc_unpack(p->ctx, pir_op_loc(op));
  if (!p->locations || !place.file.size)
    return;
  pir_strbuf_lit(&p->out, " loc(");
  pir_text_escaped(&p->out, place.file);
  if (place.is_offset)
    pir_strbuf_format(&p->out, ":+0x%llx)", (unsigned long long)place.offset);
  else
    pir_strbuf_format(&p->out, ":%u:%u)", place.line, place.column);
}

// What shape_analysis found, as Paddle prints it: { (shape[S0, 3], data[NULL]) }, one pair of
// parentheses a result.
static void print_shapes(printer *p, const pir_op *op) {
  const pir_attr *shapes = p->form == PIR_TEXT_T3 ? pir_op_attr(op, p->hidden[1]) : NULL;
  if (!shapes || pir_attr_kind_of(shapes) != PIR_ATTR_ARRAY)
    return;
  pir_strbuf_lit(&p->out, " { ");
  for (size_t i = 0; i < pir_attr_elements(shapes); i++) {
    if (i)
      pir_strbuf_lit(&p->out, ", ");
    pir_strbuf_char(&p->out, '(');
    pir_strbuf_str(&p->out, pir_attr_as_str(pir_attr_element(shapes, i)));
    pir_strbuf_char(&p->out, ')');
  }
  pir_strbuf_lit(&p->out, " }");
}

// The printed form of an op: the one of its definition, if its structure allows it.
static pir_op_form form_of(const printer *p, const pir_op *op) {
  pir_op_form form = (pir_op_form)pir_op_def(op)->form;
  if (p->form == PIR_TEXT_TYPED || form == PIR_FORM_GENERAL)
    return PIR_FORM_GENERAL;
  size_t regions = pir_op_regions(op);
  if (regions != (form == PIR_FORM_IF ? 2u : 1u))
    return PIR_FORM_GENERAL;
  for (size_t i = 0; i < regions; i++) {
    const pir_block *block = pir_region_first(pir_op_region(op, i));
    if (!block || pir_block_next(block))
      return PIR_FORM_GENERAL;
  }
  if (form == PIR_FORM_WHILE && pir_op_operands(op) == 0)
    return PIR_FORM_GENERAL;
  if (form == PIR_FORM_GROUP && pir_op_attrs(op))
    return PIR_FORM_BODY;  // no attribute is lost
  return form;
}

static void print_while_header(printer *p, const pir_op *op, uint32_t depth) {
  const pir_block *body = pir_region_first(pir_op_region(op, 0));
  pir_strbuf_lit(&p->out, "(cond=");
  print_value(p, pir_op_operand(op, 0));
  pir_strbuf_lit(&p->out, ", inputs=");
  print_operands(p, op, 1);
  pir_strbuf_lit(&p->out, " { \n");
  indent(p, depth);
  pir_strbuf_char(&p->out, '^');
  for (size_t i = 0; i < pir_block_arguments(body); i++) {
    if (i)
      pir_strbuf_lit(&p->out, ", ");
    print_value(p, pir_block_argument(body, i));
  }
  pir_strbuf_char(&p->out, '\n');
}

// Prints an op up to the opening of its first region or the end of its line.
static void print_header(printer *p, const pir_op *op, uint32_t depth) {
  pir_op_form form = form_of(p, op);
  indent(p, depth);
  print_results(p, op);
  if (form == PIR_FORM_WHILE) {
    print_while_header(p, op, depth);
    return;
  }
  pir_strbuf_char(&p->out, '(');
  print_operands(p, op, 0);
  if (form != PIR_FORM_GROUP) {
    pir_strbuf_char(&p->out, ' ');
    print_attrs(p, op);
  }
  if (form == PIR_FORM_GENERAL)
    print_operand_types(p, op);
  print_result_types(p, op);
  if (form != PIR_FORM_GENERAL) {
    pir_strbuf_lit(&p->out, " {\n");
    return;
  }
  print_location(p, op);
  print_shapes(p, op);
}

// ---- regions

// The `^(%arg_0: T {..})` line of a block in the typed form.
static void print_block_header(printer *p, const pir_block *block, uint32_t depth) {
  indent(p, depth);
  pir_strbuf_lit(&p->out, "^(");
  for (size_t i = 0; i < pir_block_arguments(block); i++) {
    const pir_value *argument = pir_block_argument(block, i);
    if (i)
      pir_strbuf_lit(&p->out, ", ");
    print_value(p, argument);
    pir_strbuf_lit(&p->out, ": ");
    print_type(p, pir_value_type(argument));
    print_argument_attrs(p, argument);
  }
  pir_strbuf_lit(&p->out, "):\n");
}

// The `^kw:` lines of a block that has keyword arguments.
static void print_keywords(printer *p, const pir_block *block, uint32_t depth) {
  bool any = false;
  for (size_t i = 0; i < pir_block_arguments(block); i++) {
    if (!pir_block_argument_keyword(block, i).size)
      continue;
    if (!any) {
      indent(p, depth);
      pir_strbuf_lit(&p->out, "^kw:\n");
      any = true;
    }
    indent(p, depth);
    print_value(p, pir_block_argument(block, i));
    pir_strbuf_char(&p->out, '\n');
  }
}

// Prints the header of a block. General regions bring their own braces.
static void open_block(printer *p, const frame *f, pir_op_form form) {
  if (p->form == PIR_TEXT_TYPED) {
    bool first = f->block == pir_region_first(pir_op_region(f->op, f->region));
    if (!first || pir_block_arguments(f->block) || !pir_block_first(f->block))
      print_block_header(p, f->block, f->depth - 1);
    return;
  }
  if (form == PIR_FORM_GENERAL) {
    indent(p, f->depth - 1);
    pir_strbuf_lit(&p->out, "{\n");
  }
  print_keywords(p, f->block, f->depth);
}

static void push_region(printer *p, const pir_op *op, size_t region, uint32_t depth) {
  const pir_block *block = pir_region_first(pir_op_region(op, region));
  frame f = {op, region, block, block ? pir_block_first(block) : NULL, depth + 1};
  if (block)
    open_block(p, &f, form_of(p, op));
  pir_vec_push(&p->ctx->arena, &p->frames, f);
}

// Continues after the regions of an op, or opens its next one.
static void close_region(printer *p, const frame *f) {
  pir_op_form form = form_of(p, f->op);
  bool last = f->region + 1 == pir_op_regions(f->op);
  uint32_t depth = f->depth - 1;
  if (p->form == PIR_TEXT_TYPED) {
    indent(p, depth);
    if (last)
      pir_strbuf_lit(&p->out, "})\n");
    else
      pir_strbuf_lit(&p->out, "}, {\n");
  } else if (form != PIR_FORM_GENERAL) {
    indent(p, depth);
    if (!last)
      pir_strbuf_lit(&p->out, "} else {");
    else
      pir_strbuf_char(&p->out, '}');
    if (last)
      print_shapes(p, f->op);
    pir_strbuf_char(&p->out, '\n');
  }
  if (!last)
    push_region(p, f->op, f->region + 1, depth);
  else if (form == PIR_FORM_GENERAL && p->form != PIR_TEXT_TYPED)
    pir_strbuf_char(&p->out, '\n');
}

// Prints an op's line and pushes its regions.
static void print_op(printer *p, const pir_op *op, uint32_t depth) {
  print_header(p, op, depth);
  if (pir_op_regions(op) == 0) {
    pir_strbuf_char(&p->out, '\n');
    return;
  }
  if (p->form == PIR_TEXT_TYPED)
    pir_strbuf_lit(&p->out, " ({\n");
  else if (form_of(p, op) == PIR_FORM_GENERAL)
    pir_strbuf_char(&p->out, '\n');
  push_region(p, op, 0, depth);
}

// Does one step at the innermost region: an op, the end of a block, or the end of the region.
static void print_step(printer *p) {
  frame *f = &p->frames.items[p->frames.count - 1];
  if (f->next) {
    const pir_op *op = f->next;
    f->next = pir_op_next(op);
    print_op(p, op, f->depth);
    return;
  }
  if (f->block && p->form != PIR_TEXT_TYPED && form_of(p, f->op) == PIR_FORM_GENERAL) {
    indent(p, f->depth - 1);
    pir_strbuf_lit(&p->out, "}\n");
  }
  f->block = f->block ? pir_block_next(f->block) : NULL;
  if (f->block) {
    f->next = pir_block_first(f->block);
    open_block(p, f, form_of(p, f->op));
    return;
  }
  frame done = pir_vec_pop(&p->frames);
  close_region(p, &done);
}

static void drain(printer *p, size_t base) {
  while (p->frames.count > base && !p->out.failed)
    print_step(p);
}

// ---- entries

// Paddle never prints these.
static void hide_attrs(printer *p) {
  p->hidden[0] = pir_name_get(p->ctx, PIR_STR("op_callstack"));
  p->hidden[1] = pir_name_get(p->ctx, PIR_STR("sym_shape_str"));
}

static void open_printer(printer *p, pir_context *ctx, const pir_print_options *options,
                         pir_writer out, char *buffer) {
  *p = (printer){.ctx = ctx, .form = options->form};
  p->locations = p->form == PIR_TEXT_TYPED && !options->strip_debug;
  hide_attrs(p);
  pir_strbuf_init(&p->type_texts, &ctx->arena);
  pir_strbuf_init_writer(&p->out, out, buffer, WRITE_BUFFER);
}

static void free_printer(printer *p) {
  pir_arena *arena = &p->ctx->arena;
  pir_map_free(arena, &p->numbers);
  pir_strbuf_free(&p->type_texts);
  pir_vec_free(arena, &p->frames);
  pir_arena_free(arena, p->attrs, p->attr_capacity * sizeof *p->attrs);
}

static pir_status close_printer(printer *p) {
  free_printer(p);
  return pir_strbuf_flush(&p->out) ? PIR_OK : PIR_IO;
}

// The typed form begins with the properties of the program's file.
static void print_info(printer *p, const pir_program *program) {
  pir_program_info info = pir_program_info_of(program);
  bool plain = !info.format.size || pir_str_equal(info.format, PIR_STR("text"));
  if (plain && !info.version && !info.trainable)
    return;
  pir_strbuf_lit(&p->out, "program {format:");
  pir_text_escaped(&p->out, info.format);
  pir_strbuf_format(&p->out, ",trainable:%s,version:%lld}\n", info.trainable ? "true" : "false",
                    (long long)info.version);
}

// Prints the blocks of the module's regions; the module itself has no text.
static void print_module(printer *p, const pir_program *program) {
  const pir_block *block = pir_program_block(program);
  if (p->form == PIR_TEXT_TYPED)
    print_info(p, program);
  pir_strbuf_lit(&p->out, "{\n");
  if (p->form == PIR_TEXT_TYPED && pir_block_arguments(block))
    print_block_header(p, block, 0);
  else if (p->form != PIR_TEXT_TYPED)
    print_keywords(p, block, 1);
  for (const pir_op *op = pir_block_first(block); op && !p->out.failed; op = pir_op_next(op)) {
    print_op(p, op, 1);
    drain(p, 0);
  }
  pir_strbuf_lit(&p->out, "}\n");
}

// A program, or an op alone.
typedef struct print_call {
  const pir_program *program;
  const pir_op *op;
  pir_print_options options;
  pir_writer out;
} print_call;

static pir_status print_program(void *user) {
  const print_call *call = user;
  char buffer[WRITE_BUFFER];
  printer p;
  open_printer(&p, pir_program_context(call->program), &call->options, call->out, buffer);
  print_module(&p, call->program);
  return close_printer(&p);
}

pir_status pir_program_print(const pir_program *program, const pir_print_options *options,
                             pir_writer out) {
  print_call call = {.program = program, .out = out};
  if (!program || !out.write)
    return pir_refuse_null(program ? pir_program_context(program) : NULL, __func__);
  PIR_TRY(PIR_TAKE(pir_program_context(program), pir_print_options, &call.options, options));
  return pir_context_enter(pir_program_context(program), print_program, &call);
}

static bool drop_text(void *user, const char *data, size_t size) {
  return true;
}

typedef struct number_call {
  const pir_program *program;
  void (*visit)(void *user, uint64_t number, pir_value *value);
  void *user;
} number_call;

static bool is_numbered(const pir_value *value) {
  const pir_type *type = pir_value_type(value);
  pir_type_kind kind = type ? pir_type_kind_of(type) : PIR_TYPE_TENSOR;
  return !pir_value_is_argument(value) && kind != PIR_TYPE_STACK;
}

static pir_status visit_numbers(void *user) {
  const number_call *call = user;
  char buffer[WRITE_BUFFER];
  pir_print_options options = {.size = sizeof options};
  printer p;
  open_printer(&p, pir_program_context(call->program), &options, (pir_writer){drop_text, NULL},
               buffer);
  print_module(&p, call->program);
  for (size_t i = 0; i < p.numbers.capacity; i++) {
    pir_value *value = (pir_value *)(uintptr_t)p.numbers.entries[i].key;
    if (value && is_numbered(value))
      call->visit(call->user, p.numbers.entries[i].value - 1, value);
  }
  return close_printer(&p);
}

pir_status pir_program_each_number(const pir_program *program,
                                   void (*visit)(void *user, uint64_t number, pir_value *value),
                                   void *user) {
  number_call call = {program, visit, user};
  return pir_context_enter(pir_program_context(program), visit_numbers, &call);
}

typedef struct sought_value {
  uint64_t number;
  pir_value *value;
} sought_value;

static void take_sought(void *user, uint64_t number, pir_value *value) {
  sought_value *sought = user;
  if (number == sought->number)
    sought->value = value;
}

pir_status pir_text_find_value(const pir_program *program, pir_str name,
                               pir_value **out_value) {
  sought_value sought = {0};
  *out_value = NULL;
  for (size_t i = 1; i < name.size; i++) {
    if (name.data[i] < '0' || name.data[i] > '9' || name.size > 10)
      return PIR_NOT_FOUND;
    sought.number = 10 * sought.number + (uint64_t)(name.data[i] - '0');
  }
  PIR_TRY(pir_program_each_number(program, take_sought, &sought));
  *out_value = sought.value;
  return sought.value ? PIR_OK : PIR_NOT_FOUND;
}

static pir_status print_op_alone(void *user) {
  const print_call *call = user;
  char buffer[WRITE_BUFFER];
  printer p;
  open_printer(&p, pir_op_context(call->op), &call->options, call->out, buffer);
  print_op(&p, call->op, 0);
  drain(&p, 0);
  return close_printer(&p);
}

pir_status pir_op_print(const pir_op *op, const pir_print_options *options, pir_writer out) {
  print_call call = {.op = op, .out = out};
  if (!op || !out.write)
    return pir_refuse_null(op ? pir_op_context(op) : NULL, __func__);
  PIR_TRY(PIR_TAKE(pir_op_context(op), pir_print_options, &call.options, options));
  return pir_context_enter(pir_op_context(op), print_op_alone, &call);
}

void pir_text_op_line(pir_strbuf *out, const pir_op *op) {
  printer p = {.ctx = pir_op_context(op), .out = *out};
  hide_attrs(&p);
  pir_strbuf_init(&p.type_texts, &p.ctx->arena);
  size_t before = out->size;
  print_header(&p, op, 0);
  *out = p.out;
  char *end = memchr(out->data + before, '\n', out->size - before);
  if (end)
    out->size = (size_t)(end - out->data);
  free_printer(&p);
}

pir_status pir_type_print_as(const pir_type *type, pir_text_form form, pir_writer out) {
  char buffer[512];
  pir_strbuf buf;
  pir_strbuf_init_writer(&buf, out, buffer, sizeof buffer);
  pir_text_type(&buf, type, form);
  return pir_strbuf_flush(&buf) ? PIR_OK : PIR_IO;
}

pir_status pir_attr_print_as(const pir_attr *attr, pir_text_form form, pir_writer out) {
  char buffer[512];
  pir_strbuf buf;
  pir_strbuf_init_writer(&buf, out, buffer, sizeof buffer);
  pir_text_attr(&buf, attr, form);
  return pir_strbuf_flush(&buf) ? PIR_OK : PIR_IO;
}

pir_status pir_type_print(const pir_type *type, pir_writer out) {
  return pir_type_print_as(type, PIR_TEXT_T3, out);
}
