// Code of groups: the text of a program's code is cut where the code of a group begins: at a
// line "group g7: .." of loop IR, at a label "g7_..:" of assembly.
#include <stdlib.h>
#include <string.h>

#include "view_data.h"

// The number of the group whose code begins with a line; -1: it begins none.
static long group_of(pir_str line) {
  static const char word[] = "group g";
  size_t at = 1;
  if (line.size > sizeof word && memcmp(line.data, word, sizeof word - 1) == 0)
    at = sizeof word - 1;
  else if (line.size < 3 || line.data[0] != 'g' || line.data[line.size - 1] != ':')
    return -1;
  long number = 0;
  size_t begin = at;
  for (; at < line.size && at < begin + 9 && line.data[at] >= '0' && line.data[at] <= '9'; at++)
    number = number * 10 + (line.data[at] - '0');
  bool ends = at < line.size && (line.data[at] == ':' || line.data[at] == '_');
  return at > begin && ends ? number : -1;
}

// Numbers of the group ops, in the order of their code.
static uint32_t *list_groups(view *v, const pir_program *program, size_t *out_count) {
  size_t count = 0;
  for (const pir_op *op = pir_group_next(program, NULL); op; op = pir_group_next(program, op))
    count++;
  uint32_t *numbers = calloc(count + 1, sizeof *numbers);
  *out_count = 0;
  for (const pir_op *op = pir_group_next(program, NULL); op && numbers;
       op = pir_group_next(program, op)) {
    const view_item *item = view_item_of(&v->items, op);
    numbers[(*out_count)++] = item ? item->number : 0;
  }
  return numbers;
}

// The code of group `number`, if the program has it.
static void put_group_code(view *v, const uint32_t *groups, size_t count, long number,
                           const char *name, pir_str text) {
  json *j = &v->code;
  if (number < 0 || (size_t)number >= count)
    return;
  json_open(j, '[');
  json_int(j, groups[number]);
  json_text(j, pir_str_from(name));
  json_text(j, text);
  json_close(j, ']');
}

static void cut_text(view *v, const pir_program *program, const char *name, pir_str text) {
  size_t count, begin = 0, next;
  uint32_t *groups = list_groups(v, program, &count);
  long current = -1;
  v->failed |= !groups;
  for (size_t at = 0; at < text.size && groups; at = next) {
    const char *end = memchr(text.data + at, '\n', text.size - at);
    pir_str line = {text.data + at, end ? (size_t)(end - text.data) - at : text.size - at};
    long group = group_of(line);
    next = at + line.size + 1;
    if (group < 0 || group == current)
      continue;
    put_group_code(v, groups, count, current, name, (pir_str){text.data + begin, at - begin});
    current = group;
    begin = at;
  }
  put_group_code(v, groups, groups ? count : 0, current, name,
                 (pir_str){text.data + begin, text.size - begin});
  free(groups);
}

pir_status view_add_code(view *v, const pir_program *program, const pir_target *target,
                         pir_math math, pir_code_form form) {
  json text;
  if (!pir_group_next(program, NULL))
    return PIR_OK;
  if (!json_begin(&text))
    return PIR_EXHAUSTED;
  pir_status status =
      pir_codegen_write(program, target, math, form, false, json_plain_writer(&text));
  if (!status && !json_flush(&text))
    status = PIR_EXHAUSTED;
  if (!status)
    cut_text(v, program, form == PIR_CODE_LOOPS ? "loops" : "machine code",
             (pir_str){text.data, text.size});
  json_free(&text);
  return status;
}
