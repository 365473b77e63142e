// The page: its parts in order, and the data as one JSON object in a script element.
#include "view.h"

#include <pir/compiler/context.h>
#include <pir/compiler/op.h>
#include <stdlib.h>
#include <string.h>

#include "assets.h"
#include "meaning.h"
#include "view_data.h"

static json *const *data_parts(view *v, json *room[7]) {
  json *parts[] = {&v->records, &v->steps, &v->statistics, &v->code,
                   &v->diags,   &v->extra, &v->scratch};
  memcpy(room, parts, sizeof parts);
  return room;
}

view *view_create(const char *title) {
  json *room[7];
  view *v = calloc(1, sizeof *v);
  if (!v)
    return NULL;
  v->title = strdup(title);
  v->failed = !v->title;
  for (size_t i = 0; i < 7; i++)
    v->failed |= !json_begin(data_parts(v, room)[i]);
  if (!v->failed)
    return v;
  view_destroy(v);
  return NULL;
}

void view_destroy(view *v) {
  json *room[7];
  if (!v)
    return;
  for (size_t i = 0; i < 7; i++)
    json_free(data_parts(v, room)[i]);
  view_strings_free(&v->strings);
  view_strings_free(&v->names);
  view_strings_free(&v->weights);
  free(v->items.slots);
  free(v->title);
  free(v->source);
  free(v);
}

void view_add_diag(view *v, const pir_diag *diag) {
  static const char *const names[] = {"error", "warning", "note", "remark"};
  json *j = &v->diags;
  json_open(j, '[');
  json_text(j, pir_str_from(names[diag->severity]));
  json_int(j, diag->place.is_offset ? 0 : diag->place.line);
  json_int(j, diag->place.column);
  json_text(j, diag->message);
  json_text(j, diag->op_path);
  json_close(j, ']');
}

void view_set_source(view *v, pir_str text) {
  free(v->source);
  v->source = malloc(text.size + 1);
  v->source_size = v->source ? text.size : 0;
  if (v->source)
    memcpy(v->source, text.data, text.size);
  else
    v->failed = true;
}

void view_add_data(view *v, const char *key, pir_str text) {
  json_key(&v->extra, key);
  json_raw(&v->extra, text);
}

// ---- writing

// [name, entry, form, ..]; nothing for an operator that no file of the library declares.
static void put_declaration(json *j, pir_str name) {
  pir_str entry = view_meaning(name);
  if (!entry.size)
    return;
  json_open(j, '[');
  json_text(j, name);
  json_text(j, entry);
  for (size_t i = 0;; i++) {
    pir_str form = view_meaning_form(name, entry, i);
    if (!form.size)
      break;
    json_text(j, form);
  }
  json_close(j, ']');
}

static void put_used_ops(view *v, json *j) {
  json_key(j, "meanings");
  json_open(j, '[');
  for (size_t i = 0; i < v->names.count; i++)
    put_declaration(j, (pir_str){v->names.items[i].data, v->names.items[i].size});
  json_close(j, ']');
}

static void put_strings(view *v, json *j) {
  json_key(j, "strings");
  json_open(j, '[');
  for (size_t i = 0; i < v->strings.count; i++)
    json_text(j, (pir_str){v->strings.items[i].data, v->strings.items[i].size});
  json_close(j, ']');
}

static void put_part(view *v, json *j, const char *key, json *part) {
  v->failed |= !json_flush(part);
  json_key(j, key);
  json_open(j, '[');
  if (!v->failed && part->size)
    json_raw(j, (pir_str){part->data, part->size});
  json_close(j, ']');
}

static void put_data(view *v, json *j) {
  json_open(j, '{');
  json_key(j, "title");
  json_text(j, pir_str_from(v->title));
  put_part(v, j, "records", &v->records);
  put_part(v, j, "steps", &v->steps);
  put_part(v, j, "weights", &v->statistics);
  put_part(v, j, "code", &v->code);
  put_part(v, j, "diags", &v->diags);
  put_used_ops(v, j);
  put_strings(v, j);
  json_key(j, "source");
  json_text(j, (pir_str){v->source, v->source_size});
  v->failed |= !json_flush(&v->extra);
  if (!v->failed && v->extra.size)
    json_raw(j, (pir_str){v->extra.data, v->extra.size});
  json_close(j, '}');
}

static bool put_bytes(pir_writer out, pir_str text) {
  return !text.size || out.write(out.user, text.data, text.size);
}

static bool put_page(pir_writer out, pir_str data) {
  pir_str pieces[] = {
      PIR_STR("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
              "'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'\">\n"
              "<title>libpir</title>\n<style>\n"),
      VIEW_ASSET(view_style),
      PIR_STR("</style></head>\n"),
      VIEW_ASSET(view_body),
      PIR_STR("<script type=\"application/json\" id=\"data\">"),
      data,
      PIR_STR("</script>\n<script>\n"),
      VIEW_ASSET(view_dagre),
      PIR_STR("</script>\n<script>\n"),
      VIEW_ASSET(view_script),
      PIR_STR("</script></html>\n")};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
    if (!put_bytes(out, pieces[i]))
      return false;
  return true;
}

pir_status view_write(view *v, pir_writer out) {
  json data;
  if (!json_begin(&data))
    return PIR_EXHAUSTED;
  put_data(v, &data);
  bool exhausted = !json_flush(&data) || v->failed || v->strings.failed || v->names.failed ||
                   v->weights.failed;
  pir_status status = exhausted ? PIR_EXHAUSTED : PIR_OK;
  if (!status && !put_page(out, (pir_str){data.data, data.size}))
    status = PIR_IO;
  json_free(&data);
  return status;
}
