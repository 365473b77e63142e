// Options of passes: what passes read, and the checks when a pass joins a manager. A pass
// declares its options (passes.def); a rule pass takes those that its rules read, too.
#include <manager_impl.h>
#include <pass_list.h>

#include <pir/layer/nearest.h>
#include <pir/layer/pass_options.h>
#include <run.h>

#include <string.h>

// ---- reading
const pir_pass_option *pass_option(const pir_pass_run *run, const char *key) {
  for (size_t i = 0; i < run->option_count; i++)
    if (pir_str_equal(run->options[i].key, pir_str_from(key)))
      return &run->options[i];
  return NULL;
}

pir_str pir_run_option(const pir_pass_run *run, const char *key) {
  const pir_pass_option *option = pass_option(run, key);
  return option ? option->value : (pir_str){"", 0};
}

// Parses a number >= 0. False when the text is none, or too large.
static bool parse_number(pir_str text, int64_t *out_value) {
  int64_t value = 0;
  for (size_t i = 0; i < text.size; i++) {
    int digit = text.data[i] - '0';
    bool bad = digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
               __builtin_add_overflow(value, digit, &value);
    if (bad)
      return false;
  }
  *out_value = value;
  return text.size > 0;
}

int64_t pir_run_option_int(const pir_pass_run *run, const char *key, int64_t otherwise) {
  const pir_pass_option *option = pass_option(run, key);
  int64_t value = otherwise;
  if (option)  // a number since the pass joined the manager
    parse_number(option->value, &value);
  return value;
}

bool pir_run_option_bool(const pir_pass_run *run, const char *key, bool otherwise) {
  const pir_pass_option *option = pass_option(run, key);
  return option ? !pir_str_equal(option->value, PIR_STR("false")) : otherwise;
}

// ---- lists of ops

// The next name of a list, a|b; false at its end.
bool pass_next_name(pir_str *list, pir_str *out_name) {
  if (!list->size)
    return false;
  const char *bar = memchr(list->data, '|', list->size);
  size_t size = bar ? (size_t)(bar - list->data) : list->size;
  *out_name = (pir_str){list->data, size};
  size_t past = bar ? size + 1 : size;
  *list = (pir_str){list->data + past, list->size - past};
  return true;
}

// An op of any dialect may go by its name there.
static bool is_op_called(pir_str full, pir_str name) {
  if (pir_str_equal(full, name))
    return true;
  const char *dot = memchr(full.data, '.', full.size);
  return dot &&
         pir_str_equal((pir_str){dot + 1, full.size - (size_t)(dot + 1 - full.data)}, name);
}

static bool is_op_name(pir_context *ctx, pir_str name) {
  if (pir_context_opdef(ctx, name)->traits & PIR_REGISTERED)
    return true;
  for (size_t i = 0; i < pir_context_dialects(ctx); i++) {
    char full[128];
    pir_text_format(full, sizeof full, "%s.%.*s", pir_context_dialect(ctx, i)->name,
                    (int)name.size, name.data);
    if (pir_context_opdef(ctx, pir_str_from(full))->traits & PIR_REGISTERED)
      return true;
  }
  return false;
}

bool pir_run_option_lists(const pir_pass_run *run, const char *key, pir_str op_name) {
  pir_str list = pir_run_option(run, key), name;
  while (pass_next_name(&list, &name))
    if (is_op_called(op_name, name))
      return true;
  return false;
}

// ---- checks

static pir_status refuse_value(const pir_pass_manager *manager, const pir_pass *pass,
                               const pir_pass_option *option, const char *expected) {
  return pir_report(manager->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                    "option %.*s of pass %s expects %s, has '%.*s'", (int)option->key.size,
                    option->key.data, pass->name, expected, (int)option->value.size,
                    option->value.data);
}

pir_status pir_run_bad_option(const pir_pass_run *run, const char *key, const char *expected) {
  const pir_pass_manager *manager = run->manager;
  const pir_pass_option given = {pir_str_from(key), pir_run_option(run, key)};
  return refuse_value(manager, manager->entries.items[manager->current].pass, &given, expected);
}

static pir_status check_ops(const pir_pass_manager *manager, const pir_pass *pass,
                            const pir_pass_option *option) {
  pir_str list = option->value, name;
  while (pass_next_name(&list, &name)) {
    if (!is_op_name(manager->ctx, name))
      return pir_report(manager->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                        "option %.*s of pass %s names an unknown op '%.*s'%s",
                        (int)option->key.size, option->key.data, pass->name, (int)name.size,
                        name.data, pir_hint_op(manager->ctx, name).text);
  }
  return PIR_OK;
}

static pir_status check_value(const pir_pass_manager *manager, const pir_pass *pass,
                              const pir_pass_option *option, pir_option_kind kind) {
  int64_t number;
  bool is_switch = !option->value.size || pir_str_equal(option->value, PIR_STR("true")) ||
                   pir_str_equal(option->value, PIR_STR("false"));
  if (kind == PIR_OPTION_NUMBER && !parse_number(option->value, &number))
    return refuse_value(manager, pass, option, "a number");
  if (kind == PIR_OPTION_SWITCH && !is_switch)
    return refuse_value(manager, pass, option, "true or false");
  return kind == PIR_OPTION_OPS ? check_ops(manager, pass, option) : PIR_OK;
}

static const char *summary_of_rule_option(const pir_pass *pass, const char *key) {
  static const char *const rows[][3] = {
#define RULE_OPTION(pass, key, summary) {#pass, key, summary},
#include <passes.def>
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i][0], pass->name) && !strcmp(rows[i][1], key))
      return rows[i][2];
  return NULL;
}

bool pir_pass_taken_option(const pir_pass *pass, size_t i, pir_taken_option *out) {
  size_t declared = 0;
  for (const pir_option_def *o = pass->options; o && o->key; o++, declared++)
    if (declared == i) {
      *out = (pir_taken_option){o->key, o->kind, o->summary ? o->summary : "", ""};
      return true;
    }
  if (!pass->rules || !rules_read_option(pass->rules, i - declared, out))
    return false;
  const char *summary = summary_of_rule_option(pass, out->key);
  if (summary)
    out->summary = summary;
  return true;
}

static pir_status refuse_key(const pir_pass_manager *manager, const pir_pass *pass,
                             pir_str key) {
  pir_strbuf keys;
  pir_taken_option o;
  pir_nearest near = pir_nearest_begin(key);
  pir_strbuf_init(&keys, manager->arena);
  for (size_t i = 0; pir_pass_taken_option(pass, i, &o); i++) {
    pir_strbuf_format(&keys, "%s%s", i ? ", " : "; it takes ", o.key);
    pir_nearest_try(&near, o.key);
  }
  pir_status status =
      pir_report(manager->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                 "pass %s takes no option '%.*s'%.*s%s", pass->name, (int)key.size, key.data,
                 (int)keys.size, keys.data, pir_nearest_hint(&near).text);
  pir_strbuf_free(&keys);
  return status;
}

static pir_status check_option(const pir_pass_manager *manager, const pir_pass *pass,
                               const pir_pass_option *option) {
  pir_taken_option o;
  for (size_t i = 0; pir_pass_taken_option(pass, i, &o); i++)
    if (pir_str_equal(option->key, pir_str_from(o.key)))
      return check_value(manager, pass, option, o.kind);
  return refuse_key(manager, pass, option->key);
}

pir_status manager_check_options(const pir_pass_manager *manager, const pir_pass *pass,
                                 const pir_pass_option *options, size_t count) {
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < i; k++)
      if (pir_str_equal(options[i].key, options[k].key))
        return pir_report(manager->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                          "option %.*s of pass %s is given twice", (int)options[i].key.size,
                          options[i].key.data, pass->name);
    PIR_TRY(check_option(manager, pass, &options[i]));
  }
  return PIR_OK;
}
