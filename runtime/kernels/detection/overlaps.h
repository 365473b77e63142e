// Overlaps of one box with many, in the type REAL; nms.c includes it for float and for double.
// What is rounded and in which order is Paddle's. No include guard: it defines other names each
// time.

// Boxes side by side, in whole blocks: places beyond the last hold boxes that overlap nothing.
typedef struct NAME(kept) {
  REAL *low[2], *high[2], *area;
  int64_t count;
} NAME(kept);

static REAL NAME(area)(const REAL *box, REAL edge) {
  if (box[2] < box[0] || box[3] < box[1])
    return 0;
  return (box[2] - box[0] + edge) * (box[3] - box[1] + edge);
}

static void NAME(keep)(NAME(kept) * k, const REAL *box, REAL area) {
  for (int64_t i = k->count; k->count % KEPT_BLOCK == 0 && i < k->count + KEPT_BLOCK; i++) {
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

// Whether one of them shares more than `threshold` of the union with the box.
static bool NAME(overlaps)(const NAME(kept) * k, const REAL *box, REAL area, REAL edge,
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
      int apart = (box[0] > x1[i]) | (x0[i] > box[2]) | (box[1] > y1[i]) | (y0[i] > box[3]);
      any |= !apart & !(both / (area + areas[i] - both) <= threshold);
    }
    if (any)
      return true;
  }
  return false;
}

// What pir_boxes_suppress does, with room for all items.
static void NAME(suppress)(boxes *b, const double *data, int64_t step, int64_t first,
                           double threshold, double eta, REAL *room, int64_t most) {
  NAME(kept) k = {{room, room + most}, {room + 2 * most, room + 3 * most}, room + 4 * most, 0};
  REAL edge = b->normalized ? 0 : 1, bound = (REAL)threshold;
  for (int64_t i = first; i < b->list.count; i++) {
    const found item = b->list.items[i];
    const double *from = data + item.box * step;
    const REAL box[4] = {(REAL)from[0], (REAL)from[1], (REAL)from[2], (REAL)from[3]};
    const REAL area = NAME(area)(box, edge);
    if (NAME(overlaps)(&k, box, area, edge, bound))
      continue;
    b->list.items[first + k.count] = item;
    NAME(keep)(&k, box, area);
    if (eta < 1 && bound > (REAL)0.5)
      bound *= (REAL)eta;
  }
  b->list.count = first + k.count;
}
