// Overlaps of one box with many, in the type REAL; nms.c includes this file for float and for
// double. It has no include guard, because it defines other names each time. Each operation
// rounds as Paddle's does, in the same order.

// The boxes kept so far, as a structure of arrays in whole blocks. The places behind the last
// box hold boxes that overlap nothing.
typedef struct BOXES(kept) {
  REAL *low[2], *high[2], *area;
  int64_t count;
} BOXES(kept);

static REAL BOXES(area)(const REAL *box, REAL edge) {
  if (box[2] < box[0] || box[3] < box[1])
    return 0;
  return (box[2] - box[0] + edge) * (box[3] - box[1] + edge);
}

static void BOXES(keep)(BOXES(kept) * k, const REAL *box, REAL area) {
  bool opens_block = k->count % KEPT_BLOCK == 0;
  for (int64_t i = k->count; opens_block && i < k->count + KEPT_BLOCK; i++) {
    for (int a = 0; a < 2; a++) {
      k->low[a][i] = (REAL)INFINITY;
      k->high[a][i] = -(REAL)INFINITY;
    }
    k->area[i] = 0;
  }
  for (int a = 0; a < 2; a++) {
    k->low[a][k->count] = box[a];
    k->high[a][k->count] = box[2 + a];
  }
  k->area[k->count++] = area;
}

// Whether the intersection over union of the box with one of them exceeds `threshold`.
static bool BOXES(overlaps)(const BOXES(kept) * k, const REAL *box, REAL area, REAL edge,
                            REAL threshold) {
  for (int64_t first = 0; first < k->count; first += KEPT_BLOCK) {
    const REAL *x0 = k->low[0] + first;
    const REAL *y0 = k->low[1] + first;
    const REAL *x1 = k->high[0] + first;
    const REAL *y1 = k->high[1] + first;
    const REAL *areas = k->area + first;
    int any = 0;
    for (int i = 0; i < KEPT_BLOCK; i++) {
      REAL left = box[0] < x0[i] ? x0[i] : box[0];
      REAL right = x1[i] < box[2] ? x1[i] : box[2];
      REAL top = box[1] < y0[i] ? y0[i] : box[1];
      REAL bottom = y1[i] < box[3] ? y1[i] : box[3];
      REAL both = (right - left + edge) * (bottom - top + edge);
      int apart = (box[0] > x1[i]) | (x0[i] > box[2]);
      apart |= (box[1] > y1[i]) | (y0[i] > box[3]);
      any |= !apart & !(both / (area + areas[i] - both) <= threshold);
    }
    if (any)
      return true;
  }
  return false;
}

// Does the work of pir_boxes_suppress. `room` has space for five arrays of `most` numbers.
static void BOXES(suppress)(boxes *b, const double *data, int64_t step, int64_t first,
                            double threshold, double eta, REAL *room, int64_t most) {
  BOXES(kept) k = {.low = {room, room + most}};
  k.high[0] = room + 2 * most;
  k.high[1] = room + 3 * most;
  k.area = room + 4 * most;
  REAL edge = b->normalized ? 0 : 1, bound = (REAL)threshold;
  for (int64_t i = first; i < b->list.count; i++) {
    const found item = b->list.items[i];
    const double *from = data + item.box * step;
    REAL box[4];
    for (int c = 0; c < 4; c++)
      box[c] = (REAL)from[c];
    const REAL area = BOXES(area)(box, edge);
    if (BOXES(overlaps)(&k, box, area, edge, bound))
      continue;
    b->list.items[first + k.count] = item;
    BOXES(keep)(&k, box, area);
    if (eta < 1 && bound > (REAL)0.5)
      bound *= (REAL)eta;
  }
  b->list.count = first + k.count;
}
