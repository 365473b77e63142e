// Declarations of ops, as users give them at run time: a text is refused with a message, or
// each op that it declares is put into a program, whose facts are derived, which runs by
// kernels, and goes through passes down to loops.
#include "run_program.h"

#include <pir/compiler/dialect.h>
#include <pir/compiler/infer.h>
#include <pir/engine/custom.h>

enum { ROOM = 1 << 15, MOST_OPS = 8 };

typedef struct writing {
  char text[ROOM];
  size_t size;
  unsigned seed;
} writing;

static void put(writing *w, const char *format, ...) PIR_PRINTF(2, 3);

static void put(writing *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(w->text + w->size, ROOM - w->size, format, args);
  va_end(args);
  w->size += n > 0 && (size_t)n < ROOM - w->size ? (size_t)n : 0;
}

static unsigned draw(writing *w, unsigned below) {
  w->seed = w->seed * 1103515245 + 12345;
  return (w->seed >> 16) % below;
}

// ---- operands

static const char *const shapes[] = {"2x3", "2x3", "3", "2x1", "4x2x3", "1x2x4x4", ""};
static const char *const lists[] = {"2,3", "2,3", "3", "2,1", "4,2,3", "1,2,4,4", ""};

static int type_of(writing *w, pir_dtype_set dtypes) {
  int type = PIR_F32;
  if (dtypes >> PIR_F32 & 1 || !dtypes)
    return type;
  for (int i = 1; i < PIR_DTYPE_COUNT; i++)
    if (dtypes >> i & 1 && (type == PIR_F32 || !draw(w, 2)))
      type = i;
  return type;
}

static void put_tensor(writing *w, const char *name, int type, unsigned shape) {
  const char *separator = *shapes[shape] ? "x" : "", *words = pir_dtype_text((pir_dtype)type);
  put(w,
      "(%%%s) = \"pd_op.data\" () {dtype:%s,name:\"%s\",place:Place(undefined:0),shape:[%s]}",
      name, pir_dtype_name((pir_dtype)type), name, lists[shape]);
  put(w, " : () -> tensor<%s%s%s>\n", shapes[shape], separator, words);
}

// Writes the ops that make operand i, and its type; returns whether it is absent.
static bool put_operand(writing *w, const pir_opdef *def, int i, int type, writing *types) {
  const pir_operand_def *x = &def->operands[i];
  char name[32];
  unsigned shape = draw(w, 7);
  const char *separator = *shapes[shape] ? "x" : "", *words = pir_dtype_text((pir_dtype)type);
  if (x->flags & PIR_OPERAND_OPTIONAL && !draw(w, 2)) {
    put(types, "<<NULL TYPE>>");
    return true;
  }
  snprintf(name, sizeof name, "o%d", i);
  if (x->flags & PIR_OPERAND_INTARRAY) {
    put(w,
        "(%%%s) = \"pd_op.full_int_array\" () {dtype:int64,place:Place(cpu),value:[%d]} : () "
        "-> tensor<1xi64>\n",
        name, (int)draw(w, 4) - 1);
    put(types, "tensor<1xi64>");
  } else if (x->flags & PIR_OPERAND_SCALAR) {
    put(w,
        "(%%%s) = \"pd_op.full\" () {dtype:int32,place:Place(cpu),shape:[1],value:%d} : () -> "
        "tensor<1xi32>\n",
        name, (int)draw(w, 4) - 1);
    put(types, "tensor<1xi32>");
  } else if (x->flags & PIR_OPERAND_VARIADIC) {
    snprintf(name, sizeof name, "p%d", i);
    put_tensor(w, name, type, shape);
    put(w,
        "(%%o%d) = \"builtin.combine\" (%%p%d, %%p%d) {} : (tensor<%s%s%s>, tensor<%s%s%s>) "
        "-> ",
        i, i, i, shapes[shape], separator, words, shapes[shape], separator, words);
    put(w, "vec[tensor<%s%s%s>,tensor<%s%s%s>]\n", shapes[shape], separator, words,
        shapes[shape], separator, words);
    put(types, "vec[tensor<%s%s%s>,tensor<%s%s%s>]", shapes[shape], separator, words,
        shapes[shape], separator, words);
  } else {
    put_tensor(w, name, type, shape);
    put(types, "tensor<%s%s%s>", shapes[shape], separator, words);
  }
  return false;
}

// ---- attributes

static void put_attr(writing *w, const pir_attr_def *a) {
  int n = (int)draw(w, 4) - 1;
  put(w, "%s:", a->name);
  switch ((pir_attr_kind)a->kind) {
    case PIR_ATTR_BOOL: put(w, "%s", n > 0 ? "true" : "false"); break;
    case PIR_ATTR_STR: put(w, "\"a\""); break;
    case PIR_ATTR_DTYPE: put(w, "float32"); break;
    case PIR_ATTR_ARRAY:
      if (a->element_kind == PIR_ATTR_STR)
        put(w, "[\"a\"]");
      else
        put(w, "[%d,%d]", n, n + 1);
      break;
    default: put(w, "%d", n);
  }
}

// ---- a program with the op

static void put_program(writing *w, const pir_opdef *def) {
  static writing types;
  bool absent[UINT8_MAX] = {false};
  types = (writing){.seed = w->seed};
  put(w, "{\n");
  for (int i = 0; i < def->operand_count; i++) {
    int same = def->operands[i].same_as;
    pir_dtype_set set = def->operands[same >= 0 ? same : i].dtypes;
    if (i)
      put(&types, ", ");
    absent[i] = put_operand(w, def, i, type_of(w, set), &types);
  }
  for (int i = 0; i < def->result_count; i++)
    put(w, "%s%%r%d", i ? ", " : "(", i);
  put(w, ") = \"%s\" (", def->name);
  for (int i = 0; i < def->operand_count; i++) {
    put(w, i ? ", " : "");
    if (absent[i])
      put(w, "<<NULL VALUE>>");
    else
      put(w, "%%o%d", i);
  }
  put(w, ") {");
  for (int i = 0, given = 0; i < def->attr_count; i++)
    if (def->attrs[i].required || !draw(w, 2)) {
      put(w, given++ ? "," : "");
      put_attr(w, &def->attrs[i]);
    }
  put(w, "} : (%s) -> ", types.text);
  for (int i = 0; i < def->result_count; i++)
    put(w, "%stensor<2x3xf32>", i ? ", " : "");
  for (int i = 0; i < def->result_count; i++)
    put(w,
        "\n(%%f%d) = \"pd_op.fetch\" (%%r%d) {col:%d,name:\"f%d\"} : (tensor<2x3xf32>) -> "
        "tensor<2x3xf32>",
        i, i, i, i);
  put(w, "\n}\n");
}

static void use_program(pir_context *ctx, writing *w, unsigned choice) {
  pir_program *program = NULL;
  pir_facts *facts = NULL;
  if (pir_program_parse(ctx, (pir_str){w->text, w->size}, NULL, &program))
    return;
  if (!pir_facts_create(program, &facts))
    pir_facts_destroy(facts);
  if (!pir_verify(pir_program_module(program), NULL)) {
    run_program(program);
    run_passes(ctx, program, choice);
  } else {
    pir_program_destroy(program);
  }
}

static void use_ops(pir_custom_set *set, unsigned choice) {
  static writing w;
  pir_context *ctx = fuzz_context();
  size_t first = pir_context_dialects(ctx);
  if (pir_custom_set_register(set, ctx))
    abort();  // all that a text can have wrong is told before
  for (size_t d = first; d < pir_context_dialects(ctx); d++) {
    const pir_dialect *dialect = pir_context_dialect(ctx, d);
    for (size_t i = 0; i < dialect->op_count && i < MOST_OPS; i++) {
      w = (writing){.seed = choice + (unsigned)i};
      put_program(&w, &dialect->ops[i]);
      use_program(ctx, &w, choice >> i);
    }
  }
  pir_context_destroy(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  pir_custom_set *set = NULL;
  pir_message message = {""};
  unsigned choice = 0;
  for (size_t i = 0; i < size; i++)
    choice = choice * 31 + data[i];
  if (pir_custom_set_create(NULL, &set))
    abort();
  if (!pir_custom_set_declare(set, (pir_str){(const char *)data, size}, NULL, &message))
    use_ops(set, choice >> 4);
  else if (!message.text[0])
    abort();
  pir_custom_set_destroy(set);
  return 0;
}
