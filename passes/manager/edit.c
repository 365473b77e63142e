// Edits the list of passes that a manager will run: removes a pass, or inserts one. Used to
// vary a fixed pipeline. O(passes) each.

#include <manager_impl.h>

#include <string.h>

static pir_status report_name(pir_pass_manager *manager, const char *what, pir_str name) {
  return pir_report(manager->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN, "%s '%.*s'", what,
                    (int)name.size, name.data);
}

static void free_entry(pir_pass_manager *manager, manager_entry *entry) {
  pir_arena_free(manager->arena, entry->options, entry->option_count * sizeof *entry->options);
}

static pir_status report_absent(pir_pass_manager *manager, pir_str name) {
  return pir_report(manager->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                    "the pipeline has no pass '%.*s' (--dump-pipeline prints those it has)",
                    (int)name.size, name.data);
}

typedef struct edit_call {
  pir_pass_manager *manager;
  pir_str text;
} edit_call;

static pir_status delete_pass(void *user) {
  pir_pass_manager *manager = ((const edit_call *)user)->manager;
  pir_str name = ((const edit_call *)user)->text;
  size_t kept = 0, count = manager->entries.count;
  const pir_pass *pass = pass_find_known(manager, name);
  if (!pass)
    return pir_report(manager->ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "unknown pass '%.*s'%s", (int)name.size, name.data,
                      pass_hint(manager, name).text);
  for (size_t i = 0; i < count; i++) {
    manager_entry entry = manager->entries.items[i];
    if (entry.pass == pass)
      free_entry(manager, &entry);
    else
      manager->entries.items[kept++] = entry;
  }
  manager->entries.count = kept;
  return kept < count ? PIR_OK : report_absent(manager, name);
}

pir_status pir_pass_manager_delete(pir_pass_manager *manager, pir_str name) {
  if (!manager)
    return PIR_INVALID;
  edit_call call = {manager, name};
  return pir_context_enter(manager->ctx, delete_pass, &call);
}

static bool take_prefix(pir_str *text, pir_str prefix) {
  if (text->size < prefix.size || memcmp(text->data, prefix.data, prefix.size))
    return false;
  *text = (pir_str){text->data + prefix.size, text->size - prefix.size};
  return true;
}

// Parses a place: before:NAME (first occurrence), after:NAME (last occurrence), or a number;
// empty means the front.
static pir_status read_place(pir_pass_manager *manager, pir_str place, size_t *out_at) {
  pir_str text = place;
  bool before = take_prefix(&text, PIR_STR("before:")),
       after = !before && take_prefix(&text, PIR_STR("after:"));
  size_t count = manager->entries.count, at = 0;
  *out_at = 0;
  if (before || after) {
    const pir_pass *pass = pass_find_known(manager, text);
    for (size_t i = 0; pass && i < count; i++) {
      size_t k = before ? i : count - 1 - i;
      if (manager->entries.items[k].pass == pass) {
        *out_at = before ? k : k + 1;
        return PIR_OK;
      }
    }
    return report_absent(manager, text);
  }
  for (size_t i = 0; i < text.size; i++) {
    if (text.data[i] < '0' || text.data[i] > '9' || at > count)
      return report_name(manager, "no place in the pipeline:", place);
    at = at * 10 + (size_t)(text.data[i] - '0');
  }
  if (at > count)
    return report_name(manager, "no place in the pipeline:", place);
  *out_at = at;
  return PIR_OK;
}

static void reverse(manager_entry *entries, size_t count) {
  for (size_t i = 0; i < count / 2; i++) {
    manager_entry other = entries[i];
    entries[i] = entries[count - 1 - i];
    entries[count - 1 - i] = other;
  }
}

static pir_status insert_passes(void *user) {
  pir_pass_manager *manager = ((const edit_call *)user)->manager;
  pir_str item = ((const edit_call *)user)->text;
  const char *sign = item.size ? memchr(item.data, '@', item.size) : NULL;
  pir_str what = {item.data, sign ? (size_t)(sign - item.data) : item.size}, place = {"", 0};
  if (sign)
    place = (pir_str){sign + 1, item.size - what.size - 1};
  size_t at, count = manager->entries.count;
  PIR_TRY(read_place(manager, place, &at));
  PIR_TRY(pir_pass_manager_parse(manager, what));
  // The new passes were appended; three reversals rotate them into place.
  manager_entry *entries = manager->entries.items;
  size_t added = manager->entries.count - count;
  reverse(entries + at, count - at);
  reverse(entries + count, added);
  reverse(entries + at, count - at + added);
  return PIR_OK;
}

pir_status pir_pass_manager_insert(pir_pass_manager *manager, pir_str item) {
  if (!manager)
    return PIR_INVALID;
  edit_call call = {manager, item};
  return pir_context_enter(manager->ctx, insert_passes, &call);
}
