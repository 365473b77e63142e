// Writes the facts of every value into attributes, in Paddle's syntax.
//   sym_shape_str     one string for each result ("shape[S0, Add(S1, 2)], data[NULL]"), which
//                     the text form prints behind the op as Paddle does
//   sym_constraints   the constraints that an op puts on its operands ("Equal(S1, S3)")
// Facts are derived again with equalities assumed, so that equal extents print alike. Symbols
// are numbered in program order. O(values * size of their expressions).
#include <pir/compiler/pass.h>
#include <pass_list.h>

#include <pir/compiler/walk.h>

#include <arena.h>
#include <strbuf.h>
#include <vec.h>

typedef struct printer {
  pir_facts *facts;
  pir_dims *dims;
  pir_context *ctx;
  pir_arena *arena;
  pir_strbuf text;
  size_t *numbers;  // number of each symbol, from 1; 0: not named yet
  size_t named;
  uint64_t shapes, constraints;
} printer;

// ---- expressions
static void name_symbol(printer *p, size_t symbol) {
  if (!p->numbers[symbol])
    p->numbers[symbol] = ++p->named;
}

static void put_dim(printer *p, pir_dim dim);

static void put_call(printer *p, const char *name, pir_dim dim) {
  pir_strbuf_format(&p->text, "%s(", name);
  for (size_t i = 0; i < pir_dim_operands(p->dims, dim); i++) {
    if (i)
      pir_strbuf_lit(&p->text, ", ");
    put_dim(p, pir_dim_operand(p->dims, dim, i));
  }
  pir_strbuf_char(&p->text, ')');
}

// Recursion is bounded by the size limit on expressions.
static void put_dim(printer *p, pir_dim dim) {
  static const char *const names[] = {
      [PIR_DIM_ADD] = "Add",      [PIR_DIM_MUL] = "Mul",
      [PIR_DIM_FLOORDIV] = "Div", [PIR_DIM_CEILDIV] = "CeilDiv",
      [PIR_DIM_MOD] = "Mod",      [PIR_DIM_MIN] = "Min",
      [PIR_DIM_MAX] = "Max",      [PIR_DIM_BROADCAST] = "Broadcast"};
  int64_t value;
  if (dim == PIR_DIM_UNKNOWN) {
    pir_strbuf_char(&p->text, '?');
  } else if (pir_dim_is_const(p->dims, dim, &value)) {
    pir_strbuf_int(&p->text, value);
  } else if (pir_dim_kind_of(p->dims, dim) == PIR_DIM_SYMBOL) {
    size_t symbol = pir_dim_symbol_index(p->dims, dim);
    name_symbol(p, symbol);
    pir_strbuf_format(&p->text, "S%zu", p->numbers[symbol] - 1);
  } else {
    put_call(p, names[pir_dim_kind_of(p->dims, dim)], dim);
  }
}

// ---- values
static void put_dims(printer *p, const char *what, const pir_dim *dims, size_t count) {
  pir_strbuf_format(&p->text, "%s[", what);
  for (size_t i = 0; i < count; i++) {
    if (i)
      pir_strbuf_lit(&p->text, ", ");
    // Symbols that were unified with others keep their numbers.
    if (dims[i] != PIR_DIM_UNKNOWN && pir_dim_kind_of(p->dims, dims[i]) == PIR_DIM_SYMBOL)
      name_symbol(p, pir_dim_symbol_index(p->dims, dims[i]));
    put_dim(p, pir_dim_canonical(p->dims, dims[i]));
  }
  pir_strbuf_char(&p->text, ']');
}

static void put_fact(printer *p, const pir_fact *fact) {
  if (!fact->known || (fact->rank < 0 && !fact->members)) {
    pir_strbuf_lit(&p->text, "NULL");
    return;
  }
  for (size_t i = 0; fact->members && i < fact->member_count; i++) {
    if (i)
      pir_strbuf_lit(&p->text, ", ");
    put_fact(p, fact->members[i]->members ? &(pir_fact){.rank = -1} : fact->members[i]);
  }
  if (fact->members)
    return;
  put_dims(p, "shape", fact->shape, (size_t)fact->rank);
  pir_strbuf_lit(&p->text, ", ");
  bool told = fact->contents != NULL;
  for (size_t i = 0; told && i < fact->content_count; i++)
    told = fact->contents[i] != PIR_DIM_UNKNOWN;
  if (told)
    put_dims(p, "data", fact->contents, fact->content_count);
  else
    pir_strbuf_lit(&p->text, "data[NULL]");
}

static const pir_attr *take_text(printer *p) {
  const pir_attr *attr = pir_attr_str(p->ctx, PIR_ATTR_STR, pir_strbuf_view(&p->text));
  p->text.size = 0;
  return attr;
}

static void set_strings(printer *p, pir_op *op, const char *name,
                        const pir_attr *const *strings, size_t count) {
  pir_op_set_attr(op, pir_name_get(p->ctx, pir_str_from(name)),
                  pir_attr_array(p->ctx, strings, count));
}

typedef PIR_VEC(const pir_attr *) strings;

static pir_walk_result attach_shapes(pir_op *op, void *user) {
  printer *p = user;
  strings shapes = {0}, demands = {0};
  for (size_t i = 0; i < pir_op_results(op); i++) {
    put_fact(p, pir_facts_of(p->facts, pir_op_result(op, i)));
    const pir_attr *text = take_text(p);
    pir_vec_push(p->arena, &shapes, text);
  }
  p->shapes += shapes.count;
  set_strings(p, op, "sym_shape_str", shapes.items, shapes.count);
  for (const pir_constraint *c = pir_facts_constraints(p->facts, op); c; c = c->next) {
    pir_strbuf_format(&p->text, "%s(", c->kind == PIR_EQUAL ? "Equal" : "Broadcastable");
    put_dim(p, c->a);
    pir_strbuf_lit(&p->text, ", ");
    put_dim(p, c->b);
    pir_strbuf_char(&p->text, ')');
    const pir_attr *text = take_text(p);
    pir_vec_push(p->arena, &demands, text);
  }
  p->constraints += demands.count;
  if (demands.count)
    set_strings(p, op, "sym_constraints", demands.items, demands.count);
  pir_vec_free(p->arena, &shapes);
  pir_vec_free(p->arena, &demands);
  return PIR_WALK_CONTINUE;
}

pir_status pir_pass_shape_analysis(pir_pass_run *run) {
  pir_facts *facts;
  PIR_TRY(pir_facts_create_symbolic(run->program, &facts));
  pir_context *ctx = pir_program_context(run->program);
  pir_arena *arena = pir_context_arena(ctx);
  size_t symbols = pir_dims_symbols(pir_facts_dims(facts));
  printer p = {.facts = facts, .dims = pir_facts_dims(facts), .ctx = ctx, .arena = arena};
  p.numbers = pir_arena_zalloc(arena, (symbols + 1) * sizeof *p.numbers);
  pir_strbuf_init(&p.text, arena);
  PIR_EACH_OP(op, pir_program_block(run->program))
  pir_walk(op, PIR_PRE_ORDER, attach_shapes, &p);
  pir_strbuf_free(&p.text);
  pir_arena_free(arena, p.numbers, (symbols + 1) * sizeof *p.numbers);
  pir_facts_destroy(facts);
  pir_run_count(run, "shapes printed", p.shapes);
  pir_run_count(run, "constraints", p.constraints);
  return PIR_OK;
}
