// Writes the ops of a dialect as a table for other programs: one line for each op, twins
// included, with columns separated by tabs. `test/dialects` compares it with the inventory of
// Paddle's ops.
#include "emit_impl.h"

#include <string.h>

void put_literal(FILE *out, const expr *e) {
  if (e->kind == EXPR_TEXT) {
    fprintf(out, "\"%s\"", e->name);
  } else if (e->kind == EXPR_NAME) {
    fputs(e->name, out);
  } else if (e->kind == EXPR_INT) {
    fprintf(out, "%lld", (long long)e->i);
  } else if (e->kind == EXPR_LIST) {
    fputc('[', out);
    for (const expr *x = e->a; x; x = x->next) {
      put_literal(out, x);
      if (x->next)
        fputs(", ", out);
    }
    fputc(']', out);
  } else {
    fprintf(out, "%.9g", e->f);
  }
}

void put_attr_type(FILE *out, const attr *a) {
#define KIND_TEXT(id, json, tag) json,
  static const char *const names[] = {PIR_ATTR_KINDS(KIND_TEXT)};
#undef KIND_TEXT
  const char *mark = strstr(names[a->kind == PIR_ATTR_ARRAY ? a->element_kind : a->kind], "a_");
  fprintf(out, "%s%s", mark ? mark + 2 : "any", a->kind == PIR_ATTR_ARRAY ? "[]" : "");
}

static void put_dtype_column(FILE *out, pir_dtype_set set) {
  const char *separator = ":";
  for (int i = 1; i < PIR_DTYPE_COUNT; i++) {
    if (!(set >> i & 1))
      continue;
    fprintf(out, "%s%s", separator, pir_dtype_text((pir_dtype)i));
    separator = "|";
  }
}

static void put_operands(FILE *out, const op *o) {
  for (int i = 0; i < o->operand_count; i++) {
    const operand *x = &o->operands[i];
    fprintf(out, "%s%s%s", i ? " " : "", x->name, x->flags & PIR_OPERAND_OPTIONAL ? "?" : "");
    if (x->flags & PIR_OPERAND_VARIADIC)
      fputs("*", out);
    if (x->flags & PIR_OPERAND_INTARRAY)
      fputs(":intarray", out);
    if (x->flags & PIR_OPERAND_SCALAR)
      fputs(":scalar", out);
    put_dtype_column(out, !x->dtypes && x->same_as >= 0 ? o->operands[x->same_as].dtypes
                                                        : x->dtypes);
    if (x->literal) {
      fputc('=', out);
      put_literal(out, x->literal);
    }
  }
}

static void put_attrs(FILE *out, const op *o) {
  for (int i = 0; i < o->attr_count; i++) {
    fprintf(out, "%s%s:", i ? " " : "", o->attrs[i].name);
    put_attr_type(out, &o->attrs[i]);
    if (o->attrs[i].literal) {
      fputc('=', out);
      put_literal(out, o->attrs[i].literal);
    }
  }
}

static void put_results(FILE *out, const op *o) {
  for (int i = 0; i < o->result_count; i++) {
    const result *r = &o->results[i];
    fprintf(out, "%s%s%s%s%s", i ? " " : "", r->name, r->flags & PIR_RESULT_OPTIONAL ? "?" : "",
            r->flags & PIR_RESULT_VARIADIC ? "*" : "",
            r->flags & PIR_RESULT_INTERMEDIATE ? "~" : "");
    put_dtype_column(out, r->same_as >= 0 ? o->operands[r->same_as].dtypes : r->dtypes);
  }
}

static const char *meaning(const op *o) {
  if (o->lower_count)
    return "lower";
  if (o->clause_count)
    return "clause";
  if (o->kernel)
    return "kernel";
  return ops_declared_only(o) ? "-" : "program";
}

// Three columns: the ops of the lower blocks, the kinds of the clauses, the kernel.
static void put_meaning_columns(FILE *out, const op *o) {
  static const char *const kinds[] = {
      [PIR_CLAUSE_POINTWISE] = "pointwise", [PIR_CLAUSE_REDUCE] = "reduce",
      [PIR_CLAUSE_SCAN] = "scan",           [PIR_CLAUSE_VIEW] = "view",
      [PIR_CLAUSE_GATHER] = "gather",       [PIR_CLAUSE_SCATTER] = "scatter",
      [PIR_CLAUSE_CONTRACT] = "contract",   [PIR_CLAUSE_WINDOW] = "window",
      [PIR_CLAUSE_JOIN] = "join",           [PIR_CLAUSE_SPLIT] = "split"};
  const char *separator = "";
  for (int i = 0; i < o->lower_count; i++)
    for (int k = 0; k < o->lowers[i].step_count; k++, separator = " ")
      fprintf(out, "%s%s", separator, o->lowers[i].steps[k].op);
  fputc('\t', out);
  separator = "";
  for (int i = 0; i < o->clause_count; i++, separator = " ")
    fprintf(out, "%s%s", separator, kinds[o->clauses[i].kind]);
  fprintf(out, "\t%s", o->kernel ? o->kernel : "");
}

static void put_op_line(FILE *out, const dialect *d, const op *o, bool twin) {
  fprintf(out, "%s.%s%s\t%s\t", d->name, o->name, twin ? "_" : "", opsc_family(o->loc.file));
  put_operands(out, o);
  fputc('\t', out);
  put_attrs(out, o);
  fputc('\t', out);
  put_results(out, o);
  fputc('\t', out);
  for (int i = 0; i < o->pair_count && (twin || !o->has_twin); i++)
    fprintf(out, "%s%s->%s", i ? " " : "", o->pairs[i].operand, o->pairs[i].result);
  fprintf(out, "\t%s\t%s\t%s\t", !twin && o->traits & PIR_PURE ? "pure" : "effect",
          o->declared ? o->declared : "", meaning(o));
  put_meaning_columns(out, o);
  fprintf(out, "\t%s\n", o->traits & PIR_RANDOM ? "random" : "");
}

void emit_list(const dialect *d, FILE *out) {
  fputs("op\tfamily\toperands\tattributes\tresults\tinplace\teffect\tdeclared\tmeaning\t"
        "lower\tclauses\tkernel\trandom\n",
        out);
  for (int i = 0; i < d->op_count; i++) {
    if (d->ops[i].is_form)
      continue;
    put_op_line(out, d, &d->ops[i], false);
    if (d->ops[i].has_twin)
      put_op_line(out, d, &d->ops[i], true);
  }
}
