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

static void print_text(printer *p, const char *text) {
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
  print_text(p, at);
}

// Prints enough digits to read the same number back; a NaN is printed as its bits.
static void print_float(printer *p, double f, uint8_t dtype) {
  char text[40];
  uint64_t bits;
  memcpy(&bits, &f, sizeof bits);
  if (f != f)
    pir_text_format(text, sizeof text, "nan_%llx", (unsigned long long)bits);
  else
    pir_text_format(text, sizeof text, dtype == PIR_F64 ? "%.17g" : "%.9g", f);
  print_text(p, text);
}

static void put_type(printer *p, uint8_t dtype, uint16_t lanes) {
  print_text(p, pir_loop_type_text(dtype));
  if (lanes == 1)
    return;
  print_text(p, "x");
  put_int(p, lanes);
}

// An operation without a name has no meaning; it is printed for messages only.
static void print_name(printer *p, const char *name) {
  print_text(p, name ? name : "unknown");
}

static void print_var(printer *p, const loop_var *v) {
  print_text(p, "v");
  put_int(p, v ? (int64_t)v->id : -1);
}

static void put_buffer(printer *p, const loop_buffer *b) {
  print_text(p, "b");
  put_int(p, b ? (int64_t)b->id : -1);
}

static void put_expr(printer *p, const loop_expr *e);

static void put_list(printer *p, const loop_expr *e) {
  const loop_expr *operands[] = {e->a, e->b, e->c};
  print_text(p, "(");
  for (int i = 0; i < 3 && operands[i]; i++) {
    if (i)
      print_text(p, ", ");
    put_expr(p, operands[i]);
  }
  if (e->mask) {
    print_text(p, " where ");
    put_expr(p, e->mask);
  }
  print_text(p, ")");
}

static void put_infix(printer *p, const loop_expr *e, const char *sign) {
  print_text(p, "(");
  put_expr(p, e->a);
  print_text(p, " ");
  print_text(p, sign);
  print_text(p, " ");
  put_expr(p, e->b);
  print_text(p, ")");
}

static void put_expr(printer *p, const loop_expr *e) {
  if (p->stopped)
    return;
  if (!e) {
    print_text(p, "nothing");
    return;
  }
  const loop_operation *op = e->kind == LOOP_OP ? loop_operation_of(e->op) : NULL;
  if (op && op->infix) {
    put_infix(p, e, op->name);
    return;
  }
  switch ((loop_kind)e->kind) {
    case LOOP_CONST:
      if (pir_dtype_is_float(e->dtype))
        print_float(p, e->constant.f, e->dtype);
      else
        put_int(p, e->constant.i);
      if (e->dtype != LOOP_INDEX || e->lanes > 1) {
        print_text(p, ":");
        put_type(p, e->dtype, e->lanes);
      }
      return;
    case LOOP_VAR: print_var(p, e->var); return;
    case LOOP_DIM:
      print_text(p, "dim");
      put_int(p, e->dim.number);
      print_text(p, e->dim.is_signed ? ".signed" : "");
      print_text(p, e->given ? ".given" : "");
      return;
    case LOOP_OP: print_name(p, op ? op->name : NULL); break;
    case LOOP_FMA: print_text(p, "fused"); break;
    case LOOP_DOT: print_name(p, loop_dot_text(e->dot)); break;
    case LOOP_CAST:
      print_text(p, e->flushes ? "flushed:" : "");
      put_type(p, e->dtype, e->lanes);
      break;
    case LOOP_BITCAST:
      print_text(p, "bits:");
      put_type(p, e->dtype, e->lanes);
      break;
    case LOOP_BROADCAST:
      print_text(p, "x");
      put_int(p, e->lanes);
      break;
    case LOOP_RAMP:
      print_text(p, "ramp");
      put_int(p, e->lanes);
      break;
    case LOOP_LOAD:
      put_buffer(p, e->buffer);
      print_text(p, ".");
      put_type(p, e->dtype, e->lanes);
      break;
    case LOOP_GATHER:
      put_buffer(p, e->buffer);
      print_text(p, ".gather");
      put_int(p, e->lanes);
      break;
    case LOOP_ZIP: print_text(p, e->upper ? "zip_upper" : "zip_lower"); break;
    case LOOP_LOOKUP: print_text(p, "lookup"); break;
    case LOOP_FOLD:
      print_text(p, "fold_");
      print_name(p, loop_combine_text(e->combine));
      break;
    case LOOP_TEAM:
      print_text(p, e->prefix ? "prefix" : "team");
      if (e->group)
        put_int(p, e->group);
      print_text(p, "_");
      print_name(p, loop_combine_text(e->combine));
      break;
  }
  put_list(p, e);
}

static void put_block(printer *p, const loop_block *block);

static void start_line(printer *p) {
  for (int i = 0; i < p->depth; i++)
    print_text(p, "  ");
}

// Prints facts about a variable that is bound here, beyond those that the statement states.
static void put_facts(printer *p, const loop_var *v, const loop_expr *usual) {
  print_text(p, v->given ? " given" : "");
  if (v->multiple > 1) {
    print_text(p, " multiple ");
    put_int(p, v->multiple);
  }
  if (pir_loop_equal(v->extent, usual))
    return;
  print_text(p, " below ");
  if (v->extent)
    put_expr(p, v->extent);
  else
    print_text(p, "none");
}

static void put_for(printer *p, const loop_stmt *s) {
  print_name(p, loop_for_text(s->loop.kind));
  print_text(p, " ");
  print_var(p, s->loop.var);
  if (s->loop.var && s->loop.begin)
    put_facts(p, s->loop.var, pir_loop_usual_extent(s->loop.kind, s->loop.begin, s->loop.end));
  print_text(p, " = ");
  put_expr(p, s->loop.begin);
  print_text(p, " to ");
  put_expr(p, s->loop.end);
  print_text(p, " by ");
  put_expr(p, s->loop.step);
  if (s->loop.unroll) {
    print_text(p, " unroll ");
    put_int(p, s->loop.unroll);
  }
  print_text(p, s->loop.apart ? " apart" : "");
  put_block(p, &s->loop.body);
}

// b3[index]
static void put_place(printer *p, const loop_buffer *b, const loop_expr *index) {
  put_buffer(p, b);
  print_text(p, "[");
  put_expr(p, index);
  print_text(p, "]");
}

static void put_tile(printer *p, const loop_stmt *s) {
  print_text(p, "tile_");
  print_name(p, loop_tile_text(s->tile.op));
  for (int i = 0; i < loop_tile_registers(s->tile.op); i++) {
    print_text(p, i ? ", " : " ");
    put_int(p, s->tile.tiles[i]);
  }
  if (s->tile.buffer) {
    print_text(p, " ");
    put_place(p, s->tile.buffer, s->tile.index);
  }
  if (s->tile.stride) {
    print_text(p, " by ");
    put_expr(p, s->tile.stride);
  }
}

static void put_if(printer *p, const loop_stmt *s) {
  print_text(p, "if ");
  put_expr(p, s->branch.condition);
  put_block(p, &s->branch.body);
  if (!s->branch.other.first || p->heads)
    return;
  start_line(p);
  print_text(p, "else");
  put_block(p, &s->branch.other);
}

static void put_let(printer *p, const loop_stmt *s) {
  const loop_var *var = s->let.var;
  print_var(p, var);
  if (var) {
    print_text(p, ": ");
    put_type(p, var->dtype, var->lanes);
    put_facts(p, var, NULL);
  }
  print_text(p, " = ");
  put_expr(p, s->let.value);
}

static void put_store(printer *p, const loop_stmt *s) {
  put_buffer(p, s->store.buffer);
  print_text(p, s->kind == LOOP_SCATTER ? ".scatter[" : "[");
  put_expr(p, s->store.index);
  print_text(p, s->store.nontemporal ? "] =nt " : "] = ");
  put_expr(p, s->store.value);
  if (s->store.mask) {
    print_text(p, " where ");
    put_expr(p, s->store.mask);
  }
}

static void put_accumulate(printer *p, const loop_stmt *s) {
  put_place(p, s->accumulate.buffer, s->accumulate.index);
  print_text(p, " ");
  print_name(p, loop_combine_text(s->accumulate.combine));
  print_text(p, "= ");
  put_expr(p, s->accumulate.value);
}

// b3.f32(index) by 4 32 1 512
static void put_fragment(printer *p, const loop_fragment *f) {
  const int64_t distances[] = {f->row, f->eight, f->term, f->half};
  put_expr(p, f->at);
  print_text(p, " by");
  for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
    print_text(p, " ");
    put_int(p, distances[i]);
  }
}

static void put_mma(printer *p, const loop_stmt *s) {
  print_text(p, "mma ");
  put_place(p, s->mma.sums, s->mma.index);
  print_text(p, " += ");
  put_fragment(p, &s->mma.left);
  print_text(p, ", ");
  put_fragment(p, &s->mma.right);
}

static void put_take(printer *p, const loop_stmt *s) {
  print_text(p, s->take.rank ? "take " : "order ");
  put_int(p, s->take.kept);
  print_text(p, " of ");
  put_expr(p, s->take.count);
  print_text(p, " in ");
  put_place(p, s->take.buffer, s->take.index);
  if (!s->take.rank)
    return;
  print_text(p, " from ");
  put_expr(p, s->take.at);
  print_text(p, ", ");
  put_expr(p, s->take.rank);
}

static void put_copy(printer *p, const loop_stmt *s) {
  print_text(p, "copy ");
  put_place(p, s->copy.buffer, s->copy.index);
  print_text(p, " = ");
  put_expr(p, s->copy.from);
}

static void put_trap(printer *p, const loop_stmt *s) {
  print_text(p, "trap ");
  put_int(p, s->trap.number);
  print_text(p, " where ");
  put_expr(p, s->trap.where);
}

static void put_stmt(printer *p, const loop_stmt *s) {
  start_line(p);
  switch ((loop_stmt_kind)s->kind) {
    case LOOP_FOR: put_for(p, s); return;
    case LOOP_IF: put_if(p, s); return;
    case LOOP_LET: put_let(p, s); break;
    case LOOP_STORE:
    case LOOP_SCATTER: put_store(p, s); break;
    case LOOP_ACCUMULATE: put_accumulate(p, s); break;
    case LOOP_PREFETCH:
      print_text(p, s->prefetch.far ? "prefetch far " : "prefetch ");
      put_place(p, s->prefetch.buffer, s->prefetch.index);
      break;
    case LOOP_TRAP: put_trap(p, s); break;
    case LOOP_MMA: put_mma(p, s); break;
    case LOOP_TILE: put_tile(p, s); break;
    case LOOP_TAKE: put_take(p, s); break;
    case LOOP_COPY: put_copy(p, s); break;
    case LOOP_COMMIT: print_text(p, "commit"); break;
    case LOOP_WAIT:
      print_text(p, "wait ");
      put_int(p, s->wait.groups);
      break;
    case LOOP_BARRIER: print_text(p, "barrier"); break;
  }
  print_text(p, p->heads ? "" : "\n");
}

static void put_block(printer *p, const loop_block *block) {
  if (p->heads)
    return;
  print_text(p, " {\n");
  p->depth++;
  for (const loop_stmt *s = block->first; s; s = s->next)
    put_stmt(p, s);
  p->depth--;
  start_line(p);
  print_text(p, "}\n");
}

static void put_buffer_line(printer *p, const loop_buffer *b) {
  print_text(p, "\n  ");
  put_buffer(p, b);
  print_text(p, ": ");
  print_name(p, loop_space_text(b->space));
  print_text(p, " ");
  put_int(p, b->space == LOOP_ARG ? b->slot : b->count);
  if (b->space == LOOP_ARG)
    print_text(p, b->read_only ? " in" : " out");
  print_text(p, " ");
  put_type(p, b->dtype, b->lanes);
  if (b->space == LOOP_ARG) {
    print_text(p, " align ");
    put_int(p, b->align);
  }
  if (b->multiple > 1) {
    print_text(p, " multiple ");
    put_int(p, b->multiple);
  }
  print_text(p, b->stays ? " stays" : "");
  if (b->large) {
    print_text(p, ", large if ");
    put_expr(p, b->large);
  }
}

static void put_fn(printer *p, const loop_fn *fn) {
  print_text(p, fn->name);
  print_text(p, ": stage (");
  print_var(p, fn->begin);
  put_facts(p, fn->begin, NULL);
  print_text(p, ", ");
  print_var(p, fn->end);
  put_facts(p, fn->end, NULL);
  print_text(p, ")");
  if (fn->threads) {
    print_text(p, " by ");
    put_int(p, fn->threads);
    print_text(p, " threads");
  }
  for (unsigned i = 0; i < fn->buffer_count; i++)
    put_buffer_line(p, fn->buffers[i]);
  put_block(p, &fn->body);
}

// The functions of a group follow each other. Functions without a group are first.
static void put_fns(printer *p, const loop_fn *first) {
  for (const loop_fn *fn = first; fn && fn->group == first->group; fn = fn->next)
    put_fn(p, fn);
}

static void put_group(printer *p, const loop_group *group) {
  print_text(p, "group ");
  print_text(p, group->name);
  print_text(p, *group->ops ? ": " : ":");
  print_text(p, group->ops);
  print_text(p, "\n");
  put_fns(p, group->first);
  print_text(p, "\n");
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
