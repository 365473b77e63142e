// Reads PIR JSON. jansson checks the syntax, the nesting (2,048 levels, which also bounds the
// recursion here) and duplicate keys, and makes a tree. One pass over the tree builds the ops
// in file order. A parallel scan of the text finds the start of each op, so ops carry
// locations. Cost: linear in the file.
#include "serialize_read_impl.h"
#include <context_impl.h>
#include <pir/layer/origin.h>

#include <string.h>

#include <blank.h>
#include <report_progress.h>
#include <sized.h>

enum { MAX_LOCATION_COLUMN = (1 << 20) - 2 };

pir_status pir_json_fail_with(pir_json_reader *r, pir_status status, const char *format, ...) {
  pir_strbuf message;
  pir_strbuf_init(&message, r->arena);
  va_list args;
  va_start(args, format);
  if (r->op)
    pir_strbuf_format(&message, "\"%s\": ", r->op);
  pir_strbuf_vformat(&message, format, args);
  va_end(args);
  pir_loc loc = r->loc ? r->loc : pir_loc_text(r->ctx, r->file, 1, 1);
  status = pir_report(r->ctx, status, PIR_ERROR, loc, "%.*s", (int)message.size, message.data);
  pir_strbuf_free(&message);
  return status;
}

// ---- locations

static void note_op(pir_json_reader *r, const char *at, uint32_t line, const char *line_start) {
  size_t column = (size_t)(at - line_start) + 1;
  pir_loc loc = column <= MAX_LOCATION_COLUMN
                    ? pir_loc_text(r->ctx, r->file, line, (uint32_t)column)
                    : pir_loc_offset(r->ctx, r->file, (uint64_t)(at - r->text.data));
  pir_vec_push(r->arena, &r->locations, loc);
}

static const char *skip_string(const char *at, const char *end) {
  for (at++; at < end && *at != '"'; at++)
    if (*at == '\\')
      at++;
  return at;
}

// Finds the elements of every list called "ops", in the order of the file, which is the order
// of reading. The text has been accepted by jansson, so only brackets and strings matter.
static void find_ops(pir_json_reader *r) {
  const char *end = r->text.data + r->text.size, *at = r->text.data + r->begin,
             *line_start = at, *key = at;
  bool *is_ops = pir_arena_zalloc(r->arena, JSON_PARSER_MAX_DEPTH + 2);
  size_t depth = 0, key_size = 0;
  uint32_t line = r->first_line;
  char before = 0;  // the character before this one, spaces left out
  for (; at < end; at++) {
    if (*at == '\n') {
      line++;
      line_start = at + 1;
    }
    if (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
      continue;
    switch (*at) {
      case '"':
        key = at + 1;
        at = skip_string(at, end);
        key_size = (size_t)(at - key);
        break;
      case '[':
        is_ops[++depth] = before == ':' && key_size == 3 && memcmp(key, "ops", 3) == 0;
        break;
      case '{':
        if (is_ops[depth])
          note_op(r, at, line, line_start);
        is_ops[++depth] = false;
        break;
      case ']':
      case '}': depth--; break;
      default: break;
    }
    before = *at;
  }
  pir_arena_free(r->arena, is_ops, JSON_PARSER_MAX_DEPTH + 2);
}

// ---- values

// Ids are nonzero, so they serve as the map's keys in place of addresses.
static const void *key_of_id(int64_t id) {
  return (const void *)(intptr_t)id;
}

static pir_status define_id(pir_json_reader *r, int64_t id, pir_value *value) {
  if (id == 0)
    return PIR_OK;  // an absent result
  if (pir_map_find(&r->values, key_of_id(id)))
    return pir_json_fail(r, "value %lld is defined twice", (long long)id);
  pir_map_put(r->arena, &r->values, key_of_id(id), (uint64_t)(uintptr_t)value);
  return PIR_OK;
}

static pir_status read_operands(pir_json_reader *r, const json_t *json) {
  r->operands.count = 0;
  if (!json)
    return PIR_OK;
  PIR_TRY(pir_json_want_list(r, json, "operands (I)"));
  for (size_t i = 0; i < json_array_size(json); i++) {
    int64_t id = 0;
    PIR_TRY(pir_json_want_int(r, json_object_get(json_array_get(json, i), "%"),
                              "an operand's \"%\"", &id));
    pir_value *value = id ? pir_map_get(&r->values, key_of_id(id)) : NULL;
    if (id && !value)
      return pir_json_fail(r, "operand %zu is value %lld, which nothing before defines", i,
                           (long long)id);
    pir_vec_push(r->arena, &r->operands, value);
  }
  return PIR_OK;
}

static pir_status read_result_type(pir_json_reader *r, const json_t *json) {
  const pir_type *type;
  PIR_TRY(pir_json_read_type(r, json_object_get(json, "TT"), &type));
  pir_vec_push(r->arena, &r->result_types, type);
  return PIR_OK;
}

static pir_status read_result_types(pir_json_reader *r, const json_t *json) {
  r->result_types.count = 0;
  if (!json)
    return PIR_OK;
  if (json_is_object(json))
    return read_result_type(r, json);  // a parameter's result
  PIR_TRY(pir_json_want_list(r, json, "results (O)"));
  for (size_t i = 0; i < json_array_size(json); i++)
    PIR_TRY(read_result_type(r, json_array_get(json, i)));
  return PIR_OK;
}

static pir_status read_result_ids(pir_json_reader *r, const json_t *json, pir_op *op) {
  for (size_t i = 0; i < pir_op_results(op); i++) {
    int64_t id = 0;
    const json_t *result = json_is_object(json) ? json : json_array_get(json, i);
    PIR_TRY(pir_json_want_int(r, json_object_get(result, "%"), "a result's \"%\"", &id));
    PIR_TRY(define_id(r, id, pir_op_result(op, i)));
  }
  return PIR_OK;
}

// ---- attributes

static void push_attr(pir_json_reader *r, const char *name, const pir_attr *value) {
  pir_named_attr attr = {pir_name_get(r->ctx, pir_str_from(name)), value};
  pir_vec_push(r->arena, &r->attrs, attr);
}

// A list of {"AT":..,"N":..}.
static pir_status read_named_attrs(pir_json_reader *r, const json_t *json, const char *what) {
  if (!json)
    return PIR_OK;
  PIR_TRY(pir_json_want_list(r, json, what));
  for (size_t i = 0; i < json_array_size(json); i++) {
    const json_t *entry = json_array_get(json, i);
    pir_str name;
    const pir_attr *value;
    PIR_TRY(pir_json_want_string(r, json_object_get(entry, "N"), "an attribute's name", &name));
    if (!pir_text_is_word(name))
      return pir_json_fail(r, "an attribute's name is no word");
    PIR_TRY(pir_json_read_attr(r, json_object_get(entry, "AT"), &value));
    pir_named_attr attr = {pir_name_get(r->ctx, name), value};
    pir_vec_push(r->arena, &r->attrs, attr);
  }
  return PIR_OK;
}

static bool is_number_kind(pir_attr_kind kind) {
  return pir_attr_kind_is_int(kind) || pir_attr_kind_is_float(kind);
}

// Converts a number to the declared kind; everything else, and a number that would lose its
// value, stays unchanged.
static const pir_attr *number_as(pir_context *ctx, const pir_attr *attr, pir_attr_kind kind) {
  int64_t integer;
  double real;
  pir_attr_kind from = pir_attr_kind_of(attr);
  if (from == kind || !is_number_kind(from) || !is_number_kind(kind))
    return attr;
  if (pir_attr_kind_is_float(kind))
    return pir_attr_as_float(attr, &real) ? pir_attr_float(ctx, kind, real) : attr;
  if (pir_attr_kind_is_float(from) || !pir_attr_as_int(attr, &integer))
    return attr;
  if (kind == PIR_ATTR_I32 && (integer < INT32_MIN || integer > INT32_MAX))
    return attr;
  return pir_attr_int(ctx, kind, integer);
}

static const pir_attr *array_as(pir_json_reader *r, const pir_attr *attr, pir_attr_kind kind) {
  size_t count = pir_attr_elements(attr);
  const pir_attr **elements =
      pir_arena_zalloc(r->arena, pir_arena_size(r->arena, count, sizeof *elements));
  for (size_t i = 0; i < count; i++)
    elements[i] = number_as(r->ctx, pir_attr_element(attr, i), kind);
  const pir_attr *array = pir_attr_array(r->ctx, elements, count);
  pir_arena_free(r->arena, elements, count * sizeof *elements);
  return array;
}

static bool has_attr(const pir_json_reader *r, const char *name) {
  for (size_t i = 0; i < r->attrs.count; i++)
    if (pir_str_equal(pir_name_str(r->attrs.items[i].name), pir_str_from(name)))
      return true;
  return false;
}

// Files before version 4 hold some numbers with other kinds (i32 for i64, f32 for f64), which
// are converted to the declared ones. A missing flag or integer was added to the declaration
// since and gets its default. Paddle's version patches do both.
static void upgrade_attrs(pir_json_reader *r, const pir_opdef *def) {
  if (r->version >= PIR_JSON_VERSION)
    return;
  for (size_t i = 0; i < r->attrs.count; i++) {
    pir_named_attr *attr = &r->attrs.items[i];
    int at = pir_opdef_attr(def, pir_name_str(attr->name));
    if (at < 0)
      continue;
    const pir_attr_def *declared = &def->attrs[at];
    if (declared->kind == PIR_ATTR_ARRAY && pir_attr_kind_of(attr->value) == PIR_ATTR_ARRAY)
      attr->value = array_as(r, attr->value, (pir_attr_kind)declared->element_kind);
    else
      attr->value = number_as(r->ctx, attr->value, (pir_attr_kind)declared->kind);
  }
  for (size_t i = 0; i < def->attr_count && pir_json_describes(def); i++) {
    const pir_attr_def *declared = &def->attrs[i];
    bool plain = declared->kind == PIR_ATTR_I32 || declared->kind == PIR_ATTR_I64 ||
                 declared->kind == PIR_ATTR_BOOL;
    if (!plain || declared->required || has_attr(r, declared->name))
      continue;
    push_attr(r, declared->name,
              declared->kind == PIR_ATTR_BOOL
                  ? pir_attr_bool(r->ctx, declared->i != 0)
                  : pir_attr_int(r->ctx, (pir_attr_kind)declared->kind, declared->i));
  }
}

// ---- ops

static pir_status read_regions(pir_json_reader *r, const json_t *json, pir_op *op);

static pir_status read_flags(pir_json_reader *r, const json_t *list, const char *const names[3],
                             bool flags[3]) {
  for (size_t i = 0; i < 3; i++) {
    int64_t flag = 0;
    PIR_TRY(pir_json_want_int(r, json_array_get(list, i), names[i], &flag));
    flags[i] = flag != 0;
  }
  return PIR_OK;
}

static void push_flag(pir_json_reader *r, const char *name, bool flag) {
  push_attr(r, name, pir_attr_flag(r->ctx, flag));
}

// "p": attributes are known by their position.
static pir_status read_parameter_attrs(pir_json_reader *r, const json_t *json) {
  const json_t *flags = json_object_get(json, "A"), *outputs = json_object_get(json, "OA");
  pir_str name;
  if (json_array_size(flags) != 4)
    return pir_json_fail(r, "a parameter has 4 entries in A, found %zu",
                         json_array_size(flags));
  // A program that is not to be trained any more states none of them.
  if (outputs && json_array_size(outputs) != 3)
    return pir_json_fail(r, "a parameter has 3 entries in OA, found %zu",
                         json_array_size(outputs));
  bool a[3], oa[3] = {0};
  PIR_TRY(read_flags(r, flags, pir_json_parameter_flags, a));
  if (outputs)
    PIR_TRY(read_flags(r, outputs, pir_json_parameter_outputs, oa));
  // A parameter that Paddle has translated has none of these four attributes; they stay absent.
  // A file without DA predates this rule.
  bool absent = !a[0] && a[1] && !a[2] && oa[2] && json_object_get(json, "DA");
  for (int i = 0; i < 3 && !absent; i++)
    push_flag(r, pir_json_parameter_flags[i], a[i]);
  for (int i = 0; outputs && i < (absent ? 2 : 3); i++)
    push_flag(r, pir_json_parameter_outputs[i], oa[i]);
  PIR_TRY(pir_json_want_string(r, json_array_get(flags, 3), "a parameter's name", &name));
  push_attr(r, PIR_JSON_PARAMETER_NAME, pir_attr_str(r->ctx, PIR_ATTR_STR, name));
  PIR_TRY(read_named_attrs(r, json_object_get(json, "DA"), "DA"));
  return read_named_attrs(r, json_object_get(json, "QA"), "QA");
}

// "1.conv2d": the dialect by number, or by name where it has none.
static pir_status read_op_name(pir_json_reader *r, pir_str id, const pir_opdef **out_def) {
  const char *dot = memchr(id.data, '.', id.size);
  if (!dot || dot == id.data)
    return pir_json_fail(r, "an op's id is a dialect, a dot and a name");
  pir_str dialect = {id.data, (size_t)(dot - id.data)}, rest = {dot, id.size - dialect.size};
  if (rest.size == 1 || !pir_text_is_op_name(id))
    return pir_json_fail(r, "an op's id is a dialect, a dot and a name");
  int64_t number;
  if (pir_text_read_int(dialect, &number)) {
    dialect = number >= -127 && number <= 127 ? pir_json_dialect_name(r->ctx, (int)number)
                                              : PIR_STR("");
    if (!dialect.size)
      return pir_json_fail(r, "no dialect has the number %lld", (long long)number);
  }
  pir_strbuf name;
  pir_strbuf_init(&name, r->arena);
  pir_strbuf_str(&name, dialect);
  pir_strbuf_str(&name, rest);
  *out_def = pir_context_opdef(r->ctx, pir_strbuf_view(&name));
  pir_strbuf_free(&name);
  return PIR_OK;
}

static pir_status read_op_attrs(pir_json_reader *r, const json_t *json, bool parameter) {
  r->attrs.count = 0;
  if (parameter)
    return read_parameter_attrs(r, json);
  PIR_TRY(read_named_attrs(r, json_object_get(json, "A"), "attributes (A)"));
  return read_named_attrs(r, json_object_get(json, "OA"), "output attributes (OA)");
}

static pir_status begin_op(pir_json_reader *r) {
  uint64_t limit = pir_context_limits(r->ctx)->max_ops;
  r->loc = r->ops < r->locations.count ? r->locations.items[r->ops] : PIR_LOC_UNKNOWN;
  pir_context_note_place(r->ctx, r->loc);
  pir_progress_read(pir_context_progress(r->ctx), r->ops + 1);
  if (++r->ops > limit)
    return pir_json_fail_with(r, PIR_EXHAUSTED, "the program has more than %llu ops",
                              (unsigned long long)limit);
  return PIR_OK;
}

static pir_status read_op(pir_json_reader *r, const json_t *json, pir_block *block) {
  pir_str id;
  const pir_opdef *def = NULL;
  r->op = NULL;
  PIR_TRY(begin_op(r));
  PIR_TRY(pir_json_want_string(r, json_object_get(json, "#"), "an op's \"#\"", &id));
  r->op = id.data;
  bool parameter = pir_str_equal(id, PIR_STR("p"));
  if (parameter)
    def = pir_context_opdef(r->ctx, PIR_STR(PIR_JSON_PARAMETER));
  else
    PIR_TRY(read_op_name(r, id, &def));
  const json_t *results = json_object_get(json, "O"),
               *regions = json_object_get(json, "regions");
  PIR_TRY(read_operands(r, json_object_get(json, "I")));
  PIR_TRY(read_result_types(r, results));
  PIR_TRY(read_op_attrs(r, json, parameter));
  if (regions)
    PIR_TRY(pir_json_want_list(r, regions, "regions"));
  upgrade_attrs(r, def);
  pir_op_spec spec = {.def = def,
                      .loc = r->loc,
                      .operands = r->operands.items,
                      .operand_count = r->operands.count,
                      .result_types = r->result_types.items,
                      .result_count = r->result_types.count,
                      .attrs = r->attrs.items,
                      .attr_count = r->attrs.count,
                      .region_count = json_array_size(regions)};
  pir_op *op = pir_op_create(r->ctx, &spec);
  pir_block_append(block, op);
  PIR_TRY(read_result_ids(r, results, op));
  return regions ? read_regions(r, regions, op) : PIR_OK;
}

// ---- blocks and regions

static pir_status read_arguments(pir_json_reader *r, const json_t *json, bool keywords,
                                 pir_block *block) {
  if (!json)
    return PIR_OK;
  PIR_TRY(pir_json_want_list(r, json, "block arguments"));
  for (size_t i = 0; i < json_array_size(json); i++) {
    const json_t *entry = json_array_get(json, i);
    const pir_type *type;
    int64_t id = 0;
    pir_str keyword;
    PIR_TRY(pir_json_want_int(r, json_object_get(entry, "#"), "a block argument's \"#\"", &id));
    PIR_TRY(pir_json_read_type(r, json_object_get(entry, "TT"), &type));
    if (keywords)
      PIR_TRY(pir_json_want_string(r, json_object_get(entry, "key"), "a keyword argument's key",
                                   &keyword));
    if (keywords && !pir_text_is_word(keyword))
      return pir_json_fail(r, "a keyword argument's key is no word");
    PIR_TRY(define_id(r, id,
                      keywords ? pir_block_add_keyword_argument(block, keyword, type)
                               : pir_block_add_argument(block, type)));
  }
  return PIR_OK;
}

static pir_status read_block(pir_json_reader *r, const json_t *json, pir_block *block) {
  const json_t *ops = json_object_get(json, "ops");
  PIR_TRY(pir_json_want_list(r, ops, "ops"));
  PIR_TRY(read_arguments(r, json_object_get(json, "args"), false, block));
  PIR_TRY(read_arguments(r, json_object_get(json, "kwargs"), true, block));
  for (size_t i = 0; i < json_array_size(ops); i++)
    PIR_TRY(read_op(r, json_array_get(ops, i), block));
  return PIR_OK;
}

static pir_status read_regions(pir_json_reader *r, const json_t *json, pir_op *op) {
  uint64_t limit = pir_context_limits(r->ctx)->max_depth;
  if (++r->regions >= limit)
    return pir_json_fail_with(r, PIR_EXHAUSTED, "regions nest deeper than %llu levels",
                              (unsigned long long)limit);
  for (size_t i = 0; i < json_array_size(json); i++) {
    const json_t *blocks = json_object_get(json_array_get(json, i), "blocks");
    PIR_TRY(pir_json_want_list(r, blocks, "blocks"));
    for (size_t k = 0; k < json_array_size(blocks); k++)
      PIR_TRY(read_block(r, json_array_get(blocks, k),
                         pir_region_append_block(pir_op_region(op, i))));
  }
  r->regions--;
  return PIR_OK;
}

static pir_status read_file(pir_json_reader *r, const json_t *root) {
  const json_t *base = json_object_get(root, "base_code"),
               *magic = json_object_get(base, "magic");
  if (!json_is_string(magic) || strcmp(json_string_value(magic), "pir") != 0)
    return pir_json_fail(r, "not a PIR program: base_code.magic is not \"pir\"");
  PIR_TRY(
      pir_json_want_int(r, json_object_get(base, "version"), "base_code.version", &r->version));
  if (r->version < 0)
    return pir_json_fail_with(
        r, PIR_UNSUPPORTED,
        "unsupported: PIR JSON of version %lld, base_code.version; 0 and later are read",
        (long long)r->version);
  if (r->version == 0)  // Paddle refuses it: its own patches for it change from build to build
    pir_ignore(pir_report(
        r->ctx, PIR_OK, PIR_WARNING, pir_loc_text(r->ctx, r->file, r->first_line, 1),
        "PIR JSON of version 0 is of a development build; it is read like version 1"));
  pir_program_info info = {PIR_STR("json"), r->version,
                           json_is_true(json_object_get(base, "trainable"))};
  pir_program_set_info(r->program, info);
  const json_t *regions = json_object_get(json_object_get(root, "program"), "regions");
  PIR_TRY(pir_json_want_list(r, regions, "program.regions"));
  if (json_array_size(regions) != 1)
    return pir_json_fail(r, "a program has one region, found %zu", json_array_size(regions));
  const json_t *blocks = json_object_get(json_array_get(regions, 0), "blocks");
  PIR_TRY(pir_json_want_list(r, blocks, "the program's blocks"));
  if (json_array_size(blocks) != 1)
    return pir_json_fail(r, "a program has one block, found %zu", json_array_size(blocks));
  return read_block(r, json_array_get(blocks, 0), pir_program_block(r->program));
}

static pir_status report_syntax(pir_json_reader *r, const json_error_t *error) {
  uint32_t line = r->first_line + (error->line > 0 ? (uint32_t)error->line - 1 : 0),
           column = error->column > 0 ? (uint32_t)error->column : 1;
  pir_loc loc = column <= MAX_LOCATION_COLUMN
                    ? pir_loc_text(r->ctx, r->file, line, column)
                    : pir_loc_offset(r->ctx, r->file, r->begin + (uint64_t)error->position);
  bool deep = json_error_code(error) == json_error_stack_overflow;
  return pir_report(r->ctx, deep ? PIR_EXHAUSTED : PIR_INVALID, PIR_ERROR, loc, "JSON: %s",
                    error->text);
}

// JSON has no comments, but dumps that people keep often begin with some.
static void skip_comments(pir_json_reader *r) {
  const char *start = r->text.data, *begin = skip_blank(start, start + r->text.size);
  while (begin > start && begin[-1] != '\n')
    begin--;
  r->begin = (size_t)(begin - start);
  r->first_line = 1;
  for (const char *at = start; at < begin; at++)
    r->first_line += *at == '\n';
}

typedef struct read_call {
  pir_context *ctx;
  pir_str text, file;
  pir_program **out_program;
} read_call;

static void drop_json(void *root) {
  json_decref(root);
}

// The JSON is jansson's, from malloc.
static pir_status read_json(void *user) {
  const read_call *call = user;
  pir_json_reader r = {
      .ctx = call->ctx, .arena = &call->ctx->arena, .file = call->file, .text = call->text};
  json_error_t error;
  bool starved;
  pir_guard of_root, of_program;
  skip_comments(&r);
  pir_str json = {r.text.data + r.begin, r.text.size - r.begin};
  pir_context_note_task(r.ctx, "reading ", r.file);
  json_t *root = pir_json_load(json, &r.ctx->heap.watch, &error, &starved);
  pir_guard_open(&r.ctx->heap, &of_root, drop_json, root);
  pir_heap_poll(&r.ctx->heap);
  if (starved)
    pir_heap_fail(&r.ctx->heap);
  if (!root) {
    pir_guard_close(&of_root);
    return report_syntax(&r, &error);
  }
  find_ops(&r);
  r.program = pir_program_create(r.ctx);
  pir_program_guard(r.program, &of_program);
  pir_status status = read_file(&r, root);
  pir_guard_close(&of_program);
  pir_guard_close(&of_root);
  json_decref(root);
  pir_map_free(r.arena, &r.values);
  pir_vec_free(r.arena, &r.locations);
  pir_vec_free(r.arena, &r.operands);
  pir_vec_free(r.arena, &r.result_types);
  pir_vec_free(r.arena, &r.attrs);
  if (status)
    pir_program_destroy(r.program);
  else
    *call->out_program = r.program;
  if (!status)
    pir_origins_note_program(r.program);
  return status;
}

pir_status pir_program_read_json(pir_context *ctx, pir_str text, pir_str file,
                                 pir_program **out_program) {
  if (!ctx || !out_program)
    return pir_refuse_null(ctx, __func__);
  read_call call = {ctx, text, file, out_program};
  *out_program = NULL;
  pir_origins_begin(ctx);
  return pir_context_enter(ctx, read_json, &call);
}
