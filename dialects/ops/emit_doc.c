// Writes a dialect as a Markdown page: what a reader of a program looks up. The clause or the lower block
// is shown as it was written, since it is the definition.
#include "model.h"

#include <string.h>

static void put_dtypes(FILE *out, pir_dtype_set set, const char *same, const char *from) {
  if (same) {
    fprintf(out, "as `%s`", same);
  } else if (from) {
    fprintf(out, "by `%s`", from);
  } else if (!set) {
    fputs("any", out);
  } else {
    const char *separator = "";
    for (int i = 1; i < PIR_DTYPE_COUNT; i++) {
      if (!(set >> i & 1)) continue;
      fprintf(out, "%s%s", separator, pir_dtype_text((pir_dtype)i));
      separator = " ";
    }
  }
}

static void put_literal(FILE *out, const expr *e) {
  if (e->kind == EXPR_TEXT) {
    fprintf(out, "\"%s\"", e->name);
  } else if (e->kind == EXPR_NAME) {
    fputs(e->name, out);
  } else if (e->kind == EXPR_LIST) {
    fputc('[', out);
    for (const expr *x = e->a; x; x = x->next) {
      put_literal(out, x);
      if (x->next) fputs(", ", out);
    }
    fputc(']', out);
  } else {
    fprintf(out, "%.9g", e->f);
  }
}

static const char *attr_kind_text(uint8_t kind) {
#define KIND_TEXT(id, json, tag) json,
  static const char *const names[] = {PIR_ATTR_KINDS(KIND_TEXT)};
#undef KIND_TEXT
  const char *mark = strstr(names[kind], "a_");
  return mark ? mark + 2 : "any";
}

static void put_declarations(FILE *out, const op *o) {
  fputs("| | name | type | default |\n| --- | --- | --- | --- |\n", out);
  for (int i = 0; i < o->operand_count; i++) {
    const operand *x = &o->operands[i];
    bool list = x->flags & PIR_OPERAND_INTARRAY, scalar = x->flags & PIR_OPERAND_SCALAR;
    fprintf(out, "| operand | `%s`%s%s | %s", x->name, x->flags & PIR_OPERAND_OPTIONAL ? ", optional" : "",
            x->flags & PIR_OPERAND_VARIADIC ? ", list" : "",
            list     ? "integers"
            : scalar ? "one number"
                     : "");
    if (!list && !scalar) put_dtypes(out, x->dtypes, x->same, NULL);
    fputs(" | ", out);
    if (x->literal) put_literal(out, x->literal);
    fputs(" |\n", out);
  }
  for (int i = 0; i < o->attr_count; i++) {
    const attr *a = &o->attrs[i];
    fprintf(out, "| attribute | `%s` | %s%s | ", a->name,
            attr_kind_text(a->kind == PIR_ATTR_ARRAY ? a->element_kind : a->kind),
            a->kind == PIR_ATTR_ARRAY ? "[]" : "");
    if (a->literal) put_literal(out, a->literal);
    fputs(" |\n", out);
  }
  for (int i = 0; i < o->result_count; i++) {
    const result *r = &o->results[i];
    fprintf(out, "| result | `%s`%s%s%s | ", r->name, r->flags & PIR_RESULT_OPTIONAL ? ", optional" : "",
            r->flags & PIR_RESULT_VARIADIC ? ", list" : "", r->flags & PIR_RESULT_INTERMEDIATE ? ", intermediate" : "");
    put_dtypes(out, r->dtypes, r->same, r->from);
    fputs(" | |\n", out);
  }
}

// The declaration at `loc` as it was written: the rest of its line, and the lines that are indented deeper or
// close its block. One that shares its line with the op ends there.
static void put_source(FILE *out, source_loc loc) {
  const char *text = source_text(loc.file);
  for (int line = 1; line < loc.line; line++) text = strchr(text, '\n') + 1;
  size_t indent = strspn(text, " "), start = (size_t)loc.column - 1, length = strcspn(text, "\n");
  bool shares_line = start != indent;
  while (shares_line && length > start && strchr(" }", text[length - 1])) length--;
  fprintf(out, "    %.*s\n", (int)(length - start), text + start);
  while (!shares_line) {
    text += strcspn(text, "\n");
    if (!*text++) return;
    size_t deeper = strspn(text, " ");
    length = strcspn(text, "\n");
    if (!length || deeper < indent || (deeper == indent && text[deeper] != '}')) return;
    fprintf(out, "    %.*s\n", (int)(length - indent), text + indent);
  }
}

static void emit_op(FILE *out, const dialect *d, const op *o) {
  fprintf(out, "\n## %s.%s\n\n%s.", d->name, o->name, o->summary);
  if (o->has_twin) fprintf(out, " `%s_` works in place.", o->name);
  fputs("\n\n", out);
  if (o->operand_count + o->attr_count + o->result_count) put_declarations(out, o);
  if (o->clause_count + o->lower_count || o->kernel) fputc('\n', out);
  for (int i = 0; i < o->let_count && o->clause_count + o->lower_count; i++) put_source(out, o->lets[i].loc);
  for (int i = 0; i < o->lower_count; i++) put_source(out, o->lowers[i].loc);
  for (int i = 0; i < o->clause_count; i++) put_source(out, o->clauses[i].loc);
  if (o->kernel) fprintf(out, "    kernel %s\n", o->kernel);
}

void emit_doc(const dialect *d, FILE *out) {
  fprintf(out, "# %s\n\n%s\n", d->name, d->summary);
  for (int i = 0; i < d->op_count; i++)
    if (!d->ops[i].is_form) emit_op(out, d, &d->ops[i]);
}
