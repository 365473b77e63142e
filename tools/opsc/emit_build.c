// Writes the functions by which C and C++ programs build ops: for each family a header of
// inline functions over pir_op_builder_put, and for the dialect one header that includes them.
// Required operands and attributes are the parameters of a function, in the order of its
// declaration; the others are in a struct of options. Ops with regions, lists and terminators
// have no function.
#include "emit_impl.h"

#include <string.h>

// How C hands over an attribute or an operand.
typedef struct form {
  const char *type, *maker;        // when it must be given
  const char *option, *opt_maker;  // when it may be left out
} form;

static const form value_form = {"pir_value *", "value", "pir_value *", "value"};
static const form values_form = {"pir_values ", "values", "pir_values ", "values"};
static const form lengths_form = {"pir_ints ", "lengths", "pir_ints ", "lengths"};
static const form number_form = {"pir_number ", "number", "pir_number ", "number"};
static const form bool_form = {"bool ", "int", "pir_opt_bool ", "opt_bool"};
static const form int_form = {"int64_t ", "int", "pir_opt_int ", "opt_int"};
static const form dtype_form = {"pir_dtype ", "int", "pir_opt_int ", "opt_int"};
static const form float_form = {"double ", "float", "pir_opt_float ", "opt_float"};
static const form text_form = {"const char *", "text", "const char *", "text"};
static const form ints_form = {"pir_ints ", "ints", "pir_ints ", "ints"};
static const form floats_form = {"pir_floats ", "floats", "pir_floats ", "floats"};
static const form texts_form = {"pir_texts ", "texts", "pir_texts ", "texts"};
static const form attr_form = {"const pir_attr *", "attr", "const pir_attr *", "attr"};

static const form *list_form(uint8_t element_kind) {
  switch (element_kind) {
    case PIR_ATTR_BOOL:
    case PIR_ATTR_I32:
    case PIR_ATTR_I64:
    case PIR_ATTR_DTYPE: return &ints_form;
    case PIR_ATTR_F32:
    case PIR_ATTR_F64:
    case PIR_ATTR_SCALAR: return &floats_form;
    case PIR_ATTR_STR: return &texts_form;
    default: return &attr_form;
  }
}

static const form *attr_form_of(const attr *a) {
  switch (a->kind) {
    case PIR_ATTR_BOOL: return &bool_form;
    case PIR_ATTR_I32:
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX:
    case PIR_ATTR_PLACE: return &int_form;
    case PIR_ATTR_DTYPE: return &dtype_form;
    case PIR_ATTR_F32:
    case PIR_ATTR_F64:
    case PIR_ATTR_SCALAR: return &float_form;
    case PIR_ATTR_STR:
    case PIR_ATTR_TENSOR_NAME:
    case PIR_ATTR_LAYOUT: return &text_form;
    case PIR_ATTR_INT_ARRAY: return &ints_form;
    case PIR_ATTR_ARRAY: return list_form(a->element_kind);
    default: return &attr_form;
  }
}

static const form *operand_form_of(const operand *x) {
  if (x->flags & PIR_OPERAND_VARIADIC)
    return &values_form;
  if (x->flags & PIR_OPERAND_INTARRAY)
    return &lengths_form;
  return x->flags & PIR_OPERAND_SCALAR ? &number_form : &value_form;
}

static bool is_required_operand(const operand *x) {
  return !(x->flags & PIR_OPERAND_OPTIONAL) && !x->literal;
}

// A place says nothing to libpir: it may always be left out.
static bool is_required_attr(const attr *a) {
  return !a->literal && a->kind != PIR_ATTR_PLACE;
}

// A name that no keyword of C++ and no other parameter has.
static const char *safe_name(const char *name) {
  static const char *const taken[] = {
      "bool",        "builder",  "class", "count",    "default", "delete",  "explicit",
      "export",      "friend",   "new",   "operator", "options", "private", "public",
      "result_type", "template", "this",  "typename", "union",   "using"};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (!strcmp(taken[i], name))
      return ops_format(opsc_reading(), "%s_", name);
  return name;
}

// A list in parentheses or braces, which is broken into lines.
typedef struct line {
  FILE *out;
  size_t column;
  bool more;  // behind the first item
} line;

enum { COLUMNS = 96 };

static void put_item(line *l, const char *item) {
  size_t length = strlen(item);
  if (l->more)
    fputc(',', l->out);
  if (l->more && l->column + length + 4 > COLUMNS) {
    fputs("\n    ", l->out);
    l->column = 4;
  } else if (l->more) {
    fputc(' ', l->out);
    l->column++;
  }
  fputs(item, l->out);
  l->column += length + 1;
  l->more = true;
}

static line begin_line(FILE *out, const char *start) {
  fputs(start, out);
  return (line){out, strlen(start), false};
}

// ---- one op

static bool has_function(const op *o) {
  return !o->is_form && !o->regions &&
         !(o->traits & (PIR_STRUCTURAL | PIR_TERMINATOR | PIR_OPEN));
}

// Whether the caller states the type of the result, because no attribute does.
static bool states_type(const op *o) {
  return o->traits & PIR_PARAMETER || (o->traits & PIR_INPUT && (ops_attr_at(o, "shape") < 0 ||
                                                                 ops_attr_at(o, "dtype") < 0));
}

static int option_count(const op *o) {
  int count = 0;
  for (int i = 0; i < o->operand_count; i++)
    count += !is_required_operand(&o->operands[i]);
  for (int i = 0; i < o->attr_count; i++)
    count += !is_required_attr(&o->attrs[i]);
  return count;
}

static void emit_options(FILE *out, const op *o, const char *function) {
  if (!option_count(o))
    return;
  fprintf(out, "// What %s may be given besides.\ntypedef struct %s_options {\n", function,
          function);
  for (int i = 0; i < o->operand_count; i++) {
    const operand *x = &o->operands[i];
    if (is_required_operand(x))
      continue;
    fprintf(out, "  %s%s;", operand_form_of(x)->option, safe_name(x->name));
    if (x->literal) {
      fputs("  // default ", out);
      put_literal(out, x->literal);
    }
    fputc('\n', out);
  }
  for (int i = 0; i < o->attr_count; i++) {
    const attr *a = &o->attrs[i];
    if (is_required_attr(a))
      continue;
    fprintf(out, "  %s%s;  // ", attr_form_of(a)->option, safe_name(a->name));
    put_attr_type(out, a);
    if (a->literal) {
      fputs(", default ", out);
      put_literal(out, a->literal);
    }
    fputc('\n', out);
  }
  fprintf(out, "} %s_options;\n", function);
}

static void emit_results_struct(FILE *out, const op *o, const char *function) {
  if (o->result_count < 2)
    return;
  fprintf(out, "// What %s makes; all are NULL after a failure.\ntypedef struct %s_results {\n",
          function, function);
  for (int i = 0; i < o->result_count; i++) {
    const result *r = &o->results[i];
    fprintf(out, "  pir_value *%s;", safe_name(r->name));
    if (r->flags & PIR_RESULT_VARIADIC)
      fputs("  // a list", out);
    else if (r->flags & PIR_RESULT_OPTIONAL)
      fputs("  // NULL when it is absent", out);
    fputc('\n', out);
  }
  fprintf(out, "} %s_results;\n", function);
}

static void put_parameters(FILE *out, const op *o, const char *function, const char *returned) {
  line l =
      begin_line(out, ops_format(opsc_reading(), "static inline %s%s(", returned, function));
  put_item(&l, "pir_op_builder *builder");
  if (states_type(o))
    put_item(&l, "const pir_type *result_type");
  for (int i = 0; i < o->operand_count; i++) {
    const operand *x = &o->operands[i];
    if (is_required_operand(x))
      put_item(
          &l, ops_format(opsc_reading(), "%s%s", operand_form_of(x)->type, safe_name(x->name)));
  }
  for (int i = 0; i < o->attr_count; i++) {
    const attr *a = &o->attrs[i];
    if (is_required_attr(a))
      put_item(&l,
               ops_format(opsc_reading(), "%s%s", attr_form_of(a)->type, safe_name(a->name)));
  }
  if (option_count(o))
    put_item(&l, ops_format(opsc_reading(), "const %s_options *options", function));
  fputs(") {\n", out);
}

// Returns the number of arguments.
static int put_required(FILE *out, const op *o, int total) {
  line l = begin_line(out, ops_format(opsc_reading(), "  pir_op_arg args[%d] = {", total));
  int count = 0;
  for (int i = 0; i < o->operand_count; i++) {
    const operand *x = &o->operands[i];
    if (!is_required_operand(x))
      continue;
    put_item(&l, ops_format(opsc_reading(), "pir_arg_%s(%d, %s)", operand_form_of(x)->maker, i,
                            safe_name(x->name)));
    count++;
  }
  for (int i = 0; i < o->attr_count; i++) {
    const attr *a = &o->attrs[i];
    if (!is_required_attr(a))
      continue;
    put_item(&l, ops_format(opsc_reading(), "pir_arg_%s(%d, %s)", attr_form_of(a)->maker, i,
                            safe_name(a->name)));
    count++;
  }
  fputs(count ? "};\n" : "pir_arg_none(0)};\n", out);
  return count;
}

static void put_optional(FILE *out, const op *o) {
  for (int i = 0; i < o->operand_count; i++)
    if (!is_required_operand(&o->operands[i]))
      fprintf(out, "    args[count++] = pir_arg_%s(%d, options->%s);\n",
              operand_form_of(&o->operands[i])->opt_maker, i, safe_name(o->operands[i].name));
  for (int i = 0; i < o->attr_count; i++)
    if (!is_required_attr(&o->attrs[i]))
      fprintf(out, "    args[count++] = pir_arg_%s(%d, options->%s);\n",
              attr_form_of(&o->attrs[i])->opt_maker, i, safe_name(o->attrs[i].name));
}

static void put_return(FILE *out, const op *o, const char *function, const char *call) {
  if (!o->result_count) {
    fprintf(out, "  return %s;\n", call);
  } else if (o->result_count == 1) {
    fprintf(out, "  return pir_op_result_of(%s, 0);\n", call);
  } else {
    fprintf(out, "  const pir_op *op = %s;\n", call);
    line l = begin_line(out, ops_format(opsc_reading(), "  %s_results results = {", function));
    for (int i = 0; i < o->result_count; i++)
      put_item(&l, ops_format(opsc_reading(), "pir_op_result_of(op, %d)", i));
    fputs("};\n  return results;\n", out);
  }
}

static const char *returned_type(const op *o, const char *function) {
  if (!o->result_count)
    return "pir_op *";
  return o->result_count == 1 ? "pir_value *"
                              : ops_format(opsc_reading(), "%s_results ", function);
}

static void emit_function(FILE *out, const dialect *d, const op *o, bool twin) {
  const char *function =
      ops_format(opsc_reading(), "pir_%s_%s%s", d->prefix, o->name, twin ? "_" : "");
  int total = o->operand_count + o->attr_count;
  emit_options(out, o, function);
  emit_results_struct(out, o, function);
  fprintf(out, "// %s.%s%s: %s.\n", d->name, o->name, twin ? "_" : "",
          o->summary ? o->summary : "no summary");
  put_parameters(out, o, function, returned_type(o, function));
  int required = total ? put_required(out, o, total) : 0;
  if (option_count(o)) {
    fprintf(out, "  size_t count = %d;\n  if (options) {\n", required);
    put_optional(out, o);
    fputs("  }\n", out);
  }
  const char *call =
      ops_format(opsc_reading(), "pir_op_builder_put(builder, %s, %s, %s, %s)",
                 upper(d->prefix, o->name, twin ? "_" : ""),
                 states_type(o) ? "result_type" : "NULL", total ? "args" : "NULL",
                 option_count(o) ? "count" : ops_format(opsc_reading(), "%d", required));
  put_return(out, o, function, call);
  fputs("}\n\n", out);
}

// ---- headers

int build_size(const dialect *d, int file) {
  int count = 0;
  for (int i = 0; i < d->op_count; i++)
    count += has_function(&d->ops[i]) && d->ops[i].loc.file->number == file;
  return count;
}

void emit_build_family(const dialect *d, int file, FILE *out) {
  const char *guard =
      upper("pir_build", ops_format(opsc_reading(), "%s_", opsc_family(opsc_file(0))),
            ops_format(opsc_reading(), "%s_h", opsc_family(opsc_file(file))));
  fprintf(out,
          "// Made by opsc from %s.ops: functions that build the ops of a family "
          "(pir/compiler/build_op.h).\n#ifndef %s\n#define %s\n\n"
          "#include <pir/compiler/dialect/%s.h>\n#include <pir/compiler/op_args.h>\n\n"
          "PIR_BEGIN\n\n",
          opsc_family(opsc_file(file)), guard, guard, opsc_family(opsc_file(0)));
  for (int i = 0; i < d->op_count; i++) {
    const op *o = &d->ops[i];
    if (!has_function(o) || o->loc.file->number != file)
      continue;
    emit_function(out, d, o, false);
    if (o->has_twin)
      emit_function(out, d, o, true);
  }
  fputs("PIR_END\n#endif\n", out);
}

void emit_build_index(const dialect *d, FILE *out) {
  fprintf(
      out,
      "// Made by opsc from %s.ops: functions that build the ops of the dialect, one header a "
      "family.\n#ifndef PIR_BUILD_%s_H\n#define PIR_BUILD_%s_H\n\n",
      d->name, opsc_family(opsc_file(0)), opsc_family(opsc_file(0)));
  for (int file = 0; file < opsc_reading()->file_count; file++)
    if (build_size(d, file))
      fprintf(out, "#include <pir/compiler/build/%s/%s.h>\n", opsc_family(opsc_file(0)),
              opsc_family(opsc_file(file)));
  fputs("\n#endif\n", out);
}
