// Subscripts of einsum, which inference and expansion read.
#ifndef PIR_HOOKS_PRODUCTS_H
#define PIR_HOOKS_PRODUCTS_H

#include "infer_impl.h"

enum {
  MAX_TERMS = 64,
  ELLIPSIS = 128
};  // a label from here on is an axis that "..." stands for, counted from the last

typedef struct labels {
  int at[PIR_MAX_RANK], count;
} labels;

typedef struct subscripts {
  labels terms[MAX_TERMS], out;
  int count;
} subscripts;

// Returns the position of a label, or -1.
int products_find_label(const labels *l, int label);
// Reads subscripts for `count` operands of these ranks. Returns NULL, or the rest of a message.
const char *products_read(pir_str text, const int *ranks, int count, subscripts *out);

#endif
