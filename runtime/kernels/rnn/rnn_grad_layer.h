// Recurrent layers backward, in the type REAL; rnn_grad.c includes this file for float and
// for double. It has no include guard, because it defines other names each time. Rows behind
// the end of a sequence are zeros and add nothing.

// Runs step s of sequence b.
static void LAYER(step_one_backward)(const LAYER(recurrence) * r, int64_t s, int64_t b) {
  const LAYER(walk) *w = r->w;
  const LAYER(path) *p = r->p;
  const network *n = w->n;
  int64_t H = n->hidden, G = n->gates * H, row = s * n->batch + b, next = row + n->batch;
  REAL *from_x = w->from_x + row * G, *from_h = w->from_h + row * G;
  if (s >= sequence_length_of(n, b)) {
    memset(from_x, 0, (size_t)G * sizeof *from_x);
    memset(from_h, 0, (size_t)G * sizeof *from_h);
    return;
  }
  int64_t at = time_of_step(n, p->direction, b, s) * n->batch + b;
  const REAL *grad = w->grad + at * w->wide + p->direction * H;
  REAL *dh = r->dh + b * H;
  for (int64_t j = 0; j < H; j++)
    dh[j] += grad[j];
  bool has_cell = n->mode == RNN_LSTM;
  LAYER(step_backward)
  (n, p->gates + row * G, n->mode == RNN_GRU ? p->turned + row * H : NULL, p->h + row * H,
   has_cell ? p->c + row * H : NULL, has_cell ? p->c + next * H : NULL, dh,
   has_cell ? r->dc + b * H : NULL, w->line + b * H, from_x, from_h);
}

// Whether the products of all steps backward leave the packed rows of from_x behind: the rows
// of a step are whole blocks then.
static bool LAYER(keeps_rows)(const LAYER(walk) * w) {
  return w->from_h == w->from_x && w->block == w->tile.rows && w->n->batch % w->block == 0;
}

// Runs all steps of the sequences in some shares.
static void LAYER(run_backward_shares)(void *user, int64_t begin, int64_t end, int thread) {
  const LAYER(recurrence) *r = user;
  const LAYER(walk) *w = r->w;
  const network *n = w->n;
  int64_t G = n->gates * n->hidden;
  int64_t from = LAYER(block_of_share)(w, begin), to = LAYER(block_of_share)(w, end);
  int64_t first = LAYER(sequence_of_block)(w, from);
  int64_t behind = LAYER(sequence_of_block)(w, to);
  LAYER(product) step = r->product;
  for (int64_t s = n->time - 1; s >= 0; s--) {
    for (int64_t b = first; b < behind; b++)
      LAYER(step_one_backward)(r, s, b);
    step.left = LAYER(dense)(w->from_h + s * n->batch * G, n->batch, G);
    step.a = r->product.a + (LAYER(keeps_rows)(w) ? s * n->batch * G : 0);
    LAYER(multiply_row_blocks)(&step, from, to, thread);
  }
}

// The states before each step. Behind the ends of sequences zeros: there they add nothing to
// the gradient of the weights, whatever numbers they are.
static const REAL *LAYER(states_before_steps)(const LAYER(walk) * w, const LAYER(path) * p) {
  const network *n = w->n;
  if (!n->lengths)
    return p->h;
  size_t row = (size_t)n->hidden * sizeof(REAL);
  memcpy(w->x, p->h, (size_t)w->steps * row);
  for (int64_t b = 0; b < n->batch; b++)
    for (int64_t s = sequence_length_of(n, b); s < n->time; s++)
      memset(w->x + (s * n->batch + b) * n->hidden, 0, row);
  return w->x;
}

static void LAYER(add_columns)(const REAL *from, int64_t rows, int64_t columns, REAL *to) {
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++)
      to[j] += from[i * columns + j];
}

// Adds the gradients of the steps' inputs to `to`, [time][batch][inputs].
static void LAYER(scatter_inputs)(const LAYER(walk) * w, const LAYER(path) * p, REAL *to) {
  const network *n = w->n;
  for (int64_t s = 0; s < n->time; s++)
    for (int64_t b = 0; b < n->batch; b++) {
      if (s >= sequence_length_of(n, b))
        continue;
      int64_t at = time_of_step(n, p->direction, b, s) * n->batch + b;
      const REAL *from = w->step_grad + (s * n->batch + b) * p->inputs;
      for (int64_t j = 0; j < p->inputs; j++)
        to[at * p->inputs + j] += from[j];
    }
}

// Adds the gradients of the inputs of all steps to `below`, zeros before the first direction.
static void LAYER(add_input_grads)(LAYER(walk) * w, const LAYER(path) * p, REAL *below) {
  int64_t G = w->n->gates * w->n->hidden;
  bool direct = LAYER(states_are_outputs)(w->n);
  const REAL *rows = LAYER(keeps_rows)(w) ? NULL : w->from_x;
  LAYER(multiply_matrices)
  (w, LAYER(dense)(rows, w->steps, G), LAYER(dense)(p->wx, G, p->inputs), NULL, false,
   direct ? below : w->step_grad);
  if (!direct)
    LAYER(scatter_inputs)(w, p, below);
}

static void LAYER(add_weight_grads)(LAYER(walk) * w, const LAYER(path) * p, const REAL *from) {
  int64_t H = w->n->hidden, G = w->n->gates * H;
  LAYER(matrix) x = LAYER(dense)(LAYER(gather_inputs)(w, p, from), w->steps, p->inputs);
  LAYER(multiply_matrices)
  (w, LAYER(transposed)(w->from_x, w->steps, G), x, NULL, true, p->wx_grad);
  LAYER(matrix) h = LAYER(dense)(LAYER(states_before_steps)(w, p), w->steps, H);
  const REAL *from_h = w->from_h == w->from_x ? NULL : w->from_h;
  LAYER(multiply_matrices)
  (w, LAYER(transposed)(from_h, w->steps, G), h, NULL, true, p->wh_grad);
  LAYER(add_columns)(w->from_x, w->steps, G, p->bx_grad);
  if (from_h)
    LAYER(add_columns)(from_h, w->steps, G, p->bh_grad);
  else
    memcpy(p->bh_grad, p->bx_grad, (size_t)G * sizeof *p->bh_grad);
}

// `below` gets the gradients of the inputs; NULL: nobody asks for them.
static void LAYER(run_path_backward)(LAYER(walk) * w, const LAYER(path) * p, const REAL *from,
                                     REAL *below) {
  const network *n = w->n;
  int64_t H = n->hidden, G = n->gates * H, first = p->number * n->batch * H;
  REAL *dh = (REAL *)n->state_grad[0].data + first;
  LAYER(pack_panels_of)(w, LAYER(dense)(p->wh, G, H));
  LAYER(recurrence)
  r = {.w = w,
       .p = p,
       .product = {.tile = &w->tile,
                   .block = w->block,
                   .a = w->rows,
                   .b = w->panels,
                   .add = true,
                   .out = dh,
                   .rows = n->batch,
                   .columns = H,
                   .depth = G},
       .dh = dh,
       .dc = n->mode == RNN_LSTM ? (REAL *)n->state_grad[1].data + first : NULL};
  LAYER(share_sequences)(&r, LAYER(run_backward_shares));
  if (below)
    LAYER(add_input_grads)(w, p, below);
  LAYER(add_weight_grads)(w, p, from);
}

// Runs all layers backward from the gradient of the last layer's outputs.
static void LAYER(run_backward)(LAYER(walk) * w, const REAL *x, const REAL *grad,
                                REAL *x_grad) {
  const network *n = w->n;
  w->grad = grad;
  for (int64_t layer = n->layers - 1; layer >= 0; layer--) {
    REAL *below = layer ? w->below[layer % 2] : x_grad;
    const REAL *from = layer ? LAYER(outputs_of_layer)(w, layer - 1) : x;
    if (layer && !LAYER(states_are_outputs)(n))
      memset(below, 0, (size_t)(w->steps * w->wide) * sizeof *below);
    for (int64_t d = 0; d < n->directions; d++)
      LAYER(run_path_backward)(w, &w->paths[layer * n->directions + d], from, below);
    w->grad = below;
  }
}

// Runs the passes that the network asks for; all tensors are dense and of type REAL.
static void LAYER(run_passes)(LAYER(walk) * w, const passes_tensors *t) {
  const network *n = w->n;
  if (n->is_forward) {
    const REAL *out = LAYER(run_forward)(w, t->x.data);
    if (t->out.data)
      memcpy(t->out.data, out, (size_t)(w->steps * w->wide) * sizeof *out);
  }
  if (n->is_backward)
    LAYER(run_backward)(w, t->x.data, t->out_grad.data, t->x_grad.data);
  else
    LAYER(write_last_states)(w);
}

// Takes memory of its own, which includes the kept numbers unless the call has them.
static pir_status LAYER(run_in_memory)(const network *n, pir_dtype dtype,
                                       const passes_tensors *t) {
  const pir_kernel_call *call = n->call;
  LAYER(walk) w = {.n = n, .tile = pir_contract_tile(dtype), .wide = n->hidden * n->directions};
  LAYER(memory) kept = {0};
  LAYER(memory) m = {0};
  w.block = sequences_of_block(n, &w.tile);
  if (__builtin_mul_overflow(n->time, n->batch, &w.steps))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  size_t list = (size_t)n->paths * sizeof *w.paths, bytes;
  w.paths = pir_kernel_alloc(call, list);
  if (!w.paths)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  for (int64_t i = 0; i < n->paths; i++)
    w.paths[i] = LAYER(path_of)(n, i);
  LAYER(lay_out_kept)(&w, &kept);
  LAYER(lay_out)(&w, &m);
  bool given = t->kept.data || !n->is_forward;  // by the call
  int64_t own = given ? 0 : kept.used;
  REAL *room = NULL;
  pir_status status = PIR_OK;
  bool over = kept.over || m.over || __builtin_add_overflow(own, m.used, &own);
  if (over || pir_shape_bytes(&own, 1, dtype, &bytes))
    status = pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  else if (given && pir_tensor_numel(&t->kept) != kept.used)
    status =
        pir_kernel_fail(call, PIR_INVALID, "%s: kept: expects %lld numbers, found %lld",
                        call->op, (long long)kept.used, (long long)pir_tensor_numel(&t->kept));
  else if (!(room = pir_kernel_alloc(call, bytes)))
    status = pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  if (!status) {
    m = (LAYER(memory)){.first = room};
    LAYER(lay_out)(&w, &m);
    kept = (LAYER(memory)){.first = t->kept.data ? t->kept.data : room + m.used};
    LAYER(lay_out_kept)(&w, &kept);
    LAYER(run_passes)(&w, t);
    pir_kernel_free(call, room, bytes);
  }
  pir_kernel_free(call, w.paths, list);
  return status;
}
