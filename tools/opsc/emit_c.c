// Writes a dialect as C: constant tables (pir_opdef and the structs it points to) and a header
// with op ids and positions. One function writes each table; the arrays of an op are named
// after it.
#include "emit_impl.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void put_c_text(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      fputc('\\', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

static void put_float(FILE *out, double f) {
  if (isnan(f))
    fputs("NAN", out);
  else if (isinf(f))
    fputs(f < 0 ? "-INFINITY" : "INFINITY", out);
  else
    fprintf(out, "%.17g", f);
}

// A pointer to one of the op's arrays, or NULL.
static void put_array(FILE *out, const char *member, int count, const char *prefix,
                      const op *o) {
  if (count)
    fprintf(out, " .%s = %s_%s,", member, prefix, o->name);
}

// ---- defaults
// The elements of a list default.
static void emit_elements(FILE *out, const char *prefix, const char *op_name, const char *name,
                          uint8_t kind, uint8_t element_kind, const expr *e) {
  if (!e || e->kind != EXPR_LIST || !e->a)
    return;
  bool floats = ops_is_float_list(kind, element_kind);
  fprintf(out, "static const %s %s_%s_%s[] = {", floats ? "double" : "int64_t", prefix, op_name,
          name);
  for (const expr *x = e->a; x; x = x->next) {
    if (floats)
      put_float(out, x->f);
    else
      fprintf(out, "%lld", (long long)ops_literal_int(element_kind, x));
    fputs(x->next ? ", " : "};\n", out);
  }
}

static void put_attr_def(FILE *out, const char *prefix, const char *op_name, const char *name,
                         uint8_t kind, uint8_t element_kind, const expr *e) {
  fputs("{", out);
  put_c_text(out, name);
  fprintf(out, ", .kind = %d", kind);
  if (element_kind)
    fprintf(out, ", .element_kind = %d", element_kind);
  if (!e)
    fputs(", .required = true", out);
  if (e && e->kind == EXPR_LIST) {
    int count = 0;
    for (const expr *x = e->a; x; x = x->next)
      count++;
    fprintf(out, ", .has_ints = true, .int_count = %d", count);
    if (count)
      fprintf(out, ", .%s = %s_%s_%s",
              ops_is_float_list(kind, element_kind) ? "floats" : "ints", prefix, op_name, name);
  } else if (e && e->kind == EXPR_TEXT && kind != PIR_ATTR_LAYOUT) {
    fputs(", .text = ", out);
    put_c_text(out, e->name);
  } else if (e) {
    fprintf(out, ", .i = %lld", (long long)ops_literal_int(kind, e));
    if (e->kind == EXPR_INT || e->kind == EXPR_FLOAT) {
      fputs(", .f = ", out);
      put_float(out, e->f);
    }
  }
  fputs("}", out);
}

// ---- declarations
static void emit_operands(FILE *out, const op *o) {
  for (int i = 0; i < o->operand_count; i++) {
    const operand *x = &o->operands[i];
    if (!(x->flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR)))
      continue;
    emit_elements(out, "literal", o->name, x->name, PIR_ATTR_INT_ARRAY, 0, x->literal);
    fprintf(out, "static const pir_attr_def operand_%s_%s = ", o->name, x->name);
    put_attr_def(out, "literal", o->name, x->name, ops_operand_literal_kind(x), 0, x->literal);
    fputs(";\n", out);
  }
  if (!o->operand_count)
    return;
  fprintf(out, "static const pir_operand_def operands_%s[] = {\n", o->name);
  for (int i = 0; i < o->operand_count; i++) {
    const operand *x = &o->operands[i];
    fprintf(out, "  {\"%s\", %d, %d, 0x%xu", x->name, x->flags, x->same_as, x->dtypes);
    if (x->flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR))
      fprintf(out, ", &operand_%s_%s", o->name, x->name);
    else
      fputs(", NULL", out);
    fputs("},\n", out);
  }
  fputs("};\n", out);
}

static void emit_results(FILE *out, const op *o) {
  if (!o->result_count)
    return;
  fprintf(out, "static const pir_result_def results_%s[] = {\n", o->name);
  for (int i = 0; i < o->result_count; i++) {
    const result *r = &o->results[i];
    fprintf(out, "  {\"%s\", %d, %d, %d, %d, 0x%xu},\n", r->name, r->flags, r->same_as,
            r->from_attr, r->dtype, r->dtypes);
  }
  fputs("};\n", out);
}

static void emit_attrs(FILE *out, const op *o) {
  if (!o->attr_count)
    return;
  for (int i = 0; i < o->attr_count; i++)
    emit_elements(out, "default", o->name, o->attrs[i].name, o->attrs[i].kind,
                  o->attrs[i].element_kind, o->attrs[i].literal);
  fprintf(out, "static const pir_attr_def attrs_%s[] = {\n", o->name);
  for (int i = 0; i < o->attr_count; i++) {
    fputs("  ", out);
    put_attr_def(out, "default", o->name, o->attrs[i].name, o->attrs[i].kind,
                 o->attrs[i].element_kind, o->attrs[i].literal);
    fputs(",\n", out);
  }
  fprintf(out, "};\nstatic const uint8_t order_%s[] = {", o->name);
  for (int rank = 0; rank < o->attr_count; rank++) {
    for (int i = 0; i < o->attr_count; i++) {
      int before = 0;
      for (int j = 0; j < o->attr_count; j++)
        before += strcmp(o->attrs[j].name, o->attrs[i].name) < 0;
      if (before == rank)
        fprintf(out, "%s%d", rank ? ", " : "", i);
    }
  }
  fputs("};\n", out);
}

static int carried_by_all(const dialect *d) {
  int count = 0;
  for (int i = 0; i < d->carried_count; i++)
    count += d->carried[i].all;
  return count;
}

static void emit_carried(FILE *out, const dialect *d) {
  if (!d->carried_count)
    return;
  fputs("static const pir_attr_def carried_attrs[] = {\n", out);
  for (int own = 0; own < 2; own++)
    for (int i = 0; i < d->carried_count; i++) {
      const attr *a = &d->carried[i].attr;
      if (d->carried[i].all != own)
        fprintf(out, "  {\"%s\", .kind = %d, .element_kind = %d},\n", a->name, a->kind,
                a->element_kind);
    }
  fputs("};\n", out);
}

static void emit_pairs(FILE *out, const op *o) {
  if (!o->pair_count)
    return;
  fprintf(out, "static const pir_inplace_pair inplace_%s[] = {", o->name);
  for (int i = 0; i < o->pair_count; i++)
    fprintf(out, "%s{%d, %d}", i ? ", " : "", o->pairs[i].operand_at, o->pairs[i].result_at);
  fputs("};\n", out);
}

// ---- meaning
static void emit_nodes(FILE *out, const op *o) {
  const code *c = o->code;
  if (c->node_count)
    fprintf(out, "static const pir_node nodes_%s[] = {\n", o->name);
  for (int i = 0; i < c->node_count; i++) {
    const pir_node *n = &c->nodes[i];
    fprintf(out, "  {%d, %d, %d, %d, %d, %d, %d, %d, ", n->op, n->map_kind, n->k, n->a, n->b,
            n->c, n->map, n->map_count);
    if (n->i == INT64_MIN)
      fputs("INT64_MIN, ", out);  // C has no literal for it
    else
      fprintf(out, "%lld, ", (long long)n->i);
    put_float(out, n->f);
    fputs("},\n", out);
  }
  if (c->node_count)
    fputs("};\n", out);
  if (c->pool_count)
    fprintf(out, "static const int16_t pool_%s[] = {", o->name);
  for (int i = 0; i < c->pool_count; i++)
    fprintf(out, "%d%s", c->pool[i], i + 1 < c->pool_count ? ", " : "};\n");
  if (c->text_count)
    fprintf(out, "static const char *const text_%s[] = {", o->name);
  for (int i = 0; i < c->text_count; i++) {
    put_c_text(out, c->text[i]);
    fputs(i + 1 < c->text_count ? ", " : "};\n", out);
  }
}

static void put_shared(FILE *out, const op *o) {
  put_array(out, "nodes", o->code->node_count, "nodes", o);
  put_array(out, "pool", o->code->pool_count, "pool", o);
  put_array(out, "text", o->code->text_count, "text", o);
}

static void emit_vars(FILE *out, const op *o, int i) {
  const pir_clause *x = &o->code->clauses[i];
  if (x->var_count)
    fprintf(out, "static const pir_clause_var vars_%s_%d[] = {", o->name, i);
  for (int v = 0; v < x->var_count; v++) {
    const pir_clause_var *var = &o->code->vars[o->code->first_var[i] + v];
    fprintf(out, "{\"%s\", %d, %d, %d}%s", var->name, var->extent, var->reduced, var->pack,
            v + 1 < x->var_count ? ", " : "};\n");
  }
}

// Writes clause i of a chain of `count` clauses, named after `prefix`.
static void emit_clause(FILE *out, const op *o, const char *prefix, const pir_clause *x, int i,
                        int count) {
  fprintf(out,
          "static const pir_clause %s_%s_%d = {.kind = %d, .combine = %d, .result = %d, "
          ".compute = %d,",
          prefix, o->name, i, x->kind, x->combine, x->result, x->compute);
  if (x->var_count)
    fprintf(out, " .var_count = %d, .vars = vars_%s_%d,", x->var_count, o->name, i);
  fprintf(out,
          " .out_map_kind = %d, .out_map = %d, .out_map_count = %d, .when = %d, .body = %d, "
          ".then = %d, .init = %d, "
          ".guard = %d,",
          x->out_map_kind, x->out_map, x->out_map_count, x->when, x->body, x->then, x->init,
          x->guard);
  fprintf(out,
          " .trap = %d, .trap_text = %d, .axes_attr = %d, .axes_operand = %d, .all = %d, "
          ".out_rank = %d, .out_extent "
          "= %d,",
          x->trap, x->trap_text, x->axes_attr, x->axes_operand, x->all, x->out_rank,
          x->out_extent);
  fprintf(
      out,
      " .like = %d, .keep = %d, .reverse = %d, .exclusive = %d, .stack = %d, .node_count = %d,",
      x->like, x->keep, x->reverse, x->exclusive, x->stack, o->code->node_count);
  put_shared(out, o);
  if (i + 1 < count)
    fprintf(out, " .next = &%s_%s_%d", prefix, o->name, i + 1);
  fputs("};\n", out);
}

// Writes the last clause first, because each points to the next.
static void emit_clauses(FILE *out, const op *o) {
  const code *c = o->code;
  for (int i = c->clause_count - 1; i >= 0; i--) {
    emit_vars(out, o, i);
    emit_clause(out, o, "clause", &c->clauses[i], i, c->clause_count);
  }
  for (int i = c->shape_count - 1; i >= 0; i--)
    emit_clause(out, o, "shape", &c->shapes[i], i, c->shape_count);
  for (int i = c->requirement_count - 1; i >= 0; i--)
    emit_clause(out, o, "require", &c->requirements[i], i, c->requirement_count);
}

// Writes a pointer to the op of this dialect that a step names.
static void put_target(FILE *out, const dialect *d, const char *name) {
  size_t prefix = strlen(d->name);
  for (int i = 0; i < d->op_count && !strncmp(name, d->name, prefix) && name[prefix] == '.';
       i++) {
    if (d->ops[i].is_form || strcmp(d->ops[i].name, name + prefix + 1))
      continue;
    fprintf(out, "&pir_%s_table[%d]", d->name, d->ops[i].at);
    return;
  }
  fputs("NULL", out);
}

// The blocks of an op that are written under one name: its meaning, or its gradient. A block
// has `result_count` numbers of results.
typedef struct blocks {
  const char *name;
  const lower_code *items;
  int count, result_count;
} blocks;

static void emit_block_parts(FILE *out, const dialect *d, const op *o, const blocks *b, int i) {
  const lower_code *l = &b->items[i];
  if (l->arg_count)
    fprintf(out, "static const pir_lower_arg %s_args_%s_%d[] = {", b->name, o->name, i);
  for (int k = 0; k < l->arg_count; k++)
    fprintf(out, "{%d, %d, %d, %d, %d}%s", l->args[k].kind, l->args[k].value, l->args[k].node,
            l->args[k].first, l->args[k].count, k + 1 < l->arg_count ? ", " : "};\n");
  if (l->item_count)
    fprintf(out, "static const pir_lower_item %s_items_%s_%d[] = {", b->name, o->name, i);
  for (int k = 0; k < l->item_count; k++)
    fprintf(out, "{%d, %d, %d}%s", l->items[k].repeat, l->items[k].node, l->items[k].attr,
            k + 1 < l->item_count ? ", " : "};\n");
  if (l->attr_count)
    fprintf(out, "static const pir_lower_attr %s_attrs_%s_%d[] = {", b->name, o->name, i);
  for (int k = 0; k < l->attr_count; k++) {
    const pir_lower_attr *a = &l->attrs[k];
    fprintf(out, "{\"%s\", %d, %d, %d, %d, %d, ", a->name, a->kind, a->k, a->node, a->first,
            a->count);
    if (a->text)
      put_c_text(out, a->text);
    else
      fputs("NULL", out);
    fputs(k + 1 < l->attr_count ? "}, " : "}};\n", out);
  }
  fprintf(out, "static const pir_lower_step %s_steps_%s_%d[] = {\n", b->name, o->name, i);
  for (int k = 0; k < l->step_count; k++) {
    const pir_lower_step *s = &l->steps[k];
    fprintf(out, "  {\"%s\", ", s->op);
    put_target(out, d, s->op);
    fprintf(out, ", %d, %d, %d, %d, %d, %d, %d},\n", s->first_arg, s->arg_count, s->first_attr,
            s->attr_count, s->result_count, s->when, s->otherwise);
  }
  fprintf(out, "};\nstatic const int16_t %s_results_%s_%d[] = {", b->name, o->name, i);
  for (int k = 0; k < b->result_count; k++)
    fprintf(out, "%d%s", l->results[k], k + 1 < b->result_count ? ", " : "};\n");
}

static void emit_blocks(FILE *out, const dialect *d, const op *o, const blocks *b) {
  for (int i = 0; i < b->count; i++)
    emit_block_parts(out, d, o, b, i);
  if (b->count)
    fprintf(out, "static const pir_lower %s_%s[] = {\n", b->name, o->name);
  for (int i = 0; i < b->count; i++) {
    const lower_code *l = &b->items[i];
    fprintf(
        out,
        "  {.when = %d, .primitive = %d, .step_count = %d, .steps = %s_steps_%s_%d, .results = "
        "%s_results_%s_%d,",
        l->when, l->primitive, l->step_count, b->name, o->name, i, b->name, o->name, i);
    if (l->arg_count)
      fprintf(out, " .args = %s_args_%s_%d,", b->name, o->name, i);
    if (l->attr_count)
      fprintf(out, " .attrs = %s_attrs_%s_%d,", b->name, o->name, i);
    if (l->item_count)
      fprintf(out, " .items = %s_items_%s_%d,", b->name, o->name, i);
    put_shared(out, o);
    fputs("},\n", out);
  }
  if (b->count)
    fputs("};\n", out);
}

// ---- the table
unsigned op_id(const dialect *d, const op *o, bool twin) {
  return (unsigned)d->id << 16 | (unsigned)(twin ? o->twin_number : o->number);
}

static void put_opdef(FILE *out, const dialect *d, const op *o, bool twin,
                      const legacy_row *rows, int row_count) {
  uint32_t traits = o->traits | PIR_REGISTERED;
  if (twin)
    traits =
        (traits & ~(uint32_t)(PIR_PURE | PIR_COMMUTATIVE | PIR_IDEMPOTENT | PIR_INVOLUTION)) |
        PIR_INPLACE;
  fprintf(out, "  {.name = \"%s.%s%s\", .summary = ", d->name, o->name, twin ? "_" : "");
  put_c_text(out, o->summary);
  fprintf(out, ", .id = 0x%xu, .traits = 0x%xu,", op_id(d, o, twin), traits);
  fprintf(out,
          "\n   .operand_count = %d, .result_count = %d, .attr_count = %d, .region_count = %d, "
          ".form = %d, "
          ".inplace_count = %d, .lower_count = %d, .grad_count = %d,\n  ",
          o->operand_count, o->result_count, o->attr_count, o->regions, o->form,
          twin || !o->has_twin ? o->pair_count : 0, o->code->lower_count, o->code->grad_count);
  put_array(out, "operands", o->operand_count, "operands", o);
  put_array(out, "results", o->result_count, "results", o);
  put_array(out, "attrs", o->attr_count, "attrs", o);
  put_array(out, "attr_order", o->attr_count, "order", o);
  if (twin || !o->has_twin)
    put_array(out, "inplace", o->pair_count, "inplace", o);
  if (o->code->clause_count)
    fprintf(out, " .clause = &clause_%s_0,", o->name);
  if (o->code->shape_count)
    fprintf(out, " .shape = &shape_%s_0,", o->name);
  if (o->code->requirement_count)
    fprintf(out, " .require = &require_%s_0,", o->name);
  put_array(out, "lower", o->code->lower_count, "lower", o);
  put_array(out, "grad", o->code->grad_count, "grad", o);
  if (o->no_grad) {
    fputs(" .no_grad = ", out);
    put_c_text(out, o->no_grad);
    fputc(',', out);
  }
  if (o->kernel)
    fprintf(out, " .kernel = \"%s\",", o->kernel);
  if (o->declared) {
    fputs(" .declared = ", out);
    put_c_text(out, o->declared);
    fputc(',', out);
  }
  fprintf(out, " .hooks = {%s, %s, %s, %s},", o->hook_infer ? o->hook_infer : "NULL",
          o->hook_verify ? o->hook_verify : "NULL", o->hook_expand ? o->hook_expand : "NULL",
          o->hook_demand ? o->hook_demand : "NULL");
  for (int i = 0; i < row_count; i++)
    if (rows[i].o == o && rows[i].first)
      fprintf(out, " .legacy = &legacy_rows[%d],", i);
  if (twin)
    fprintf(out, " .base = &pir_%s_table[%d],", d->name, o->at);
  fputs("},\n", out);
}

static bool names_hook_first(const dialect *d, int at) {
  const char *hook = d->ops[at].hook_infer;
  for (int i = 0; i < at; i++)
    if (!d->ops[i].is_form && d->ops[i].hook_infer && !strcmp(d->ops[i].hook_infer, hook))
      return false;
  return true;
}

// Lists the hooks of inference, each once.
static void emit_hook_list(const dialect *d, FILE *out) {
  fputs("\n#define PIR_", out);
  for (const char *c = opsc_family(opsc_file(0)); *c; c++)
    fputc(toupper((unsigned char)*c), out);
  fputs("_INFER_HOOKS(X)", out);
  for (int i = 0; i < d->op_count; i++)
    if (!d->ops[i].is_form && d->ops[i].hook_infer && names_hook_first(d, i))
      fprintf(out, " \\\n  X(%s)", d->ops[i].hook_infer);
  fputc('\n', out);
}

void emit_hooks(const dialect *d, FILE *out) {
  fprintf(
      out,
      "// Hooks that %s.ops names. Made by opsc.\n#include <pir/compiler/infer.h>\n#include "
      "<pir/layer/lower.h>\n#include <pir/layer/spmd_rule.h>\n\n",
      d->name);
  for (int i = 0; i < d->op_count; i++) {
    const op *o = &d->ops[i];
    if (o->is_form)
      continue;
    if (o->hook_infer)
      fprintf(out, "pir_status %s(pir_infer *infer);\n", o->hook_infer);
    if (o->hook_verify)
      fprintf(out, "pir_status %s(const pir_op *op);\n", o->hook_verify);
    if (o->hook_expand)
      fprintf(out, "pir_status %s(pir_expand *expand);\n", o->hook_expand);
    if (o->hook_demand)
      fprintf(out, "void %s(pir_infer *infer);\n", o->hook_demand);
  }
  emit_spmd_functions(out, d);
  emit_hook_list(d, out);
}

void emit_tables(const dialect *d, FILE *out) {
  int rows = d->table_count;
  fprintf(
      out,
      "// Made by opsc from %s.ops.\n#include \"dialect_tables.h\"\n#include "
      "<math.h>\n#include "
      "<pir/layer/legacy_table.h>\n#include <pir/layer/lower.h>\n#include \"%s_hooks.h\"\n\n",
      d->name, opsc_family(opsc_file(0)));
  fprintf(out, "static const pir_opdef pir_%s_table[%d];\n", d->name, rows ? rows : 1);
  for (int i = 0; i < d->op_count; i++) {
    const op *o = &d->ops[i];
    if (o->is_form)
      continue;
    emit_operands(out, o);
    emit_results(out, o);
    emit_attrs(out, o);
    emit_pairs(out, o);
    emit_spmd(out, o);
    emit_nodes(out, o);
    emit_clauses(out, o);
    emit_blocks(out, d, o,
                &(blocks){"lower", o->code->lowers, o->code->lower_count, o->result_count});
    emit_blocks(out, d, o,
                &(blocks){"grad", o->code->grads, o->code->grad_count, o->operand_count});
  }
  int old_count;
  legacy_row *old = legacy_rows(out, d, &old_count);
  if (old_count)
    fprintf(out, "static const pir_legacy_op legacy_rows[%d];\n", old_count);
  fprintf(out, "\nstatic const pir_opdef pir_%s_table[%d] = {\n", d->name, rows ? rows : 1);
  for (int i = 0; i < rows; i++)
    put_opdef(out, d, d->table[i].o, d->table[i].twin, old, old_count);
  fputs("};\n\n", out);
  emit_legacy(out, d, old, old_count);
  emit_spmd_table(out, d);
  emit_carried(out, d);
  fprintf(out, "const pir_dialect pir_%s_dialect = {\"%s\", %d, ", d->name, d->name,
          d->json_id);
  if (d->json_name)
    put_c_text(out, d->json_name);
  else
    fputs("NULL", out);
  fprintf(out, ", pir_%s_table, %d", d->name, rows);
  fprintf(out, ", %s, %d, %d};\n", d->carried_count ? "carried_attrs" : "NULL",
          d->carried_count, carried_by_all(d));
}

// ---- the header
const char *upper(const char *a, const char *b, const char *c) {
  char *text = (char *)ops_format(opsc_reading(), "%s_%s%s", a, b, c);
  for (char *p = text; *p; p++)
    *p = (char)toupper((unsigned char)*p);
  return text;
}

void emit_header(const dialect *d, FILE *out) {
  const char *guard = upper("pir_dialect", d->name, "_h");
  fprintf(out,
          "// Made by opsc from %s.ops: ids of ops, and positions of their operands, results "
          "and attributes.\n",
          d->name);
  fprintf(out, "// %s\n#ifndef %s\n#define %s\n\nenum pir_%s_op {\n", d->summary, guard, guard,
          d->name);
  for (int i = 0; i < d->op_count; i++) {
    const op *o = &d->ops[i];
    if (o->is_form)
      continue;
    fprintf(out, "  %s = 0x%x,  // %s\n", upper(d->prefix, o->name, ""), op_id(d, o, false),
            o->summary);
    if (o->has_twin)
      fprintf(out, "  %s = 0x%x,\n", upper(d->prefix, o->name, "_"), op_id(d, o, true));
  }
  fputs("};\n", out);
  for (int i = 0; i < d->op_count; i++) {
    const op *o = &d->ops[i];
    if (o->is_form || !(o->operand_count + o->attr_count + o->result_count))
      continue;
    fputs("enum {", out);
    const char *name = upper(d->prefix, o->name, ""), *separator = " ";
    for (int k = 0; k < o->operand_count; k++, separator = ", ")
      fprintf(out, "%s%s = %d", separator, upper(name, "in_", o->operands[k].name), k);
    for (int k = 0; k < o->attr_count; k++, separator = ", ")
      fprintf(out, "%s%s = %d", separator, upper(name, "attr_", o->attrs[k].name), k);
    for (int k = 0; k < o->result_count; k++, separator = ", ")
      fprintf(out, "%s%s = %d", separator, upper(name, "out_", o->results[k].name), k);
    fputs(" };\n", out);
  }
  fprintf(out, "\n#endif\n");
}
