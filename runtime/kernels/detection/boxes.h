// Lists of scored boxes, and the operations on them that nms.c, pairs.c, proposals.c and the
// pooling of regions share.
#ifndef PIR_KERNELS_BOXES_H
#define PIR_KERNELS_BOXES_H

#include "kernels.h"

// A candidate: a box by its number, its score, and its class (or image).
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
  bool single;      // the data is f32
  bool normalized;  // coordinates are relative: an extent does not count its last pixel
  bool borrowed;    // `scores` is the operand itself
  // Dense. Boxes are doubles. The scores that suppression by class reads are f32 where the data
  // is f32.
  pir_tensor boxes, scores;
  found_list list;   // the candidates of all images so far
  found_list spare;  // scratch memory of the sort
} boxes;

static inline double pir_boxes_rounded(const boxes *b, double x) {
  return pir_round_single(b->single, x);
}

// Appends an item; fails when memory runs out.
pir_status pir_boxes_push(boxes *b, found_list *list, found item);
// Sorts the items from `first` to the end of the list. Stable.
pir_status pir_boxes_sort(boxes *b, found_list *list, int64_t first,
                          bool (*before)(const found *, const found *));
// The order of falling scores, compared as f32.
bool pir_boxes_by_score(const found *x, const found *y);
// Keeps the `top` best (below 0: all) of the list's items from `first` on, best first. Equal
// scores keep the order of their boxes.
pir_status pir_boxes_best(boxes *b, int64_t first, int64_t top);
// Intersection over union of two boxes.
double pir_boxes_overlap(const boxes *b, const double *p, const double *q);
// Removes the items of the list from `first` on that overlap an item kept before them by more
// than `threshold`. With `eta` below 1, every kept box lowers a threshold above 0.5 by that
// factor. Box i lies at data + i * step.
pir_status pir_boxes_suppress(boxes *b, const double *data, int64_t step, int64_t first,
                              double threshold, double eta);
// Frees the lists and the dense copies.
void pir_boxes_drop(boxes *b);
// Fills `image` with the image number of each of `count` regions. The regions come image by
// image; `number` states how many each image has (NULL: there is one image).
pir_status pir_boxes_images(const pir_kernel_call *call, const pir_tensor *number,
                            int64_t images, int64_t count, int64_t *image);

#endif
