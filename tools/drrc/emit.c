// Writes the arrays of the front end as constant C. Op ids and attribute positions are numbers
// of this build's op tables.
#include "drrc.h"

#include "helpers.h"

#include <math.h>
#include <string.h>

static void text(FILE *out, const char *s) {
  if (!s) {
    fputs("NULL", out);
    return;
  }
  fputc('"', out);
  for (; *s; s++) {
    if (*s == '"' || *s == '\\')
      fputc('\\', out);
    if (*s == '\n')
      fputs("\\n", out);
    else
      fputc(*s, out);
  }
  fputc('"', out);
}

static void ops(const drr *d, FILE *out) {
  fputs("static const rule_op ops[] = {\n", out);
  for (size_t i = 0; i < d->ops.count; i++) {
    const rule_op *o = &d->ops.items[i];
    fprintf(out, "  {0x%x, %d, %d, %d, %d, %d, %d, %d, %d, %d},  // %s\n", o->id, o->operands,
            o->results, o->attrs, o->operand_count, o->result_count, o->attr_count, o->splice,
            o->shared, o->each, pir_context_op(d->ctx, o->id)->name);
  }
  fputs("  {0}};\n", out);
}

static void attrs(const drr *d, FILE *out) {
  fputs("static const rule_attr attrs[] = {\n", out);
  for (size_t i = 0; i < d->attrs.count; i++) {
    const rule_attr *a = &d->attrs.items[i];
    fprintf(out, "  {%d, ", a->position);
    text(out, a->name);
    fprintf(out, ", %d, %d},\n", a->node, a->hole);
  }
  fputs("  {0}};\n", out);
}

static const char *helper_name(pir_rule_helper_fn fn) {
  for (size_t i = 0; i < pir_rule_helper_count; i++)
    if (pir_rule_helpers[i].fn == fn)
      return pir_rule_helpers[i].name;
  return "";
}

static void nodes(const drr *d, FILE *out) {
  fputs("static const rule_node nodes[] = {\n", out);
  for (size_t i = 0; i < d->nodes.count; i++) {
    const rule_node *n = &d->nodes.items[i];
    fprintf(out, "  {%d, %d, %d, %d, %d, ", n->op, n->fn, n->a, n->b, n->c);
    if (n->op == RULE_FLOAT && isfinite(n->f))
      fprintf(out, "{.f = %.17g}", n->f);
    else if (n->op == RULE_TEXT) {
      fputs("{.text = ", out);
      text(out, n->text);
      fputs("}", out);
    } else if (n->op == RULE_HELPER)
      fprintf(out, "{.helper = pir_helper_%s}", helper_name(n->helper));
    else
      fprintf(out, "{.i = %lld}", (long long)n->i);
    fputs("},\n", out);
  }
  fputs("  {0}};\n", out);
}

static void steps(const drr *d, FILE *out) {
  fputs("static const rule_step steps[] = {\n", out);
  for (size_t i = 0; i < d->steps.count; i++) {
    const rule_step *s = &d->steps.items[i];
    fprintf(out, "  {%d, %d, %d, %u},\n", s->kind, s->op, s->at, s->line);
  }
  fputs("  {0}};\nstatic const rule_operand operands[] = {\n", out);
  for (size_t i = 0; i < d->operands.count; i++)
    fprintf(out, "  {%d, %d},\n", d->operands.items[i].kind, d->operands.items[i].at);
  fputs("  {0}};\nstatic const rule_output outputs[] = {\n", out);
  for (size_t i = 0; i < d->outputs.count; i++)
    fprintf(out, "  {%d, %d},\n", d->outputs.items[i].old_value, d->outputs.items[i].new_value);
  fputs("  {0}};\nstatic const int16_t results[] = {\n", out);
  for (size_t i = 0; i < d->results.count; i++)
    fprintf(out, "  %d,\n", d->results.items[i]);
  fputs("  0};\nstatic const int32_t pool[] = {\n", out);
  for (size_t i = 0; i < d->pool.count; i++)
    fprintf(out, "  %d,\n", d->pool.items[i]);
  fputs("  0};\n", out);
}

static void rules(const drr *d, FILE *out) {
  fputs("static const rule rules[] = {\n", out);
  for (size_t i = 0; i < d->rules.count; i++) {
    const rule *r = &d->rules.items[i];
    fputs("  {", out);
    text(out, r->name);
    fputs(", ", out);
    text(out, r->origin);
    fprintf(out, ", 0x%x, %u, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, ", r->root,
            r->benefit, r->match, r->emit, r->steps, r->outputs, r->match_count, r->emit_count,
            r->step_count, r->output_count, r->root_op, r->value_count, r->hole_count);
    text(out, r->skip_check);
    fprintf(out, ", %u},\n", r->within);
  }
  fputs("  {0}};\n", out);
}

static void pass(const drr_pass *p, FILE *out) {
  fprintf(out,
          "extern const pir_rule_pass pir_rules_of_%s;\nconst pir_rule_pass pir_rules_of_%s = "
          "{&tables, %d, %d};\n",
          p->name, p->name, p->first, p->count);
  fprintf(out, "extern const pir_pass pir_pass_of_%s;\nconst pir_pass pir_pass_of_%s = {",
          p->name, p->name);
  text(out, p->name);
  fputs(", ", out);
  text(out, p->short_name);
  fprintf(out, ", %d, ", p->level);
  text(out, p->summary);
  fprintf(out, ", NULL, &pir_rules_of_%s, NULL};\n", p->name);
}

void drrc_emit(const drr *d, FILE *out) {
  fputs("// Made by drrc.\n#include \"helpers.h\"\n#include \"tables.h\"\n\n", out);
  ops(d, out);
  attrs(d, out);
  nodes(d, out);
  steps(d, out);
  rules(d, out);
  fputs("static const rule_tables tables = {ops, operands, results, attrs, steps, nodes, pool, "
        "outputs, rules, ",
        out);
  fprintf(out, "%zu};\n", d->nodes.count);
  for (size_t i = 0; i < d->passes.count; i++)
    pass(&d->passes.items[i], out);
}
