// The tables of passes and named pipelines, and the syntax of pipelines:
//
//   pipeline := [item {"," item}]
//   item     := name ["{" [option {"," option}] "}"] | "builtin.module" "(" pipeline ")"
//   option   := key ["=" value]
//
// A name is a pass (its long name, with or without `_pass`, or its short name) or a named
// pipeline, which is expanded in place. builtin.module(..) is accepted as MLIR's tools write
// it: all passes here are passes over the module.

#include <pir/compiler/pass_library.h>

#include <extension.h>
#include <manager_impl.h>
#include <pass_list.h>

#include <string.h>

#define OPTION(key, kind, otherwise, summary)                                                  \
  {key, PIR_OPTION_##kind, summary " (default: " otherwise ")"},
#define PASS(name, short_name, fn, level, summary, ...)                                        \
  static const pir_option_def options_of_##fn[] = {__VA_ARGS__{0}};                            \
  static const pir_pass entry_of_##fn = {name, short_name, level,          summary,            \
                                         fn,   NULL,       options_of_##fn};
#define RULES_BY(name, short_name, fn, level, summary, ...)                                    \
  static const pir_option_def options_of_##fn[] = {__VA_ARGS__{0}};                            \
  static const pir_pass entry_of_##fn = {#name, short_name,           level,          summary, \
                                         fn,    &pir_rules_of_##name, options_of_##fn};
#include <passes.def>

static const pir_pass *const passes[] = {
#define PASS(name, short_name, fn, level, summary, ...) &entry_of_##fn,
#define RULES(name) &pir_pass_of_##name,
#define RULES_BY(name, short_name, fn, level, summary, ...) &entry_of_##fn,
#include <passes.def>
};

typedef struct named_pipeline {
  const char *name, *text;
} named_pipeline;

static const named_pipeline pipelines[] = {
#define PIPELINE(name, text) {name, text},
#include <passes.def>
};

enum {
  PASS_COUNT = sizeof passes / sizeof *passes,
  PIPELINE_COUNT = sizeof pipelines / sizeof *pipelines
};

static bool is_called(const char *name, pir_str wanted) {
  return strlen(name) == wanted.size && memcmp(name, wanted.data, wanted.size) == 0;
}

bool pass_is_called(const pir_pass *pass, pir_str wanted) {
  static const char suffix[] = "_pass";
  size_t size = strlen(pass->name), cut = sizeof suffix - 1;
  if (is_called(pass->name, wanted) ||
      (pass->short_name && pass->short_name[0] && is_called(pass->short_name, wanted)))
    return true;
  return wanted.size + cut == size && memcmp(pass->name, wanted.data, wanted.size) == 0 &&
         memcmp(pass->name + wanted.size, suffix, cut) == 0;
}

const pir_pass *pir_pass_find(pir_str name) {
  for (size_t i = 0; i < PASS_COUNT; i++)
    if (pass_is_called(passes[i], name))
      return passes[i];
  return NULL;
}

size_t pir_passes(void) {
  return PASS_COUNT;
}
const pir_pass *pir_pass_at(size_t i) {
  return i < PASS_COUNT ? passes[i] : NULL;
}

const char *pir_pipeline_text(pir_str name) {
  for (size_t i = 0; i < PIPELINE_COUNT; i++)
    if (is_called(pipelines[i].name, name))
      return pipelines[i].text;
  return NULL;
}

size_t pir_pipelines(void) {
  return PIPELINE_COUNT;
}
const char *pir_pipeline_name(size_t i) {
  return i < PIPELINE_COUNT ? pipelines[i].name : NULL;
}

// ---- text

enum { MAX_OPTIONS = 16 };

typedef struct reader {
  pir_pass_manager *manager;
  pir_str text;
  size_t at;
  bool in_module;
} reader;

static pir_status report_hint(const reader *r, size_t at, const char *what, pir_str name,
                              const char *hint) {
  pir_loc loc = pir_loc_text(r->manager->ctx, PIR_STR("<pipeline>"), 1, (uint32_t)(at + 1));
  return pir_report(r->manager->ctx, PIR_INVALID, PIR_ERROR, loc, "%s '%.*s'%s", what,
                    (int)name.size, name.data, hint);
}

static pir_status report_at(const reader *r, size_t at, const char *what, pir_str name) {
  return report_hint(r, at, what, name, "");
}

static pir_str rest(const reader *r) {
  return (pir_str){r->text.data + r->at, r->text.size - r->at};
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

static bool at_end(reader *r) {
  while (r->at < r->text.size && is_blank(r->text.data[r->at]))
    r->at++;
  return r->at == r->text.size;
}

static bool take(reader *r, char c) {
  if (at_end(r) || r->text.data[r->at] != c)
    return false;
  r->at++;
  return true;
}

static pir_str take_word(reader *r, const char *stop) {
  at_end(r);
  size_t start = r->at;
  while (r->at < r->text.size && !strchr(stop, r->text.data[r->at]))
    r->at++;
  size_t end = r->at;
  while (end > start && is_blank(r->text.data[end - 1]))
    end--;
  return (pir_str){r->text.data + start, end - start};
}

static pir_status read_options(reader *r, pir_pass_option *options, size_t *count) {
  *count = 0;
  if (!take(r, '{') || take(r, '}'))
    return PIR_OK;
  do {
    size_t start = r->at;
    if (*count == MAX_OPTIONS)
      return report_at(r, start, "too many options at", rest(r));
    pir_pass_option *option = &options[(*count)++];
    option->key = take_word(r, "=,}");
    option->value = take(r, '=') ? take_word(r, ",}") : (pir_str){"", 0};
    if (!option->key.size)
      return report_at(r, start, "expected an option at", rest(r));
  } while (take(r, ','));
  if (take(r, '}'))
    return PIR_OK;
  if (at_end(r))
    return report_at(r, r->at, "expected '}' at the end of", r->text);
  return report_at(r, r->at, "expected '}' at", rest(r));
}

static pir_status read_pipeline_passes(reader *r);
static pir_status read_passes_of_module(reader *r);

const pir_pass *pass_find_known(const pir_pass_manager *manager, pir_str name) {
  for (size_t i = 0; i < manager->known.count; i++)
    if (pass_is_called(manager->known.items[i], name))
      return manager->known.items[i];
  const pir_pass_set *set = pir_context_pass_set(manager->ctx);
  for (size_t i = 0; set && i < pir_pass_set_count(set); i++)
    if (pass_is_called(pir_pass_set_at(set, i), name))
      return pir_pass_set_at(set, i);
  return pir_pass_find(name);
}

static void try_pass(pir_nearest *near, const pir_pass *pass) {
  pir_nearest_try(near, pass->name);
  if (pass->short_name)
    pir_nearest_try(near, pass->short_name);
}

static pir_nearest nearest_pass(const pir_pass_manager *manager, pir_str name) {
  pir_nearest near = pir_nearest_begin(name);
  const pir_pass_set *set = pir_context_pass_set(manager->ctx);
  for (size_t i = 0; i < manager->known.count; i++)
    try_pass(&near, manager->known.items[i]);
  for (size_t i = 0; set && i < pir_pass_set_count(set); i++)
    try_pass(&near, pir_pass_set_at(set, i));
  for (size_t i = 0; i < PASS_COUNT; i++)
    try_pass(&near, passes[i]);
  for (size_t i = 0; i < PIPELINE_COUNT; i++)
    pir_nearest_try(&near, pipelines[i].name);
  return near;
}

// The name may lack `_pass`.
pir_hint pass_hint(const pir_pass_manager *manager, pir_str name) {
  char longer[64];
  size_t size = pir_text_format(longer, sizeof longer, "%.*s_pass", (int)name.size, name.data);
  pir_nearest near = nearest_pass(manager, name),
              with = nearest_pass(manager, (pir_str){longer, size});
  return pir_nearest_hint(with.best && with.edits < near.edits ? &with : &near);
}

static pir_status read_pipeline_pass(reader *r) {
  at_end(r);
  size_t start = r->at, count;
  pir_str name = take_word(r, "{,}()");
  if (pir_str_equal(name, PIR_STR("builtin.module")) && take(r, '('))
    return read_passes_of_module(r);
  pir_pass_option options[MAX_OPTIONS];
  if (!name.size)
    return report_at(r, start, "expected a pass at", rest(r));
  PIR_TRY(read_options(r, options, &count));
  const pir_pass *pass = pass_find_known(r->manager, name);
  if (pass)
    return pir_pass_manager_add(r->manager, pass, options, count);
  const char *text = pir_pipeline_text(name);
  if (!text)
    return report_hint(r, start, "unknown pass", name, pass_hint(r->manager, name).text);
  if (count)
    return report_at(r, start, "a named pipeline takes no options:", name);
  reader inner = {r->manager, pir_str_from(text), 0, false};
  return read_pipeline_passes(&inner);
}

// Items up to the end, or to `close`, which is taken.
static pir_status read_item_list(reader *r, char close) {
  if (close ? take(r, close) : at_end(r))
    return PIR_OK;
  do
    PIR_TRY(read_pipeline_pass(r));
  while (take(r, ','));
  if (close ? take(r, close) : at_end(r))
    return PIR_OK;
  return report_at(r, r->at, close ? "expected ',' or ')' at" : "expected ',' at", rest(r));
}

static pir_status read_passes_of_module(reader *r) {
  if (r->in_module)
    return report_at(r, r->at, "a module in a module at", rest(r));
  r->in_module = true;
  PIR_TRY(read_item_list(r, ')'));
  r->in_module = false;
  return PIR_OK;
}

static pir_status read_pipeline_passes(reader *r) {
  return read_item_list(r, 0);
}

static pir_status read_pipeline(void *user) {
  return read_pipeline_passes(user);
}

pir_status pir_pass_manager_parse(pir_pass_manager *manager, pir_str pipeline) {
  if (!manager)
    return PIR_INVALID;
  reader r = {manager, pipeline, 0, false};
  return pir_context_enter(manager->ctx, read_pipeline, &r);
}
