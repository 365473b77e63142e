// One direction of one recurrent layer over a block of batch rows, in the type REAL; rnn.c
// includes this file for float and for double. It has no include guard, because it defines
// other names each time.

typedef struct LAYER(direction) {
  // Panels of tile.columns gates, each [depth][columns]; the last one is padded with zeros.
  const REAL *wx, *wh;
  const REAL *bx, *bh;  // [padded]
  const REAL *x;        // [time][batch][inputs]
  REAL *out;            // [time][batch][directions * hidden], from this direction's columns
  REAL *h, *c;          // [batch][hidden]: the states, updated in place; c only for LSTM
  bool reverse;
} LAYER(direction);

typedef struct LAYER(layer) {
  const rnn_shape *shape;
  int64_t inputs;
  LAYER(direction) direction[2];
  REAL *room;  // for each thread: the gates of the tile's rows by both products, packed rows
  int64_t thread_room;
} LAYER(layer);

// out[r][j] = bias[j] + sum_k x[r][k] * w[k][j] for the rows of a tile. `packed` is scratch
// memory.
static void LAYER(multiply_tile_rows)(const rnn_shape *s, const REAL *const *x, int64_t depth,
                                      const REAL *w, const REAL *bias, REAL *packed,
                                      REAL *out) {
  const contract_tile *t = &s->tile;
  REAL sums[TILE_ROWS * TILE_COLUMNS];
  for (int r = 0; r < t->rows; r++)
    for (int64_t k = 0; k < depth; k++)
      packed[k * t->rows + r] = x[r][k];
  for (int64_t j = 0; j < s->padded; j += t->columns) {
    t->run(depth, packed, w + j * depth, sums, t->columns, false);
    for (int r = 0; r < t->rows; r++)
      for (int i = 0; i < t->columns; i++)
        out[r * s->padded + j + i] = bias[j + i] + sums[r * t->columns + i];
  }
}

// Updates the state of one row by one step. Gates are stored in Paddle's order: input, forget,
// cell, output for LSTM; reset, update, candidate for GRU. They are overwritten.
static void LAYER(step_cell)(const rnn_shape *s, REAL *gx, const REAL *gh, REAL *h, REAL *c) {
  int64_t n = s->hidden;
  int64_t summed = s->mode == RNN_GRU ? 2 * n : s->rows;
  for (int64_t j = 0; j < summed; j++)
    gx[j] += gh[j];
  if (s->mode == RNN_TANH || s->mode == RNN_RELU) {
    for (int64_t j = 0; j < n; j++)
      h[j] = s->mode == RNN_RELU && gx[j] < 0 ? 0 : gx[j];
    if (s->mode == RNN_TANH)
      LAYER(pir_tanh)(h, n);
  } else if (s->mode == RNN_LSTM) {
    LAYER(pir_sigmoid)(gx, 2 * n);
    LAYER(pir_tanh)(gx + 2 * n, n);
    LAYER(pir_sigmoid)(gx + 3 * n, n);
    for (int64_t j = 0; j < n; j++) {
      c[j] = gx[n + j] * c[j] + gx[j] * gx[2 * n + j];
      h[j] = c[j];
    }
    LAYER(pir_tanh)(h, n);
    for (int64_t j = 0; j < n; j++)
      h[j] *= gx[3 * n + j];
  } else {
    LAYER(pir_sigmoid)(gx, 2 * n);
    for (int64_t j = 0; j < n; j++)
      gx[2 * n + j] += gx[j] * gh[2 * n + j];
    LAYER(pir_tanh)(gx + 2 * n, n);
    for (int64_t j = 0; j < n; j++)
      h[j] = gx[n + j] * h[j] + (1 - gx[n + j]) * gx[2 * n + j];
  }
}

// Runs batch rows b .. b + rows through all time. A row whose sequence has ended keeps its
// state and writes zeros.
static void LAYER(run_block)(const LAYER(layer) * layer, const LAYER(direction) * d, int64_t b,
                             int rows, REAL *room) {
  const rnn_shape *s = layer->shape;
  int block = s->tile.rows;
  REAL *gx = room;
  REAL *gh = room + block * s->padded;
  REAL *packed = gh + block * s->padded;
  for (int64_t step = 0; step < s->time; step++) {
    int64_t t = d->reverse ? s->time - 1 - step : step;
    const REAL *x[TILE_ROWS], *h[TILE_ROWS];
    for (int r = 0; r < block; r++) {
      int64_t row = b + (r < rows ? r : 0);
      x[r] = d->x + (t * s->batch + row) * layer->inputs;
      h[r] = d->h + row * s->hidden;
    }
    LAYER(multiply_tile_rows)(s, x, layer->inputs, d->wx, d->bx, packed, gx);
    LAYER(multiply_tile_rows)(s, h, s->hidden, d->wh, d->bh, packed, gh);
    for (int r = 0; r < rows; r++) {
      int64_t row = b + r;
      REAL *out = d->out + (t * s->batch + row) * s->hidden * s->directions;
      REAL *state = d->h + row * s->hidden;
      if (s->lengths && t >= s->lengths[row]) {
        memset(out, 0, (size_t)s->hidden * sizeof(REAL));
        continue;
      }
      REAL *cell = d->c ? d->c + row * s->hidden : NULL;
      LAYER(step_cell)(s, gx + r * s->padded, gh + r * s->padded, state, cell);
      memcpy(out, state, (size_t)s->hidden * sizeof(REAL));
    }
  }
}

static void LAYER(run_blocks)(void *user, int64_t begin, int64_t end, int thread) {
  const LAYER(layer) *layer = user;
  const rnn_shape *s = layer->shape;
  int64_t block = s->tile.rows;
  int64_t blocks = (s->batch + block - 1) / block;
  for (int64_t unit = begin; unit < end; unit++) {
    int64_t b = unit % blocks * block;
    int rows = (int)(s->batch - b < block ? s->batch - b : block);
    LAYER(run_block)(layer, &layer->direction[unit / blocks], b, rows,
                     layer->room + thread * layer->thread_room);
  }
}

// Packs w[gates][depth] into panels.
static void LAYER(pack_panels)(const rnn_shape *s, const pir_tensor *w, int64_t depth,
                               REAL *to) {
  LAYER(column_panels) p = {&s->tile, LAYER(transposed)(w->data, s->rows, depth), to};
  LAYER(pack_some_panels)(&p, 0, LAYER(panel_count)(&s->tile, s->rows), 0);
}

static void LAYER(pad_bias)(const rnn_shape *s, const REAL *bias, REAL *to) {
  memcpy(to, bias, (size_t)s->rows * sizeof(REAL));
  memset(to + s->rows, 0, (size_t)(s->padded - s->rows) * sizeof(REAL));
}

// Points direction k of layer l to its weights, which are packed into `memory`, and its states.
static void LAYER(load_direction)(LAYER(layer) * layer, const rnn_tensors *t, int64_t l,
                                  int64_t k, REAL *memory) {
  const rnn_shape *s = layer->shape;
  int64_t at = l * s->directions + k;
  int64_t bias = 2 * (s->layers * s->directions + at);
  REAL *wx = memory;
  REAL *wh = wx + layer->inputs * s->padded;
  REAL *b = wh + s->hidden * s->padded;
  LAYER(pack_panels)(s, &t->weights[2 * at], layer->inputs, wx);
  LAYER(pack_panels)(s, &t->weights[2 * at + 1], s->hidden, wh);
  LAYER(pad_bias)(s, t->weights[bias].data, b);
  LAYER(pad_bias)(s, t->weights[bias + 1].data, b + s->padded);
  LAYER(direction) *d = &layer->direction[k];
  *d = (LAYER(direction)){.wx = wx, .wh = wh, .bx = b, .bh = b + s->padded, .reverse = k == 1};
  d->h = (REAL *)t->state[0].data + at * s->batch * s->hidden;
  if (s->mode == RNN_LSTM)
    d->c = (REAL *)t->state[1].data + at * s->batch * s->hidden;
}

// Runs the layers one after the other; each reads the outputs of the one before. The tensors
// must be dense and of type REAL.
static pir_status LAYER(run_layers)(const pir_kernel_call *call, const rnn_shape *s,
                                    const rnn_tensors *t) {
  int64_t wide = s->hidden * s->directions;
  int64_t most = wide > s->inputs ? wide : s->inputs;
  int64_t deepest = most > s->hidden ? most : s->hidden;
  int64_t thread_room = s->tile.rows * (2 * s->padded + deepest);
  int64_t threads = call->parallel.threads > 1 ? call->parallel.threads : 1;
  int64_t room = threads * thread_room;
  int64_t per = (most + s->hidden + 2) * s->padded;
  int64_t flow = s->time * s->batch * wide;
  size_t size = (size_t)(room + per * s->directions + 2 * flow) * sizeof(REAL);
  REAL *memory = pir_kernel_alloc(call, size);
  if (!memory)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  REAL *weights = memory + room;
  REAL *flows[2];
  flows[0] = weights + per * s->directions;
  flows[1] = flows[0] + flow;
  LAYER(layer) layer = {.shape = s, .room = memory, .thread_room = thread_room};
  const REAL *x = t->x.data;
  for (int64_t l = 0; l < s->layers; l++) {
    layer.inputs = l ? wide : s->inputs;
    REAL *out = l + 1 == s->layers ? t->out.data : flows[l % 2];
    for (int64_t k = 0; k < s->directions; k++) {
      LAYER(load_direction)(&layer, t, l, k, weights + per * k);
      layer.direction[k].x = x;
      layer.direction[k].out = out + k * s->hidden;
    }
    int64_t blocks = (s->batch + s->tile.rows - 1) / s->tile.rows;
    pir_kernel_each(call, s->directions * blocks, LAYER(run_blocks), &layer);
    x = out;
  }
  pir_kernel_free(call, memory, size);
  return PIR_OK;
}
