// The prior boxes of a cell, from the attributes of prior_box: for kernels and for generated
// code. Computed in f32, as Paddle does.
#ifndef PIR_PRIOR_BOXES_H
#define PIR_PRIOR_BOXES_H

#include <math.h>
#include <pir/base.h>

// The attributes of prior_box, as it declares them.
enum {
  PRIOR_MIN,
  PRIOR_MAX,
  PRIOR_RATIOS,
  PRIOR_VARIANCES,
  PRIOR_FLIP,
  PRIOR_CLIP,
  PRIOR_STEP_W,
  PRIOR_STEP_H,
  PRIOR_OFFSET,
  PRIOR_ORDER
};

// A box of a cell.
typedef struct pir_prior {
  // Half of its extents.
  double width, height;
} pir_prior;

// Numbers of an attribute.
typedef struct pir_prior_numbers {
  // `count` numbers.
  const double *list;
  // How many there are.
  size_t count;
} pir_prior_numbers;

typedef struct pir_prior_form {
  // Of squares; `larger`: none, or one for each of the others.
  pir_prior_numbers sizes, larger;
  // Width to height; 1 is always one of them.
  pir_prior_numbers ratios;
  // Each ratio stands for its reciprocal, too.
  bool flip;
  // The squares come before the other boxes.
  bool squares_first;
} pir_prior_form;

// Whether two ratios count as one.
static inline bool pir_ratios_equal(float a, float b) {
  return fabsf(a - b) < 1e-6f;
}

// Lists the ratios without repetition, 1 first. There is room for 2 * ratios + 1. Returns how
// many there are.
static inline size_t pir_list_ratios(const pir_prior_form *form, float *ratios) {
  size_t count = 0;
  ratios[count++] = 1;
  for (size_t i = 0; i < form->ratios.count; i++) {
    float ratio = (float)form->ratios.list[i];
    bool seen = false;
    for (size_t j = 0; j < count && !seen; j++)
      seen = pir_ratios_equal(ratio, ratios[j]);
    if (seen)
      continue;
    ratios[count++] = ratio;
    if (form->flip)
      ratios[count++] = 1 / ratio;
  }
  return count;
}

// Lists the boxes of a cell in their order. There is room for `ratio_count` + 1 for each size.
// Returns how many there are.
static inline size_t pir_list_priors(const pir_prior_form *form, const float *ratios,
                                     size_t ratio_count, pir_prior *to) {
  size_t n = 0;
  for (size_t s = 0; s < form->sizes.count; s++) {
    float size = (float)form->sizes.list[s];
    pir_prior square = {size / 2.0, size / 2.0}, middle = {0, 0};
    if (form->larger.count)
      middle.width = middle.height = sqrtf(size * (float)form->larger.list[s]) / 2.0;
    if (form->squares_first) {
      to[n++] = square;
      if (form->larger.count)
        to[n++] = middle;
    }
    for (size_t r = 0; r < ratio_count; r++) {
      if (form->squares_first && pir_ratios_equal(ratios[r], 1))
        continue;
      float root = sqrtf(ratios[r]);
      to[n++] = (pir_prior){size * root / 2.0, size / root / 2.0};
    }
    if (!form->squares_first && form->larger.count)
      to[n++] = middle;
  }
  return n;
}

#endif
