// Prints loop IR as CUDA C: statements and kernels. A kernel loops over the units of its stage
// with the stride of the whole grid; a team of threads works on one unit. Outside of loops
// whose iterations the team shares, all threads of a team compute the same values and the first
// one stores them.
#include "cuda_impl.h"

#include <stdlib.h>

static void write_block(cuda_emitter *e, const loop_block *block);

// ---- statements

static void open_brace(cuda_emitter *e) {
  cuda_text(e, " {\n");
  e->depth++;
}

static void close_brace(cuda_emitter *e) {
  e->depth--;
  cuda_indent(e);
  cuda_text(e, "}\n");
}

static void settle(cuda_emitter *e, loop_expr *a, loop_expr *b, loop_expr *c) {
  cuda_begin(e);
  cuda_count(e, a);
  cuda_count(e, b);
  cuda_count(e, c);
  cuda_settle(e, a);
  cuda_settle(e, b);
  cuda_settle(e, c);
}

static void put_var(cuda_emitter *e, const loop_var *v) {
  pir_strbuf_format(&e->text, "%s_%u", v->name, v->id);
}

// Each thread takes one iteration.
static bool is_one_each(const cuda_emitter *e, const loop_stmt *s) {
  int64_t begin, end;
  return pir_loop_is_int(s->loop.begin, &begin) && pir_loop_is_int(s->loop.end, &end) &&
         begin == 0 && end == e->fn->threads;
}

static void emit_threads(cuda_emitter *e, const loop_stmt *s) {
  bool one = is_one_each(e, s);
  settle(e, s->loop.begin, s->loop.end, NULL);
  cuda_indent(e);
  if (one) {
    cuda_text(e, "{\n");
    e->depth++;
    cuda_indent(e);
    cuda_text(e, "const i64 ");
    put_var(e, s->loop.var);
    cuda_text(e, " = thread;\n");
  } else {
    cuda_text(e, "for (i64 ");
    put_var(e, s->loop.var);
    cuda_text(e, " = ");
    cuda_put(e, s->loop.begin, 0);
    cuda_text(e, " + thread; ");
    put_var(e, s->loop.var);
    cuda_text(e, " < ");
    cuda_put(e, s->loop.end, 0);
    cuda_text(e, "; ");
    put_var(e, s->loop.var);
    pir_strbuf_format(&e->text, " += %d)", e->fn->threads);
    open_brace(e);
  }
  e->shared_out++;
  write_block(e, &s->loop.body);
  e->shared_out--;
  close_brace(e);
}

// Units that the threads of a block process together: teams of a warp or less share one.
static int units_of_block(const cuda_emitter *e) {
  return e->fn->threads <= WARP ? e->machine->device.block_threads / e->fn->threads : 1;
}

static void write_for(cuda_emitter *e, const loop_stmt *s) {
  if (s->loop.kind == LOOP_THREADS) {
    emit_threads(e, s);
    return;
  }
  if (s->loop.kind == LOOP_VECTORISED)
    e->why = "a loop that was not bound to threads";
  settle(e, s->loop.begin, s->loop.end, s->loop.step);
  cuda_indent(e);
  if (s->loop.kind == LOOP_PARALLEL) {
    int units = units_of_block(e);
    cuda_text(e, "for (i64 ");
    put_var(e, s->loop.var);
    if (units == 1)
      cuda_text(e, " = blockIdx.x; ");
    else
      pir_strbuf_format(&e->text, " = (i64)blockIdx.x * %d + threadIdx.x / %d; ", units,
                        e->fn->threads);
    put_var(e, s->loop.var);
    cuda_text(e, " < end; ");
    put_var(e, s->loop.var);
    pir_strbuf_format(&e->text, " += (i64)gridDim.x * %d)", units);
  } else {
    if (s->loop.kind == LOOP_UNROLLED) {
      cuda_text(e, "#pragma unroll\n");
      cuda_indent(e);
    } else if (s->loop.unroll) {
      pir_strbuf_format(&e->text, "#pragma unroll %d\n", s->loop.unroll);
      cuda_indent(e);
    }
    cuda_text(e, "for (i64 ");
    put_var(e, s->loop.var);
    cuda_text(e, " = ");
    cuda_put(e, s->loop.begin, 0);
    cuda_text(e, "; ");
    put_var(e, s->loop.var);
    cuda_text(e, " < ");
    cuda_put(e, s->loop.end, 0);
    cuda_text(e, "; ");
    put_var(e, s->loop.var);
    cuda_text(e, " += ");
    cuda_put(e, s->loop.step, 0);
    cuda_text(e, ")");
  }
  open_brace(e);
  write_block(e, &s->loop.body);
  close_brace(e);
}

static void write_if(cuda_emitter *e, const loop_stmt *s) {
  settle(e, s->branch.condition, NULL, NULL);
  cuda_indent(e);
  cuda_text(e, "if (");
  cuda_put(e, s->branch.condition, 0);
  cuda_text(e, ")");
  open_brace(e);
  write_block(e, &s->branch.body);
  close_brace(e);
  if (!s->branch.other.first)
    return;
  cuda_indent(e);
  cuda_text(e, "else");
  open_brace(e);
  write_block(e, &s->branch.other);
  close_brace(e);
}

// An index that is known to be small takes one register in place of two.
static bool fits_int(const cuda_emitter *e, const loop_stmt *s) {
  loop_var *v = s->let.var;
  return v->dtype == LOOP_INDEX && s->let.value->lanes == 1 &&
         (pir_loop_small(s->let.value) || pir_loop_small(pir_loop_use(e->m, v)));
}

static void emit_let(cuda_emitter *e, const loop_stmt *s) {
  bool narrow = e->narrow[s->let.var->id] = fits_int(e, s);
  settle(e, s->let.value, NULL, NULL);
  cuda_indent(e);
  pir_strbuf_format(&e->text, "const %s ", narrow ? "i32" : cuda_type(s->let.var->dtype));
  for (unsigned lane = 0; lane < s->let.value->lanes; lane++) {
    if (lane)
      cuda_text(e, ", ");
    put_var(e, s->let.var);
    if (s->let.value->lanes > 1)
      pir_strbuf_format(&e->text, "_%u", lane);
    cuda_text(e, narrow ? " = (i32)(" : " = ");
    cuda_put(e, s->let.value, lane);
    cuda_text(e, narrow ? ")" : "");
  }
  cuda_text(e, ";\n");
}

static void put_lane_store(cuda_emitter *e, const loop_stmt *s, unsigned lane,
                           bool first_only) {
  bool is_bool = s->store.buffer->dtype == PIR_BOOL && s->store.buffer->space != LOOP_REGISTER;
  cuda_indent(e);
  if (first_only)
    cuda_text(e, "if (thread == 0) ");
  if (s->store.mask) {
    cuda_text(e, "if (");
    cuda_put(e, s->store.mask, lane);
    cuda_text(e, ") ");
  }
  cuda_put_place(e, s->store.buffer, s->store.index, lane);
  cuda_text(e, is_bool ? " = (u8)" : " = ");
  cuda_put(e, s->store.value, lane);
  cuda_text(e, ";\n");
}

static void write_store(cuda_emitter *e, const loop_stmt *s) {
  settle(e, s->store.index, s->store.value, s->store.mask);
  bool memory = s->store.buffer->space == LOOP_ARG || s->store.buffer->space == LOOP_SHARED;
  bool first_only = memory && !e->shared_out && e->fn->threads > 1;
  unsigned lanes =
      s->store.buffer->space == LOOP_REGISTER ? s->store.buffer->lanes : s->store.value->lanes;
  if (s->kind == LOOP_STORE && !s->store.mask &&
      cuda_is_wide(s->store.buffer, s->store.index, lanes)) {
    const char *type = cuda_memory_type(s->store.buffer->dtype);
    cuda_indent(e);
    if (first_only)
      cuda_text(e, "if (thread == 0) ");
    pir_strbuf_format(&e->text, "*(pir_vec<%s, %u> *)&", type, lanes);
    cuda_put_place(e, s->store.buffer, s->store.index, 0);
    pir_strbuf_format(&e->text, " = pir_vec<%s, %u>{", type, lanes);
    for (unsigned lane = 0; lane < lanes; lane++) {
      cuda_text(e, lane ? ", (" : "(");
      cuda_text(e, type);
      cuda_text(e, ")");
      cuda_put(e, s->store.value, lane);
    }
    cuda_text(e, "};\n");
    return;
  }
  for (unsigned lane = 0; lane < lanes; lane++)
    put_lane_store(e, s, lane, first_only);
}

static void write_accumulate(cuda_emitter *e, const loop_stmt *s) {
  loop_buffer *b = s->accumulate.buffer;
  loop_expr *index = s->accumulate.index, *old = pir_loop_load(e->m, b, index, b->lanes, NULL);
  loop_stmt plain = {.kind = LOOP_STORE};
  plain.store.buffer = b;
  plain.store.index = index;
  plain.store.value = pir_loop_combine(e->m, s->accumulate.combine, old, s->accumulate.value);
  write_store(e, &plain);
}

static void put_distances(cuda_emitter *e, const loop_fragment *f) {
  pir_strbuf_format(&e->text, "%lld, %lld, %lld, %lld", (long long)f->row, (long long)f->eight,
                    (long long)f->term, (long long)f->half);
}

static void emit_mma(cuda_emitter *e, const loop_stmt *s) {
  const loop_expr *left = s->mma.left.at, *right = s->mma.right.at;
  const char *type = left->dtype == PIR_F32 ? "tf32" : pir_dtype_text(left->dtype);
  settle(e, s->mma.index, left->a, right->a);
  cuda_indent(e);
  pir_strbuf_format(&e->text, "pir_mma_%s<", type);
  put_distances(e, &s->mma.left);
  cuda_text(e, ", ");
  put_distances(e, &s->mma.right);
  cuda_text(e, ">(&");
  cuda_put_place(e, s->mma.sums, s->mma.index, 0);
  cuda_text(e, ", &");
  cuda_put_place(e, left->buffer, left->a, 0);
  cuda_text(e, ", &");
  cuda_put_place(e, right->buffer, right->a, 0);
  cuda_text(e, ");\n");
}

static void emit_take(cuda_emitter *e, const loop_stmt *s) {
  cuda_begin(e);
  loop_expr *parts[] = {s->take.index, s->take.count, s->take.at, s->take.rank};
  for (int i = 0; i < 4; i++)
    cuda_count(e, parts[i]);
  for (int i = 0; i < 4; i++)
    cuda_settle(e, parts[i]);
  cuda_indent(e);
  pir_strbuf_format(&e->text, "%s<%lld>((pir_entry *)&",
                    s->take.rank ? "pir_take" : "pir_order", (long long)s->take.kept);
  cuda_put_place(e, s->take.buffer, s->take.index, 0);
  for (int i = 1; i < 4; i++) {
    if (!parts[i])
      continue;
    cuda_text(e, ", ");
    cuda_put(e, parts[i], 0);
  }
  cuda_text(e, ");\n");
}

static void emit_copy(cuda_emitter *e, const loop_stmt *s) {
  const loop_expr *from = s->copy.from;
  settle(e, s->copy.index, from->a, from->mask);
  cuda_indent(e);
  pir_strbuf_format(&e->text, "pir_copy<%zu>(&", pir_loop_type_size(from->dtype) * from->lanes);
  cuda_put_place(e, s->copy.buffer, s->copy.index, 0);
  cuda_text(e, ", &");
  cuda_put_place(e, from->buffer, from->a, 0);
  cuda_text(e, ", ");
  if (from->mask)
    cuda_put(e, from->mask, 0);
  else
    cuda_text(e, "true");
  cuda_text(e, ");\n");
}

static void emit_wait(cuda_emitter *e, const loop_stmt *s) {
  cuda_indent(e);
  pir_strbuf_format(&e->text, "pir_wait<%u>();\n", s->wait.groups);
}

static void emit_line(cuda_emitter *e, const char *text) {
  cuda_indent(e);
  cuda_text(e, text);
}

// Statements that architectures before sm_80 have no instructions for.
static bool is_copying(const loop_stmt *s) {
  return s->kind == LOOP_COPY || s->kind == LOOP_COMMIT || s->kind == LOOP_WAIT;
}

// Out of the way: few runs fail.
static void write_trap(cuda_emitter *e, const loop_stmt *s) {
  settle(e, s->trap.where, NULL, NULL);
  cuda_indent(e);
  cuda_text(e, "if (");
  for (unsigned lane = 0; lane < s->trap.where->lanes; lane++) {
    cuda_text(e, lane ? " || " : "");
    cuda_put(e, s->trap.where, lane);
  }
  pir_strbuf_format(&e->text, ") pir_trap(report, launch, %u);\n", s->trap.number);
}

static void write_block(cuda_emitter *e, const loop_block *block) {
  for (const loop_stmt *s = block->first; s && !e->why; s = s->next) {
    switch ((loop_stmt_kind)s->kind) {
      case LOOP_FOR: write_for(e, s); break;
      case LOOP_IF: write_if(e, s); break;
      case LOOP_LET: emit_let(e, s); break;
      case LOOP_STORE:
      case LOOP_SCATTER: write_store(e, s); break;
      case LOOP_ACCUMULATE: write_accumulate(e, s); break;
      case LOOP_PREFETCH: break;  // other warps hide the latency
      case LOOP_TRAP: write_trap(e, s); break;
      case LOOP_MMA: emit_mma(e, s); break;
      case LOOP_TILE: e->why = "tile registers"; break;
      case LOOP_TAKE: emit_take(e, s); break;
      case LOOP_COPY: emit_copy(e, s); break;
      case LOOP_COMMIT: emit_line(e, "pir_commit();\n"); break;
      case LOOP_WAIT: emit_wait(e, s); break;
      case LOOP_BARRIER: emit_line(e, "__syncthreads();\n"); break;
    }
    if (is_copying(s) && !e->architecture->copies)
      e->why = "asynchronous copies";
  }
}

// ---- kernels

static void declare(cuda_emitter *e) {
  for (unsigned i = 0; i < e->fn->buffer_count; i++) {
    const loop_buffer *b = e->fn->buffers[i];
    if (b->space == LOOP_ARG || b->space == LOOP_SCRATCH)
      continue;
    bool shared = b->space == LOOP_SHARED, reg = b->space == LOOP_REGISTER;
    char letter = reg ? 'r' : 'l';
    if (shared)
      letter = 's';
    cuda_indent(e);
    pir_strbuf_format(&e->text, "%s%s %c%u[%lld];\n", shared ? "__shared__ __align__(16) " : "",
                      reg ? cuda_type(b->dtype) : cuda_memory_type(b->dtype), letter, b->id,
                      (long long)(b->count * b->lanes));
  }
}

static void describe_kernel(cuda_emitter *e, pir_arena *arena, device_kernel *k) {
  const loop_fn *fn = e->fn;
  k->name = pir_arena_copy(arena, fn->name, strlen(fn->name) + 1);
  k->slots = pir_arena_zalloc(arena, (fn->buffer_count + 1u) * sizeof *k->slots);
  k->dims = pir_arena_zalloc(arena, (sizeof e->dims * 8 + 1) * sizeof *k->dims);
  for (unsigned i = 0; i < fn->buffer_count; i++)
    if (fn->buffers[i]->space == LOOP_ARG)
      k->slots[k->slot_count++] = fn->buffers[i]->slot;
  for (unsigned i = 0; i < sizeof e->dims * 8; i++)
    if (e->dims[i / 64] >> i % 64 & 1)
      k->dims[k->dim_count++] = (uint16_t)i;
  k->block_threads = fn->threads <= WARP ? e->machine->device.block_threads : fn->threads;
  k->block_units = units_of_block(e);
  k->reports = fn->traps;
}

static void put_head(const cuda_emitter *e, const device_kernel *k, pir_strbuf *out) {
  unsigned written = 0;
  bool usual = k->block_threads <= e->machine->device.block_threads;
  pir_strbuf_format(out, "\nextern \"C\" __global__ void __launch_bounds__(%d, %d) %s(",
                    k->block_threads, usual ? e->machine->device.resident_blocks : 1, k->name);
  for (unsigned i = 0; i < e->fn->buffer_count; i++) {
    const loop_buffer *b = e->fn->buffers[i];
    if (b->space != LOOP_ARG)
      continue;
    pir_strbuf_format(out, "%s%s%s *__restrict__ b%u", written++ ? ", " : "",
                      b->read_only ? "const " : "", cuda_memory_type(b->dtype), b->id);
  }
  for (unsigned i = 0; i < k->dim_count; i++)
    pir_strbuf_format(out, "%sconst i64 n%u", written++ ? ", " : "", k->dims[i]);
  if (k->reports)
    pir_strbuf_format(out, "%spir_report *report, const u64 launch", written++ ? ", " : "");
  pir_strbuf_format(out, "%sconst i64 end) {\n", written ? ", " : "");
  pir_strbuf_format(out,
                    e->fn->threads > WARP ? "  const int thread = threadIdx.x;\n"
                                          : "  const int thread = threadIdx.x %% %d;\n",
                    e->fn->threads);
  pir_strbuf_lit(out, "  (void)thread;\n");
}

static const char *write_kernel(const loop_fn *fn, const pir_target *target, pir_arena *arena,
                                device_kernel *k, pir_strbuf *out) {
  cuda_emitter e = {.fn = fn, .m = fn->module, .depth = 1};
  e.machine = target->machine;
  e.architecture = target->architecture;
  if (fn->threads < 1)
    return "a stage for a processor";
  pir_arena_init(&e.arena, fn->module->arena.heap);
  pir_strbuf_init(&e.text, &e.arena);
  e.narrow = pir_arena_zalloc(&e.arena, (fn->var_count + 1) * sizeof *e.narrow);
  declare(&e);
  write_block(&e, &fn->body);
  describe_kernel(&e, arena, k);
  put_head(&e, k, out);
  pir_strbuf_str(out, pir_strbuf_view(&e.text));
  pir_strbuf_lit(out, "}\n");
  pir_arena_destroy(&e.arena);
  return e.why;
}

pir_status cuda_emit(const loop_module *module, const pir_target *target, pir_heap *heap,
                     device_source *out, char *message, size_t capacity) {
  const char *why = NULL;
  *out = (device_source){0};
  pir_arena_init(&out->arena, heap);
  out->kernels = pir_arena_zalloc(&out->arena, (module->fn_count + 1) * sizeof *out->kernels);
  pir_strbuf text;
  pir_strbuf_init(&text, &out->arena);
  pir_strbuf_put(&text, cuda_prelude, strlen(cuda_prelude));
  for (const loop_fn *fn = module->first; fn && !why; fn = fn->next)
    why = write_kernel(fn, target, &out->arena, &out->kernels[out->count++], &text);
  pir_strbuf_char(&text, 0);
  out->text = text.data;
  out->size = text.size - 1;
  if (!why)
    return PIR_OK;
  pir_text_format(message, capacity, "unsupported: %s, for a CUDA device", why);
  pir_arena_destroy(&out->arena);
  return PIR_UNSUPPORTED;
}
