// One step of a recurrent cell forward, which keeps its gates, and backward, in the type REAL;
// rnn_grad.c includes this file for float and for double. It has no include guard, because it
// defines other names each time.

// Runs the cell of one row: g holds the products with the inputs, and gets the gates; gh, those
// with the state.
static void LAYER(step_forward)(const network *n, REAL *g, const REAL *gh, REAL *turned,
                                const REAL *h, const REAL *c, REAL *next_h, REAL *next_c) {
  int64_t H = n->hidden;
  int64_t summed = n->mode == RNN_GRU ? 2 * H : n->gates * H;
  for (int64_t j = 0; j < summed; j++)
    g[j] += gh[j];
  if (n->mode == RNN_TANH) {
    LAYER(pir_tanh)(g, H);
  } else if (n->mode == RNN_RELU) {
    for (int64_t j = 0; j < H; j++)
      g[j] = g[j] < 0 ? 0 : g[j];
  } else if (n->mode == RNN_LSTM) {
    LAYER(pir_sigmoid)(g, 2 * H);
    LAYER(pir_tanh)(g + 2 * H, H);
    LAYER(pir_sigmoid)(g + 3 * H, H);
    for (int64_t j = 0; j < H; j++)
      next_h[j] = next_c[j] = g[H + j] * c[j] + g[j] * g[2 * H + j];
    LAYER(pir_tanh)(next_h, H);
    for (int64_t j = 0; j < H; j++)
      next_h[j] *= g[3 * H + j];
  } else {
    LAYER(pir_sigmoid)(g, 2 * H);
    memcpy(turned, gh + 2 * H, (size_t)H * sizeof *turned);
    for (int64_t j = 0; j < H; j++)
      g[2 * H + j] += g[j] * turned[j];
    LAYER(pir_tanh)(g + 2 * H, H);
    for (int64_t j = 0; j < H; j++)
      next_h[j] = g[H + j] * h[j] + (1 - g[H + j]) * g[2 * H + j];
  }
  if (n->gates == 1)
    memcpy(next_h, g, (size_t)H * sizeof *next_h);
}

// Computes the gradients of the gates before their activations from the gradients dh and dc of
// the new state: `from_x` for the weights of the input, `from_h` for the weights of the state.
// dh and dc become the gradients of the old state, as far as the cell takes it over directly.
// `bent` is scratch memory.
static void LAYER(step_backward)(const network *n, const REAL *g, const REAL *turned,
                                 const REAL *h, const REAL *c, const REAL *cell,
                                 REAL *restrict dh, REAL *restrict dc, REAL *restrict bent,
                                 REAL *restrict from_x, REAL *restrict from_h) {
  int64_t H = n->hidden;
  if (n->mode == RNN_LSTM) {
    memcpy(bent, cell, (size_t)H * sizeof *bent);
    LAYER(pir_tanh)(bent, H);
    for (int64_t j = 0; j < H; j++) {
      REAL i = g[j], f = g[H + j], a = g[2 * H + j], o = g[3 * H + j], t = bent[j];
      REAL d = dc[j] + dh[j] * o * (1 - t * t);
      from_x[j] = d * a * i * (1 - i);
      from_x[H + j] = d * c[j] * f * (1 - f);
      from_x[2 * H + j] = d * i * (1 - a * a);
      from_x[3 * H + j] = dh[j] * t * o * (1 - o);
      dc[j] = d * f;
      dh[j] = 0;
    }
  } else if (n->mode == RNN_GRU) {
    for (int64_t j = 0; j < H; j++) {
      REAL r = g[j], u = g[H + j], a = g[2 * H + j];
      REAL d = dh[j] * (1 - u) * (1 - a * a);
      from_x[j] = d * turned[j] * r * (1 - r);
      from_x[H + j] = dh[j] * (h[j] - a) * u * (1 - u);
      from_x[2 * H + j] = d;
      dh[j] *= u;
    }
  } else {
    for (int64_t j = 0; j < H; j++) {
      REAL passed = g[j] > 0 ? dh[j] : 0;
      from_x[j] = n->mode == RNN_RELU ? passed : dh[j] * (1 - g[j] * g[j]);
      dh[j] = 0;
    }
  }
  if (n->mode != RNN_GRU)
    return;  // from_h is from_x
  memcpy(from_h, from_x, (size_t)(2 * H) * sizeof *from_h);
  for (int64_t j = 2 * H; j < 3 * H; j++)
    from_h[j] = from_x[j] * g[j - 2 * H];
}
