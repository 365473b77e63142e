// Writes programs as PIR JSON of version 4: keys in bytewise order, floats as the shortest text
// that reads back as the same double. Values are numbered as they are written. Regions are
// walked with an explicit stack. Cost: linear in the output.
#include "json_writer_impl.h"
#include "serialize_impl.h"
#include "text_impl.h"

#include <sized.h>

#include <string.h>

#define WRITE_BUFFER 16384

// ---- ops

static void write_named_attr(pir_json_writer *w, pir_named_attr attr) {
  pir_json_next_item(w);
  pir_json_open(w, '{');
  pir_json_key(w, "AT");
  pir_json_write_attr(w, attr.value);
  pir_json_key(w, "N");
  pir_json_string(w, pir_name_str(attr.name));
  pir_json_close(w, '}');
}

static const pir_attr *attr_named(const pir_json_writer *w, const char *name) {
  for (size_t i = 0; i < w->attr_count; i++)
    if (pir_str_equal(pir_name_str(w->attrs[i].name), pir_str_from(name)))
      return w->attrs[i].value;
  return NULL;
}

// Writes an attribute by name when the op has it.
static void write_if_present(pir_json_writer *w, const char *name) {
  for (size_t i = 0; i < w->attr_count; i++)
    if (pir_str_equal(pir_name_str(w->attrs[i].name), pir_str_from(name)))
      write_named_attr(w, w->attrs[i]);
}

static void fetch_attrs(pir_json_writer *w, const pir_op *op) {
  size_t count = pir_op_attrs(op);
  if (count > w->attr_capacity) {
    w->attrs = pir_arena_resize(&w->ctx->arena, w->attrs, w->attr_capacity * sizeof *w->attrs,
                                count * sizeof *w->attrs);
    w->attr_capacity = count;
  }
  w->attr_count = pir_op_attrs_sorted(op, w->attrs, w->attr_capacity);
}

// All attributes but the ones of results and of debugging, by name: undeclared ones, then
// declared ones.
static void write_all_attrs(pir_json_writer *w, const pir_opdef *def) {
  for (int declared = 0; declared < 2; declared++)
    for (size_t i = 0; i < w->attr_count; i++) {
      pir_str name = pir_name_str(w->attrs[i].name);
      bool own = pir_opdef_attr(def, name) >= 0;
      if (own == (declared != 0) && !pir_json_is_output_attr(name) &&
          !pir_str_equal(name, PIR_STR("op_callstack")))
        write_named_attr(w, w->attrs[i]);
    }
}

// Writes a described op's declared attributes in declared order, then the three that Paddle
// keeps; for other ops all attributes. As in Paddle, debugging attributes are omitted.
static void write_op_attrs(pir_json_writer *w, const pir_op *op) {
  const pir_opdef *def = pir_op_def(op);
  pir_json_key(w, "A");
  pir_json_open(w, '[');
  if (pir_op_has(op, PIR_REGISTERED) && pir_json_describes(def)) {
    for (size_t i = 0; i < def->attr_count; i++) {
      if (pir_json_is_output_attr(pir_str_from(def->attrs[i].name)) || !pir_op_attr_at(op, i))
        continue;
      write_named_attr(w,
                       (pir_named_attr){pir_name_get(w->ctx, pir_str_from(def->attrs[i].name)),
                                        pir_op_attr_at(op, i)});
    }
    static const char *const kept[] = {"op_dist_attr", "op_role", "struct_name"};
    for (size_t i = 0; i < 3; i++)
      if (pir_opdef_attr(def, pir_str_from(kept[i])) < 0)
        write_if_present(w, kept[i]);
  } else {
    write_all_attrs(w, def);
  }
  pir_json_close(w, ']');
}

static void write_output_attrs(pir_json_writer *w) {
  if (!w->trainable)
    return;
  pir_json_key(w, "OA");
  pir_json_open(w, '[');
  write_if_present(w, "persistable");
  write_if_present(w, "stop_gradient");
  pir_json_close(w, ']');
}

static void write_operands(pir_json_writer *w, const pir_op *op) {
  pir_json_key(w, "I");
  pir_json_open(w, '[');
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_value *value = pir_op_operand(op, i);
    const uint64_t *id = value ? pir_map_find(&w->ids, value) : NULL;
    if (value && !id)
      pir_json_refuse(w, "operand %zu, which is not defined before its use", i);
    pir_json_next_item(w);
    pir_json_open(w, '{');
    pir_json_key(w, "%");
    pir_strbuf_int(&w->out, id ? (int64_t)*id : 0);
    pir_json_close(w, '}');
  }
  pir_json_close(w, ']');
}

static void write_result(pir_json_writer *w, const pir_value *result) {
  int64_t id = ++w->next_result;
  pir_map_put(&w->ctx->arena, &w->ids, result, (uint64_t)id);
  pir_json_open(w, '{');
  pir_json_key(w, "%");
  pir_strbuf_int(&w->out, id);
  pir_json_key(w, "TT");
  pir_json_write_type(w, pir_value_type(result));
  pir_json_close(w, '}');
}

static void write_results(pir_json_writer *w, const pir_op *op) {
  pir_json_key(w, "O");
  pir_json_open(w, '[');
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_json_next_item(w);
    write_result(w, pir_op_result(op, i));
  }
  pir_json_close(w, ']');
}

static void write_op_id(pir_json_writer *w, pir_str name) {
  const char *dot = memchr(name.data, '.', name.size);
  int number;
  int64_t ignored;
  pir_json_key(w, "#");
  pir_str dialect = {name.data, dot ? (size_t)(dot - name.data) : name.size};
  if (!dot || dot == name.data || dot + 1 == name.data + name.size)
    pir_json_refuse(w, "an op whose name has no dialect");
  if (pir_text_read_int(dialect, &ignored))
    pir_json_refuse(w, "an op whose dialect is a number");
  if (!dot || !pir_json_dialect_number(w->ctx, dialect, &number)) {
    pir_json_string(w, name);
    return;
  }
  pir_strbuf id;
  pir_strbuf_init(&id, &w->ctx->arena);
  pir_strbuf_int(&id, number);
  pir_strbuf_put(&id, dot, name.size - dialect.size);
  pir_json_string(w, pir_strbuf_view(&id));
  pir_strbuf_free(&id);
}

// One of a parameter's flags as 0 or 1.
static void write_flag(pir_json_writer *w, const char *name, bool standard) {
  const pir_attr *attr = attr_named(w, name);
  int64_t flag = standard;
  if (attr && pir_attr_kind_of(attr) == PIR_ATTR_ARRAY && pir_attr_elements(attr))
    pir_attr_as_int(pir_attr_element(attr, 0), &flag);
  else if (attr)
    pir_attr_as_int(attr, &flag);
  pir_json_int_item(w, flag != 0);
}

static void write_parameter(pir_json_writer *w, const pir_op *op) {
  const pir_attr *name = attr_named(w, PIR_JSON_PARAMETER_NAME);
  pir_json_text_key(w, "#", "p");
  pir_json_key(w, "A");
  pir_json_open(w, '[');
  for (int i = 0; i < 3; i++)
    write_flag(w, pir_json_parameter_flags[i], i == 1);
  pir_json_next_item(w);
  pir_json_string(w, name ? pir_attr_as_str(name) : PIR_STR(""));
  pir_json_close(w, ']');
  pir_json_key(w, "DA");
  pir_json_open(w, '[');
  write_if_present(w, "op_dist_attr");
  write_if_present(w, "op_role");
  // Of a part of a parameter; Paddle has no such thing.
  write_if_present(w, "file_shape");
  write_if_present(w, "whole_shape");
  write_if_present(w, "part_first");
  pir_json_close(w, ']');
  pir_json_key(w, "O");
  write_result(w, pir_op_result(op, 0));
  if (w->trainable || attr_named(w, pir_json_parameter_outputs[0])) {
    pir_json_key(w, "OA");
    pir_json_open(w, '[');
    for (int i = 0; i < 3; i++)
      write_flag(w, pir_json_parameter_outputs[i], true);
    pir_json_close(w, ']');
  }
  pir_json_key(w, "QA");
  pir_json_open(w, '[');
  write_if_present(w, "struct_name");
  pir_json_close(w, ']');
}

// Writes the op with the short form. A builtin.constant, which also names a parameter, has the
// general form.
static bool is_parameter(const pir_op *op) {
  return pir_str_equal(pir_op_name(op), PIR_STR(PIR_JSON_PARAMETER)) &&
         pir_op_results(op) == 1 && pir_op_regions(op) == 0;
}

// ---- blocks and regions

// Positional arguments, or the keyword ones.
static void write_arguments(pir_json_writer *w, const pir_block *block, bool keywords) {
  pir_json_open(w, '[');
  for (size_t i = 0; i < pir_block_arguments(block); i++) {
    pir_str keyword = pir_block_argument_keyword(block, i);
    if ((keyword.size > 0) != keywords)
      continue;
    int64_t id = --w->next_argument;
    pir_map_put(&w->ctx->arena, &w->ids, pir_block_argument(block, i), (uint64_t)id);
    pir_json_next_item(w);
    pir_json_open(w, '{');
    pir_json_key(w, "#");
    pir_strbuf_int(&w->out, id);
    pir_json_key(w, "TT");
    pir_json_write_type(w, pir_value_type(pir_block_argument(block, i)));
    if (keywords) {
      pir_json_key(w, "key");
      pir_json_string(w, keyword);
    }
    pir_json_close(w, '}');
  }
  pir_json_close(w, ']');
}

static void begin_block(pir_json_writer *w, const pir_block *block) {
  bool keywords = false;
  for (size_t i = 0; i < pir_block_arguments(block); i++)
    keywords |= pir_block_argument_keyword(block, i).size > 0;
  pir_json_next_item(w);
  pir_json_open(w, '{');
  pir_json_key(w, "#");
  pir_strbuf_format(&w->out, "\"block_%llu\"", (unsigned long long)w->next_block++);
  pir_json_key(w, "args");
  write_arguments(w, block, false);
  if (keywords) {
    pir_json_key(w, "kwargs");
    write_arguments(w, block, true);
  }
  pir_json_key(w, "ops");
  pir_json_open(w, '[');
}

static void begin_region(pir_json_writer *w, const pir_op *op, size_t i) {
  const pir_block *block = pir_region_first(pir_op_region(op, i));
  pir_json_frame f = {op, i, block, block ? pir_block_first(block) : NULL};
  pir_json_next_item(w);
  pir_json_open(w, '{');
  pir_json_key(w, "#");
  pir_strbuf_format(&w->out, "\"region_%llu\"", (unsigned long long)w->next_region++);
  pir_json_key(w, "blocks");
  pir_json_open(w, '[');
  if (block)
    begin_block(w, block);
  pir_vec_push(&w->ctx->arena, &w->frames, f);
}

static void write_op(pir_json_writer *w, const pir_op *op) {
  w->op = op;
  fetch_attrs(w, op);
  pir_json_next_item(w);
  pir_json_open(w, '{');
  if (is_parameter(op)) {
    write_parameter(w, op);
  } else {
    write_op_id(w, pir_op_name(op));
    write_op_attrs(w, op);
    write_operands(w, op);
    write_results(w, op);
    write_output_attrs(w);
  }
  if (pir_op_regions(op) == 0) {
    pir_json_close(w, '}');
    return;
  }
  pir_json_key(w, "regions");
  pir_json_open(w, '[');
  begin_region(w, op, 0);
}

// Does one step at the innermost region: an op, the end of a block, or the end of the region.
static void write_step(pir_json_writer *w) {
  pir_json_frame *f = &w->frames.items[w->frames.count - 1];
  if (f->next) {
    const pir_op *op = f->next;
    f->next = pir_op_next(op);
    write_op(w, op);
    return;
  }
  if (f->block) {
    pir_json_close(w, ']');
    pir_json_close(w, '}');
    f->block = pir_block_next(f->block);
  }
  if (f->block) {
    f->next = pir_block_first(f->block);
    begin_block(w, f->block);
    return;
  }
  pir_json_frame done = pir_vec_pop(&w->frames);
  pir_json_close(w, ']');
  pir_json_close(w, '}');
  if (!done.op)
    return;
  if (done.region + 1 < pir_op_regions(done.op)) {
    begin_region(w, done.op, done.region + 1);
    return;
  }
  pir_json_close(w, ']');
  pir_json_close(w, '}');
}

static void write_program(pir_json_writer *w, const pir_program *program) {
  pir_json_open(w, '{');
  pir_json_key(w, "base_code");
  pir_json_open(w, '{');
  pir_json_text_key(w, "magic", "pir");
  pir_json_key(w, "trainable");
  pir_strbuf_str(&w->out, w->trainable ? PIR_STR("true") : PIR_STR("false"));
  pir_json_key(w, "version");
  pir_strbuf_int(&w->out, PIR_JSON_VERSION);
  pir_json_close(w, '}');
  pir_json_key(w, "program");
  pir_json_open(w, '{');
  pir_json_key(w, "regions");
  pir_json_open(w, '[');
  begin_region(w, pir_program_module(program), 0);
  w->frames.items[0].op = NULL;  // the module has one region and closes no op
  while (w->frames.count && !w->status && !w->out.failed)
    write_step(w);
  pir_json_close(w, ']');
  pir_json_close(w, '}');
  pir_json_close(w, '}');
}

typedef struct write_call {
  const pir_program *program;
  pir_json_options options;
  pir_writer out;
} write_call;

static pir_status write_json(void *user) {
  const write_call *call = user;
  char buffer[WRITE_BUFFER];
  const pir_program *program = call->program;
  pir_program_info info = pir_program_info_of(program);
  pir_json_writer w = {
      .ctx = pir_program_context(program), .indent = call->options.indent, .fresh = true};
  w.trainable = info.trainable || !pir_str_equal(info.format, PIR_STR("json"));
  pir_strbuf_init_writer(&w.out, call->out, buffer, sizeof buffer);
  write_program(&w, program);
  pir_map_free(&w.ctx->arena, &w.ids);
  pir_vec_free(&w.ctx->arena, &w.frames);
  pir_arena_free(&w.ctx->arena, w.attrs, w.attr_capacity * sizeof *w.attrs);
  bool written = pir_strbuf_flush(&w.out);
  if (w.status)
    return w.status;
  return written ? PIR_OK : PIR_IO;
}

pir_status pir_program_write_json(const pir_program *program, const pir_json_options *options,
                                  pir_writer out) {
  write_call call = {.program = program, .out = out};
  if (!program || !out.write)
    return pir_refuse_null(program ? pir_program_context(program) : NULL, __func__);
  PIR_TRY(PIR_TAKE(pir_program_context(program), pir_json_options, &call.options, options));
  return pir_context_enter(pir_program_context(program), write_json, &call);
}
