// Prints loop IR: one statement on each line, blocks indented, variables named by their number.
// Functions with the same code have the same text, whatever the names in their sources. Cost:
// one pass.
#include <string.h>

#include "loop_impl.h"
#include "loop_names.h"

typedef struct printer {
  pir_writer out;
  bool stopped;
  bool heads;  // print statements without their bodies
  int depth;
} printer;

static void put(printer *p, const char *text) {
  if (!p->stopped && !p->out.write(p->out.user, text, strlen(text)))
    p->stopped = true;
}

static void put_int(printer *p, int64_t i) {
  char text[24], *at = text + sizeof text;
  uint64_t n = i < 0 ? -(uint64_t)i : (uint64_t)i;
  *--at = 0;
  do
    *--at = (char)('0' + n % 10);
  while (n /= 10);
  if (i < 0)
    *--at = '-';
  put(p, at);
}

// Prints enough digits to read the same number back; a NaN is printed as its bits.
static void put_float(printer *p, double f, uint8_t dtype) {
  char text[40];
  uint64_t bits;
  memcpy(&bits, &f, sizeof bits);
  if (f != f)
    pir_text_format(text, sizeof text, "nan_%llx", (unsigned long long)bits);
  else
    pir_text_format(text, sizeof text, dtype == PIR_F64 ? "%.17g" : "%.9g", f);
  put(p, text);
}

static void put_type(printer *p, uint8_t dtype, uint16_t lanes) {
  put(p, pir_loop_type_text(dtype));
  if (lanes == 1)
    return;
  put(p, "x");
  put_int(p, lanes);
}

// An operation without a name has no meaning; it is printed for messages only.
static void put_name(printer *p, const char *name) {
  put(p, name ? name : "unknown");
}

static void put_var(printer *p, const loop_var *v) {
  put(p, "v");
  put_int(p, v ? (int64_t)v->id : -1);
}

static void put_buffer(printer *p, const loop_buffer *b) {
  put(p, "b");
  put_int(p, b ? (int64_t)b->id : -1);
}

static void put_expr(printer *p, const loop_expr *e);

static void put_list(printer *p, const loop_expr *e) {
  const loop_expr *operands[] = {e->a, e->b, e->c};
  put(p, "(");
  for (int i = 0; i < 3 && operands[i]; i++) {
    if (i)
      put(p, ", ");
    put_expr(p, operands[i]);
  }
  if (e->mask) {
    put(p, " where ");
    put_expr(p, e->mask);
  }
  put(p, ")");
}

static void put_infix(printer *p, const loop_expr *e, const char *sign) {
  put(p, "(");
  put_expr(p, e->a);
  put(p, " ");
  put(p, sign);
  put(p, " ");
  put_expr(p, e->b);
  put(p, ")");
}

static void put_expr(printer *p, const loop_expr *e) {
  if (p->stopped)
    return;
  if (!e) {
    put(p, "nothing");
    return;
  }
  const loop_operation *op = e->kind == LOOP_OP ? loop_operation_of(e->fn) : NULL;
  if (op && op->infix) {
    put_infix(p, e, op->name);
    return;
  }
  switch ((loop_kind)e->kind) {
    case LOOP_CONST:
      if (pir_dtype_is_float(e->dtype))
        put_float(p, e->f, e->dtype);
      else
        put_int(p, e->i);
      if (e->dtype != LOOP_INDEX || e->lanes > 1) {
        put(p, ":");
        put_type(p, e->dtype, e->lanes);
      }
      return;
    case LOOP_VAR: put_var(p, e->var); return;
    case LOOP_DIM:
      put(p, "dim");
      put_int(p, e->i);
      put(p, e->fn ? ".signed" : "");
      put(p, e->given ? ".given" : "");
      return;
    case LOOP_OP: put_name(p, op ? op->name : NULL); break;
    case LOOP_FMA: put(p, "fused"); break;
    case LOOP_DOT: put_name(p, loop_dot_text(e->fn)); break;
    case LOOP_CAST:
      put(p, e->fn ? "flushed:" : "");
      put_type(p, e->dtype, e->lanes);
      break;
    case LOOP_BITCAST:
      put(p, "bits:");
      put_type(p, e->dtype, e->lanes);
      break;
    case LOOP_BROADCAST:
      put(p, "x");
      put_int(p, e->lanes);
      break;
    case LOOP_RAMP:
      put(p, "ramp");
      put_int(p, e->lanes);
      break;
    case LOOP_LOAD:
      put_buffer(p, e->buffer);
      put(p, ".");
      put_type(p, e->dtype, e->lanes);
      break;
    case LOOP_GATHER:
      put_buffer(p, e->buffer);
      put(p, ".gather");
      put_int(p, e->lanes);
      break;
    case LOOP_ZIP: put(p, e->fn ? "zip_upper" : "zip_lower"); break;
    case LOOP_FOLD:
      put(p, "fold_");
      put_name(p, loop_combine_text(e->fn));
      break;
    case LOOP_TEAM:
      put(p, "team_");
      put_name(p, loop_combine_text(e->fn));
      break;
  }
  put_list(p, e);
}

static void put_block(printer *p, const loop_block *block);

static void start_line(printer *p) {
  for (int i = 0; i < p->depth; i++)
    put(p, "  ");
}

// What is known of a variable that is bound here, beyond what the statement says itself.
static void put_facts(printer *p, const loop_var *v, const loop_expr *usual) {
  put(p, v->given ? " given" : "");
  if (v->multiple > 1) {
    put(p, " multiple ");
    put_int(p, v->multiple);
  }
  if (pir_loop_equal(v->extent, usual))
    return;
  put(p, " below ");
  if (v->extent)
    put_expr(p, v->extent);
  else
    put(p, "none");
}

static void put_for(printer *p, const loop_stmt *s) {
  put_name(p, loop_for_text(s->for_kind));
  put(p, " ");
  put_var(p, s->var);
  if (s->var && s->begin)
    put_facts(p, s->var, pir_loop_usual_extent(s->for_kind, s->begin, s->end));
  put(p, " = ");
  put_expr(p, s->begin);
  put(p, " to ");
  put_expr(p, s->end);
  put(p, " by ");
  put_expr(p, s->step);
  if (s->unroll) {
    put(p, " unroll ");
    put_int(p, s->unroll);
  }
  put(p, s->apart ? " apart" : "");
  put_block(p, &s->body);
}

static void put_tile(printer *p, const loop_stmt *s) {
  put(p, "tile_");
  put_name(p, loop_tile_text(s->combine));
  for (int i = 0; i < loop_tile_registers(s->combine); i++) {
    put(p, i ? ", " : " ");
    put_int(p, s->tiles[i]);
  }
  if (s->buffer) {
    put(p, " ");
    put_buffer(p, s->buffer);
    put(p, "[");
    put_expr(p, s->index);
    put(p, "]");
  }
  if (s->value) {
    put(p, " by ");
    put_expr(p, s->value);
  }
}

static void put_stmt(printer *p, const loop_stmt *s) {
  start_line(p);
  switch ((loop_stmt_kind)s->kind) {
    case LOOP_FOR: put_for(p, s); return;
    case LOOP_IF:
      put(p, "if ");
      put_expr(p, s->value);
      put_block(p, &s->body);
      if (s->other.first && !p->heads) {
        start_line(p);
        put(p, "else");
        put_block(p, &s->other);
      }
      return;
    case LOOP_LET:
      put_var(p, s->var);
      if (s->var) {
        put(p, ": ");
        put_type(p, s->var->dtype, s->var->lanes);
        put_facts(p, s->var, NULL);
      }
      put(p, " = ");
      put_expr(p, s->value);
      break;
    case LOOP_PREFETCH:
      put(p, "prefetch ");
      put_buffer(p, s->buffer);
      put(p, "[");
      put_expr(p, s->index);
      put(p, "]");
      break;
    case LOOP_TRAP:
      put(p, "trap ");
      put_expr(p, s->index);
      put(p, " where ");
      put_expr(p, s->value);
      break;
    case LOOP_MMA:
      put(p, "mma ");
      put_buffer(p, s->buffer);
      put(p, "[");
      put_expr(p, s->index);
      put(p, "] += ");
      put_expr(p, s->value);
      put(p, ", ");
      put_expr(p, s->right);
      put(p, " by ");
      put_int(p, s->stride);
      break;
    case LOOP_TILE: put_tile(p, s); break;
    case LOOP_BARRIER: put(p, "barrier"); break;
    default:
      put_buffer(p, s->buffer);
      put(p, s->kind == LOOP_SCATTER ? ".scatter[" : "[");
      put_expr(p, s->index);
      put(p, "] ");
      if (s->kind == LOOP_ACCUMULATE)
        put_name(p, loop_combine_text(s->combine));
      put(p, s->nontemporal ? "=nt " : "= ");
      put_expr(p, s->value);
      if (s->mask) {
        put(p, " where ");
        put_expr(p, s->mask);
      }
  }
  put(p, p->heads ? "" : "\n");
}

static void put_block(printer *p, const loop_block *block) {
  if (p->heads)
    return;
  put(p, " {\n");
  p->depth++;
  for (const loop_stmt *s = block->first; s; s = s->next)
    put_stmt(p, s);
  p->depth--;
  start_line(p);
  put(p, "}\n");
}

static void put_buffer_line(printer *p, const loop_buffer *b) {
  put(p, "\n  ");
  put_buffer(p, b);
  put(p, ": ");
  put_name(p, loop_space_text(b->space));
  put(p, " ");
  put_int(p, b->space == LOOP_ARG ? b->slot : b->count);
  if (b->space == LOOP_ARG)
    put(p, b->read_only ? " in" : " out");
  put(p, " ");
  put_type(p, b->dtype, b->lanes);
  if (b->space == LOOP_ARG) {
    put(p, " align ");
    put_int(p, b->align);
  }
  if (b->multiple > 1) {
    put(p, " multiple ");
    put_int(p, b->multiple);
  }
  if (b->large) {
    put(p, ", large if ");
    put_expr(p, b->large);
  }
}

static void put_fn(printer *p, const loop_fn *fn) {
  put(p, fn->name);
  put(p, ": stage (");
  put_var(p, fn->begin);
  put_facts(p, fn->begin, NULL);
  put(p, ", ");
  put_var(p, fn->end);
  put_facts(p, fn->end, NULL);
  put(p, ")");
  if (fn->threads) {
    put(p, " by ");
    put_int(p, fn->threads);
    put(p, " threads");
  }
  for (unsigned i = 0; i < fn->buffer_count; i++)
    put_buffer_line(p, fn->buffers[i]);
  put_block(p, &fn->body);
}

// The functions of a group stand behind each other; those of none are first.
static void put_fns(printer *p, const loop_fn *first) {
  for (const loop_fn *fn = first; fn && fn->group == first->group; fn = fn->next)
    put_fn(p, fn);
}

static void put_group(printer *p, const loop_group *group) {
  put(p, "group ");
  put(p, group->name);
  put(p, *group->ops ? ": " : ":");
  put(p, group->ops);
  put(p, "\n");
  put_fns(p, group->first);
  put(p, "\n");
}

pir_status pir_loop_print_group(const loop_group *group, pir_writer out) {
  printer p = {.out = out};
  put_group(&p, group);
  return p.stopped ? PIR_IO : PIR_OK;
}

pir_status pir_loop_print(const loop_module *m, pir_writer out) {
  printer p = {.out = out};
  if (m->first && !m->first->group)
    put_fns(&p, m->first);
  for (const loop_group *group = m->groups; group; group = group->next)
    put_group(&p, group);
  return p.stopped ? PIR_IO : PIR_OK;
}

// ---- for messages

typedef struct excerpt {
  char *out;
  size_t size, used;
} excerpt;

static bool add_excerpt(void *user, const char *data, size_t size) {
  excerpt *x = user;
  size_t left = x->size - 1 - x->used, part = size < left ? size : left;
  memcpy(x->out + x->used, data, part);
  x->used += part;
  x->out[x->used] = 0;
  if (part == size)
    return true;
  memcpy(x->out + x->size - 3, "..", 3);
  return false;
}

void pir_loop_describe(const loop_stmt *s, const loop_expr *e, char *out, size_t size) {
  excerpt x = {out, size, 0};
  printer p = {.out = {add_excerpt, &x}, .heads = true};
  *out = 0;
  if (e)
    put_expr(&p, e);
  else if (s)
    put_stmt(&p, s);
}
