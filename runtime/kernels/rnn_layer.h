// One direction of one recurrent layer over a block of batch rows, in the type REAL; rnn.c includes it for float and
// for double. No include guard: it defines other names each time.

typedef struct NAME(direction) {
  const REAL *wx, *wh;  // transposed and padded: [inputs][padded], [hidden][padded]
  const REAL *bx, *bh;  // [padded]
  const REAL *x;        // [time][batch][inputs]
  REAL *out;            // [time][batch][out_step], at this direction's columns
  REAL *h, *c;          // [batch][hidden]: initial states, overwritten by the last ones; c only for LSTM
  bool reverse;
} NAME(direction);

typedef struct NAME(layer) {
  const rnn_shape *shape;
  int64_t inputs;
  NAME(direction) direction[2];
  REAL *room;  // for each thread: ROWS * (2 * padded)
} NAME(layer);

// out[r][j] = bias[j] + sum_k x[r][k] * w[k][j]. TILE columns of ROWS rows stay in registers.
static void NAME(product)(const REAL *const x[ROWS], int64_t depth, const REAL *w, const REAL *bias, int64_t padded,
                          REAL *out) {
  for (int64_t j = 0; j < padded; j += TILE) {
    REAL sum[ROWS][TILE];
    for (int r = 0; r < ROWS; r++) memcpy(sum[r], bias + j, sizeof sum[r]);
    for (int64_t k = 0; k < depth; k++) {
      const REAL *row = w + k * padded + j;
      for (int r = 0; r < ROWS; r++) {
        REAL factor = x[r][k];
        for (int i = 0; i < TILE; i++) sum[r][i] += factor * row[i];
      }
    }
    for (int r = 0; r < ROWS; r++) memcpy(out + r * padded + j, sum[r], sizeof sum[r]);
  }
}

static REAL NAME(sigmoid)(REAL x) { return 1 / (1 + exp(-x)); }

// The state after one step. Gates lie in Paddle's order: input, forget, cell, output; reset, update, candidate.
static void NAME(cell)(const rnn_shape *s, const REAL *gx, const REAL *gh, REAL *h, REAL *c) {
  int64_t n = s->hidden;
  for (int64_t j = 0; j < n; j++) {
    REAL first = gx[j] + gh[j];
    if (s->mode == RNN_TANH) {
      h[j] = tanh(first);
    } else if (s->mode == RNN_RELU) {
      h[j] = first < 0 ? 0 : first;
    } else if (s->mode == RNN_LSTM) {
      REAL forget = NAME(sigmoid)(gx[n + j] + gh[n + j]), open = NAME(sigmoid)(gx[3 * n + j] + gh[3 * n + j]);
      c[j] = forget * c[j] + NAME(sigmoid)(first) * tanh(gx[2 * n + j] + gh[2 * n + j]);
      h[j] = open * tanh(c[j]);
    } else {
      REAL update = NAME(sigmoid)(gx[n + j] + gh[n + j]);
      REAL candidate = tanh(gx[2 * n + j] + NAME(sigmoid)(first) * gh[2 * n + j]);
      h[j] = update * h[j] + (1 - update) * candidate;
    }
  }
}

// Rows b .. b + rows through all time. A row whose sequence is over keeps its state and gives zeros.
static void NAME(block)(const NAME(layer) * layer, const NAME(direction) * d, int64_t b, int rows, REAL *room) {
  const rnn_shape *s = layer->shape;
  REAL *gx = room, *gh = room + ROWS * s->padded;
  for (int64_t step = 0; step < s->time; step++) {
    int64_t t = d->reverse ? s->time - 1 - step : step;
    const REAL *x[ROWS], *h[ROWS];
    for (int r = 0; r < ROWS; r++) {
      int64_t row = b + (r < rows ? r : 0);
      x[r] = d->x + (t * s->batch + row) * layer->inputs;
      h[r] = d->h + row * s->hidden;
    }
    NAME(product)(x, layer->inputs, d->wx, d->bx, s->padded, gx);
    NAME(product)(h, s->hidden, d->wh, d->bh, s->padded, gh);
    for (int r = 0; r < rows; r++) {
      int64_t row = b + r;
      REAL *out = d->out + (t * s->batch + row) * s->hidden * s->directions, *state = d->h + row * s->hidden;
      if (s->lengths && t >= s->lengths[row]) {
        memset(out, 0, (size_t)s->hidden * sizeof(REAL));
        continue;
      }
      NAME(cell)(s, gx + r * s->padded, gh + r * s->padded, state, d->c ? d->c + row * s->hidden : NULL);
      memcpy(out, state, (size_t)s->hidden * sizeof(REAL));
    }
  }
}

static void NAME(units)(void *user, int64_t begin, int64_t end, int thread) {
  const NAME(layer) *layer = user;
  const rnn_shape *s = layer->shape;
  int64_t blocks = (s->batch + ROWS - 1) / ROWS;
  for (int64_t unit = begin; unit < end; unit++) {
    int64_t b = unit % blocks * ROWS;
    int rows = s->batch - b < ROWS ? (int)(s->batch - b) : ROWS;
    NAME(block)(layer, &layer->direction[unit / blocks], b, rows, layer->room + (int64_t)thread * 2 * ROWS * s->padded);
  }
}

// w[gates][depth] to [depth][padded].
static void NAME(transpose)(const rnn_shape *s, const REAL *w, int64_t depth, REAL *to) {
  for (int64_t k = 0; k < depth; k++)
    for (int64_t j = 0; j < s->padded; j++) to[k * s->padded + j] = j < s->rows ? w[j * depth + k] : 0;
}

// Layers one after the other; each reads what the one before wrote. Takes tensors that are dense and of type REAL.
static pir_status NAME(run)(const pir_kernel_call *call, const rnn_shape *s, const rnn_tensors *t) {
  int64_t wide = s->hidden * s->directions, most = wide > s->inputs ? wide : s->inputs;
  int64_t room = (int64_t)(call->parallel.threads > 1 ? call->parallel.threads : 1) * 2 * ROWS * s->padded;
  int64_t per = (most + s->hidden + 2) * s->padded, flow = s->time * s->batch * wide;
  size_t size = (size_t)(room + per * s->directions + 2 * flow) * sizeof(REAL);
  REAL *memory = pir_kernel_alloc(call, size);
  if (!memory) return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  REAL *flows[2] = {memory + room + per * s->directions, memory + room + per * s->directions + flow};
  NAME(layer) layer = {.shape = s, .room = memory};
  const REAL *x = t->x.data;
  for (int64_t l = 0; l < s->layers; l++) {
    layer.inputs = l ? wide : s->inputs;
    REAL *out = l + 1 == s->layers ? t->out.data : flows[l % 2];
    for (int64_t k = 0; k < s->directions; k++) {
      int64_t at = l * s->directions + k, first = 2 * at, bias = 2 * (s->layers * s->directions + at);
      REAL *wx = memory + room + per * k, *wh = wx + layer.inputs * s->padded, *b = wh + s->hidden * s->padded;
      NAME(transpose)(s, t->weights[first].data, layer.inputs, wx);
      NAME(transpose)(s, t->weights[first + 1].data, s->hidden, wh);
      NAME(transpose)(s, t->weights[bias].data, 1, b);
      NAME(transpose)(s, t->weights[bias + 1].data, 1, b + s->padded);
      layer.direction[k] = (NAME(direction)){
          .wx = wx, .wh = wh, .bx = b, .bh = b + s->padded, .x = x, .out = out + k * s->hidden, .reverse = k == 1};
      layer.direction[k].h = (REAL *)t->state[0].data + at * s->batch * s->hidden;
      if (s->mode == RNN_LSTM) layer.direction[k].c = (REAL *)t->state[1].data + at * s->batch * s->hidden;
    }
    int64_t units = s->directions * ((s->batch + ROWS - 1) / ROWS);
    if (call->parallel.threads > 1 && units > 1)
      call->parallel.parallel_for(call->parallel.pool, units, NAME(units), &layer);
    else NAME(units)(&layer, 0, units, 0);
    x = out;
  }
  pir_kernel_free(call, memory, size);
  return PIR_OK;
}
