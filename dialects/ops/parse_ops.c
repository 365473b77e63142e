// The grammar's actions, which fill the model. Each file is read in one pass; an `include`
// reads the other file at once. check_ops.c checks names and kinds later, when all declarations
// are known.
#include "build_impl.h"
#include "ops.tab.h"
#define YYSTYPE OPS_YYSTYPE
#define YYLTYPE source_loc
#include "ops.lex.h"

#include <stdlib.h>

#define MAX_DEPTH 8

// Whether a list of declarations has no room for one more; reports that.
static bool is_full(source_loc loc, int count) {
  if (count < OPS_MOST_PARTS)
    return false;
  ops_error(loc, "more than %d declarations of one kind", OPS_MOST_PARTS);
  return true;
}

// Reports a word that names a part of the library's sources, where a file is read at run time.
static bool is_known_here(const parser *p, source_loc loc, const char *what) {
  if (!p->d->in->at_build)
    ops_error(loc, "unsupported: %s of an op that is declared at run time", what);
  return p->d->in->at_build;
}

// ---- files
static bool parse_file(dialect *d, const ops_file *file, int depth);

void ops_include(parser *p, source_loc loc, const char *path) {
  ops_reading *in = p->d->in;
  const char *here = p->file->path, *slash = strrchr(here, '/');
  const char *full = slash ? ops_format(in, "%.*s/%s", (int)(slash - here), here, path) : path;
  if (p->depth == MAX_DEPTH) {
    ops_error(loc, "files include each other more than %d deep", MAX_DEPTH);
    return;
  }
  const ops_file *file = ops_file_read(in, full);
  if (file)
    parse_file(p->d, file, p->depth + 1);
  else if (in->file_count == OPS_MOST_FILES)
    ops_error(loc, "more than %d files", OPS_MOST_FILES);
  else
    ops_error(loc, "cannot read '%s'", full);
}

static void add_op(dialect *d, op o) {
  if (d->op_count < OPS_MOST_OPS)
    APPEND(d->in, d->ops, d->op_count, o);
  else
    ops_error(o.loc, "more than %d ops and forms", OPS_MOST_OPS);
}

// Reads another dialect's declarations as forms named `dialect.op`, with the definitions that
// their clauses use.
void ops_borrow(parser *p, source_loc loc, const char *path) {
  dialect other = {.in = p->d->in, .json_id = -128};
  parser reader = {.d = &other, .file = p->file, .depth = p->depth};
  ops_include(&reader, loc, path);
  for (int i = 0; i < other.op_count; i++) {
    op o = other.ops[i];
    if (o.is_form)
      continue;
    o.name = ops_format(p->d->in, "%s.%s", other.name, o.name);
    o.is_form = o.used = true;
    o.legacies = NULL;
    o.legacy_count = 0;
    add_op(p->d, o);
  }
  for (int i = 0; i < other.let_count; i++)
    APPEND(p->d->in, p->d->lets, p->d->let_count, other.lets[i]);
  for (int i = 0; i < other.typeset_count; i++)
    APPEND(p->d->in, p->d->typesets, p->d->typeset_count, other.typesets[i]);
}

static bool parse_file(dialect *d, const ops_file *file, int depth) {
  parser p = {.d = d, .file = file, .line = 1, .column = 1, .depth = depth};
  yyscan_t scanner;
  if (ops_yylex_init_extra(&p, &scanner))
    return false;
  ops_yy_scan_string(file->text, scanner);
  int failed = ops_yyparse(scanner, &p);
  ops_yylex_destroy(scanner);
  return !failed;
}

bool ops_parse(const ops_file *file, dialect *d) {
  ops_reading *in = file->in;
  d->in = in;
  d->json_id = -128;
  bool parsed = !in->error_count && parse_file(d, file, 0);
  if (parsed && in->at_build && !d->prefix)
    ops_error((source_loc){file, 1, 1, 2},
              "expected 'dialect NAME prefix NAME id NUMBER \"summary\"' first");
  return parsed && !in->error_count;
}

void ops_set_dialect(parser *p, source_loc loc, const char *name, const char *summary) {
  dialect *d = p->d;
  if (d->name)
    ops_error(loc, "a file has one dialect; '%s' was declared before", d->name);
  d->name = name;
  d->summary = summary;
  d->loc = loc;
}

void ops_set_prefix(parser *p, source_loc loc, const char *prefix, int64_t id) {
  if (id < 1 || id > 255)
    ops_error(loc, "the id of a dialect is a number from 1 to 255");
  p->d->prefix = prefix;
  p->d->id = (int)id;
}

void ops_set_json(parser *p, source_loc loc, int64_t id, const char *name) {
  if (id < -127 || id > 127)
    ops_error(loc, "the number of a dialect in JSON is from -127 to 127");
  p->d->json_id = (int)id;
  p->d->json_name = name;
}

// ---- ops and forms
static op *find_op(dialect *d, const char *name) {
  for (int i = 0; i < d->op_count; i++)
    if (!strcmp(d->ops[i].name, name))
      return &d->ops[i];
  return NULL;
}

#define COPY_ALL(to, from, list, count)                                                        \
  for (int j = 0; j < (from)->count && !is_full((to)->loc, (to)->count); j++)                  \
  APPEND((to)->loc.file->in, (to)->list, (to)->count, (from)->list[j])

// Copies the declarations of a form; the op's own parts follow.
static void inherit(op *to, const op *from) {
  COPY_ALL(to, from, operands, operand_count);
  COPY_ALL(to, from, attrs, attr_count);
  COPY_ALL(to, from, results, result_count);
  COPY_ALL(to, from, lets, let_count);
  COPY_ALL(to, from, clauses, clause_count);
  COPY_ALL(to, from, shapes, shape_count);
  COPY_ALL(to, from, requirements, requirement_count);
  COPY_ALL(to, from, lowers, lower_count);
  COPY_ALL(to, from, grads, grad_count);
  COPY_ALL(to, from, pairs, pair_count);
  if (from->is_form)
    COPY_ALL(to, from, legacies, legacy_count);
  if (from->is_form)
    to->no_legacy |= from->no_legacy;
  to->traits |= from->traits;
  to->effect |= from->effect;
  if (from->hook_infer)
    to->hook_infer = from->hook_infer;
  if (from->hook_verify)
    to->hook_verify = from->hook_verify;
  if (from->hook_expand)
    to->hook_expand = from->hook_expand;
  if (from->hook_demand)
    to->hook_demand = from->hook_demand;
  if (from->kernel)
    to->kernel = from->kernel;
  if (from->declared)
    to->declared = from->declared;
  if (from->no_grad)
    to->no_grad = from->no_grad;
  if (from->spmd)
    to->spmd = from->spmd;
}

void ops_begin_op(parser *p, source_loc loc, const char *name, const char *summary,
                  bool is_form) {
  op o = {.name = name,
          .summary = summary,
          .loc = loc,
          .is_form = is_form,
          .no_grad_here = p->no_grad};
  if (find_op(p->d, name))
    ops_error(loc, "'%s' is declared twice", name);
  add_op(p->d, o);
  p->current = &p->d->ops[p->d->op_count - 1];
  ops_take_forms(p, p->like);
  p->current->inherited_lowers = p->current->lower_count;
  p->current->inherited_grads = p->current->grad_count;
  p->like = p->alike = (names){0};
}

void ops_begin_ops(parser *p, names n, const char *summary) {
  ops_begin_op(p, n.items[0].loc, n.items[0].name, summary, false);
  p->alike = n;
}

void ops_take_forms(parser *p, names n) {
  for (int i = 0; i < n.count; i++) {
    op *from = find_op(p->d, n.items[i].name);
    if (!from || from == p->current) {
      ops_error(n.items[i].loc, "no form or op '%s' before this line", n.items[i].name);
    } else {
      from->used = true;
      inherit(p->current, from);
    }
  }
}

// A new meaning replaces the form's; a form's meaning does not know the op's other attributes,
// and no more do its gradients.
void ops_drop_inherited_meaning(op *o) {
  o->clause_count = o->lower_count = o->inherited_lowers = 0;
  o->grad_count = o->inherited_grads = 0;
  o->kernel = o->hook_expand = o->declared = NULL;
}

// An op's own blocks are tried before its form's, which do not know its attributes.
static lower *own_first(const op *o, const lower *blocks, int count, int inherited) {
  lower *sorted = NULL;
  int sorted_count = 0;
  for (int i = 0; i < count; i++)
    APPEND(o->loc.file->in, sorted, sorted_count, blocks[(i + inherited) % count]);
  return sorted;
}

// Copies the declaration to its other names.
void ops_end_op(parser *p) {
  op *current = p->current;
  current->lowers =
      own_first(current, current->lowers, current->lower_count, current->inherited_lowers);
  current->grads =
      own_first(current, current->grads, current->grad_count, current->inherited_grads);
  op o = *current;
  for (int i = 1; i < p->alike.count; i++) {
    o.name = p->alike.items[i].name;
    o.loc = p->alike.items[i].loc;
    if (find_op(p->d, o.name))
      ops_error(o.loc, "'%s' is declared twice", o.name);
    add_op(p->d, o);
  }
  p->alike = (names){0};
  p->current = NULL;
}

void ops_add_typeset(parser *p, source_loc loc, const char *name, pir_dtype_set set) {
  for (int i = 0; i < p->d->typeset_count; i++)
    if (!strcmp(p->d->typesets[i].name, name))
      ops_error(loc, "type set '%s' is declared twice", name);
  if (!is_full(loc, p->d->typeset_count))
    APPEND(p->d->in, p->d->typesets, p->d->typeset_count, (typeset){name, set});
}

names ops_one_name(source_loc loc, const char *name, uint8_t marks) {
  names n = {0};
  APPEND(loc.file->in, n.items, n.count, (marked_name){name, loc, marks});
  return n;
}

names ops_join_names(names a, names b) {
  for (int i = 0; i < b.count; i++)
    APPEND(b.items[i].loc.file->in, a.items, a.count, b.items[i]);
  return a;
}

names ops_mark_name(names n, uint8_t mark) {
  n.items[n.count - 1].marks |= mark;
  return n;
}

// ---- types
static pir_dtype dtype_named(const char *name) {
  if (!strcmp(name, "bool"))
    return PIR_BOOL;
  return pir_dtype_from_text(pir_str_from(name));
}

pir_dtype_set ops_type_named(parser *p, source_loc loc, const char *name) {
  if (!strcmp(name, "any"))
    return 0;
  for (int i = 0; i < p->d->typeset_count; i++)
    if (!strcmp(p->d->typesets[i].name, name))
      return p->d->typesets[i].set;
  pir_dtype dtype = dtype_named(name);
  if (dtype == PIR_DTYPE_NONE || dtype == PIR_UNDEFINED) {
    ops_error(loc, "unknown element type or type set '%s'", name);
    return 0;
  }
  return (pir_dtype_set)1 << dtype;
}

type_spec ops_scalar_type(source_loc loc, const char *name) {
  type_spec t = {.loc = loc, .flags = PIR_OPERAND_SCALAR, .dtype = (uint8_t)dtype_named(name)};
  if (t.dtype == PIR_DTYPE_NONE) {
    ops_error(loc, "unknown element type '%s'", name);
    t.dtype = PIR_F32;
  }
  return t;
}

type_spec ops_tied_type(source_loc loc, const char *word, const char *operand_name) {
  static const char *const words[] = {"same", "exact", "promoted"};
  static const uint8_t flags[] = {0, PIR_OPERAND_EXACT, PIR_OPERAND_PROMOTED};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(word, words[i]))
      return (type_spec){.loc = loc, .same = operand_name, .flags = flags[i]};
  ops_error(loc, "expected 'same(operand)', 'exact(operand)' or 'promoted(operand)'");
  return (type_spec){.loc = loc};
}

type_spec ops_from_type(source_loc loc, const char *word, const char *attr_name) {
  if (strcmp(word, "from"))
    ops_error(loc, "expected 'from($attribute)'");
  return (type_spec){.loc = loc, .from = attr_name};
}

void ops_type_otherwise(type_spec *t, const char *name) {
  pir_dtype dtype = dtype_named(name);
  if (dtype == PIR_DTYPE_NONE)
    t->same = name;
  else
    t->dtype = (uint8_t)dtype;
}

type_spec ops_attr_kind(parser *p, source_loc loc, const char *name, bool array) {
  enum { LIBRARYS_OWN = 12 };
  static const struct {
    const char *name;
    uint8_t kind;
  } kinds[] = {
      {"bool", PIR_ATTR_BOOL},
      {"i32", PIR_ATTR_I32},
      {"i64", PIR_ATTR_I64},
      {"index", PIR_ATTR_INDEX},
      {"f32", PIR_ATTR_F32},
      {"f64", PIR_ATTR_F64},
      {"str", PIR_ATTR_STR},
      {"dtype", PIR_ATTR_DTYPE},
      {"place", PIR_ATTR_PLACE},
      {"layout", PIR_ATTR_LAYOUT},
      {"intarray", PIR_ATTR_INT_ARRAY},
      {"scalar", PIR_ATTR_SCALAR},
      {"type", PIR_ATTR_TYPE},
      {"tensor_name", PIR_ATTR_TENSOR_NAME},
      {"pointer", PIR_ATTR_POINTER},
      {"any", PIR_ATTR_NONE},
      {"opaque", PIR_ATTR_OPAQUE},
      {"c64", PIR_ATTR_C64},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, name))
      continue;
    if (i >= LIBRARYS_OWN && !is_known_here(p, loc, "an attribute of this kind"))
      return (type_spec){.loc = loc};
    if (!array)
      return (type_spec){.loc = loc, .kind = kinds[i].kind};
    return (type_spec){.loc = loc, .kind = PIR_ATTR_ARRAY, .element_kind = kinds[i].kind};
  }
  ops_error(loc, "unknown kind of attribute '%s'", name);
  return (type_spec){.loc = loc};
}

// ---- declarations
void ops_add_operands(parser *p, names n, type_spec t, expr *literal) {
  static const uint8_t flags[] = {0, PIR_OPERAND_OPTIONAL, PIR_OPERAND_VARIADIC,
                                  PIR_OPERAND_OPTIONAL | PIR_OPERAND_VARIADIC};
  for (int i = 0; i < n.count && !is_full(n.items[i].loc, p->current->operand_count); i++) {
    operand o = {.name = n.items[i].name,
                 .loc = n.items[i].loc,
                 .dtypes = t.dtypes,
                 .same = t.same,
                 .literal = literal,
                 .flags = (uint8_t)(t.flags | flags[n.items[i].marks & 3]),
                 .scalar_dtype = t.dtype};
    if (n.items[i].marks & MARK_PRECISE)
      o.flags |= PIR_OPERAND_PRECISE;
    if (n.items[i].marks & MARK_INTERMEDIATE)
      ops_error(o.loc, "'~' marks results");
    APPEND(p->d->in, p->current->operands, p->current->operand_count, o);
  }
}

// `takes x : tensor<f32>`: the element types of an operand that a form declares. A set and a
// tie may be given apart.
void ops_narrow_operands(parser *p, names n, type_spec t) {
  op *o = p->current;
  for (int i = 0; i < n.count; i++) {
    operand *found = NULL;
    for (int k = 0; k < o->operand_count; k++)
      if (!strcmp(o->operands[k].name, n.items[i].name))
        found = &o->operands[k];
    if (!found)
      ops_error(n.items[i].loc, "no operand '%s' before this line", n.items[i].name);
    else if (t.same) {
      found->same = t.same;
      found->flags |= t.flags;
    } else
      found->dtypes = t.dtypes;
  }
}

void ops_add_attrs(parser *p, names n, type_spec t, expr *literal) {
  for (int i = 0; i < n.count && !is_full(n.items[i].loc, p->current->attr_count); i++) {
    attr a = {.name = n.items[i].name,
              .loc = n.items[i].loc,
              .kind = t.kind,
              .element_kind = t.element_kind,
              .literal = literal};
    APPEND(p->d->in, p->current->attrs, p->current->attr_count, a);
  }
}

void ops_add_carried(parser *p, names n, type_spec t, bool all) {
  dialect *d = p->d;
  for (int i = 0; i < n.count && !is_full(n.items[i].loc, d->carried_count); i++) {
    for (int k = 0; k < d->carried_count; k++)
      if (!strcmp(d->carried[k].attr.name, n.items[i].name))
        ops_error(n.items[i].loc, "attribute '%s' is declared twice", n.items[i].name);
    attr a = {.name = n.items[i].name,
              .loc = n.items[i].loc,
              .kind = t.kind,
              .element_kind = t.element_kind};
    APPEND(d->in, d->carried, d->carried_count, (carried_attr){a, all});
  }
}

void ops_add_results(parser *p, names n, type_spec t) {
  for (int i = 0; i < n.count && !is_full(n.items[i].loc, p->current->result_count); i++) {
    uint8_t marks = n.items[i].marks, flags = 0;
    if (marks & MARK_PRECISE)
      ops_error(n.items[i].loc, "'!' marks operands");
    if (marks & MARK_OPTIONAL)
      flags |= PIR_RESULT_OPTIONAL;
    if (marks & MARK_VARIADIC)
      flags |= PIR_RESULT_VARIADIC;
    if (marks & MARK_INTERMEDIATE)
      flags |= PIR_RESULT_INTERMEDIATE;
    if (t.flags & PIR_OPERAND_PROMOTED)
      flags |= PIR_RESULT_PROMOTED;
    uint8_t dtype = t.dtype;
    for (int k = 1; k < PIR_DTYPE_COUNT; k++)
      if (t.dtypes == (pir_dtype_set)1 << k)
        dtype = (uint8_t)k;
    APPEND(p->d->in, p->current->results, p->current->result_count,
           (result){.name = n.items[i].name,
                    .loc = n.items[i].loc,
                    .flags = flags,
                    .dtypes = t.dtypes,
                    .same = t.same,
                    .from = t.from,
                    .dtype = dtype});
  }
}

void ops_add_traits(parser *p, names n) {
  static const struct {
    const char *name;
    uint32_t bit;
  } traits[] = {
      {"pure", PIR_PURE},
      {"terminator", PIR_TERMINATOR},
      {"commutative", PIR_COMMUTATIVE},
      {"constant", PIR_CONSTANT},
      {"parameter", PIR_PARAMETER},
      {"input", PIR_INPUT},
      {"output", PIR_OUTPUT},
      {"random", PIR_RANDOM},
      {"inplace", PIR_INPLACE},
      {"idempotent", PIR_IDEMPOTENT},
      {"flat", PIR_FLAT},
      {"involution", PIR_INVOLUTION},
      {"control", PIR_CONTROL},
      {"isolated", PIR_ISOLATED},
      {"structural", PIR_STRUCTURAL},
      {"precise", PIR_PRECISE},
      {"open", PIR_OPEN},
      {"ordered", PIR_ORDERED},
  };
  static const uint32_t any_op =
      PIR_PURE | PIR_COMMUTATIVE | PIR_IDEMPOTENT | PIR_INVOLUTION | PIR_PRECISE;
  for (int i = 0; i < n.count; i++) {
    uint32_t bit = 0;
    for (size_t t = 0; t < sizeof traits / sizeof *traits; t++)
      if (!strcmp(traits[t].name, n.items[i].name))
        bit = traits[t].bit;
    if (!bit)
      ops_error(n.items[i].loc, "unknown trait '%s'", n.items[i].name);
    else if ((bit & any_op) || is_known_here(p, n.items[i].loc, "this trait"))
      p->current->traits |= bit;
  }
}

void ops_add_pair(parser *p, source_loc loc, const char *operand_name,
                  const char *result_name) {
  pair x = {.operand = operand_name, .result = result_name, .loc = loc};
  if (!is_full(loc, p->current->pair_count))
    APPEND(p->d->in, p->current->pairs, p->current->pair_count, x);
}

void ops_set_kernel(parser *p, source_loc loc, const char *name) {
  if (is_known_here(p, loc, "a kernel"))
    p->current->kernel = name;
}

void ops_set_regions(parser *p, source_loc loc, int64_t count) {
  if (count > UINT8_MAX)
    ops_error(loc, "'%s' has more than %d regions", p->current->name, UINT8_MAX);
  else if (is_known_here(p, loc, "a region"))
    p->current->regions = (int)count;
}

void ops_set_hook(parser *p, source_loc loc, const char *hook, const char *function) {
  op *o = p->current;
  if (!is_known_here(p, loc, "a hook"))
    return;
  const char *symbol = ops_format(p->d->in, "%s_%s_%s", p->d->prefix, hook, function);
  if (!strcmp(hook, "infer"))
    o->hook_infer = symbol;
  else if (!strcmp(hook, "verify"))
    o->hook_verify = symbol;
  else if (!strcmp(hook, "expand"))
    o->hook_expand = symbol;
  else if (!strcmp(hook, "demand"))
    o->hook_demand = symbol;
  else
    ops_error(loc, "unknown hook '%s'; there are infer, verify, expand and demand", hook);
}

// How text shows the regions: an entry of pir_op_form.
void ops_set_form(parser *p, source_loc loc, const char *name) {
  static const char *const forms[] = {"general", "if", "while", "body", "group"};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (strcmp(name, forms[i]))
      continue;
    p->current->form = (int)i;
    return;
  }
  ops_error(loc, "unknown form '%s' of regions; there are general, if, while, body and group",
            name);
}

void ops_begin_legacy(parser *p, names n) {
  legacy l = {0};
  if (!is_known_here(p, n.items[0].loc, "names in old files"))
    return;
  p->current->no_legacy = n.count == 1 && !strcmp(n.items[0].name, "null");
  if (p->current->no_legacy)
    return;
  for (int i = 0; i < n.count; i++)
    APPEND(p->d->in, l.names, l.name_count, n.items[i].name);
  APPEND(p->d->in, p->current->legacies, p->current->legacy_count, l);
}

static legacy *current_legacy(parser *p, source_loc loc) {
  if (!p->current->no_legacy && p->current->legacy_count)
    return &p->current->legacies[p->current->legacy_count - 1];
  if (p->current->no_legacy)
    ops_error(loc, "'%s' is said to have no old form", p->current->name);
  return ops_take(p->d->in, sizeof(legacy));
}

void ops_add_legacy_item(parser *p, legacy_item item) {
  legacy *l = current_legacy(p, item.loc);
  APPEND(p->d->in, l->items, l->item_count, item);
}

void ops_add_legacy_fixed(parser *p, source_loc loc, const char *name, uint8_t kind,
                          const expr *value) {
  legacy *l = current_legacy(p, loc);
  int wanted = EXPR_INT;
  if (kind == PIR_ATTR_BOOL)
    wanted = EXPR_NAME;
  else if (kind == PIR_ATTR_STR)
    wanted = EXPR_TEXT;
  if (kind != PIR_ATTR_BOOL && kind != PIR_ATTR_I32 && kind != PIR_ATTR_F32 &&
      kind != PIR_ATTR_STR)
    ops_error(loc, "a fixed old attribute is a bool, i32, f32 or str");
  if ((int)value->kind != wanted && !(wanted == EXPR_INT && value->kind == EXPR_FLOAT))
    ops_error(value->loc, "the value is not of that kind");
  APPEND(p->d->in, l->fixed, l->fixed_count, (legacy_fixed){name, loc, kind, value});
}

void ops_set_legacy_slots(parser *p, source_loc loc, const char *name) {
  if (strcmp(name, "plain"))
    ops_error(loc, "expected 'plain' or 'name = old name', found '%s'", name);
  current_legacy(p, loc)->plain = true;
}

void ops_add_let(parser *p, source_loc loc, const char *name, names params, expr *body) {
  let l = {.name = name, .loc = loc, .body = body};
  for (int i = 0; i < params.count; i++) {
    if (l.param_count == 6) {
      ops_error(params.items[i].loc, "a 'let' takes at most 6 parameters");
      break;
    }
    l.params[l.param_count++] = params.items[i].name;
  }
  if (is_full(loc, p->current ? p->current->let_count : p->d->let_count))
    return;
  if (p->current)
    APPEND(p->d->in, p->current->lets, p->current->let_count, l);
  else
    APPEND(p->d->in, p->d->lets, p->d->let_count, l);
}

clause *ops_add_clause(parser *p, source_loc loc, int kind, const char *result_name,
                       expr *when) {
  op *o = p->current;
  if (is_full(loc, o->clause_count))
    return &o->clauses[o->clause_count - 1];
  APPEND(p->d->in, o->clauses, o->clause_count,
         (clause){.kind = (uint8_t)kind, .loc = loc, .result = result_name, .when = when});
  return &o->clauses[o->clause_count - 1];
}

void ops_add_shape(parser *p, source_loc loc, names results, clause c) {
  for (int i = 0; i < results.count && !is_full(loc, p->current->shape_count); i++) {
    c.kind = PIR_CLAUSE_VIEW;
    c.loc = i ? results.items[i].loc : loc;
    c.result = results.items[i].name;
    APPEND(p->d->in, p->current->shapes, p->current->shape_count, c);
  }
}

// Requirements come in the order of their lines: each line is sought behind the last.
static pir_str line_of(parser *p, source_loc loc) {
  if (!p->line_text) {
    p->line_text = loc.file->text;
    p->line_number = 1;
  }
  for (; p->line_number < loc.line; p->line_number++)
    p->line_text = strchr(p->line_text, '\n') + 1;
  return (pir_str){p->line_text, strcspn(p->line_text, "\n")};
}

// The message shows the condition as it is written.
void ops_add_requirement(parser *p, source_loc loc, clause c) {
  pir_str line = line_of(p, loc);
  size_t skip = (size_t)(loc.column - 1) < line.size ? (size_t)(loc.column - 1) : line.size;
  const char *text = line.data + skip;
  size_t size = line.size - skip;
  if (loc.end_column > loc.column && (size_t)(loc.end_column - loc.column) < size)
    size = (size_t)(loc.end_column - loc.column);
  while (size && text[size - 1] == ' ')
    size--;
  if (is_full(loc, p->current->requirement_count))
    return;
  c.kind = PIR_CLAUSE_VIEW;
  c.loc = loc;
  c.trap_text = ops_text(p->d->in, text, size);
  APPEND(p->d->in, p->current->requirements, p->current->requirement_count, c);
}

void ops_add_variable(parser *p, source_loc loc, const char *name, expr *extent) {
  clause *c = CLAUSE;
  if (!is_full(loc, c->var_count))
    APPEND(p->d->in, c->vars, c->var_count, (variable){name, loc, extent, p->reduced});
}

lower *ops_open_block(const parser *p) {
  const op *o = p->current;
  return p->in_grad ? &o->grads[o->grad_count - 1] : &o->lowers[o->lower_count - 1];
}

void ops_begin_grad(parser *p, source_loc loc, const char *kind) {
  lower block = {.loc = loc, .primitive = kind != NULL};
  p->in_grad = true;
  if (kind && strcmp(kind, "prim") != 0)
    ops_error(loc, "a gradient is 'grad', or 'grad prim' in primitive ops");
  if (!is_full(loc, p->current->grad_count))
    APPEND(p->d->in, p->current->grads, p->current->grad_count, block);
}

void ops_begin_lower(parser *p, source_loc loc) {
  p->in_grad = false;
  if (!is_full(loc, p->current->lower_count))
    APPEND(p->d->in, p->current->lowers, p->current->lower_count, (lower){.loc = loc});
}

void ops_add_step(parser *p, step s) {
  if (!is_full(s.loc, LOWERING->step_count))
    APPEND(p->d->in, LOWERING->steps, LOWERING->step_count, s);
}

step ops_take_step(parser *p, source_loc loc, const char *op_name, expr *args,
                   named_expr *attrs) {
  step s = {.loc = loc, .op = op_name, .args = args, .attrs = attrs};
  for (int i = 0; i < p->values.count && !is_full(loc, s.result_count); i++)
    APPEND(p->d->in, s.results, s.result_count, p->values.items[i].name);
  return s;
}

// A list of values becomes the op that makes lists.
step ops_take_list(parser *p, source_loc loc, expr *items) {
  expr *list = ops_expr(EXPR_LIST, loc);
  list->a = items;
  return ops_take_step(p, loc, "builtin.combine", list, NULL);
}

named_expr *ops_named_expr_new(source_loc loc, const char *name, expr *value) {
  named_expr *n = ops_take(loc.file->in, sizeof *n);
  *n = (named_expr){.name = name, .loc = loc, .value = value};
  return n;
}

// ---- expressions
static expr *expr_make(expr_kind kind, source_loc loc, expr_op o, expr *a, expr *b, expr *c) {
  expr *e = ops_expr(kind, loc);
  e->op = (uint8_t)o;
  e->a = a;
  e->b = b;
  e->c = c;
  return ops_finished(e);
}

expr *ops_unary(source_loc loc, expr_op o, expr *a) {
  if (o == OP_NEG && (a->kind == EXPR_INT || a->kind == EXPR_FLOAT)) {
    a->i = -a->i;
    a->f = -a->f;
    return a;
  }
  return expr_make(EXPR_UNARY, loc, o, a, NULL, NULL);
}

expr *ops_binary(source_loc loc, expr_op o, expr *a, expr *b) {
  return expr_make(EXPR_BINARY, loc, o, a, b, NULL);
}
expr *ops_condition(source_loc loc, expr *a, expr *b, expr *c) {
  return expr_make(EXPR_COND, loc, OP_ADD, a, b, c);
}

expr *ops_at(source_loc loc, const char *name, expr *map, expr *fill) {
  map->loc = loc;
  map->name = name;
  map->b = fill;
  return ops_finished(map);
}

// Maps are created as the EXPR_AT that they become; `c` holds the name of the each-variable.
static expr *map_new(source_loc loc, pir_map_kind kind, expr *a) {
  expr *e = expr_make(EXPR_AT, loc, OP_ADD, a, NULL, NULL);
  e->map_kind = (uint8_t)kind;
  return e;
}

expr *ops_each_map(source_loc loc, const char *variable_name, expr *a) {
  expr *e = map_new(loc, PIR_MAP_EACH, a);
  e->c = ops_expr(EXPR_NAME, loc);
  e->c->name = variable_name;
  return e;
}

expr *ops_flat_map(source_loc loc, expr *a) {
  return map_new(loc, PIR_MAP_LINEAR, a);
}
expr *ops_list_map(source_loc loc, expr *entries) {
  return map_new(loc, PIR_MAP_LIST, entries);
}

expr *ops_repeat(source_loc loc, const char *variable_name, expr *count, expr *e) {
  expr *r = expr_make(EXPR_REPEAT, loc, OP_ADD, count, e, NULL);
  r->name = variable_name;
  return r;
}
