// Names that the reader and the writer of PIR JSON share.
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

// Paddle has no description of the attributes of ops with regions and of the dialects that hold
// a program together, and so stores all that they have.
bool pir_json_describes(const pir_opdef *def) {
  static const char *const bare[] = {"builtin.", "cf.", "dist_op."};
  for (size_t i = 0; i < sizeof bare / sizeof *bare; i++)
    if (!strncmp(def->name, bare[i], strlen(bare[i])))
      return false;
  return def->region_count == 0 && (def->attr_count || def->operand_count);
}
