#include "training_steps.h"

#include <decimal.h>
#include <math.h>
#include <pir/layer/named_values.h>
#include <pir/layer/value_names.h>
#include <string.h>
#include <vec.h>

#include "program_ports.h"

bool steps_read_number(pir_str text, double *out) {
  char buffer[64], *end;
  bool decimal = text.size && text.size < sizeof buffer && text.data[0] >= '0' &&
                 text.data[0] <= '9' && !memchr(text.data, 'x', text.size);
  if (!decimal)
    return !text.size;
  memcpy(buffer, text.data, text.size);
  buffer[text.size] = 0;
  *out = pir_decimal_read(buffer, &end);
  return !*end && isfinite(*out) && *out >= 0;
}

// ---- what passes.def states

typedef struct stated_option {
  const char *key, *otherwise;
} stated_option;

#define OPTION(key, kind, otherwise, summary) {key, otherwise},
#define PASS(name, short_name, fn, level, summary, ...)                                        \
  static const stated_option stated_by_##fn[] = {__VA_ARGS__{0}};
#include <passes.def>

static const struct {
  const char *pass;
  const stated_option *options;
} stated[] = {
#define PASS(name, short_name, fn, level, summary, ...) {short_name, stated_by_##fn},
#include <passes.def>
};

static const char *stated_default(const char *pass, const char *key) {
  for (size_t i = 0; i < sizeof stated / sizeof *stated; i++)
    for (const stated_option *o = stated[i].options; o->key && !strcmp(stated[i].pass, pass);
         o++)
      if (!strcmp(o->key, key))
        return o->otherwise;
  return "";
}

bool steps_number(const pir_pass_run *run, const char *pass, const char *key, const char *of,
                  double *out) {
  *out = 0;
  pir_str given = pir_run_option(run, key);
  if (pass_option(run, key))
    return given.size && steps_read_number(given, out);
  const char *text = stated_default(pass, key), *other = strstr(text, "; "),
             *names = other ? strstr(other, " of ") : NULL, *end = other;
  if (names && steps_has_word(names + 4, of)) {
    text = other + 2;
    end = names;
  }
  pir_str number = {text, end ? (size_t)(end - text) : strlen(text)};
  if (!steps_read_number(number, out))
    *out = 0;  // a word: none
  return true;
}

static void note_name(void *user, const pir_op *op, pir_str name) {
  pir_context *ctx = pir_op_context(op);
  pir_map_put(pir_context_arena(ctx), user, pir_name_get(ctx, name), 1);
}

pir_status steps_add_variable(const pir_pass_run *run, pir_map *names, const char *who,
                              pir_str name, const pir_type *type, pir_value **out) {
  pir_context *ctx = pir_program_context(run->program);
  pir_name *key = pir_name_get(ctx, name);
  pir_value *taken;
  pir_status status = PIR_OK;
  if (!names->count)
    pir_each_port_name(run->program, note_name, names);
  if (pir_map_get(names, key) ||
      pir_program_find_value(run->program, name, &taken) != PIR_NOT_FOUND)
    status = pir_report(ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                        "%s: the program has a value \"%.*s\" already", who, (int)name.size,
                        name.data);
  pir_map_put(pir_context_arena(ctx), names, key, 1);
  pir_op *first = pir_block_first(pir_program_block(run->program));
  *out = program_add_input(run, first, name, type);
  pir_op *op = pir_value_op(*out);
  pir_op_set_attr(op, pir_name_get(ctx, PIR_STR("persistable")), pir_attr_flag(ctx, true));
  pir_op_set_attr(op, pir_name_get(ctx, PIR_STR("stop_gradient")), pir_attr_flag(ctx, true));
  return status;
}

// The rule of every op that is not part of the network: results that exist stop gradients.
static void state_all_stop(void *user, pir_op *op) {
  pir_context *ctx = user;
  PIR_VEC(const pir_attr *) each = {0};
  for (size_t i = 0; i < pir_op_results(op); i++)
    pir_vec_push(pir_context_arena(ctx), &each,
                 pir_attr_bool(ctx, pir_value_type(pir_op_result(op, i)) != NULL));
  if (each.count)
    pir_op_set_attr(op, pir_name_get(ctx, PIR_STR("stop_gradient")),
                    pir_attr_array(ctx, each.items, each.count));
}

pir_builder steps_builder(pir_op *at) {
  pir_builder b = pir_builder_before(at);
  b.inserted = state_all_stop;
  b.user = b.ctx;
  return b;
}

bool steps_has_word(const char *words, const char *word) {
  size_t size = strlen(word);
  for (const char *at = words; size && (at = strstr(at, word)); at += size)
    if ((at == words || at[-1] == ' ') && (at[size] == ' ' || at[size] == ',' || !at[size]))
      return true;
  return false;
}
