// Ops of a set that texts declare in the language of `.ops` files: each text is a dialect table
// of its own, with its memory.
#include <pir/layer/user_ops.h>
#include <sized.h>
#include <string.h>

#include "custom_impl.h"

enum { NO_JSON_NUMBER = -128 };

static const pir_opdef *find_in_table(const pir_dialect *dialect, const char *name) {
  for (size_t i = 0; i < dialect->op_count; i++)
    if (!strcmp(dialect->ops[i].name, name))
      return &dialect->ops[i];
  return NULL;
}

const pir_opdef *pir_custom_find(void *of, const char *name) {
  const pir_custom_set *set = of;
  const pir_opdef *found = find_in_table(&set->dialect, name);
  for (const custom_text *t = set->texts; t && !found; t = t->next)
    found = find_in_table(&t->dialect, name);
  return found;
}

pir_status pir_custom_texts_register(const pir_custom_set *set, pir_context *ctx) {
  for (const custom_text *t = set->texts; t; t = t->next)
    PIR_TRY(pir_context_register(ctx, &t->dialect));
  return PIR_OK;
}

static void destroy_text(pir_custom_set *set, custom_text *t) {
  pir_arena_destroy(&t->memory);
  pir_heap_release(&t->heap);
  pir_mem_give(&set->allocator, t, sizeof *t);
}

void pir_custom_texts_destroy(pir_custom_set *set) {
  for (custom_text *t = set->texts, *next; t; t = next) {
    next = t->next;
    destroy_text(set, t);
  }
}

typedef struct declaring {
  const pir_user_ops_text *text;
  custom_text *to;
  pir_message *message;
} declaring;

static pir_status read_text(void *user) {
  declaring *d = user;
  return pir_user_ops_read(d->text, &d->to->memory, &d->to->dialect, d->message);
}

// A number in JSON names one dialect.
static pir_status check_json(const pir_custom_set *set, const pir_dialect *dialect,
                             pir_message *message) {
  for (const custom_text *t = set->texts; t; t = t->next)
    if (t->dialect.json_id == dialect->json_id && dialect->json_id != NO_JSON_NUMBER &&
        strcmp(t->dialect.name, dialect->name) != 0)
      return pir_exec_fail(message, PIR_INVALID,
                           "dialects '%s' and '%s' have one number in JSON, %d",
                           t->dialect.name, dialect->name, dialect->json_id);
  return PIR_OK;
}

static pir_status add_text(pir_custom_set *set, const pir_user_ops_text *text,
                           pir_message *message) {
  if (set->text_count == CUSTOM_MOST_TEXTS)
    return pir_exec_fail(message, PIR_EXHAUSTED, "more than %d texts", CUSTOM_MOST_TEXTS);
  custom_text *t = pir_mem_get(&set->allocator, sizeof *t);
  if (!t)
    return PIR_EXHAUSTED;
  *t = (custom_text){0};
  pir_heap_init(&t->heap, &set->allocator);
  pir_arena_init(&t->memory, &t->heap);
  declaring call = {text, t, message};
  pir_status status = pir_heap_catch(&t->heap, read_text, &call, NULL);
  if (!status)
    status = check_json(set, &t->dialect, message);
  if (status) {
    destroy_text(set, t);
    return status;
  }
  *set->last_text = t;
  set->last_text = &t->next;
  set->text_count++;
  return PIR_OK;
}

pir_status pir_custom_set_declare(pir_custom_set *set, pir_str text,
                                  const pir_ops_options *options, pir_message *message) {
  pir_ops_options known;
  sized_text why;
  if (!message)
    return PIR_INVALID;
  message->text[0] = 0;
  if (!set || (!text.data && text.size))
    return pir_exec_fail(message, PIR_INVALID, "pir_custom_set_declare: an argument is NULL");
  pir_status status = pir_sized_read("pir_ops_options", &known, sizeof known, options, &why);
  if (status)
    return pir_exec_fail(message, status, "%s", why.text);
  if (atomic_load(&set->registered))
    return pir_exec_fail(message, PIR_INVALID, "a set that is registered takes no more ops");
  pir_user_ops_text from = {.text = text.data ? text : PIR_STR(""),
                            .file = known.file,
                            .read = known.read,
                            .user = known.user,
                            .sink = known.sink,
                            .dialect = (uint32_t)(CUSTOM_FIRST_TEXT + set->text_count),
                            .find = pir_custom_find,
                            .owner = set};
  status = add_text(set, &from, message);
  return status && !message->text[0] ? pir_exec_fail(message, status, "out of memory") : status;
}
