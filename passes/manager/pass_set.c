// Sets of passes beside the built-in ones, and the libraries that they come from. Names are
// checked when a pass joins a set, so that a text has one meaning in every context.
#include <pir/compiler/pass_library.h>

#include <manager_impl.h>

#include <extension.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PASSES = 255, MOST_LIBRARIES = 64 };

struct pir_pass_set {
  pir_allocator source;
  const pir_pass *passes[MOST_PASSES];
  size_t count;
  void *libraries[MOST_LIBRARIES];
  size_t library_count;
  // Texts of contexts name its passes: none may be added.
  atomic_bool registered;
};

typedef pir_status (*register_fn)(pir_pass_set *set, uint32_t version, pir_message *message);

static pir_status fail(pir_message *message, pir_status status, const char *format, ...)
    PIR_PRINTF(3, 4);

static pir_status fail(pir_message *message, pir_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  pir_text_vformat(message->text, sizeof message->text, format, args);
  va_end(args);
  return status;
}

// ---- making sets

pir_status pir_pass_set_create(const pir_allocator *allocator, pir_pass_set **out_set) {
  if (!out_set)
    return PIR_INVALID;
  *out_set = NULL;
  pir_allocator source = {0};
  if (allocator)
    source = *allocator;
  size_t size = sizeof(pir_pass_set);
  pir_pass_set *set =
      source.alloc ? source.alloc(source.user, size, _Alignof(pir_pass_set)) : malloc(size);
  if (!set)
    return PIR_EXHAUSTED;
  memset(set, 0, size);
  set->source = source;
  *out_set = set;
  return PIR_OK;
}

void pir_pass_set_destroy(pir_pass_set *set) {
  if (!set)
    return;
  for (size_t i = set->library_count; i-- > 0;)
    dlclose(set->libraries[i]);
  pir_allocator source = set->source;
  if (!source.alloc)
    free(set);
  else if (source.release)
    source.release(source.user, set, sizeof *set);
}

size_t pir_pass_set_count(const pir_pass_set *set) {
  return set->count;
}

const pir_pass *pir_pass_set_at(const pir_pass_set *set, size_t i) {
  return i < set->count ? set->passes[i] : NULL;
}

void pir_pass_set_register(pir_pass_set *set, pir_context *ctx) {
  atomic_store(&set->registered, true);
  pir_context_keep_pass_set(ctx, set);
}

// ---- adding passes

static bool is_word(const char *name) {
  for (const char *c = name; *c; c++) {
    bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
    bool digit = *c >= '0' && *c <= '9';
    if (!letter && !digit && !strchr("_-.", *c))
      return false;
  }
  return *name != 0;
}

static bool is_taken(const pir_pass_set *set, pir_str name) {
  for (size_t i = 0; i < set->count; i++)
    if (pass_is_called(set->passes[i], name))
      return true;
  return pir_pass_find(name) || pir_pipeline_text(name);
}

static pir_status check_name(const pir_pass_set *set, const char *name, pir_message *message) {
  static const char suffix[] = "_pass";
  if (!is_word(name))
    return fail(message, PIR_INVALID, "'%s' is no name of a pass", name);
  pir_str text = pir_str_from(name), brief = text;
  size_t cut = sizeof suffix - 1;
  if (text.size > cut && !strcmp(name + text.size - cut, suffix))
    brief.size -= cut;
  if (is_taken(set, text) || is_taken(set, brief))
    return fail(message, PIR_INVALID, "the name '%s' is taken by another pass or a pipeline",
                name);
  return PIR_OK;
}

static pir_status check_declared(const pir_pass *pass, pir_message *message) {
  if (!pass->run && !pass->rules)
    return fail(message, PIR_INVALID, "pass '%s' has no function", pass->name);
  for (const pir_option_def *o = pass->options; o && o->key; o++)
    if (!is_word(o->key) || o->kind > PIR_OPTION_TEXT)
      return fail(message, PIR_INVALID, "pass '%s' declares a bad option '%s'", pass->name,
                  o->key);
  return PIR_OK;
}

pir_status pir_pass_set_add(pir_pass_set *set, const pir_pass *pass, pir_message *message) {
  if (!message)
    return PIR_INVALID;
  if (!set || !pass || !pass->name)
    return fail(message, PIR_INVALID, "pir_pass_set_add: an argument is NULL");
  if (atomic_load(&set->registered))
    return fail(message, PIR_INVALID, "pass '%s' comes too late: the set has been registered",
                pass->name);
  if (set->count == MOST_PASSES)
    return fail(message, PIR_EXHAUSTED, "more than %d passes", MOST_PASSES);
  PIR_TRY(check_name(set, pass->name, message));
  if (pass->short_name && pass->short_name[0])
    PIR_TRY(check_name(set, pass->short_name, message));
  PIR_TRY(check_declared(pass, message));
  set->passes[set->count++] = pass;
  return PIR_OK;
}

// ---- libraries

// A library whose libpir is not this one would change programs with the code of the other.
static pir_status check_library(void *library, const char *path, pir_message *message) {
  const char *number = dlsym(library, "pir_passes_abi");
  if (!number)
    return fail(message, PIR_INVALID, "%s: exports no 'pir_passes_abi' (PIR_PASS_LIBRARY)",
                path);
  if (strncmp(number, PIR_SONAME, sizeof PIR_SONAME) != 0)
    return fail(message, PIR_UNSUPPORTED,
                "%s: was made for libpir.so.%.16s, this is libpir.so.%s", path, number,
                PIR_SONAME);
  void *theirs = dlsym(library, "pir_pass_set_add");
  pir_status (*ours)(pir_pass_set *, const pir_pass *, pir_message *) = pir_pass_set_add;
  if (theirs && memcmp(&theirs, &ours, sizeof theirs) != 0)
    return fail(message, PIR_UNSUPPORTED, "%s: is linked with another copy of libpir", path);
  return PIR_OK;
}

static pir_status add_passes(pir_pass_set *set, void *library, const char *path,
                             pir_message *message) {
  register_fn add;
  void *symbol = dlsym(library, "pir_register_passes");
  if (!symbol)
    return fail(message, PIR_INVALID, "%s: exports no 'pir_register_passes'", path);
  PIR_TRY(check_library(library, path, message));
  memcpy(&add, &symbol, sizeof add);
  size_t before = set->count;
  message->text[0] = 0;
  pir_status status = add(set, pir_version(), message);
  if (!status)
    return PIR_OK;
  set->count = before;
  pir_message why = *message;
  return fail(message, status, "%s: %s", path,
              why.text[0] ? why.text : pir_status_text(status));
}

pir_status pir_pass_set_load(pir_pass_set *set, const char *path, pir_message *message) {
  if (!message)
    return PIR_INVALID;
  if (!set || !path)
    return fail(message, PIR_INVALID, "pir_pass_set_load: an argument is NULL");
  if (set->library_count == MOST_LIBRARIES)
    return fail(message, PIR_EXHAUSTED, "more than %d libraries", MOST_LIBRARIES);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail(message, PIR_NOT_FOUND, "%s", dlerror());
  set->libraries[set->library_count++] = library;
  return add_passes(set, library, path, message);
}
