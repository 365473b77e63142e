// Recurrent layers forward and backward, in the type REAL; rnn_grad.c includes this file for
// float and for double. It has no include guard, because it defines other names each time.
//
// Rows of all matrices are steps of sequences: row s * batch + b is step s of sequence b. Rows
// behind the end of a sequence are zeros and add nothing. So each product over all steps is one
// product of matrices; only those with the states run step by step.

// One direction of one layer.
typedef struct LAYER(path) {
  int64_t number, direction, inputs;
  const REAL *wx, *wh, *bx, *bh;
  REAL *wx_grad, *wh_grad, *bx_grad, *bh_grad;
  REAL *x;      // [steps][inputs]
  REAL *gates;  // [steps][gates * hidden], after their activations
  REAL *kept;   // [steps][hidden]: of a GRU, the candidate's weights times the state
  REAL *h, *c;  // [batch + steps][hidden]: the states before each step, c of an LSTM
} LAYER(path);

typedef struct LAYER(walk) {
  const network *n;
  contract_tile tile;
  int64_t steps, wide;  // rows, and the outputs of a layer
  LAYER(path) * paths;
  REAL *out[2];     // [time][batch][wide]: outputs of this layer and of the one below
  REAL *grad;       // likewise: the gradient of this layer's outputs
  REAL *below;      // of the outputs of the layer below
  REAL *x_grad;     // [time][batch][inputs]
  REAL *step_grad;  // [steps][inputs of a layer]
  REAL *from_x,
      *from_h;  // [steps][gates * hidden]: gradients of what the weights of x and h give
  REAL *sums;   // [batch][gates * hidden]: a step's product with the states
  REAL *line;   // [hidden]
  REAL *rows, *panels;  // packed matrices
} LAYER(walk);

// Lays out the memory of a walk, or only sums it up.
static void LAYER(lay_out)(LAYER(walk) * w, LAYER(memory) * m) {
  const network *n = w->n;
  int64_t gates = n->gates * n->hidden, steps = w->steps;
  int64_t deep = LAYER(largest)(LAYER(largest)(n->inputs, w->wide), n->hidden);
  for (int64_t i = 0; i < n->paths; i++) {
    LAYER(path) *p = &w->paths[i];
    p->x = LAYER(take)(m, steps, p->inputs);
    p->gates = LAYER(take)(m, steps, gates);
    p->kept = LAYER(take)(m, n->mode == RNN_GRU ? steps : 0, n->hidden);
    p->h = LAYER(take)(m, n->batch + steps, n->hidden);
    p->c = LAYER(take)(m, n->mode == RNN_LSTM ? n->batch + steps : 0, n->hidden);
  }
  w->out[0] = LAYER(take)(m, steps, w->wide);
  w->out[1] = LAYER(take)(m, steps, w->wide);
  w->grad = LAYER(take)(m, steps, w->wide);
  w->below = LAYER(take)(m, steps, w->wide);
  w->step_grad = LAYER(take)(m, steps, deep);
  w->from_x = LAYER(take)(m, steps, gates);
  w->from_h = LAYER(take)(m, steps, gates);
  w->sums = LAYER(take)(m, n->batch, gates);
  w->line = LAYER(take)(m, 1, n->hidden);
  int64_t wider = LAYER(largest)(deep, gates), rows = w->tile.rows;
  w->rows = LAYER(take)(m, steps + rows, wider);  // of steps,
  LAYER(take)(m, gates + rows, steps);            // or of gates: from there on
  w->panels = LAYER(take)(m, LAYER(largest)(steps, wider), wider + w->tile.columns);
}

// out = a * b, plus a bias for each column, or plus itself.
static void LAYER(multiply_matrices)(LAYER(walk) * w, LAYER(matrix) a, LAYER(matrix) b,
                                     const REAL *bias, bool add, REAL *out) {
  LAYER(pack_row_blocks)(&w->tile, a, w->rows);
  if (b.data)  // else those that were packed last
    LAYER(pack_column_panels)(&w->tile, b, w->panels);
  LAYER(product)
  p = {.tile = &w->tile,
       .a = w->rows,
       .b = w->panels,
       .bias = bias,
       .add = add,
       .out = out,
       .rows = a.rows,
       .columns = b.columns,
       .depth = a.columns};
  LAYER(multiply)(w->n->call, &p);
}

// ---- forward

// Copies the inputs of each step from `from`, [time][batch][inputs].
static void LAYER(gather_inputs)(const network *n, LAYER(path) * p, const REAL *from) {
  size_t row = (size_t)p->inputs * sizeof(REAL);
  for (int64_t s = 0; s < n->time; s++)
    for (int64_t b = 0; b < n->batch; b++) {
      REAL *to = p->x + (s * n->batch + b) * p->inputs;
      if (s < sequence_length_of(n, b))
        memcpy(to, from + (time_of_step(n, p->direction, b, s) * n->batch + b) * p->inputs,
               row);
      else
        memset(to, 0, row);
    }
}

// Runs step s of all sequences. A sequence that has ended keeps its state.
static void LAYER(step_all_forward)(const LAYER(walk) * w, LAYER(path) * p, int64_t s,
                                    REAL *out) {
  const network *n = w->n;
  int64_t H = n->hidden, G = n->gates * H;
  for (int64_t b = 0; b < n->batch; b++) {
    int64_t row = s * n->batch + b, next = row + n->batch;
    REAL *h = p->h + row * H, *next_h = p->h + next * H;
    REAL *c = n->mode == RNN_LSTM ? p->c + row * H : NULL;
    REAL *next_c = c ? p->c + next * H : NULL;
    if (s >= sequence_length_of(n, b)) {
      memcpy(next_h, h, (size_t)H * sizeof *h);
      continue;
    }
    LAYER(step_forward)
    (n, p->gates + row * G, w->sums + b * G, p->kept ? p->kept + row * H : NULL, h, c, next_h,
     next_c);
    int64_t at = time_of_step(n, p->direction, b, s) * n->batch + b;
    memcpy(out + at * w->wide + p->direction * H, next_h, (size_t)H * sizeof *out);
  }
}

static void LAYER(run_path_forward)(LAYER(walk) * w, LAYER(path) * p, const REAL *from,
                                    REAL *out) {
  const network *n = w->n;
  int64_t H = n->hidden, G = n->gates * H, first = p->number * n->batch * H;
  size_t states = (size_t)(n->batch * H) * sizeof(REAL);
  LAYER(gather_inputs)(n, p, from);
  memcpy(p->h, (const REAL *)n->state[0].data + first, states);
  if (n->mode == RNN_LSTM)
    memcpy(p->c, (const REAL *)n->state[1].data + first, states);
  LAYER(multiply_matrices)
  (w, LAYER(dense)(p->x, w->steps, p->inputs), LAYER(transposed)(p->wx, G, p->inputs), p->bx,
   false, p->gates);
  for (int64_t s = 0; s < n->time; s++) {
    LAYER(matrix) weights = LAYER(transposed)(s ? NULL : p->wh, G, H);
    LAYER(multiply_matrices)
    (w, LAYER(dense)(p->h + s * n->batch * H, n->batch, H), weights, p->bh, false, w->sums);
    LAYER(step_all_forward)(w, p, s, out);
  }
}

// ---- backward

static void LAYER(step_all_backward)(const LAYER(walk) * w, LAYER(path) * p, int64_t s,
                                     REAL *dh, REAL *dc) {
  const network *n = w->n;
  int64_t H = n->hidden, G = n->gates * H;
  for (int64_t b = 0; b < n->batch; b++) {
    int64_t row = s * n->batch + b, next = row + n->batch;
    REAL *from_x = w->from_x + row * G, *from_h = w->from_h + row * G;
    if (s >= sequence_length_of(n, b)) {
      memset(from_x, 0, (size_t)G * sizeof *from_x);
      memset(from_h, 0, (size_t)G * sizeof *from_h);
      continue;
    }
    int64_t at = time_of_step(n, p->direction, b, s) * n->batch + b;
    const REAL *grad = w->grad + at * w->wide + p->direction * H;
    for (int64_t j = 0; j < H; j++)
      dh[b * H + j] += grad[j];
    bool has_cell = n->mode == RNN_LSTM;
    LAYER(step_backward)
    (n, p->gates + row * G, p->kept ? p->kept + row * H : NULL, p->h + row * H,
     has_cell ? p->c + row * H : NULL, has_cell ? p->c + next * H : NULL, dh + b * H,
     has_cell ? dc + b * H : NULL, w->line, from_x, from_h);
  }
}

// Clears the states behind the ends of sequences: they add nothing to the weights'
// gradient, whatever numbers they are.
static void LAYER(clear_ended)(const network *n, LAYER(path) * p) {
  for (int64_t b = 0; b < n->batch; b++)
    for (int64_t s = sequence_length_of(n, b); s < n->time; s++)
      memset(p->h + (s * n->batch + b) * n->hidden, 0, (size_t)n->hidden * sizeof(REAL));
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

static void LAYER(run_path_backward)(LAYER(walk) * w, LAYER(path) * p, REAL *below) {
  const network *n = w->n;
  int64_t H = n->hidden, G = n->gates * H, first = p->number * n->batch * H;
  REAL *dh = (REAL *)n->state_grad[0].data + first;
  REAL *dc = n->mode == RNN_LSTM ? (REAL *)n->state_grad[1].data + first : NULL;
  for (int64_t s = n->time - 1; s >= 0; s--) {
    LAYER(step_all_backward)(w, p, s, dh, dc);
    LAYER(matrix) weights = LAYER(dense)(s == n->time - 1 ? p->wh : NULL, G, H);
    LAYER(multiply_matrices)
    (w, LAYER(dense)(w->from_h + s * n->batch * G, n->batch, G), weights, NULL, true, dh);
  }
  LAYER(multiply_matrices)
  (w, LAYER(dense)(w->from_x, w->steps, G), LAYER(dense)(p->wx, G, p->inputs), NULL, false,
   w->step_grad);
  LAYER(scatter_inputs)(w, p, below);
  LAYER(clear_ended)(n, p);
  LAYER(multiply_matrices)
  (w, LAYER(transposed)(w->from_x, w->steps, G), LAYER(dense)(p->x, w->steps, p->inputs), NULL,
   true, p->wx_grad);
  LAYER(multiply_matrices)
  (w, LAYER(transposed)(w->from_h, w->steps, G), LAYER(dense)(p->h, w->steps, H), NULL, true,
   p->wh_grad);
  LAYER(add_columns)(w->from_x, w->steps, G, p->bx_grad);
  LAYER(add_columns)(w->from_h, w->steps, G, p->bh_grad);
}

// ---- the network

static LAYER(path) LAYER(path_of)(const network *n, int64_t number) {
  int64_t layer = number / n->directions, w = 2 * number, bias = 2 * n->paths + w;
  return (LAYER(path)){.wx = n->weights[w].data,
                       .wh = n->weights[w + 1].data,
                       .bx = n->weights[bias].data,
                       .bh = n->weights[bias + 1].data,
                       .wx_grad = n->weight_grads[w].data,
                       .wh_grad = n->weight_grads[w + 1].data,
                       .bx_grad = n->weight_grads[bias].data,
                       .bh_grad = n->weight_grads[bias + 1].data,
                       .inputs = layer ? n->hidden * n->directions : n->inputs,
                       .number = number,
                       .direction = number % n->directions};
}

// Runs all layers forward, then backward from the gradient of the last layer's outputs.
static void LAYER(run_network)(LAYER(walk) * w, const REAL *x, const REAL *grad) {
  const network *n = w->n;
  size_t outs = (size_t)(w->steps * w->wide) * sizeof(REAL);
  const REAL *from = x;
  for (int64_t i = 0; i < n->paths; i++) {
    REAL *out = w->out[i / n->directions % 2];
    if (i % n->directions == 0)
      memset(out, 0, outs);
    LAYER(run_path_forward)(w, &w->paths[i], from, out);
    if (i % n->directions == n->directions - 1)
      from = out;
  }
  memcpy(w->grad, grad, outs);
  for (int64_t layer = n->layers - 1; layer >= 0; layer--) {
    REAL *below = layer ? w->below : w->x_grad;
    if (layer)
      memset(below, 0, outs);
    for (int64_t d = 0; d < n->directions; d++)
      LAYER(run_path_backward)(w, &w->paths[layer * n->directions + d], below);
    if (layer)
      memcpy(w->grad, below, outs);
  }
}

// Runs the network in memory of its own; all tensors are dense and of type REAL.
static pir_status LAYER(run_in_memory)(const network *n, pir_dtype dtype, const pir_tensor *x,
                                       const pir_tensor *grad, pir_tensor *x_grad) {
  const pir_kernel_call *call = n->call;
  LAYER(walk) w = {.n = n, .tile = pir_contract_tile(dtype), .x_grad = x_grad->data};
  LAYER(memory) m = {0};
  w.wide = n->hidden * n->directions;
  if (__builtin_mul_overflow(n->time, n->batch, &w.steps))
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op);
  size_t list = (size_t)n->paths * sizeof *w.paths;
  w.paths = pir_kernel_alloc(call, list);
  if (!w.paths)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  for (int64_t i = 0; i < n->paths; i++)
    w.paths[i] = LAYER(path_of)(n, i);
  LAYER(lay_out)(&w, &m);
  pir_tensor room = {0};
  pir_status status = m.over ? pir_kernel_fail(call, PIR_EXHAUSTED, "%s: too large", call->op)
                             : pir_kernel_zeros(call, dtype, &m.used, 1, &room);
  if (!status) {
    m = (LAYER(memory)){.first = room.data};
    LAYER(lay_out)(&w, &m);
    LAYER(run_network)(&w, x->data, grad->data);
  }
  pir_kernel_drop(call, &room);
  pir_kernel_free(call, w.paths, list);
  return status;
}
