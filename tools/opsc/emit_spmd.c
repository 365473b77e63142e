// Writes the placement rules of a dialect as C: a pir_spmd_rule for each op that declares one.
#include "emit_impl.h"

void emit_spmd(FILE *out, const op *o) {
  const spmd *s = o->spmd;
  if (!s)
    return;
  const pir_spmd_rule *r = &s->rule;
  if (s->term_count)
    fprintf(out, "static const pir_spmd_term spmd_terms_%s[] = {", o->name);
  for (int i = 0; i < s->term_count; i++)
    fprintf(out, "{\"%s\", %d, %d, %d}%s", s->terms[i].axes, s->terms[i].place,
            s->terms[i].swap, s->terms[i].flags, i + 1 < s->term_count ? ", " : "};\n");
  fprintf(out, "static const pir_spmd_rule spmd_%s = {", o->name);
  if (s->term_count)
    fprintf(out, ".terms = spmd_terms_%s, ", o->name);
  fprintf(out, ".operand_terms = %d, .result_terms = %d, .clash = %d, .leaves = %d, ",
          r->operand_terms, r->result_terms, r->clash, r->leaves);
  fprintf(out,
          ".whole = \"%s\", .static_whole = \"%s\", .late_whole = \"%s\", .whole_axes = %d, "
          ".at_letter = %d, .at = %d, .over = %d, ",
          r->whole, r->static_whole, r->late_whole, r->whole_axes, r->at_letter, r->at,
          r->over);
  fprintf(out,
          ".same = %d, .keep = %d, .flat = %d, .drop = %d, .order = %d, .keeps_partial = %d, "
          ".function = "
          "%s};\n",
          r->same, r->keep, r->flat, r->drop, r->order, r->keeps_partial,
          s->function ? s->function : "NULL");
}

// Writes the rows in the order of the table, which is by ascending id.
void emit_spmd_table(FILE *out, const dialect *d) {
  int count = 0;
  for (int i = 0; i < d->table_count; i++)
    count += d->table[i].o->spmd != NULL;
  if (count)
    fputs("static const pir_spmd_row spmd_rows[] = {\n", out);
  for (int i = 0; i < d->table_count; i++) {
    const op *o = d->table[i].o;
    if (o->spmd)
      fprintf(out, "  {0x%xu, &spmd_%s},\n", op_id(d, o, d->table[i].twin), o->name);
  }
  if (count)
    fputs("};\n", out);
  fprintf(out, "const pir_spmd_table pir_%s_spmd = {%s, %d};\n", d->name,
          count ? "spmd_rows" : "NULL", count);
}

void emit_spmd_functions(FILE *out, const dialect *d) {
  for (int i = 0; i < d->op_count; i++)
    if (!d->ops[i].is_form && d->ops[i].spmd && d->ops[i].spmd->function)
      fprintf(out, "pir_status %s(struct pir_spmd *spmd);\n", d->ops[i].spmd->function);
}
