// Writes a dialect as Markdown: one page for each family, which is one `.ops` file. The pages
// are for readers of programs. The clause or lower block is copied from the source, because it
// is the definition.
#include "emit_impl.h"

#include <string.h>

static void put_dtype_words(FILE *out, pir_dtype_set set, const char *same, const char *from) {
  if (same) {
    fprintf(out, "as `%s`", same);
  } else if (from) {
    fprintf(out, "by `%s`", from);
  } else if (!set) {
    fputs("any", out);
  } else {
    const char *separator = "";
    for (int i = 1; i < PIR_DTYPE_COUNT; i++) {
      if (!(set >> i & 1))
        continue;
      fprintf(out, "%s%s", separator, pir_dtype_text((pir_dtype)i));
      separator = " ";
    }
  }
}

static const char *attr_operand_word(const operand *x) {
  if (x->flags & PIR_OPERAND_INTARRAY)
    return "integers";
  return x->flags & PIR_OPERAND_SCALAR ? "one number" : "";
}

static void put_declarations(FILE *out, const op *o) {
  fputs("| | name | type | default |\n| --- | --- | --- | --- |\n", out);
  for (int i = 0; i < o->operand_count; i++) {
    const operand *x = &o->operands[i];
    fprintf(out, "| operand | `%s`%s%s | %s", x->name,
            x->flags & PIR_OPERAND_OPTIONAL ? ", optional" : "",
            x->flags & PIR_OPERAND_VARIADIC ? ", list" : "", attr_operand_word(x));
    if (!(x->flags & (PIR_OPERAND_INTARRAY | PIR_OPERAND_SCALAR)))
      put_dtype_words(out, x->dtypes, x->same, NULL);
    fputs(" | ", out);
    if (x->literal)
      put_literal(out, x->literal);
    fputs(" |\n", out);
  }
  for (int i = 0; i < o->attr_count; i++) {
    const attr *a = &o->attrs[i];
    fprintf(out, "| attribute | `%s` | ", a->name);
    put_attr_type(out, a);
    fputs(" | ", out);
    if (a->literal)
      put_literal(out, a->literal);
    fputs(" |\n", out);
  }
  for (int i = 0; i < o->result_count; i++) {
    const result *r = &o->results[i];
    fprintf(out, "| result | `%s`%s%s%s | ", r->name,
            r->flags & PIR_RESULT_OPTIONAL ? ", optional" : "",
            r->flags & PIR_RESULT_VARIADIC ? ", list" : "",
            r->flags & PIR_RESULT_INTERMEDIATE ? ", intermediate" : "");
    put_dtype_words(out, r->dtypes, r->same, r->from);
    fputs(" | |\n", out);
  }
}

// Copies the declaration at `loc` from the source: the rest of its line, and the following
// lines that are indented deeper or close its block. A declaration on the op's own line ends
// there.
static void put_source(FILE *out, source_loc loc) {
  const char *text = loc.file->text;
  for (int line = 1; line < loc.line; line++)
    text = strchr(text, '\n') + 1;
  size_t indent = strspn(text, " "), start = (size_t)loc.column - 1,
         length = strcspn(text, "\n");
  bool shares_line = start != indent;
  while (shares_line && length > start && strchr(" }", text[length - 1]))
    length--;
  fprintf(out, "    %.*s\n", (int)(length - start), text + start);
  while (!shares_line) {
    text += strcspn(text, "\n");
    if (!*text++)
      return;
    size_t deeper = strspn(text, " ");
    length = strcspn(text, "\n");
    if (!length || deeper < indent || (deeper == indent && text[deeper] != '}'))
      return;
    fprintf(out, "    %.*s\n", (int)(length - indent), text + indent);
  }
}

// Writes the legacy names, and the slots and attributes with different names.
static void put_legacy(FILE *out, const op *o) {
  for (int i = 0; i < o->legacy_count; i++) {
    const legacy *l = &o->legacies[i];
    fputs(i ? "; " : "\nIn `.pdmodel` files: ", out);
    for (int k = 0; k < l->name_count; k++)
      fprintf(out, "%s`%s`", k ? ", " : "", l->names[k]);
    for (int k = 0; k < l->item_count; k++) {
      const legacy_item *item = &l->items[k];
      fprintf(out, "%s`%s` is `%s`", k ? ", " : " where ", item->name, item->old);
      if (item->tensor)
        fprintf(out, " or tensor `%s`", item->tensor);
      if (item->tensors)
        fprintf(out, " or tensors `%s`", item->tensors);
    }
  }
  if (o->legacy_count)
    fputs(".\n", out);
}

static void put_meaning(FILE *out, const op *o) {
  fputc('\n', out);
  for (int i = 0; i < o->let_count && o->clause_count + o->lower_count; i++)
    put_source(out, o->lets[i].loc);
  for (int i = 0; i < o->lower_count; i++)
    put_source(out, o->lowers[i].loc);
  for (int i = 0; i < o->clause_count; i++)
    put_source(out, o->clauses[i].loc);
  for (int i = 0; i < o->shape_count; i++)
    put_source(out, o->shapes[i].loc);
  if (o->kernel)
    fprintf(out, "    kernel %s\n", o->kernel);
  if (o->spmd)
    put_source(out, o->spmd->loc);
  if (!ops_declared_only(o))
    return;
  fprintf(out, "%sDeclared only%s%s: programs with it are read and written, not run.\n",
          o->shape_count ? "\n" : "", o->declared ? ", because " : "",
          o->declared ? o->declared : "");
}

static void put_pairs(FILE *out, const op *o) {
  if (!o->pair_count)
    return;
  fprintf(out, o->has_twin ? "\n`%s_` works in place:" : "\nWorks in place:", o->name);
  for (int i = 0; i < o->pair_count; i++)
    fprintf(out, "%s `%s` becomes `%s`", i ? "," : "", o->pairs[i].operand, o->pairs[i].result);
  fputs(".\n", out);
}

// The ops of a gradient block, each once.
static void put_block_ops(FILE *out, const lower *block) {
  for (int i = 0; i < block->step_count; i++) {
    bool again = false;
    for (int k = 0; k < i; k++)
      again |= !strcmp(block->steps[k].op, block->steps[i].op);
    if (!again)
      fprintf(out, "%s`%s`", i ? ", " : "", block->steps[i].op);
  }
}

static void put_gradient(FILE *out, const op *o) {
  const lower *block = NULL;
  for (int i = 0; i < o->grad_count; i++)
    if (!block || (block->primitive && !o->grads[i].primitive))
      block = &o->grads[i];
  if (block) {
    fputs("\nGradient: ", out);
    put_block_ops(out, block);
    fputs(block->primitive ? ", in primitive ops alone.\n" : ".\n", out);
  } else if (o->no_grad) {
    fprintf(out, "\nGradient: none, because %s.\n", o->no_grad);
  }
}

static void put_op(FILE *out, const dialect *d, const op *o) {
  fprintf(out, "\n## %s.%s\n\n%s.\n\n", d->name, o->name, o->summary);
  if (o->operand_count + o->attr_count + o->result_count)
    put_declarations(out, o);
  put_pairs(out, o);
  put_legacy(out, o);
  put_meaning(out, o);
  put_gradient(out, o);
}

// Writes the text of a file's leading comment on one line.
static void put_family_summary(FILE *out, int file) {
  const char *text = opsc_file(file)->text;
  bool first = true;
  while (!strncmp(text, "//", 2)) {
    text += 2;
    if (first)
      text += *text == ' ';
    first = false;
    size_t length = strcspn(text, "\n");
    fprintf(out, "%.*s", (int)length, text);
    text += length + (text[length] == '\n');
  }
}

void emit_family(const dialect *d, int file, FILE *out) {
  fprintf(out, "# %s: %s\n\n", d->name, opsc_family(opsc_file(file)));
  put_family_summary(out, file);
  fputc('\n', out);
  for (int i = 0; i < d->op_count; i++)
    if (!d->ops[i].is_form && d->ops[i].loc.file->number == file)
      put_op(out, d, &d->ops[i]);
}

int family_size(const dialect *d, int file) {
  int n = 0;
  for (int i = 0; i < d->op_count; i++)
    n += !d->ops[i].is_form && d->ops[i].loc.file->number == file;
  return n;
}

void emit_index(const dialect *d, FILE *out) {
  fprintf(out, "# %s\n\n%s\n\n| family | ops | |\n| --- | --- | --- |\n", d->name, d->summary);
  for (int file = 0; file < opsc_reading()->file_count; file++) {
    if (!family_size(d, file))
      continue;
    fprintf(out, "| [%s](%s.md) | %d | ", opsc_family(opsc_file(file)),
            opsc_family(opsc_file(file)), family_size(d, file));
    put_family_summary(out, file);
    fputs(" |\n", out);
  }
}
