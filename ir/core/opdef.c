// Questions to definitions of ops.
#include <pir/compiler/opdef.h>

#include <string.h>

static bool is_called(const char *name, pir_str wanted) {
  return name && strncmp(name, wanted.data, wanted.size) == 0 && name[wanted.size] == 0;
}

int pir_opdef_operand(const pir_opdef *def, pir_str name) {
  for (int i = 0; i < def->operand_count; i++)
    if (is_called(def->operands[i].name, name))
      return i;
  return -1;
}

int pir_opdef_result(const pir_opdef *def, pir_str name) {
  for (int i = 0; i < def->result_count; i++)
    if (is_called(def->results[i].name, name))
      return i;
  return -1;
}

int pir_opdef_gradient_of(const pir_opdef *def, size_t result) {
  const char *name = def->results[result].name;
  size_t size = strlen(name), tail = strlen("_grad");
  if (size <= tail || strcmp(name + size - tail, "_grad"))
    return -1;
  return pir_opdef_operand(def, (pir_str){name, size - tail});
}

int pir_opdef_attr(const pir_opdef *def, pir_str name) {
  for (int i = 0; i < def->attr_count; i++)
    if (is_called(def->attrs[i].name, name))
      return i;
  return -1;
}
