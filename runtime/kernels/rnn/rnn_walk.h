// Memory and products of recurrent layers in training, in the type REAL; rnn_grad.c includes
// this file for float and for double. It has no include guard, because it defines other names
// each time.
//
// Rows of all matrices are steps of sequences: row s * batch + b is step s of sequence b. So
// each product over all steps is one product of matrices; only those with the states run step
// by step.

// One direction of one layer.
typedef struct LAYER(path) {
  int64_t number, direction, inputs;
  const REAL *wx, *wh, *bx, *bh;
  REAL *wx_grad, *wh_grad, *bx_grad, *bh_grad;
  // Kept from the forward run. Behind the end of a sequence, states are the last ones.
  REAL *gates;   // [steps][gates * hidden], after their activations
  REAL *turned;  // [steps][hidden]: of a GRU, the candidate's weights times the state
  REAL *h, *c;   // [batch + steps][hidden]: the states before each step, c of an LSTM
} LAYER(path);

typedef struct LAYER(walk) {
  const network *n;
  contract_tile tile;
  int64_t block;        // sequences of one block of rows
  int64_t steps, wide;  // rows, and the outputs of a layer
  LAYER(path) * paths;
  REAL *out[2];         // [time][batch][wide]: outputs of this layer and of the one below
  REAL *x;              // [steps][inputs of a layer]
  REAL *sums;           // [batch][gates * hidden]: a step's product with the states
  REAL *rows, *panels;  // packed matrices
  // Of the gradient alone.
  const REAL *grad;       // [time][batch][wide]: of this layer's outputs
  REAL *below[2];         // likewise, of the layers below
  REAL *step_grad;        // [steps][inputs of a layer]
  REAL *from_x, *from_h;  // [steps][gates * hidden]: of what the weights of x and h give; one
                          // matrix unless of a GRU
  REAL *line;             // [batch][hidden]
} LAYER(walk);

// Lays out the tensor that is kept; the inference of cinn_op.rnn_keep states its size.
static void LAYER(lay_out_kept)(LAYER(walk) * w, LAYER(memory) * m) {
  const network *n = w->n;
  for (int64_t i = 0; i < n->paths; i++) {
    LAYER(path) *p = &w->paths[i];
    p->gates = LAYER(take)(m, w->steps, n->gates * n->hidden);
    p->turned = LAYER(take)(m, n->mode == RNN_GRU ? w->steps : 0, n->hidden);
    p->h = LAYER(take)(m, n->batch + w->steps, n->hidden);
    p->c = LAYER(take)(m, n->mode == RNN_LSTM ? n->batch + w->steps : 0, n->hidden);
  }
}

// Whether the states of a layer are its outputs: one direction, and no sequence ends early.
static bool LAYER(states_are_outputs)(const network *n) {
  return !n->lengths && n->directions == 1;
}

// Lays out the other memory of a walk, or only sums it up.
static void LAYER(lay_out)(LAYER(walk) * w, LAYER(memory) * m) {
  const network *n = w->n;
  int64_t gates = n->gates * n->hidden, steps = w->steps;
  int64_t backward = n->is_backward ? steps : 0;
  int64_t deep = LAYER(largest)(LAYER(largest)(n->inputs, w->wide), n->hidden);
  int64_t outputs = LAYER(states_are_outputs)(n) ? 0 : steps;
  w->out[0] = LAYER(take)(m, outputs, w->wide);
  w->out[1] = LAYER(take)(m, outputs, w->wide);
  w->x = LAYER(take)(m, steps, deep);
  w->sums = LAYER(take)(m, n->batch, gates);
  w->below[0] = LAYER(take)(m, backward, w->wide);
  w->below[1] = LAYER(take)(m, backward, w->wide);
  w->step_grad = LAYER(take)(m, backward, deep);
  w->from_x = LAYER(take)(m, backward, gates);
  w->from_h = n->mode == RNN_GRU ? LAYER(take)(m, backward, gates) : w->from_x;
  w->line = LAYER(take)(m, n->is_backward ? n->batch : 0, n->hidden);
  // Left sides have rows of steps or of gates. Right sides are weights, or have rows of steps.
  int64_t rows = w->tile.rows, columns = w->tile.columns;
  int64_t blocks = block_count(w->block, n->batch), left = steps + rows;
  int64_t deepest = n->is_backward ? LAYER(largest)(deep, gates) : deep;
  left = blocks * rows > left ? blocks * rows : left;  // a step's sequences alone
  w->rows = LAYER(take_larger)(m, left, deepest, gates + rows, backward);
  w->panels = LAYER(take_larger)(m, deep, gates + columns, LAYER(largest)(backward, gates),
                                 deep + columns);
}

static void LAYER(pack_panels_of)(LAYER(walk) * w, LAYER(matrix) b) {
  LAYER(column_panels) p = {&w->tile, b, w->panels};
  pir_kernel_each(w->n->call, LAYER(panel_count)(&w->tile, b.columns), LAYER(pack_some_panels),
                  &p);
}

// out = a * b, plus a bias for each column, or plus itself. A left side without data is the one
// that was packed last.
static void LAYER(multiply_matrices)(LAYER(walk) * w, LAYER(matrix) a, LAYER(matrix) b,
                                     const REAL *bias, bool add, REAL *out) {
  LAYER(pack_panels_of)(w, b);
  LAYER(product)
  p = {.tile = &w->tile,
       .block = w->tile.rows,
       .left = a,
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

// One direction of one layer over all steps, for some sequences: in each step a product of the
// sequences' rows with packed weights, and what the step does beside it. Threads share the
// sequences and do not meet before the last step.
typedef struct LAYER(recurrence) {
  const LAYER(walk) * w;
  const LAYER(path) * p;
  LAYER(product) product;  // of one step
  REAL *out;      // [time][batch][wide]: the layer's outputs, forward; NULL: its states are
  REAL *dh, *dc;  // [batch][hidden], backward
} LAYER(recurrence);

static void LAYER(share_sequences)(const LAYER(recurrence) * r, pir_range_fn fn) {
  pir_kernel_each(r->w->n->call, share_count(r->w->n, r->w->block), fn, (void *)r);
}

// The first block of a share.
static int64_t LAYER(block_of_share)(const LAYER(walk) * w, int64_t share) {
  return share * block_count(w->block, w->n->batch) / share_count(w->n, w->block);
}

// The first sequence behind the blocks of rows before `block`.
static int64_t LAYER(sequence_of_block)(const LAYER(walk) * w, int64_t block) {
  int64_t first = block * w->block;
  return first < w->n->batch ? first : w->n->batch;
}

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

// The inputs of each step, from the inputs of each time, [time][batch][inputs]; the same memory
// where steps are times.
static const REAL *LAYER(gather_inputs)(const LAYER(walk) * w, const LAYER(path) * p,
                                        const REAL *from) {
  const network *n = w->n;
  size_t row = (size_t)p->inputs * sizeof(REAL);
  if (!n->lengths && !p->direction)
    return from;
  for (int64_t s = 0; s < n->time; s++)
    for (int64_t b = 0; b < n->batch; b++) {
      REAL *to = w->x + (s * n->batch + b) * p->inputs;
      if (s < sequence_length_of(n, b))
        memcpy(to, from + (time_of_step(n, p->direction, b, s) * n->batch + b) * p->inputs,
               row);
      else
        memset(to, 0, row);
    }
  return w->x;
}

// The outputs of a layer, [time][batch][wide], from the states that are kept.
static const REAL *LAYER(outputs_of_layer)(LAYER(walk) * w, int64_t layer) {
  const network *n = w->n;
  if (LAYER(states_are_outputs)(n))
    return w->paths[layer].h + n->batch * n->hidden;
  REAL *out = w->out[layer % 2];
  memset(out, 0, (size_t)(w->steps * w->wide) * sizeof *out);
  for (int64_t d = 0; d < n->directions; d++) {
    const REAL *h = w->paths[layer * n->directions + d].h + n->batch * n->hidden;
    for (int64_t s = 0; s < n->time; s++)
      for (int64_t b = 0; b < n->batch; b++) {
        int64_t row = time_of_step(n, d, b, s) * n->batch + b;
        const REAL *next = h + (s * n->batch + b) * n->hidden;
        if (s < sequence_length_of(n, b))
          memcpy(out + row * w->wide + d * n->hidden, next, (size_t)n->hidden * sizeof *next);
      }
  }
  return out;
}
