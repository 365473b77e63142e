// Lists of boxes with scores, for kernels that suppress some of them (nms.c, proposals.c).
#ifndef PIR_KERNELS_BOXES_H
#define PIR_KERNELS_BOXES_H

#include "kernels.h"

typedef struct found {
  double score;
  int64_t box, label;
} found;

typedef struct found_list {
  found *items;
  int64_t count, capacity;
} found_list;

typedef struct boxes {
  const pir_kernel_call *call;
  bool single, normalized;   // data in f32; extents without the last pixel
  bool borrowed;             // the scores are the operand
  pir_tensor boxes, scores;  // dense; boxes in double, scores of suppression by class in f32
                             // where the data is
  found_list list, spare;    // all images so far, and room to sort
} boxes;

// What f32 arithmetic gives where the data is f32: comparisons then fall as Paddle's do.
double pir_boxes_rounded(const boxes *b, double x);
pir_status pir_boxes_push(boxes *b, found_list *list, found item);
// Stable; items of list from `first` to its end.
pir_status pir_boxes_sort(boxes *b, found_list *list, int64_t first,
                          bool (*before)(const found *, const found *));
bool pir_boxes_by_score(const found *x, const found *y);
// Of the list's items from `first` on, which are in the order of their boxes: the `top` best
// (below 0: all), best first.
pir_status pir_boxes_best(boxes *b, int64_t first, int64_t top);
// Intersection over union.
double pir_boxes_overlap(const boxes *b, const double *p, const double *q);
// Items of the list from `first` that overlap none kept before them by more than `threshold`
// stay. `eta` below 1 lowers a threshold above a half with each box kept. Box i is at boxes + i
// * step.
pir_status pir_boxes_suppress(boxes *b, const double *data, int64_t step, int64_t first,
                              double threshold, double eta);
void pir_boxes_drop(boxes *b);
// The image of each of `count` regions, which come image by image, as many as `number` says
// (NULL: one image).
pir_status pir_boxes_images(const pir_kernel_call *call, const pir_tensor *number,
                            int64_t images, int64_t count, int64_t *image);

#endif
