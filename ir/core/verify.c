// Checks a tree of ops against the tables of their definitions; it knows no op by name. One
// pre-order walk. Every open block remembers the op that the walk has reached, so "defined
// before and still in scope" is one comparison, whatever the depth.
//
// Stated types are not facts: a conflict of element types, a list in place of a tensor and a
// type that is missing are warnings, and errors only in strict mode.

#include <pir/compiler/verify.h>

#include <pir/layer/nearest.h>
#include <op_impl.h>
#include <sized.h>
#include <strbuf.h>
#include <type_impl.h>

#include <string.h>

// A pair that was found right: an attribute and its declaration, or an undeclared name, or all
// undeclared attributes, and the kind of op.
typedef struct right_pair {
  const void *what, *against;
} right_pair;

enum { RIGHT_PAIRS = 256 };

typedef struct verifier {
  bool strict, errors_only, old_forms, fragment, untyped;
  pir_status status;
  const pir_op *root;
  // Attributes are unique, and thousands of ops have equal ones: each pair is checked about
  // once.
  right_pair right[RIGHT_PAIRS];
} verifier;

static right_pair *right_slot(verifier *v, const void *what, const void *against) {
  uintptr_t mixed = ((uintptr_t)what >> 4) ^ ((uintptr_t)against >> 5);
  return &v->right[(mixed ^ mixed >> 8) % RIGHT_PAIRS];
}

static void found(verifier *v, pir_status status) {
  if (status)
    v->status = status;
}

static const char *plural(size_t n) {
  return n == 1 ? "" : "s";
}

// ---- operands

static size_t needed_operands(const pir_opdef *def) {
  size_t n = def->operand_count;
  while (n && def->operands[n - 1].flags & PIR_OPERAND_OPTIONAL)
    n--;
  return n;
}

// A variadic operand is one vec value. Structural ops, control flow and ops whose members are
// given separately take several values.
static bool takes_many(const pir_op *op) {
  const pir_opdef *def = op->info->def;
  size_t last = def->operand_count - 1u;
  if (!def->operand_count || !(def->operands[last].flags & PIR_OPERAND_VARIADIC))
    return false;
  if (!(def->traits & PIR_PURE) ||
      def->traits & (PIR_STRUCTURAL | PIR_CONTROL | PIR_TERMINATOR))
    return true;
  const pir_value *value = last < op->operand_count ? op_uses(op)[last].value : NULL;
  return value && value->type && pir_type_kind_of(value->type) != PIR_TYPE_VECTOR;
}

// Older versions of Paddle stated some operands as attributes: the missing operands at the end
// must all be present by name.
static bool given_as_attrs(const pir_op *op) {
  const pir_opdef *def = op->info->def;
  for (size_t i = op->operand_count; i < needed_operands(def); i++)
    if (!pir_op_attr_str(op, def->operands[i].name))
      return false;
  return true;
}

static pir_status check_operand_count(const verifier *v, const pir_op *op) {
  const pir_opdef *def = op->info->def;
  size_t n = op->operand_count, least = needed_operands(def), most = def->operand_count;
  if (takes_many(op))
    return n + 1 >= most ? PIR_OK
                         : pir_error(op, "expects at least %zu operands, has %zu", most - 1, n);
  if (n < least && v->old_forms && given_as_attrs(op)) {
    pir_warning(op, "older form: %s is an operand now, not an attribute",
                def->operands[n].name);
    return PIR_OK;
  }
  if (n < least || n > most) {
    if (least == most)
      return pir_error(op, "expects %zu operand%s, has %zu", most, plural(most), n);
    return pir_error(op, "expects %zu to %zu operands, has %zu", least, most, n);
  }
  return PIR_OK;
}

static const pir_operand_def *operand_def(const pir_opdef *def, size_t i) {
  return &def->operands[i < def->operand_count ? i : def->operand_count - 1u];
}

static pir_status conflict(const verifier *v, const pir_op *op, const char *what,
                           const char *name, pir_dtype has, const char *wanted) {
  if (v->strict)
    return pir_error(op, "%s %s has element type %s, expected %s", what, name,
                     pir_dtype_text(has), wanted);
  if (!v->errors_only && !v->untyped)
    pir_warning(op, "%s %s is stated with element type %s, expected %s", what, name,
                pir_dtype_text(has), wanted);
  return PIR_OK;
}

// Names the types of a set: "f32 or f64".
static pir_status outside_set(const verifier *v, const pir_op *op, const char *what,
                              const char *name, pir_dtype has, pir_dtype_set allowed) {
  pir_strbuf list;
  pir_strbuf_init(&list, &op_context(op)->arena);
  for (int dtype = 0; dtype < PIR_DTYPE_COUNT; dtype++)
    if (allowed >> dtype & 1)
      pir_strbuf_format(&list, "%s%s", list.size ? " or " : "", pir_dtype_text(dtype));
  pir_strbuf_char(&list, 0);
  pir_status status = conflict(v, op, what, name, has, list.data);
  pir_strbuf_free(&list);
  return status;
}

static pir_dtype operand_dtype(const pir_op *op, size_t i) {
  const pir_value *value = i < op->operand_count ? op_uses(op)[i].value : NULL;
  return value ? pir_type_dtype(value->type) : PIR_UNDEFINED;
}

// `same_as` names the operand whose element type this one must have.
static pir_status check_dtype(const verifier *v, const pir_op *op, const char *what,
                              const char *name, pir_dtype has, pir_dtype_set allowed,
                              int same_as) {
  if (has == PIR_UNDEFINED)
    return PIR_OK;
  bool half = (has == PIR_F16 || has == PIR_BF16) &&
              allowed >> PIR_F32 & 1;  // lists are of CPU kernels; GPU kernels have 16-bit
                                       // floats
  if (allowed && !half && !(allowed >> has & 1))
    return outside_set(v, op, what, name, has, allowed);
  pir_dtype wanted = same_as >= 0 ? operand_dtype(op, (size_t)same_as) : PIR_UNDEFINED;
  if (wanted == PIR_UNDEFINED || wanted == has)
    return PIR_OK;
  return conflict(v, op, what, name, has, pir_dtype_text(wanted));
}

static void check_operands(verifier *v, const pir_op *op) {
  const pir_opdef *def = op->info->def;
  for (size_t i = 0; i < op->operand_count && def->operand_count; i++) {
    const pir_operand_def *want = operand_def(def, i);
    if (!op_uses(op)[i].value) {
      bool list = want->flags & PIR_OPERAND_VARIADIC && !(def->traits & PIR_STRUCTURAL);
      bool may_miss = list || want->flags & PIR_OPERAND_OPTIONAL;
      if (!may_miss)
        found(v, pir_error(op, "operand %zu (%s) is missing", i, want->name));
    } else if (want->dtypes || want->same_as >= 0) {
      int same_as = want->flags & PIR_OPERAND_PROMOTED ? -1 : want->same_as;
      found(v, check_dtype(v, op, "operand", want->name, operand_dtype(op, i), want->dtypes,
                           same_as));
    }
  }
}

// ---- results

// A list is one value; only what regions return, or an empty list holds, may be no value.
static bool may_lack_list(const pir_op *op) {
  const pir_value *list = op->operand_count ? op_uses(op)[0].value : NULL;
  bool empty = list && list->type && pir_type_kind_of(list->type) == PIR_TYPE_VECTOR &&
               !pir_type_elements(list->type);
  return op->region_count || empty;
}

// Whether nothing needs the op, so that every pipeline drops it.
static bool is_dead(const pir_op *op) {
  for (size_t i = 0; i < op->result_count; i++)
    if (!pir_value_unused(op_result(op, i)))
      return false;
  return pir_op_has(op, PIR_PURE);
}

// Whether result `i` may have no type, which says that it is absent: it is declared so, it is
// kept for a gradient only, or it is a gradient, x_grad, whose x is absent or needs none; or
// else nothing needs the op.
static bool may_be_absent(const pir_op *op, size_t i) {
  const pir_result_def *result = &op->info->def->results[i];
  size_t size = strlen(result->name), tail = strlen("_grad");
  return result->flags & (PIR_RESULT_OPTIONAL | PIR_RESULT_INTERMEDIATE) ||
         (size > tail && !strcmp(result->name + size - tail, "_grad")) || is_dead(op);
}

// What runs the op knows by the declaration whether a result is a tensor, whatever is stated.
static pir_status check_result_type(const verifier *v, const pir_op *op, size_t i) {
  const pir_result_def *want = &op->info->def->results[i];
  const pir_type *type = op_result(op, i)->type;
  bool list = type && pir_type_kind_of(type) == PIR_TYPE_VECTOR;
  const char *wrong = list ? "is a list, expected a tensor" : "has no type";
  if (want->flags & PIR_RESULT_VARIADIC || (type && !list) || (!type && may_be_absent(op, i)))
    return PIR_OK;
  if (v->strict)
    return pir_error(op, "result %zu (%s) %s", i, want->name, wrong);
  if (!v->errors_only && !v->untyped)
    pir_warning(op, "result %zu (%s) %s", i, want->name, wrong);
  return PIR_OK;
}

// Whether an `infer` hook may derive element type `to` where an operand has type `from`: real
// numbers for complex ones, floats for integers, and 64-bit sums, if the op calculates or has
// no clause. Ops that only move elements keep the type.
static bool hook_converts(const pir_opdef *def, pir_dtype from, pir_dtype to) {
  const pir_clause *clause = def->clause;
  bool reduces = clause && clause->kind == PIR_CLAUSE_REDUCE;
  bool calculates = reduces || !clause || clause->kind == PIR_CLAUSE_POINTWISE;
  if (!def->hooks.infer || !calculates)
    return false;
  if (pir_dtype_is_complex(from))
    return to == (from == PIR_C128 ? PIR_F64 : PIR_F32);
  if (from != PIR_BOOL && !pir_dtype_is_integer(from))
    return false;
  return pir_dtype_is_float(to) || (reduces && to == PIR_I64);
}

static pir_status check_result(const verifier *v, const pir_op *op, size_t i) {
  const pir_result_def *want = &op->info->def->results[i];
  PIR_TRY(check_result_type(v, op, i));
  pir_dtype has = pir_type_dtype(op_result(op, i)->type);
  const pir_attr *attr =
      want->from_attr >= 0 ? pir_op_attr_at(op, (size_t)want->from_attr) : NULL;
  pir_dtype chosen = attr ? pir_attr_as_dtype(attr) : PIR_UNDEFINED;
  bool stated = chosen != PIR_UNDEFINED && has != PIR_UNDEFINED;
  if (stated && chosen != has)
    return conflict(v, op, "result", want->name, has, pir_dtype_text(chosen));
  bool promoted = want->flags & PIR_RESULT_PROMOTED && pir_dtype_is_complex(has);
  bool derived = stated || promoted ||
                 (want->same_as >= 0 &&
                  hook_converts(op->info->def, operand_dtype(op, (size_t)want->same_as), has));
  return check_dtype(v, op, "result", want->name, has, want->dtypes,
                     derived ? -1 : want->same_as);
}

static pir_status check_results(const verifier *v, const pir_op *op) {
  const pir_opdef *def = op->info->def;
  size_t n = op->result_count, most = def->result_count, least = most;
  bool many = most && def->results[most - 1].flags & PIR_RESULT_VARIADIC;
  if (many && may_lack_list(op))
    least = most - 1;
  while (least && def->results[least - 1].flags & PIR_RESULT_OPTIONAL)
    least--;
  if (n > most && !many && v->old_forms) {
    pir_warning(op, "older form: %zu result%s, now %zu", n, plural(n), most);
    return PIR_OK;
  }
  if (n < least || (n > most && !many)) {
    if (least == most)
      return pir_error(op, "expects %zu result%s, has %zu", most, plural(most), n);
    return pir_error(op, "expects %s%zu results, has %zu", n < least ? "at least " : "at most ",
                     n < least ? least : most, n);
  }
  for (size_t i = 0; i < n && i < most; i++)
    PIR_TRY(check_result(v, op, i));
  return PIR_OK;
}

// ---- attributes

static pir_status check_value(verifier *v, const pir_op *op, const pir_attr_def *want,
                              const pir_attr *attr) {
  right_pair *slot = right_slot(v, attr, want);
  if (slot->what == attr && slot->against == want)
    return PIR_OK;
  PIR_TRY(pir_op_check_attr(op, attr, want));
  *slot = (right_pair){attr, want};
  return PIR_OK;
}

// The undeclared attribute of the op whose name is most similar; NULL: none is.
static const char *misspelt(const pir_op *op, const char *wanted) {
  pir_nearest near = pir_nearest_begin(pir_str_from(wanted));
  for (size_t i = 0; op->extra && i < op->extra->count; i++)
    pir_nearest_try(&near, pir_name_str(op->extra->entries[i].name).data);
  return near.best;
}

static pir_status check_attr(verifier *v, const pir_op *op, const pir_attr_def *want,
                             const pir_attr *attr) {
  if (attr)
    return check_value(v, op, want, attr);
  if (!want->required)
    return PIR_OK;
  if (!v->old_forms)
    return pir_error(op, "needs attribute %s", want->name);
  const char *near = misspelt(op, want->name);
  if (near)
    pir_warning(op, "older form: there is no attribute %s; is it '%s'?", want->name, near);
  else
    pir_warning(op, "older form: there is no attribute %s", want->name);
  return PIR_OK;
}

// Whether the context should warn about the attribute: not yet done, and not too many so far.
static bool is_news(const pir_op *op, pir_name *name) {
  pir_context *ctx = op_context(op);
  for (size_t i = 0; i < ctx->undeclared_count; i++)
    if (ctx->undeclared[i].op == op->info && ctx->undeclared[i].name == name)
      return false;
  if (ctx->undeclared_count == PIR_MOST_UNDECLARED)
    return false;
  ctx->undeclared[ctx->undeclared_count++] = (pir_undeclared){op->info, name};
  return true;
}

static pir_status undeclared(const pir_op *op, pir_name *name, bool is_error) {
  const pir_opdef *def = op->info->def;
  pir_str text = pir_name_str(name);
  pir_nearest near = pir_nearest_begin(text);
  for (size_t i = 0; i < def->attr_count; i++)
    pir_nearest_try(&near, def->attrs[i].name);
  pir_hint hint = pir_nearest_hint(&near);
  if (is_error)
    return pir_error(op, "does not declare attribute %.*s%s", (int)text.size, text.data,
                     hint.text);
  pir_warning(op, "does not declare attribute %.*s, so nothing reads it%s", (int)text.size,
              text.data, hint.text);
  return PIR_OK;
}

// Checks undeclared attributes: some are permitted, the others are read by nothing.
static pir_status check_extra(verifier *v, const pir_op *op, pir_named_attr attr) {
  right_pair *slot = right_slot(v, attr.name, op->info);
  if (slot->what == attr.name && slot->against == op->info)
    return PIR_OK;
  const pir_attr_def *carried = pir_context_carried(op->info, attr.name);
  if (carried)
    return check_value(v, op, carried, attr.value);
  bool open = op->info->def->traits & PIR_OPEN;
  if (!open && v->strict)
    return undeclared(op, attr.name, true);
  if (!open && !v->errors_only && !v->old_forms && is_news(op, attr.name))
    undeclared(op, attr.name, false);
  *slot = (right_pair){attr.name, op->info};
  return PIR_OK;
}

// Dictionaries are unique: many ops of a kind share theirs.
static void check_extras(verifier *v, const pir_op *op) {
  right_pair *slot = right_slot(v, op->extra, op->info);
  if (slot->what == op->extra && slot->against == op->info)
    return;
  pir_status status = PIR_OK;
  for (size_t i = 0; i < op->extra->count; i++) {
    pir_status one = check_extra(v, op, op->extra->entries[i]);
    if (one)
      status = one;
  }
  if (!status)
    *slot = (right_pair){op->extra, op->info};
  found(v, status);
}

static void check_attrs(verifier *v, const pir_op *op) {
  const pir_opdef *def = op->info->def;
  for (size_t i = 0; i < def->attr_count; i++)
    found(v, check_attr(v, op, &def->attrs[i], op->attrs[i]));
  if (op->extra)
    check_extras(v, op);
}

// ---- structure

// What a value of the type is to those who read its memory; NULL: it is not known.
static const char *kind_words(const pir_type *type) {
  switch (pir_type_kind_of(type)) {
    case PIR_TYPE_TENSOR:
      return pir_type_dtype(type) == PIR_PSTRING ? "a tensor of strings" : "a tensor";
    case PIR_TYPE_VECTOR: return "a list";
    case PIR_TYPE_SELECTED_ROWS: return "selected rows";
    case PIR_TYPE_TENSOR_ARRAY: return "an array of tensors";
    case PIR_TYPE_SPARSE_COO: return "a sparse tensor of coordinates";
    case PIR_TYPE_SPARSE_CSR: return "a sparse tensor of compressed rows";
    case PIR_TYPE_STACK: return "a stack";
    case PIR_TYPE_INLET:
    case PIR_TYPE_OUTLET: return "an end of a stack";
    default: return NULL;
  }
}

// Whether values of two types are of different kinds, in words; of two lists, members at one
// place. A type that is bound to a place or a mesh has the kind of the type that it binds.
static bool kinds_differ(const pir_type *a, const pir_type *b, const char *words[2]) {
  a = pir_type_inner(a) ? pir_type_inner(a) : a;
  b = pir_type_inner(b) ? pir_type_inner(b) : b;
  if (a == b)
    return false;
  words[0] = kind_words(a);
  words[1] = kind_words(b);
  if (!words[0] || !words[1] || strcmp(words[0], words[1]) != 0)
    return words[0] && words[1];
  for (size_t i = 0; pir_type_kind_of(a) == PIR_TYPE_VECTOR && i < pir_type_elements(a) &&
                     i < pir_type_elements(b);
       i++)
    if (kinds_differ(pir_type_element(a, i), pir_type_element(b, i), words))
      return true;
  return false;
}

// A region hands values over as they lie in memory, so the kind has to stay. Operand `from + i`
// of `op` becomes `to`, which is `what` number `i`.
static pir_status check_handed(const pir_op *op, size_t from, const pir_value *to, size_t i,
                               const char *what) {
  const pir_value *value = from + i < op->operand_count ? op_uses(op)[from + i].value : NULL;
  const char *words[2];
  if (!value || !kinds_differ(value->type, to->type, words))
    return PIR_OK;
  return pir_error(op, "operand %zu is %s, but %s %zu, which it becomes, is %s", from + i,
                   words[0], what, i, words[1]);
}

static pir_status check_kinds(const pir_op *op, const pir_block *body) {
  bool loops = op->info->def->form == PIR_FORM_WHILE;
  for (size_t i = 0; loops && i < pir_block_arguments(body); i++)
    PIR_TRY(check_handed(op, 1, pir_block_argument(body, i), i, "argument"));
  for (size_t i = 0; i < op->result_count; i++)
    PIR_TRY(check_handed(body->last, loops, op_result(op, i), i, "result"));
  return PIR_OK;
}

static pir_status check_regions(const pir_op *op) {
  const pir_opdef *def = op->info->def;
  if (op->region_count != def->region_count)
    return pir_error(op, "expects %d region%s, has %u", def->region_count,
                     plural(def->region_count), op->region_count);
  if (!(def->traits & PIR_CONTROL))
    return PIR_OK;
  for (size_t i = 0; i < op->region_count; i++) {
    const pir_block *block = op_regions(op)[i].first;
    if (!block)
      return pir_error(op, "region %zu is empty", i);
    bool ends = block->last && (pir_op_has(block->last, PIR_TERMINATOR) ||
                                !pir_op_has(block->last, PIR_REGISTERED));
    if (!ends)
      return pir_error(op, "region %zu does not end with a terminator", i);
    PIR_TRY(check_kinds(op, block));
  }
  return PIR_OK;
}

// Whether a piece of a program ends inside of the op, so that its last region has no end.
static bool is_cut(const verifier *v, const pir_op *op) {
  if (!v->fragment || !op->region_count)
    return false;
  const pir_block *block = op_regions(op)[op->region_count - 1].last;
  if (block && block->last && pir_op_has(block->last, PIR_TERMINATOR))
    return false;
  for (; op != v->root; op = op->block->region->op)
    if (op->next || op->block->next)
      return false;
  return true;
}

static void check_tables(verifier *v, const pir_op *op) {
  const pir_opdef *def = op->info->def;
  pir_status before = v->status;
  v->status = PIR_OK;
  found(v, check_operand_count(v, op));
  if (!v->status)
    check_operands(v, op);
  found(v, check_results(v, op));
  check_attrs(v, op);
  found(v, check_regions(op));
  bool loose = v->fragment && op->block && op->block->region->op == v->root;
  if (def->traits & PIR_TERMINATOR && op->next && !loose)
    found(v, pir_error(op, "must be the last op of its block"));
  if (!v->status && def->hooks.verify && !is_cut(v, op))
    found(v, def->hooks.verify(op));
  if (!v->status)
    v->status = before;
}

// ---- scope

static pir_status out_of_scope(const pir_op *op, size_t i, const char *why) {
  pir_status status = pir_error(op, "operand %zu is %s", i, why);
  const pir_op *definer = pir_op_operand_op(op, i);
  if (definer)
    pir_note(definer, "defines it");
  return status;
}

static pir_status check_scope(const pir_op *op, size_t i) {
  const pir_value *value = op_uses(op)[i].value;
  if (!value)
    return PIR_OK;
  const pir_block *block = pir_value_block(value);
  if (!block || !block->at)
    return out_of_scope(op, i, "not visible here");
  if (op->block && block->depth < op->block->floor)
    return out_of_scope(op, i, "defined outside an op that sees no outer values");
  if (value->is_argument)
    return PIR_OK;
  const pir_op *definer = value_op(value);
  if (definer == block->at)
    return out_of_scope(op, i, "a result of the op itself or of one that holds it");
  return pir_op_is_before(definer, block->at)
             ? PIR_OK
             : out_of_scope(op, i, "used before it is defined");
}

static void enter_op(const pir_op *op) {
  pir_block *block = op->block;
  if (!block)
    return;
  if (!block->at) {
    const pir_op *parent = block->region->op;
    const pir_block *outer = parent->block && parent->block->at ? parent->block : NULL;
    block->depth = outer ? outer->depth + 1 : 1;
    block->floor = outer ? outer->floor : 0;
    if (parent->info->def->traits & PIR_ISOLATED)
      block->floor = block->depth;
  }
  block->at = op;
}

// Closes the blocks that the walk leaves on its way from `op` to `next`; all up to `root` if
// `next` is NULL.
static void leave_blocks(const pir_op *root, const pir_op *op, const pir_op *next) {
  const pir_op *holder = next ? next->block->region->op : root;
  while (op != holder) {
    if (next && op->block == next->block)
      return;
    pir_block *block = op->block;
    if (block)
      block->at = NULL;
    if (op == root)
      return;
    op = block->region->op;
  }
}

static void verify_alone(verifier *v, const pir_op *op) {
  if (op->info->def->traits & PIR_REGISTERED)
    check_tables(v, op);
  else if (v->strict)
    found(v, pir_error(op, "is not known to any dialect%s",
                       pir_hint_op(op_context(op), pir_str_from(op->info->def->name)).text));
}

static void verify_op(verifier *v, const pir_op *op) {
  verify_alone(v, op);
  for (size_t i = 0; i < op->operand_count; i++)
    found(v, check_scope(op, i));
}

// The blocks around `root` count as open, so that an op inside a program can be verified alone.
static void set_surroundings(const pir_op *root, bool open) {
  for (const pir_op *op = root; op && op->block; op = op->block->region->op) {
    op->block->at = open ? op : NULL;
    op->block->depth = op->block->floor = 0;
  }
}

static pir_status verify_all(void *user) {
  verifier *v = user;
  const pir_op *root = v->root;
  set_surroundings(root, true);
  for (const pir_op *op = root, *next; op; op = next) {
    enter_op(op);
    verify_op(v, op);
    next = pir_walk_next(root, op, false);
    leave_blocks(root, op, next);
  }
  set_surroundings(root, false);
  return v->status;
}

static pir_status verify_one(void *user) {
  verifier *v = user;
  verify_alone(v, v->root);
  return v->status;
}

static pir_status enter_verify(const pir_op *root, const pir_verify_options *given,
                               pir_status (*check)(void *verifier)) {
  pir_verify_options options;
  if (!root)
    return PIR_INVALID;
  PIR_TRY(PIR_TAKE(pir_op_context(root), pir_verify_options, &options, given));
  verifier v = {.root = root,
                .strict = options.strict,
                .errors_only = options.errors_only,
                .old_forms = options.old_forms && !options.strict,
                .fragment = options.fragment,
                .untyped = options.untyped};
  return pir_context_enter(pir_op_context(root), check, &v);
}

pir_status pir_verify(const pir_op *root, const pir_verify_options *given) {
  return enter_verify(root, given, verify_all);
}

pir_status pir_verify_op(const pir_op *op, const pir_verify_options *given) {
  return enter_verify(op, given, verify_one);
}
