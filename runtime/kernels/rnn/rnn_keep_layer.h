// Recurrent layers forward, which keeps the gates and states of all steps, in the type REAL;
// rnn_grad.c includes this file for float and for double. It has no include guard, because it
// defines other names each time.

// Keeps the states of a sequence that has ended.
static void LAYER(stay)(const network *n, const LAYER(path) * p, int64_t row) {
  int64_t H = n->hidden;
  size_t bytes = (size_t)H * sizeof(REAL);
  memcpy(p->h + (row + n->batch) * H, p->h + row * H, bytes);
  if (n->mode == RNN_LSTM)
    memcpy(p->c + (row + n->batch) * H, p->c + row * H, bytes);
  if (n->mode == RNN_GRU)
    memset(p->turned + row * H, 0, bytes);
}

// Runs step s of sequence b.
static void LAYER(step_one_forward)(const LAYER(recurrence) * r, int64_t s, int64_t b) {
  const LAYER(walk) *w = r->w;
  const LAYER(path) *p = r->p;
  const network *n = w->n;
  int64_t H = n->hidden, G = n->gates * H, row = s * n->batch + b, next = row + n->batch;
  if (s >= sequence_length_of(n, b)) {
    LAYER(stay)(n, p, row);
    return;
  }
  bool has_cell = n->mode == RNN_LSTM;
  REAL *next_h = p->h + next * H;
  LAYER(step_forward)
  (n, p->gates + row * G, w->sums + b * G, n->mode == RNN_GRU ? p->turned + row * H : NULL,
   p->h + row * H, has_cell ? p->c + row * H : NULL, next_h, has_cell ? p->c + next * H : NULL);
  if (!r->out)
    return;
  int64_t at = time_of_step(n, p->direction, b, s) * n->batch + b;
  memcpy(r->out + at * w->wide + p->direction * H, next_h, (size_t)H * sizeof *next_h);
}

// Runs all steps of the sequences in some shares.
static void LAYER(run_forward_shares)(void *user, int64_t begin, int64_t end, int thread) {
  const LAYER(recurrence) *r = user;
  const network *n = r->w->n;
  int64_t from = LAYER(block_of_share)(r->w, begin), to = LAYER(block_of_share)(r->w, end);
  int64_t first = LAYER(sequence_of_block)(r->w, from);
  int64_t behind = LAYER(sequence_of_block)(r->w, to);
  LAYER(product) step = r->product;
  for (int64_t s = 0; s < n->time; s++) {
    step.left = LAYER(dense)(r->p->h + s * n->batch * n->hidden, n->batch, n->hidden);
    LAYER(multiply_row_blocks)(&step, from, to, thread);
    for (int64_t b = first; b < behind; b++)
      LAYER(step_one_forward)(r, s, b);
  }
}

static void LAYER(run_path_forward)(LAYER(walk) * w, LAYER(path) * p, const REAL *from,
                                    REAL *out) {
  const network *n = w->n;
  int64_t H = n->hidden, G = n->gates * H, first = p->number * n->batch * H;
  size_t states = (size_t)(n->batch * H) * sizeof(REAL);
  const REAL *x = LAYER(gather_inputs)(w, p, from);
  memcpy(p->h, (const REAL *)n->state[0].data + first, states);
  if (n->mode == RNN_LSTM)
    memcpy(p->c, (const REAL *)n->state[1].data + first, states);
  LAYER(multiply_matrices)
  (w, LAYER(dense)(x, w->steps, p->inputs), LAYER(transposed)(p->wx, G, p->inputs), p->bx,
   false, p->gates);
  LAYER(pack_panels_of)(w, LAYER(transposed)(p->wh, G, H));
  LAYER(recurrence)
  r = {.w = w,
       .p = p,
       .product = {.tile = &w->tile,
                   .block = w->block,
                   .a = w->rows,
                   .b = w->panels,
                   .bias = p->bh,
                   .out = w->sums,
                   .rows = n->batch,
                   .columns = G,
                   .depth = H},
       .out = out};
  LAYER(share_sequences)(&r, LAYER(run_forward_shares));
}

// Runs all layers. Returns the outputs of the last one, [time][batch][wide].
static const REAL *LAYER(run_forward)(LAYER(walk) * w, const REAL *x) {
  const network *n = w->n;
  const REAL *from = x;
  for (int64_t layer = 0; layer < n->layers; layer++) {
    REAL *out = LAYER(states_are_outputs)(n) ? NULL : w->out[layer % 2];
    if (out)
      memset(out, 0, (size_t)(w->steps * w->wide) * sizeof *out);
    for (int64_t d = 0; d < n->directions; d++)
      LAYER(run_path_forward)(w, &w->paths[layer * n->directions + d], from, out);
    from = out ? out : LAYER(outputs_of_layer)(w, layer);
  }
  return from;
}

// The last states of all paths, to the network's states.
static void LAYER(write_last_states)(const LAYER(walk) * w) {
  const network *n = w->n;
  int64_t size = n->batch * n->hidden, last = w->steps * n->hidden;
  for (int64_t i = 0; i < n->paths; i++) {
    const LAYER(path) *p = &w->paths[i];
    memcpy((REAL *)n->state[0].data + i * size, p->h + last, (size_t)size * sizeof(REAL));
    if (n->mode == RNN_LSTM)
      memcpy((REAL *)n->state[1].data + i * size, p->c + last, (size_t)size * sizeof(REAL));
  }
}
