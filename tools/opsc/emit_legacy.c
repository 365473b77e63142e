// Writes the rows of a dialect's legacy names (pir_legacy_op), sorted by name, and the arrays
// that they point to: for each op, the names of its operands, results and attributes in a
// ProgramDesc.
#include "emit_impl.h"

#include <ctype.h>
#include <string.h>

// ---- names
static const legacy_item *find_item_sized(const legacy *l, const char *name, size_t size) {
  for (int i = 0; i < l->item_count; i++)
    if (strlen(l->items[i].name) == size && !memcmp(l->items[i].name, name, size))
      return &l->items[i];
  return NULL;
}

static const legacy_item *find_item(const legacy *l, const char *name) {
  return find_item_sized(l, name, strlen(name));
}

// Returns the length of the name without "_grad"; 0 if it has another ending.
static size_t gradient_stem(const char *name) {
  size_t size = strlen(name), tail = strlen("_grad");
  return size > tail && !strcmp(name + size - tail, "_grad") ? size - tail : 0;
}

// "mean_out" is "MeanOut" in the old format unless said otherwise.
static const char *camel_case(const char *name, size_t size) {
  char *text = (char *)ops_text(opsc_reading(), name, size), *to = text;
  bool upper = true;
  for (size_t i = 0; i < size; i++) {
    if (name[i] != '_')
      *to++ = upper ? (char)toupper((unsigned char)name[i]) : name[i];
    upper = name[i] == '_';
  }
  *to = 0;
  return text;
}

// The old slot of a value; the gradient of a slot is "Slot@GRAD".
static const char *old_slot(const legacy *l, const char *name) {
  size_t stem = find_item(l, name) ? 0 : gradient_stem(name);
  size_t size = stem ? stem : strlen(name);
  const legacy_item *item = find_item_sized(l, name, size);
  const char *slot;
  if (item)
    slot = item->old;
  else if (l->plain || (l->higher && !strncmp(name, "grad_", 5)))
    slot = ops_text(opsc_reading(), name, size);
  else
    slot = camel_case(name, size);
  return stem ? ops_format(opsc_reading(), "%s@GRAD", slot) : slot;
}

static bool is_attr_operand(const operand *x) {
  return x->flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR);
}

// One name of an array, or NULL; behind the last the array ends.
static void put_name(FILE *out, const char *name, bool last) {
  if (name)
    fprintf(out, "\"%s\"", name);
  else
    fputs("NULL", out);
  fputs(last ? "};\n" : ", ", out);
}

// ---- arrays a row points to
static const char *value_slot(const legacy *l, const operand *x) {
  return is_attr_operand(x) ? NULL : old_slot(l, x->name);
}

static const char *attr_slot(const legacy *l, const operand *x) {
  if (!is_attr_operand(x))
    return NULL;
  const legacy_item *item = find_item(l, x->name);
  return item ? item->old : x->name;
}

static const char *tensor_slot(const legacy *l, const operand *x) {
  const legacy_item *item = is_attr_operand(x) ? find_item(l, x->name) : NULL;
  return item ? item->tensor : NULL;
}

static const char *tensors_slot(const legacy *l, const operand *x) {
  const legacy_item *item = is_attr_operand(x) ? find_item(l, x->name) : NULL;
  return item ? item->tensors : NULL;
}

static void emit_legacy_operands(FILE *out, const op *o, const legacy *l, int n) {
  static const struct {
    const char *name;
    const char *(*slot)(const legacy *l, const operand *x);
  } arrays[] = {{"old_operands", value_slot},
                {"old_operand_attrs", attr_slot},
                {"old_tensors", tensor_slot},
                {"old_lists", tensors_slot}};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays && o->operand_count; k++) {
    fprintf(out, "static const char *const %s_%s_%d[] = {", arrays[k].name, o->name, n);
    for (int i = 0; i < o->operand_count; i++)
      put_name(out, arrays[k].slot(l, &o->operands[i]), i + 1 == o->operand_count);
  }
}

// Writes the kinds of legacy attributes that differ from the new kinds; nothing if there are
// none.
static bool has_kinds(const op *o, const legacy *l, bool operands) {
  for (int i = 0; i < l->item_count; i++)
    if (l->items[i].kind && (operands ? ops_operand_at(o, l->items[i].name)
                                      : ops_attr_at(o, l->items[i].name)) >= 0)
      return true;
  return false;
}

static void emit_legacy_kinds(FILE *out, const op *o, const legacy *l, int n, bool operands) {
  if (!has_kinds(o, l, operands))
    return;
  fprintf(out, "static const pir_legacy_kind old_%s_kinds_%s_%d[] = {",
          operands ? "operand" : "attr", o->name, n);
  for (int i = 0; i < (operands ? o->operand_count : o->attr_count); i++) {
    const legacy_item *item = find_item(l, operands ? o->operands[i].name : o->attrs[i].name);
    fprintf(out, "%s{%d, %d}", i ? ", " : "", item ? item->kind : 0,
            item ? item->element_kind : 0);
  }
  fputs("};\n", out);
}

static void emit_legacy_fixed(FILE *out, const op *o, const legacy *l, int n) {
  if (!l->fixed_count)
    return;
  fprintf(out, "static const pir_legacy_fixed old_fixed_%s_%d[] = {", o->name, n);
  for (int i = 0; i < l->fixed_count; i++) {
    const legacy_fixed *f = &l->fixed[i];
    bool text = f->kind == PIR_ATTR_STR;
    double value = 0;
    if (f->kind == PIR_ATTR_BOOL)
      value = !strcmp(f->value->name, "true");
    else if (!text)
      value = f->value->f;
    fprintf(out, "%s{\"%s\", %d, %.17g, ", i ? ", " : "", f->name, f->kind, value);
    if (text)
      put_c_text(out, f->value->name);
    else
      fputs("NULL", out);
    fputc('}', out);
  }
  fputs("};\n", out);
}

static void emit_legacy_parts(FILE *out, const op *o, const legacy *l, int n) {
  emit_legacy_operands(out, o, l, n);
  if (o->result_count)
    fprintf(out, "static const char *const old_results_%s_%d[] = {", o->name, n);
  for (int i = 0; i < o->result_count; i++)
    put_name(out, old_slot(l, o->results[i].name), i + 1 == o->result_count);
  if (o->attr_count)
    fprintf(out, "static const char *const old_attrs_%s_%d[] = {", o->name, n);
  for (int i = 0; i < o->attr_count; i++) {
    const legacy_item *item = find_item(l, o->attrs[i].name);
    put_name(out, item ? item->old : o->attrs[i].name, i + 1 == o->attr_count);
  }
  emit_legacy_kinds(out, o, l, n, true);
  emit_legacy_kinds(out, o, l, n, false);
  emit_legacy_fixed(out, o, l, n);
}

// ---- rows
static void put_legacy_row(FILE *out, const dialect *d, const legacy_row *row) {
  const op *o = row->o;
  fprintf(out, "  {.name = \"%s\", .def = &pir_%s_table[%d],", row->name, d->name, o->at);
  if (o->has_twin)
    fprintf(out, " .twin = &pir_%s_table[%d],", d->name, o->twin_at);
  if (o->operand_count)
    fprintf(out,
            " .operands = old_operands_%s_%d, .operand_attrs = old_operand_attrs_%s_%d, "
            ".tensor_slots = "
            "old_tensors_%s_%d, .tensors_slots = old_lists_%s_%d,",
            o->name, row->n, o->name, row->n, o->name, row->n, o->name, row->n);
  if (o->result_count)
    fprintf(out, " .results = old_results_%s_%d,", o->name, row->n);
  if (o->attr_count)
    fprintf(out, " .attrs = old_attrs_%s_%d,", o->name, row->n);
  if (has_kinds(o, row->l, true))
    fprintf(out, " .operand_kinds = old_operand_kinds_%s_%d,", o->name, row->n);
  if (row->l->fixed_count)
    fprintf(out, " .fixed = old_fixed_%s_%d, .fixed_count = %d,", o->name, row->n,
            row->l->fixed_count);
  if (has_kinds(o, row->l, false))
    fprintf(out, " .attr_kinds = old_attr_kinds_%s_%d,", o->name, row->n);
  fputs("},\n", out);
}

static const op *find_op_sized(const dialect *d, const char *name, size_t size) {
  for (int i = 0; i < d->op_count; i++)
    if (strlen(d->ops[i].name) == size && !memcmp(d->ops[i].name, name, size))
      return &d->ops[i];
  return NULL;
}

// An op that exists only in place ("sgd_") had a name without the mark.
static const char *default_old_name(const dialect *d, const op *o) {
  size_t size = strlen(o->name);
  bool marked = size > 1 && o->name[size - 1] == '_' && !find_op_sized(d, o->name, size - 1);
  return marked ? ops_format(opsc_reading(), "%.*s", (int)(size - 1), o->name) : o->name;
}

// Names without a legacy op: variants for sparse tensors and selected rows were kernels of one
// op.
static bool is_new_name(const char *name) {
  static const char *const tails[] = {"_sp", "_sr"};
  size_t size = strlen(name);
  for (size_t i = 0; i < sizeof tails / sizeof *tails; i++)
    if (size > strlen(tails[i]) && !strcmp(name + size - strlen(tails[i]), tails[i]))
      return true;
  return false;
}

// Finds the forward op of gradient `o`, and the ending of its legacy names; forward is NULL if
// there is none.
typedef struct backward {
  const op *forward;
  const char *suffix;
  bool higher;
} backward;

static backward backward_of(const dialect *d, const op *o) {
  static const char *const endings[][2] = {
      {"_triple_grad", "_grad_grad_grad"}, {"_double_grad", "_grad_grad"}, {"_grad", "_grad"}};
  size_t size = strlen(o->name);
  for (int i = 0; i < 3; i++) {
    size_t tail = strlen(endings[i][0]);
    if (size <= tail || strcmp(o->name + size - tail, endings[i][0]))
      continue;
    const op *forward = find_op_sized(d, o->name, size - tail);
    if (forward)
      return (backward){forward, endings[i][1], i < 2};
  }
  return (backward){0};
}

// Whether a gradient's legacy names derive from its forward op: that op has legacy names, or
// the ending differs.
static bool is_renamed(const dialect *d, const op *o) {
  backward b = o->legacy_count ? (backward){0} : backward_of(d, o);
  return b.forward && (b.forward->legacy_count || b.higher);
}

// Writes the forward op's slot names as they appear in gradient `o`.
static legacy *gradient_names(const dialect *d, const backward *b, int n) {
  legacy *l = ops_grow(opsc_reading(), NULL, 0, sizeof *l);
  *l = b->forward->legacy_count ? b->forward->legacies[n] : (legacy){0};
  l->higher = b->higher;
  if (b->forward->legacy_count)
    return l;
  APPEND(opsc_reading(), l->names, l->name_count, default_old_name(d, b->forward));
  return l;
}

// Writes the rows of gradient `o`: the legacy names of its forward op with the ending, except
// names of other ops.
static legacy_row *add_gradient_rows(legacy_row *rows, int *io_count, FILE *out,
                                     const dialect *d, const op *o) {
  backward b = backward_of(d, o);
  int count = *io_count;
  for (int n = 0; n < (b.forward->legacy_count ? b.forward->legacy_count : 1); n++) {
    const legacy *l = gradient_names(d, &b, n);
    int before = count;
    for (int k = 0; k < l->name_count; k++) {
      const char *name = ops_format(opsc_reading(), "%s%s", l->names[k], b.suffix);
      const op *taken = find_op_sized(d, name, strlen(name));
      bool first = count == *io_count;
      bool gone =
          taken && (taken->legacy_count || is_renamed(d, taken));  // so its own name is free
      if (!taken || taken == o || gone)
        APPEND(opsc_reading(), rows, count, (legacy_row){name, o, n, l, first});
    }
    // Some later gradients have the name of the new op.
    if (b.higher && !n)
      APPEND(opsc_reading(), rows, count, (legacy_row){o->name, o, n, l, false});
    if (count > before)
      emit_legacy_parts(out, o, l, n);
  }
  *io_count = count;
  return rows;
}

legacy_row *legacy_rows(FILE *out, const dialect *d, int *out_count) {
  legacy_row *rows = NULL;
  int count = 0;
  static const legacy none;
  for (int i = 0; i < d->op_count && d->has_legacy; i++) {
    const op *o = &d->ops[i];
    bool renamed = is_renamed(d, o);
    if (o->is_form || o->no_legacy)
      continue;
    if (renamed)
      rows = add_gradient_rows(rows, &count, out, d, o);
    if (!o->legacy_count && !renamed && !is_new_name(o->name)) {
      emit_legacy_parts(out, o, &none, 0);
      APPEND(opsc_reading(), rows, count,
             (legacy_row){default_old_name(d, o), o, 0, &none, true});
    }
    for (int n = 0; n < o->legacy_count; n++) {
      emit_legacy_parts(out, o, &o->legacies[n], n);
      for (int k = 0; k < o->legacies[n].name_count; k++)
        APPEND(opsc_reading(), rows, count,
               (legacy_row){o->legacies[n].names[k], o, n, &o->legacies[n], !n && !k});
    }
  }
  // Insertion sort: some hundred rows, nearly in order within a family.
  for (int i = 1; i < count; i++) {
    legacy_row row = rows[i];
    int j = i;
    for (; j && strcmp(rows[j - 1].name, row.name) > 0; j--)
      rows[j] = rows[j - 1];
    rows[j] = row;
  }
  for (int i = 1; i < count; i++)
    if (!strcmp(rows[i - 1].name, rows[i].name))
      ops_error(rows[i].o->loc, "the old name '%s' is claimed twice", rows[i].name);
  *out_count = count;
  return rows;
}

void emit_legacy(FILE *out, const dialect *d, const legacy_row *rows, int count) {
  if (count)
    fprintf(out, "static const pir_legacy_op legacy_rows[%d] = {\n", count);
  for (int i = 0; i < count; i++)
    put_legacy_row(out, d, &rows[i]);
  if (count)
    fputs("};\n", out);
  fprintf(out, "const pir_legacy_table pir_%s_legacy = {%s, %d};\n", d->name,
          count ? "legacy_rows" : "NULL", count);
}
