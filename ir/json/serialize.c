// Names that the reader and the writer of PIR JSON share, and the recognition of file formats.
#include "serialize_impl.h"

#include <string.h>

const char *const pir_json_parameter_flags[3] = {"is_distributed", "is_parameter", "need_clip"};
const char *const pir_json_parameter_outputs[3] = {"persistable", "stop_gradient", "trainable"};

bool pir_json_is_output_attr(pir_str name) {
  return pir_str_equal(name, PIR_STR("stop_gradient")) ||
         pir_str_equal(name, PIR_STR("persistable"));
}

const pir_type *pir_json_absent_part(pir_context *ctx) {
  const pir_tensor_spec spec = {.dtype = PIR_F32, .layout = PIR_LAYOUT_ANY};
  return pir_type_tensor_like(ctx, PIR_TYPE_TENSOR, &spec);
}

// Dialect numbers of the format itself; a loaded dialect may add its own.
static const struct {
  int number;
  const char *name;
} dialect_numbers[] = {{0, "builtin"}, {1, "pd_op"}, {2, "cf"},    {3, "custom_op"},
                       {4, "pd_dist"}, {-1, "test"}, {-2, "test1"}};
enum { DIALECT_NUMBERS = sizeof dialect_numbers / sizeof *dialect_numbers, NO_NUMBER = -128 };

pir_str pir_json_dialect_name(pir_context *ctx, int number) {
  for (size_t i = 0; i < pir_context_dialects(ctx); i++) {
    const pir_dialect *dialect = pir_context_dialect(ctx, i);
    if (dialect->json_id == number && number != NO_NUMBER)
      return pir_str_from(dialect->name);
  }
  for (size_t i = 0; i < DIALECT_NUMBERS; i++)
    if (dialect_numbers[i].number == number)
      return pir_str_from(dialect_numbers[i].name);
  return PIR_STR("");
}

bool pir_json_dialect_number(pir_context *ctx, pir_str name, int *out_number) {
  for (size_t i = 0; i < pir_context_dialects(ctx); i++) {
    const pir_dialect *dialect = pir_context_dialect(ctx, i);
    if (!pir_str_equal(name, pir_str_from(dialect->name)))
      continue;
    *out_number = dialect->json_id;
    return dialect->json_id != NO_NUMBER;
  }
  for (size_t i = 0; i < DIALECT_NUMBERS; i++) {
    if (!pir_str_equal(name, pir_str_from(dialect_numbers[i].name)))
      continue;
    *out_number = dialect_numbers[i].number;
    return true;
  }
  return false;
}

// ---- formats

static const char *skip_space(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r' || *at == '\f'))
    at++;
  return at;
}

const char *pir_skip_blank(const char *at, const char *end) {
  for (;;) {
    at = skip_space(at, end);
    if (end - at < 2 || at[0] != '/' || at[1] != '/')
      return at;
    const char *line = memchr(at, '\n', (size_t)(end - at));
    at = line ? line : end;
  }
}

static bool starts_with(const char *at, const char *end, const char *text) {
  size_t size = strlen(text);
  return (size_t)(end - at) >= size && memcmp(at, text, size) == 0;
}

// A ProgramDesc begins with its blocks (field 1) or its version (field 4), both
// length-delimited.
static bool looks_like_pdmodel(const char *at, const char *end) {
  if (end - at < 2 || (*at != 0x0a && *at != 0x22))
    return false;
  for (const char *c = at; c < end && c < at + 64; c++)
    if ((unsigned char)*c < 0x09)
      return true;  // field tags and lengths, never in text
  return false;
}

// A record begins with 16 zero bytes (record version, LoD levels, tensor version), then the
// size of a description, whose first field is the element type.
static bool looks_like_params(pir_str head) {
  static const char zeros[16] = {0};
  return head.size >= 22 && memcmp(head.data, zeros, sizeof zeros) == 0 && head.data[16] >= 2 &&
         head.data[20] == 0x08;
}

pir_format pir_detect_format(pir_str head) {
  if (!head.size)
    return PIR_FORMAT_UNKNOWN;
  const char *end = head.data + head.size;
  if (looks_like_params(head))
    return PIR_FORMAT_PARAMS;
  if (looks_like_pdmodel(head.data, end))
    return PIR_FORMAT_PDMODEL;
  const char *at = pir_skip_blank(head.data, end);
  if (starts_with(at, end, "program") || starts_with(at, end, "(%") ||
      starts_with(at, end, "() ="))
    return PIR_FORMAT_TEXT;
  if (at == end || *at != '{')
    return PIR_FORMAT_UNKNOWN;
  at = pir_skip_blank(at + 1, end);
  return at < end && *at == '"' ? PIR_FORMAT_JSON : PIR_FORMAT_TEXT;
}
